"""Shapley values: against all orders, and adding up to the prediction."""

from itertools import permutations

import numpy as np
import pytest

from codelength.averages.shapley import shapley_values
from codelength.table import Coded, Schema

N_CLASSES = 3


def game(n_variables, seed=0):
    """A function of rows that is no sum over variables: random numbers for pairs of values, or none."""
    tables = np.random.default_rng(seed).normal(size=(n_variables, n_variables, 4, 4, N_CLASSES))

    def value(coded):
        codes = coded.codes.astype(np.int64)
        terms = [
            tables[i, j, codes[:, i], codes[:, j]] for i in range(n_variables) for j in range(n_variables)
        ]
        return np.tanh(sum(terms)) + sum(terms[: n_variables // 2])

    return value


def rows_of(n_variables, n_rows=3, seed=1):
    codes = np.random.default_rng(seed).integers(0, 3, (n_rows, n_variables))
    return Coded.of(Schema.from_sizes([3] * n_variables, n_classes=N_CLASSES), codes)


def by_all_orders(value, coded, nothing):
    n_rows, m = coded.codes.shape
    total = np.zeros((n_rows, m, N_CLASSES))
    orders = list(permutations(range(m)))
    for order in orders:
        codes, before = np.full((n_rows, m), 3), np.tile(nothing, (n_rows, 1))
        for i in order:
            codes[:, i] = coded.codes[:, i]
            after = value(Coded.of(coded.schema, codes))
            total[:, i] += after - before
            before = after
    return total / len(orders)


@pytest.mark.parametrize("n_variables", [1, 2, 4, 5])
def test_few_variables_are_averaged_over_all_orders(n_variables):
    value, rows, nothing = game(n_variables), rows_of(n_variables), np.array([0.5, -1.0, 2.0])
    found = shapley_values(value, rows, np.arange(n_variables), nothing, np.random.default_rng(0))
    np.testing.assert_allclose(found, by_all_orders(value, rows, nothing), atol=1e-12)


@pytest.mark.parametrize("n_variables", [8, 9, 20])
def test_they_add_up_whatever_the_orders(n_variables):
    value, rows, nothing = game(n_variables), rows_of(n_variables), np.array([0.5, -1.0, 2.0])
    found = shapley_values(value, rows, np.arange(n_variables), nothing, np.random.default_rng(0))
    np.testing.assert_allclose(found.sum(axis=1), value(rows) - nothing, atol=1e-10)


def test_sums_over_variables_are_found_exactly_from_a_few_orders():
    table = np.random.default_rng(3).normal(size=(15, 4, N_CLASSES))
    table[:, 3] = 0

    def value(coded):
        return sum(table[i, coded.codes[:, i].astype(int)] for i in range(15))

    rows = rows_of(15)
    found = shapley_values(value, rows, np.arange(15), np.zeros(N_CLASSES), np.random.default_rng(0))
    for i in range(15):
        np.testing.assert_allclose(found[:, i], table[i, rows.codes[:, i]], atol=1e-12)


def test_other_variables_contribute_nothing():
    value, rows = game(4), rows_of(4)
    found = shapley_values(value, rows, np.array([1, 3]), np.zeros(N_CLASSES), np.random.default_rng(0))
    assert not found[:, [0, 2]].any()
    assert found[:, [1, 3]].all()


def test_a_row_is_explained_the_same_whatever_rows_are_beside_it():
    value, rows, nothing = game(12), rows_of(12, n_rows=40), np.zeros(N_CLASSES)
    whole = shapley_values(value, rows, np.arange(12), nothing, np.random.default_rng(0))
    alone = shapley_values(value, rows.take([7]), np.arange(12), nothing, np.random.default_rng(0))
    np.testing.assert_allclose(alone[0], whole[7], atol=1e-12)
