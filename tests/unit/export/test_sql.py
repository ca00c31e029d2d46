"""Exported statements, run by the engines, say what ``predict_proba`` says."""

import sys
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pytest

from codelength import NaiveBayes, Schema, Variable
from codelength.errors import InvalidParameter
from codelength.export.sql import quoted, to_sql
from codelength.naive_bayes import RULES
from codelength.networks.look_ups import LookUps
from unit.export.engines import ENGINES, in_duckdb, in_postgres, in_sqlite

HOSTILE = ["a'b", 'quo"te', "x; DROP TABLE rows; --", "línea\nnueva", "NULL", ""]


def frame_of(n_rows, seed):
    """Columns of every kind that all engines have, with names and values that try to break out."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            'na"me': rng.choice(HOSTILE, n_rows),
            "number": rng.normal(size=n_rows),
            "whole": rng.integers(-2, 4, n_rows),
            "half": rng.choice([0.5, 1.25, 2.0], n_rows),
            "s0": rng.choice(["top", "k0"], n_rows),
        }
    )
    frame["number"] = frame["number"].mask(rng.random(n_rows) < 0.1)
    frame['na"me'] = frame['na"me'].mask(rng.random(n_rows) < 0.1)
    labels = rng.choice(["yes", "no's", 'per"haps'], n_rows, p=[0.5, 0.4, 0.1])
    return frame, labels


def new_rows(frame):
    """Some values that were not seen."""
    frame = frame.copy()
    frame.loc[::5, 'na"me'] = "new"
    frame.loc[1::7, "whole"] = 99
    frame.loc[2::9, "half"] = 7.5
    return frame.assign(**{"class": range(len(frame))})


def names_of(model):
    return ["class of row", *(f"p_{label}" for label in model.classes_)]


def predicted(model, frame, dialect, run, **options):
    """Classes and probabilities by a statement, in the order of the rows."""
    statement = to_sql(
        LookUps.of(model._fitted.predictor),
        "my rows",
        names_of(model),
        dialect=dialect,
        keep=["class"],
        **options,
    )
    rows = sorted(run(statement, frame))
    assert [row[0] for row in rows] == list(range(len(frame)))
    return [row[1] for row in rows], np.array([row[2:] for row in rows], dtype=np.float64)


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize("dialect", ENGINES)
@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize("rule", RULES)
def test_statements_say_what_the_model_says(rule, missing, dialect):
    frame, labels = frame_of(300, seed=1)
    model = NaiveBayes(rule=rule, missing=missing).fit(frame[:100], labels[:100])
    new = new_rows(frame)
    classes, probs = predicted(model, new, dialect, ENGINES[dialect])
    expected = model.predict_proba(new.drop(columns="class"))
    np.testing.assert_allclose(probs, expected, rtol=0, atol=1e-12)
    assert classes == model.predict(new.drop(columns="class")).tolist()


@pytest.mark.parametrize("dialect", ENGINES)
def test_rows_that_no_class_can_have_are_uniform(dialect):
    """Under the maximum likelihood a value that one class never had is impossible there."""
    frame = pd.DataFrame({"x": list("aabb"), "y": list("uvuv")})
    model = NaiveBayes(rule="map", prior="uniform").fit(frame, ["k", "k", "l", "l"])
    schema = Schema((Variable("x", ("a", "b")), Variable("y", ("u", "v", "w"))), Variable("c", ("k", "l")))
    wider = NaiveBayes(rule="map", schema=schema).fit(frame, ["k", "k", "l", "l"])
    new = pd.DataFrame({"x": list("abab"), "y": list("uvww"), "class": range(4)})
    with pytest.warns(Warning, match="0/0"):
        expected = wider.predict_proba(new[["x", "y"]])
    assert expected[2].tolist() == [0.5, 0.5]
    for fitted, rows in ((wider, new), (model, new[:2])):
        _, probs = predicted(fitted, rows, dialect, ENGINES[dialect])
        np.testing.assert_allclose(probs, expected[: len(rows)], rtol=0, atol=1e-12)


@pytest.mark.parametrize("dialect", ENGINES)
@pytest.mark.parametrize(("n_variables", "n_classes"), [(130, 2), (5, 120)])
def test_more_variables_or_classes_than_engines_like_side_by_side(n_variables, n_classes, dialect):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, (400, n_variables))
    frame = pd.DataFrame({f"x{j}": np.array(list("abc"))[codes[:, j]] for j in range(n_variables)})
    labels = np.arange(400) % n_classes
    model = NaiveBayes().fit(frame, labels)
    classes, probs = predicted(model, frame.assign(**{"class": range(400)}), dialect, ENGINES[dialect])
    np.testing.assert_allclose(probs, model.predict_proba(frame), rtol=0, atol=1e-12)
    assert classes == model.predict(frame).tolist()


@pytest.mark.parametrize("labels", [[True, False], [1, 2]])
def test_classes_keep_their_type(labels):
    frame = pd.DataFrame({"x": list("aabb") * 3})
    model = NaiveBayes().fit(frame, np.repeat(labels, 2).tolist() * 3)
    classes, _ = predicted(model, frame.assign(**{"class": range(12)}), "duckdb", in_duckdb)
    assert classes == model.predict(frame).tolist()


def test_truth_values_and_times_in_duckdb():
    rng = np.random.default_rng(3)
    moments = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 10**12, 300), unit="us")
    days = (pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 3000, 300), unit="D")).date
    frame = pd.DataFrame({"flag": rng.random(300) < 0.5, "moment": moments, "day": days})
    frame["utc"] = frame["moment"].dt.tz_localize("UTC")
    labels = np.where(frame["flag"] ^ (rng.random(300) < 0.2), "a", "b")
    model = NaiveBayes().fit(frame, labels)
    assert {variable.scale for variable in model.schema_.variables} == {"number", "date", "utc"}
    _, probs = predicted(model, frame.assign(**{"class": range(300)}), "duckdb", in_duckdb)
    np.testing.assert_allclose(probs, model.predict_proba(frame), rtol=0, atol=1e-12)
    with pytest.raises(InvalidParameter, match="column 'moment': sqlite cannot compare its times"):
        predicted(model, frame, "sqlite", in_sqlite)


def test_a_table_in_a_schema():
    model = NaiveBayes().fit({"x": list("aabb")}, list("kkll"))
    statement = to_sql(LookUps.of(model._fitted.predictor), ('my "shop"', "rows"), names_of(model))
    with closing(duckdb.connect()) as connection:
        connection.execute("CREATE SCHEMA " + quoted('my "shop"'))
        connection.execute("CREATE TABLE " + quoted('my "shop"') + ".rows AS SELECT 'a' AS x")
        ((label, *probs),) = connection.execute(statement).fetchall()
    assert label == "k"
    np.testing.assert_allclose(probs, model.predict_proba({"x": ["a"]})[0], atol=1e-12)


@pytest.mark.parametrize("name", ["", "a\0b", None, 3])
def test_names_that_are_none(name):
    look_ups = LookUps.of(NaiveBayes().fit({"x": list("aabb")}, list("kkll"))._fitted.predictor)
    with pytest.raises(InvalidParameter, match="not a name in SQL"):
        to_sql(look_ups, "t", ["class", "p", "q"], keep=[name])
    with pytest.raises(InvalidParameter, match=r"dialect='oracle'"):
        to_sql(look_ups, "t", ["class", "p", "q"], dialect="oracle")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a socket in the file system")
@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize("rule", RULES)
def test_statements_in_postgres(rule, missing, postgres):
    frame, labels = frame_of(120, seed=4)
    rng = np.random.default_rng(5)
    frame["flag"] = rng.random(120) < 0.5
    frame["moment"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 10**12, 120), unit="us")
    model = NaiveBayes(rule=rule, missing=missing).fit(frame[:60], labels[:60])
    new = new_rows(frame)
    kinds = {
        "number": "double precision",
        "whole": "bigint",
        "half": "double precision",
        "flag": "boolean",
        "moment": "timestamp",
        "class": "int",
    }

    def run(statement, rows):
        return in_postgres(postgres, statement, rows, kinds)

    classes, probs = predicted(model, new, "postgres", run)
    expected = model.predict_proba(new.drop(columns="class"))
    np.testing.assert_allclose(probs, expected, rtol=0, atol=1e-12)
    assert classes == model.predict(new.drop(columns="class")).tolist()


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_that_no_other_program_can_hold_is_refused(text):
    for table, labels in (({"x": [text, "b"] * 2}, list("kkll")), ({"x": list("abab")}, [text, "l"] * 2)):
        model = NaiveBayes().fit(table, labels)
        for export in (lambda model=model: model.to_sql("t"), model.to_onnx):
            with pytest.raises(InvalidParameter, match="half of a character"):
                export()
    with pytest.raises(InvalidParameter, match="not a name in SQL"):
        NaiveBayes().fit({"x": list("abab")}, list("kkll")).to_sql(text)
    nameless = NaiveBayes().fit({"": list("abab")}, list("kkll"))
    for export in (lambda: nameless.to_sql("t"), nameless.to_onnx):
        with pytest.raises(InvalidParameter, match="column without a name"):
            export()
