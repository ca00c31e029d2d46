r"""Naive Bayes averaged over all ways to merge neighbouring intervals of its variables.

For columns of numbers in fine intervals, no partition is selected. All :math:`2^{B - 1}` ways to merge B
neighbouring intervals are averaged, each weighted by its evidence. Merged intervals have the sum of their
pseudocounts, so the partition without merged intervals is naive Bayes on the fine intervals, and all
partitions have the same prior. See :mod:`codelength.naive_bayes.partitions`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from ..counts import Counts
from ..errors import InvalidParameter
from ..table import Coded
from ..table._messages import shown
from ..table.copies import copy_weights
from ..typing import FloatArray, IntArray
from .log_tables import LogTables, log_tables
from .partitions import PartitionAverage
from .predictor import Predictor, rule_of
from .priors import PriorLike, Pseudocounts
from .rules.rule import Offsets, Rule

MAX_INTERVALS = 1_000
"""Largest number of intervals of a variable; the work grows with the third power."""

MIN_PSEUDOCOUNT, MAX_PSEUDOCOUNT = 1e-9, 1e9
"""Range of pseudocounts; beyond it the weights of partitions lose all digits."""


@dataclass(frozen=True, eq=False)
class IntervalAverage(Predictor):
    """Predictor of a rule that averages over models, averaged over partitions of variables with intervals.

    Other variables are as in :class:`Predictor`, and predictions are still sums of look-ups.
    """

    @classmethod
    def of(cls, counts: Counts, rule: "str | Rule" = "evidence", prior: PriorLike = "uniform") -> Self:
        """Build the predictor of counts, under a rule that averages over models.

        The prior needs the same pseudocount for all intervals of a variable.

        Examples
        --------
        Three intervals. The average includes partitions that merge the last two, so these are more similar:

        >>> from codelength.counts import count
        >>> from codelength.table import Schema
        >>> from codelength.table.variable import Variable, interval_variable
        >>> schema = Schema([interval_variable("size", [1, 2])], Variable("kind", ("a", "b")))
        >>> coded = Coded.of(schema, [[0], [0], [0], [0], [1], [1], [1], [2]], [0, 0, 0, 0, 1, 1, 1, 1])
        >>> np.exp(Predictor.of(count(coded)).tables.value_table[:, :3]).round(2)
        array([[0.71, 0.14, 0.14],
               [0.14, 0.57, 0.29]])
        >>> np.exp(IntervalAverage.of(count(coded)).tables.value_table[:, :3]).round(2)
        array([[0.68, 0.17, 0.15],
               [0.17, 0.48, 0.36]])
        """
        check_averages(rule_of(rule))
        made = super().of(counts, rule, prior)
        found = cls(made.counts, made.rule, made.prior, made.offsets)
        for i in found.averaged:
            found._check(i)
        return found

    @property
    def averaged(self) -> tuple[int, ...]:
        """Positions of the variables with intervals."""
        variables = self.counts.schema.variables
        return tuple(i for i, variable in enumerate(variables) if variable.kind == "interval")

    @cached_property
    def averages(self) -> dict[int, PartitionAverage]:
        """The average over partitions of each of these variables."""
        found = {}
        for i in self.averaged:
            variable = self.counts.schema.variables[i]
            # An even base with one strength: merged intervals then have the sum of their pseudocounts.
            even = np.full(variable.n_values, 1.0 / variable.n_values)
            strength = float(self.prior.value_pseudocounts[0, self.counts.schema.cells(i)].sum())
            found[i] = PartitionAverage.of(self.counts.of(i), even, len(variable.cuts) + 1, [strength])
        return found

    @cached_property
    def tables(self) -> LogTables:
        """Log tables; entries of averaged variables are those of the average."""
        tables = log_tables(self.counts, self.rule, self.offsets)
        for i, average in self.averages.items():
            own = self.counts.schema.cells(i)
            tables.value_table[:, own] = (average.log_ratios() + np.log(average.base)[:, None]).T
        return tables

    def _left_out_weights(self, coded: Coded) -> FloatArray:
        """Return log weights without one copy of each row; averaged variables are added to the others."""
        # Classes and other variables first; the ratios of averaged variables multiply their weights.
        log_weights = self._others._left_out_weights(coded.select(self._others_at))
        labels = np.asarray(coded.class_codes, dtype=np.int64)
        weights = np.ones(coded.n_rows) if coded.weights is None else copy_weights(coded.weights)
        for i, average in self.averages.items():
            codes = np.asarray(coded.codes[:, i], dtype=np.int64)
            known = codes < self.counts.schema.variables[i].n_values
            log_weights[known] += _left_out_ratios(average, codes[known], labels[known], weights[known])
        return log_weights

    def _log_evidence_of(self, variable: int) -> float:
        average = self.averages.get(variable)
        if average is None:
            return super()._log_evidence_of(variable)
        return average.log_evidence + float(average.counts.sum(axis=1) @ np.log(average.base))

    @property
    def _others_at(self) -> list[int]:
        return [i for i in range(self.counts.schema.n_variables) if i not in self.averages]

    @cached_property
    def _others(self) -> Predictor:
        """Predictor of the classes and of the variables without intervals."""
        offsets, chosen = self.counts.schema.offsets, self._others_at
        # An empty array first, because concatenate fails if no variable is left.
        cells = np.concatenate([np.arange(0), *(np.arange(offsets[i], offsets[i + 1]) for i in chosen)])
        prior = Pseudocounts(self.prior.class_pseudocounts, self.prior.value_pseudocounts[:, cells])
        added = Offsets(self.offsets.class_offsets, self.offsets.value_offsets[:, cells])
        return Predictor(self.counts.select(chosen), self.rule, prior, added)

    def _check(self, i: int) -> None:
        """Raise InvalidParameter if a variable has too many intervals or unsuitable pseudocounts."""
        schema = self.counts.schema
        name, n_intervals = shown(schema.names[i]), len(schema.variables[i].cuts) + 1
        if n_intervals > MAX_INTERVALS:
            raise InvalidParameter(
                f"variable {name}: {n_intervals:,} intervals, more than the {MAX_INTERVALS:,} that can be "
                "averaged over; give it fewer cut points"
            )
        own = self.prior.value_pseudocounts[:, schema.cells(i)]
        if not MIN_PSEUDOCOUNT <= own.flat[0] <= MAX_PSEUDOCOUNT or (own != own.flat[0]).any():
            raise InvalidParameter(
                f"variable {name}: to average over its intervals, they need the same pseudocount in all "
                f"classes, between {MIN_PSEUDOCOUNT:g} and {MAX_PSEUDOCOUNT:g}; pass another prior, or "
                'numeric="discretize"'
            )


def check_averages(rule: Rule) -> None:
    """Raise InvalidParameter if a rule has no evidence, which the weights of partitions need."""
    if not rule.averages:
        raise InvalidParameter(
            f'numeric="average": rule="{rule.name}" does not average over models; pass rule="evidence", or '
            'numeric="discretize"'
        )


def _left_out_ratios(
    average: PartitionAverage, values: IntArray, labels: IntArray, weights: FloatArray
) -> FloatArray:
    """Return log ratios of each row's value without a copy of the row, shape (n_rows, n_classes).

    They are computed once per distinct class, value and weight of a copy. NaN if the row is not among the
    counted rows.
    """
    kinds, which = np.unique(weights, return_inverse=True)
    shape = average.counts.shape[1], len(average.base), len(kinds)
    cells, places = np.unique(np.ravel_multi_index((labels, values, which), shape), return_inverse=True)
    of_class, of_value, of_weight = np.unravel_index(cells, shape)
    removed = kinds[of_weight]
    ratios, _ = average.without(of_value, of_class, removed)
    # NaN marks rows that were not counted, as in the predictor of single partitions.
    ratios[average.counts[of_value, of_class] < removed] = np.nan
    return ratios[places]
