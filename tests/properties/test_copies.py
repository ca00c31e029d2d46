"""In every model, a row of weight 2 is the row twice; equal weights and batches change nothing."""

from inspect import signature

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from codelength import NaiveBayes, evaluate
from codelength.errors import DataError, InvalidParameter
from codelength.estimators.registry import MODELS, capabilities_of, constructor_of, model_names
from codelength.naive_bayes import RULES
from codelength.sources import as_table
from codelength.table.copies import copy_weights, n_copies

pytestmark = [
    pytest.mark.filterwarnings("ignore::codelength.errors.DoubtfulFit"),
    pytest.mark.filterwarnings("ignore::codelength.errors.UndefinedPrediction"),
]

N_ROWS = 24
SCORES = ("log_score", "accuracy", "brier_score", "calibration_error")
OPTIONS = {
    "naive-bayes": [
        *({"rule": rule} for rule in RULES),
        {"numeric": "average"},
        {"select": "leave_one_out"},
        {"select": "prequential"},
    ],
    "finite-mixture": [{"n_components": 2}],
    "mixture-classifier": [{"candidates": 4, "n_orderings": 3}],
}
WEIGHTED = [
    pytest.param(kind, options, id="-".join([kind, *map(str, options.values())]))
    for kind in model_names()
    if "weights" in capabilities_of(constructor_of(kind)())
    for options in OPTIONS.get(kind, [{}])
]
for_every_model = pytest.mark.parametrize(("kind", "options"), WEIGHTED)


def drawn():
    """Text with a missing cell, few values so that rows are equal, numbers, and three classes."""
    generator = np.random.default_rng(3)
    kinds = generator.integers(0, 3, N_ROWS)
    table = {
        "text": np.array(["x", "y", "z"], dtype=object)[(kinds + (generator.random(N_ROWS) < 0.4)) % 3],
        "truth": np.array(["p", "q"], dtype=object)[generator.integers(0, 2, N_ROWS)],
        "number": (kinds + generator.normal(size=N_ROWS)).round(0) / 2,
    }
    table["truth"][3] = None
    times = generator.integers(1, 4, N_ROWS)
    return table, np.array(["u", "v", "w"], dtype=object)[kinds], times


TABLE, KINDS, TIMES = drawn()
REPEATED = np.repeat(np.arange(N_ROWS), TIMES)
TABLE_REPEATED = {name: column[REPEATED] for name, column in TABLE.items()}


def fitted(kind, options, table, kinds, sample_weight=None, **more):
    model = constructor_of(kind)
    if "random_state" in signature(model).parameters:
        more["random_state"] = 0
    target = kinds if "classes" in capabilities_of(model()) else None
    return model(**options, **more).fit(table, target, sample_weight=sample_weight)


@for_every_model
def test_a_weight_of_two_is_the_row_twice(kind, options):
    weighted = fitted(kind, options, TABLE, KINDS, TIMES)
    repeated = fitted(kind, options, TABLE_REPEATED, KINDS[REPEATED])
    np.testing.assert_allclose(weighted.predict_proba(TABLE), repeated.predict_proba(TABLE), rtol=1e-12)
    if "leave_one_out" in capabilities_of(weighted):
        found = weighted.leave_one_out(TABLE, KINDS, TIMES)
        expected = repeated.leave_one_out(TABLE_REPEATED, KINDS[REPEATED])
        np.testing.assert_allclose(found.log_probs[REPEATED], expected.log_probs, rtol=1e-10, atol=1e-12)
        for score in SCORES:
            assert getattr(found, score) == pytest.approx(getattr(expected, score), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "options"),
    [case for case in WEIGHTED if "weighting" in signature(constructor_of(case.values[0])).parameters],
)
@pytest.mark.parametrize("weight", [0.7, 1 / 3])
def test_equal_relative_weights_change_nothing(kind, options, weight):
    weights = np.full(N_ROWS, weight)
    weighted = fitted(kind, options, TABLE, KINDS, weights, weighting="relative")
    plain = fitted(kind, options, TABLE, KINDS)
    np.testing.assert_array_equal(weighted.predict_proba(TABLE), plain.predict_proba(TABLE))
    if "leave_one_out" in capabilities_of(weighted):
        found, expected = weighted.leave_one_out(TABLE, KINDS, weights), plain.leave_one_out(TABLE, KINDS)
        np.testing.assert_array_equal(found.log_probs, expected.log_probs)


LEFT_OUT = [case for case in WEIGHTED if "leave_one_out" in capabilities_of(constructor_of(case.values[0])())]


@pytest.mark.parametrize(("kind", "options"), LEFT_OUT)
def test_evaluate_scores_copies(kind, options):
    model = {"m": constructor_of(kind)(**options)}
    [found] = evaluate(as_table(TABLE, KINDS, TIMES), model)
    [expected] = evaluate(as_table(TABLE_REPEATED, KINDS[REPEATED]), model)
    assert found.protocol == expected.protocol == "leave-one-out"
    for score in (*SCORES, "log_score_se", "accuracy_se", "brier_score_se"):
        close = pytest.approx(getattr(expected, score), rel=1e-12, abs=1e-12, nan_ok=True)
        assert getattr(found, score) == close


@pytest.mark.parametrize("n_folds", [None, 3])
def test_evaluate_takes_equal_relative_weights_for_none(n_folds):
    models = {"m": NaiveBayes(weighting="relative"), "k": constructor_of("kernel")(weighting="relative")}
    plain = evaluate(as_table(TABLE, KINDS), models, n_folds=n_folds)
    weights = np.full(N_ROWS, 1000 / 3)
    assert evaluate(as_table(TABLE, KINDS, weights), models, n_folds=n_folds) == plain


@pytest.mark.parametrize("weighting", ["counts", "relative"])
@pytest.mark.parametrize("numeric", ["auto", "average"])
def test_batches_change_nothing(weighting, numeric, tmp_path):
    """The weights of a batch are those of the whole table, also after the model was saved."""
    pytest.importorskip("pyarrow")
    weights = TIMES * np.linspace(0.3, 2.7, N_ROWS)
    model = NaiveBayes(weighting=weighting, numeric=numeric).fit(TABLE, KINDS, weights)
    expected = model.leave_one_out(TABLE, KINDS, weights)
    rows = {**TABLE, "kind": KINDS, "w": weights}
    model.save(tmp_path / "m.json")
    for one in (model, MODELS["naive-bayes"]._from_document(model._fitted.to_document())):
        for batch_rows in (N_ROWS, 7, 1):
            found = one.evaluate_table(rows, "kind", leave_one_out=True, weights="w", batch_rows=batch_rows)
            for score in SCORES:
                assert getattr(found, score) == pytest.approx(getattr(expected, score), rel=1e-12, abs=1e-12)
            fresh = one.evaluate_table(rows, "kind", leave_one_out=False, weights="w", batch_rows=batch_rows)
            codes = np.searchsorted(one.classes_, KINDS.astype(str))
            log_probs = one.predict_log_proba(TABLE)[np.arange(N_ROWS), codes]
            assert fresh.log_score == pytest.approx(np.average(log_probs, weights=weights), rel=1e-12)


def test_it_has_to_be_said_whether_rows_were_learned_from():
    with pytest.raises(TypeError, match="leave_one_out"):
        NaiveBayes().fit(TABLE, KINDS).evaluate_table({**TABLE, "kind": KINDS}, "kind")


@given(st.one_of(st.integers(1, 50), st.integers(1, 99).map(lambda n: n / 4)))
def test_copies_are_those_of_the_oracle(weight):
    expected = naive.copies(weight)
    [found] = n_copies(np.array([float(weight)]))
    assert found == len(expected)
    assert copy_weights(np.array([float(weight)]))[0] == float(expected[0])


def test_rounding_makes_no_copy():
    almost = np.array([2.0, 3.0]) * (1 - 4e-16)
    assert n_copies(almost).tolist() == [2, 3]
    assert n_copies(np.array([0.0, 0.1 + 0.2, 1e19])).tolist() == [1, 1, 10**9]


@pytest.mark.parametrize("kind", ["kernel", "model-average"])
class TestWhatWasMadeByTheFit:
    """Averages leave rows out while they are fitted, and refuse to do so for others."""

    def test_other_weights(self, kind):
        model = fitted(kind, {}, TABLE, KINDS, TIMES)
        for others in (None, TIMES[::-1], 2 * TIMES):
            with pytest.raises(DataError, match=r"weights are not those.*pass the same sample_weight"):
                model.leave_one_out(TABLE, KINDS, others)
        relative = fitted(kind, {}, TABLE, KINDS, TIMES, weighting="relative")
        assert relative.leave_one_out(TABLE, KINDS, 7 * TIMES) is relative.leave_one_out()

    def test_another_order(self, kind):
        model = fitted(kind, {}, TABLE, KINDS)
        reversed_rows = {name: column[::-1] for name, column in TABLE.items()}
        with pytest.raises(DataError, match="in their order"):
            model.leave_one_out(reversed_rows, KINDS[::-1])

    def test_weights_without_rows(self, kind):
        model = fitted(kind, {}, TABLE, KINDS)
        for given_alone in ({"y": KINDS}, {"sample_weight": TIMES}):
            with pytest.raises(InvalidParameter, match="pass X as well"):
                model.leave_one_out(**given_alone)
