"""Hidden classes of a table without a target."""

import numpy as np
import pytest

from codelength.analysis import analyse_classes, latent
from codelength.errors import DataError
from codelength.table import as_table


def answers(n_rows=60, seed=0):
    """Two hidden classes that answer differently."""
    rng = np.random.default_rng(seed)
    hidden = rng.random(n_rows) < 0.4
    return {
        f"question {i}": np.where(hidden ^ (rng.random(n_rows) < 0.1), "yes", "no").tolist() for i in range(5)
    }


def test_the_classes_that_are_there_are_found():
    found = analyse_classes(answers())
    assert found.comparison.chosen == found.model.n_components_ == 2
    assert (found.table.n_rows, found.table.n_columns, found.table.target) == (60, 5, None)
    assert (found.table.classes, found.table.class_counts.tolist()) == ((), [])
    assert dict(found.settings)["number of classes"].startswith("1 to ")
    assert found.command == "codelength report table.csv"


def test_a_target_is_passed_over():
    found = analyse_classes(as_table(answers(), ["a", "b"] * 30))
    assert found.table.target is None
    assert "y" not in found.model.schema_.names


def test_the_same_seed_gives_the_same_classes():
    one, other = (analyse_classes(answers(), random_state=3) for _ in range(2))
    assert one.comparison["log_likelihood"] == other.comparison["log_likelihood"]
    assert one.command.endswith("--seed 3")


def test_long_tables_are_sampled(monkeypatch):
    monkeypatch.setattr(latent, "MOST_ROWS", 40)
    told = []
    found = analyse_classes(answers(), progress=lambda done, of: told.append(done / of))
    assert len(found.model.labels_) == 40
    assert found.table.n_rows == 60
    assert ("rows", "40 of 60, drawn at random") in found.settings
    assert told[-1] == 1


def test_columns_that_say_nothing_are_noted():
    table = answers() | {"id": [f"person {i}" for i in range(60)]}
    found = analyse_classes(table)
    assert [name for name, _ in found.table.ignored] == ["id"]
    assert "look like identifiers" in found.table.notes[0]


def test_a_table_without_rows_or_with_weights_is_refused():
    table = as_table(answers())
    with pytest.raises(DataError, match="no rows"):
        analyse_classes(table.take(np.zeros(0, dtype=np.int64)))
    with pytest.raises(DataError, match="weights"):
        analyse_classes(table.with_weights(np.ones(60)))
