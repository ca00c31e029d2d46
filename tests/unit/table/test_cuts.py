"""Cut points against their definitions, written out slowly."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength.errors import InvalidParameter
from codelength.table.intervals._distinct import _quantiles
from codelength.table.intervals.cuts import STRATEGIES, assign, cut_points, interval_labels

quick = settings(max_examples=100, deadline=None)

tenths = st.integers(-60, 60).map(lambda number: number / 10)
rows = st.lists(st.tuples(tenths, st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=30)
any_strategy = st.sampled_from(STRATEGIES)
numbers = st.floats(allow_nan=False, allow_infinity=False)


def columns(table):
    values, weights, classes = zip(*table, strict=True)
    return np.array(values), np.array(weights), np.array(classes)


class TestEveryStrategy:
    @quick
    @given(rows, any_strategy, st.integers(1, 7))
    def test_a_weight_is_a_number_of_repetitions(self, table, strategy, n_bins):
        """To the last bit, and a weight of zero is a row that is not there."""
        values, weights, classes = columns(table)
        weighted = cut_points(values, strategy, n_bins, sample_weight=weights, class_codes=classes)
        repeated = cut_points(
            np.repeat(values, weights), strategy, n_bins, class_codes=np.repeat(classes, weights)
        )
        assert weighted.tolist() == repeated.tolist()

    @quick
    @given(rows, any_strategy, st.randoms(use_true_random=False))
    def test_row_order_does_not_matter(self, table, strategy, random):
        shuffled = list(table)
        random.shuffle(shuffled)
        first, second = (
            cut_points(values, strategy, sample_weight=weights / 7, class_codes=classes)
            for values, weights, classes in (columns(table), columns(shuffled))
        )
        assert first.tolist() == second.tolist()

    @quick
    @given(st.lists(numbers, max_size=12), any_strategy, st.integers(1, 6))
    def test_cuts_increase_and_lie_within_the_values(self, values, strategy, n_bins):
        """Whatever the floats: huge, tiny, subnormal, or of both signs."""
        cuts = cut_points(values, strategy, n_bins, class_codes=np.arange(len(values)) % 2)
        assert cuts.dtype == np.float64
        assert all(low < high for low, high in pairwise(cuts))
        assert all(min(values) < cut <= max(values) for cut in cuts)
        if strategy != "mdl":
            assert len(cuts) <= n_bins - 1

    @quick
    @given(rows, st.sampled_from(["frequency", "kmeans", "mdl"]), st.integers(2, 7))
    def test_no_bin_is_empty(self, table, strategy, n_bins):
        values, _, classes = columns(table)
        cuts = cut_points(values, strategy, n_bins, class_codes=classes)
        assert set(assign(values, cuts)) == set(range(len(cuts) + 1))

    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_missing_values_are_left_out(self, strategy):
        values = np.array([1.0, 2.0, np.nan, 3.0, 4.0, 9.0, 10.0])
        classes = np.array([0, 0, 1, 0, 1, 1, 1])
        present = ~np.isnan(values)
        with_missing = cut_points(values, strategy, 3, class_codes=classes)
        without = cut_points(values[present], strategy, 3, class_codes=classes[present])
        assert with_missing.tolist() == without.tolist()
        assert len(without) > 0

    @pytest.mark.parametrize("strategy", STRATEGIES)
    @pytest.mark.parametrize("values", [[], [np.nan, np.nan], [2.5], [2.5] * 9, [np.nan, 2.5]])
    def test_a_constant_or_empty_column_is_one_bin(self, strategy, values):
        classes = np.arange(len(values)) % 2
        weights = np.ones(len(values))
        assert cut_points(values, strategy, class_codes=classes).tolist() == []
        assert cut_points(values, strategy, class_codes=classes, sample_weight=weights).tolist() == []

    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_no_weight_at_all_is_one_bin(self, strategy):
        cuts = cut_points([1.0, 2.0, 3.0], strategy, sample_weight=[0, 0, 0], class_codes=[0, 1, 1])
        assert cuts.tolist() == []

    @pytest.mark.parametrize("strategy", ["frequency", "width", "kmeans"])
    def test_one_bin_has_no_cut(self, strategy):
        assert cut_points([1.0, 2.0, 3.0], strategy, 1).tolist() == []

    @pytest.mark.parametrize("strategy", ["frequency", "kmeans", "mdl"])
    def test_neighbouring_floats_are_kept_apart(self, strategy):
        low = 0.1
        high = np.nextafter(low, 1.0)
        cuts = cut_points([low] * 8 + [high] * 8, strategy, 2, class_codes=[0] * 8 + [1] * 8)
        assert assign([low, high], cuts).tolist() == [0, 1]

    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_two_hundred_thousand_values(self, strategy):
        """Work that grows with the square of the rows would not come back from this."""
        generator = np.random.default_rng(1)
        values = generator.normal(size=200_000)
        classes = (values > 0.5).astype(int)
        cuts = cut_points(values, strategy, 10, class_codes=classes, sample_weight=generator.random(200_000))
        assert len(cuts) == (1 if strategy == "mdl" else 9)


class TestFrequency:
    def test_worked_by_hand(self):
        # Weights below the gaps are 3, 4, 5, 8 of 9; a third is 3, two thirds are 6: 5 is nearer than 8.
        assert cut_points([1, 1, 1, 2, 3, 4, 4, 4, 9], n_bins=3).tolist() == [1.5, 3.5]

    def test_a_tie_goes_to_the_lower_gap(self):
        # Half of 4 is 2; the gaps lie at 1 and 3.
        assert cut_points([1, 2, 2, 3], n_bins=2).tolist() == [1.5]

    def test_duplicate_cuts_are_dropped(self):
        assert cut_points([0] * 90 + [1] * 10, n_bins=5).tolist() == [0.5]

    @quick
    @given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=60, unique=True), st.integers(1, 9))
    def test_bins_of_distinct_values_differ_by_one_row_at_most(self, values, n_bins):
        cuts = cut_points(values, n_bins=n_bins)
        sizes = np.bincount(assign(values, cuts))
        assert len(sizes) == min(n_bins, len(values))
        assert sizes.max() - sizes.min() <= 1

    @quick
    @given(rows, st.integers(2, 7))
    def test_every_cut_is_in_the_gap_nearest_its_share(self, table, n_bins):
        values = sorted(columns(table)[0].tolist())
        distinct = sorted(set(values))
        gaps = [(low + high) / 2 for low, high in pairwise(distinct)]
        below = [sum(value <= low for value in values) for low in distinct[:-1]]
        expected = {
            min(zip(below, gaps, strict=True), key=lambda gap: abs(n_bins * gap[0] - j * len(values)))[1]
            for j in range(1, n_bins)
            if gaps
        }
        assert cut_points(values, n_bins=n_bins) == pytest.approx(sorted(expected), abs=1e-12)


class TestWidth:
    def test_worked_by_hand(self):
        assert cut_points([0, 10, 1, 1], "width", 5).tolist() == [2, 4, 6, 8]

    @quick
    @given(st.integers(-1000, 1000), st.integers(1, 200), st.integers(2, 12))
    def test_whole_steps_are_met_exactly(self, low, step, n_bins):
        high = low + step * n_bins
        assert cut_points([high, low], "width", n_bins).tolist() == list(range(low + step, high, step))

    def test_the_widest_range_of_floats(self):
        largest = np.finfo(np.float64).max
        assert cut_points([-largest, largest], "width", 2).tolist() == [0.0]


def slow_lloyd(values, n_bins):
    """Lloyd's k-means as its definition has it: the nearest centre, the lowest one on a tie."""
    centres = np.quantile(values, (np.arange(n_bins) + 0.5) / n_bins).tolist()
    previous = None
    while True:
        centres.sort()
        nearest = [int(np.argmin([abs(value - centre) for centre in centres])) for value in values]
        if nearest == previous:
            return sorted(centres[k] for k in set(nearest))
        previous = nearest
        for k in set(nearest):
            members = [value for value, cluster in zip(values, nearest, strict=True) if cluster == k]
            centres[k] = math.fsum(members) / len(members)


# Columns of public data sets (value x rows), and the sizes of the bins that an independent program found.
# In the first two a last digit decides a tie; in the next two several starting quantiles coincide.
REAL = {
    "iris sepal width": (
        "2x1 2.2x3 2.3x4 2.4x3 2.5x8 2.6x5 2.7x9 2.8x14 2.9x10 3x26 3.1x12 3.2x13 3.3x6 3.4x12 3.5x6 "
        "3.6x3 3.7x3 3.8x6 3.9x2 4x1 4.1x1 4.2x1 4.4x1",
        3,
        [33, 75, 42],
    ),
    "hepatitis albumin": (
        "2.1x1 2.2x1 2.4x2 2.6x3 2.7x3 2.8x3 2.9x5 3x5 3.1x3 3.3x6 3.4x4 3.5x6 3.6x2 3.7x3 3.8x9 3.9x8 "
        "4x25 4.1x8 4.2x13 4.3x7 4.4x9 4.5x4 4.6x2 4.7x1 4.8x1 4.9x2 5x1 5.3x1 6.4x1",
        5,
        [26, 21, 50, 36, 6],
    ),
    "australian credit A10": (
        "0x395 1x71 2x45 3x28 4x15 5x18 6x23 7x16 8x10 9x10 10x8 11x19 12x8 13x1 14x8 15x4 16x3 17x2 "
        "19x1 20x2 23x1 40x1 67x1",
        5,
        [395, 159, 85, 51],
    ),
    "glass barium": (
        "0x176 0.06x1 0.09x2 0.11x2 0.14x1 0.15x1 0.24x1 0.27x1 0.4x1 0.53x1 0.54x1 0.56x1 0.61x1 0.63x1 "
        "0.64x2 0.66x1 0.67x1 0.69x1 0.76x1 0.81x1 1.06x1 1.19x1 1.38x1 1.55x1 1.57x2 1.59x2 1.63x1 "
        "1.64x1 1.67x1 1.68x1 1.71x1 2.2x1 2.88x1 3.15x1",
        5,
        [176, 7, 3, 14, 14],
    ),
    "diabetes pregnancies": (
        "0x111 1x135 2x103 3x75 4x68 5x57 6x50 7x45 8x38 9x28 10x24 11x11 12x9 13x10 14x2 15x1 17x1",
        6,
        [111, 135, 178, 125, 133, 86],
    ),
}


class TestKmeans:
    @pytest.mark.parametrize("name", REAL)
    def test_bins_of_real_columns(self, name):
        text, n_bins, sizes = REAL[name]
        values, counts = np.array([cell.split("x") for cell in text.split()], dtype=float).T
        cuts = cut_points(values, "kmeans", n_bins, sample_weight=counts)
        assert np.bincount(assign(values, cuts), counts).tolist() == sizes

    def test_worked_by_hand(self):
        # Starts 2 and 8 (the quartiles) move to the means 1.5 and 9 and stay there.
        assert cut_points([1, 2, 8, 10], "kmeans", 2).tolist() == [5.25]

    @quick
    @given(rows, st.integers(1, 6))
    def test_against_the_definition(self, table, n_bins):
        values = columns(table)[0]
        centres = slow_lloyd(np.sort(values), n_bins)
        expected = [(low + high) / 2 for low, high in pairwise(centres)]
        assert cut_points(values, "kmeans", n_bins) == pytest.approx(expected, abs=1e-12)

    @quick
    @given(st.lists(st.tuples(tenths, st.integers(1, 4)), min_size=1, max_size=20), st.floats(0, 1))
    def test_weighted_quantiles_are_those_of_the_repeated_values(self, pairs, share):
        counts = {}
        for value, count in pairs:
            counts[value] = counts.get(value, 0) + count
        points = np.array(sorted(counts))
        totals = np.array([counts[point] for point in points], dtype=float)
        expected = np.quantile(np.repeat(points, totals.astype(int)), share)
        assert _quantiles(points, totals, np.array([share]))[0] == expected

    def test_weights_that_add_up_to_one(self):
        """Small weights of equal size mean what equal rows mean."""
        values = np.arange(20.0) ** 2
        shares = np.full(20, 1 / 16) / 2
        weighted = cut_points(values, "kmeans", 4, sample_weight=shares)
        assert weighted.tolist() == cut_points(values, "kmeans", 4).tolist()

    def test_a_cluster_of_next_to_no_weight_keeps_its_mean(self):
        cuts = cut_points([0.0, 1.0, 10.0], "kmeans", 3, sample_weight=[1.0, 1e-12, 1.0])
        assert cuts.tolist() == [0.5, 5.5]


def slow_mdl(values, classes):
    """Fayyad and Irani's recursion with counts in plain Python."""

    def entropy(part):
        return -sum(part.count(c) / len(part) * math.log2(part.count(c) / len(part)) for c in set(part))

    distinct = sorted(set(values))
    whole = list(classes)
    n, best = len(whole), None
    for low, high in pairwise(distinct):
        left = [c for value, c in zip(values, whole, strict=True) if value <= low]
        right = [c for value, c in zip(values, whole, strict=True) if value > low]
        mean = (len(left) * entropy(left) + len(right) * entropy(right)) / n
        if best is None or mean < best[0] - 1e-10:
            best = mean, (low + high) / 2, left, right
    if best is None:
        return []
    mean, cut, left, right = best
    k, k_left, k_right = len(set(whole)), len(set(left)), len(set(right))
    delta = math.log2(3**k - 2) - (k * entropy(whole) - k_left * entropy(left) - k_right * entropy(right))
    if entropy(whole) - mean <= (math.log2(n - 1) + delta) / n:
        return []
    pairs = list(zip(values, whole, strict=True))
    below = [pair for pair in pairs if pair[0] < cut]
    above = [pair for pair in pairs if pair[0] > cut]
    return [*slow_mdl(*zip(*below, strict=True)), cut, *slow_mdl(*zip(*above, strict=True))]


class TestMdl:
    def test_a_known_split_is_found(self):
        values = np.arange(40.0)
        assert cut_points(values, "mdl", class_codes=values > 12).tolist() == [12.5]

    def test_two_known_splits_are_found(self):
        values = np.arange(60.0)
        classes = np.repeat([0, 1, 0], 20)
        assert cut_points(values, "mdl", class_codes=classes).tolist() == [19.5, 39.5]

    def test_pure_noise_is_not_cut(self):
        generator = np.random.default_rng(0)
        values, classes = generator.normal(size=(20, 300)), generator.integers(0, 2, size=(20, 300))
        cut = [
            len(cut_points(*row, class_codes=c))
            for *row, c in zip(values, ["mdl"] * 20, classes, strict=True)
        ]
        assert sum(cut) == 0

    def test_one_class_is_not_cut(self):
        assert cut_points([1, 2, 3, 4], "mdl", class_codes=[7, 7, 7, 7]).tolist() == []

    def test_a_few_rows_are_not_enough(self):
        # One bit saved on each of 4 rows, 4 bits; telling costs log2(3) + log2(7) - 2 = 2.39 bits: cut.
        assert cut_points([1, 2, 3, 4], "mdl", class_codes=[0, 0, 1, 1]).tolist() == [2.5]
        # Three rows save 2.75 bits; telling costs log2(2) + log2(7) - 2 * 0.918 = 1.97 bits: cut.
        assert cut_points([1, 2, 3], "mdl", class_codes=[0, 0, 1]).tolist() == [2.5]
        # A mixed right half saves 1.25 of 4 bits; telling costs 1.58 + 2.81 - 2 + 1.84 = 4.23 bits: no cut.
        assert cut_points([1, 2, 3, 4], "mdl", class_codes=[0, 1, 0, 1]).tolist() == []

    @settings(max_examples=200, deadline=None)
    @given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), min_size=1, max_size=40))
    def test_against_the_definition(self, pairs):
        values, classes = zip(*pairs, strict=True)
        assert cut_points(values, "mdl", class_codes=classes).tolist() == slow_mdl(values, classes)

    @quick
    @given(rows)
    def test_names_of_classes_do_not_matter(self, table):
        values, _, classes = columns(table)
        renamed = np.array([40, -3, 17])[classes]
        first, second = (cut_points(values, "mdl", class_codes=codes) for codes in (classes, renamed))
        assert first.tolist() == second.tolist()

    def test_many_classes_do_not_overflow(self):
        values = np.repeat(np.arange(1500.0), 3)
        cuts = cut_points(values, "mdl", class_codes=values.astype(int))
        assert cuts.tolist() == [value + 0.5 for value in range(1499)]


class TestAssign:
    def test_a_value_on_a_cut_goes_right_and_missing_comes_last(self):
        values = [-np.inf, 0.9, 1.0, 1.5, 2.0, np.inf, np.nan]
        assert assign(values, [1.0, 2.0]).tolist() == [0, 0, 1, 1, 2, 2, 3]

    def test_without_cuts_there_is_one_bin(self):
        assert assign([3.0, np.nan], []).tolist() == [0, 1]
        assert assign([3.0], []).dtype == np.int64

    @quick
    @given(st.lists(tenths, unique=True, max_size=6), st.lists(tenths, max_size=10))
    def test_the_bin_is_the_number_of_cuts_not_above(self, cuts, values):
        cuts = sorted(cuts)
        assert assign(values, cuts).tolist() == [sum(cut <= value for cut in cuts) for value in values]


class TestLabels:
    @pytest.mark.parametrize(
        ("cuts", "labels"),
        [
            ([], ("any",)),
            ([1.5], ("< 1.5", ">= 1.5")),
            ([-2.0, 0.0, 3.0], ("< -2", "-2 to 0", "0 to 3", ">= 3")),
            ([1 / 3, 2 / 3], ("< 0.3333", "0.3333 to 0.6667", ">= 0.6667")),
            ([0.1 + 0.2], ("< 0.3", ">= 0.3")),
            ([1.51675, 1.51704], ("< 1.51675", "1.51675 to 1.51704", ">= 1.51704")),
            ([26727.5, 12345678.5], ("< 26727.5", "26727.5 to 12345678.5", ">= 12345678.5")),
            ([1e-7, 2.5e20], ("< 1e-07", "1e-07 to 2.5e+20", ">= 2.5e+20")),
        ],
    )
    def test_readable(self, cuts, labels):
        assert interval_labels(np.array(cuts)) == labels

    @quick
    @given(st.lists(numbers, unique=True, min_size=1, max_size=8))
    def test_distinct_for_any_cuts(self, cuts):
        cuts = np.unique(cuts)
        labels = interval_labels(cuts)
        assert len(labels) == len(set(labels)) == len(cuts) + 1

    @quick
    @given(st.lists(numbers, unique=True, min_size=2, max_size=8))
    def test_bounds_read_back_in_order(self, cuts):
        bounds = [float(label.split(" to ")[0]) for label in interval_labels(np.unique(cuts))[1:-1]]
        assert bounds == sorted(bounds)


class TestRounding:
    """Sums of weights that are not whole have rounding errors, which do not decide where cuts lie."""

    @pytest.mark.parametrize("weight", [0.7, 1 / 3, 0.1, 1e-3, 3e11, 1e80])
    @pytest.mark.parametrize("n_bins", [2, 3, 5, 20])
    def test_constant_weights_do_not_move_cuts_at_equal_frequency(self, weight, n_bins):
        generator = np.random.default_rng(5)
        for n_rows in (6, 15, 30, 100, 1000):
            for values in (np.arange(n_rows), generator.integers(0, 2 * n_bins, n_rows)):
                expected = cut_points(values, "frequency", n_bins)
                weights = np.full(n_rows, weight)
                found = cut_points(values, "frequency", n_bins, sample_weight=weights)
                assert found.tolist() == expected.tolist()

    @pytest.mark.parametrize("strategy", ["frequency", "mdl"])
    def test_weights_moved_by_their_last_digit(self, strategy):
        generator = np.random.default_rng(6)
        for _ in range(30):
            values, classes = generator.integers(0, 12, 40), generator.integers(0, 3, 40)
            weights = generator.choice([0.1, 0.2, 0.3, 0.7], 40)
            expected = cut_points(values, strategy, sample_weight=weights, class_codes=classes)
            moved = np.nextafter(weights, generator.choice([0.0, 1.0], 40))
            found = cut_points(values, strategy, sample_weight=moved, class_codes=classes)
            assert found.tolist() == expected.tolist()

    def test_two_rows_in_parts_are_split_like_whole_ones(self):
        """The weights add up to 2 on paper, and to a little less in floats."""
        values, weights = [0, 0, 1, 1, 1, 1], [0.1, 0.4, 0.2, 0.3, 0.3, 0.7]
        cuts = cut_points(values, "mdl", sample_weight=weights, class_codes=values)
        assert cuts.tolist() == cut_points([0, 1], "mdl", class_codes=[0, 1]).tolist() == [0.5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "widht"}, "strategy='widht'"),
        ({"n_bins": 0}, "n_bins=0"),
        ({"strategy": "mdl"}, "pass class_codes"),
    ],
)
def test_options_that_do_not_exist_are_refused(options, message):
    with pytest.raises(InvalidParameter, match=message):
        cut_points([1.0, 2.0, 3.0], **options)
