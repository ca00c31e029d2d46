"""Classifiers of other libraries under one set of rules."""

from dataclasses import replace

import numpy as np
import pytest

from codelength import datasets
from codelength.errors import InvalidParameter
from codelength.evaluation.opponents import OPPONENTS, boosting, logistic_regression, random_forest
from codelength.evaluation.opponents.design import Design
from codelength.evaluation.opponents.fairness import class_prior, completed, fair
from codelength.evaluation.opponents.rows import Rows
from codelength.sources import as_table
from codelength.table import infer_schema

KINDS = [
    pytest.param(
        kind, marks=pytest.mark.skipif(not opponent.is_installed(), reason=f"needs {opponent.library}")
    )
    for kind, opponent in OPPONENTS.items()
]


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Fewer trees, because what is tested here does not depend on their number."""
    monkeypatch.setattr(random_forest, "TREES", 100)
    monkeypatch.setattr(boosting, "CATBOOST_ROUNDS", (100, 50, 20))


def mixed(n_rows=60, seed=0):
    """A number with gaps, a number of two digits, a category with gaps, and a constant; the class is in the
    first and the third."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=n_rows)
    size = labels + 0.5 * rng.standard_normal(n_rows)
    size[rng.random(n_rows) < 0.1] = np.nan
    colour = np.where(rng.random(n_rows) < 0.8, np.array(["red", "blue"])[labels], "green").astype(object)
    colour[rng.random(n_rows) < 0.1] = None
    age = rng.integers(10, 99, size=n_rows)
    cells = {"size": size, "age": age, "colour": colour, "one": [1.5] * n_rows}
    return as_table(cells, np.array(["no", "yes"])[labels])


@pytest.mark.parametrize("kind", KINDS)
def test_opponents_learn_from_mixed_columns_with_gaps(kind):
    table = mixed()
    train, test = table.take(np.arange(40)), table.take(np.arange(40, 60))
    opponent = OPPONENTS[kind]()
    fitted = opponent.fit(train)
    probs = fitted.probabilities(test)
    assert probs.shape == (20, 2)
    np.testing.assert_allclose(probs.sum(axis=1), 1, atol=1e-12)
    labels = Rows.of(fitted.schema, test).labels
    prior = class_prior(Rows.of(fitted.schema, train).class_weights)
    assert np.log(probs[np.arange(20), labels]).mean() > np.log(prior[labels]).mean() + 0.1
    np.testing.assert_array_equal(opponent.fit(train).probabilities(test), probs)


@pytest.mark.parametrize("kind", KINDS)
def test_values_and_classes_that_training_never_saw(kind):
    classes = ["a", "b", "c"]
    train = as_table({"v": ["x", "y"] * 10, "n": np.arange(20) / 3}, ["a", "b"] * 10)
    schema = OPPONENTS[kind]().schema_for(train)
    schema = replace(schema, target=replace(schema.target, values=tuple(classes)))
    fitted = OPPONENTS[kind]().fit(train, schema)
    probs = fitted.probabilities(as_table({"v": ["z", None, "x"], "n": [np.nan, 1e9, 1.0]}))
    np.testing.assert_allclose(probs.sum(axis=1), 1, atol=1e-12)
    # What an unseen class has beforehand, more or less by what the rows say.
    assert ((probs[:, 2] > 1e-4) & (probs[:, 2] < 0.2)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("cells", "classes"),
    [
        ({"v": ["x", "y", "x"]}, ["a", "a", "a"]),
        ({"v": ["x", "x", "x"], "n": [2.5, 2.5, 2.5]}, ["a", "b", "a"]),
        ({"v": [None, None, None]}, ["a", "b", "a"]),
    ],
)
def test_where_there_is_nothing_to_learn_the_class_prior_speaks(kind, cells, classes):
    table = as_table(cells, classes)
    fitted = OPPONENTS[kind]().fit(table)
    prior = class_prior(Rows.of(fitted.schema, table).class_weights)
    np.testing.assert_array_equal(fitted.probabilities(table), np.tile(prior, (3, 1)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_or_two_per_class_will_do(kind):
    table = as_table({"v": ["x", "y", "z"], "n": [1.5, 2.5, 3.5]}, ["a", "b", "c"])
    np.testing.assert_allclose(OPPONENTS[kind]().fit(table).probabilities(table).sum(axis=1), 1, atol=1e-12)


def test_unseen_classes_share_what_half_a_row_each_would_have():
    weights = np.array([5.0, 0.0, 2.0, 0.0])
    probs = np.array([[0.9, 0.1]])
    found = completed(probs, weights)
    np.testing.assert_allclose(found, [[0.9 * 8 / 9, 0.5 / 9, 0.1 * 8 / 9, 0.5 / 9]])
    prior = (weights + 0.5) / 9
    np.testing.assert_allclose(fair(probs, weights), (7 * found + prior) / 8)


def test_categorical_nb_is_that_of_scikit_learn():
    from sklearn.naive_bayes import CategoricalNB

    table = datasets.load("lenses").table
    schema = infer_schema(table)
    rows = Rows.of(schema, table)
    expected = CategoricalNB(min_categories=rows.n_levels + 1).fit(rows.levels, rows.labels)
    np.testing.assert_allclose(
        OPPONENTS["categorical-nb"]().fit(table).probabilities(table),
        fair(expected.predict_proba(rows.levels), rows.class_weights),
    )


def test_logistic_regression_is_a_pipeline_of_scikit_learn(monkeypatch):
    pd = pytest.importorskip("pandas")
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    monkeypatch.setattr(logistic_regression, "STRENGTHS", (0.3,))
    table = mixed()
    frame = pd.DataFrame({column.name: column.cells for column in table.columns})
    pipeline = make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["size", "age"]),
            (OneHotEncoder(), ["colour"]),
        ),
        LogisticRegression(C=0.3, max_iter=500),
    )
    frame["gap"] = frame["size"].isna().astype(float)
    pipeline[0].transformers.append(("gap", "passthrough", ["gap"]))
    expected = pipeline.fit(frame, table.target.cells).predict_proba(frame)
    rows = Rows.of(infer_schema(table), table)
    found = OPPONENTS["logistic-regression"]().fit(table).probabilities(table)
    np.testing.assert_allclose(found, fair(expected, rows.class_weights), atol=2e-4)


def test_a_design_standardises_fills_gaps_and_leaves_constants_out():
    cells = {"n": [1.0, 3.0, np.nan, 3.0], "v": ["x", "y", "x", None], "one": [2.5] * 4}
    table = as_table(cells, ["a", "b", "a", "b"])
    schema = infer_schema(table, missing="value", numeric="discretize")
    rows = Rows.of(schema, table)
    spread = np.std([1, 3, 3, 3])
    expected = np.array(
        [
            [-1.5 / spread, 0, 1, 0, 0],
            [0.5 / spread, 0, 0, 1, 0],
            [0.5 / spread, 1, 1, 0, 0],
            [0.5 / spread, 0, 0, 0, 1],
        ]
    )
    design = Design.of(rows)
    np.testing.assert_allclose(design.matrix(rows), expected)
    new = Rows.of(schema, as_table({"n": [2.5], "v": ["z"], "one": [7.0]}))
    np.testing.assert_allclose(design.matrix(new), [[0, 0, 0, 0, 0]])


def test_a_weight_of_two_is_two_rows():
    table = mixed(30)
    twice = table.take(np.repeat(np.arange(30), 1 + np.arange(30) % 2))
    weighted = table.with_weights(1 + np.arange(30) % 2)
    schema = infer_schema(table, missing="value", numeric="discretize")
    one, other = (OPPONENTS["categorical-nb"]().fit(rows, schema) for rows in (twice, weighted))
    np.testing.assert_allclose(one.probabilities(table), other.probabilities(table))


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_heard(kind):
    table = as_table({"v": ["x", "y"] * 20}, ["a", "b", "b", "a"] * 10)
    weighted = table.with_weights([9.0, 9.0, 1.0, 1.0] * 10)
    probs = OPPONENTS[kind]().fit(weighted).probabilities(table.take(np.arange(2)))
    assert probs[0, 0] > 0.7
    assert probs[1, 1] > 0.7


def test_an_opponent_without_its_library_says_what_is_needed(monkeypatch):
    monkeypatch.setattr(OPPONENTS["lightgbm"], "library", "no_such_library")
    assert not OPPONENTS["lightgbm"].is_installed()
    with pytest.raises(InvalidParameter, match="needs no_such_library"):
        OPPONENTS["lightgbm"]().fit(mixed())
