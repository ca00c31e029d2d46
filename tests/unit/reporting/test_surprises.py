"""The rows that surprised the model most."""

import numpy as np
import pytest

from codelength.reporting.sections.surprises import MAX_ROWS, surprises
from codelength.scores import Predictions
from codelength.sources import as_table


def made_of(own, labels):
    own, labels = np.asarray(own, dtype=float), np.asarray(labels)
    probs = np.where(np.arange(2) == labels[:, None], own[:, None], 1 - own[:, None])
    return Predictions(np.log(probs), np.zeros(len(own), dtype=bool), labels.astype(np.uint8))


TABLE = as_table({"x": ["<i>", None, "c", "d", "e"], "n": [1.5, 2.0, 3.0, 4.0, 5.0]}, [0, 1, 0, 1, 1])


def test_the_least_probable_rows_come_first_under_their_numbers():
    rows = np.array([4, 2, 0])  # positions in the table
    found = surprises(made_of([0.3, 0.9, 0.1], [1, 0, 0]), rows, ("no", "yes"), TABLE, cells=False)
    assert [(s.row, s.occurred, s.expected) for s in found] == [(1, "no", "yes"), (5, "yes", "no")]
    assert [s.probability for s in found] == pytest.approx([0.1, 0.3])
    assert all(s.cells == () for s in found)


def test_contents_are_there_only_when_asked_for():
    made = made_of([0.2, 0.1], [0, 1])
    found = surprises(made, np.array([0, 1]), (0, 1), TABLE, cells=True)
    assert found[0].cells == (("x", ""), ("n", "2.0"), ("y", "1"))
    assert found[1].cells == (("x", "<i>"), ("n", "1.5"), ("y", "0"))


def test_there_are_not_too_many():
    table = as_table({"x": ["a"] * 50}, [0, 1] * 25)
    found = surprises(made_of([0.3] * 50, [0, 1] * 25), np.arange(50), (0, 1), table, cells=False)
    assert [s.row for s in found] == list(range(1, MAX_ROWS + 1))
