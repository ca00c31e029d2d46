"""Counts of pairs of values, against counting them one by one."""

import numpy as np
import pytest

from codelength.counts import pairs
from codelength.counts.pairs import PairCounts, count_pairs, n_pair_cells
from codelength.errors import Infeasible


def some_rows(n_rows=2500, sizes=(2, 5, 3, 4), n_classes=3, seed=0):
    """More rows than are counted at once, some cells without a value."""
    generator = np.random.default_rng(seed)
    codes = np.stack([generator.integers(-1, size, n_rows) for size in sizes], axis=1)
    return codes, generator.integers(0, n_classes, n_rows), np.array(sizes), n_classes


@pytest.mark.parametrize("weighted", [False, True])
def test_one_by_one(weighted):
    codes, labels, sizes, n_classes = some_rows()
    weights = np.random.default_rng(1).uniform(0, 2, len(labels)) if weighted else np.ones(len(labels))
    counts = count_pairs(codes, labels, sizes, n_classes, weights if weighted else None)
    for u in range(4):
        for v in range(u):
            expected = np.zeros((sizes[u] + 1, sizes[v] + 1, n_classes))
            for row, label, weight in zip(codes, labels, weights, strict=True):
                expected[row[u], row[v], label] += weight  # -1 is the last: the spare cell
            pair = u * (u - 1) // 2 + v
            assert (counts.later[pair], counts.earlier[pair]) == (u, v)
            assert counts.table(pair) == pytest.approx(expected, abs=1e-9 * weighted)
            assert counts.of(u, v) == pytest.approx(expected[:-1, :-1].transpose(2, 0, 1), abs=1e-9)
            assert (counts.of(v, u) == counts.of(u, v).transpose(0, 2, 1)).all()


def test_places_are_where_rows_are_counted():
    codes, labels, sizes, n_classes = some_rows(n_rows=50)
    counts = count_pairs(codes, labels, sizes, n_classes)
    again = np.zeros_like(counts.cells)
    for places, label in zip(counts.places(codes), labels, strict=True):
        again[places, label] += 1
    assert (again == counts.cells).all()


def test_parts_of_a_table_add_up():
    codes, labels, sizes, n_classes = some_rows(n_rows=300)
    one, other = (
        count_pairs(codes[rows], labels[rows], sizes, n_classes) for rows in (slice(200), slice(200, 300))
    )
    assert (one.merge(other).cells == count_pairs(codes, labels, sizes, n_classes).cells).all()


def test_every_pair_counts_every_row():
    codes, labels, sizes, n_classes = some_rows()
    counts = count_pairs(codes, labels, sizes, n_classes)
    totals = [counts.table(pair).sum(axis=(0, 1)).tolist() for pair in range(counts.n_pairs)]
    assert totals == [np.bincount(labels, minlength=n_classes).tolist()] * 6


@pytest.mark.parametrize("n_variables", [0, 1])
def test_no_pairs(n_variables):
    sizes = np.full(n_variables, 3)
    counts = count_pairs(np.zeros((4, n_variables), dtype=np.int64), np.zeros(4, dtype=np.int64), sizes, 2)
    assert counts.n_pairs == 0
    assert counts.cells.shape == (0, 2)
    assert counts.places(np.zeros((4, n_variables), dtype=np.int64)).shape == (4, 0)


def test_no_rows():
    counts = count_pairs(np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64), np.array([2, 3]), 2)
    assert (counts.cells == np.zeros((12, 2))).all()


def test_other_numbers_in_the_same_places():
    counts = PairCounts(np.array([1, 2]), np.zeros((6, 1)))
    assert counts.table(0, np.arange(6.0)[:, None])[:, :, 0].tolist() == [[0, 1], [2, 3], [4, 5]]


def test_too_many_cells_are_refused_before_they_are_laid_out(monkeypatch):
    codes, labels, sizes, n_classes = some_rows(n_rows=3)
    assert n_pair_cells(sizes, n_classes) == 3 * (6 * 3 + 4 * 3 + 4 * 6 + 5 * 3 + 5 * 6 + 5 * 4)
    monkeypatch.setattr(pairs, "MAX_PAIR_CELLS", n_pair_cells(sizes, n_classes))
    count_pairs(codes, labels, sizes, n_classes)
    monkeypatch.setattr(pairs, "MAX_PAIR_CELLS", n_pair_cells(sizes, n_classes) - 1)
    with pytest.raises(
        Infeasible, match=r"pairs of 4 variables in 3 classes have 357 cells.*fewer variables"
    ):
        count_pairs(codes, labels, sizes, n_classes)
    monkeypatch.undo()
    with pytest.raises(Infeasible, match="cells"):
        count_pairs(codes[:, :2], labels, np.array([10**6, 10**6]), n_classes)
