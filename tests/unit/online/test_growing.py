"""Domains that grow: the escape is that of its definition, and the code is complete in any order."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength import NaiveBayes, OnlineNaiveBayes, Prior, Schema, Variable, datasets
from codelength.errors import DataError, Infeasible, InvalidParameter
from codelength.online import domain, growing
from codelength.online._kernels import log_averages
from naive_streams import NEW, SIZES, class_probabilities, table_probability

ROWS = st.fixed_dictionaries({"a": st.sampled_from([None, "x", "y", "z"]), "b": st.sampled_from([1, 2, 3])})
STREAMS = st.lists(st.tuples(ROWS, st.sampled_from(["k", "l", "m"])), min_size=1, max_size=6)
PRIORS = st.sampled_from([(1, 1), (Fraction(1, 2), 2), (2, Fraction(1, 4))])
STARTS = st.sampled_from(
    [
        None,
        Schema([Variable("a", ("x",)), Variable("b", (3, 2, 1))], Variable("class", ("k",))),
        Schema([Variable("a", ("x", "w")), Variable("b", (7,))], Variable("class", ("n", "l"))),
    ]
)


def declared_by(schema):
    if schema is None:
        return {None: (), "a": (), "b": ()}
    return {None: schema.classes, "a": schema.variables[0].values, "b": schema.variables[1].values}


def model_of(schema, prior, **options):
    return OnlineNaiveBayes(schema, prior=Prior(*map(float, prior)), domains="growing", **options)


def learned(model, stream):
    for row, label in stream:
        model.learn_one(row, label)
    return model


@settings(max_examples=10, deadline=None)
@given(STREAMS, ROWS, PRIORS, STARTS)
def test_probabilities_are_those_of_the_definition(stream, row, prior, schema):
    rows, classes = [row for row, _ in stream], [label for _, label in stream]
    model = learned(model_of(schema, prior), stream)
    expected = class_probabilities(rows, classes, row, declared_by(schema), *prior)
    new = expected.pop(NEW)
    assert model.new_class_proba_one(row) == pytest.approx(float(new), rel=1e-11)
    found = model.predict_proba_one(row)
    assert list(found) == list(expected)
    assert list(found.values()) == pytest.approx([float(p / (1 - new)) for p in expected.values()], rel=1e-11)


@settings(max_examples=20, deadline=None)
@given(STREAMS, PRIORS, STARTS, st.randoms(use_true_random=False))
def test_rows_cost_the_same_in_any_order(stream, prior, schema, random):
    """Chain rule: predicting one row after the other costs minus the log evidence of all."""
    rows, classes = [row for row, _ in stream], [label for _, label in stream]
    expected = table_probability(rows, classes, declared_by(schema), *prior)
    for _ in range(2):
        model, cost = model_of(schema, prior), 0.0
        for row, label in stream:
            cost -= model.joint_log_prob_one(row, label)
            model.learn_one(row, label)
        assert cost == pytest.approx(-math.log(expected), rel=1e-11)
        assert model.evidence_code_length == pytest.approx(-math.log(expected), rel=1e-11)
        random.shuffle(stream)


@settings(max_examples=40, deadline=None)
@given(STREAMS, PRIORS, STARTS)
def test_all_that_can_come_adds_up_to_one(stream, prior, schema):
    model = learned(model_of(schema, prior), stream)
    values = {variable.name: variable.values for variable in model.schema.variables}
    total = 0.0
    for label in (*model.schema.classes, "something new"):
        for a in (*values.get("a", ()), "something new"):
            for b in (*values["b"], "something new"):
                # A variable of which nothing was seen has a first value for certain.
                row = {"a": a, "b": b} if "a" in values else {"b": b}
                total += math.exp(model.joint_log_prob_one(row, label))
            if "a" not in values:
                break
    assert total == pytest.approx(1.0, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(STREAMS, st.data(), STARTS)
def test_rows_taken_back_were_never_there(stream, data, schema):
    kept = data.draw(st.lists(st.booleans(), min_size=len(stream), max_size=len(stream)))
    model = learned(model_of(schema, (1, 1)), stream)
    for (row, label), keep in zip(stream, kept, strict=True):
        if not keep:
            model.unlearn_one(row, label)
    left = [both for both, keep in zip(stream, kept, strict=True) if keep]
    expected = learned(model_of(schema, (1, 1)), left)
    assert model.evidence_code_length == pytest.approx(expected.evidence_code_length, rel=1e-12, abs=1e-12)
    for row, _ in stream:
        assert model.predict_proba_one(row) == pytest.approx(expected.predict_proba_one(row), rel=1e-12)
        assert model.new_class_proba_one(row) == pytest.approx(expected.new_class_proba_one(row), rel=1e-12)
    if left:
        assert {v.name: set(v.values) for v in model.schema.variables} == {
            v.name: set(v.values) for v in expected.schema.variables
        }


@pytest.fixture(scope="module")
def soybean():
    """19 classes in blocks, so that classes and values are met all along."""
    table = datasets.load("soybean-large").table
    columns = [column.cells for column in table.columns]
    rows = [dict(zip(table.names, row, strict=True)) for row in zip(*columns, strict=True)]
    return list(zip(rows, table.target.cells, strict=True))


def test_a_window_knows_only_what_its_rows_have(soybean):
    model = learned(OnlineNaiveBayes(domains="growing", window=40), soybean[:200])
    expected = learned(OnlineNaiveBayes(domains="growing"), soybean[160:200])
    assert set(model.schema.classes) == set(expected.schema.classes) != {label for _, label in soybean}
    for row, _ in soybean[::20]:
        assert model.predict_proba_one(row) == pytest.approx(expected.predict_proba_one(row), rel=1e-10)
        assert model.new_class_proba_one(row) == pytest.approx(expected.new_class_proba_one(row), rel=1e-10)
    # Places of values that were forgotten are used again.
    assert len(model._counts.value_counts) < 1.6 * len(expected._counts.value_counts) + 10


def test_a_half_life_weighs_rows_and_first_occurrences():
    """The definition, with every row's factor taken to the power of its weight."""
    half_life, stream = 3.0, [("a", "k"), ("b", "k"), ("a", "l"), ("c", "l"), ("a", "k"), ("d", "l")]
    weights = 0.5 ** (np.arange(len(stream) - 1, -1, -1) / half_life)
    model = OnlineNaiveBayes(domains="growing", half_life=half_life)
    learned(model, [({"x": value}, label) for value, label in stream])
    first = {value: w for w, (value, _) in reversed(list(zip(weights, stream, strict=True)))}
    first_classes = {label: w for w, (_, label) in reversed(list(zip(weights, stream, strict=True)))}
    known = {
        label: sum(w for w, (_, other) in zip(weights, stream, strict=True) if other == label)
        for label in "kl"
    }
    joint = {}
    for label in ("k", "l", None):
        own = known.get(label, 0.0)
        of_class = _escaped(2, sum(first_classes.values()), [sum(known.values())], 0, label is None, own)
        seen = [known["k"], known["l"], 0.0]
        of_value = _escaped(4, sum(first.values()), seen, {"k": 0, "l": 1, None: 2}[label], True, 0.0)
        joint[label] = of_class * of_value
    total = sum(joint.values())
    assert model.new_class_proba_one({"x": "new"}) == pytest.approx(joint[None] / total, rel=1e-10)
    found = model.predict_proba_one({"x": "new"})
    assert found["k"] == pytest.approx(joint["k"] / (joint["k"] + joint["l"]), rel=1e-10)


def _escaped(n_known, n_met, totals, own, is_new, n_seen):
    """Probability of a value seen so often, or of a new one, averaged over sizes of the domain."""
    found = evidence = 0.0
    for size, prior in SIZES:
        if size < n_known:
            continue
        log = math.log(prior) + math.lgamma(size + 1) - math.lgamma(size - n_met + 1)
        log += sum(math.lgamma(size) - math.lgamma(size + total) for total in totals)
        evidence += math.exp(log)
        found += math.exp(log) * (size - n_known if is_new else n_seen + 1) / (totals[own] + size)
    return found / evidence


def test_new_values_stay_possible_after_very_many_rows():
    """The escape is summed up by itself, so it is never lost in a difference of nearly equal numbers."""
    model = OnlineNaiveBayes(domains="growing")
    for n in range(3000):
        model.learn_one({"x": "ab"[n % 2]}, "kl"[n % 3 == 0])
    found = model.joint_log_prob_one({"x": "new"}, "k")
    assert -40 < found < -10
    assert 0 < model.new_class_proba_one({"x": "a"}) < 1e-6


@pytest.mark.parametrize(
    ("totals", "n_known", "n_declared", "pseudocount"),
    [
        ([1e6, 3e6, 0.0], 5, 0, 1.0),
        ([1e8, 2e8, 0.0], 30, 3, 0.5),
        ([1e3, 5.0, 0.0], 100, 0, 1.0),
        ([7e4, 7e4, 0.0], 60_000, 0, 2.0),
        ([1e9, 0.0], 2, 2, 1.0),
        ([990.0, 999.5, 1000.0], 12, 1, 0.7),
    ],
)
@pytest.mark.parametrize("is_new", [False, True])
def test_averages_over_sizes_keep_their_digits(totals, n_known, n_declared, pseudocount, is_new):
    """In 50 digits, from the definition."""
    n_sizes = len(domain.SIZES)
    found, n_met = np.empty(len(totals)), float(n_known - n_declared)
    of_domain = (np.array(totals), n_known, n_declared, n_met, pseudocount)
    log_averages(*of_domain, domain.SIZES, domain.LOG_PRIOR, is_new, np.empty(n_sizes), found)
    with mpmath.workdps(50):
        evidence, averages = mpmath.mpf(0), [mpmath.mpf(0) for _ in totals]
        for size, prior in SIZES:
            if size < n_known:
                continue
            log = mpmath.log(prior.numerator) - mpmath.log(prior.denominator)
            log += mpmath.loggamma(size - n_declared + 1) - mpmath.loggamma(size - n_known + 1)
            start = mpmath.mpf(pseudocount) * size
            log += sum(mpmath.loggamma(start) - mpmath.loggamma(start + total) for total in totals)
            weight = mpmath.exp(log)
            evidence += weight
            for c, total in enumerate(totals):
                share = pseudocount * (size - n_known) if is_new else 1
                averages[c] += weight * share / (total + start)
        expected = [float(mpmath.log(average / evidence)) for average in averages]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_declared_intervals_and_codes_stay_closed():
    """Nothing can be added to them, so the model is the one of fixed domains."""
    schema = Schema.from_sizes([2, 3], n_classes=2)
    fixed, growing_ = OnlineNaiveBayes(schema), OnlineNaiveBayes(schema, domains="growing")
    for n in range(30):
        for model in (fixed, growing_):
            model.score_one({"x0": n % 2, "x1": n % 5}, n % 3 % 2)
    assert growing_.code_length == pytest.approx(fixed.code_length, rel=1e-12)
    assert growing_.evidence_code_length == pytest.approx(fixed.evidence_code_length, rel=1e-12)
    assert growing_.new_class_proba_one({"x0": 1}) == fixed.new_class_proba_one({"x0": 1}) == 0.0
    assert growing_.schema == schema


def test_a_fitted_model_goes_on_and_grows():
    table = {"size": [1.5, 2.5, 3.5, 9.5] * 10, "colour": ["red", "blue", None, "red"] * 10}
    fitted = NaiveBayes(numeric="discretize", handle_unknown="error").fit(table, ["no", "yes"] * 20)
    model = OnlineNaiveBayes.of(fitted, domains="growing")
    counts = model.counts
    known = np.delete(np.arange(fitted.schema_.n_cells), fitted.schema_.offsets[1:] - 1)
    np.testing.assert_array_equal(counts.value_counts[:, known], fitted.counts_.value_counts[:, known])
    model.learn_one({"size": 100.0, "colour": "green"}, "perhaps")
    assert model.schema.classes == ("no", "yes", "perhaps")
    assert model.schema.variables[1].values == ("blue", "red", "green")
    assert model.schema.variables[0] == fitted.schema_.variables[0]
    assert model.counts.n_rows == 41
    assert model.counts.of("colour")[2].tolist() == [0, 0, 1]


def test_missing_can_be_a_value_beside_new_ones():
    schema = Schema([Variable("x", ("a", None))], Variable("y", ("k", "l")))
    model = OnlineNaiveBayes(schema, domains="growing")
    learned(model, [({"x": None}, "k"), ({"x": "b"}, "k"), ({"x": "b"}, "l")])
    assert model.schema.variables[0].values == ("a", "b", None)
    assert model.counts.of("x").tolist() == [[0, 1, 1], [0, 1, 0]]


def test_the_same_value_in_other_spellings():
    model = OnlineNaiveBayes(domains="growing")
    learned(
        model, [({"x": 1}, True), ({"x": 1.0}, 1), ({"x": np.int8(1)}, np.bool_(True)), ({"x": True}, 1.0)]
    )
    learned(model, [({"x": "2020-01-31 00:00:00"}, True), ({"x": "2020-01-31"}, True)])
    assert model.schema.variables[0].values == (1, "2020-01-31")
    assert model.counts.of("x").tolist() == [[4, 2]]


def test_what_says_nothing_is_not_a_variable():
    model = OnlineNaiveBayes(domains="growing")
    assert model.predict_proba_one({"x": "a"}) == {}
    assert model.predict_one({}) is None
    assert model.new_class_proba_one({"x": "a"}) == 1.0
    assert "0 rows, 0 variables" in str(model)
    with pytest.raises(DataError, match="learn a row first"):
        _ = model.schema
    model.learn_one({"x": None, "y": math.nan}, "k")
    assert model.schema.names == ()
    model.learn_one({"x": None, "y": 3}, "k")
    assert model.schema.names == ("y",)


def test_identifiers_are_left_out_after_a_while(monkeypatch):
    monkeypatch.setattr(growing, "MAX_VALUES", 50)
    model = OnlineNaiveBayes(domains="growing", window=20)
    for n in range(200):
        model.learn_one({"id": f"row {n}", "x": n % 2}, "kl"[n % 2])
    assert "id" not in [v.name for v in model.schema.variables if v.kind == "ignored"], "a window forgets"
    model = OnlineNaiveBayes(domains="growing")
    for n in range(200):
        model.learn_one({"id": f"row {n}", "x": n % 2}, "kl"[n % 2])
    assert model.schema.variables[0].kind == "ignored"
    assert model.predict_proba_one({"id": "row 3", "x": 0}) == model.predict_proba_one({"x": 0})
    assert model.counts.n_rows == 200
    assert math.isfinite(model.evidence_code_length)


def test_missing_cells_of_an_identifier_say_nothing(monkeypatch):
    """Also if missing was declared as a value: a retired variable is as if it were absent."""
    monkeypatch.setattr(growing, "MAX_VALUES", 5)
    schema = Schema([Variable("id", ("a", None)), Variable("x", ("u", "v"))], Variable("y", ("k", "l")))
    model = OnlineNaiveBayes(schema, domains="growing")
    for n in range(20):
        model.learn_one({"id": None if n % 4 == 0 else f"row {n}", "x": "uv"[n % 2]}, "kl"[n % 2])
    assert model.schema.variables[0].kind == "ignored"
    assert model.predict_proba_one({"id": None, "x": "u"}) == model.predict_proba_one({"id": "b", "x": "u"})


def test_too_much_to_count_is_refused_before_anything_changes(monkeypatch):
    monkeypatch.setattr(growing, "MAX_CELLS", 6)
    model = learned(OnlineNaiveBayes(domains="growing"), [({"x": n}, n) for n in range(2)])
    before = model.counts
    with pytest.raises(Infeasible, match="3 classes and 3 values were met"):
        model.learn_one({"x": 3}, 3)
    assert model.counts == before


def test_domains_that_are_too_large_to_grow(monkeypatch):
    monkeypatch.setattr(growing, "MAX_VALUES", 3)
    large = Variable("x", tuple("abcd"))
    for schema in (Schema([large], Variable("y", ("k",))), Schema([], large)):
        with pytest.raises(Infeasible, match="variable 'x': 4 values are declared"):
            OnlineNaiveBayes(schema, domains="growing")
    model = learned(OnlineNaiveBayes(domains="growing"), [({}, label) for label in "abc"])
    with pytest.raises(Infeasible, match="4 classes"):
        model.learn_one({}, "d")
    assert model.schema.classes == ("a", "b", "c")


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ({"x": ["a"]}, "k", "variable 'x': the value"),
        ({"x": math.inf}, "k", "variable 'x': the value is infinite"),
        ({3: "a"}, "k", "name 3: expected text"),
        ({"x": "a"}, None, "class None: missing"),
        ({"x": "a"}, math.nan, "class nan: missing"),
        ({"x": "a"}, ["k"], "variable 'class': the value"),
        ("x", "k", "expected a mapping"),
    ],
)
def test_a_row_that_cannot_be_learned_changes_nothing(x, y, message):
    model = learned(OnlineNaiveBayes(domains="growing"), [({"x": "a", "z": 1}, "k")])
    for learn in (model.learn_one, model.score_one):
        with pytest.raises(DataError, match=message):
            learn({"new": "value", **x} if isinstance(x, dict) else x, y)
    assert model.schema.names == ("x", "z")
    assert model.counts.n_rows == 1
    assert model.n_scored == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"domains": "open"}, "domains='open'"),
        ({"domains": "growing", "rule": "map"}, 'pass rule="evidence"'),
        ({"domains": "growing", "prior": "jeffreys"}, "Prior of two numbers"),
        ({"domains": "growing", "prior": 2.0}, "Prior of two numbers"),
        ({"domains": "growing", "prior": Prior(1, [1, 1])}, "Prior of two numbers"),
        ({"domains": "growing", "handle_unknown": "error"}, "leave handle_unknown= out"),
        ({"domains": "fixed"}, "schema"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    with pytest.raises(InvalidParameter, match=message):
        OnlineNaiveBayes(**options)
