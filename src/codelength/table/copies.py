"""Copies of weighted rows, for leave-one-out.

Leave-one-out of a row of weight 3 leaves two rows of the same content: it is one copy that is predicted, from
all the others. :func:`n_copies` says how many copies a row is, :func:`copy_weights` what each weighs.
"""

import numpy as np

from ..decisions import whole_part
from ..errors import DataError
from ..typing import FloatArray, IntArray

MAX_COPIES = 10**9
"""Largest number of copies of a row; those of a row of larger weight weigh more than 1 each."""

LIGHTEST, HEAVIEST = 1e-100, 1e11
"""Range of weights of distinct rows in averages over models.

Leaving a copy out must leave something to count with, and differences between models must not be lost in
sums.
"""


def n_copies(weights: FloatArray) -> IntArray:
    """Return the number of equal rows that each row stands for.

    A row of weight 3 is three equal rows. A weight that is not whole is spread evenly over as many copies as
    it has whole parts, and over one if it has none.

    Examples
    --------
    >>> n_copies(np.array([3.0, 2.5, 0.7]))
    array([3, 2, 1])
    """
    return whole_part(np.clip(weights, 1.0, MAX_COPIES)).astype(np.int64)


def copy_weights(weights: FloatArray) -> FloatArray:
    """Return the weight of one copy of each row, which leave-one-out subtracts.

    Examples
    --------
    >>> copy_weights(np.array([3.0, 2.5, 0.7]))
    array([1.  , 1.25, 0.7 ])
    """
    return np.asarray(weights / n_copies(weights))


def check_copies(weights: FloatArray | None) -> None:
    """Raise if weights of distinct rows are outside the range of averages over models; zero is allowed."""
    given = np.ones(1) if weights is None else weights
    unusable = given[((given > 0) & (given < LIGHTEST)) | (given > HEAVIEST)]
    if len(unusable):
        raise DataError(
            f"sample_weight: equal rows weigh {unusable[0]:g} together; averages and their members take "
            f'weights from {LIGHTEST:g} to {HEAVIEST:g}, so scale them, or pass weighting="relative"'
        )
