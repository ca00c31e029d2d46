"""Earlier cases as the prior of a model: counts, fitted models, virtual rows and explicit cases."""

import copy
import itertools

import numpy as np
import pytest
from sklearn.base import clone

from codelength import NaiveBayes, Schema, load, select_variables
from codelength.code_lengths import evidence_code_length, exact_code_length
from codelength.counts import Counts, count
from codelength.errors import InvalidParameter, SchemaMismatch
from codelength.naive_bayes import NaiveDistribution, Posterior, Predictor
from codelength.table import Coded

SCHEMA = Schema.from_sizes([2, 3], n_classes=2)
TABLE = {"wind": ["no", "yes", "no", "yes"], "sky": ["sun", "sun", "rain", "rain"]}
CLASSES = ["out", "out", "in", "out"]


def test_the_schema_is_that_of_the_earlier_cases():
    earlier = NaiveBayes().fit(TABLE, CLASSES)
    for prior in (earlier, earlier.counts_, NaiveDistribution(earlier.counts_)):
        later = NaiveBayes(prior=prior).fit({"wind": ["no"], "sky": ["sun"]}, ["in"])
        assert later.schema_ == earlier.schema_
        assert later.counts_.n_rows == 1


def test_cases_of_other_variables_values_or_classes_are_refused_by_name():
    earlier = NaiveBayes().fit(TABLE, CLASSES).counts_
    others = {
        "no variable 'rain'": ({"rain": ["a", "b"]}, ["in", "out"]),
        "variable 'wind' has other values": ({"wind": ["a", "b"]}, ["in", "out"]),
        r"classes \['in', 'out'\]": ({"wind": ["no", "yes"]}, ["up", "down"]),
    }
    for message, (rows, classes) in others.items():
        schema = NaiveBayes().fit(rows, classes).schema_
        with pytest.raises(SchemaMismatch, match=message):
            NaiveBayes(prior=earlier, schema=schema).fit(rows, classes)


@pytest.mark.parametrize("rule", ["indifferent", "stochastic_complexity"])
def test_rules_that_take_no_prior_do_not_pass_cases_over(rule):
    counts = NaiveBayes().fit(TABLE, CLASSES).counts_
    for prior in (counts, NaiveDistribution(3), Posterior.of(Predictor.of(counts))):
        with pytest.raises(InvalidParameter, match=f'rule="{rule}": it takes no prior'):
            NaiveBayes(rule, prior).fit(TABLE, CLASSES)


def test_models_that_are_no_prior():
    rows = {"size": np.arange(40) / 7}
    with pytest.raises(InvalidParameter, match="not fitted yet"):
        NaiveBayes(prior=NaiveBayes()).fit(TABLE, CLASSES)
    with pytest.raises(InvalidParameter, match="pass its counts_"):
        NaiveBayes(prior=NaiveBayes("stochastic_complexity").fit(TABLE, CLASSES)).fit(TABLE, CLASSES)
    with pytest.raises(InvalidParameter, match='numeric="average"'):
        NaiveBayes(prior=NaiveBayes(numeric="average").fit(rows, [0, 1] * 20)).fit(rows, [0, 1] * 20)


@pytest.mark.parametrize("how", ["file", "clone", "copy"])
@pytest.mark.parametrize("form", ["model", "counts", "virtual", "explicit"])
def test_copies_and_files_keep_what_was_known(how, form, tmp_path):
    earlier = NaiveBayes(prior="jeffreys").fit(TABLE, CLASSES)
    known = {
        "model": earlier,
        "counts": earlier.counts_,
        "virtual": NaiveDistribution(3),
        "explicit": NaiveDistribution([[[1, 0], [2, 1]], [[0, 1], [3, 0]]]),
    }
    model = NaiveBayes(prior=known[form]).fit(TABLE, CLASSES)
    expected = model.predict_proba(TABLE)
    if how == "file":
        model.save(tmp_path / "model.json")
        again = load(tmp_path / "model.json")
        np.testing.assert_array_equal(again.predict_proba(TABLE), expected)
    else:
        again = clone(model) if how == "clone" else copy.deepcopy(model)
    np.testing.assert_array_equal(again.fit(TABLE, CLASSES).predict_proba(TABLE), expected)


def test_the_summary_tells_where_the_prior_is_from_in_a_few_words():
    earlier = NaiveBayes().fit(TABLE, CLASSES)
    for prior, told in (
        (earlier, "Posterior(after 4 rows of 2 variables)"),
        (earlier.counts_, "NaiveDistribution(4 earlier cases)"),
        (NaiveDistribution(3), "NaiveDistribution(3.0)"),
    ):
        summary = dict(NaiveBayes(prior=prior).fit(TABLE, CLASSES).summary()[0].items)
        assert summary["prior"] == told


def test_cases_without_names_go_by_position():
    earlier = Counts.empty(SCHEMA).add([0, 2], 1).add([1, 1], 0)
    model = NaiveBayes(prior=earlier).fit({"wind": [0, 1], "sky": [2, 0]}, [1, 0])
    assert model.schema_.names == ("wind", "sky")
    whole = earlier.merge(Counts(SCHEMA, model.counts_.class_counts, model.counts_.value_counts))
    expected = Predictor.of(whole, "indifferent").log_probs(Coded.of(SCHEMA, [[1, 2]])).log_probs
    np.testing.assert_allclose(model.predict_log_proba({"wind": [1], "sky": [2]}), expected, rtol=1e-12)


@pytest.mark.parametrize("criterion", ["evidence", "leave_one_out"])
def test_variables_are_chosen_under_earlier_cases(criterion):
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2, size=(50, 3))
    labels = (rows[:, 1] ^ (rng.random(50) < 0.2)).astype(int)
    earlier = NaiveBayes().fit(rows[:20], labels[:20])
    for prior in (earlier, earlier.counts_, NaiveDistribution([[[2, 2], [2, 2]]] * 3)):
        model = NaiveBayes(prior=prior, select=criterion).fit(rows[20:], labels[20:])
        assert 1 in model.selection_.selected
        assert np.isfinite(model.selection_.score)
        assert model.predict_proba(rows).shape == (50, 2)


def test_the_evidence_of_the_best_set_by_enumeration():
    rng = np.random.default_rng(2)
    coded = Coded.of(Schema.from_sizes([2, 2], 2), rng.integers(0, 2, size=(12, 2)), rng.integers(0, 2, 12))
    prior = NaiveDistribution(8)
    lengths = []
    for chosen in ((), (0,), (1,), (0, 1)):
        length = Predictor.of(count(coded.select(chosen)), "evidence", prior).evidence_code_length()
        for i in {0, 1} - set(chosen):
            # Without the class, each value has half of the virtual rows, and one.
            seen = np.bincount(coded.codes[:, i], minlength=2)
            a = 8 / 2 + 1
            each = [np.log(a + n) for times in seen for n in range(times)]
            length += np.log(2 * a + np.arange(12)).sum() - sum(each)
        lengths.append(length)
    found = select_variables(coded, "evidence", prior=prior, direction="both", price_choice=False)
    assert found.score == pytest.approx(min(lengths), rel=1e-12)


def test_leave_one_out_under_earlier_cases_is_a_refit_without_the_row():
    rng = np.random.default_rng(3)
    codes, labels = rng.integers(0, [2, 3], size=(15, 2)), rng.integers(0, 2, 15)
    earlier = NaiveBayes(prior="jeffreys", schema=SCHEMA).fit(codes[:5], labels[:5])
    rows, classes = codes[5:], labels[5:]
    for prior in (earlier, earlier.counts_, NaiveDistribution(3)):
        left_out = NaiveBayes(prior=prior, schema=SCHEMA).fit(rows, classes).leave_one_out(rows, classes)
        for j in range(10):
            others = np.delete(np.arange(10), j)
            refit = NaiveBayes(prior=prior, schema=SCHEMA).fit(rows[others], classes[others])
            expected = refit.predict_log_proba(rows[[j]])[0]
            np.testing.assert_allclose(left_out.log_probs[j], expected, rtol=1e-11, atol=1e-13)


def test_virtual_rows_of_a_mixture_are_shared_by_its_components():
    """The sum over all clusterings, each with the evidence of its completed table."""
    rows = [[0, 2], [1, 1], [0, 0], [1, 2]]
    coded = Coded.of(Schema.from_sizes([2, 3]), rows)
    for n_components in (1, 2, 3):
        schema, terms = Schema.from_sizes([2, 3], n_components), []
        for clustering in itertools.product(range(n_components), repeat=4):
            counts = count(Coded.of(schema, rows, list(clustering)))
            terms.append(-evidence_code_length(counts, NaiveDistribution(5)))
        found = float(exact_code_length(coded, n_components, NaiveDistribution(5)))
        assert found == pytest.approx(-np.logaddexp.reduce(terms), rel=1e-12)
