"""Counts: what they hold, what they refuse, and how columns are grouped for counting."""

from dataclasses import replace

import numpy as np
import pytest

from codelength import NaiveBayes, Schema, Variable
from codelength.counts import Counts, column_groups, count, expected_counts
from codelength.counts.counts import count_plainly
from codelength.errors import CodelengthError, DataError, SchemaMismatch
from codelength.table import Coded, encode

SCHEMA = Schema([Variable("a", ("x", "y")), Variable("b", (1, 2, 3))], Variable("y", ("no", "yes")))


@pytest.fixture
def counts():
    table = {"a": ["x", "y", None, "x"], "b": [1, 1, 3, None]}
    return count(encode(SCHEMA, table, ["no", "yes", "yes", "no"]))


def test_cells_and_spare_cells(counts):
    assert counts.class_counts.tolist() == [2, 2]
    assert counts.value_counts.tolist() == [[2, 0, 0, 1, 0, 0, 1], [0, 1, 1, 1, 0, 1, 0]]
    assert counts.of("a").tolist() == counts.of(0).tolist() == [[2, 0], [0, 1]]
    assert counts.of("b").tolist() == [[1, 0, 0], [1, 0, 1]]
    assert counts.n_rows == 4


@pytest.mark.parametrize("variable", [2, -3, 99, "c"])
def test_variables_that_are_not_there(counts, variable):
    with pytest.raises(CodelengthError, match=str(variable)):
        counts.of(variable)


def test_the_last_variable_counted_from_the_end(counts):
    """-1 is the last variable or it is refused, but never an empty table."""
    try:
        last = counts.of(-1)
    except CodelengthError:
        return
    assert last.tolist() == counts.of(1).tolist()


@pytest.mark.parametrize(
    ("row", "label"),
    [
        ([0], 0),
        ([0, 0, 0], 0),
        ([0, 4], 0),
        ([3, 0], 0),
        ([-1, 0], 0),
        ([0, 0], 2),
        ([0, 0], -1),
        (["x", 0], 0),
        ([0.5, 0], 0),
    ],
)
def test_rows_that_do_not_fit(counts, row, label):
    with pytest.raises(DataError, match=r"row|class|codes"):
        counts.add(row, label)


@pytest.mark.parametrize("weight", [-1, np.nan, np.inf])
def test_weights_that_are_none(counts, weight):
    with pytest.raises(DataError, match="weight"):
        counts.add([0, 0], 0, weight)
    with pytest.raises(DataError, match="weight"):
        counts.remove([0, 0], 0, weight)


def test_rows_that_were_not_counted_cannot_be_removed(counts):
    with pytest.raises(DataError, match=r"row \[1, 0\] of class 0.*not counted"):
        counts.remove([1, 0], 0)
    with pytest.raises(DataError, match="not counted"):
        counts.remove([0, 0], 0, weight=2.5)


def test_counts_of_cells_add_up_in_any_order(counts):
    flat = np.concatenate((counts.class_counts, counts.value_counts.ravel()))
    cells = np.random.default_rng(0).permutation(np.repeat(np.arange(len(flat)), 2))
    assert Counts.from_cells(SCHEMA, cells, flat[cells] / 2) == counts


def test_equality_is_that_of_schema_and_numbers(counts):
    assert counts == counts.merge(Counts.empty(SCHEMA))
    assert counts != Counts.empty(SCHEMA)
    assert counts != "counts"
    other = Schema([Variable("a", ("y", "x")), SCHEMA.variables[1]], SCHEMA.target)
    assert Counts.empty(SCHEMA) != Counts.empty(other)
    with pytest.raises(SchemaMismatch, match="schema="):
        counts.merge(Counts.empty(other))
    with pytest.raises(TypeError, match="unhashable"):
        hash(counts)


def test_counting_without_variables_counts_classes():
    schema = Schema([], Variable("y", ("no", "yes")))
    codes, class_codes = np.zeros((3, 0), dtype=np.uint8), [0, 1, 1]
    assert count(Coded.of(schema, codes, class_codes)).class_counts.tolist() == [1, 2]
    weighted = Coded.of(schema, codes, class_codes, [1.0, 2.0, 0.5])
    assert count(weighted).class_counts.tolist() == [1, 2.5]


def test_counting_without_a_target_has_one_class():
    schema = Schema.from_sizes([2])
    assert count(encode(schema, [[0], [1], [1]])).of(0).tolist() == [[1, 2]]


def test_counting_no_rows():
    assert count(encode(SCHEMA, {"a": [], "b": []}, [])) == Counts.empty(SCHEMA)


@pytest.mark.parametrize("form", [list, np.array, lambda w: np.array(w, dtype=np.float32), tuple])
def test_weights_of_any_form(form):
    coded = Coded.of(Schema.from_sizes([2]), [[0], [1], [1]], weights=form([1, 2, 3]))
    assert count(coded).of(0).tolist() == [[1, 5]]


def test_weights_of_another_length():
    with pytest.raises(CodelengthError, match=r"sample_weight.*\(2,\).*\(3,\)"):
        Coded.of(Schema.from_sizes([2]), [[0], [1], [1]], weights=np.array([1.0, 2.0]))


def test_rows_coded_by_another_schema_are_refused():
    """Columns that the schema does not have must not be dropped without a word."""
    coded = encode(Schema.from_sizes([5, 5], 3), [[4, 4], [0, 0]], [2, 0])
    with pytest.raises(CodelengthError, match=r"schema|columns|variables"):
        Coded.of(Schema.from_sizes([5], 3), coded.codes, coded.class_codes)


@pytest.mark.parametrize("name", ["class_counts", "value_counts"])
@pytest.mark.parametrize("wrong", [[1.0], [[1.0]], "text", None, np.zeros((9, 99))])
def test_arrays_that_do_not_fit_the_schema_are_refused(counts, name, wrong):
    with pytest.raises(SchemaMismatch, match=name):
        replace(counts, **{name: wrong})


@pytest.mark.parametrize("number", [-1.0, np.nan, np.inf, 7.0])
def test_models_refuse_counts_that_no_table_has(counts, number):
    wrong = counts.class_counts.copy()
    wrong[0] = number
    with pytest.raises(DataError, match=r"negative or not finite|do not add up"):
        NaiveBayes().fit_counts(replace(counts, class_counts=wrong))


def test_json_is_checked(counts):
    document = counts.to_json()
    for key, value, match in (
        ("class_counts", [2], "shape"),
        ("class_counts", [3, 1], "add up"),
        ("class_counts", [2, -2], "negative|add up"),
        ("value_counts", [[0.0] * 7] * 3, "shape"),
        ("value_counts", [[0.0] * 7] * 2, "'a' do not add up"),
    ):
        with pytest.raises(DataError, match=match):
            Counts.from_json(document | {key: value}, SCHEMA)


def test_json_has_whole_numbers_where_counts_are_whole(counts):
    assert all(type(number) is int for row in counts.to_json()["value_counts"] for number in row)
    assert counts.add([0, 0], 0, 0.5).to_json()["class_counts"] == [2.5, 2]


@pytest.mark.parametrize(
    ("sizes", "most_cells", "groups"),
    [
        ([], 10, [0]),
        ([5], 1, [0, 1]),
        ([2, 2, 2, 2], 100, [0, 3, 4]),
        ([2, 2, 2, 2], 4, [0, 2, 4]),
        ([2, 50, 2], 10, [0, 1, 2, 3]),
        ([2, 2], 0, [0, 1, 2]),
    ],
)
def test_groups_of_columns(sizes, most_cells, groups):
    assert column_groups(np.array(sizes, dtype=np.int64), most_cells).tolist() == groups


class TestExpectedCounts:
    """Rows shared out over the classes."""

    CODED = Coded.of(Schema.from_sizes([2, 3], 2), [[0, 1], [1, 3], [1, 2]], weights=[1.0, 2.0, 0.0])

    def test_shares_are_weighted_and_missing_cells_counted_apart(self):
        counts = expected_counts(self.CODED, [[0.25, 0.75], [0.5, 0.5], [1, 0]])
        assert counts.class_counts.tolist() == [1.25, 1.75]
        assert counts.of(0).tolist() == [[0.25, 1.0], [0.75, 1.0]]
        assert counts.of(1).tolist() == [[0, 0.25, 0], [0, 0.75, 0]]
        assert counts.value_counts[:, -1].tolist() == [1, 1]

    def test_whole_shares_are_a_count(self):
        """Rows that belong to one class each, whatever order the shares have in memory."""
        class_codes = np.array([1, 0, 1])
        labelled = Coded.of(self.CODED.schema, self.CODED.codes, class_codes, self.CODED.weights)
        shares = np.asfortranarray(np.eye(2)[class_codes])
        assert expected_counts(self.CODED, shares) == count(labelled)

    @pytest.mark.parametrize(
        "shares",
        [
            [[1, 0]],
            [[1, 0, 0]] * 3,
            [1, 0, 1],
            [[-1, 2]] * 3,
            [[np.nan, 1]] * 3,
            [[np.inf, 1]] * 3,
            [["a", "b"]] * 3,
            None,
        ],
        ids=str,
    )
    def test_shares_that_are_none(self, shares):
        with pytest.raises(DataError, match="shares"):
            expected_counts(self.CODED, shares)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_plain_counts_are_those_of_the_kernels(monkeypatch, seed, weighted):
    rng = np.random.default_rng(seed)
    schema = Schema.from_sizes(rng.integers(1, 6, 5).tolist(), n_classes=3)
    rows = rng.integers(0, schema.n_values + 1, (200, 5)).astype(np.uint8)
    weights = rng.random(200) if weighted else None
    coded = Coded.of(schema, rows, rng.integers(0, 3, 200), weights)
    plain = count_plainly(coded)
    monkeypatch.setattr("codelength.counts.counts.first_calls.left", 0)
    assert count(coded).value_counts.tobytes() == plain.tobytes()
