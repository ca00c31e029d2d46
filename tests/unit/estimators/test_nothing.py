"""No rows, no variables, or neither: fine where a schema says what there could have been."""

import numpy as np
import pandas as pd
import pytest

from codelength import FiniteMixture, MixtureClassifier, NaiveBayes, Schema, Variable, load
from codelength.errors import DataError
from codelength.sources import as_table

# The tables are too small to identify classes, which fits are warned about.
pytestmark = pytest.mark.filterwarnings("ignore::codelength.errors.DoubtfulFit")

QUICK = {"n_init": 2, "random_state": 0}
TARGET = Variable("y", ("heads", "tails"))
SCHEMA = Schema([Variable("a", ("x", "y", "z"))], TARGET)


@pytest.mark.parametrize("rule", ["evidence", "map", "stochastic_complexity", "indifferent"])
def test_a_coin_is_a_table_without_variables(rule):
    """The Bernoulli model: its predictions are the rules on the counts of the classes alone."""
    tosses = ["heads"] * 3 + ["tails"]
    model = NaiveBayes(rule, schema=Schema((), TARGET)).fit(np.empty((4, 0)), tosses)
    growth = {"map": (3, 1), "stochastic_complexity": (4**4 / 3**3, 2**2 / 1)}.get(rule, (4, 2))
    expected = np.array(growth) / sum(growth)
    np.testing.assert_allclose(model.predict_proba(np.empty((2, 0))), [expected] * 2, rtol=1e-12)
    assert model.leave_one_out(np.empty((4, 0)), tosses).n_rows == 4
    if rule == "evidence":
        assert model.code_length_ == pytest.approx(np.log(20), rel=1e-12)


@pytest.mark.parametrize(
    "nothing", [{}, np.empty((4, 0)), pd.DataFrame(index=range(4)), as_table({"y": ["heads"] * 4}, "y")]
)
def test_tables_without_columns(nothing):
    model = NaiveBayes(schema=Schema((), TARGET)).fit(nothing, ["heads"] * 3 + ["tails"])
    assert model.counts_.class_counts.tolist() == [3, 1]


@pytest.mark.parametrize("rule", ["evidence", "stochastic_complexity", "indifferent"])
def test_no_rows(rule):
    model = NaiveBayes(rule, schema=SCHEMA).fit({"a": []}, [])
    np.testing.assert_allclose(model.predict_proba({"a": ["x", None]}), 0.5, rtol=1e-15)
    assert model.predict_proba({"a": []}).shape == (0, 2)
    again = NaiveBayes(rule, schema=SCHEMA).fit({"a": ["x"]}, ["heads"])
    assert model.merge(again).counts_ == again.counts_


def test_neither():
    model = NaiveBayes(schema=Schema((), TARGET)).fit(np.empty((0, 0)), [])
    assert model.predict_proba(np.empty((1, 0))).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("n_components", [1, 2, "auto"])
def test_mixtures(n_components, tmp_path):
    options = {"n_components": n_components, **QUICK}
    model = FiniteMixture(schema=Schema(()), **options).fit(np.empty((3, 0)))
    assert model.n_components_ == (1 if n_components == "auto" else n_components)
    assert model.score_samples(np.empty((2, 0))).tolist() == [0, 0]
    assert len(model.labels_) == 3
    model.save(tmp_path / "m.json")
    assert load(tmp_path / "m.json").predict_proba(np.empty((1, 0))).sum() == 1
    model = FiniteMixture(schema=Schema(SCHEMA.variables), **options).fit({"a": []})
    np.testing.assert_allclose(np.exp(model.score_samples({"a": ["x", "z", None]})), [1 / 3, 1 / 3, 1])
    assert model.code_length() == pytest.approx(0, abs=1e-12)
    assert model.labels_.shape == (0,)


def test_a_clustering_needs_rows():
    with pytest.raises(DataError, match="mixture-classifier: there are no rows"):
        MixtureClassifier(schema=SCHEMA).fit({"a": []}, [])


def test_a_column_of_missing_cells_says_nothing():
    table = {"a": ["x", "y", "x", "x"], "b": [None] * 4}
    for model, alone in (
        (
            NaiveBayes().fit(table, ["p", "q"] * 2),
            NaiveBayes().fit({"a": table["a"]}, ["p", "q"] * 2),
        ),
        (FiniteMixture(2, **QUICK).fit(table), FiniteMixture(2, **QUICK).fit({"a": table["a"]})),
    ):
        np.testing.assert_allclose(
            model.predict_proba(table), alone.predict_proba({"a": table["a"]}), rtol=1e-12
        )
