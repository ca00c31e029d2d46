"""Naive Bayes against an independent exact oracle, to twelve digits."""

import numpy as np
import pytest

from codelength.counts import count
from codelength.errors import InvalidParameter
from codelength.naive_bayes import Predictor
from codelength.scores import evidence_code_length, leave_one_out
from codelength.table import Schema, encode
from golden.cases import DATA, cases, coded_of, counts_of, number, prior_of, rows_of

CASES = cases("nb")
RULE_OF = {"map": "map", "ev": "evidence", "sc": "stochastic_complexity", "ind": "indifferent"}
by_id = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
by_rule = pytest.mark.parametrize("short", RULE_OF)


def predictor_of(case, short):
    return Predictor.of(counts_of(case), RULE_OF[short], prior_of(case))


def is_invalid(case, short):
    return short == "map" and any(query["map"]["log_weights"] is None for query in case["queries"])


def test_there_are_as_many_cases_as_were_made():
    assert len(CASES) == 32


@by_id
def test_counts(case):
    counts = counts_of(case)
    np.testing.assert_array_equal(counts.class_counts, case["h"])
    for i in range(len(case["cards"])):
        np.testing.assert_array_equal(counts.of(i), [of_class[i] for of_class in case["f"]])


@by_id
def test_evidence(case):
    counts, prior = counts_of(case), prior_of(case)
    assert -evidence_code_length(counts, prior) == pytest.approx(case["log_evidence"], rel=1e-12, abs=1e-15)
    given_class = -evidence_code_length(counts, prior, given_classes=True)
    assert given_class == pytest.approx(case["log_evidence_given_class"], rel=1e-12, abs=1e-15)


@by_id
@by_rule
def test_log_weights_and_probabilities(case, short):
    predictor = predictor_of(case, short)
    coded = encode(predictor.counts.schema, rows_of(case, [query["x"] for query in case["queries"]]))
    if is_invalid(case, short):
        with pytest.raises(InvalidParameter, match="no most probable model"):
            predictor.log_probs(coded)
        return
    log_weights, (log_probs, undefined) = predictor.log_weights(coded), predictor.log_probs(coded)
    for row, query in enumerate(case["queries"]):
        expected = query[short]
        if None not in expected["log_weights"]:
            wanted = [number(weight) for weight in expected["log_weights"]]
            np.testing.assert_allclose(log_weights[row], wanted, rtol=1e-12, atol=1e-14)
        assert undefined[row] == (expected["probs"] is None)
        if expected["probs"] is None:
            np.testing.assert_allclose(np.exp(log_probs[row]), 1 / case["K"], rtol=1e-15)
        else:
            np.testing.assert_allclose(np.exp(log_probs[row]), expected["probs"], rtol=1e-12)
            assert np.argmax(log_probs[row]) == expected["argmax"]


@pytest.mark.parametrize("case", [c for c in CASES if "loo" in c], ids=lambda case: case["id"])
@by_rule
def test_leave_one_out(case, short):
    if is_invalid(case, short):
        return
    expected = case["loo"][short]
    result = leave_one_out(predictor_of(case, short), coded_of(case))
    assert (result.n_undefined, result.n_zero) == (expected["n_undefined"], expected["n_zero"])
    for row, wanted in enumerate(expected["true_class_probs"]):
        assert result.undefined[row] == (wanted is None)
        if wanted is not None:
            assert np.exp(result.true_log_probs[row]) == pytest.approx(wanted, rel=1e-12)
            assert (np.argmax(result.log_probs[row]) == result.class_codes[row]) == expected["hits"][row]
    if expected["sum_log_score"] is not None:
        total = result.log_score * len(case["y"])
        assert total == pytest.approx(number(expected["sum_log_score"]), rel=1e-12, abs=1e-14)


REAL = cases("real_loo")


@pytest.mark.parametrize("case", REAL, ids=[case["id"] for case in REAL])
@by_rule
def test_leave_one_out_on_real_tables(case, short):
    rows = np.loadtxt(DATA / case["file"], delimiter=",", dtype=np.int64)
    schema = Schema.from_sizes(case["cards"], case["K"])
    coded = encode(schema, rows[:, :-1], rows[:, -1])
    counts = count(coded)
    assert -evidence_code_length(counts) == pytest.approx(case["log_evidence"], rel=1e-12)

    expected = case["loo"][short]
    result = leave_one_out(Predictor.of(counts, RULE_OF[short]), coded)
    hits = (np.argmax(result.log_probs, axis=1) == result.class_codes) & ~result.undefined
    slack = 4 if (case["id"], short) == ("primary_tumor", "sc") else 0  # four exact ties, broken either way
    assert abs(int(hits.sum()) - expected["hits"]) <= slack
    assert (result.n_undefined, result.n_zero) == (expected["n_undefined"], expected["n_zero"])
    positive = result.true_log_probs[~result.undefined & np.isfinite(result.true_log_probs)]
    assert positive.sum() == pytest.approx(expected["sum_log_score_of_positive"], rel=1e-12)
    assert np.exp(positive.min()) == pytest.approx(expected["min_true_prob"], rel=1e-11)
