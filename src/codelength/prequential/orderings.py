"""Greedy orderings of the rows for the prequential criterion, in both directions.

Best-first is Rissanen's proposal; the others are its counterparts in section 3 of Kontkanen, Myllymäki and
Tirri (2001). Each takes O(n_rows^2 n_columns) operations: a placed row changes the weights of its own group
only. Of rows that tie up to rounding, the one with the lowest number is placed first.
"""

from collections.abc import Callable

import numpy as np

from ..typing import IntArray
from .sequence import SequentialModel


def best_first(model: SequentialModel) -> IntArray:
    """Order rows so that the next row is always the one whose class is predicted best.

    Parameters
    ----------
    model : SequentialModel
        The model and its rows.

    Returns
    -------
    array of shape (n_rows,)
        The ordering, as row numbers.

    Examples
    --------
    >>> from codelength.prequential import naive_bayes_sequence
    >>> from codelength.table import Coded, Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [0], [0]], [0, 1, 0, 1])
    >>> best_first(naive_bayes_sequence(coded)).tolist()
    [0, 2, 1, 3]
    """
    return _greedy(model, backward=False, worst=False)


def worst_first(model: SequentialModel) -> IntArray:
    """Order rows so that the next row is always the one whose class is predicted worst.

    Parameters
    ----------
    model : SequentialModel
        The model and its rows.

    Returns
    -------
    array of shape (n_rows,)
        The ordering, as row numbers.
    """
    return _greedy(model, backward=False, worst=True)


def best_last(model: SequentialModel) -> IntArray:
    """Fill the ordering from the last position, each with the row predicted best from the others left.

    Parameters
    ----------
    model : SequentialModel
        The model and its rows.

    Returns
    -------
    array of shape (n_rows,)
        The ordering, as row numbers.
    """
    return _greedy(model, backward=True, worst=False)


def worst_last(model: SequentialModel) -> IntArray:
    """Fill the ordering from the last position, each with the row predicted worst from the others left.

    Parameters
    ----------
    model : SequentialModel
        The model and its rows.

    Returns
    -------
    array of shape (n_rows,)
        The ordering, as row numbers.
    """
    return _greedy(model, backward=True, worst=True)


ORDERINGS: dict[str, Callable[[SequentialModel], IntArray]] = {
    "best_first": best_first,
    "worst_last": worst_last,
    "best_last": best_last,
    "worst_first": worst_first,
}
"""The greedy orderings by name."""


def _greedy(model: SequentialModel, *, backward: bool, worst: bool) -> IntArray:
    from ._greedy_kernels import Patterns, place_rows

    layout, order, n_placed = model.layout, np.empty(model.n_rows, dtype=np.int64), 0
    # Distinct rows are sorted by label and class, and the members of each by number: ties go to the lowest.
    distinct, which, n_members = np.unique(layout.rows, axis=0, return_inverse=True, return_counts=True)
    members, ends = np.argsort(which.reshape(-1), kind="stable"), np.cumsum(n_members)
    nexts, is_left = ends - n_members, np.ones(len(ends), dtype=np.bool_)
    has_gaps = np.isin(layout.first_cells[1:] - 1, layout.gaps)
    while n_placed < model.n_rows:
        # Patterns that are used up slow down every step; they are dropped as soon as they are half of all.
        distinct, nexts, ends = distinct[is_left], nexts[is_left], ends[is_left]
        is_new = np.any(distinct[1:, :2] != distinct[:-1, :2], axis=1)
        blocks = np.concatenate(([0], np.flatnonzero(is_new) + 1, [len(distinct)]))
        patterns = Patterns(
            np.ascontiguousarray(distinct.T), blocks, members, nexts, ends, np.zeros(len(ends))
        )
        n_placed = place_rows(layout, has_gaps, patterns, order, n_placed, int(backward), worst)
        is_left = nexts < ends
    return order[::-1].copy() if backward else order
