"""The three predictive rules of mixtures, through the models."""

import pickle
import warnings

import numpy as np
import pytest

import naive
import naive_hidden
from codelength import FiniteMixture, MixtureClassifier, Schema, datasets, load
from codelength._packing import packed
from codelength.errors import DataError, DoubtfulFit, InvalidParameter, SchemaMismatch
from codelength.mixture.code_length.exact import exact_code_length
from codelength.mixture.prediction import packed_rows, restored_rows
from codelength.sources import as_coded
from codelength.table import Coded

RULES = ("map", "evidence", "stochastic_complexity")
ROWS = [[0, 1, 0], [1, 0, 1], [0, 1, None], [1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0]]


def columns(rows):
    return {f"x{i}": [row[i] for row in rows] for i in range(3)}


def mixture(weights=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DoubtfulFit)
        model = FiniteMixture(2, n_init=3, max_init=3, random_state=0, **options)
        return model.fit(columns(ROWS), sample_weight=weights)


def test_a_mixture_averages_over_all_clusterings_of_its_rows():
    model, prior = mixture(), naive.uniform_prior([2, 2, 2], 2)
    answer = model.predict_values(columns([[None, 1, 0]]), "x0", rule="evidence")
    expected = naive_hidden.evidence(ROWS, [None, 1, 0], [0], prior)
    np.testing.assert_allclose(answer.probs[0], [float(expected[k,]) for k in range(2)], rtol=0, atol=1e-10)
    assert answer.method == "exact"
    assert (answer.errors < 1e-10).all()


def test_the_rule_of_the_model_answers_unless_another_is_named():
    row = columns([[None, 1, 0]])
    by_rule = {rule: mixture(rule=rule).query(row, "x0").probs for rule in RULES}
    for rule, probs in by_rule.items():
        np.testing.assert_array_equal(mixture().predict_values(row, "x0", rule=rule).probs, probs)
    assert abs(by_rule["map"] - by_rule["evidence"]).max() > 0.01
    assert abs(by_rule["map"] - by_rule["stochastic_complexity"]).max() > 1e-4
    np.testing.assert_allclose(by_rule["map"], mixture().impute(row)["x0"].probs, atol=1e-12)


@pytest.mark.parametrize("method", ["exact", "gibbs", "annealed"])
def test_every_method_says_how_far_to_trust_it(method):
    answer = mixture().predict_values(
        columns([[None, None, 0]]), ("x0", "x1"), rule="evidence", method=method
    )
    assert answer.method == method
    assert answer.probs.shape == (1, 2, 2)
    assert answer.probs.sum() == pytest.approx(1)
    assert answer.errors is not None
    assert repr(answer).endswith("combinations>") == (method == "exact")


@pytest.mark.parametrize("rule", RULES)
def test_a_model_from_a_file_predicts_by_its_rule(rule, tmp_path):
    model, row = mixture(rule=rule), columns([[None, 1, 0]])
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    np.testing.assert_allclose(again.query(row, "x0").probs, model.query(row, "x0").probs, atol=1e-12)
    if rule == "map":
        with pytest.raises(DataError, match="not kept with this model"):
            again.predict_values(row, "x0", rule="evidence")


def test_rows_in_a_file_that_do_not_fit_are_refused():
    schema = Schema.from_sizes([2, 300])
    document = packed_rows(Coded.of(schema, [[0, 299], [1, 2], [1, 2]]))
    assert restored_rows(document, schema).weights.tolist() == [1, 2]
    with pytest.raises(SchemaMismatch, match="not a code of the schema"):
        restored_rows(document, Schema.from_sizes([2, 3]))
    with pytest.raises(DataError, match="does not fit its model"):
        restored_rows(document, Schema.from_sizes([2]))
    with pytest.raises(DataError, match="not what a fit leaves behind"):
        restored_rows({**document, "weights": packed(np.array([1.0, 0.0]))}, schema)


def test_wrong_rules_and_methods_are_refused():
    with pytest.raises(InvalidParameter, match="rule"):
        mixture(rule="indifferent")
    with pytest.raises(InvalidParameter, match="method"):
        mixture().predict_values(columns(ROWS), "x0", rule="evidence", method="guess")
    with pytest.raises(InvalidParameter, match="n_chains"):
        mixture().predict_values(columns(ROWS), "x0", rule="evidence", method="gibbs", n_chains=1)
    with pytest.raises(InvalidParameter, match="leave rule or average out"):
        MixtureClassifier(rule="map", average=True).fit(columns(ROWS), [0, 1, 0, 1, 0, 1, 0])


def classifier(rule, **options):
    model = MixtureClassifier(
        rule=rule, candidates=2, n_components=2, n_orderings=2, random_state=0, **options
    )
    return model.fit(columns(ROWS), [0, 1, 0, 1, 0, 1, 0])


def test_a_classifier_averages_over_all_clusterings_of_rows_and_classes():
    model = classifier("evidence")
    assert model.n_components_ == 2
    rows = [[*row, label] for row, label in zip(ROWS, [0, 1, 0, 1, 0, 1, 0], strict=True)]
    expected = naive_hidden.evidence(rows, [1, 1, None, None], [3], naive.uniform_prior([2] * 4, 2))
    probs = model.predict_proba(columns([[1, 1, None]]))[0]
    np.testing.assert_allclose(probs, [float(expected[k,]) for k in range(2)], rtol=0, atol=1e-10)


@pytest.mark.parametrize("rule", RULES)
def test_a_classifier_from_a_file_predicts_the_same(rule, tmp_path):
    model = classifier(rule)
    model.save(tmp_path / "model.json")
    new = columns([[1, 1, None], [None, None, None], [0, 1, 0]])
    probs = model.predict_proba(new)
    np.testing.assert_allclose(probs.sum(axis=1), 1)
    np.testing.assert_allclose(load(tmp_path / "model.json").predict_proba(new), probs, rtol=0, atol=1e-12)
    assert abs(probs - classifier(None).predict_proba(new)).max() > 1e-3


def test_priors_below_one_average_all_the_same():
    probs = classifier("evidence", prior="jeffreys").predict_proba(columns([[1, 1, None]]))
    assert abs(probs - classifier("evidence").predict_proba(columns([[1, 1, None]]))).max() > 1e-3
    with pytest.raises(InvalidParameter, match="below 1"):
        classifier("map", prior="jeffreys")


def test_many_rows_are_predicted_by_chains_the_same_every_time():
    table = datasets.load("zoo", backend="columns").table
    model = MixtureClassifier(rule="evidence", candidates=2, n_components=5, n_orderings=2, random_state=1)
    probs = model.fit(table).predict_proba(table.take(np.arange(5)))
    np.testing.assert_array_equal(model.predict_proba(table.take(np.arange(5))), probs)
    alone = model.predict_proba(table.take(np.arange(1)))
    np.testing.assert_allclose(alone[0], probs[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("rule", [None, *RULES])
def test_a_classifier_answers_about_its_class_as_it_predicts_it(rule):
    model, new = classifier(rule), columns([[1, 1, None], [0, None, 0]])
    np.testing.assert_allclose(model.query(new, "y").probs, model.predict_proba(new), rtol=0, atol=1e-12)


def test_a_classifier_knows_classes_and_is_asked_about_columns():
    rows = [[*row, label] for row, label in zip(ROWS, [0, 1, 0, 1, 0, 1, 0], strict=True)]
    prior = naive.uniform_prior([2] * 4, 2)
    answer = classifier("evidence").query(columns([[None, 1, None]]), ("x2", "x0"), y=[1])
    expected = naive_hidden.evidence(rows, [None, 1, None, 1], [2, 0], prior)
    for combination, prob in expected.items():
        assert answer.probs[0][combination] == pytest.approx(float(prob), abs=1e-10)
    fixed = classifier(None)
    labels = fixed._fitted.predictors[0].counts
    counts = naive.Counts(
        labels.class_counts.tolist(), [[labels.of(i)[k].tolist() for i in range(4)] for k in range(2)]
    )
    weights = {value: sum(naive.evidence_weights([value, 1, None, 1], counts, prior)) for value in range(2)}
    answer = fixed.query(columns([[None, 1, None]]), "x0", y=[1])
    np.testing.assert_allclose(
        answer.probs[0], [float(weights[value] / sum(weights.values())) for value in range(2)], atol=1e-12
    )
    averaged = MixtureClassifier(
        average=True, candidates=6, n_components=(2, 3), n_orderings=2, random_state=0
    )
    with pytest.raises(InvalidParameter, match="no joint distribution"):
        averaged.fit(columns(ROWS), [0, 1, 0, 1, 0, 1, 0]).query(columns(ROWS), "x0")


def test_copies_predict_the_same_without_what_can_be_made_again():
    model, row = mixture(rule="evidence"), columns([[None, 1, 0]])
    before = len(pickle.dumps(model))
    probs = model.predict_values(row, "x0", method="gibbs").probs
    assert len(pickle.dumps(model)) < before + 10_000
    again = pickle.loads(pickle.dumps(model)).predict_values(row, "x0", method="gibbs").probs
    np.testing.assert_array_equal(again, probs)


@pytest.mark.parametrize("rule", RULES)
def test_a_weight_of_two_counts_as_two_rows(rule):
    row, twice = columns([[None, 1, 0]]), [[*ROWS, ROWS[0]], [*ROWS, ROWS[4]]]
    for rows, weights in zip(twice, ([2, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 2, 1, 1]), strict=True):
        weighted = mixture(weights)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DoubtfulFit)
            repeated = FiniteMixture(2, n_init=3, max_init=3, random_state=0).fit(columns(rows))
        found, expected = (model.predict_values(row, "x0", rule=rule).probs for model in (weighted, repeated))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_weights_that_are_no_whole_numbers_leave_the_rules_that_take_them():
    model, row = mixture([0.5, 1, 1, 1, 1, 1, 1.5]), columns([[None, 1, 0]])
    for options in ({"rule": "map"}, {"rule": "stochastic_complexity"}):
        probs = model.predict_values(row, "x0", **({"rule": "evidence"} | options)).probs
        assert probs.sum() == pytest.approx(1)
    for method in ("auto", "exact", "gibbs", "annealed"):
        with pytest.raises(DataError, match="some weights are not whole numbers; round them"):
            model.predict_values(row, "x0", rule="evidence", method=method)


@pytest.mark.parametrize("rule", ["evidence", "stochastic_complexity"])
def test_rules_that_need_no_most_probable_mixture_take_priors_without_one(rule):
    """EM fits the mixture to start from under the uniform prior; the evidence is that of the prior given."""
    rows = {name: ["yes", "no"] * 6 for name in ("feathers", "eggs", "wings")}
    model = FiniteMixture(2, prior="jeffreys", rule=rule, random_state=0).fit(rows)
    plain = FiniteMixture(2, random_state=0).fit(rows)
    np.testing.assert_array_equal(model.parameters_.value_probs, plain.parameters_.value_probs)
    length = model.code_length("exact")
    assert length == pytest.approx(exact_code_length(as_coded(rows), 2, "jeffreys").code_length, abs=1e-9)
    answer = model.predict_values({"feathers": ["yes"], "eggs": ["yes"]}, "wings")
    assert answer.probs[0].sum() == pytest.approx(1)
    np.testing.assert_array_equal(model.standard_errors().class_errors, plain.standard_errors().class_errors)
    again = FiniteMixture._from_document(model._fitted.to_document())
    np.testing.assert_array_equal(
        again.predict_values({"feathers": ["yes"], "eggs": ["yes"]}, "wings").probs, answer.probs
    )


def test_the_most_probable_mixture_needs_a_prior_that_has_one():
    with pytest.raises(InvalidParameter, match=r"prior: a pseudocount is 0\.5, below 1"):
        FiniteMixture(2, prior="jeffreys").fit([["a", "b"], ["b", "a"]])
