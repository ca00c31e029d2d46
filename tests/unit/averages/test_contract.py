"""What is true of every member, whatever it is."""

import contextvars
import pickle
from concurrent.futures import CancelledError
from dataclasses import fields
from threading import Event

import numpy as np
import pytest

from codelength import _threads
from codelength.averages.member import AdditiveMember
from codelength.averages.members import MEMBERS
from codelength.table import Schema, Variable
from unit.averages.mixed_tables import (
    EXTREMES,
    SCHEMA,
    assert_damage_is_refused,
    assert_distributions,
    assert_explained,
    coded_of,
    drawn_rows,
    read_back,
    renamed,
    training_of,
    wide_rows,
)

NEVER = SCHEMA.n_classes - 1
"""The class that is never seen."""

NEW = np.concatenate([drawn_rows(20, seed=9)[0], [[7, 3, 60], [7, 0, 60], [0, 3, 59]]])
"""Rows that were not seen, some with missing cells, one with nothing else."""


@pytest.fixture(params=MEMBERS.values(), ids=list(MEMBERS), scope="module")
def kind(request):
    return request.param


@pytest.fixture
def rows():
    return drawn_rows(60)


@pytest.fixture(scope="module")
def learned(kind):
    """What is learned from the same 60 rows."""
    return kind.fit(training_of(*drawn_rows(60)))


def test_predictions_are_distributions(learned, rows):
    training = training_of(*rows)
    assert_distributions(learned.held_out, (training.n_rows, 4))
    assert_distributions(learned.member.log_probs(coded_of(NEW)), (len(NEW), 4))
    assert training.log_score(learned.held_out) > training.log_score(training.log_prior_left_out)


def test_pickles_hold_what_was_learned_and_not_what_follows_from_it(kind, rows):
    """Neither the arrays that members look at nor those that predictions are looked up in."""
    training = training_of(*rows)
    member = kind.fit(training).member
    expected = member.log_probs(coded_of(NEW))
    assert len(vars(training)) > len(fields(training))
    for one in (training, member):
        restored = pickle.loads(pickle.dumps(one))
        assert list(vars(restored)) == [field.name for field in fields(one)]
    np.testing.assert_array_equal(restored.log_probs(coded_of(NEW)), expected)
    fresh = kind.fit(training_of(*rows)).member
    assert len(pickle.dumps(member)) == len(pickle.dumps(fresh))


def test_fits_end_with_the_interrupt_of_their_caller(kind, rows):
    interrupted = Event()
    interrupted.set()

    def fit():
        _threads._interrupted.set(interrupted)
        kind.fit(training_of(*rows))

    with pytest.raises(CancelledError):
        contextvars.copy_context().run(fit)


def test_additive_members_are_explained(kind, learned):
    member = learned.member
    if issubclass(kind, AdditiveMember):
        assert_explained(member, coded_of(NEW))
    else:
        assert not hasattr(member, "contributions")


def test_weights_are_repeated_rows_in_any_order(kind, rows):
    codes, labels = rows
    times = np.random.default_rng(2).integers(1, 9, 60)
    order = np.random.default_rng(3).permutation(times.sum())
    weighted = kind.fit(training_of(codes, labels, times))
    repeated = kind.fit(training_of(codes.repeat(times, axis=0)[order], labels.repeat(times)[order]))
    np.testing.assert_array_equal(weighted.held_out, repeated.held_out)
    new = coded_of(NEW)
    np.testing.assert_array_equal(weighted.member.log_probs(new), repeated.member.log_probs(new))


@pytest.mark.parametrize("size", [1e-9, 1e9])
def test_weights_of_any_size(kind, rows, size):
    training = training_of(*rows, np.full(60, size))
    learned = kind.fit(training)
    assert_distributions(learned.held_out, (training.n_rows, 4))
    assert_distributions(learned.member.log_probs(coded_of(NEW)), (len(NEW), 4))


@pytest.mark.parametrize(
    "change",
    [
        {"columns": [2, 0, 1]},
        {"values": np.array([2, 0, 1])},
        {"classes": np.array([2, 0, 3, 1])},
        {"columns": [1, 2, 0], "values": np.array([1, 2, 0]), "classes": np.array([3, 2, 1, 0])},
    ],
    ids=["columns", "values", "classes", "all"],
)
def test_order_of_columns_values_and_classes_changes_nothing(kind, change):
    """Randomness, too, is tied to what is in the rows."""
    codes, labels = drawn_rows(120)
    training = training_of(codes, labels)
    one = kind.fit(training)
    moved, moved_labels, schema = renamed(codes, labels, **change)
    moved_training = training_of(moved, moved_labels, schema=schema)
    other = kind.fit(moved_training)
    classes = change.get("classes", np.arange(4))
    new, _, _ = renamed(NEW, np.zeros(len(NEW), dtype=int), **change)
    found = other.member.log_probs(coded_of(new, schema=schema))[:, classes]
    expected = one.member.log_probs(coded_of(NEW))
    np.testing.assert_allclose(np.exp(found), np.exp(expected), rtol=0, atol=1e-9)
    held_out = other.held_out[moved_training.places][:, classes]
    expected = one.held_out[training.places]
    np.testing.assert_allclose(np.exp(held_out), np.exp(expected), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes(kind, name):
    codes, labels = EXTREMES[name]
    training = training_of(codes, labels)
    learned = kind.fit(training)
    assert_distributions(learned.held_out, (training.n_rows, 4))
    assert_distributions(learned.member.log_probs(coded_of(NEW)), (len(NEW), 4))


def test_more_classes_than_rows(kind):
    schema = Schema(SCHEMA.variables, Variable("kind", tuple(range(40))))
    training = training_of(np.array([[0, 0, 3], [5, 1, 40]]), np.array([7, 30]), schema=schema)
    learned = kind.fit(training)
    assert_distributions(learned.held_out, (2, 40))
    assert_distributions(learned.member.log_probs(coded_of(NEW, schema=schema)), (len(NEW), 40))


def test_500_columns_of_50_rows(kind):
    codes, labels, schema = wide_rows()
    learned = kind.fit(training_of(codes, labels, schema=schema))
    assert_distributions(learned.held_out, (50, 2))
    assert_distributions(learned.member.log_probs(coded_of(codes, schema=schema)), (50, 2))


def test_a_class_that_was_never_seen_has_a_little_probability(learned):
    probs = np.exp(learned.member.log_probs(coded_of(NEW)))
    assert (probs[:, NEVER] > 0).all()
    assert probs[:, NEVER].max() < 0.1


def test_a_part_of_the_rows_is_held_out(kind):
    training = training_of(*drawn_rows(300), most_rows=60)
    learned = kind.fit(training)
    assert_distributions(learned.held_out, (60, 4))
    assert training.log_score(learned.held_out) > training.log_score(training.log_prior_left_out)


def test_files_keep_every_bit(learned):
    member = learned.member
    again = read_back(member)
    np.testing.assert_array_equal(again.log_probs(coded_of(NEW)), member.log_probs(coded_of(NEW)))
    assert again.to_json() == member.to_json()


def test_damaged_files_are_refused(learned):
    assert_damage_is_refused(learned.member)
