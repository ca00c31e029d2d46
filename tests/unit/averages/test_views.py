"""What members look at: fine and coarse codes, and numbers, learned from training rows alone."""

import json

import numpy as np
import pytest

from codelength.averages.training import Training
from codelength.averages.views import COARSE, COARSE_VALUES, FINE, FINE_VALUES, Views
from codelength.errors import DataError
from codelength.sources import as_table
from codelength.table import encode, infer_schema
from codelength.table.cutting import Cutting


def coded(columns, target=None, **options):
    n_rows = len(next(iter(columns.values())))
    table = as_table(columns, ["a", "b"] * (n_rows // 2) + ["a"] * (n_rows % 2) if target is None else target)
    usual = {"missing": "value", "numeric": "discretize", "cutting": Cutting(n_bins=100)}
    return encode(infer_schema(table, **(usual | options)), table)


def test_numbers_are_seen_in_bins_of_equal_weight():
    rows = coded({"x": np.arange(1000.0)})
    [view] = Views.of(rows).columns
    assert (view.n_fine, view.n_coarse, view.n_intervals) == (FINE, COARSE, FINE)
    for codes, n_bins in ((view.fine, FINE), (view.coarse, COARSE)):
        counts = np.bincount(codes[rows.codes[:, 0]])
        assert counts.tolist() == [1000 // n_bins] * n_bins
    scores = view.numbers[rows.codes[:, 0], 0]
    expected = (np.arange(1000) - 499.5) / np.std(np.arange(1000))
    assert np.abs(scores - expected).max() < 0.03


def test_few_numbers_are_all_kept_apart():
    """Even where most rows hold the same number."""
    [view] = Views.of(coded({"x": [0.5] * 90 + [1.5] * 2 + [2.5] * 8})).columns
    assert (view.n_fine, view.n_coarse) == (3, 3)


def test_missing_cells_are_the_last_code_and_have_an_indicator():
    rows = coded({"x": [1.5, 2.5, None, 4.5, 5.5, None]})
    [view] = Views.of(rows).columns
    assert (view.n_intervals, view.n_fine) == (4, 5)
    assert view.fine[rows.codes[:, 0]].tolist() == [0, 1, 4, 2, 3, 4]
    np.testing.assert_array_equal(view.numbers[rows.codes[:, 0], 1], [0, 0, 1, 0, 0, 1])
    assert view.numbers[rows.codes[2, 0], 0] == 0


def test_frequent_values_stay_and_the_rest_is_one():
    """Half of the cells hold their own rare value among 200, the others one of 30 frequent ones."""
    values = [f"often {i % 30}" for i in range(600)] + [f"rare {i % 200}" for i in range(600)]
    rows = coded({"x": values})
    [view] = Views.of(rows).columns
    assert (view.n_fine, view.n_coarse) == (FINE_VALUES, COARSE_VALUES)
    fine = view.fine[rows.codes[:, 0]]
    often = np.array([value.startswith("often") for value in values])
    assert len(set(fine[often])) == 30
    assert np.bincount(fine[~often]).max() > 500


def test_values_that_were_never_seen_say_nothing():
    training = coded({"x": ["a", "b", "a", "b"], "n": [1.5, 2.5, 3.5, 4.5]})
    views = Views.of(training)
    new = encode(training.schema, {"x": ["a", "c", None], "n": [9.0, None, 2.6]})
    assert views.fine(new).tolist() == [[0, 3], [-1, -1], [-1, 1]]
    assert views.numbers(new)[1].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("column", [["a"] * 4, [1.5] * 4, [None] * 4, [True] * 4])
def test_what_does_not_vary_is_left_out(column):
    views = Views.of(coded({"x": column, "y": ["u", "v", "u", "v"]}))
    assert [view.position for view in views.columns] == [1]


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1.0])
def test_the_scale_of_numbers_does_not_matter(scale):
    numbers = np.random.default_rng(0).normal(size=300)
    one, other = (Views.of(coded({"x": numbers * factor})).columns[0] for factor in (1.0, scale))
    np.testing.assert_allclose(one.numbers, other.numbers, atol=1e-9)
    np.testing.assert_array_equal(one.fine, other.fine)


def test_weights_count_as_rows():
    columns = {"x": [1.5, 2.5, 2.5, 3.5, 3.5, 3.5], "y": ["a", "b", "b", "c", "c", "c"]}
    labels = ["u", "v", "v", "u", "u", "u"]
    repeated = Training.of(coded(columns, labels))
    schema = repeated.coded.schema
    short = {"x": [1.5, 2.5, 3.5], "y": ["a", "b", "c"]}
    weighted = Training.of(encode(schema, short, ["u", "v", "u"], sample_weight=[1, 2, 3]))
    np.testing.assert_array_equal(weighted.weights, repeated.weights)
    np.testing.assert_array_equal(weighted.numbers, repeated.numbers)
    np.testing.assert_array_equal(weighted.log_prior_left_out, repeated.log_prior_left_out)
    assert repeated.places.tolist() == [0, 1, 1, 2, 2, 2]


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(1)
    columns = {"x": rng.normal(size=50).round(1), "y": rng.choice(["a", "b"], 50)}
    labels = rng.choice(["u", "v", "w"], 50)
    rows = coded(columns, labels)
    order = rng.permutation(50)
    one, other = Training.of(rows), Training.of(rows.take(order))
    np.testing.assert_array_equal(one.fine, other.fine)
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_array_equal(one.places[order], other.places)


def test_a_copy_is_left_out_of_the_prior():
    """Four rows of u, two of v: without a row of u, (3 + 1/2) / (5 + 1)."""
    training = Training.of(coded({"x": ["a"] * 4 + ["b"] * 2}, ["u"] * 4 + ["v"] * 2))
    np.testing.assert_allclose(np.exp(training.log_prior), [4.5 / 7, 2.5 / 7])
    np.testing.assert_allclose(np.exp(training.log_prior_left_out), [[3.5 / 6, 2.5 / 6], [4.5 / 6, 1.5 / 6]])


def test_broken_weights_are_spread_over_copies():
    rows = coded({"x": ["a", "b", "c"]}, ["u", "v", "u"])
    weighted = encode(rows.schema, {"x": ["a", "b", "c"]}, ["u", "v", "u"], sample_weight=[0.25, 2.5, 7])
    training = Training.of(weighted)
    assert training.n_copies.tolist() == [1, 2, 7]
    np.testing.assert_allclose(training.copy_weights, [0.25, 1.25, 1.0])


def test_many_rows_are_looked_at_in_part_and_counted_in_full():
    rng = np.random.default_rng(2)
    rows = coded({"x": rng.normal(size=500), "y": rng.normal(size=500)}, rng.choice(["u", "v"], 500))
    training = Training.of(rows, most_rows=100)
    assert (training.n_rows, len(training.fine)) == (100, 100)
    assert training.class_counts.sum() == 500
    assert sum(counts.sum() for counts in training.fine_counts) == 1000


def test_views_come_back_from_files():
    rng = np.random.default_rng(3)
    rows = coded({"x": rng.normal(size=60), "y": rng.choice(["a", "b", None], 60).astype(object)})
    views = Views.of(rows)
    found = Views.from_json(json.loads(json.dumps(views.to_json())), rows.schema)
    np.testing.assert_array_equal(found.fine(rows), views.fine(rows))
    np.testing.assert_array_equal(found.coarse(rows), views.coarse(rows))
    np.testing.assert_array_equal(found.numbers(rows), views.numbers(rows))
    assert found.n_intervals.tolist() == views.n_intervals.tolist()


@pytest.mark.parametrize(
    "damage",
    [
        lambda parts: parts[0].update(position=7),
        lambda parts: parts[0].update(position=1),
        lambda parts: parts.reverse(),
        lambda parts: parts[0].update(n_intervals=99),
        lambda parts: parts[0].update(n_intervals="2"),
        lambda parts: parts[0].update(fine=parts[1]["fine"]),
        lambda parts: parts[0].update(numbers=parts[1]["numbers"]),
    ],
    ids=range(7),
)
def test_damaged_views_are_refused(damage):
    rows = coded({"x": [1.5, 2.5, 3.5, 4.5], "y": ["a", "b", "c", "a"]})
    document = json.loads(json.dumps(Views.of(rows).to_json()))
    damage(document["columns"])
    with pytest.raises(DataError):
        Views.from_json(document, rows.schema)
