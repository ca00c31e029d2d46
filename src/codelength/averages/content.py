"""An order of rows, variables, values and classes that depends only on what is in the table.

Random members work through the table in this order. So their draws, and with them their predictions, are
the same however the table was ordered and whatever its values and classes are called.
"""

from dataclasses import dataclass

import numpy as np

from ..table.content import content_keys
from ..typing import IntArray
from .once import once
from .training import Training


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


@once
def arrange(training: Training) -> Arrangement:
    """The order of a table by its content.

    By the keys of :func:`codelength.table.content.content_keys`. What still has equal keys in the end is
    interchangeable in almost any table.
    """
    views = training.views
    ordered = views.n_intervals > 0
    keys = content_keys(
        training.fine + 1,
        training.labels,
        training.weights,
        views.n_fine * 1_000 + views.n_intervals,
        [
            np.where(np.arange(-1, n_fine) < n_ordered, np.arange(n_fine + 1), n_fine + 1).astype(np.uint64)
            for n_fine, n_ordered in zip(views.n_fine.tolist(), views.n_intervals.tolist(), strict=True)
        ],
        training.n_classes,
        # Rows whose numbers fall into the same fine interval are still told apart.
        {j: training.rows.codes[:, views.columns[j].position] for j in np.flatnonzero(ordered).tolist()},
    )
    values = tuple(
        np.arange(len(own) - 1) if ordered[j] else np.argsort(own[1:], kind="stable")
        for j, own in enumerate(keys.values)
    )
    return Arrangement(
        np.argsort(keys.rows, kind="stable"),
        np.argsort(keys.variables, kind="stable"),
        values,
        np.argsort(keys.classes, kind="stable"),
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
