"""Counts of pairs of coarse values, for members that are made from forests.

At most 40 variables take part, those with the most information about the class.
"""

from dataclasses import replace

import numpy as np

from ...counts.pairs import count_pairs, n_pair_cells
from ...errors import DataError
from ...networks.forest import ForestCounts
from ...table import Coded
from ...typing import IntArray
from ..factors import ranking_of
from ..training import Training
from ..views import Views

STRENGTHS = (2.0, 8.0, 32.0, 128.0)
"""Pseudocounts of a whole table."""

MAX_VARIABLES = 40
"""Largest number of variables; the time of a prediction grows with its cube."""

MAX_CELLS = 1 << 22
"""Largest number of counts of pairs: 34 MB, and as much again for each strength."""

_ROWS_PER_COUNT = 1 << 17


def counts_of(training: Training, ranking: IntArray | None = None) -> ForestCounts:
    """Count all training rows, in all variables or in those with the most information about the class.

    Parameters
    ----------
    training : Training
        Rows of the table.
    ranking : array of int, optional
        All variables, the most informative first; by default, the ranking in these rows.
    """
    variables = _chosen(training, ranking)
    seen = replace(training, views=_chosen_views(training.views, variables))
    coded, n_values = seen.coded, seen.views.n_coarse
    pairs = None
    # In blocks, because coarse codes of all rows at once take 8 bytes per cell.
    for start in range(0, coded.n_rows, _ROWS_PER_COUNT):
        part = coded.take(np.arange(start, min(start + _ROWS_PER_COUNT, coded.n_rows)))
        codes = seen.views.coarse(part)
        labels = np.asarray(part.class_codes, dtype=np.int64)
        counts = count_pairs(codes, labels, n_values, training.n_classes, part.weights)
        pairs = counts if pairs is None else pairs.merge(counts)
    assert pairs is not None
    return ForestCounts(variables, training.class_counts, tuple(seen.coarse_counts), pairs.cells)


def check_chosen(counts: ForestCounts, views: Views) -> None:
    """Raise DataError if counts from a file are not those of some of the variables of views."""
    chosen = counts.variables
    is_known = 1 <= len(chosen) <= MAX_VARIABLES and chosen[-1] < views.n_variables
    if not is_known or counts.cells.size > MAX_CELLS or (counts.n_values != views.n_coarse[chosen]).any():
        raise DataError("the counts of a forest do not fit the variables of its table")


def chosen_codes(views: Views, variables: IntArray, coded: Coded) -> IntArray:
    """Return coarse codes of some of the variables."""
    return _chosen_views(views, variables).coarse(coded)


def _chosen_views(views: Views, variables: IntArray) -> Views:
    """Return the views of some of the variables."""
    return Views(views.schema, tuple(views.columns[j] for j in variables.tolist()))


def has_room(training: Training) -> bool:
    """Return True if all variables take part, so that none is selected by its information about the class."""
    sizes = training.views.n_coarse
    return len(sizes) <= MAX_VARIABLES and n_pair_cells(sizes, training.n_classes) <= MAX_CELLS


def _chosen(training: Training, ranking: IntArray | None) -> IntArray:
    """Return the variables that take part, in the order of the views: as many as there is room for."""
    sizes = training.views.n_coarse
    if has_room(training):
        return np.arange(len(sizes))
    chosen = (ranking_of(training) if ranking is None else ranking)[:MAX_VARIABLES]
    # Drop the least informative variables until the tables of pairs fit in memory.
    while n_pair_cells(sizes[np.sort(chosen)], training.n_classes) > MAX_CELLS:
        chosen = chosen[:-1]
    return np.sort(chosen)
