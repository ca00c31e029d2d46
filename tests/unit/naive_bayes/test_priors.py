"""Pseudocounts, spelled out."""

import numpy as np
import pytest

from codelength import Prior, Schema
from codelength.errors import InvalidParameter
from codelength.naive_bayes import pseudocounts

SCHEMA = Schema.from_sizes([2, 3], n_classes=2)


@pytest.mark.parametrize(
    ("prior", "classes", "values"),
    [
        ("uniform", [1, 1], [1, 1, 0, 1, 1, 1, 0]),
        ("indifferent", [4, 4], [1, 1, 0, 1, 1, 1, 0]),
        ("jeffreys", [2, 2], [0.5, 0.5, 0, 0.5, 0.5, 0.5, 0]),
        (12, [6, 6], [3, 3, 0, 2, 2, 2, 0]),
        (Prior(), [1, 1], [1, 1, 0, 1, 1, 1, 0]),
        (Prior(3, 0.5), [3, 3], [0.5, 0.5, 0, 0.5, 0.5, 0.5, 0]),
        (Prior([1, 2], [[3, 4], 5]), [1, 2], [3, 4, 0, 5, 5, 5, 0]),
    ],
    ids=str,
)
def test_priors_that_treat_classes_alike(prior, classes, values):
    spelled = pseudocounts(prior, SCHEMA)
    assert spelled.class_pseudocounts.tolist() == classes
    assert spelled.value_pseudocounts.tolist() == [values, values]


def test_pseudocounts_of_their_own_for_every_class():
    spelled = pseudocounts(Prior(1, [1, [[1, 2, 3], [4, 5, 6]]]), SCHEMA)
    assert spelled.value_pseudocounts.tolist() == [[1, 1, 0, 1, 2, 3, 0], [1, 1, 0, 4, 5, 6, 0]]


def test_a_row_of_values_is_not_taken_for_a_column_of_classes():
    """Two classes and two values: a flat sequence runs over the values."""
    spelled = pseudocounts(Prior(1, [[3, 4]]), Schema.from_sizes([2], n_classes=2))
    assert spelled.value_pseudocounts.tolist() == [[3, 4, 0], [3, 4, 0]]


@pytest.mark.parametrize("form", [list, tuple, np.array])
def test_pseudocounts_from_any_sequence(form):
    prior = Prior(form([1, 2]), [form([1, 2]), form([[1, 2, 3], [4, 5, 6]])])
    assert prior == Prior([1, 2], [[1, 2], [[1, 2, 3], [4, 5, 6]]])
    assert hash(prior) == hash(Prior([1, 2], [[1, 2], [[1, 2, 3], [4, 5, 6]]]))


@pytest.mark.parametrize("number", [2, 2.0, np.float32(2), np.int64(2), np.array(2.0)], ids=repr)
def test_pseudocounts_from_any_number(number):
    assert Prior(number, number) == Prior(2.0, 2.0)


@pytest.mark.parametrize("size", [2, 2.0, np.float32(2), np.int64(2)], ids=repr)
def test_a_sample_size_of_any_type(size):
    assert pseudocounts(size, SCHEMA).class_pseudocounts.tolist() == [1, 1]


def test_a_prior_does_not_follow_the_array_it_was_made_of():
    array = np.array([1.0, 2.0])
    prior = Prior(array)
    array[0] = 9
    assert prior == Prior([1.0, 2.0])


def test_no_pseudocounts_are_shared_between_calls():
    first = pseudocounts("uniform", SCHEMA)
    first.value_pseudocounts[:] = 7
    assert pseudocounts("uniform", SCHEMA).value_pseudocounts.max() == 1


def test_what_does_not_fit_is_named():
    with pytest.raises(InvalidParameter, match=r"class_pseudocounts.*\(3,\).*\(2,\)"):
        pseudocounts(Prior([1, 2, 3]), SCHEMA)
    with pytest.raises(InvalidParameter, match="3 entries for 2 variables"):
        pseudocounts(Prior(1, [1, 1, 1]), SCHEMA)
    with pytest.raises(InvalidParameter, match=r"value_pseudocounts of 'x1'.*\(2,\).*3"):
        pseudocounts(Prior(1, [1, [1, 1]]), SCHEMA)
