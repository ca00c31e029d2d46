"""Predictors: counts, a rule and a prior.

Order of reading: :meth:`Predictor.of`, :attr:`Predictor.tables`, predictions by :class:`Scorer`, then
leave-one-out (entries of log tables with lowered counts) and the evidence. Depends on ``rules``, ``priors``,
``log_tables`` and ``scoring``; ``interval_average`` has a subclass.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..counts import Counts
from ..errors import DataError
from ..table import Coded
from ..table.checks import check_choice
from ..table.copies import copy_weights
from ..typing import FloatArray, IntArray
from .dirichlet import dirichlet_log_evidence
from .explanation import Explanation, log_odds_against
from .log_tables import LogTables, log_tables, value_entries
from .priors import PriorLike, Pseudocounts, pseudocounts
from .rules.rule import Offsets, Rule
from .scoring import Distributions, Scorer, normalised


@dataclass(frozen=True, eq=False)
class Predictor:
    """Predictions of a rule from counts and a prior, as sums of look-ups; created by :meth:`of`.

    Attributes
    ----------
    counts : Counts
        Counts of the training rows.
    rule : Rule
        Predictive rule.
    prior : Pseudocounts
        Pseudocounts of the prior that the rule uses.
    offsets : Offsets
        Numbers that the rule adds to the counts.
    """

    counts: Counts
    rule: Rule
    prior: Pseudocounts
    offsets: Offsets

    @classmethod
    def of(cls, counts: Counts, rule: "str | Rule" = "evidence", prior: PriorLike = "uniform") -> "Predictor":
        """Build the predictor of counts, under a rule and a prior, which some rules ignore.

        Examples
        --------
        >>> from codelength.counts import count
        >>> from codelength.table import Schema
        >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [1]], [0, 0, 1])
        >>> np.exp(Predictor.of(count(coded)).log_probs(coded).log_probs).round(3)
        array([[0.692, 0.308],
               [0.529, 0.471],
               [0.529, 0.471]])
        """
        chosen = rule_of(rule)
        spelled = pseudocounts(chosen.prior(prior), counts.schema)
        return cls(counts, chosen, spelled, chosen.offsets(spelled, counts.schema))

    @cached_property
    def tables(self) -> LogTables:
        """Log tables; InvalidParameter is raised if the rule has no prediction under this prior."""
        return log_tables(self.counts, self.rule, self.offsets)

    @cached_property
    def scorer(self) -> Scorer:
        """Log tables in the layout for many rows."""
        return Scorer.of(self.counts.schema, self.tables)

    def log_probs(self, coded: Coded, n_threads: int | None = None) -> Distributions:
        """Return the log probability of each class for each row, in nats."""
        return self.scorer.log_probs(coded, n_threads)

    def log_weights(self, coded: Coded, n_threads: int | None = None) -> FloatArray:
        """Return the log weight of each row together with each class, in nats, shape (n_rows, n_classes)."""
        return self.scorer.log_weights(coded, n_threads)

    def leave_one_out(self, coded: Coded) -> Distributions:
        """Return the log probability of each class for each row, predicted from all other rows.

        The closed form needs one more look-up per cell instead of a fit per row.

        Parameters
        ----------
        coded : Coded
            The rows to predict; each must be among the counted rows, with the same weight. One copy of a
            weighted row is left out; see :mod:`codelength.table.copies`.

        Raises
        ------
        DataError
            If a row is not among the counted rows.
        """
        log_weights = self._left_out_weights(coded)
        impossible = np.isnan(log_weights).any(axis=1)
        if impossible.any():
            row = int(np.argmax(impossible))
            raise DataError(
                f"row {row}: it is not among the rows that were counted, so it cannot be left out; pass the "
                "rows (and weights) the model was fitted on"
            )
        return normalised(log_weights)

    def _left_out_weights(self, coded: Coded) -> FloatArray:
        """Return log weights of the classes, up to a constant; NaN if the row cannot be left out."""
        # The constant is the same for every class, and without it the differences keep more digits.
        log_weights = replace(self.scorer, constant=0.0).log_weights(coded)
        # Only the weight of a row's own class changes if the row is left out.
        own = np.arange(coded.n_rows), np.asarray(coded.class_codes, dtype=np.int64)
        removed = None if coded.weights is None else copy_weights(coded.weights)
        if removed is None or (removed == 1.0).all():
            scorer = Scorer.of(self.counts.schema, self.tables_without_one_row)
            log_weights[own] = scorer.log_weights_of(coded, own[1])
        else:
            log_weights[own] = self._own_weights(coded, own[1], removed)
        return log_weights

    @property
    def tables_without_one_row(self) -> LogTables:
        """Log tables in which each entry is without one row of weight 1; NaN if there is none."""
        counts, offsets, schema = self.counts, self.offsets, self.counts.schema
        starts, spare, sizes = schema.offsets[:-1], schema.offsets[1:] - 1, schema.n_values + 1
        base = _entries_without(self.rule, counts.class_counts, offsets.class_offsets, 1.0)
        if not schema.n_variables:
            return LogTables(base, np.zeros_like(counts.value_counts), 0.0)
        seen, added = counts.value_counts.copy(), offsets.value_offsets
        # Missing cells do not count in totals: they are marginalised.
        seen[:, spare] = 0.0
        rest = np.maximum(np.add.reduceat(seen, starts, axis=1) - 1.0, 0.0)
        totals = np.repeat(rest + np.add.reduceat(added, starts, axis=1), sizes, axis=1)
        n_values = np.repeat(schema.n_values, sizes)
        table = _entries_without(self.rule, seen, added, 1.0, totals, n_values)
        table[:, spare] = 0.0
        return LogTables(base, table, 0.0)

    def _own_weights(self, coded: Coded, labels: IntArray, removed: FloatArray) -> FloatArray:
        """Return log weights of the class of each row without copies of different weights.

        These have no common table. NaN if the row is not among the counted rows.
        """
        rule, counts, offsets, schema = self.rule, self.counts, self.offsets, self.counts.schema
        own = _entries_without(rule, counts.class_counts[labels], offsets.class_offsets[labels], removed)
        for i, n_values in enumerate(schema.n_values.tolist()):
            codes = np.asarray(coded.codes[:, i], dtype=np.int64)
            present = codes < n_values
            of_class = labels[present]
            at = of_class, schema.offsets[i] + codes[present]
            rest = np.maximum(counts.of(i).sum(axis=1)[of_class] - removed[present], 0.0)
            totals = rest + offsets.value_offsets[:, schema.cells(i)].sum(axis=1)[of_class]
            seen, added = counts.value_counts[at], offsets.value_offsets[at]
            own[present] += _entries_without(rule, seen, added, removed[present], totals, n_values)
        return own

    def explain(self, coded: Coded, reference: int = 0) -> Explanation:
        """Return contributions of variables to the log-odds of each class against that of a code."""
        schema = self.counts.schema
        # Contributions are entries of the log tables, so they add up to the log-odds exactly.
        cells = coded.codes.astype(np.int64) + schema.offsets[:-1]
        return Explanation(
            schema.names,
            schema.classes,
            schema.classes[reference],
            log_odds_against(self.tables.class_table, reference),
            log_odds_against(self.tables.value_table.T[cells], reference),
        )

    def evidence_code_length(self, *, given_classes: bool = False) -> float:
        r"""Return minus the log evidence of the counted rows under the prior, in nats.

        .. math:: -\log P(D) = -\log \int P(D \mid \Theta) P(\Theta)\, d\Theta

        Closed form: equation (8) of [1]_. Adding rows one at a time and predicting each from the rows before
        it by the evidence rule costs exactly this much, in any order. Missing cells are marginalised and cost
        nothing.

        Parameters
        ----------
        given_classes : bool
            Return the code length of the values given the classes, without that of the classes.

        References
        ----------
        .. [1] Kontkanen, Myllymäki, Silander and Tirri (1998). Bayes optimal instance-based learning. ECML.
        """
        length = 0.0
        if not given_classes:
            length -= float(dirichlet_log_evidence(self.counts.class_counts, self.prior.class_pseudocounts))
        return length - sum(self._log_evidence_of(i) for i in range(self.counts.schema.n_variables))

    def _log_evidence_of(self, variable: int) -> float:
        """Return the log evidence of the values of one variable given the classes."""
        of_values = self.prior.value_pseudocounts[:, self.counts.schema.cells(variable)]
        return float(dirichlet_log_evidence(self.counts.of(variable), of_values).sum())


def rule_of(rule: "str | Rule") -> Rule:
    """Return the rule of a name; a rule is returned unchanged."""
    from . import RULES

    if isinstance(rule, Rule):
        return rule
    check_choice("rule", rule, RULES)
    return RULES[rule]


def _entries_without(
    rule: Rule,
    seen: FloatArray,
    added: FloatArray,
    weights: FloatArray | float,
    totals: FloatArray | None = None,
    n_values: IntArray | int = 1,
) -> FloatArray:
    """Return log table entries of values, or of classes, with counts lowered by weights.

    NaN if a count (``seen``) is smaller than its weight: the row was not counted. ``added`` are offsets of
    the rule, which are added after the subtraction, because the sum of a count and a tiny pseudocount would
    lose the latter. For entries of values, ``totals`` are lowered counts plus offsets, summed over the values
    of the variable.
    """
    left = seen >= weights
    # 1.0 is a placeholder with a finite logarithm.
    fewer = np.where(left, seen - weights + added, 1.0)
    rule.check(float(fewer.min(initial=0.0)), "without one of the rows ")
    entries = rule.growth(fewer) if totals is None else value_entries(rule, fewer, totals, n_values)
    return np.where(left, entries, np.nan)
