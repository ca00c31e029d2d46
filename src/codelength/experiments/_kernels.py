"""Learning curves, one row at a time. Arrays in, arrays out, nothing checked."""

import math

import numpy as np
from numba import njit

from ..rules._kernels import normalise_rows
from ..typing import BoolArray, FloatArray, IntArray


@njit(cache=True, nogil=True)
def learning_curve(
    train_cells: IntArray,
    train_classes: IntArray,
    test_cells: IntArray,
    test_classes: IntArray,
    offsets: IntArray,
    class_offsets: FloatArray,
    value_offsets: FloatArray,
    is_complexity: bool,
    power: float,
    floor: float,
) -> FloatArray:
    """Scores on all test rows after each training row, shape (n_train, 4).

    The columns are the share of hits, the mean log score, the rows given probability zero, and the rows
    whose prediction is undefined. A new row changes the tables of its own class only, so only one
    weight of each test row is added up again.
    """
    class_counts, value_counts = class_offsets.copy(), value_offsets.copy()
    logs, totals = _start(value_counts, offsets, is_complexity)
    table = np.zeros(value_offsets.shape)
    weights = np.empty((len(test_cells), len(class_counts)))
    for k in range(len(class_counts)):
        _fill(table[k], logs[k], totals[k], offsets, is_complexity)
        _weigh(weights, k, _growth(class_counts[k], is_complexity), table[k], test_cells)
    scores = np.empty((len(train_cells), 4))
    log_probs = np.empty_like(weights)
    undefined = np.empty(len(test_cells), dtype=np.bool_)
    for n in range(len(train_cells)):
        k = train_classes[n]
        class_counts[k] += 1
        for i in range(len(offsets) - 1):
            cell = train_cells[n, i]
            if cell < offsets[i + 1] - 1:
                value_counts[k, cell] += 1
                totals[k, i] += 1
                logs[k, cell] = _growth(value_counts[k, cell], is_complexity)
        _fill(table[k], logs[k], totals[k], offsets, is_complexity)
        _weigh(weights, k, _growth(class_counts[k], is_complexity), table[k], test_cells)
        log_probs[:] = weights
        if power != 1:
            log_probs *= power
        undefined[:] = False
        normalise_rows(log_probs, undefined)
        _judge(log_probs, undefined, test_classes, floor, scores[n])
    return scores


@njit(cache=True, nogil=True)
def _growth(number: float, is_complexity: bool) -> float:
    if is_complexity:
        return math.log1p(number) + number * math.log1p(1 / number) if number > 0 else 0.0
    return math.log(number) if number > 0 else -np.inf


@njit(cache=True, nogil=True)
def _start(value_counts: FloatArray, offsets: IntArray, is_complexity: bool) -> tuple[FloatArray, FloatArray]:
    logs = np.zeros(value_counts.shape)
    totals = np.zeros((len(value_counts), len(offsets) - 1))
    for k in range(len(value_counts)):
        for i in range(len(offsets) - 1):
            for cell in range(offsets[i], offsets[i + 1] - 1):
                totals[k, i] += value_counts[k, cell]
                logs[k, cell] = _growth(value_counts[k, cell], is_complexity)
    return logs, totals


@njit(cache=True, nogil=True)
def _fill(
    table: FloatArray, logs: FloatArray, totals: FloatArray, offsets: IntArray, is_complexity: bool
) -> None:
    """Log table of one class; the spare cell of each variable stays at 0."""
    for i in range(len(offsets) - 1):
        first, spare = offsets[i], offsets[i + 1] - 1
        if totals[i] > 0 or is_complexity:
            log_total = _growth(totals[i], is_complexity)
            for cell in range(first, spare):
                table[cell] = logs[cell] - log_total
        else:
            # No cell seen and no pseudocounts (MAP only): all values are alike.
            for cell in range(first, spare):
                table[cell] = -math.log(spare - first)


@njit(cache=True, nogil=True)
def _weigh(weights: FloatArray, k: int, base: float, table: FloatArray, cells: IntArray) -> None:
    for t in range(len(cells)):
        total = base
        for i in range(cells.shape[1]):
            total += table[cells[t, i]]
        weights[t, k] = total


@njit(cache=True, nogil=True)
def _judge(
    log_probs: FloatArray, undefined: BoolArray, classes: IntArray, floor: float, scores: FloatArray
) -> None:
    n_rows, n_classes = log_probs.shape
    hits, total, n_zero, n_undefined = 0.0, 0.0, 0, 0
    for t in range(n_rows):
        of_class = log_probs[t, classes[t]]
        if of_class == -np.inf:
            n_zero += 1
        total += max(of_class, -floor)
        if undefined[t]:
            # Worth the share of a guess, as in the score of a whole table.
            n_undefined += 1
            hits += 1 / n_classes
        elif log_probs[t].argmax() == classes[t]:
            hits += 1
    scores[0], scores[1], scores[2], scores[3] = hits / n_rows, total / n_rows, n_zero, n_undefined
