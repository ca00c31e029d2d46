"""Hidden classes of a table without a target."""

import numpy as np
import pytest

from codelength import FiniteMixture
from codelength.errors import DataError
from codelength.reporting.sections import hidden_classes as latent
from codelength.reporting.sections.hidden_classes import analyse_classes, of_model
from codelength.sources import as_table


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
    monkeypatch.setattr(latent, "MAX_ROWS", 40)
    told = []
    found = analyse_classes(answers(), progress=lambda done, of: told.append(done / of))
    assert len(found.model.labels_) == 40
    assert found.table.n_rows == 60
    assert ("rows", "40 of 60 rows, drawn at random") in found.settings
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


def test_a_first_look_takes_few_rows_and_says_so(monkeypatch):
    monkeypatch.setattr(latent, "GLANCE_ROWS", 40)
    found = latent.glance(as_table(answers(), ["a", "b"] * 30), 0)
    assert found.comparison.chosen == 2
    assert len(found.model.labels_) == 40
    assert max(found.comparison["components"]) <= latent.GLANCE_CLASSES
    assert ("rows", "40 of 60 rows, drawn at random") in found.settings
    assert found.command == "codelength report table.csv --target y --latent"


def test_there_is_no_first_look_at_few_rows_or_many_columns():
    wide = {f"x{i}": ["a", "b"] * 10 for i in range(200)}
    for table in (answers(9), {"x": ["a", "b"] * 20}, wide):
        rows = as_table(table)
        assert latent.glance(rows, 0) is None


def test_a_model_that_was_fitted_before():
    table = answers() | {"age": [None if i % 6 == 0 else "old" for i in range(60)]}
    model = FiniteMixture(2, random_state=4).fit(table)
    found = of_model(model)
    assert found.model is model
    assert (found.table.n_rows, found.table.n_columns, found.table.n_missing) == (60, 6, 10)
    assert (found.seed, found.command) == (4, "")
