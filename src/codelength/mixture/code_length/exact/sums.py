"""Result of a method that sums over all clusterings."""

from dataclasses import dataclass

from ....typing import FloatArray

SIZES_PER_SECOND = 2e4
"""Numbers of components whose sums become code lengths, with bounds on their errors, in a second."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of products of cluster weights over all clusterings, for 1, 2, ... components.

    ``logs`` are their natural logs and ``errors`` bounds on the relative errors of the summation, both of
    shape (n_components,); the errors of the weights are not in there. ``log_magnitude`` is as in
    :class:`~codelength.mixture.code_length.exact.weights.Weights`.
    """

    logs: FloatArray
    errors: FloatArray
    log_magnitude: float
