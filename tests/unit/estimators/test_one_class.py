"""A table with one class gets the same answer from every classifier and on every way in."""

import pytest

from codelength import MixtureClassifier, NaiveBayes, Schema, Variable
from codelength.errors import OneClass
from codelength.evaluation import evaluate
from codelength.sources import as_coded, as_table

COLUMNS = {"colour": ["red", "blue", "red", "blue", "red"], "size": [1, 2, 2, 3, 1]}
WORDS = r"target '\w+': only one class, 'yes', which gets probability 1; if there are more, name them all"


@pytest.mark.parametrize(
    "fit",
    [
        lambda: NaiveBayes().fit(COLUMNS, ["yes"] * 5),
        lambda: NaiveBayes("map").fit(COLUMNS, ["yes"] * 5),
        lambda: NaiveBayes("stochastic_complexity").fit(COLUMNS, ["yes"] * 5),
        lambda: NaiveBayes("indifferent").fit(COLUMNS, ["yes"] * 5),
        lambda: NaiveBayes(select="leave_one_out").fit(COLUMNS, ["yes"] * 5),
        lambda: NaiveBayes().partial_fit(COLUMNS, ["yes"] * 5),
        lambda: NaiveBayes().partial_fit(COLUMNS, ["yes"] * 5, classes=["yes"]),
        lambda: NaiveBayes()._fit_coded(as_coded(COLUMNS, ["yes"] * 5)),
        lambda: NaiveBayes(schema=Schema(as_coded(COLUMNS).schema.variables)).fit(COLUMNS, ["yes"] * 5),
        lambda: MixtureClassifier(n_components=2, random_state=0).fit(COLUMNS, ["yes"] * 5),
        lambda: MixtureClassifier(n_components=2, random_state=0)._fit_coded(as_coded(COLUMNS, ["yes"] * 5)),
    ],
)
def test_it_is_told_and_predicted(fit):
    with pytest.warns(OneClass, match=WORDS):
        model = fit()
    assert model.predict_proba(COLUMNS).tolist() == [[1.0]] * 5
    assert model.predict(COLUMNS).tolist() == ["yes"] * 5


@pytest.mark.parametrize("n_folds", [None, 2])
def test_it_is_told_in_a_comparison(n_folds):
    with pytest.warns(OneClass, match=WORDS):
        [result] = evaluate(as_table(COLUMNS, ["yes"] * 5), {"a": NaiveBayes()}, n_folds=n_folds)
    assert (result.accuracy, result.log_score, result.brier_score) == (1.0, 0.0, 0.0)


def test_a_schema_may_declare_more():
    schema = Schema(as_coded(COLUMNS).schema.variables, Variable("y", ("no", "yes")))
    model = NaiveBayes(schema=schema).fit(COLUMNS, ["yes"] * 5)
    assert (model.predict_proba(COLUMNS)[:, 1] > 0.5).all()
    model = NaiveBayes().partial_fit(COLUMNS, ["yes"] * 5, classes=["no", "yes"])
    assert (model.predict(COLUMNS) == "yes").all()
