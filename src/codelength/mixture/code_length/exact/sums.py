"""What a method that sums over all clusterings hands back."""

from dataclasses import dataclass

from ....typing import FloatArray

SIZES_PER_SECOND = 2e4
"""Numbers of components whose sums become code lengths, with bounds on their errors, in a second."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of products of cluster weights over all clusterings, for 1, 2, ... components.

    Attributes
    ----------
    logs : array of shape (n_components,)
        Natural logs of the sums.
    errors : array of shape (n_components,)
        Bounds on the relative errors of the summation; those of the weights are not in here.
    log_magnitude : float
        As in :class:`~codelength.mixture.code_length.exact.weights.Weights`.
    """

    logs: FloatArray
    errors: FloatArray
    log_magnitude: float
