r"""Log ratios of single variables, the features that members build on.

The factor of variable i is :math:`r_i(v, c) = \log f(v \mid c) / g(v)`. Here :math:`f` averages over all
strengths of the prior and, for an ordered variable, over all partitions of its fine values into intervals
(:mod:`codelength.naive_bayes.partitions`), and :math:`g(v) = (n_v + 1/2) / (n + a/2)` is the smoothed share
of the value among all ``a`` fine values, over all classes. The factors of a training row are exact
leave-one-out: the average without one copy of the row, with :math:`g` unchanged.

Order of reading: :class:`VariableEvidence`, :func:`average_of` (one variable), :func:`distinct_cells`.
Members call :func:`factors_of` and :func:`ranking_of`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._threads import check_interrupted
from ..decisions import ranked
from ..naive_bayes.partitions import PartitionAverage
from ..typing import FloatArray, IntArray
from .content import canonical_order
from .member import normalised
from .training import Training, once

CATEGORICAL_STRENGTHS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, np.inf)
ORDERED_STRENGTHS = (2.0, 8.0, 32.0, 128.0)
"""Total pseudocounts of a variable; the average is over these."""

MAX_COPY_WEIGHTS = 64
"""Largest number of distinct weights of copies that are left out exactly. If there are more, each is rounded
to the nearest of as many quantiles."""


@dataclass(frozen=True, eq=False)
class VariableEvidence:
    """The factors of all variables that vary.

    Attributes
    ----------
    tables : tuple of arrays of shape (n_fine, n_classes)
        For each variable, the log ratio of each fine value for each class.
    left_out_tables : tuple of arrays of shape (n_cells, n_classes)
        For each variable, the log ratios without one copy of a row, for each combination of class, value
        and weight of a copy in the training rows.
    left_out_cells : array of int of shape (n_rows, n_variables)
        Row of these tables for each training row; -1 if it has no value.
    information : array of shape (n_variables,)
        Mean leave-one-out log score of the class given the variable, less that of the class prior, in nats;
        0 if the prior alone is better.
    """

    tables: tuple[FloatArray, ...]
    left_out_tables: tuple[FloatArray, ...]
    left_out_cells: IntArray
    information: FloatArray

    @classmethod
    def of(cls, training: Training) -> "VariableEvidence":
        """Compute the factors of training rows; :func:`factors_of` caches them."""
        tables, left_out_tables, information = [], [], []
        places = np.full((training.n_rows, training.views.n_variables), -1)
        for j, (average, cells, left_out, own) in enumerate(_left_out(training)):
            tables.append(average.log_ratios())
            left_out_tables.append(left_out)
            places[:, j] = cells.places
            information.append(own)
        return cls(tuple(tables), tuple(left_out_tables), places, np.array(information))

    def left_out(self, variables: IntArray | None = None, rows: IntArray | None = None) -> FloatArray:
        """Return leave-one-out log ratios of training rows, shape (n_rows, n_classes, n_variables).

        The result is large: call it for a part of the rows or of the variables at a time.

        Parameters
        ----------
        variables, rows : array of int, optional
            Variables and rows to return; by default all.
        """
        cells = self.left_out_cells if rows is None else self.left_out_cells[rows]
        chosen = range(len(self.tables)) if variables is None else variables.tolist()
        found = np.empty((len(cells), self.tables[0].shape[1], len(chosen)))
        for place, j in enumerate(chosen):
            found[:, :, place] = with_zeros(self.left_out_tables[j])[cells[:, j]]
        return found

    def left_out_of(self, variable: int) -> FloatArray:
        """Return leave-one-out log ratios of all training rows for one variable."""
        return with_zeros(self.left_out_tables[variable])[self.left_out_cells[:, variable]]


def average_of(counts: FloatArray, n_ordered: int, *, is_even: bool = False) -> PartitionAverage:
    """Return the average over strengths, and partitions of the first ``n_ordered`` values, of one variable.

    Parameters
    ----------
    counts : array of shape (n_classes, n_fine)
        Weight of each fine value in each class.
    n_ordered : int
        Number of ordered values, which are the first.
    is_even : bool
        Compare shares with even ones, instead of the smoothed shares of the values over all classes; a
        categorical variable without dependence on the class is then not part of the average.
    """
    totals = counts.sum(axis=0)
    base = (totals + 0.5) / (totals.sum() + 0.5 * len(totals))
    strengths = list(ORDERED_STRENGTHS if n_ordered else CATEGORICAL_STRENGTHS)
    if is_even:
        base = np.full(len(totals), 1.0 / len(totals))
        strengths = [strength for strength in strengths if strength < np.inf]
    return PartitionAverage.of(counts, base, n_ordered, strengths)


def information_of(training: Training) -> FloatArray:
    """Return :attr:`VariableEvidence.information` without computing the factors of new rows."""
    return np.array([own for *_, own in _left_out(training)])


@once
def factors_of(training: Training) -> VariableEvidence:
    """Return the factors of training rows, computed once for all members and threads."""
    return VariableEvidence.of(training)


def ranking_of(training: Training) -> IntArray:
    """Return the positions of all variables, the most informative first; ties are in canonical order."""
    return ranked_by(factors_of(training).information, canonical_order(training).variables)


def ranked_by(information: FloatArray, order: IntArray) -> IntArray:
    """Return the positions of all variables, the most informative first; ties are in the given order."""
    # Scale 1: information of a nat per row is large, and much smaller values are differences of rounded sums.
    return order[ranked(information[order], scale=1.0)]


class Cells(NamedTuple):
    """Distinct combinations of class, value and weight of a copy in one variable of the training rows.

    Attributes
    ----------
    labels, values : array of int of shape (n_cells,)
        Class and fine value.
    removed : array of shape (n_cells,)
        Weight of a copy.
    weights : array of shape (n_cells,)
        Weight of all rows of the cell.
    places : array of int of shape (n_rows,)
        The cell of each training row, -1 if it has no value.
    """

    labels: IntArray
    values: IntArray
    removed: FloatArray
    weights: FloatArray
    places: IntArray


def distinct_cells(training: Training) -> Iterator[Cells]:
    """Yield the cells of each variable; leave-one-out is computed once per cell instead of once per row."""
    # Few distinct weights keep the number of cells small if every row has a weight of its own.
    copy_weights, kinds = _few_weights(training.copy_weights)
    for fine in training.fine.T:
        check_interrupted()
        known = fine >= 0
        keys = np.stack([training.labels, fine, kinds])[:, known]
        places = np.full(training.n_rows, -1)
        (labels, values, of_copy), places[known] = _distinct(keys)
        weights = np.bincount(places[known], training.weights[known], len(labels))
        yield Cells(labels, values, copy_weights[of_copy], weights.astype(np.float64), places)


def _left_out(training: Training) -> Iterator[tuple[PartitionAverage, Cells, FloatArray, float]]:
    """Yield the average of each variable, its cells, their ratios without a copy, and its information."""
    for j, (counts, cells) in enumerate(zip(training.fine_counts, distinct_cells(training), strict=True)):
        average = average_of(counts, training.views.columns[j].n_intervals)
        left_out, _ = average.without(cells.values, cells.labels, cells.removed)
        scores = normalised(training.log_prior + left_out) - training.log_prior
        # Cells without a value do not count: the variable says nothing about their rows.
        gain = cells.weights @ scores[np.arange(len(left_out)), cells.labels]
        yield average, cells, left_out, max(0.0, float(gain / training.weights.sum()))


def _few_weights(weights: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return distinct weights and the place of each row among them; the nearest if there are too many."""
    distinct = np.unique(weights)
    if len(distinct) > MAX_COPY_WEIGHTS:
        quantiles = (np.arange(MAX_COPY_WEIGHTS) + 0.5) / MAX_COPY_WEIGHTS
        distinct = np.unique(np.quantile(weights, quantiles, method="lower"))
    # Borders halfway between neighbours assign each weight to the nearest one.
    between = (distinct[1:] + distinct[:-1]) / 2
    return distinct, np.searchsorted(between, weights)


def _distinct(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct columns of small integers, and the place of each column among them."""
    sizes = keys.max(axis=1, initial=0) + 1
    flat = np.ravel_multi_index(tuple(keys), tuple(sizes))
    # A table of flags instead of np.unique, because the numbers are small and rows are many: no sort.
    is_there = np.zeros(np.prod(sizes), dtype=np.bool_)
    is_there[flat] = True
    which = (np.cumsum(is_there) - 1)[flat]
    return np.stack(np.unravel_index(np.flatnonzero(is_there), tuple(sizes))), which


def with_zeros(table: FloatArray) -> FloatArray:
    """Return a table with a row of zeros at the end, which is looked up by code -1."""
    return np.vstack([table, np.zeros(table.shape[1])])
