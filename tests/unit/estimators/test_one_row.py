"""A single row is predicted as in a table of one row."""

import math

import numpy as np
import pytest

from codelength import NaiveBayes, datasets
from codelength.errors import DataError, SchemaMismatch, UndefinedPrediction, UnknownValue
from codelength.naive_bayes import RULES

OPTIONS = [{}, {"missing": "value"}, {"select": "leave_one_out"}]
OF_AVERAGING_RULES = [{"numeric": "average"}, {"numeric": "category", "prior": 0.3}]
CASES = [(rule, options) for rule in RULES for options in OPTIONS] + [
    (rule, options) for rule in RULES for options in OF_AVERAGING_RULES if RULES[rule].averages
]


def rows_of(table):
    columns = [column.cells for column in table.columns]
    return [dict(zip(table.names, row, strict=True)) for row in zip(*columns, strict=True)]


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize(("rule", "options"), CASES, ids=str)
@pytest.mark.parametrize("name", ["crx", "zoo"])
def test_a_row_is_a_table_of_one_row(name, rule, options):
    table = datasets.load(name).table
    fitted = NaiveBayes(rule=rule, **options).fit(table.take(np.arange(0, table.n_rows, 2)))
    some = table.take(np.arange(1, table.n_rows, 7))
    expected = fitted.predict_proba(some)
    found = [fitted.one(row) for row in rows_of(some)]
    np.testing.assert_allclose([list(probs.values()) for probs in found], expected, rtol=0, atol=1e-15)
    assert [max(probs, key=probs.get) for probs in found] == fitted.predict(some).tolist()


def test_the_order_of_names_and_absent_names_do_not_matter():
    model = NaiveBayes().fit({"a": ["x", "y", "y"], "b": [1, 2, 2]}, ["no", "yes", "yes"])
    assert model.one({"b": 1, "a": "x"}) == model.one({"a": "x", "b": 1})
    assert model.one({"a": "x"}) == model.one({"a": "x", "b": None}) == model.one({"a": "x", "b": math.nan})
    assert model.one({"a": "x", "other": 3}) == model.one({"a": "x"}) == model.one({"a": "x", "b": 99})


def test_what_a_model_refuses_in_a_table_it_refuses_in_a_row():
    model = NaiveBayes(handle_unknown="error", strict=True).fit({"a": ["x", "y"]}, ["no", "yes"])
    with pytest.raises(UnknownValue, match="variable 'a': value 'z' is not in the schema"):
        model.one({"a": "z"})
    with pytest.raises(SchemaMismatch, match="column 'b' is not in the schema"):
        model.one({"b": "x"})
    for row in ("x", ["x"], None, {"a": ["x"]}):
        with pytest.raises(DataError):
            model.one(row)


def test_an_undefined_prediction_is_told():
    model = NaiveBayes(rule="map").fit({"a": ["x", "y"], "b": ["u", "v"]}, ["no", "yes"])
    with pytest.warns(UndefinedPrediction, match="1 of 1 rows"):
        assert model.one({"a": "x", "b": "v"}) == {"no": 0.5, "yes": 0.5}


def test_numbers_beyond_any_interval_are_read_as_in_a_table():
    numbers = [0.5 * n for n in range(40)]
    model = NaiveBayes().fit({"a": numbers}, ["no", "yes"] * 20)
    for number in (-1e300, 7, 19.5, np.float32(3.25), "3.25"):
        expected = model.predict_proba({"a": [number]})[0]
        assert list(model.one({"a": number}).values()) == pytest.approx(expected, abs=1e-15)
    for number in (math.inf, 10**400):
        with pytest.raises(DataError):
            model.one({"a": number})
