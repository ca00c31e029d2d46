"""Kernels of learning curves, one row at a time: arrays in, arrays out, without checks."""

from typing import NamedTuple

import numpy as np
from numba import njit

from codelength.naive_bayes._kernels import normalise_rows
from codelength.typing import BoolArray, FloatArray, IntArray


class CurveLayout(NamedTuple):
    """Positions in a list of logarithms, before the first row; every row advances some of them by one.

    Log tables of a rule are sums of functions of counts, g(n + offset). Their values for n = 0, 1, ... are
    tabulated once, so that a new row only increments positions and no logarithm is computed in the loop.

    Attributes
    ----------
    first_cells : array of shape (n_variables + 1,)
        First cell of each variable; its last cell stands for missing.
    entries : array
        ``g(n + offset)`` for n = 0, 1, ..., one list after the other.
    class_places : array of shape (n_classes,)
        Start of the list of each class.
    value_places : array of shape (n_classes, n_cells)
        Start of the list of each value.
    total_places : array of shape (n_classes, n_variables)
        Start of the list of the total of each variable.
    alike : array of shape (n_classes, n_variables)
        True as long as no value was seen and nothing is added to the counts: all values are equally probable,
        and the rule normalises.
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
    """Return the scores on all test rows after each training row.

    Parameters
    ----------
    train_cells, test_cells : array of shape (n_rows, n_variables)
        Cells of the rows; those for missing are the last of their variable.
    train_classes, test_classes : array of shape (n_rows,)
        Class codes.
    layout : CurveLayout
        Logarithms of the rule.
    power : float
        Power to which the weights of the classes are raised.
    cap : float
        Largest cost of a row, in nats.

    Returns
    -------
    array of shape (n_train, 4)
        Share of hits, mean log score, rows with probability zero, and rows whose prediction is undefined.
    """
    first_cells, entries = layout.first_cells, layout.entries
    class_places, value_places = layout.class_places.copy(), layout.value_places.copy()
    total_places, alike = layout.total_places.copy(), layout.alike.copy()
    # The cell for missing keeps the entry 0: a missing value contributes nothing to the sum.
    table = np.zeros(value_places.shape)
    # Log weights of all classes for all test rows, kept from one training row to the next.
    weights = np.empty((len(test_cells), len(class_places)))
    for k in range(len(class_places)):
        _fill(table[k], value_places[k], total_places[k], alike[k], first_cells, entries)
        _weigh(weights, k, entries[class_places[k]], table[k], test_cells)
    scores = np.empty((len(train_cells), 4))
    log_probs = np.empty_like(weights)
    undefined = np.empty(len(test_cells), dtype=np.bool_)
    for n in range(len(train_cells)):
        # A new row changes the tables of its own class only, so that one column of the weights is computed
        # again, and the cost of the sums does not grow with the number of classes.
        k = train_classes[n]
        class_places[k] += 1
        for i in range(len(first_cells) - 1):
            cell = train_cells[n, i]
            # A missing cell adds nothing, neither to its value nor to the total of its variable.
            if cell < first_cells[i + 1] - 1:
                value_places[k, cell] += 1
                total_places[k, i] += 1
                alike[k, i] = False
        _fill(table[k], value_places[k], total_places[k], alike[k], first_cells, entries)
        _weigh(weights, k, entries[class_places[k]], table[k], test_cells)
        # A copy, because normalising happens in place and the weights are needed for the next row.
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
    """Fill the log table of one class from the current positions."""
    for i in range(len(first_cells) - 1):
        # Subtracted once per cell here instead of once per test row below.
        of_total = entries[total_places[i]]
        for cell in range(first_cells[i], first_cells[i + 1] - 1):
            table[cell] = (0.0 if alike[i] else entries[value_places[cell]]) - of_total


@njit(cache=True, nogil=True)
def _weigh(weights: FloatArray, k: int, base: float, table: FloatArray, cells: IntArray) -> None:
    """Add up the log weight of one class for all test rows."""
    for t in range(len(cells)):
        total = base
        for i in range(cells.shape[1]):
            total += table[cells[t, i]]
        weights[t, k] = total


@njit(cache=True, nogil=True)
def _judge(
    log_probs: FloatArray, undefined: BoolArray, classes: IntArray, cap: float, scores: FloatArray
) -> None:
    """Score normalised predictions; one row of the curve."""
    n_rows, n_classes = log_probs.shape
    hits, total, n_zero, n_undefined = 0.0, 0.0, 0, 0
    for t in range(n_rows):
        of_class = log_probs[t, classes[t]]
        if of_class == -np.inf:
            n_zero += 1
        total += max(of_class, -cap)
        if undefined[t]:
            # An undefined prediction counts as a uniform guess, as in the score of a whole table.
            n_undefined += 1
            hits += 1 / n_classes
        elif log_probs[t].argmax() == classes[t]:
            hits += 1
    scores[0], scores[1], scores[2], scores[3] = hits / n_rows, total / n_rows, n_zero, n_undefined
