"""Scorer documents: the readers in Python and JavaScript say what the model says."""

import json
import math
import sys

import numpy as np
import pandas as pd
import pytest

from codelength import NaiveBayes, Schema, Variable
from codelength.errors import DataError, InvalidParameter
from codelength.estimators import constructor_of
from codelength.export.scorer import ask, score
from unit.export.engines import ENGINES, in_onnx

RULES = ("evidence", "map", "stochastic_complexity", "indifferent")
COLOURS = ("blue", "red", "green", "été", "1", "")


def rows_of(rng, n_rows, *, gaps=0.15):
    """Columns of every kind, with missing cells."""

    def with_gaps(cells):
        return [None if rng.random() < gaps else cell for cell in cells]

    days = (np.datetime64("2020-01-01") + rng.integers(0, 400, n_rows)).astype(str).tolist()
    return {
        "colour": with_gaps(rng.choice(COLOURS[:4], n_rows).tolist()),
        "count": with_gaps(rng.integers(0, 5, n_rows).tolist()),
        "size": with_gaps(rng.normal(0, 3, n_rows).round(1).tolist()),
        "is new": with_gaps((rng.random(n_rows) < 0.3).tolist()),
        "day": with_gaps(days),
        "__proto__": with_gaps(rng.choice(["a", "b"], n_rows).tolist()),
    }


def classes_of(rng, table, n_classes):
    """Classes that depend on the variables."""
    noise = rng.integers(0, 2, len(table["size"]))
    size = [0.0 if cell is None else cell for cell in table["size"]]
    return [
        f"class {int(abs(s) + (c == 'red') + z) % n_classes}"
        for s, c, z in zip(size, table["colour"], noise, strict=True)
    ]


def cases_of(rng, n_cases):
    """New cases: values seen and not seen, missing cells, and numbers far from all others."""
    table = rows_of(rng, n_cases, gaps=0.3)
    table["colour"] = [cell if rng.random() < 0.8 else "violet" for cell in table["colour"]]
    table["count"] = [cell if rng.random() < 0.8 else 77 for cell in table["count"]]
    table["size"] = [cell if rng.random() < 0.9 else 1e9 for cell in table["size"]]
    return table


def as_cases(table):
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def fitted(rng, *, n_rows=60, n_classes=3, **options):
    table = rows_of(rng, n_rows)
    return NaiveBayes(**options).fit(table, classes_of(rng, table, n_classes))


MODELS = [
    *({"rule": rule, "missing": missing} for rule in RULES for missing in ("ignore", "value")),
    {"rule": "evidence", "numeric": "average"},
    {"rule": "indifferent", "numeric": "average", "missing": "value"},
    {"rule": "evidence", "numeric": "discretize"},
    {"rule": "evidence", "prior": 5.0, "numeric": "category"},
    {"rule": "evidence", "select": "leave_one_out"},
    {"rule": "evidence", "prior": "jeffreys", "select": "evidence", "missing": "value"},
]


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize("options", MODELS, ids=str)
def test_the_python_reader_says_what_the_model_says(options):
    rng = np.random.default_rng(1)
    for n_rows, n_classes in ((8, 2), (60, 3), (60, 2)):
        model = fitted(rng, n_rows=n_rows, n_classes=n_classes, **options)
        document = json.loads(json.dumps(model.to_scorer(), allow_nan=False))
        table = cases_of(rng, 40)
        expected, undefined = model.predict_proba(table), model.is_undefined(table)
        against = model.explain(table).contributions
        names = model.schema_.names
        for row, case in enumerate(as_cases(table)):
            found = score(document, case)
            assert found.probabilities == pytest.approx(expected[row].tolist(), rel=0, abs=1e-12)
            assert found.undefined == undefined[row]
            for name, log_odds in found.evidence.items():
                ours = against[row, names.index(name)].tolist()
                assert log_odds == pytest.approx(ours, rel=0, abs=1e-12)


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
def test_rows_that_are_impossible_under_every_class_are_told_apart():
    table = {"x": ["a", "a", "b", "b"], "y": ["a", "a", "b", "b"]}
    document = NaiveBayes(rule="map").fit(table, ["no", "no", "yes", "yes"]).to_scorer()
    assert document["variables"][0]["table"] == [[0.0, None], [None, 0.0]]
    assert score(document, {"x": "a", "y": "b"})[:2] == ([0.5, 0.5], True)
    certain = score(document, {"x": "a"})
    assert certain[:2] == ([1.0, 0.0], False)
    assert certain.evidence == {"x": [0.0, -math.inf]}


def test_cells_mean_what_they_mean_to_the_model():
    table = {
        "number": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5] * 3,
        "code": [1, 2, 3] * 6,
        "mixed": ["1", "2", "no"] * 6,
        "truth": [True, False, False] * 6,
    }
    model = NaiveBayes().fit(table, ["a", "b", "b"] * 6)
    document = model.to_scorer()

    def found(**case):
        return score(document, case).probabilities

    nothing = found()
    edges = document["variables"][0]["cuts"]
    for cell in [*edges, edges[0] - 1e-9, -1e300, 1e300, sys.float_info.max]:
        row = {"number": [cell], "code": [None], "mixed": [None], "truth": [None]}
        expected = pytest.approx(model.predict_proba(row)[0].tolist(), abs=1e-12)
        assert found(number=cell) == expected
        assert found(number=f" {cell!r} ") == expected
    label = document["variables"][0]["labels"][0]
    assert found(number=label) == found(number=-3) != nothing
    assert found(code=2) == found(code="2") == found(code=2.0) == found(code=" 2.0") != nothing
    assert found(mixed=1) == found(mixed="1") == found(mixed=np.int64(1)) != nothing
    assert found(truth=True) == found(truth="TRUE") == found(truth=1) == found(truth="1") != nothing
    for missing in (None, float("nan"), "", "unheard of", 99):
        assert found(code=missing) == found(truth=missing) == nothing
    assert (
        found(number="many")
        == found(number=10**400)
        == found(number="")
        == found(number=math.inf)
        == found(number="0x1")
        == nothing
    )


def test_missing_cells_that_are_a_value_say_something_and_absent_ones_nothing():
    table = {"x": ["a", None, "a", None, "b", "a"], "y": [0.5, None, 1.5, None, 3.5, 2.5]}
    model = NaiveBayes(missing="value").fit(table, [0, 1, 0, 1, 0, 0])
    document = model.to_scorer()
    assert document["variables"][0]["values"] == ["a", "b", None]
    both_missing = model.predict_proba({"x": [None], "y": [None]})[0].tolist()
    for missing in (None, math.nan):
        case = {"x": missing, "y": missing}
        assert score(document, case).probabilities == pytest.approx(both_missing, abs=1e-12)
    assert model.predict_proba({"x": [""], "y": [None]})[0] == pytest.approx(
        score(document, {"x": "", "y": None}).probabilities, abs=1e-12
    )
    assert score(document, {}).probabilities == pytest.approx([5 / 8, 3 / 8])
    assert score(document, {"x": "c"}).probabilities == pytest.approx([5 / 8, 3 / 8])


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        (
            [f"2020-{m:02}-{d:02}" for m in range(1, 13) for d in (1, 9)],
            ["2020-05-01", "2020-05-09T00:00:01.5", "2020-05-09 10:30", "2020-02-30", "2020-05-01T00:00:00Z"],
        ),
        (
            [f"2020-01-{d:02}T12:30:00+02:00" for d in range(1, 29)],
            ["2020-01-09T10:30:00Z", "2020-01-09T10:30:00-01:30", "2020-01-09T10:30", "0001-01-01 00:00Z"],
        ),
    ],
)
def test_times_fall_into_the_intervals_they_fall_into_for_the_model(column, cells, javascript):
    classes = ["a"] * (len(column) // 2) + ["b"] * (len(column) - len(column) // 2)
    model = NaiveBayes().fit({"when": column}, classes)
    document = model.to_scorer()
    cells = [*cells, *column, None]
    expected = [model.predict_proba({"when": [cell]})[0].tolist() for cell in cells]
    for cell, probabilities in zip(cells, expected, strict=True):
        assert score(document, {"when": cell}).probabilities == pytest.approx(probabilities, abs=1e-12)
    answers = javascript([(document, {"when": cell}) for cell in cells])
    for answer, probabilities in zip(answers, expected, strict=True):
        assert answer["probabilities"] == pytest.approx(probabilities, abs=1e-12)


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize("options", MODELS, ids=str)
def test_the_reader_in_javascript_says_what_python_says(options, javascript):
    rng = np.random.default_rng(2)
    pairs = []
    for n_rows, n_classes in ((8, 2), (60, 3)):
        document = fitted(rng, n_rows=n_rows, n_classes=n_classes, **options).to_scorer()
        for case in as_cases(cases_of(rng, 20)):
            pairs.append((document, case))
            spelt = {name: cell if cell is None else str(cell) for name, cell in case.items()}
            pairs.append((document, spelt))
            pairs.append((document, {name: cell for name, cell in case.items() if rng.random() < 0.5}))
    for (document, case), answer in zip(pairs, javascript(pairs), strict=True):
        found = score(document, case)
        assert answer["probabilities"] == pytest.approx(found.probabilities, rel=0, abs=1e-12)
        assert answer["undefined"] == found.undefined
        names = [variable["name"] for variable in document["variables"]]
        evidence = {names[part["variable"]]: list(map(float, part["logOdds"])) for part in answer["evidence"]}
        assert evidence.keys() == found.evidence.keys()
        for name, log_odds in found.evidence.items():
            assert evidence[name] == pytest.approx(log_odds, rel=0, abs=1e-12)
        asked = ask(document, case)
        assert {names[part["variable"]] for part in answer["asked"]} == {name for name, _ in asked}
        assert [part["bits"] for part in answer["asked"]] == pytest.approx(
            [bits for _, bits in asked], rel=0, abs=1e-9
        )


def test_expected_bits_are_the_mutual_information_under_the_model():
    """Against the plain definition: entropy now less the mean entropy once the value is known."""
    rng = np.random.default_rng(3)
    model = fitted(rng, n_classes=2, missing="ignore")
    document = model.to_scorer()
    case = {"colour": "red", "count": 2}
    now = score(document, case).probabilities
    bits = dict(ask(document, case))
    assert bits.keys() == {"size", "is new", "day", "__proto__"}
    for name in ("is new", "__proto__"):
        variable = next(v for v in document["variables"] if v["name"] == name)
        expected = entropy(now)
        for value, row in zip(variable["values"], variable["table"], strict=True):
            of_value = sum(p * math.exp(w) for p, w in zip(now, row, strict=True))
            expected -= of_value * entropy(score(document, case | {name: value}).probabilities)
        assert bits[name] == pytest.approx(expected, abs=1e-12)


def test_weights_are_the_probabilities_of_the_values_while_nothing_is_known():
    document = NaiveBayes().fit({"x": ["a", "a", "b"]}, ["no", "yes", "yes"]).to_scorer()
    prior = np.array([2, 3]) / 5
    given = np.array([[2 / 3, 1 / 3], [2 / 4, 2 / 4]])
    assert document["variables"][0]["weights"] == pytest.approx((prior @ given).tolist())
    assert np.exp(document["prior_log_probs"]) == pytest.approx(prior)


def test_columns_that_say_nothing_are_left_out():
    identifiers = [f"name {i}" for i in range(30)]
    with pytest.warns(UserWarning, match="look like identifiers"):
        model = NaiveBayes().fit({"id": identifiers, "x": ["a", "b"] * 15}, ["no", "yes", "yes"] * 10)
    assert [variable["name"] for variable in model.to_scorer()["variables"]] == ["x"]


def test_codes_are_their_own_values():
    model = NaiveBayes(schema=Schema.from_sizes([3], n_classes=2)).fit([[0], [1], [2]], [0, 1, 1])
    document = model.to_scorer()
    for code in (0, 1, 2, 3, -1):
        expected = model.predict_proba([[code]])[0].tolist()
        assert score(document, {"x0": code}).probabilities == pytest.approx(expected, abs=1e-12)


def test_what_cannot_be_read_is_refused():
    document = NaiveBayes().fit({"x": ["a", "b"]}, ["no", "yes"]).to_scorer()
    with pytest.raises(DataError, match="not a scorer document"):
        score({}, {})
    with pytest.raises(DataError, match="version 3"):
        score(document | {"version": 3}, {})
    with pytest.raises(DataError, match="variable 'x': a list is not a cell"):
        score(document, {"x": ["a"]})


def test_a_variable_declared_beforehand_may_hold_what_no_row_has():
    schema = Schema([Variable("x", ("a", "b", "c"))], Variable("y", ("no", "yes")))
    model = NaiveBayes("map", schema=schema).fit({"x": ["a", "b"]}, ["no", "yes"])
    assert score(model.to_scorer(), {"x": "c"}).undefined


def entropy(probabilities):
    return -sum(p * math.log2(p) for p in probabilities if p > 0)


def test_empty_text_is_a_value_that_was_not_listed(javascript):
    """Not a missing cell, though these are a value here; in ONNX they are written as empty text."""
    model = NaiveBayes(missing="value").fit({"u": ["a", "a", None, None, "b", "b"]}, list("ppqqpq"))
    frame = pd.DataFrame({"n": [0, 1], "u": ["", None]})
    expected = model.predict_proba(frame[["u"]])
    np.testing.assert_allclose(expected, [[0.5, 0.5], [0.25, 0.75]])
    document, cases = model.to_scorer(), [{"u": ""}, {"u": None}]
    found = {
        "reader": [score(document, case).probabilities for case in cases],
        "javascript": [one["probabilities"] for one in javascript([[document, case] for case in cases])],
        "one": [[*model.one(case).values()] for case in cases],
    }
    for engine, run in ENGINES.items():
        rows = run(model.to_sql("my rows", dialect=engine, keep=["n"]), frame)
        found[engine] = [probs for _, _, *probs in sorted(rows)]
    for program, probs in found.items():
        np.testing.assert_allclose(probs, expected, atol=1e-12, err_msg=program)
    np.testing.assert_allclose(in_onnx(model.to_onnx(), frame)[1], expected[[1, 1]], atol=1e-12)


@pytest.mark.parametrize("export", ["to_sql", "to_onnx", "to_scorer"])
@pytest.mark.parametrize("kind", ["naive-bayes", "best-tree", "log-ratios"])
def test_models_that_refuse_unknown_values_are_not_exported(kind, export):
    model = constructor_of(kind)(handle_unknown="error").fit({"u": ["a", "b"] * 4}, list("ppqqpqpq"))
    with pytest.raises(
        InvalidParameter, match=r'handle_unknown="error".*fit it with handle_unknown="ignore"'
    ):
        getattr(model, export)(*(["rows"] if export == "to_sql" else []))
