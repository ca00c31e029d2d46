"""Order of rows, variables and values that depends only on the content of a coded table.

A search that works in this order, or gives ties to the first in it, has the same result for every order of
rows and columns and for all names of columns, values and classes.

Mixture classifiers are fitted to rows in this order, selection of variables takes ties by it, and averages
draw samples of rows by the same keys: a table that is sorted differently gives the same model.

Order of reading: :func:`content_order`, which orders a table; :func:`content_keys`, which refines the keys
behind the order; :func:`mixed`, the hash of a key. Depends on ``coded`` and ``schema``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..typing import CodeArray, FloatArray, IntArray
from .coded import Coded
from .schema import Schema

# Each round is a pass over all cells; three are enough for almost any table.
_ROUNDS = 3

Keys: TypeAlias = NDArray[np.uint64]
"""Whole numbers that are equal for equal content."""


@dataclass(frozen=True, eq=False, slots=True)
class ContentOrder:
    """Positions of the rows, the variables and the values of each variable, in the order of their content.

    Attributes
    ----------
    rows, variables : array of int
        Each lists all that there are.
    values : tuple of array of int
        Codes of each variable, in the order of the schema of the table.
    """

    rows: IntArray
    variables: IntArray
    values: tuple[IntArray, ...]

    def arranged(self, coded: Coded, variables: IntArray) -> Coded:
        """Return the table with some variables, in this order and without names; classes are dropped."""
        weights = None if coded.weights is None else coded.weights[self.rows]
        codes = _renamed(coded, variables, self.values)[self.rows]
        return Coded.of(Schema.from_sizes(coded.schema.n_values[variables].tolist()), codes, weights=weights)


def content_order(coded: Coded) -> ContentOrder:
    """Order a table by its content.

    Every row, variable, value and class has a key. Keys are refined in turn from those of what they occur
    with, as colours of vertices are when graphs are compared [1]_. What still has equal keys in the end is
    interchangeable in almost any table.

    References
    ----------
    .. [1] Weisfeiler and Leman (1968). The reduction of a graph to canonical form and the algebra which
       appears therein. Nauchno-Technicheskaya Informatsia 2(9), 12-16.

    Examples
    --------
    >>> first = Coded.of(Schema.from_sizes([2, 3]), [[0, 2], [1, 1], [1, 0], [0, 2]])
    >>> again = Coded.of(Schema.from_sizes([3, 2]), [[0, 1], [1, 0], [0, 1], [2, 0]])
    >>> for table in (first, again):
    ...     order = content_order(table)
    ...     print(order.arranged(table, order.variables).codes.tolist())
    [[1, 2], [1, 2], [0, 0], [0, 1]]
    [[1, 2], [1, 2], [0, 0], [0, 1]]
    """
    schema = coded.schema
    keys = content_keys(
        coded.codes,
        coded.class_codes,
        coded.row_weights,
        schema.n_values,
        [np.append(np.zeros(n, np.uint64), np.uint64(1)) for n in schema.n_values.tolist()],
        schema.n_classes,
    )
    # Stable sorts: the order of equal keys does not depend on the processor.
    variables = np.argsort(keys.variables, kind="stable")
    values = tuple(np.argsort(own[:-1], kind="stable") for own in keys.values)
    # Rows with equal keys differ in values with equal keys, which have an order.
    rows = np.lexsort((*_renamed(coded, variables, values).T[::-1], keys.rows))
    return ContentOrder(rows, variables, values)


class ContentKeys(NamedTuple):
    """Keys of the rows, the variables, the values of each variable, and the classes."""

    rows: Keys
    variables: Keys
    values: list[Keys]
    classes: Keys


def content_keys(
    codes: NDArray[Any],
    labels: NDArray[Any],
    weights: FloatArray,
    of_variables: NDArray[Any],
    of_values: Sequence[Keys],
    n_classes: int,
    numbers: Mapping[int, NDArray[Any]] | None = None,
) -> ContentKeys:
    """Return keys of the content of a table, each refined from the keys it occurs with.

    Parameters
    ----------
    codes : array of shape (n_rows, n_variables)
        Codes of the values, which index the keys of each variable.
    labels : array of shape (n_rows,)
        Codes of the classes.
    weights : array of shape (n_rows,)
        Weights of the rows.
    of_variables : array of shape (n_variables,)
        Whole numbers that differ between kinds of variables.
    of_values : sequence of arrays
        Whole numbers that differ between values of a variable if these have an order.
    n_classes : int
        Number of classes.
    numbers : mapping of int to array of shape (n_rows,), optional
        For some variables a finer whole number of each row.

    Returns
    -------
    ContentKeys
        Keys of rows, variables, values and classes.
    """
    # In single precision, because sums of weights may be rounded differently in another order.
    of_weights = mixed(weights.astype(np.float32).view(np.uint32).astype(np.uint64))
    variables, classes = mixed(of_variables.astype(np.uint64)), np.zeros(n_classes, dtype=np.uint64)
    rows, values = of_weights, list(of_values)
    for _ in range(_ROUNDS):
        rows = of_weights + classes[labels]
        for i, keys in enumerate(values):
            rows += mixed(keys + variables[i])[codes[:, i]]
        for i, column in (numbers or {}).items():
            rows += mixed(column.astype(np.uint64) + variables[i])
        # Sums are mixed before they are summed again; otherwise rows with the same total would be alike.
        rows = mixed(rows)
        for i, keys in enumerate(values):
            values[i] = mixed(keys + _summed(rows, codes[:, i], len(keys)))
        variables = mixed(variables + np.array([mixed(keys).sum() for keys in values], np.uint64))
        classes = mixed(classes + _summed(rows, labels, n_classes))
    return ContentKeys(rows, variables, values, classes)


def _renamed(coded: Coded, variables: IntArray, values: tuple[IntArray, ...]) -> CodeArray:
    """Return codes of some variables by the places of their values; the code for missing stays the last."""
    codes = np.empty((coded.n_rows, len(variables)), dtype=coded.codes.dtype, order="F")
    for place, i in enumerate(variables.tolist()):
        codes[:, place] = np.append(np.argsort(values[i]), len(values[i]))[coded.codes[:, i]]
    return codes


def mixed(keys: Keys) -> Keys:
    """Scatter 64-bit numbers as splitmix64 does, so that sums of different sets differ."""
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return keys ^ (keys >> np.uint64(31))


def _summed(keys: Keys, places: NDArray[Any], length: int) -> Keys:
    """Return sums of keys by place; they wrap around, so their order does not matter."""
    sums = np.zeros(length, dtype=np.uint64)
    # Not bincount, whose sums are floats and depend on the order of the rows.
    np.add.at(sums, places, keys)
    return sums
