"""Cut points of numeric columns, bins of numbers, and names of bins.

Cut points are learned from the sorted distinct values and the weight found at each, so that a row of
weight w counts exactly as w equal rows, a row of weight 0 as none, and the order of rows never matters.
"""

from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InvalidParameter
from ...typing import FloatArray, IntArray
from ..checks import MAX_BINS, check_choice, check_size
from ._distinct import between, distinct_values, kmeans_cuts, nearest_shares
from ._mdl_cuts import mdl_cuts

Strategy: TypeAlias = Literal["frequency", "width", "kmeans", "mdl"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


def cut_points(
    values: ArrayLike,
    strategy: Strategy = "frequency",
    n_bins: int = 5,
    *,
    sample_weight: ArrayLike | None = None,
    class_codes: ArrayLike | None = None,
) -> FloatArray:
    r"""Return strictly increasing cut points of a numeric column; each starts the bin to its right.

    Parameters
    ----------
    values : array of float, one-dimensional
        The numbers, all finite; NaN means missing and is dropped.
    strategy : {"frequency", "width", "kmeans", "mdl"}
        - ``"frequency"``: bins of equal weight. Cut j lies halfway between the two neighbouring distinct
          values at which the weight below is nearest j / n_bins of the total (the lower place on a tie).
        - ``"width"``: bins of equal width between the smallest and the largest value.
        - ``"kmeans"``: Lloyd's k-means in one dimension, started at the quantiles (j + 1/2) / n_bins
          (linear interpolation), until no value changes its cluster. A value at equal distance from two
          centres belongs to the lower one, and a centre of an empty cluster does not move. Cuts lie
          halfway between the centres of neighbouring clusters.
        - ``"mdl"``: recursive splits at the largest decrease of class entropy, as long as encoding the
          split costs fewer bits than it saves [1]_. The lowest of equally good splits is taken, and
          ``n_bins`` is not used.
    n_bins : int
        Largest number of bins. Ties and repeated values may leave fewer; a constant or empty column has one
        bin and no cut point.
    sample_weight : array of float, optional
        How many rows each value stands for.
    class_codes : array of int, optional
        Code of the class of each row; needed by ``"mdl"``.

    Returns
    -------
    array of float
        The cut points.

    References
    ----------
    .. [1] Fayyad and Irani (1993). Multi-interval discretization of continuous-valued attributes for
       classification learning. IJCAI.

    Examples
    --------
    >>> cut_points([1, 2, 3, 10], n_bins=2)
    array([2.5])
    >>> cut_points([1, 2, 3, 10], "width", n_bins=3)
    array([4., 7.])
    >>> cut_points([1, 2, 3, 10], "kmeans", n_bins=2)
    array([6.])
    >>> cut_points([1, 2, 3, 7, 8, 9], "mdl", class_codes=[0, 0, 0, 1, 1, 1])
    array([5.])
    """
    check_options(strategy, n_bins)
    numbers = np.asarray(values, dtype=np.float64)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if strategy == "mdl":
        if class_codes is None:
            raise InvalidParameter('strategy="mdl" cuts by the class; pass class_codes, or another strategy')
        return mdl_cuts(numbers, np.asarray(class_codes, dtype=np.int64), weights)
    distinct, totals = distinct_values(numbers, weights)
    if len(distinct) < 2:
        return np.empty(0)
    if strategy == "frequency":
        nearest, _ = nearest_shares(totals, n_bins)
        return between(distinct[nearest], distinct[nearest + 1])
    # A power of two scales without rounding, and keeps every sum of what follows finite.
    _, exponent = np.frexp(np.abs(distinct).max())
    points = np.ldexp(distinct, -exponent)
    scaled = _width_cuts(points, n_bins) if strategy == "width" else kmeans_cuts(points, totals, n_bins)
    cuts: FloatArray = np.unique(np.ldexp(scaled, exponent)) + 0.0
    # Rounding may move a cut onto the smallest value, below which nothing lies.
    inside: FloatArray = cuts[(cuts > distinct[0]) & (cuts <= distinct[-1])]
    return inside


_FEW_CUTS, _MANY_NUMBERS = 24, 1000


def assign(values: ArrayLike, cuts: ArrayLike) -> IntArray:
    """Return the bin of each value: 0 below the first cut; a value equal to a cut is in the bin above it.

    Parameters
    ----------
    values : array of float
        The numbers.
    cuts : array of float
        Cut points in increasing order.

    Returns
    -------
    array of int
        Bins from 0 to ``len(cuts)``; NaN has the code ``len(cuts) + 1``.

    Examples
    --------
    >>> assign([-5.0, 1.5, 1.9, 2.25, float("nan")], [1.5, 2.25])
    array([0, 1, 1, 2, 3])
    """
    numbers = np.asarray(values, dtype=np.float64)
    edges = np.asarray(cuts, dtype=np.float64)
    if len(edges) > _FEW_CUTS or numbers.size < _MANY_NUMBERS:
        bins = np.searchsorted(edges, numbers, side="right").astype(np.int64)
    else:
        # A few comparisons of many numbers are faster than a search for each.
        counts = np.zeros(numbers.shape, dtype=np.uint8)
        for edge in edges:
            counts += numbers >= edge
        bins = counts.astype(np.int64)
    bins[np.isnan(numbers)] = len(edges) + 1
    return bins


EXACT_DIGITS = 7
"""Cut points with no more significant digits than this are shown as they are."""


def interval_labels(cuts: ArrayLike) -> tuple[str, ...]:
    """Return names of the bins.

    Cut points of up to seven digits are shown as they are, others with four digits, or as many more as keep
    all cut points apart.

    Examples
    --------
    >>> interval_labels([1.5, 2.25])
    ('< 1.5', '1.5 to 2.25', '>= 2.25')
    >>> interval_labels([2015.5, 2020.5])
    ('< 2015.5', '2015.5 to 2020.5', '>= 2020.5')
    >>> interval_labels([1.000012345, 1.000027345])
    ('< 1.00001', '1.00001 to 1.00003', '>= 1.00003')
    >>> interval_labels([])
    ('any',)
    """
    edges = np.asarray(cuts, dtype=np.float64).tolist()
    if not edges:
        return ("any",)
    texts: list[str] = []
    for digits in range(4, 18):
        texts = [_decimal(edge, digits) for edge in edges]
        if len(set(texts)) == len(edges):
            break
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return (f"< {texts[0]}", *between, f">= {texts[-1]}")


def _decimal(number: float, digits: int) -> str:
    # A cut between whole numbers must not be rounded to one of them: 2020 is below 2020.5.
    is_half = abs(number) < 1e15 and (2 * number).is_integer()
    exact = is_half or float(f"{number:.{EXACT_DIGITS}g}") == number
    # Digits before the decimal point are never rounded away: 12346 is no longer than 12350.
    whole = len(f"{abs(number):.0f}") if abs(number) < 1e15 else 0
    rounded = number if exact else float(f"{number:.{max(digits, whole)}g}")
    if rounded == 0 or 1e-4 <= abs(rounded) < 1e15:
        return np.format_float_positional(rounded, trim="-")
    return np.format_float_scientific(rounded, trim="-")


def check_options(strategy: str, n_bins: int) -> None:
    """Raise if a strategy or a number of bins does not exist."""
    check_choice("strategy", strategy, STRATEGIES)
    check_size("n_bins", n_bins, MAX_BINS)


def _width_cuts(points: FloatArray, n_bins: int) -> FloatArray:
    steps = np.arange(1, n_bins)
    # Weighted ends instead of start plus step times width, so that symmetric columns have symmetric cuts.
    cuts: FloatArray = (points[0] * (n_bins - steps) + points[-1] * steps) / n_bins
    return cuts
