"""Questions about several variables at once, against the enumeration of the joint distribution."""

import itertools
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from codelength import FiniteMixture, NaiveBayes, Schema, datasets, load
from codelength.errors import Infeasible, InvalidParameter, SchemaMismatch, UndefinedPrediction
from codelength.naive_bayes.query import Answer

SIZES, N_CLASSES = (2, 3, 2), 3
NAMES = ("x0", "x1", "x2", "class")
RULES = ("evidence", "map", "stochastic_complexity", "indifferent")

cells = st.tuples(*(st.one_of(st.none(), st.integers(0, size - 1)) for size in SIZES))
tables = st.lists(st.tuples(cells, st.integers(0, N_CLASSES - 1)), min_size=1, max_size=12)
questions = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True)


def columns(rows):
    return {f"x{i}": [row[i] for row in rows] for i in range(len(SIZES))}


def fitted(rule, table):
    schema = Schema.from_sizes(SIZES, N_CLASSES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return NaiveBayes(rule, schema=schema).fit(columns([row for row, _ in table]), [k for _, k in table])


def plain_weights(rule, row, table):
    """Weight of a row together with each class, by the slow definitions."""
    prior = naive.uniform_prior(SIZES, N_CLASSES)
    counts = naive.count([row for row, _ in table], [k for _, k in table], SIZES, N_CLASSES)
    if rule == "evidence":
        return naive.evidence_weights(row, counts, prior)
    if rule == "map":
        return naive.joint_probs(row, naive.filled(naive.posterior_mode(counts, prior), SIZES))
    if rule == "indifferent":
        return naive.indifferent_weights(row, counts)
    return naive.stochastic_complexity_weights(row, counts)


def plain_answer(rule, row, label, asked, table):
    """Every combination of class and values asked about, one by one; what is not asked is summed."""
    spaces = [range(size) if name in asked else (None,) for name, size in zip(NAMES, SIZES, strict=False)]
    sizes = dict(zip(NAMES, (*SIZES, N_CLASSES), strict=True))
    totals = dict.fromkeys(itertools.product(*(range(sizes[name]) for name in asked)), 0)
    for values in itertools.product(*spaces):
        filled = tuple(row[i] if value is None else value for i, value in enumerate(values))
        for k, weight in enumerate(plain_weights(rule, filled, table)):
            if label is None or "class" in asked or k == label:
                point = dict(zip(NAMES, (*filled, k), strict=True))
                totals[tuple(point[name] for name in asked)] += weight
    total = sum(totals.values())
    return {key: (value / total if total else 1 / len(totals)) for key, value in totals.items()}


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=25, deadline=None)
@given(table=tables, row=cells, label=st.one_of(st.none(), st.integers(0, N_CLASSES - 1)), asked=questions)
def test_naive_bayes_answers_as_the_enumeration_of_its_joint_distribution(rule, table, row, label, asked):
    model = fitted(rule, table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedPrediction)
        answer = model.query(columns([row]), asked, y=[label])
    expected = plain_answer(rule, row, label, asked, table)
    for combination, prob in zip(answer.combinations, answer.probs.reshape(-1), strict=True):
        assert prob == pytest.approx(float(expected[combination]), abs=1e-12)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=15, deadline=None)
@given(table=tables, rows=st.lists(cells, min_size=1, max_size=5))
def test_the_class_alone_is_what_predict_proba_says(rule, table, rows):
    model = fitted(rule, table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedPrediction)
        answer = model.query(columns(rows), "class")
        np.testing.assert_allclose(answer.probs, model.predict_proba(columns(rows)), rtol=0, atol=1e-12)
        np.testing.assert_array_equal(answer.undefined, model.is_undefined(columns(rows)))


@settings(max_examples=10, deadline=None)
@given(rows=st.lists(cells, min_size=4, max_size=12), row=cells, asked=st.permutations(("x0", "x1", "x2")))
def test_a_mixture_answers_as_the_enumeration_of_its_joint_distribution(rows, row, asked):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = FiniteMixture(2, n_init=2, max_init=2, schema=Schema.from_sizes(SIZES), random_state=0)
        mixture = model.fit(columns(rows)).parameters_
        answer = model.query(columns([row]), asked[:2])
    known = row[int(asked[2][1])]
    total, joint = 0.0, {}
    for values in itertools.product(*(range(SIZES[int(name[1])]) for name in asked[:2])):
        point = dict(zip(asked, (*values, known), strict=True))
        joint[values] = sum(
            mixture.class_probs[k]
            * math.prod(mixture.of(name)[k, value] for name, value in point.items() if value is not None)
            for k in range(2)
        )
        total += joint[values]
    for values, prob in joint.items():
        expected = prob / total if total else 1 / len(joint)
        assert answer.probs[0][values] == pytest.approx(expected, abs=1e-12)


WEATHER = {
    "outlook": ["sun", "sun", "rain", "rain", "sun"],
    "wind": ["no", "yes", "no", None, "yes"],
    "play": ["out", "out", "in", "in", "in"],
}


def test_marginals_and_the_most_probable_combination_come_from_one_distribution():
    model = NaiveBayes().fit(WEATHER, "play")
    blank = {"wind": ["no", None], "outlook": [None, None]}
    answer = model.query({"wind": ["no", None]}, ("outlook", "play"))
    np.testing.assert_allclose(answer.probs.sum(axis=(1, 2)), 1)
    np.testing.assert_allclose(
        answer.marginals["outlook"], model.query({"wind": ["no", None]}, "outlook").probs
    )
    np.testing.assert_allclose(answer.marginal("play"), model.query(blank, "play").probs)
    best = answer.combinations[int(answer.probs[0].argmax())]
    assert answer.most_probable[0] == best
    assert answer.best_probs[0] == answer.probs[0].max()
    assert "most probable combination" in str(answer)
    assert repr(answer) == "<Answer about outlook, play: 2 rows, 4 combinations>"
    with pytest.raises(InvalidParameter, match="was not asked about"):
        answer.marginal("wind")


def test_of_equally_probable_combinations_the_first_is_named_whatever_their_last_bit():
    probs = np.array([[[0.3, 0.1 + 0.2], [0.2, 0.2]], [[0.3, 0.3 + 1e-6], [0.2, 0.2 - 1e-6]]])
    answer = Answer(("a", "b"), (("u", "v"), ("s", "t")), probs, np.zeros(2, dtype=bool))
    assert answer.most_probable == [("u", "s"), ("u", "t")]


def test_cells_that_are_asked_about_are_not_looked_at_and_need_not_be_there():
    model = NaiveBayes(handle_unknown="error").fit(WEATHER, "play")
    alone = model.query({"wind": ["yes", "no"]}, "outlook")
    beside = model.query({"outlook": ["hail", "sun"], "wind": ["yes", "no"]}, "outlook")
    np.testing.assert_array_equal(alone.probs, beside.probs)


def test_a_column_with_the_name_of_the_class_is_known_and_may_have_gaps():
    model = NaiveBayes().fit(WEATHER, "play")
    found = model.query({"wind": ["yes", "yes"], "play": ["in", None]}, "outlook")
    given = model.query({"wind": ["yes", "yes"]}, "outlook", y=["in", None])
    np.testing.assert_array_equal(found.probs, given.probs)
    unknown = model.query({"wind": ["yes"]}, "outlook")
    np.testing.assert_array_equal(found.probs[1], unknown.probs[0])
    assert abs(found.probs[0] - found.probs[1]).max() > 0.01


def test_what_cannot_be_asked_is_refused_with_a_remedy():
    model = NaiveBayes().fit(WEATHER, "play")
    with pytest.raises(SchemaMismatch, match="no variable 'outlok'; did you mean 'outlook'"):
        model.query(WEATHER, "outlok")
    with pytest.raises(InvalidParameter, match="twice"):
        model.query(WEATHER, ("wind", "wind"))
    with pytest.raises(InvalidParameter, match="ask about at least one"):
        model.query(WEATHER, ())
    wide = NaiveBayes(schema=Schema.from_sizes([50] * 4, 2)).fit(np.zeros((2, 4), dtype=int), [0, 1])
    with pytest.raises(Infeasible, match=r"6,250,000 combinations.*fewer variables"):
        wide.query(np.zeros((1, 4), dtype=int), ("x0", "x1", "x2", "x3"))
    narrow = NaiveBayes(select="evidence").fit({"a": [0, 1] * 20, "b": [0] * 40}, [0, 1] * 20)
    with pytest.raises(InvalidParameter, match="'b' was not chosen by select="):
        narrow.query({"a": [1]}, "b")


def test_a_model_from_a_file_answers_the_same(tmp_path):
    model = NaiveBayes().fit(WEATHER, "play")
    model.save(tmp_path / "model.json")
    asked = ("play", "outlook")
    again = load(tmp_path / "model.json").query({"wind": ["no"]}, asked)
    np.testing.assert_array_equal(again.probs, model.query({"wind": ["no"]}, asked).probs)


@pytest.mark.parametrize("options", [{"numeric": "average"}, {"missing": "value"}, {"prior": "jeffreys"}])
def test_the_class_alone_is_predicted_under_every_option(options):
    table = datasets.load("hepatitis", backend="columns").table
    model = NaiveBayes(**options).fit(table)
    rows = replace(table.take(np.arange(20)), target=None)
    np.testing.assert_allclose(
        model.query(rows, "class").probs, model.predict_proba(rows), rtol=0, atol=1e-12
    )
    answer = model.query(rows, ("SEX", "class"))
    alone = model.query(rows, "SEX")
    np.testing.assert_allclose(answer.marginal("SEX"), alone.probs, rtol=0, atol=1e-12)
