"""Codes with their schema and weights: parts of them, equal rows merged, and what is refused."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from codelength.counts import count
from codelength.errors import CodelengthError, DataError, Infeasible, InvalidParameter, SchemaMismatch
from codelength.table import Coded, Schema, Variable, encode
from codelength.table.coded import changed

SCHEMA = Schema.from_sizes([2, 3], n_classes=2)
CODED = Coded.of(
    SCHEMA,
    [[0, 2], [1, 3], [0, 2], [0, 2], [1, 0], [2, 3]],
    [1, 0, 1, 0, 1, 1],
    [1.0, 2.0, 0.5, 1.0, 0.0, 4.0],
)


def plain(coded):
    """Every row as a tuple of its cells, its class and its weight."""
    weights = np.ones(coded.n_rows) if coded.weights is None else coded.weights
    return [
        (*row, label, weight)
        for row, label, weight in zip(
            coded.codes.tolist(), coded.class_codes.tolist(), weights.tolist(), strict=True
        )
    ]


def merged(coded):
    """Equal rows and their summed weight, the slow way."""
    totals = defaultdict(float)
    for *row, weight in plain(coded):
        totals[tuple(row)] += weight
    return {row: weight for row, weight in totals.items() if weight > 0}


def assert_merged(coded):
    distinct = coded.distinct()
    found = {tuple(row): weight for *row, weight in plain(distinct)}
    assert len(found) == distinct.n_rows
    assert found == pytest.approx(merged(coded))
    assert distinct.is_distinct
    assert distinct.schema is coded.schema
    assert distinct.total_weight == pytest.approx(coded.total_weight)
    assert distinct.distinct() is distinct
    assert distinct.codes.dtype == coded.codes.dtype
    assert distinct.codes.flags.f_contiguous
    return distinct


def random_codes(sizes, n_classes, n_rows, seed, *, weighted=True):
    generator = np.random.default_rng(seed)
    codes = np.column_stack([generator.integers(0, size + 1, n_rows) for size in sizes])
    weights = generator.choice([0.0, 0.25, 1.0, 3.0], n_rows) if weighted else None
    schema = Schema.from_sizes(sizes, n_classes)
    return Coded.of(schema, codes, generator.integers(0, n_classes or 1, n_rows), weights)


class TestDistinct:
    def test_written_out(self):
        assert plain(assert_merged(CODED)) == [(0, 2, 0, 1.0), (0, 2, 1, 1.5), (1, 3, 0, 2.0), (2, 3, 1, 4.0)]

    @pytest.mark.parametrize("sizes", [[2], [2, 3], [1, 1, 1], [300, 2], [3, 70_000], [255, 256]], ids=str)
    @pytest.mark.parametrize("n_classes", [None, 1, 2, 300])
    @pytest.mark.parametrize("n_rows", [0, 1, 2, 500])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_against_the_slow_form(self, sizes, n_classes, n_rows, weighted):
        assert_merged(random_codes(sizes, n_classes, n_rows, 5, weighted=weighted))

    def test_the_order_of_rows_does_not_matter(self):
        """The rows come out the same; weights are binary fractions here, whose sums are exact."""
        coded = random_codes([2, 3, 300], 3, 400, 6)
        expected = plain(coded.distinct())
        generator = np.random.default_rng(7)
        for _ in range(5):
            assert plain(coded.take(generator.permutation(400)).distinct()) == expected

    def test_rows_of_weight_zero_are_no_rows(self):
        weights = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
        only = Coded.of(SCHEMA, CODED.codes, CODED.class_codes, weights).distinct()
        assert plain(only) == [(1, 0, 1, 1.0)]
        nothing = Coded.of(SCHEMA, CODED.codes, CODED.class_codes, np.zeros(6)).distinct()
        assert nothing.n_rows == 0
        assert nothing.codes.shape == (0, 2)

    def test_without_variables_the_classes_are_left(self):
        schema = Schema([], Variable("y", ("no", "yes")))
        coded = Coded.of(schema, np.zeros((4, 0), dtype=int), [1, 0, 1, 1], [1, 2, 3, 0.5])
        assert plain(assert_merged(coded)) == [(0, 2.0), (1, 4.5)]

    def test_without_anything_one_row_is_left(self):
        coded = Coded.of(Schema([]), np.zeros((4, 0), dtype=int))
        assert plain(assert_merged(coded)) == [(0, 4.0)]
        assert assert_merged(coded.take([])).n_rows == 0

    def test_classes_count_only_where_there_is_a_target(self):
        """Without one, class codes are all zero, and stay so."""
        coded = Coded.of(Schema.from_sizes([2, 3]), CODED.codes)
        assert plain(assert_merged(coded)) == [(0, 2, 0, 3.0), (1, 0, 0, 1.0), (1, 3, 0, 1.0), (2, 3, 0, 1.0)]

    def test_wide_class_codes_beside_narrow_cells(self):
        schema = Schema.from_sizes([2], n_classes=70_000)
        coded = Coded.of(schema, [[1], [1], [0], [1]], [69_999, 255, 69_999, 69_999])
        assert sorted(plain(assert_merged(coded))) == [(0, 69_999, 1.0), (1, 255, 1.0), (1, 69_999, 2.0)]

    def test_groups_say_which_rows_are_equal(self):
        first, places = CODED.groups()
        assert places.tolist() == [1, 3, 1, 0, 2, 4]
        assert first.tolist() == [3, 0, 4, 1, 5]
        assert (CODED.codes[first][places] == CODED.codes).all()
        assert (CODED.class_codes[first][places] == CODED.class_codes).all()

    def test_what_is_made_of_distinct_rows_is_known_to_be_distinct_or_not(self):
        distinct = CODED.distinct()
        assert not distinct.take([0, 0]).is_distinct
        assert not distinct.select([0]).is_distinct
        assert not distinct.relabelled(SCHEMA.without_target()).is_distinct
        assert distinct.with_class_as_column().is_distinct
        assert_merged(distinct.take([0, 0]))
        assert_merged(distinct.select([0]))
        assert_merged(distinct.relabelled(SCHEMA.without_target()))


class TestParts:
    @pytest.mark.parametrize(
        "rows",
        [[2, 0], np.array([5, 5, 1]), np.array([True, False, False, True, False, False]), slice(1, 3), []],
        ids=str,
    )
    def test_rows(self, rows):
        taken = CODED.take(rows)
        kept = np.arange(6)[rows] if len(np.atleast_1d(rows)) else []
        assert plain(taken) == [plain(CODED)[row] for row in kept]
        assert taken.codes.flags.f_contiguous
        assert taken.schema is SCHEMA

    def test_rows_without_weights_stay_so(self):
        assert Coded.of(SCHEMA, CODED.codes, CODED.class_codes).take([1]).weights is None

    @pytest.mark.parametrize("variables", [[1], [1, 0], [], (0,), [-1], range(2)], ids=str)
    def test_variables(self, variables):
        selected = CODED.select(variables)
        assert selected.schema == SCHEMA.select(list(variables))
        np.testing.assert_array_equal(selected.codes, CODED.codes[:, list(variables)])
        assert selected.codes.flags.f_contiguous
        assert selected.class_codes is CODED.class_codes
        assert selected.weights is CODED.weights

    def test_variables_that_are_not_there(self):
        with pytest.raises(SchemaMismatch, match="2 variables"):
            CODED.select([2])

    def test_another_target(self):
        schema = Schema(SCHEMA.variables, Variable("z", ("p", "q", "r")))
        relabelled = CODED.relabelled(schema, [2, 0, 1, 2, 2, 0])
        assert relabelled.schema is schema
        assert relabelled.class_codes.tolist() == [2, 0, 1, 2, 2, 0]
        assert relabelled.codes is CODED.codes
        assert relabelled.weights is CODED.weights
        assert CODED.relabelled(SCHEMA.without_target()).class_codes.tolist() == [0] * 6

    def test_the_class_as_a_column(self):
        wide = CODED.with_class_as_column()
        assert wide.schema == SCHEMA.with_class_as_variable()
        assert wide.schema.target is None
        assert wide.codes[:, :2].tolist() == CODED.codes.tolist()
        assert wide.codes[:, 2].tolist() == CODED.class_codes.tolist()
        assert wide.class_codes.tolist() == [0] * 6
        assert wide.weights is CODED.weights
        assert plain(wide.distinct()) == [
            (0, 2, 0, 0, 1.0),
            (0, 2, 1, 0, 1.5),
            (1, 3, 0, 0, 2.0),
            (2, 3, 1, 0, 4.0),
        ]

    def test_a_column_wide_enough_for_the_class(self):
        schema = Schema.from_sizes([2], n_classes=300)
        wide = Coded.of(schema, [[1], [2]], [299, 0]).with_class_as_column()
        assert wide.codes.tolist() == [[1, 299], [2, 0]]

    def test_no_class_to_make_a_column_of(self):
        with pytest.raises(InvalidParameter, match="no target"):
            Coded.of(Schema.from_sizes([2]), [[0]]).with_class_as_column()


class TestRepeated:
    def test_rows_one_by_one(self):
        coded = Coded.of(SCHEMA, CODED.codes, CODED.class_codes, [1, 2, 0, 3, 0, 1])
        repeated = coded.repeated()
        assert repeated.weights is None
        rows = [row[:-1] for row in plain(coded)]
        assert [row[:-1] for row in plain(repeated)] == [rows[j] for j in (0, 1, 1, 3, 3, 3, 5)]
        assert merged(repeated) == merged(coded)

    def test_nothing_to_do_without_weights(self):
        coded = Coded.of(SCHEMA, CODED.codes)
        assert coded.repeated() is coded

    def test_fractions_of_rows_are_refused(self):
        with pytest.raises(InvalidParameter, match="whole numbers"):
            CODED.repeated()

    def test_more_rows_than_memory_holds_are_refused(self):
        with pytest.raises(Infeasible, match="stand for 4,000,000,000,000 rows, more than the 100,000,000"):
            Coded.of(SCHEMA, [[0, 0], [1, 1]], weights=[1e12, 3e12]).repeated()

    def test_distinct_rows_repeated_are_not_distinct(self):
        coded = Coded.of(SCHEMA, [[0, 0], [0, 0]]).distinct().repeated()
        assert (coded.n_rows, coded.is_distinct) == (2, False)


class TestChecked:
    """The public constructor: compiled loops would count other codes out of bounds."""

    @pytest.mark.parametrize(
        "codes",
        [
            *([[0, 4]], [[3, 0]], [[-1, 0]], [[0, -5]], np.array([[0, 2**63]], dtype=np.uint64)),
            np.array([[0, 0], [0, 255]], dtype=np.uint8),
        ],
        ids=str,
    )
    def test_codes_out_of_range(self, codes):
        row = len(codes) - 1
        with pytest.raises(
            SchemaMismatch, match=f"codes, row {row}, column [01]: .* is not a code of the schema"
        ):
            Coded(SCHEMA, codes)

    @pytest.mark.parametrize(
        "codes", [[[0.0, 1.0]], [["a", "b"]], [[True, False]], [[None, 0]], [[np.nan, 0]], [[1j, 0]]], ids=str
    )
    def test_codes_that_are_no_whole_numbers(self, codes):
        with pytest.raises(DataError, match="expected whole numbers"):
            Coded(SCHEMA, codes)

    @pytest.mark.parametrize("codes", [[0, 1], [[0]], [[0, 1, 1]], [[[0, 1]]], 3, None, [], "ab"], ids=str)
    def test_another_shape(self, codes):
        with pytest.raises(SchemaMismatch, match="the schema has 2 variables; give one column"):
            Coded(SCHEMA, codes)

    def test_ragged_rows(self):
        with pytest.raises(DataError, match="different lengths"):
            Coded(SCHEMA, [[0, 1], [0]])
        with pytest.raises(DataError, match="different lengths"):
            Coded(SCHEMA, [[0, 1], [0, 1]], [[0], [0, 1]])

    @pytest.mark.parametrize("class_codes", [[0, 2], [0, -1], np.array([0, 255], dtype=np.uint8)], ids=str)
    def test_classes_out_of_range(self, class_codes):
        with pytest.raises(SchemaMismatch, match="class_codes, row 1"):
            Coded(SCHEMA, [[0, 0], [1, 1]], class_codes)

    @pytest.mark.parametrize("class_codes", [[0], [0, 1, 1], [[0], [1]], 0], ids=str)
    def test_another_number_of_classes(self, class_codes):
        with pytest.raises(DataError, match="give one per row"):
            Coded(SCHEMA, [[0, 0], [1, 1]], class_codes)

    @pytest.mark.parametrize("class_codes", [["no", "yes"], [0.0, 1.0], [None, None]], ids=str)
    def test_labels_are_no_codes(self, class_codes):
        with pytest.raises(DataError, match=r"class_codes .*expected whole numbers"):
            Coded(SCHEMA, [[0, 0], [1, 1]], class_codes)

    def test_a_class_without_a_target_is_zero(self):
        schema = Schema.from_sizes([2])
        assert Coded(schema, [[0], [1]], [0, 0]).class_codes.tolist() == [0, 0]
        with pytest.raises(SchemaMismatch, match="class_codes, row 1"):
            Coded(schema, [[0], [1]], [0, 1])

    @pytest.mark.parametrize("weights", [[1], [1, -1], [1, np.nan], ["a", "b"]], ids=str)
    def test_weights(self, weights):
        with pytest.raises(DataError, match=r"^sample_weight"):
            Coded(SCHEMA, [[0, 0], [1, 1]], weights=weights)

    def test_no_rows(self):
        for codes in (np.zeros((0, 2)), np.zeros((0, 2), dtype=np.uint8)):
            nothing = Coded(SCHEMA, codes, [], [])
            assert (nothing.n_rows, nothing.total_weight) == (0, 0)
            assert nothing.distinct().n_rows == 0

    def test_the_smallest_types_that_do(self):
        coded = Coded(Schema.from_sizes([255, 2], n_classes=256), [[255, 2]], [255])
        assert coded.codes.dtype == np.uint8
        assert coded.class_codes.dtype == np.uint16
        assert Coded(Schema.from_sizes([256]), [[256]]).codes.dtype == np.uint16

    def test_codes_made_by_encoding_pass(self):
        coded = encode(SCHEMA, [[0, -1], [1, 2]], [1, 0])
        again = Coded(SCHEMA, coded.codes, coded.class_codes)
        assert plain(again) == plain(coded)

    @pytest.mark.parametrize(
        "parts",
        [
            {"codes": np.full((6, 2), 200, dtype=np.uint8)},
            {"codes": np.full((6, 2), -1, dtype=np.int8)},
            {"codes": CODED.codes[:5]},
            {"codes": CODED.codes[:, :1]},
            {"class_codes": np.full(6, 200, dtype=np.uint8)},
            {"class_codes": np.full(6, -1, dtype=np.int8)},
            {"class_codes": CODED.class_codes[:5]},
            {"weights": np.ones(5)},
            {"weights": np.ones((6, 1))},
            {"weights": np.full(6, np.nan)},
            {"weights": -np.ones(6)},
            {"schema": Schema.from_sizes([2, 2], n_classes=2)},
            {"schema": Schema.from_sizes([2, 3, 4], n_classes=2)},
            {"schema": Schema.from_sizes([2, 3], n_classes=1)},
            {"schema": "text"},
            {"is_distinct": True},
            {"is_distinct": "yes"},
            {"unseen": [1]},
        ],
        ids=str,
    )
    def test_other_parts(self, parts):
        with pytest.raises(CodelengthError):
            replace(CODED, **parts)

    def test_other_parts_that_fit(self):
        """Signed codes become codes of the type that the schema asks for."""
        again = replace(CODED, codes=CODED.codes.astype(np.int64), class_codes=[0, 1, 0, 1, 0, 1])
        assert again.codes.dtype == SCHEMA.code_type
        assert again.codes.flags.f_contiguous
        assert again.codes.tolist() == CODED.codes.tolist()
        assert again.class_codes.tolist() == [0, 1, 0, 1, 0, 1]
        assert replace(CODED.distinct(), is_distinct=True).is_distinct

    @pytest.mark.parametrize("class_codes", [[2] * 6, [-1] * 6, [0] * 5, [0.5] * 6, ["a"] * 6], ids=str)
    def test_other_classes(self, class_codes):
        with pytest.raises(DataError, match=r"class.codes"):
            CODED.relabelled(SCHEMA, class_codes)

    def test_a_target_under_other_variables(self):
        with pytest.raises(SchemaMismatch, match="other variables than the table"):
            CODED.relabelled(Schema.from_sizes([2, 2], n_classes=2))
        with pytest.raises(InvalidParameter, match="expected a Schema"):
            CODED.relabelled(None)

    def test_many_rows_are_checked_before_they_reach_a_kernel(self):
        """Enough rows for compiled counting, which would write out of bounds."""
        codes, classes = np.zeros((5_000_000, 1), dtype=np.uint8), np.zeros(5_000_000, dtype=np.uint8)
        classes[-1] = 200
        with pytest.raises(SchemaMismatch, match="class_codes, row 4999999, column 0: 200 is not a code"):
            count(Coded(Schema.from_sizes([1], n_classes=2), codes, classes))

    def test_steps_of_our_own_do_not_scan(self, monkeypatch):
        def scan(*_):
            raise AssertionError("codes were checked again")

        monkeypatch.setattr(Coded, "__post_init__", scan)
        schema = SCHEMA.without_target()
        whole = changed(CODED, weights=np.ones(6))
        made = [whole.take([0]), whole.select([0]), whole.distinct(), whole.relative(), whole.repeated()]
        made += [whole.with_class_as_column(), whole.relabelled(schema), encode(schema, [[0, 1]])]
        assert all(isinstance(coded, Coded) for coded in made)


def test_total_weight():
    assert CODED.total_weight == 8.5
    assert Coded.of(SCHEMA, CODED.codes).total_weight == 6


def test_masked_codes_are_missing():
    """A masked array of integers hides numbers that are not meant."""
    masked = np.ma.masked_array([[1, 0], [0, 2]], [[True, False], [False, True]])
    assert encode(SCHEMA, masked).codes.tolist() == [[2, 0], [0, 3]]
