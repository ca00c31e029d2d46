"""Plans: which rows are predicted from which."""

import numpy as np
import pytest

from codelength.reporting.plan import EFFORT, MAX_TEST_ROWS, Plan, effort

SIZES = [(2, 1, 2), (3, 1, 2), (25, 4, 3), (435, 16, 2), (2_000, 14, 2), (5_000, 300, 2), (48_842, 14, 2)]


@pytest.mark.parametrize("size", [*SIZES, (200, 10_000, 2), (1_000, 20, 50), (50_000, 50, 500)], ids=str)
def test_no_row_is_predicted_from_itself_and_none_twice(size):
    plan = Plan.of(*size, seed=0)
    assert plan.splits
    for split in plan.splits:
        assert len(split.train)
        assert not set(split.train.tolist()) & set(split.test.tolist())
    rows = np.concatenate([split.test for split in plan.splits])
    assert len(np.unique(rows)) == len(rows)
    assert np.array_equal(rows, plan.rows)
    assert len(plan.parts) == len(rows)
    assert len(np.unique(plan.parts)) > 1
    if len(plan.splits) > 1:
        assert len(rows) == size[0]
        assert plan.protocol == f"{len(plan.splits)}-fold cross-validation"
        for split, part in zip(plan.splits, np.unique(plan.parts), strict=True):
            assert np.array_equal(plan.rows[plan.parts == part], split.test)


def test_larger_tables_are_split_less_often():
    folds = [len(Plan.of(n, 14, 2, seed=0).splits) for n in (100, 1_000, 2_500, 48_842)]
    assert folds == sorted(folds, reverse=True)
    assert folds[0] == 10
    assert folds[-1] == 1


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_plans_keep_to_the_effort(size):
    plan = Plan.of(*size, seed=0)
    efforts = [effort(len(s.train), size[1], size[2], len(s.test)) for s in plan.splits]
    assert sum(efforts) <= EFFORT * 1.01
    assert all(len(split.test) <= max(MAX_TEST_ROWS, size[0] // 2 + 1) for split in plan.splits)


def test_a_single_row_is_left_out():
    plan = Plan.of(1, 3, 1, seed=0)
    assert (plan.splits, plan.protocol, plan.rows.tolist()) == ((), "leave-one-out", [0])


def test_the_seed_decides():
    one, same, other = (Plan.of(60, 3, 2, seed=seed).rows.tolist() for seed in (0, 0, 1))
    assert one == same != other
