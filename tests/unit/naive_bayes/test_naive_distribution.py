"""Prior knowledge as cases: learning adds them up, and no network is behind the answer."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_distributions
from codelength import NaiveBayes, Schema
from codelength.counts import Counts, count
from codelength.errors import DataError, InvalidParameter
from codelength.naive_bayes import NaiveDistribution, Predictor, pseudocounts, unclassed_pseudocounts
from codelength.table import Coded
from codelength_lab.rooted import RootedNetwork
from properties.strategies import priors, tables

quick = settings(max_examples=25)
SCHEMA = Schema.from_sizes([2, 3], n_classes=2)
EXPLICIT = [[[1, 2], [0, 4]], [[3, 0, 0], [1, 1, 2]]]


@st.composite
def small_cases(draw):
    """Two variables of two or three values, two or three classes, and a few whole cases."""
    n_values, n_classes = draw(st.lists(st.integers(2, 3), min_size=2, max_size=3)), draw(st.integers(2, 3))
    if len(n_values) == 3:
        n_values, n_classes = [2, 2, 2], 2
    cells = st.tuples(st.integers(0, n_classes - 1), *(st.integers(0, n - 1) for n in n_values))
    return n_values, n_classes, draw(st.lists(cells, max_size=5)), draw(cells)[1:]


def nested(n_values, n_classes, cases):
    found = [[[0] * n for n in n_values] for _ in range(n_classes)]
    for label, *row in cases:
        for i, value in enumerate(row):
            found[label][i][value] += 1
    return found


def coded_row(schema, row):
    return Coded.of(schema, [list(row)])


@quick
@given(small_cases())
def test_the_answer_is_that_of_every_network_by_exact_integration(drawn):
    """(11) integrated in the coordinates of the class and of each variable as the root: one answer, (12)."""
    n_values, n_classes, cases, row = drawn
    by_class = nested(n_values, n_classes, cases)
    exact = {
        root: naive_distributions.class_probabilities(by_class, row, root)
        for root in (None, *range(len(n_values)))
    }
    assert all(found == exact[None] for found in exact.values())
    schema = Schema.from_sizes(n_values, n_classes)
    distribution = NaiveDistribution([[of_class[i] for of_class in by_class] for i in range(len(n_values))])
    found = distribution.predictor(schema).log_probs(coded_row(schema, row)).log_probs[0]
    np.testing.assert_allclose(np.exp(found), np.array(exact[None], dtype=float), rtol=1e-12)


@quick
@given(small_cases(), st.sampled_from([None, 4.0]))
def test_the_dirichlet_assumption_gives_each_network_its_own_answer(drawn, sample_size):
    n_values, n_classes, cases, row = drawn
    schema, size = Schema.from_sizes(n_values, n_classes), None if sample_size is None else Fraction(4)
    rows, labels = [case[1:] for case in cases], [case[0] for case in cases]
    coded = Coded.of(schema, np.array(rows, dtype=np.int64).reshape(-1, len(n_values)), labels)
    prior = "uniform" if sample_size is None else sample_size
    for root in range(len(n_values)):
        network = RootedNetwork.of(count(coded), root, prior)
        exact = naive_distributions.rooted_probabilities(rows, labels, n_values, n_classes, row, root, size)
        found = np.exp(network.log_probs(coded_row(schema, row)).log_probs[0])
        np.testing.assert_allclose(found, np.array(exact, dtype=float), rtol=1e-12)


def test_networks_differ_under_uniform_pseudocounts_and_agree_under_a_sample_size():
    rng = np.random.default_rng(0)
    coded = Coded.of(SCHEMA, rng.integers(0, [2, 3], size=(12, 2)), rng.integers(0, 2, 12))
    for prior, n_answers in (("uniform", 3), (5.0, 1)):
        networks = [RootedNetwork.of(count(coded), root, prior) for root in ("x0", "x1")]
        networks.append(Predictor.of(count(coded), "evidence", prior))
        answers = {tuple(network.log_probs(coded).log_probs.ravel().round(9)) for network in networks}
        assert len(answers) == n_answers
        assert len({round(network.evidence_code_length(), 9) for network in networks}) == n_answers


@quick
@given(tables(min_rows=1, min_classes=2, missing=False))
def test_the_root_gives_a_class_the_values_of_the_root_as_pseudocounts(table):
    """Where the class as the root has one: h_k + n_j in place of h_k + 1, whatever the rows are."""
    counts = table.counts()
    usual = Predictor.of(counts, "evidence").log_weights(table.coded)
    for root, n_values in enumerate(table.n_values):
        found = RootedNetwork.of(counts, root).log_probs(table.coded).log_probs
        added = np.log(counts.class_counts + n_values) - np.log(counts.class_counts + 1)
        np.testing.assert_allclose(np.ptp(found - usual - added, axis=1), 0, atol=1e-12)


def test_a_rooted_network_has_its_chain_rule_and_sums_over_a_missing_root():
    rows, labels = [[0, 2], [1, 0], [1, 1], [0, 2]], [0, 1, 1, 1]
    cost = 0.0
    for j in range(4):
        before = RootedNetwork.of(
            count(Coded.of(SCHEMA, np.reshape(rows[:j], (j, 2)).astype(int), labels[:j])), 0
        )
        tables = before.tables
        cost -= tables.value_table[labels[j], rows[j][0]] + tables.value_table[labels[j], 3 + rows[j][1]]
    whole = RootedNetwork.of(count(Coded.of(SCHEMA, rows, labels)), 0)
    assert whole.evidence_code_length() == pytest.approx(cost, rel=1e-13)
    joint = np.exp(whole.tables.value_table[:, :2]) * np.exp(whole.tables.value_table[:, [4]])
    expected = joint.sum(axis=1) / joint.sum()
    found = whole.log_probs(Coded.of(SCHEMA, [[2, 1]])).log_probs[0]
    np.testing.assert_allclose(np.exp(found), expected, rtol=1e-13)
    with pytest.raises(DataError, match="variable 'x0': cells are missing"):
        RootedNetwork.of(count(Coded.of(SCHEMA, [[2, 1]], [0])), "x0")
    with pytest.raises(InvalidParameter, match="prior='jeffreys'"):
        RootedNetwork.of(count(Coded.of(SCHEMA, rows, labels)), 0, "jeffreys")


@quick
@given(st.data())
def test_predicting_after_learning_is_merging_the_counts(data):
    """(13) and then (12) on all cases at once, missing cells included; and so does each batch in turn."""
    table = data.draw(tables(min_rows=2, min_classes=2))
    cut = data.draw(st.integers(0, len(table.rows)))
    parts = [table.take(range(cut)).counts(), table.take(range(cut, len(table.rows))).counts()]
    whole = NaiveDistribution(parts[0].merge(parts[1])).predictor()
    learned = NaiveDistribution().learn(parts[0]).learn(parts[1]).predictor()
    indifferent = Predictor.of(parts[1].merge(parts[0]), "indifferent")
    prior = Predictor.of(parts[1], "evidence", parts[0])
    for other in (learned, indifferent, prior):
        np.testing.assert_allclose(
            other.log_probs(table.coded).log_probs,
            whole.log_probs(table.coded).log_probs,
            rtol=1e-12,
            atol=1e-13,
        )


@quick
@given(st.data())
def test_a_fitted_model_goes_on_from_where_it_was(data):
    """Under any prior: as if all rows had come at once. What the rows cost adds up too."""
    table = data.draw(tables(min_rows=2, min_classes=2))
    prior = data.draw(priors(table))
    cut = data.draw(st.integers(0, len(table.rows)))
    first, second = table.take(range(cut)), table.take(range(cut, len(table.rows)))
    earlier = NaiveBayes(prior=prior, schema=table.schema).fit(first.codes, first.labels)
    later = NaiveBayes(prior=earlier).fit(second.codes, second.labels)
    whole = NaiveBayes(prior=prior, schema=table.schema).fit(table.codes, table.labels)
    np.testing.assert_allclose(
        later.predict_log_proba(table.codes), whole.predict_log_proba(table.codes), rtol=1e-10, atol=1e-12
    )
    assert earlier.code_length_ + later.code_length_ == pytest.approx(
        whole.code_length_, rel=1e-10, abs=1e-10
    )


@pytest.mark.parametrize("cases", [0, 6, 2.5, np.float32(6)], ids=repr)
def test_virtual_rows_are_spread_evenly(cases):
    spelled = pseudocounts(NaiveDistribution(cases), SCHEMA)
    assert spelled.class_pseudocounts.tolist() == [cases / 2 + 4] * 2
    for i, n in enumerate((2, 3)):
        start = SCHEMA.offsets[i]
        np.testing.assert_allclose(spelled.value_pseudocounts[:, start : start + n], cases / (2 * n) + 1)
        assert not spelled.value_pseudocounts[:, start + n].any()


def test_no_cases_are_the_indifferent_prior():
    nothing, named = pseudocounts(NaiveDistribution(), SCHEMA), pseudocounts("indifferent", SCHEMA)
    np.testing.assert_array_equal(nothing.class_pseudocounts, named.class_pseudocounts)
    np.testing.assert_array_equal(nothing.value_pseudocounts, named.value_pseudocounts)


def test_explicit_cases():
    spelled = pseudocounts(NaiveDistribution(EXPLICIT), SCHEMA)
    assert spelled.class_pseudocounts.tolist() == [3 + 4, 4 + 4]
    assert spelled.value_pseudocounts.tolist() == [[2, 3, 0, 4, 1, 1, 0], [1, 5, 0, 2, 2, 3, 0]]
    assert unclassed_pseudocounts(NaiveDistribution(EXPLICIT), SCHEMA).tolist() == [2, 7, 0, 5, 2, 3, 0]
    assert NaiveDistribution(EXPLICIT) == NaiveDistribution([np.array(table) for table in EXPLICIT])


def test_cases_that_do_not_add_up_are_refused_by_the_name_of_the_variable():
    wrong = [EXPLICIT[0], [[3, 0, 0], [1, 1, 1]]]
    schema = Schema.from_sizes([2, 3], n_classes=2).named_after(["wind", "sky"])
    with pytest.raises(InvalidParameter, match="cases of 'sky': those of class 1 add up to 3 instead of 4"):
        NaiveDistribution(wrong).hyperparameters(schema)
    with pytest.raises(InvalidParameter, match="cases of 'sky': those of class 1"):
        NaiveBayes(prior=NaiveDistribution(wrong), schema=schema).fit({"wind": [0], "sky": [1]}, [0])


def test_counts_that_no_table_has_are_refused_by_the_name_of_the_variable():
    right = Counts.empty(SCHEMA).add([0, 2], 1).add([2, 1], 0)  # one cell is missing
    assert NaiveDistribution(right).hyperparameters(SCHEMA) == right
    for wrong, message in (
        (
            np.where(np.arange(7) == 5, 1.0, right.value_counts),
            "cases of 'x1': those of class . add up to 2 instead of 1",
        ),
        (-right.value_counts, "a count is negative"),
    ):
        with pytest.raises(InvalidParameter, match=message):
            pseudocounts(Counts(SCHEMA, right.class_counts, wrong), SCHEMA)


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        (-1, "cases=-1"),
        (float("nan"), "cases=nan"),
        ("ten", "cases='ten'"),
        (None, "expected a number of virtual rows"),
        ([1, 2], "entry 0"),
        ([[[1, -1]]], "entry 0"),
        ([[[1, 2], [3]]], "entry 0"),
        ([[["a"]]], "entry 0"),
    ],
    ids=repr,
)
def test_what_are_no_cases_is_refused(cases, message):
    with pytest.raises(InvalidParameter, match=message):
        NaiveDistribution(cases)


def test_cases_of_another_shape_are_refused():
    with pytest.raises(InvalidParameter, match="1 entries for 2 variables"):
        pseudocounts(NaiveDistribution(EXPLICIT[:1]), SCHEMA)
    with pytest.raises(InvalidParameter, match=r"cases of 'x1': shape \(2, 2\)"):
        pseudocounts(NaiveDistribution([EXPLICIT[0], EXPLICIT[0]]), SCHEMA)
