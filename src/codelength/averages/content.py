"""An order of rows, variables, values and classes that depends only on the content of the table.

Random members work through the table in this order. Their draws, and therefore their predictions, do not
depend on the order of rows and columns or on the names of values and classes.
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
        All rows, variables and classes, in the order to work in.
    values : tuple of array of int
        Fine codes of each variable in the order to work in; those of an ordered variable ascend.
    """

    rows: IntArray
    variables: IntArray
    values: tuple[IntArray, ...]
    classes: IntArray


@once
def arrange(training: Training) -> Arrangement:
    """Return the order of a table by its content.

    Sort keys are those of :func:`codelength.table.content.content_keys`. Rows, variables, values or classes
    with equal keys are interchangeable in almost any table.
    """
    views = training.views
    ordered = views.n_intervals > 0
    keys = content_keys(
        training.fine + 1,
        training.labels,
        training.weights,
        # The number of ordered values is at most the number of values, so the sum is unique for the pair.
        views.n_fine * 1_000 + views.n_intervals,
        [
            np.where(np.arange(-1, n_fine) < n_ordered, np.arange(n_fine + 1), n_fine + 1).astype(np.uint64)
            for n_fine, n_ordered in zip(views.n_fine.tolist(), views.n_intervals.tolist(), strict=True)
        ],
        training.n_classes,
        # Original codes distinguish rows whose numbers are in the same fine interval.
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
    """Return the training rows in a pseudo-random order that depends only on their content.

    Parameters
    ----------
    training : Training
        Training rows.
    of : str
        Name of the member that needs the order; every member has an order of its own.
    """
    return training.generator(of).permutation(arrange(training).rows)
