"""Orderings of the rows for the prequential criterion: greedy ones, in both directions.

Best-first is Rissanen's proposal; the others are its counterparts in section 3 of Kontkanen, Myllymäki and
Tirri (2001). Each is found in O(n_rows^2 n_columns) operations on a few bytes: a placed row changes the
weights of its own group only. Rows that tie go by their number, the lowest first; ties are decided on logs
rounded to a common grid, so that rows which tie by definition are not told apart by rounding.
"""

import numpy as np

from ...table.schema import smallest_code_type
from ...typing import CodeArray, IntArray
from .model import SequentialModel
from .tables import SequenceTables


def best_first(model: SequentialModel) -> IntArray:
    """The ordering whose next row is always the one whose class is predicted best.

    Examples
    --------
    >>> from codelength.scores.prequential import naive_bayes_sequence
    >>> from codelength.table import Schema, encode
    >>> schema = Schema.from_sizes([2], n_classes=2)
    >>> coded = encode(schema, np.array([[0], [1], [0], [0]]), [0, 1, 0, 1])
    >>> best_first(naive_bayes_sequence(schema, coded)).tolist()
    [0, 2, 1, 3]
    """
    return _greedy(model, backward=False, worst=False)


def worst_first(model: SequentialModel) -> IntArray:
    """The ordering whose next row is always the one whose class is predicted worst."""
    return _greedy(model, backward=False, worst=True)


def best_last(model: SequentialModel) -> IntArray:
    """The ordering filled from the last place: by the row predicted best from the others left."""
    return _greedy(model, backward=True, worst=False)


def worst_last(model: SequentialModel) -> IntArray:
    """The ordering filled from the last place: by the row predicted worst from the others left."""
    return _greedy(model, backward=True, worst=True)


def _greedy(model: SequentialModel, *, backward: bool, worst: bool) -> IntArray:
    from ._greedy_kernels import Patterns, greedy_order

    if not model.n_rows:
        return np.zeros(0, dtype=np.int64)
    tables, grid = _on_grid(model.tables)
    # Each of the entries of the two weights compared is off by half a step of the grid at most.
    tolerance = 2 * grid * (2 * tables.cells.shape[1] + 1) + 1e-14
    patterns = Patterns(*_patterns(model.tables))
    return np.asarray(greedy_order(tables, patterns, backward, worst, tolerance))


def _on_grid(tables: SequenceTables) -> tuple[SequenceTables, float]:
    """The tables with entries rounded to a grid on which sums are exact, and the step of the grid."""
    finite = tables.entries[np.isfinite(tables.entries)]
    base = tables.base[np.isfinite(tables.base)]
    most = 2 * np.abs(finite).max(initial=1.0) * (tables.cells.shape[1] + 1) + np.abs(base).max(initial=1.0)
    grid = float(2.0 ** (np.ceil(np.log2(2 * most)) - 52))
    rounded = tables._replace(
        entries=np.rint(tables.entries / grid) * grid, base=np.rint(tables.base / grid) * grid
    )
    return rounded, grid


def _patterns(tables: SequenceTables) -> tuple[CodeArray, IntArray, IntArray, IntArray, IntArray]:
    """Distinct rows by label and class, and which rows they stand for."""
    words = _words(tables)
    members = np.lexsort(words[::-1])
    is_first = np.ones(len(members), dtype=np.bool_)
    is_first[1:] = np.any([np.diff(word[members]) for word in words], axis=0)
    bounds = np.append(np.flatnonzero(is_first), len(members))
    firsts = members[bounds[:-1]]
    codes = (tables.cells[firsts] - tables.first_cells[:-1]).T
    kind = smallest_code_type(int(tables.n_values.max(initial=1)))
    rows = np.ascontiguousarray(codes, dtype=kind)
    return rows, tables.labels[firsts], tables.classes[firsts], members, bounds


def _words(tables: SequenceTables) -> list[IntArray]:
    """Rows as a few whole numbers: label and class first, then as many columns as fit, and so on."""
    columns = [tables.labels, tables.classes, *(tables.cells - tables.first_cells[:-1]).T]
    words, n_joint = [np.zeros(len(tables.labels), dtype=np.int64)], 1
    for column in columns:
        size = int(column.max(initial=0)) + 1
        if n_joint * size > 1 << 62:
            words.append(np.zeros_like(words[0]))
            n_joint = 1
        words[-1] = words[-1] * size + column
        n_joint *= size
    return words
