"""Where to cut a numeric column into bins, which bin a number falls in, and what the bins are called.

Cut points are learned from the sorted distinct values and the weight found at each, so that a row of
weight w counts exactly as w equal rows, a row of weight 0 as none, and the order of rows never matters.
"""

import math
from bisect import bisect_left
from itertools import pairwise
from numbers import Integral
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from codelength.errors import DataError, InvalidParameter
from codelength.typing import BoolArray, FloatArray, IntArray

Strategy: TypeAlias = Literal["frequency", "width", "kmeans", "mdl"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

# Below this no sum of weights comes near an overflow.
_LARGEST_WEIGHT = 1e90
# Nats a row by which the entropies of two splits must differ to count as different.
_SAME_ENTROPY = 1e-10


def cut_points(
    values: ArrayLike,
    strategy: Strategy = "frequency",
    n_bins: int = 5,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> FloatArray:
    r"""Strictly increasing cut points of a numeric column; each starts the bin to its right.

    Parameters
    ----------
    values : array of float, one-dimensional
        NaN means missing and is left out.
    strategy : {"frequency", "width", "kmeans", "mdl"}
        - ``"frequency"``: bins of equal weight. Cut j goes between the two neighbouring distinct values
          where the weight below is nearest j / n_bins of the total (the lower place on a tie), halfway.
        - ``"width"``: bins of equal width between the smallest and the largest value.
        - ``"kmeans"``: Lloyd's k-means in one dimension, started at the quantiles (j + 1/2) / n_bins
          (linear interpolation), until no value changes its cluster. A value as near to two centres goes
          to the lower one, and a centre that attracts nothing stays where it is. Cuts lie halfway
          between the centres of neighbouring clusters.
        - ``"mdl"``: recursive splits where the class entropy falls most, for as long as telling the
          split costs fewer bits than it saves [1]_. The lowest of equally good splits is taken, and
          ``n_bins`` is not used.
    n_bins : int
        Largest number of bins. Ties and repeated values may leave fewer; a constant or empty column
        has one bin and no cut point.
    sample_weight : array of float, optional
        How many rows each value stands for.
    classes : array of int, optional
        Class of each row; needed by ``"mdl"``.

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
    >>> cut_points([1, 2, 3, 7, 8, 9], "mdl", classes=[0, 0, 0, 1, 1, 1])
    array([5.])
    """
    check_options(strategy, n_bins)
    numbers = _as_values(values)
    weights = None if sample_weight is None else as_weights(sample_weight, len(numbers))
    if strategy == "mdl":
        return _mdl_cuts(numbers, _as_classes(classes, len(numbers)), weights)
    distinct, totals = _distinct(numbers, weights)
    if len(distinct) < 2:
        return np.empty(0)
    if strategy == "frequency":
        return _frequency_cuts(distinct, totals, n_bins)
    # A power of two scales without rounding, and keeps every sum of what follows finite.
    _, exponent = np.frexp(np.abs(distinct).max())
    points = np.ldexp(distinct, -exponent)
    scaled = _width_cuts(points, n_bins) if strategy == "width" else _kmeans_cuts(points, totals, n_bins)
    cuts: FloatArray = np.unique(np.ldexp(scaled, exponent)) + 0.0
    inside: FloatArray = cuts[(cuts > distinct[0]) & (cuts <= distinct[-1])]
    return inside


def assign(values: ArrayLike, cuts: ArrayLike) -> IntArray:
    """Bin of each value: 0 below the first cut, and a value equal to a cut in the bin to its right.

    NaN gets the code after the last bin, ``len(cuts) + 1``.

    Examples
    --------
    >>> assign([-5.0, 1.5, 1.9, 2.25, float("nan")], [1.5, 2.25])
    array([0, 1, 1, 2, 3])
    """
    numbers = np.asarray(values, dtype=np.float64)
    edges = np.asarray(cuts, dtype=np.float64)
    bins = np.searchsorted(edges, numbers, side="right").astype(np.int64)
    bins[np.isnan(numbers)] = len(edges) + 1
    return bins


def interval_labels(cuts: ArrayLike) -> tuple[str, ...]:
    """Names of the bins, with as few digits (four or more) as keep all cut points apart.

    Examples
    --------
    >>> interval_labels([1.5, 2.25])
    ('< 1.5', '1.5 to 2.25', '>= 2.25')
    >>> interval_labels([1.000012, 1.000027])
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
    # Digits before the decimal point are never rounded away: 12346 is no longer than 12350.
    whole = len(f"{abs(number):.0f}") if abs(number) < 1e15 else 0
    rounded = float(f"{number:.{max(digits, whole)}g}")
    if rounded == 0 or 1e-4 <= abs(rounded) < 1e15:
        return np.format_float_positional(rounded, trim="-")
    return np.format_float_scientific(rounded, trim="-")


def check_options(strategy: str, n_bins: int) -> None:
    """Refuse a strategy or a number of bins that does not exist."""
    if strategy not in STRATEGIES:
        raise InvalidParameter(f"strategy={strategy!r} does not exist; choose one of {', '.join(STRATEGIES)}")
    if not isinstance(n_bins, Integral) or isinstance(n_bins, bool) or n_bins < 1:
        raise InvalidParameter(f"n_bins={n_bins!r} is not a number of bins; give an integer of at least 1")


def as_weights(sample_weight: ArrayLike, n_rows: int) -> FloatArray:
    """Weights as floats, one a row, none negative."""
    weights = _as_floats("sample_weight", sample_weight)
    if weights.shape != (n_rows,):
        raise DataError(
            f"sample_weight has shape {weights.shape}, but there are {n_rows} rows; give one weight a row"
        )
    bad = ~((weights >= 0) & (weights <= _LARGEST_WEIGHT))
    if bad.any():
        row = int(bad.argmax())
        raise DataError(
            f"sample_weight, row {row}: {weights[row]} is not a weight; "
            f"give numbers between 0 and {_LARGEST_WEIGHT:g}"
        )
    return weights


def _as_floats(name: str, cells: ArrayLike) -> FloatArray:
    try:
        return np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{name}: not an array of numbers ({error}); give numbers, NaN where missing"
        ) from None


def _as_values(values: ArrayLike) -> FloatArray:
    numbers = _as_floats("values", values)
    if numbers.ndim != 1:
        raise DataError(f"values have shape {numbers.shape}; give one column as a one-dimensional array")
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(infinite.argmax())
        raise DataError(
            f"values, row {row}: {numbers[row]} is infinite; replace it by a number, or NaN if it is missing"
        )
    return numbers


def _as_classes(classes: ArrayLike | None, n_rows: int) -> IntArray:
    if classes is None:
        raise InvalidParameter(
            'strategy="mdl" needs classes; give the class of each row or choose another strategy'
        )
    codes = np.asarray(classes)
    if codes.shape != (n_rows,) or (n_rows and codes.dtype.kind not in "iub"):
        raise DataError(
            f"classes have shape {codes.shape} and type {codes.dtype}, but there are {n_rows} rows; "
            "give one integer class code a row"
        )
    return codes.astype(np.int64)


def _distinct(values: FloatArray, weights: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Distinct values in increasing order, and the weight of each."""
    if weights is None:
        distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        return distinct, counts.astype(np.float64)
    kept = ~np.isnan(values) & (weights > 0)
    values, weights = values[kept], weights[kept]
    # Weights are sorted too: fractions add up differently in another order.
    order = np.lexsort((weights, values))
    distinct, starts = np.unique(values[order], return_index=True)
    return distinct, np.add.reduceat(weights[order], starts) if len(starts) else np.empty(0)


def _between(low: FloatArray, high: FloatArray) -> FloatArray:
    """Halfway points, kept above ``low`` even where the two are neighbouring floats."""
    middle = low / 2 + high / 2
    return np.where(middle > low, np.minimum(middle, high), high) + 0.0


def _frequency_cuts(distinct: FloatArray, totals: FloatArray, n_bins: int) -> FloatArray:
    # Both sides are multiplied by n_bins, so that whole weights are compared without rounding.
    below = np.cumsum(totals)[:-1] * n_bins
    targets = np.arange(1, n_bins) * totals.sum()
    after = np.searchsorted(below, targets)
    upper = np.minimum(after, len(below) - 1)
    lower = np.maximum(after - 1, 0)
    nearest = np.unique(np.where(targets - below[lower] <= below[upper] - targets, lower, upper))
    return _between(distinct[nearest], distinct[nearest + 1])


def _width_cuts(points: FloatArray, n_bins: int) -> FloatArray:
    steps = np.arange(1, n_bins)
    cuts: FloatArray = (points[0] * (n_bins - steps) + points[-1] * steps) / n_bins
    return cuts


def _kmeans_cuts(points: FloatArray, totals: FloatArray, n_bins: int) -> FloatArray:
    start = _quantiles(points, totals, (np.arange(n_bins) + 0.5) / n_bins)
    centres = _lloyd(points, totals, start)
    return _between(centres[:-1], centres[1:])


def _quantiles(points: FloatArray, totals: FloatArray, shares: FloatArray) -> FloatArray:
    """Linear interpolation between the repeated points, as ``np.quantile`` does for whole weights."""
    # The step from a point to the next takes one row; less where a point weighs less than a row.
    row = min(1.0, float(totals.min()))
    ends = np.cumsum(totals)
    places = shares * (ends[-1] - row)
    here = np.minimum(np.searchsorted(ends, places, side="right"), len(points) - 1)
    following = np.minimum(here + 1, len(points) - 1)
    step = np.clip((places - (ends[here] - row)) / row, 0.0, 1.0)
    low, high = points[here], points[following]
    # From the nearer end, as numpy does it: a start that differs in the last digit may end elsewhere.
    return np.where(step < 0.5, low + (high - low) * step, high - (high - low) * (1 - step))


def _lloyd(points: FloatArray, totals: FloatArray, start: FloatArray) -> FloatArray:
    """Centres of the clusters when no point changes its cluster any more."""
    weight_sums, value_sums = _exact_prefix_sums(totals), _exact_prefix_sums(totals * points)
    centres = np.sort(start)
    seen: set[tuple[int, ...]] = set()
    while True:
        # Of equal centres the first attracts; the others wait in place, and attract once it has moved.
        distinct, first = np.unique(centres, return_index=True)
        inner = (_first_nearer_to_upper(points, low, high) for low, high in pairwise(distinct.tolist()))
        edges = (0, *inner, len(points))
        filled = np.diff(edges) > 0
        if edges in seen:  # nothing moved, or rounding has closed a circle
            return np.asarray(distinct[filled], dtype=np.float64)
        seen.add(edges)
        occupied = np.array(edges)[np.append(filled, True)]
        centres[first[filled]] = _segment_sums(value_sums, occupied) / _segment_sums(weight_sums, occupied)
        centres.sort()


def _first_nearer_to_upper(points: FloatArray, low: float, high: float) -> int:
    return bisect_left(range(len(points)), True, key=lambda i: bool(points[i] - low > high - points[i]))


def _exact_prefix_sums(terms: FloatArray) -> FloatArray:
    """Prefix sums in a few parts, from leading to trailing bits, each part free of rounding.

    Clusters often lie symmetrically, and a last digit then decides which of two centres is nearer: with
    sums rounded only once, that does not depend on the machine or on how the rows were grouped.
    """
    parts, rest = [np.zeros(len(terms))], terms
    while rest.any():
        _, exponent = np.frexp(np.abs(rest).max())
        # Adding a large power of two rounds to its last bit: what is left is coarse enough to add exactly.
        large = np.ldexp(1.0, int(exponent) + len(terms).bit_length() + 1)
        leading = (rest + large) - large
        parts.append(np.cumsum(leading))
        rest = rest - leading
    return np.pad(np.stack(parts), ((0, 0), (1, 0)))


def _segment_sums(parts: FloatArray, edges: IntArray) -> FloatArray:
    return np.array([math.fsum(column) for column in np.diff(parts[:, edges], axis=1).T])


def _mdl_cuts(values: FloatArray, classes: IntArray, weights: FloatArray | None) -> FloatArray:
    kept = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    distinct, places = np.unique(values[kept], return_inverse=True)
    if len(distinct) < 2:
        return np.empty(0)
    names, codes = np.unique(classes[kept], return_inverse=True)
    cells = (places * len(names) + codes).astype(np.float64)
    cells, totals = _distinct(cells, None if weights is None else weights[kept])
    places, codes = np.divmod(cells.astype(np.int64), len(names))
    starts = _block_starts(places, codes, len(distinct))
    blocks = np.searchsorted(starts, places, side="right") - 1
    right = starts[_accepted_splits(blocks, codes, totals)]
    return _between(distinct[right - 1], distinct[right])


def _block_starts(places: IntArray, codes: IntArray, n_places: int) -> IntArray:
    """Where blocks of values start, given which class codes occur at which places.

    Neighbouring values with one and the same class are a block: the best split never parts them.
    """
    alone = np.bincount(places, minlength=n_places)[places] == 1
    only = np.full(n_places, -1)
    only[places[alone]] = codes[alone]
    return np.flatnonzero(np.append(True, (only[1:] != only[:-1]) | (only[1:] < 0)))


def _accepted_splits(blocks: IntArray, codes: IntArray, totals: FloatArray) -> IntArray:
    """Blocks that start a new bin; ``totals`` are the weights of the classes in the blocks, in order."""
    splits: list[int] = []
    open_nodes = [(0, int(blocks[-1]) + 1)]
    while open_nodes:
        low, high = open_nodes.pop()
        node = slice(*np.searchsorted(blocks, (low, high)))
        split = _best_split(blocks[node] - low, codes[node], totals[node])
        if split and _pays(codes[node], totals[node], blocks[node] < low + split):
            splits.append(low + split)
            open_nodes += [(low, low + split), (low + split, high)]
    return np.sort(np.array(splits, dtype=np.int64))


def _best_split(blocks: IntArray, codes: IntArray, totals: FloatArray) -> int:
    """First block to the right of the split with the least class entropy; 0 where none is possible."""
    # Less than two rows cannot be parted, and the criterion is not defined for them.
    if blocks[-1] == 0 or totals.sum() < 2:
        return 0
    sums = np.cumsum(np.bincount(blocks, totals))
    left, total = sums[:-1], sums[-1]
    # Class by class, what changes when one cell after the other moves from the right side to the left.
    order = np.argsort(codes, kind="stable")
    weights, ends = totals[order], np.cumsum(np.bincount(codes, totals))
    whole = np.bincount(codes, totals)[codes[order]]
    after = np.cumsum(weights) - (ends[codes[order]] - whole)
    before = after - weights
    change = _n_log_n(before) - _n_log_n(after) + _n_log_n(whole - before) - _n_log_n(whole - after)
    changes = np.cumsum(np.bincount(blocks[order], change))[:-1]
    # Up to a constant, the entropies of both sides times their weights.
    uncertainty = _n_log_n(left) + _n_log_n(total - left) + changes
    # Equally good splits differ by rounding alone, and the lowest of them is meant.
    return int(np.argmax(uncertainty <= uncertainty.min() + _SAME_ENTROPY * total)) + 1


def _pays(codes: IntArray, totals: FloatArray, left: BoolArray) -> bool:
    """Whether a split saves more than it costs to tell (Fayyad and Irani's criterion, times the weight)."""
    whole = np.bincount(codes, totals)
    parts = [np.bincount(codes[side], totals[side]) for side in (left, ~left)]
    saved = _entropy(whole) * whole.sum() - sum(_entropy(part) * part.sum() for part in parts)
    n_classes = np.count_nonzero(whole)
    # log(3**k - 2) without the power, which overflows for many classes.
    cost = n_classes * math.log(3) + math.log1p(-2 * 3.0**-n_classes)
    cost -= n_classes * _entropy(whole) - sum(np.count_nonzero(part) * _entropy(part) for part in parts)
    return bool(saved > math.log(whole.sum() - 1) + cost)


def _entropy(counts: FloatArray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _n_log_n(counts: FloatArray) -> FloatArray:
    # What a subtraction leaves of an empty count may be a little below zero.
    return counts * np.log(np.where(counts > 0, counts, 1.0))
