"""Matching of the components of two mixtures, whose names are arbitrary."""

import numpy as np

from ...decisions import TOLERANCE
from ...mixture.parameters import MixtureParameters
from ...typing import FloatArray, IntArray


def align(reference: MixtureParameters, mixture: MixtureParameters) -> MixtureParameters:
    """Reorder the components of a mixture to match those of another.

    The components are matched one to one so that the sum of their distances is least (the Hungarian method).
    A distance is the sum over variables of squared Hellinger distances, plus that of the shares' square
    roots, which decides between components with equal profiles.

    Examples
    --------
    >>> from codelength.mixture import with_components
    >>> from codelength.table import Schema
    >>> schema = with_components(Schema.from_sizes([2]), 2)
    >>> first = MixtureParameters(schema, np.array([0.5, 0.5]), np.array([[0.9, 0.1, 1], [0.2, 0.8, 1]]))
    >>> second = MixtureParameters(schema, np.array([0.3, 0.7]), np.array([[0.1, 0.9, 1], [0.8, 0.2, 1]]))
    >>> align(first, second).class_probs
    array([0.7, 0.3])
    """
    return mixture.permuted(matching(profile_distances(reference, mixture)))


def profile_distances(reference: MixtureParameters, mixture: MixtureParameters) -> FloatArray:
    """Compute the distance of each component of the first mixture from each of the second."""
    # Cells for missing are 1 in both mixtures and cancel.
    ours = np.sqrt(np.column_stack((reference.class_probs, reference.value_probs)))
    theirs = np.sqrt(np.column_stack((mixture.class_probs, mixture.value_probs)))
    return np.stack([((one - theirs) ** 2).sum(axis=1) for one in ours])


def matching(costs: FloatArray) -> IntArray:
    """Match the rows of a square matrix with its columns so that the sum is least.

    Returns the column that each row is matched with. Of matchings that are equally good up to rounding, it is
    the one closest to the diagonal.

    Examples
    --------
    >>> matching(np.array([[1.0, 0.0], [0.0, 3.0]]))
    array([1, 0])
    """
    from scipy.optimize import linear_sum_assignment

    places = np.arange(len(costs), dtype=np.float64)
    # A penalty within rounding breaks ties, so that equal components keep their order.
    away = TOLERANCE * np.abs(costs).max(initial=1.0) * (places[:, None] - places) ** 2
    _, columns = linear_sum_assignment(costs + away)
    return np.asarray(columns, dtype=np.int64)
