"""Greedy orderings of the rows for the prequential criterion, in both directions.

Best-first is Rissanen's proposal; the others are its counterparts in section 3 of Kontkanen, Myllymäki and
Tirri (2001). Each is found in O(n_rows^2 n_columns) operations on a few bytes: a placed row changes the
weights of its own group only. Of rows that tie, the one with the lowest number is placed first; ties are
decided on logs rounded to a common grid, so that rounding does not separate rows that tie by definition.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..decisions import TOLERANCE
from ..table.schema import smallest_code_type
from ..typing import IntArray
from .layout import SequenceLayout
from .sequence import SequentialModel

FAR = 300.0
"""Largest drift of the log weights of a pattern from 0 before their reference is renewed."""


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
    from ._greedy_field import Field, Search
    from ._greedy_kernels import greedy_order

    if not model.n_rows:
        return np.zeros(0, dtype=np.int64)
    layout, grid = _on_grid(model.layout)
    n_columns, drift = len(layout.n_values), _drift(layout)
    search = Search(
        less=int(backward),
        worst=worst,
        # Each entry of the two weights that are compared is off by at most half a step of the grid.
        coarse=2 * grid * (2 * n_columns + 1) + 2 * TOLERANCE,
        fine=TOLERANCE,
        stride=int(FAR / max(drift, 1.0)) if drift < FAR else 0,
        has_zeros=bool(np.isinf(layout.entries).any()),
    )
    has_gaps = np.isin(layout.first_cells[1:] - 1, layout.gaps)
    return np.asarray(greedy_order(layout, model.layout.entries, Field(*_field(layout)), has_gaps, search))


def _on_grid(layout: SequenceLayout) -> tuple[SequenceLayout, float]:
    """Round the entries to a grid on which sums are exact; return the layout and the step of the grid."""
    sizes = np.abs(np.where(np.isfinite(layout.entries), layout.entries, 0.0))
    of_cells, of_groups = np.split(sizes, layout.starts[-1, :1])
    most = 2 * len(layout.n_values) * of_cells.max(initial=0.0) + of_groups.max() + 1
    # The largest sum is below 2 ** 52 steps of the grid, so every sum of multiples of the step is a float64.
    grid = float(2.0 ** (np.ceil(np.log2(most)) - 52))
    return layout._replace(entries=np.rint(layout.entries / grid) * grid), grid


def _drift(layout: SequenceLayout) -> float:
    """Bound the change of the log weight of a group when one row is placed."""
    steps = np.abs(np.diff(layout.entries)) if np.isfinite(layout.entries).all() else np.array([np.inf])
    # Differences across the boundary of two lists are not steps of any count.
    is_inner = np.ones(len(steps), dtype=np.bool_)
    starts = np.unique(layout.starts)
    is_inner[starts[(starts > 0) & (starts <= len(steps))] - 1] = False
    of_groups = np.arange(len(steps)) >= layout.starts[-1].min()
    cells = steps[is_inner & ~of_groups].max(initial=0.0)
    return float(2 * len(layout.n_values) * cells + steps[is_inner & of_groups].max(initial=0.0))


def _field(layout: SequenceLayout) -> tuple[NDArray[Any], ...]:
    """Build the arrays of a :class:`Field`: distinct rows by label and class, their members, and scratch."""
    words = _words(layout)
    # The sort is stable, so the members of a pattern are in increasing order: ties go to the lowest number.
    members = np.lexsort(words[::-1])
    is_first = np.ones(len(members), dtype=np.bool_)
    is_first[1:] = np.any([np.diff(word[members]) for word in words], axis=0)
    firsts = np.flatnonzero(is_first)
    patterns, n_patterns = members[firsts], len(firsts)
    marks = np.zeros((5, n_patterns + 1), dtype=np.int64)
    marks[0, :-1], marks[1, :-1] = layout.labels[patterns], layout.class_codes[patterns]
    marks[2, :-1], marks[3, :-2], marks[3, n_patterns - 1] = firsts, firsts[1:], len(members)
    kind = smallest_code_type(int(layout.n_values.max(initial=1)))
    codes = np.ascontiguousarray(layout.codes[patterns].T, dtype=kind)
    weights = np.empty((2, layout.n_groups, n_patterns))
    sizes = np.array([n_patterns, 0, 0])
    return members, sizes, codes, marks, weights[0], weights[1], np.zeros((2, n_patterns))


def _words(layout: SequenceLayout) -> list[IntArray]:
    """Pack rows into a few whole numbers: label and class first, then as many columns as fit, and so on."""
    words, n_joint = [np.zeros(len(layout.rows), dtype=np.int64)], 1
    for column in (layout.labels, layout.class_codes, *layout.codes.T):
        size = int(column.max(initial=0)) + 1
        if n_joint * size > 1 << 62:
            words.append(np.zeros_like(words[0]))
            n_joint = 1
        words[-1] = words[-1] * size + column
        n_joint *= size
    return words
