"""An order of rows, variables and values that depends on the content alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codelength.table import Coded, Schema
from codelength.table.content import content_order

SIZES = [2, 3, 4, 3, 2]


def drawn(seed, n_rows=40, weights=None):
    rng = np.random.default_rng(seed)
    # A cell may be missing, whose code is the number of values.
    codes = rng.integers(0, np.array(SIZES) + 1, (n_rows, len(SIZES)))
    return Coded.of(Schema.from_sizes(SIZES, 3), codes, rng.integers(0, 3, n_rows), weights)


def rewritten(coded, seed):
    """The same table with its rows and columns in another order, and its values and classes renamed."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(coded.n_rows), rng.permutation(coded.schema.n_variables)
    sizes = coded.schema.n_values[columns].tolist()
    codes = coded.codes[rows][:, columns]
    for i, size in enumerate(sizes):
        codes[:, i] = np.append(rng.permutation(size), size)[codes[:, i]]
    classes = rng.permutation(coded.schema.n_classes)[coded.class_codes[rows]]
    weights = None if coded.weights is None else coded.weights[rows]
    return Coded.of(Schema.from_sizes(sizes, coded.schema.n_classes), codes, classes, weights)


@given(st.integers(0, 2**32), st.booleans())
def test_the_same_content_is_arranged_alike_however_it_was_written_down(seed, weighted):
    weights = np.random.default_rng(seed).integers(1, 9, 40) * 0.7 if weighted else None
    first = drawn(seed, weights=weights)
    again = rewritten(first, seed + 1)
    ours, theirs = (
        order.arranged(table, order.variables)
        for table, order in ((table, content_order(table)) for table in (first, again))
    )
    assert ours.schema == theirs.schema
    np.testing.assert_array_equal(ours.codes, theirs.codes)
    np.testing.assert_array_equal(ours.weights, theirs.weights)


def test_all_rows_variables_and_values_are_listed_once():
    coded = drawn(0)
    order = content_order(coded)
    assert sorted(order.rows) == list(range(40))
    assert sorted(order.variables) == list(range(5))
    assert [sorted(values) for values in order.values] == [list(range(size)) for size in SIZES]


@pytest.mark.parametrize(("n_rows", "sizes"), [(0, [2, 3]), (1, [2, 3]), (4, [])])
def test_hardly_any_content(n_rows, sizes):
    coded = Coded.of(Schema.from_sizes(sizes), np.zeros((n_rows, len(sizes)), dtype=np.int64))
    order = content_order(coded)
    assert order.arranged(coded, order.variables).codes.shape == (n_rows, len(sizes))


def test_interchangeable_rows_go_by_their_values():
    """Values that occur once each, with nothing else to tell their rows apart."""
    tables = [
        Coded.of(Schema.from_sizes([2, 3]), codes)
        for codes in ([[0, 0], [0, 1], [1, 2], [1, 2]], [[1, 2], [0, 1], [1, 2], [0, 0]])
    ]
    first, again = (
        order.arranged(table, order.variables).codes.tolist()
        for table, order in ((table, content_order(table)) for table in tables)
    )
    assert first == again
