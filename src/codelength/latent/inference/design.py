r"""Standard errors for complex samples: clusters, strata and sampling weights.

The estimates maximise a weighted log-likelihood. Their covariance is the sandwich

.. math::
    I^{-1} \Bigl( \sum_h \frac{n_h}{n_h - 1} \sum_{c \in h} (s_c - \bar s_h)(s_c - \bar s_h)^T \Bigr) I^{-1}

with :math:`s_c` the sum of the weighted scores of cluster *c*, :math:`\bar s_h` their mean in stratum *h* of
:math:`n_h` clusters, and *I* the observed information (Binder 1983, Int. Statist. Rev. 51). Clusters are
taken as drawn with replacement. Without clusters every row is a cluster; without strata there is one stratum.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np

from ...errors import DataError
from ...mixture.parameters import MixtureParameters
from ...naive_bayes import PriorLike
from ...table import Coded
from ...table.checks import as_array
from ...typing import FloatArray, IntArray
from .coordinates import Coordinates
from .information import StandardErrors, information_matrix, inverse, rows_in_use

Weighting = Literal["counts", "relative"]
"""Meaning of weights: numbers of equal rows, or relative weights of rows that were each drawn once."""

CLUSTERS_AT_ONCE = 4096
"""Maximum number of clusters whose scores are held in memory together."""


def design_standard_errors(
    coded: Coded,
    mixture: MixtureParameters,
    prior: PriorLike = "uniform",
    *,
    clusters: Any = None,
    strata: Any = None,
) -> StandardErrors:
    """Compute standard errors under a sampling design.

    Parameters
    ----------
    coded : Coded
        The rows that the mixture was fitted to; their weights are sampling weights.
    mixture, prior
        As in :func:`codelength.latent.inference.standard_errors`.
    clusters : array of shape (n_rows,), optional
        Cluster of each row; clusters of the same name in two strata are two clusters.
    strata : array of shape (n_rows,), optional
        Stratum of each row.

    Raises
    ------
    DataError
        If there are no rows, or a stratum has a single cluster.

    Examples
    --------
    >>> from codelength.mixture import fit_mixture
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2]), [[0], [0], [1], [1], [1], [1]])
    >>> mixture, _ = fit_mixture(coded, 1)
    >>> pairs = design_standard_errors(coded, mixture, clusters=[1, 1, 2, 2, 3, 3])
    >>> pairs.of_variable(0).round(4)  # the standard error of the mean of 0, 1 and 1
    array([[0.3333, 0.3333]])
    """
    rows = rows_in_use(coded, mixture)
    names, groups, of_groups = sampling_units(clusters, strata, rows.row_weights)
    coordinates = Coordinates.of(mixture, rows.total_weight)
    covariance, n_unidentified = inverse(information_matrix(rows.distinct(), coordinates, "observed", prior))
    scores = _cluster_scores(rows, coordinates, groups, of_groups)
    spread = spread_of_sums(scores, coordinates.n_free, of_groups)
    # Parameters that the table does not identify stay unknown and do not enter the product.
    known = ~np.isnan(np.diagonal(covariance))
    inner = covariance[np.ix_(known, known)]
    sandwich = np.full_like(covariance, np.nan)
    sandwich[np.ix_(known, known)] = inner @ spread[np.ix_(known, known)] @ inner
    return StandardErrors.of(coordinates, names, sandwich, n_unidentified)


def sampling_units(clusters: Any, strata: Any, weights: FloatArray) -> tuple[str, IntArray, IntArray]:
    """Return the name of the design, the cluster of each row, and the stratum of each cluster.

    Rows of weight zero have the cluster -1.

    Raises
    ------
    DataError
        If a stratum has a single cluster, so that the variation between its clusters is unknown.
    """
    n_rows, used = len(weights), weights > 0
    of_rows = _numbers("strata", strata, n_rows) if strata is not None else np.zeros(n_rows, dtype=np.int64)
    own = _numbers("clusters", clusters, n_rows) if clusters is not None else np.arange(n_rows)
    # Pairs of stratum and cluster, because names of clusters may repeat between strata.
    pairs, places = np.unique(np.stack((of_rows, own))[:, used], axis=1, return_inverse=True)
    groups = np.full(n_rows, -1, dtype=np.int64)
    groups[used] = places.ravel()
    sizes = np.bincount(pairs[0])
    if (sizes == 1).any():
        what = "strata: a stratum has" if strata is not None else "clusters: the table has"
        raise DataError(
            f"{what} a single cluster, so that nothing tells how clusters vary; merge strata that are alike, "
            "or leave the design out"
        )
    given = [name for name, value in (("clusters", clusters), ("strata", strata)) if value is not None]
    return f"sandwich with {' and '.join(given)}" if given else "sandwich", groups, pairs[0]


def _numbers(name: str, values: Any, n_rows: int) -> IntArray:
    array = as_array(values)
    if array.shape != (n_rows,):
        raise DataError(f"{name} of shape {array.shape}: give one for each of the {n_rows} rows")
    missing = (
        array != array if array.dtype.kind == "f" else np.array([value is None for value in array.tolist()])
    )
    if missing.any():
        raise DataError(f"{name}, row {int(np.argmax(missing))}: missing; name one for every row")
    if array.dtype.kind == "O":
        array = array.astype(str)
    return np.asarray(np.unique(array, return_inverse=True)[1], dtype=np.int64).ravel()


def spread_of_sums(parts: Iterable[FloatArray], n_scores: int, strata: IntArray) -> FloatArray:
    """Compute the covariance of a sum of scores over clusters, drawn independently within strata.

    The parts are summed scores of clusters, some clusters after the others, and ``strata`` is the stratum of
    each cluster.

    Examples
    --------
    >>> spread_of_sums([np.array([[1.0], [3.0]])], 1, np.array([0, 0]))
    array([[4.]])
    """
    # A stratum of rows of weight zero has no clusters.
    sizes = np.maximum(np.bincount(strata), 1).astype(np.float64)
    factors, stop = sizes / np.maximum(sizes - 1, 1), 0
    products, sums = np.zeros((n_scores, n_scores)), np.zeros((len(sizes), n_scores))
    for scores in parts:
        own, stop = strata[stop : stop + len(scores)], stop + len(scores)
        products += scores.T @ (factors[own][:, None] * scores)
        np.add.at(sums, own, scores)
    # The mean of a stratum is subtracted in the end, so that one pass over the clusters is enough.
    return products - (sums.T * (factors / sizes)) @ sums


def _cluster_scores(
    rows: Coded, coordinates: Coordinates, groups: IntArray, strata: IntArray
) -> Iterator[FloatArray]:
    """Yield the summed scores of clusters, some thousands at a time."""
    # Rows sorted by cluster, those of weight zero dropped: a range of clusters is then a range of rows.
    order = np.argsort(groups, kind="stable")
    order = order[np.searchsorted(groups[order], 0) :]
    bounds = np.searchsorted(groups[order], np.arange(len(strata) + 1))
    for low in range(0, len(strata), CLUSTERS_AT_ONCE):
        high = min(low + CLUSTERS_AT_ONCE, len(strata))
        places = order[bounds[low] : bounds[high]]
        own = rows.take(places)
        shares = coordinates.mixture.responsibilities(own) * own.row_weights[:, None]
        yield coordinates.group_scores(own.codes, shares, groups[places] - low, high - low)
