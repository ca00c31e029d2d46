"""Random samples of training rows, for members whose time grows faster than the number of rows."""

from typing import NamedTuple

import numpy as np

from ..decisions import whole_part
from ..typing import FloatArray, IntArray
from .content import shuffled
from .member import normalised
from .training import Training

_MAX_COPIES = 10**8
"""Largest number of copies to draw from; more than 10**9 exceed the range of the hypergeometric draw."""


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
        """Return held-out log probabilities of all training rows.

        Copies that were not drawn are held out anyway.

        Parameters
        ----------
        training : Training
            Training rows that the sample was drawn from.
        left_out : array of shape (n_drawn, n_classes)
            Log probabilities of the drawn rows without one copy of each.
        new : array of shape (n_rows, n_classes)
            Log probabilities of all training rows as if they were new.
        """
        shares = np.zeros((training.n_rows, 1))
        shares[self.rows, 0] = np.minimum(self.weights / training.weights[self.rows], 1.0)
        probs = (1.0 - shares) * np.exp(new)
        probs[self.rows] += shares[self.rows] * np.exp(left_out)
        return normalised(np.log(probs))


def drawn(training: Training, of: str, most: int) -> Draw:
    """Draw at most ``most`` copies of training rows; return all rows if there are no more than that.

    The draw depends on the content of the rows, not on their order or that of the columns.

    Parameters
    ----------
    training : Training
        Rows of the table.
    of : str
        Name of the member; every member has a draw of its own.
    most : int
        Number of copies to draw if there are more rows.
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
