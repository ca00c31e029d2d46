"""Prequential criteria of fixed clusterings against an independent exact oracle."""

import numpy as np
import pytest

from codelength.mixture.fixed_clustering import FixedClustering
from codelength.prequential import best_first, best_last, worst_first, worst_last
from codelength.table import Schema, encode
from golden.cases import cases, prior_of, rows_of

CASES = cases("prequential")
GREEDY = {
    "best_first": best_first,
    "worst_first": worst_first,
    "best_last": best_last,
    "worst_last": worst_last,
}
by_id = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])


def clustering_of(case):
    schema = Schema.from_sizes(case["cards"])
    coded, prior = encode(schema, rows_of(case, case["X"])), prior_of(case)
    return FixedClustering.of(coded, case["z"], case["class_column"], prior, n_components=case["K"])


def test_there_are_as_many_cases_as_were_made():
    assert len(CASES) == 14


@by_id
def test_terms_along_given_orders(case):
    model = clustering_of(case).sequence()
    lengths = []
    for given in case["orders"]:
        terms = model.terms(given["order"])
        np.testing.assert_allclose(np.exp(-terms), given["step_probs"], rtol=1e-12)
        assert terms.sum() == pytest.approx(given["score"], rel=1e-12)
        lengths.append(model.code_length(given["order"]))
    assert np.mean(lengths) == pytest.approx(case["preq_rand_mean"], rel=1e-12)
    assert min(lengths) == pytest.approx(case["preq_max_best"], rel=1e-12)


@by_id
def test_leave_one_out(case):
    clustering = clustering_of(case)
    terms = clustering.sequence().leave_one_out()
    np.testing.assert_allclose(np.exp(-terms), case["loo"]["probs"], rtol=1e-12)
    assert terms.sum() == pytest.approx(case["loo"]["score"], rel=1e-12)
    predictions = clustering.leave_one_out()
    np.testing.assert_allclose(np.exp(predictions.true_log_probs), case["loo"]["probs"], rtol=1e-12)
    np.testing.assert_allclose(np.exp(predictions.log_probs).sum(axis=1), 1, rtol=1e-12)


@by_id
@pytest.mark.parametrize("name", GREEDY)
def test_greedy_orderings(case, name):
    """Ties in exact arithmetic go to the lowest row."""
    model, expected = clustering_of(case).sequence(), case[name]
    order = GREEDY[name](model)
    assert order.tolist() == expected["order"]
    np.testing.assert_allclose(np.exp(-model.terms(order)), expected["step_probs"], rtol=1e-12)
    assert model.code_length(order) == pytest.approx(expected["score"], rel=1e-12)


@by_id
def test_unsupervised_criteria(case):
    clustering = clustering_of(case)
    assert -clustering.code_length() == pytest.approx(case["log_p_data_given_z"], rel=1e-12)
    both = -clustering.code_length(with_clustering=True)
    assert both == pytest.approx(case["log_p_data_and_z"], rel=1e-12)
    in_order = clustering.sequence().joint_terms().sum()
    assert in_order == pytest.approx(case["joint_prequential_code_length_identity_order"], rel=1e-12)


@by_id
def test_predictions_of_new_rows(case):
    clustering = clustering_of(case)
    rows = rows_of(case, [test["x"] for test in case["test"]])
    schema = Schema.from_sizes(case["cards"])
    probs = np.exp(clustering.predict_log_probs(encode(schema, rows)))
    expected = [test["probs"] for test in case["test"]]
    np.testing.assert_allclose(probs, np.reshape(expected, probs.shape), rtol=1e-12)
