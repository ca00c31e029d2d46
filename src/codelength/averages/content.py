"""Order and random samples of a table that depend only on its content.

Random members work through the table in this order. Their draws, and therefore their predictions, do not
depend on the order of rows and columns or on the names of values and classes.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..decisions import whole_part
from ..table.content import content_keys
from ..typing import FloatArray, IntArray
from .member import normalised
from .training import Training, once

_MAX_COPIES = 10**8
"""Largest number of copies to draw from; more than 10**9 exceed the range of the hypergeometric draw."""


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
def canonical_order(training: Training) -> Arrangement:
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
    """Return the training rows in a pseudo-random order that depends only on their content and on a name."""
    return training.generator(of).permutation(canonical_order(training).rows)


class Draw(NamedTuple):
    """Random sample of copies of training rows.

    Attributes
    ----------
    rows : array of int
        Rows with a drawn copy, in their order.
    weights, copies : array of shape (n_drawn,)
        Drawn weight of each of these rows, and the weight of one copy.
    """

    rows: IntArray
    weights: FloatArray
    copies: FloatArray

    def held_out(self, training: Training, left_out: FloatArray, new: FloatArray) -> FloatArray:
        """Return held-out log probabilities of all training rows; copies that were not drawn are held out.

        Given are log probabilities of the drawn rows without one copy of each, and those of all training rows
        as if they were new.
        """
        shares = np.zeros((training.n_rows, 1))
        shares[self.rows, 0] = np.minimum(self.weights / training.weights[self.rows], 1.0)
        probs = (1.0 - shares) * np.exp(new)
        probs[self.rows] += shares[self.rows] * np.exp(left_out)
        return normalised(np.log(probs))


def subsample(training: Training, of: str, most: int) -> Draw:
    """Draw at most ``most`` copies of training rows; return all rows if there are no more than that.

    The draw depends on the content of the rows and on the name of the member it is for, not on the order of
    rows or columns.
    """
    if training.n_rows <= most:
        return Draw(np.arange(training.n_rows), training.weights, training.copy_weights)
    # Scale the numbers of copies down if there are too many; every row keeps at least one.
    share = min(1.0, _MAX_COPIES / float(training.n_copies.sum()))
    n_copies = np.maximum(whole_part(training.n_copies.astype(np.float64) * share), 1.0).astype(np.int64)
    copies = training.weights / n_copies
    order = shuffled(training, of)
    n_drawn = np.empty_like(n_copies)
    draw = training.generator(of).multivariate_hypergeometric
    n_drawn[order] = draw(n_copies[order], most, method="marginals")
    rows = np.flatnonzero(n_drawn)
    return Draw(rows, (n_drawn * copies)[rows], copies[rows])
