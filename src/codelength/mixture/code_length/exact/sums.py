"""What a method that sums over all clusterings hands back."""

from dataclasses import dataclass

from ....typing import FloatArray


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
        What :class:`~codelength.scores.exact.weights.Weights` says.
    """

    logs: FloatArray
    errors: FloatArray
    log_magnitude: float
