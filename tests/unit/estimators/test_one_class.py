"""A table with one class gets the same answer from every classifier and on every way in."""

import pytest

from codelength import MixtureClassifier, NaiveBayes, Schema, Variable, as_coded, as_table
from codelength.errors import DataError
from codelength.experiments import evaluate

COLUMNS = {"colour": ["red", "blue", "red", "blue", "red"], "size": [1, 2, 2, 3, 1]}
WORDS = r"target '\w+': only one class, 'yes'; a classifier needs at least two: name them all with schema="


@pytest.mark.parametrize(
    "refuse",
    [
        lambda: NaiveBayes().fit(COLUMNS, ["yes"] * 5),
        lambda: NaiveBayes().partial_fit(COLUMNS, ["yes"] * 5),
        lambda: NaiveBayes().partial_fit(COLUMNS, ["yes"] * 5, classes=["yes"]),
        lambda: NaiveBayes().fit_coded(as_coded(COLUMNS, ["yes"] * 5)),
        lambda: NaiveBayes(schema=Schema(as_coded(COLUMNS).schema.variables)).fit(COLUMNS, ["yes"] * 5),
        lambda: NaiveBayes(schema=Schema((), Variable("y", ("yes",)))).fit({}, ["yes"] * 5),
        lambda: MixtureClassifier().fit(COLUMNS, ["yes"] * 5),
        lambda: MixtureClassifier().fit_coded(as_coded(COLUMNS, ["yes"] * 5)),
        lambda: evaluate(as_table(COLUMNS, ["yes"] * 5), {"a": NaiveBayes()}),
        lambda: evaluate(as_table(COLUMNS, ["yes"] * 5), {"a": NaiveBayes()}, n_folds=2),
    ],
)
def test_it_is_refused(refuse):
    with pytest.raises(DataError, match=WORDS):
        refuse()


def test_a_schema_may_declare_more():
    schema = Schema(as_coded(COLUMNS).schema.variables, Variable("y", ("no", "yes")))
    model = NaiveBayes(schema=schema).fit(COLUMNS, ["yes"] * 5)
    assert (model.predict_proba(COLUMNS)[:, 1] > 0.5).all()
    model = NaiveBayes().partial_fit(COLUMNS, ["yes"] * 5, classes=["no", "yes"])
    assert (model.predict(COLUMNS) == "yes").all()
