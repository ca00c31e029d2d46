"""An order by content: the same however a table is ordered, and whatever its values are called."""

from dataclasses import replace

import numpy as np
import pytest

from codelength.averages.content import canonical_order, shuffled
from codelength.averages.training import Training
from codelength.sources import as_table
from codelength.table import Cutting, encode, infer_schema


def training_of(columns, labels):
    table = as_table(columns, labels)
    schema = infer_schema(table, missing="value", numeric="discretize", cutting=Cutting(n_bins=100))
    return Training.of(encode(schema, table))


def arranged_table(training):
    """The table with everything in its place: codes are ranks of values, and classes ranks of classes."""
    arranged = canonical_order(training)
    ranks = [np.argsort(values) for values in arranged.values]
    codes = np.array([ranks[j][training.fine[:, j]] for j in arranged.variables])[:, arranged.rows]
    labels = np.argsort(arranged.classes)[training.labels[arranged.rows]]
    return codes, labels, training.weights[arranged.rows]


@pytest.mark.parametrize("seed", range(5))
def test_the_arranged_table_does_not_depend_on_any_order(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=60)
    values = np.where(rng.random((4, 60)) < 0.4, labels, rng.integers(5, size=(4, 60)))
    numbers = rng.normal(size=(2, 60)).round(1)
    numbers[0, ::9] = np.nan
    columns = {f"n{j}": column for j, column in enumerate(numbers)}
    columns |= {f"v{j}": np.array([f"k{k}" for k in column]) for j, column in enumerate(values)}
    first = arranged_table(training_of(columns, [f"y{k}" for k in labels]))
    order = rng.permutation(60)
    names = {f"k{k}": name for k, name in enumerate("dbeac")}
    others = {}
    for name in rng.permutation(list(columns)):
        column = columns[name][order]
        others[str(name)] = np.array([names[k] for k in column]) if name.startswith("v") else column
    second = arranged_table(training_of(others, ["zxy"[k] for k in labels[order]]))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def test_everything_has_one_place():
    training = training_of({"x": list("abcabcabca"), "y": np.arange(10.0)}, list("uvuvuvuvuw"))
    arranged = canonical_order(training)
    assert sorted(arranged.rows.tolist()) == list(range(10))
    assert sorted(arranged.variables.tolist()) == [0, 1]
    assert sorted(arranged.classes.tolist()) == [0, 1, 2]
    assert sorted(arranged.values[0].tolist()) == [0, 1, 2]
    assert arranged.values[1].tolist() == list(range(10))


def test_another_table_is_arranged_in_another_way():
    columns = {f"x{j}": np.random.default_rng(j).normal(size=40) for j in range(4)}
    orders = {
        tuple(
            canonical_order(
                training_of(columns, np.random.default_rng(seed).permutation(["a", "b"] * 20))
            ).rows
        )
        for seed in range(5)
    }
    assert len(orders) == 5


def test_numbers_in_one_interval_are_told_apart():
    """Of 100 numbers five each fall into a fine interval; the row at a place has the same number again."""
    numbers, labels = np.arange(100.0), np.array(["a", "b"] * 50)
    order = np.random.default_rng(0).permutation(100)
    arranged = [
        values[training.places.argsort()][canonical_order(training).rows]
        for values, training in (
            (numbers, training_of({"x": numbers}, labels)),
            (numbers[order], training_of({"x": numbers[order]}, labels[order])),
        )
    ]
    np.testing.assert_array_equal(*arranged)


def test_shuffled_rows_depend_on_content_member_and_seed():
    columns = {"x": np.random.default_rng(0).normal(size=50), "y": list("abcde") * 10}
    training = training_of(columns, ["u", "v"] * 25)
    order = shuffled(training, "a")
    np.testing.assert_array_equal(np.sort(order), np.arange(50))
    np.testing.assert_array_equal(shuffled(training, "a"), order)
    assert not np.array_equal(shuffled(training, "b"), order)
    assert not np.array_equal(shuffled(replace(training, seed=1), "a"), order)
