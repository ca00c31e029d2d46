"""An order of rows, variables, values and classes that depends only on what is in the table.

Random members work through the table in this order. So their draws, and with them their predictions, are
the same however the table was ordered and whatever its values and classes are called.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..typing import IntArray
from .training import Training

_ROUNDS = 3

_Keys = NDArray[np.uint64]


@dataclass(frozen=True, eq=False, slots=True)
class Arrangement:
    """Places of the rows, the variables that vary, their fine values, and the classes.

    Attributes
    ----------
    rows, variables, classes : array of int
        Each lists all that there are, in the order to work in.
    values : tuple of array of int
        Fine codes of each variable in the order to work in; those of an ordered variable ascend.
    """

    rows: IntArray
    variables: IntArray
    values: tuple[IntArray, ...]
    classes: IntArray


def arrange(training: Training) -> Arrangement:
    """The order of a table by its content.

    Every row, variable, value and class has a key. Keys are refined in turn from those of what they occur
    with, as colours of vertices are when graphs are compared [1]_. What still has equal keys in the end is
    interchangeable in almost any table.

    References
    ----------
    .. [1] Weisfeiler and Leman (1968). The reduction of a graph to canonical form and the algebra which
       appears therein. Nauchno-Technicheskaya Informatsia 2(9), 12-16.
    """
    codes, labels = training.fine, training.labels
    ordered = training.views.n_intervals > 0
    # Rows whose numbers fall into the same fine interval are still told apart.
    numbers = {
        j: training.rows.codes[:, training.views.columns[j].position].astype(np.uint64)
        for j in np.flatnonzero(ordered).tolist()
    }
    # In single precision, because sums of weights may be rounded differently in another order.
    of_weights = _mixed(training.weights.astype(np.float32).view(np.uint32).astype(np.uint64))
    of_variables = _mixed((training.views.n_fine * 1_000 + training.views.n_intervals).astype(np.uint64))
    of_classes = np.zeros(training.n_classes, dtype=np.uint64)
    of_values = [
        np.where(np.arange(-1, n_fine) < n_ordered, np.arange(n_fine + 1), n_fine + 1).astype(np.uint64)
        for n_fine, n_ordered in zip(
            training.views.n_fine.tolist(), training.views.n_intervals.tolist(), strict=True
        )
    ]
    of_rows = of_weights
    for _ in range(_ROUNDS):
        of_rows = of_weights + of_classes[labels]
        for j, keys in enumerate(of_values):
            of_rows += _mixed(keys + of_variables[j])[codes[:, j] + 1]
        for j, column in numbers.items():
            of_rows += _mixed(column + of_variables[j])
        of_rows = _mixed(of_rows)
        for j, keys in enumerate(of_values):
            of_values[j] = _mixed(keys + _summed(of_rows, codes[:, j] + 1, len(keys)))
        of_variables = _mixed(of_variables + np.array([_mixed(keys).sum() for keys in of_values]))
        of_classes = _mixed(of_classes + _summed(of_rows, labels, training.n_classes))
    values = tuple(
        np.arange(len(keys) - 1) if ordered[j] else np.argsort(keys[1:], kind="stable")
        for j, keys in enumerate(of_values)
    )
    return Arrangement(
        np.argsort(of_rows, kind="stable"),
        np.argsort(of_variables, kind="stable"),
        values,
        np.argsort(of_classes, kind="stable"),
    )


def shuffled(training: Training, of: str) -> IntArray:
    """The training rows in an order that looks random, but depends only on what is in them.

    Parameters
    ----------
    training : Training
        The rows.
    of : str
        The member that asks: each has an order of its own.
    """
    return training.generator(of).permutation(arrange(training).rows)


def _summed(keys: _Keys, places: IntArray, length: int) -> _Keys:
    """Sums of keys by place; they wrap around, so their order does not matter."""
    sums = np.zeros(length, dtype=np.uint64)
    np.add.at(sums, places, keys)
    return sums


def _mixed(keys: _Keys) -> _Keys:
    """Bits well mixed, as the finaliser of splitmix64 does it."""
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return keys ^ (keys >> np.uint64(31))
