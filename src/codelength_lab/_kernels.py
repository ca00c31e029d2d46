"""Learning curves, one row at a time. Arrays in, arrays out, nothing checked."""

from typing import NamedTuple

import numpy as np
from numba import njit

from codelength.naive_bayes._kernels import normalise_rows
from codelength.typing import BoolArray, FloatArray, IntArray


class CurveLayout(NamedTuple):
    """Entries of log tables before the first row; every row moves some of them on by one.

    Attributes
    ----------
    first_cells : array of shape (n_variables + 1,)
        Where the cells of each variable begin; the last of them stands for missing.
    entries : array
        ``g(n + offset)`` for n = 0, 1, ..., one list after the other.
    class_places : array of shape (n_classes,)
        Where the list of each class begins.
    value_places : array of shape (n_classes, n_cells)
        Where the list of each value begins.
    total_places : array of shape (n_classes, n_variables)
        Where the list of the total of each variable begins.
    alike : array of shape (n_classes, n_variables)
        Where all values are alike until one is seen: nothing is added, and the rule normalises.
    """

    first_cells: IntArray
    entries: FloatArray
    class_places: IntArray
    value_places: IntArray
    total_places: IntArray
    alike: BoolArray


@njit(cache=True, nogil=True)
def learning_curve(
    train_cells: IntArray,
    train_classes: IntArray,
    test_cells: IntArray,
    test_classes: IntArray,
    layout: CurveLayout,
    power: float,
    cap: float,
) -> FloatArray:
    """Scores on all test rows after each training row, shape (n_train, 4).

    The columns are the share of hits, the mean log score, the rows given probability zero, and the rows
    whose prediction is undefined. A new row changes the tables of its own class only, so only one
    weight of each test row is added up again.
    """
    first_cells, entries = layout.first_cells, layout.entries
    class_places, value_places = layout.class_places.copy(), layout.value_places.copy()
    total_places, alike = layout.total_places.copy(), layout.alike.copy()
    # The cell for missing keeps the entry 0.
    table = np.zeros(value_places.shape)
    weights = np.empty((len(test_cells), len(class_places)))
    for k in range(len(class_places)):
        _fill(table[k], value_places[k], total_places[k], alike[k], first_cells, entries)
        _weigh(weights, k, entries[class_places[k]], table[k], test_cells)
    scores = np.empty((len(train_cells), 4))
    log_probs = np.empty_like(weights)
    undefined = np.empty(len(test_cells), dtype=np.bool_)
    for n in range(len(train_cells)):
        k = train_classes[n]
        class_places[k] += 1
        for i in range(len(first_cells) - 1):
            cell = train_cells[n, i]
            if cell < first_cells[i + 1] - 1:
                value_places[k, cell] += 1
                total_places[k, i] += 1
                alike[k, i] = False
        _fill(table[k], value_places[k], total_places[k], alike[k], first_cells, entries)
        _weigh(weights, k, entries[class_places[k]], table[k], test_cells)
        log_probs[:] = weights
        if power != 1:
            log_probs *= power
        undefined[:] = False
        normalise_rows(log_probs, undefined)
        _judge(log_probs, undefined, test_classes, cap, scores[n])
    return scores


@njit(cache=True, nogil=True)
def _fill(
    table: FloatArray,
    value_places: IntArray,
    total_places: IntArray,
    alike: BoolArray,
    first_cells: IntArray,
    entries: FloatArray,
) -> None:
    """Log table of one class."""
    for i in range(len(first_cells) - 1):
        of_total = entries[total_places[i]]
        for cell in range(first_cells[i], first_cells[i + 1] - 1):
            table[cell] = (0.0 if alike[i] else entries[value_places[cell]]) - of_total


@njit(cache=True, nogil=True)
def _weigh(weights: FloatArray, k: int, base: float, table: FloatArray, cells: IntArray) -> None:
    for t in range(len(cells)):
        total = base
        for i in range(cells.shape[1]):
            total += table[cells[t, i]]
        weights[t, k] = total


@njit(cache=True, nogil=True)
def _judge(
    log_probs: FloatArray, undefined: BoolArray, classes: IntArray, cap: float, scores: FloatArray
) -> None:
    n_rows, n_classes = log_probs.shape
    hits, total, n_zero, n_undefined = 0.0, 0.0, 0, 0
    for t in range(n_rows):
        of_class = log_probs[t, classes[t]]
        if of_class == -np.inf:
            n_zero += 1
        total += max(of_class, -cap)
        if undefined[t]:
            # Worth the share of a guess, as in the score of a whole table.
            n_undefined += 1
            hits += 1 / n_classes
        elif log_probs[t].argmax() == classes[t]:
            hits += 1
    scores[0], scores[1], scores[2], scores[3] = hits / n_rows, total / n_rows, n_zero, n_undefined
