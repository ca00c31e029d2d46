r"""Naive Bayes, and what the dependence between two variables adds to it: what forests are made of.

In a forest, each variable depends on the class and on at most one other variable, its parent. The prior is
Dirichlet: in each of ``C`` classes, the pairs of values of any two variables share :math:`\lambda / C`
pseudocounts evenly. Then the evidence of a table is that of naive Bayes times the Bayes factor of each edge
u-v,

.. math:: W_{uv} = \prod_c \frac{\Gamma(N^*_c)\, /\, \Gamma(\lambda / C) \prod_{ab} \Gamma(N^*_{abc}) /
          \Gamma(\lambda / (C a_u a_v))}{\prod_a \Gamma(N^*_{ac}) / \Gamma(\lambda / (C a_u))
          \prod_b \Gamma(N^*_{bc}) / \Gamma(\lambda / (C a_v))},

whichever end is the parent, where :math:`N^*` are counts plus pseudocounts. The probability of a new row is
that of naive Bayes times, for each edge, the factor :math:`h_{uv} = N^*_{abc} N^*_c / (N^*_{ac} N^*_{bc})`
at the values of the row. Adding a row to the table multiplies :math:`W_{uv}` by the factor in the row's
class; leaving it out divides by that factor as it is without the row. Both are exact. A weight that is not 1
has a ratio of gamma functions in place of the factor.

A cell without a value is left out of the counts: each variable is counted where it has a value, and each
pair where both have one. In a row to predict, the factor of a pair in which a value is lacking is 1. This is
exact for forests in which the variable without a value has at most one edge. Otherwise it is an
approximation: it neglects what the neighbours of that variable say about each other through it. There is no
bound on the error. Measured with one cell blanked, on random tables of four variables and 30 rows, class
probabilities are off by .001 on average and .02 at worst where a variable copies its neighbour three times
in ten, by .01 and .07 where it does six times in ten, and by .05 and .3 where it does nine times in ten.
Rows that are unlike the table fare worse: .04 in place of .02. A missing cell that the schema makes a value
of its own is a value like any other.

References
----------
Friedman, Geiger and Goldszmidt (1997). Bayesian network classifiers. Machine Learning 29.
Meilă and Jaakkola (2006). Tractable Bayesian learning of tree belief networks. Statistics and Computing 16.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from ..._packing import packed, unpacked
from ..._pickling import WithoutCaches
from ..._threads import check_interrupted
from ...counts.pairs import PairCounts, count_pairs, n_pair_cells
from ...errors import DataError
from ...table import Coded
from ...typing import FloatArray, IntArray
from ..factors import ranking_of
from ..training import Training
from ..views import Views

STRENGTHS = (2.0, 8.0, 32.0, 128.0)
"""Pseudocounts of a whole table."""

MOST_VARIABLES = 40
"""Variables that take part: the time of a prediction grows with their cube."""

MOST_CELLS = 1 << 22
"""Counts of pairs that are kept: 34 MB, and as much again for each strength."""

LARGEST_COUNT = 2.0**53
"""Counts in a file are not larger."""

_ROWS_AT_ONCE, _ROWS_PER_COUNT = 512, 1 << 17


@dataclass(frozen=True, eq=False)
class AugmentedCounts(WithoutCaches):
    """Counts of coarse values, and of pairs of them, within the classes.

    Attributes
    ----------
    variables : array of int
        Variables of the views that take part.
    value_counts : tuple of arrays of shape (n_classes, n_values)
        Weight of each value in each class, for each of these variables.
    pairs : PairCounts
        The same for pairs of values.
    """

    variables: IntArray
    value_counts: tuple[FloatArray, ...]
    pairs: PairCounts

    @classmethod
    def of(cls, training: Training, ranking: IntArray | None = None) -> "AugmentedCounts":
        """Count all training rows: in all variables, or in those that say most about the class.

        Parameters
        ----------
        training : Training
            Rows of the table.
        ranking : array of int, optional
            All variables, the most informative first; by default, as these rows rank them.
        """
        variables = _chosen(training, ranking)
        seen = replace(training, views=_chosen_views(training.views, variables))
        coded, n_values = seen.coded, seen.views.n_coarse
        pairs = None
        for start in range(0, coded.n_rows, _ROWS_PER_COUNT):
            part = coded.take(np.arange(start, min(start + _ROWS_PER_COUNT, coded.n_rows)))
            codes = seen.views.coarse(part)
            labels = np.asarray(part.class_codes, dtype=np.int64)
            counts = count_pairs(codes, labels, n_values, training.n_classes, part.weights)
            pairs = counts if pairs is None else pairs.merge(counts)
        assert pairs is not None
        return cls(variables, tuple(seen.coarse_counts), pairs)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.pairs.n_classes

    def codes(self, views: Views, coded: Coded) -> IntArray:
        """Codes of the variables that take part, -1 where a cell has no value."""
        return chosen_codes(views, self.variables, coded)

    def at(self, strength: float) -> "Augmented":
        """What the counts say under a prior of some strength."""
        from ._forest_kernels import compare_pairs

        factors, log_weights = np.empty_like(self.pairs.cells), np.empty(self.pairs.n_pairs)
        compare_pairs(self.pairs.n_values, self.pairs.with_margins, strength, factors, log_weights)
        return Augmented(self, strength, factors, log_weights)

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON types."""
        return {
            "variables": packed(self.variables.astype(np.int32)),
            "value_counts": packed(np.hstack(self.value_counts)),
            "pair_counts": packed(self.pairs.cells),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any], views: Views, n_classes: int) -> "AugmentedCounts":
        """The counts that :meth:`to_json` wrote, checked."""
        variables = chosen_from_json(document["variables"], views)
        n_values = views.n_coarse[variables]
        n_cells = n_pair_cells(n_values, n_classes)
        if n_cells > MOST_CELLS:
            raise DataError(f"{n_cells:,} counts of pairs are more than the {MOST_CELLS:,} that a fit keeps")

        def restored(part: Any, n_rows: int, n_columns: int) -> FloatArray:
            counts = unpacked(part, (n_rows, n_columns), low=0.0, high=LARGEST_COUNT)
            return np.ascontiguousarray(counts, dtype=np.float64)

        values = restored(document["value_counts"], n_classes, int(n_values.sum()))
        cells = restored(document["pair_counts"], n_cells // n_classes, n_classes)
        by_variable = np.split(values, np.cumsum(n_values)[:-1], axis=1)
        return cls(variables, tuple(by_variable), PairCounts(n_values, cells))


class LeftOut(NamedTuple):
    """What one copy of each row adds to the rows without it, in its own class.

    Attributes
    ----------
    log_probs : array of shape (n_rows,)
        Log probability of a row like it where no variable depends on another.
    log_lost : array of shape (n_rows,)
        What the log evidence of naive Bayes loses with the copy: the same if the copy weighs 1.
    factors, lost : array of shape (n_rows, n_pairs)
        The same for pairs: the factors of a row like it, and what divides the Bayes factors.
    """

    log_probs: FloatArray
    log_lost: FloatArray
    factors: FloatArray
    lost: FloatArray


@dataclass(frozen=True, eq=False)
class Augmented:
    """What counts say under a prior of some strength.

    Attributes
    ----------
    counts : AugmentedCounts
        The counts.
    strength : float
        Pseudocounts of the whole table.
    factors : array of shape (n_cells, n_classes)
        The factor of each pair of values in each class, in the places of the counts; 1 without a value.
    log_weights : array of shape (n_pairs,)
        Log Bayes factor of the dependence of each pair of variables, in nats.
    """

    counts: AugmentedCounts
    strength: float
    factors: FloatArray
    log_weights: FloatArray

    @cached_property
    def log_evidence(self) -> float:
        """Log probability of all cells given the classes where no variable depends on another, in nats."""
        from scipy.special import gammaln

        total = 0.0
        for counts in self.counts.value_counts:
            of_class = self.strength / self.counts.n_classes
            of_value = of_class / counts.shape[1]
            total += float((gammaln(counts + of_value) - gammaln(of_value)).sum())
            total -= float((gammaln(counts.sum(axis=1) + of_class) - gammaln(of_class)).sum())
        return total

    @cached_property
    def log_values(self) -> tuple[FloatArray, ...]:
        """Log probability of each value of each variable in each class, and a row of zeros for no value."""
        tables = []
        for counts in self.counts.value_counts:
            of_class = self.strength / self.counts.n_classes
            probs = (counts + of_class / counts.shape[1]) / (counts.sum(axis=1, keepdims=True) + of_class)
            tables.append(np.vstack([np.log(probs.T), np.zeros(len(counts))]))
        return tuple(tables)

    def naive_log_probs(self, codes: IntArray) -> FloatArray:
        """Log probability of some rows in each class where no variable depends on another."""
        return summed_log_values(self.log_values, codes)

    def leave_out(self, codes: IntArray, labels: IntArray, removed: FloatArray) -> LeftOut:
        """What the rows, each without ``removed`` of its weight, say about a row like it in its class."""
        from ._forest_kernels import leave_out

        log_probs, log_lost = np.zeros(len(codes)), np.zeros(len(codes))
        for j, counts in enumerate(self.counts.value_counts):
            known = codes[:, j] >= 0
            own, less = labels[known], removed[known]
            of_class = self.strength / self.counts.n_classes
            with_value = np.maximum(counts[own, codes[known, j]] - less, 0.0) + of_class / counts.shape[1]
            in_class = np.maximum(counts.sum(axis=1)[own] - less, 0.0) + of_class
            log_probs[known] += np.log(with_value / in_class)
            log_lost[known] += _log_rising(with_value, less) - _log_rising(in_class, less)
        pairs = self.counts.pairs
        factors, lost = np.empty((2, len(codes), pairs.n_pairs))
        given = codes, labels, removed, pairs.n_values, pairs.with_margins, self.strength
        leave_out(*given, factors, lost)
        return LeftOut(log_probs, log_lost, factors, lost)


def _log_rising(starts: FloatArray, counts: FloatArray) -> FloatArray:
    """Log of the ratio of gamma functions at start + count and at start."""
    from scipy.special import gammaln

    return np.where(counts == 1.0, np.log(starts), gammaln(starts + counts) - gammaln(starts))


def summed_log_values(log_values: tuple[FloatArray, ...], codes: IntArray) -> FloatArray:
    """Sum over variables of the log probabilities of their values, shape (n_rows, n_classes)."""
    total = np.zeros((len(codes), log_values[0].shape[1]))
    for j, table in enumerate(log_values):
        total += table[codes[:, j]]  # -1 is the last row: a cell without a value adds nothing
    return total


def best_forests(log_weights: FloatArray, scale: float = 0.0) -> IntArray:
    """For each row of log weights of pairs, the forest with the largest sum of them.

    A forest names the parent of each variable; -1 where a variable has none. ``scale`` is the weight of the
    rows behind the log weights, if it is larger than they are: their rounding errors grow with it.
    """
    from . import _forest_kernels

    n_variables = (1 + isqrt(1 + 8 * log_weights.shape[1])) // 2
    parents = np.empty((len(log_weights), n_variables), dtype=np.int64)
    _forest_kernels.best_forests(log_weights, scale, parents)
    return parents


def edges_of(parents: IntArray) -> IntArray:
    """The pair that each variable and its parent make; -1 where a variable has none.

    Examples
    --------
    >>> edges_of(np.array([-1, 0, 3, 1]))
    array([-1,  0,  5,  4])
    """
    children = np.arange(parents.shape[-1])
    later, earlier = np.maximum(children, parents), np.minimum(children, parents)
    return np.where(parents >= 0, later * (later - 1) // 2 + earlier, -1)


def blocks(n_rows: int) -> Iterator[slice]:
    """Some rows at a time: arrays of rows and pairs stay small."""
    for start in range(0, n_rows, _ROWS_AT_ONCE):
        check_interrupted()
        yield slice(start, min(start + _ROWS_AT_ONCE, n_rows))


def chosen_from_json(document: Any, views: Views) -> IntArray:
    """Variables that take part, as a file names them, checked."""
    variables = unpacked(document, (None,), low=0, high=views.n_variables - 1).astype(np.int64)
    if not 1 <= len(variables) <= MOST_VARIABLES or (np.diff(variables) <= 0).any():
        raise DataError("the variables of an average over forests are not in the order of the schema")
    return variables


def chosen_codes(views: Views, variables: IntArray, coded: Coded) -> IntArray:
    """Coarse codes of some of the variables."""
    return _chosen_views(views, variables).coarse(coded)


def _chosen_views(views: Views, variables: IntArray) -> Views:
    return Views(views.schema, tuple(views.columns[j] for j in variables.tolist()))


def has_room(training: Training) -> bool:
    """Return whether all variables take part, so that none is chosen by what it says about the class."""
    sizes = training.views.n_coarse
    return len(sizes) <= MOST_VARIABLES and n_pair_cells(sizes, training.n_classes) <= MOST_CELLS


def _chosen(training: Training, ranking: IntArray | None) -> IntArray:
    """Variables that take part, in the order of the views: as many as there is room for."""
    sizes = training.views.n_coarse
    if has_room(training):
        return np.arange(len(sizes))
    chosen = (ranking_of(training) if ranking is None else ranking)[:MOST_VARIABLES]
    while n_pair_cells(sizes[np.sort(chosen)], training.n_classes) > MOST_CELLS:
        chosen = chosen[:-1]
    return np.sort(chosen)
