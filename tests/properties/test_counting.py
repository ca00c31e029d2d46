"""Counts are a commutative monoid, and the fast kernels count what there is to count."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength import _threads
from codelength.counts import Counts, count
from codelength.counts._kernels import count_one_by_one
from codelength.table import Coded, Schema
from properties.strategies import row_weights, seeds, tables

TOLERANCE = 1e-9
quick = settings(max_examples=50)


def random_table(sizes, n_classes, n_rows, seed):
    """Codes up to and including the one for missing, some columns being skewed."""
    generator = np.random.default_rng(seed)
    schema = Schema.from_sizes(sizes, n_classes)
    codes = np.empty((n_rows, len(sizes)), dtype=schema.code_type, order="F")
    for i, size in enumerate(sizes):
        share = generator.random(n_rows) ** generator.integers(1, 4)
        codes[:, i] = np.minimum((share * (size + 1)).astype(np.int64), size)
    return Coded.of(schema, codes, generator.integers(0, n_classes, n_rows))


def plainly_counted(coded):
    """One cell at a time, by numpy's own adding."""
    schema = coded.schema
    value_counts = np.zeros((schema.n_classes, schema.n_cells))
    weights = np.ones(coded.n_rows) if coded.weights is None else coded.weights
    for i in range(schema.n_variables):
        at = coded.class_codes.astype(np.int64), schema.offsets[i] + coded.codes[:, i].astype(np.int64)
        np.add.at(value_counts, at, weights)
    return value_counts


@quick
@given(st.data())
def test_counts_are_those_of_the_definition(data):
    table = data.draw(tables())
    weights = data.draw(st.one_of(st.none(), row_weights(table)))
    counts, expected = table.counts(weights), table.naive_counts(weights)
    assert counts.class_counts.tolist() == expected.class_counts
    for i in range(len(table.n_values)):
        assert counts.of(i).tolist() == [of_class[i] for of_class in expected.value_counts]
    assert counts.n_rows == (len(table.rows) if weights is None else weights.sum())


@quick
@given(st.data())
def test_counts_of_the_parts_add_up_to_those_of_the_whole(data):
    table = data.draw(tables())
    weights = data.draw(st.one_of(st.none(), row_weights(table)))
    part = data.draw(st.lists(st.booleans(), min_size=len(table.rows), max_size=len(table.rows)))
    first, second = np.flatnonzero(part), np.flatnonzero(np.logical_not(part))
    parts = [table.take(rows).counts(None if weights is None else weights[rows]) for rows in (first, second)]
    whole = table.counts(weights)
    assert parts[0].merge(parts[1]) == whole
    assert parts[1].merge(parts[0]) == whole
    assert whole.merge(Counts.empty(table.schema)) == whole


@quick
@given(st.data())
def test_adding_and_removing_a_row_changes_nothing(data):
    table = data.draw(tables())
    counts = table.counts(data.draw(st.one_of(st.none(), row_weights(table))))
    row = [data.draw(st.integers(0, n)) for n in table.n_values]
    label = data.draw(st.integers(0, table.n_classes - 1))
    weight = data.draw(st.sampled_from([0.25, 1.0, 3.0]))
    before = counts.class_counts.copy(), counts.value_counts.copy()
    assert counts.add(row, label, weight).remove(row, label, weight) == counts
    np.testing.assert_array_equal(counts.class_counts, before[0])
    np.testing.assert_array_equal(counts.value_counts, before[1])


@quick
@given(st.data())
def test_rows_added_one_by_one_are_rows_counted_at_once(data):
    table = data.draw(tables())
    weights = data.draw(row_weights(table))
    counts = Counts.empty(table.schema)
    for row, label, weight in zip(table.coded.codes, table.coded.class_codes, weights, strict=True):
        counts = counts.add(row, int(label), weight)
    assert counts == table.counts(weights)


@quick
@given(st.lists(st.integers(1, 99).map(lambda n: n / 100), min_size=1, max_size=8), st.randoms())
def test_rows_of_any_weight_can_be_removed_in_any_order(weights, random):
    """Decimal fractions do not add up exactly, which is no reason to refuse a row that was counted."""
    counts = Counts.empty(Schema.from_sizes([2], 2))
    for weight in weights:
        counts = counts.add([1], 0, weight)
    random.shuffle(weights)
    for weight in weights:
        counts = counts.remove([1], 0, weight)
    np.testing.assert_allclose(counts.class_counts, 0, atol=TOLERANCE)
    assert counts.class_counts.min() >= 0
    assert counts.value_counts.min() >= 0


@settings(max_examples=40)
@given(
    st.lists(st.one_of(st.integers(1, 6), st.integers(1, 300)), min_size=1, max_size=7),
    st.integers(1, 30),
    st.sampled_from([0, 1, 3, 4, 5, 100, 1001, 8192, 8193, 20_000]),
    seeds,
)
def test_grouped_columns_are_counted_like_single_cells(sizes, n_classes, n_rows, seed):
    coded = random_table(sizes, n_classes, n_rows, seed)
    counts, offsets = count(coded), coded.schema.offsets
    np.testing.assert_array_equal(counts.value_counts, plainly_counted(coded))
    one_by_one = count_one_by_one(coded.codes.T, coded.class_codes, offsets, n_classes, 0, n_rows)
    np.testing.assert_array_equal(counts.value_counts, one_by_one)
    np.testing.assert_array_equal(counts.class_counts, np.bincount(coded.class_codes, minlength=n_classes))


@pytest.mark.parametrize(
    ("sizes", "n_classes"),
    [([2184, 3], 30), ([2183, 3], 30), ([65_534], 1), ([65_535], 1), ([70_000, 2], 2), ([255, 256], 3)],
)
def test_columns_around_the_limits_of_the_code_types(sizes, n_classes):
    """Joint keys have 16 bits: one more value, and cells are counted one by one."""
    coded = random_table(sizes, n_classes, 3000, seed=7)
    np.testing.assert_array_equal(count(coded).value_counts, plainly_counted(coded))


@pytest.mark.parametrize("sizes", [[2, 3, 4, 5, 6, 7, 8], [1, 1, 1], [300, 2, 2, 2], [40_000]])
@pytest.mark.parametrize("block_rows", [1, 7, 1000])
def test_counts_do_not_depend_on_threads(sizes, block_rows):
    coded = random_table(sizes, 3, 900, seed=3)
    heavy = replace(coded, weights=np.random.default_rng(4).random(900))
    with mock.patch.object(_threads, "BLOCK_ROWS", block_rows):
        plain = [count(coded, n_threads=n) for n in (1, 2, 3, 8)]
        weighted = [count(heavy, n_threads=n) for n in (1, 2, 3, 8)]
    np.testing.assert_array_equal(plain[0].value_counts, plainly_counted(coded))
    np.testing.assert_allclose(weighted[0].value_counts, plainly_counted(heavy), rtol=1e-12)
    assert all(counts == plain[0] for counts in plain)
    assert all(counts == weighted[0] for counts in weighted)


@quick
@given(st.data())
def test_whole_weights_count_like_repeated_rows(data):
    table = data.draw(tables())
    repeats = data.draw(st.lists(st.integers(0, 3), min_size=len(table.rows), max_size=len(table.rows)))
    repeated = table.take(np.repeat(np.arange(len(table.rows)), repeats))
    assert table.counts(np.array(repeats, dtype=np.float64)) == repeated.counts()
