"""Some of many training rows, for members whose time grows faster than the number of rows."""

from typing import NamedTuple

import numpy as np

from ..decisions import whole_part
from ..typing import FloatArray, IntArray
from .content import shuffled
from .member import normalised
from .training import Training

_MOST_COPIES = 10**8
"""Copies that can be told apart when some are drawn."""


class Draw(NamedTuple):
    """Copies of training rows that were drawn at random.

    Attributes
    ----------
    rows : array of int
        The rows that were drawn, in their order.
    weights, copies : array of shape (n_drawn,)
        The weight that was drawn of each of them, and that of one copy.
    """

    rows: IntArray
    weights: FloatArray
    copies: FloatArray

    def held_out(self, training: Training, left_out: FloatArray, new: FloatArray) -> FloatArray:
        """Held-out log probabilities of all training rows.

        Copies that were not drawn are held out as they are.

        Parameters
        ----------
        training : Training
            What was drawn from.
        left_out : array of shape (n_drawn, n_classes)
            Log probabilities for the drawn rows without one copy of each.
        new : array of shape (n_rows, n_classes)
            Log probabilities for all training rows as if they were new.
        """
        shares = np.zeros((training.n_rows, 1))
        shares[self.rows, 0] = np.minimum(self.weights / training.weights[self.rows], 1.0)
        probs = (1.0 - shares) * np.exp(new)
        probs[self.rows] += shares[self.rows] * np.exp(left_out)
        return normalised(np.log(probs))


def drawn(training: Training, of: str, most: int) -> Draw:
    """At most so many copies of training rows: all rows where there are no more of them.

    What is drawn depends on what is in the rows, not on their order or that of the columns.

    Parameters
    ----------
    training : Training
        The rows.
    of : str
        The member that asks: each has a draw of its own.
    most : int
        How many copies to draw, where there are more rows.
    """
    if training.n_rows <= most:
        return Draw(np.arange(training.n_rows), training.weights, training.copy_weights)
    share = min(1.0, _MOST_COPIES / float(training.n_copies.sum()))
    n_copies = np.maximum(whole_part(training.n_copies.astype(np.float64) * share), 1.0).astype(np.int64)
    copies = training.weights / n_copies
    order = shuffled(training, of)
    n_drawn = np.empty_like(n_copies)
    draw = training.generator(of).multivariate_hypergeometric
    n_drawn[order] = draw(n_copies[order], most, method="marginals")
    rows = np.flatnonzero(n_drawn)
    return Draw(rows, (n_drawn * copies)[rows], copies[rows])
