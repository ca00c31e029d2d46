"""Messages: one line, however long names and values are."""

import warnings

import pytest

from codelength import NaiveBayes
from codelength.errors import CodelengthError, CodelengthWarning, DataError, IgnoredValues


def test_a_short_message_is_as_it_was():
    assert str(DataError("column 'a': is not there; add it")) == "column 'a': is not there; add it"
    assert str(CodelengthError()) == ""


@pytest.mark.parametrize("kind", [DataError, CodelengthError, CodelengthWarning, IgnoredValues])
def test_a_long_message_keeps_its_beginning_and_its_remedy(kind):
    message = str(kind("table.csv, column " + "x" * 100_000 + ": is not there; add it"))
    assert len(message) <= 2000
    assert message.startswith("table.csv, column xxx")
    assert message.endswith("xxx: is not there; add it")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\x85", "\x0b"])
def test_a_message_is_one_line(end):
    assert str(DataError(f"one{end}two")) == "one two"


def test_names_of_any_length_are_told_in_few_words():
    name = "a" * 10_000
    with pytest.raises(DataError) as caught:
        NaiveBayes(numeric="error").fit({name: [1.5, 2.5]}, ["p", "q"])
    assert len(str(caught.value)) <= 2000
    model = NaiveBayes().fit({name: ["x", "y"]}, ["p", "q"])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.predict({name: [1, 2]})
    assert all(len(str(warning.message)) <= 2000 for warning in told)
