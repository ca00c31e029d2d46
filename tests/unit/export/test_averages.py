"""Averages and trees as exported say what ``predict_proba`` says, in every program that runs them."""

import json
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from codelength import ModelAverage, NaiveBayes
from codelength.averages.member import Member, normalised
from codelength.averages.members import MEMBERS
from codelength.averages.pool import Pool
from codelength.errors import DataError, InvalidParameter
from codelength.estimators import capabilities_of
from codelength.export.reader import ask, score
from codelength.research import MemberClassifier
from codelength.table import Schema, Variable
from unit.export.engines import ENGINES, in_onnx, in_postgres

TEXTS = ["a'b", 'quo"te', "x; DROP TABLE rows; --", "línea\nnueva", "NULL"]
EXPORTED = ["log_ratios", "subsets", "best_tree"]
KINDS = {"number": "double precision", "whole": "double precision", "class": "int"}


def frame_of(n_rows, seed):
    """Columns that depend on one another and on the class, with empty cells and awkward names."""
    rng = np.random.default_rng(seed)
    text = rng.choice(TEXTS, n_rows)
    frame = pd.DataFrame(
        {
            'na"me': text,
            "number": rng.normal(size=n_rows),
            "whole": rng.integers(-2, 4, n_rows).astype(np.float64),
            "s0": np.where(rng.random(n_rows) < 0.7, np.char.upper(text), "k0"),
            "g1": rng.choice(["top", "m0"], n_rows),
        }
    )
    frame["g1"] = np.where((frame["number"] > 0) & (rng.random(n_rows) < 0.8), "m0", frame["g1"])
    drawn = rng.choice(["yes", "no's", 'per"haps'], n_rows)
    labels = np.where((frame["number"] > 0.5) ^ (frame["s0"] == "NULL"), "yes", drawn)
    for name in ('na"me', "number", "s0"):
        frame[name] = frame[name].astype(object).mask(rng.random(n_rows) < 0.1)
    return frame.astype({"number": np.float64}), labels


def new_rows(n_rows=120, seed=2):
    """Rows with values that were not in training, a number on a cut point, and whole rows of nothing."""
    frame, _ = frame_of(n_rows, seed)
    frame.loc[::5, 'na"me'] = "new"
    frame.loc[1::7, "whole"] = 99.0
    frame.loc[3, "number"] = fitted("subsets").schema_.variables[1].cuts[4]
    frame.loc[[4, 5]] = None
    return frame.astype({"number": np.float64, "whole": np.float64})


MODELS = {
    "log_ratios": lambda: MemberClassifier("log_ratios"),
    "subsets": lambda: MemberClassifier("subsets"),
    "best_tree": lambda: MemberClassifier("best_tree"),
    "best_tree, gaps": lambda: MemberClassifier("best_tree", missing="ignore"),
    "all": lambda: ModelAverage(members=EXPORTED),
    "all, gaps": lambda: ModelAverage(members=EXPORTED, missing="ignore"),
}


@cache
def fitted(name, seed=1, classes=None):
    frame, labels = frame_of(200, seed)
    model = MODELS[name]()
    if classes is not None:
        model = ModelAverage(members=EXPORTED, schema=with_classes(model.fit(frame, labels).schema_, classes))
    return model.fit(frame, labels)


def with_classes(schema, classes):
    return Schema(schema.variables, Variable(schema.target.name, classes))


@pytest.fixture(params=[*MODELS, "a class that was never seen"])
def model(request):
    if request.param in MODELS:
        return fitted(request.param)
    return fitted("all", classes=("never", "no's", 'per"haps', "yes"))


def check(model, rows, classes, probs):
    np.testing.assert_allclose(probs, model.predict_proba(rows), rtol=0, atol=1e-12)
    assert list(classes) == model.predict(rows).tolist()


@pytest.mark.parametrize("dialect", ENGINES)
def test_statements(model, dialect):
    rows = new_rows()
    statement = model.to_sql("my rows", dialect=dialect, keep=["class"], name="guess")
    found = sorted(ENGINES[dialect](statement, rows.assign(**{"class": range(len(rows))})))
    check(model, rows, [row[1] for row in found], np.array([row[2:] for row in found], dtype=np.float64))


@pytest.mark.skipif(sys.platform == "win32", reason="needs a socket in the file system")
def test_statements_in_postgres(model, postgres):
    rows = new_rows()
    statement = model.to_sql("my rows", dialect="postgres", keep=["class"], name="guess")
    found = sorted(in_postgres(postgres, statement, rows.assign(**{"class": range(len(rows))}), KINDS))
    check(model, rows, [row[1] for row in found], np.array([row[2:] for row in found], dtype=np.float64))


def test_graphs(model):
    pytest.importorskip("onnxruntime")
    rows = new_rows()
    check(model, rows, *in_onnx(model.to_onnx(), rows))


def cases_of(rows):
    return [
        {name: None if cell != cell else cell for name, cell in row.items()}
        for row in rows.to_dict("records")
    ]


def test_scorers(model, javascript):
    rows = new_rows()
    document = json.loads(json.dumps(model.to_scorer(), allow_nan=False))
    pairs = [(document, case) for case in cases_of(rows)]
    expected = model.predict_proba(rows)
    found = [score(*pair) for pair in pairs]
    np.testing.assert_allclose([one.probabilities for one in found], expected, rtol=0, atol=1e-12)
    answers = javascript(pairs)
    np.testing.assert_allclose([one["probabilities"] for one in answers], expected, rtol=0, atol=1e-12)
    for one, answer in zip(found, answers, strict=True):
        assert [part["logOdds"] for part in answer["evidence"]] == list(one.evidence.values())
    with pytest.raises(DataError, match="does not describe the values"):
        ask(*pairs[0])


def test_evidence_of_a_tree_adds_up_to_its_log_odds():
    model, rows = fitted("best_tree"), new_rows()
    document = model.to_scorer()
    prior = document["class_table"]
    for case, log_probs in zip(cases_of(rows), model.predict_log_proba(rows), strict=True):
        found = np.array([*score(document, case).evidence.values(), np.subtract(prior, prior[0])])
        np.testing.assert_allclose(found.sum(axis=0), log_probs - log_probs[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", EXPORTED)
def test_sums_of_a_member_are_its_log_weights(name):
    """The tables are added up here cell by cell, away from all exports."""
    model = fitted(name)
    (member,) = model._fitted.members
    coded = model._encoded(new_rows())
    sums = member.look_ups()
    codes = coded.codes.astype(np.int64)
    log_weights = np.tile(sums.class_table, (coded.n_rows, 1))
    for row in range(coded.n_rows):
        for position, table in sums.tables.items():
            log_weights[row] += table[codes[row, position]]
        for (child, parent), table in sums.pairs.items():
            groups = [sums.groupings[i][codes[row, i]] for i in (child, parent)]
            log_weights[row] += table[tuple(groups)]
    np.testing.assert_allclose(normalised(log_weights), member.log_probs(coded), rtol=0, atol=1e-12)
    assert bool(sums.pairs) == (name == "best_tree")


def test_members_that_are_no_look_ups_are_named():
    frame, labels = frame_of(60, seed=3)
    model = ModelAverage(members=["log_ratios", "forests"]).fit(frame, labels)
    for export in (lambda: model.to_sql("t"), model.to_onnx, model.to_scorer):
        with pytest.raises(
            InvalidParameter, match=r"^members 'forests': .*members=\['log_ratios', .*log-ratios"
        ):
            export()
    # One that weighs nothing says nothing.
    pool = Pool(np.array([0.7, 1.2]), np.array([0.9, 0.0]), 0.2)
    model._state = replace(model._state, pool=pool)
    rows = new_rows()
    document = model.to_scorer()
    found = [score(document, case).probabilities for case in cases_of(rows)]
    np.testing.assert_allclose(found, model.predict_proba(rows), rtol=0, atol=1e-12)


def test_which_members_are_look_ups():
    assert {name for name, member in MEMBERS.items() if member.look_ups is not Member.look_ups} == set(
        EXPORTED
    )
    assert capabilities_of(MODELS["best_tree"]()) >= {"export", "network"}
    assert "export" in capabilities_of(MemberClassifier("log_ratios"))


def test_a_table_without_anything_to_learn_from():
    model = ModelAverage(members=EXPORTED).fit({"x": ["a"] * 5}, ["k", "l", "l", "l", "k"])
    expected = model.predict_proba({"x": ["a"]})[0]
    for dialect, run in ENGINES.items():
        found = run(model.to_sql("my rows", dialect=dialect), pd.DataFrame({"x": ["a", "b"]}))
        np.testing.assert_allclose([row[1:] for row in found], [expected] * 2, rtol=0, atol=1e-12)
    assert score(model.to_scorer(), {}).probabilities == pytest.approx(expected.tolist(), abs=1e-12)
    with pytest.raises(InvalidParameter, match="no variable says anything"):
        model.to_onnx()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a socket in the file system")
def test_classes_that_are_as_good_as_impossible_in_postgres(postgres):
    """Whose exponentials are smaller than any number, which the server refuses to compute."""
    labels = np.arange(400) % 2
    frame = pd.DataFrame({f"x{j}": np.array(["a", "b"])[labels] for j in range(200)})
    model = NaiveBayes().fit(frame, labels)
    rows = frame[:2].assign(**{"class": range(2)})
    statement = model.to_sql("my rows", dialect="postgres", keep=["class"], name="guess")
    found = sorted(in_postgres(postgres, statement, rows, KINDS))
    assert np.diff(model.predict_log_proba(frame[:1]))[0] < -750
    assert [[int(row[1]), *map(float, row[2:])] for row in found] == [[0, 1.0, 0.0], [1, 0.0, 1.0]]


@cache
def largest_tree():
    """Rows in which each column depends on the one before it, and the tree of as many as take part."""
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 250)
    codes = [labels]
    for _ in range(45):
        codes.append(np.where(rng.random(250) < 0.8, codes[-1], rng.integers(0, 3, 250)))
    frame = pd.DataFrame({f"x{j}": np.array(list("abc"))[column] for j, column in enumerate(codes[6:])})
    return frame, MemberClassifier("best_tree").fit(frame, labels)


@pytest.mark.parametrize("dialect", [*ENGINES, "postgres"])
def test_as_many_pairs_as_there_can_be(dialect, request):
    frame, model = largest_tree()
    assert (model._fitted.members[0].parents >= 0).sum() > 35
    rows = frame[:20].assign(**{"class": range(20)})
    statement = model.to_sql("my rows", dialect=dialect, keep=["class"], name="guess")
    if dialect == "postgres":
        found = sorted(in_postgres(request.getfixturevalue("postgres"), statement, rows, KINDS))
    else:
        found = sorted(ENGINES[dialect](statement, rows))
    probs = np.array([row[2:] for row in found], dtype=np.float64)
    check(model, frame[:20], [int(row[1]) for row in found], probs)
