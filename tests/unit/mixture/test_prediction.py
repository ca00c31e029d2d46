"""Predictions of mixtures with hidden components, against brute force over all clusterings."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_hidden
from codelength.errors import Infeasible, InvalidParameter
from codelength.mixture import exact_code_length, posterior_mode
from codelength.mixture.clusterings import clustering_counts
from codelength.mixture.code_length.clustering_sum import ClusteringSum
from codelength.mixture.prediction import Effort, Learned, predict
from codelength.mixture.prediction.climbing import FIRST_ITERATIONS, maximised_log_likelihoods
from codelength.mixture.prediction.exact import ExactPosterior
from codelength.naive_bayes.query import Question
from codelength.table import encode

from .mixture_tables import Case, case_of, cases


def learned_from(case: Case, labels=None) -> Learned:
    """The most probable mixture of some clustering: any mixture will do."""
    n_rows = len(case.rows)
    labels = np.arange(n_rows) % case.n_components if labels is None else labels
    mixture = posterior_mode(clustering_counts(case.coded, np.asarray(labels, dtype=np.int64)), case.prior)
    return Learned(case.coded, mixture, case.prior)


def plain_parameters(mixture) -> naive.Parameters:
    values = [
        [mixture.of(i)[k].tolist() for i in range(mixture.schema.n_variables)]
        for k in range(mixture.n_components)
    ]
    return naive.Parameters(mixture.class_probs.tolist(), values)


def new_rows(case: Case, rows):
    filled = [[-1 if value is None else value for value in row] for row in rows]
    return encode(case.schema, np.array(filled, dtype=np.int64).reshape(len(rows), len(case.n_values)))


def answered(case, row, asked, rule, learned=None, **options):
    question = Question.of(case.schema.without_target(), [f"x{i}" for i in asked])
    return predict(learned or learned_from(case), question, new_rows(case, [row]), rule, **options)


def assert_same(answer, expected, tolerance=1e-10):
    for combination, prob in expected.items():
        assert answer.probs[0][combination] == pytest.approx(float(prob), abs=tolerance)


@st.composite
def questions(draw, **options):
    case = draw(cases(**options))
    cells = [st.one_of(st.none(), st.integers(0, n - 1)) for n in case.n_values]
    row = list(draw(st.tuples(*cells)))
    asked = draw(st.lists(st.sampled_from(range(len(case.n_values))), min_size=1, max_size=2, unique=True))
    return case, row, asked


@settings(max_examples=30, deadline=None)
@given(given=questions(symmetric=True, max_rows=5))
def test_the_exact_average_is_the_ratio_of_two_sums_over_all_clusterings(given):
    case, row, asked = given
    answer = answered(case, row, asked, "evidence")
    assert answer.method == "exact"
    assert_same(answer, naive_hidden.evidence(case.rows, row, asked, case.naive_prior))
    assert (answer.errors <= 1e-10).all()


def test_the_exact_average_needs_rows_and_components_that_are_alike():
    unequal = case_of([2, 3], 2, [[0, 1], [1, 2]], [1, 2])
    for case in (unequal, case_of([2, 3], 2, [])):
        with pytest.raises(Infeasible, match=r'it needs rows, and a prior that is the same.*method="gibbs"'):
            answered(case, [None, 1], [0], "evidence", method="exact")
        assert answered(case, [None, 1], [0], "evidence").method == "gibbs"


@settings(max_examples=15, deadline=None)
@given(given=questions(max_rows=5))
def test_one_mixture_predicts_by_the_sum_over_its_components(given):
    case, row, asked = given
    learned = learned_from(case)
    answer = answered(case, row, asked, "map", learned)
    if not answer.undefined.any():
        parameters = plain_parameters(learned.mixture)
        assert_same(answer, naive_hidden.most_probable(row, asked, parameters, case.n_values), 1e-12)


@settings(max_examples=15, deadline=None)
@given(given=questions(symmetric=True, max_rows=5, pseudocounts=(1, 2)))
def test_stochastic_complexity_climbs_as_plain_em_on_all_rows_together(given):
    case, row, asked = given
    learned = learned_from(case)
    effort = Effort(max_iter=20, tol=0.0)
    answer = answered(case, row, asked[:1], "stochastic_complexity", learned, effort=effort)
    expected = naive_hidden.stochastic_complexity(
        case.rows, row, asked[:1], case.naive_prior, plain_parameters(learned.mixture), FIRST_ITERATIONS,
        FIRST_ITERATIONS + 20,
    )  # fmt: skip
    assert_same(answer, expected)


@settings(max_examples=15, deadline=None)
@given(given=questions(max_rows=6))
def test_the_maximised_likelihood_is_not_below_that_of_the_fitted_mixture(given):
    case, row, asked = given
    learned = learned_from(case)
    question = Question.of(case.schema.without_target(), [f"x{i}" for i in asked])
    new = new_rows(case, [row])
    found = maximised_log_likelihoods(case.coded, learned.mixture, question, new)
    for logs, (_, full) in zip(found[0], naive_hidden.filled(row, asked, case.n_values), strict=True):
        whole = new_rows(case, [*case.rows, full])
        assert logs >= learned.mixture.log_probs(whole).sum() - 1e-9


@settings(max_examples=20, deadline=None)
@given(case=cases(symmetric=True, max_rows=7, max_components=4))
def test_the_weights_of_all_sets_of_rows_add_up_to_the_exact_code_length(case):
    problem = ClusteringSum.of(case.coded, case.n_components, case.prior)
    expected = exact_code_length(case.coded, case.n_components, case.prior)
    assert ExactPosterior(problem).code_length == pytest.approx(float(expected), abs=1e-10)


def lively(n_rows, sizes=(2, 3, 2, 2), n_components=3, seed=0):
    """A table of rows in components, a little of it missing."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(n_components, size=n_rows)
    rows = []
    for label in labels:
        row = [int((label + (generator.random() < 0.3)) % size) for size in sizes]
        rows.append([None if generator.random() < 0.05 else cell for cell in row])
    return case_of(list(sizes), n_components, rows)


def test_the_order_of_rows_and_the_rows_beside_do_not_matter():
    case = lively(11)
    question = Question.of(case.schema.without_target(), ["x0", "x2"])
    new = new_rows(case, [[None, 1, None, 0], [0, None, None, 1], [None, 1, None, 0]])
    whole = predict(learned_from(case), question, new)
    turned = case_of(case.n_values, case.n_components, case.rows[::-1])
    other = predict(learned_from(turned), question, new)
    np.testing.assert_allclose(other.probs, whole.probs, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(whole.probs[0], whole.probs[2])
    alone = predict(learned_from(case), question, new.take([1]))
    np.testing.assert_array_equal(alone.probs[0], whole.probs[1])


@pytest.mark.parametrize("rule", ["map", "evidence", "stochastic_complexity"])
def test_answers_add_up_and_missing_cells_are_summed_out_where_the_rule_is_a_distribution(rule):
    case = lively(10)
    names = ["x0", "x1"]
    question = Question.of(case.schema.without_target(), names)
    new = new_rows(case, [[None, None, 1, None]])
    answer = predict(learned_from(case), question, new, rule)
    assert answer.probs.sum() == pytest.approx(1)
    alone = predict(learned_from(case), Question.of(case.schema.without_target(), "x1"), new, rule)
    difference = abs(answer.marginal("x1") - alone.probs).max()
    # The maximised likelihood of the rows with a cell is no sum over the cell.
    assert difference < 1e-12 if rule != "stochastic_complexity" else 1e-6 < difference < 0.2


RULES_AND_METHODS = [
    ("map", "auto"),
    ("evidence", "exact"),
    ("evidence", "gibbs"),
    ("evidence", "annealed"),
    ("stochastic_complexity", "auto"),
]


@pytest.mark.parametrize(("rule", "method"), RULES_AND_METHODS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_every_answer_is_a_distribution(rule, method, data):
    case, row, asked = data.draw(questions(min_rows=1, max_rows=5, symmetric=method == "exact"))
    effort = Effort(3, 4, 2, 5)
    answer = answered(case, row, asked, rule, method=method, effort=effort)
    assert (answer.probs >= 0).all()
    assert answer.probs.sum() == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    ("rule", "method"), [("map", "auto"), ("evidence", "exact"), ("stochastic_complexity", "auto")]
)
@settings(max_examples=15, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99))
def test_the_rows_are_exchangeable(rule, method, data, seed):
    case, row, asked = data.draw(questions(min_rows=2, max_rows=5, symmetric=method == "exact"))
    order = np.random.default_rng(seed).permutation(len(case.rows))
    labels = np.arange(len(order)) % case.n_components
    turned = replace(case, rows=[case.rows[n] for n in order])
    first = answered(case, row, asked, rule, learned_from(case, labels), method=method)
    other = answered(case, row, asked, rule, learned_from(turned, labels[order]), method=method)
    np.testing.assert_allclose(other.probs, first.probs, rtol=0, atol=1e-9)


def test_predictions_row_after_row_multiply_to_the_evidence():
    """Chain rule: the last rows, predicted one after the other, cost the difference of two sums."""
    case = lively(9, n_components=2)
    total = 0.0
    for n in (7, 8):
        start = case_of(case.n_values, 2, case.rows[:n])
        row = case.rows[n]
        asked = [f"x{i}" for i, value in enumerate(row) if value is not None]
        question = Question.of(case.schema.without_target(), asked)
        probs = predict(learned_from(start), question, new_rows(case, [row])).probs[0]
        total -= np.log(probs[tuple(value for value in row if value is not None)])
    whole, first = (
        float(exact_code_length(case_of(case.n_values, 2, rows).coded, 2))
        for rows in (case.rows, case.rows[:7])
    )
    assert total == pytest.approx(whole - first, abs=1e-10)


@pytest.mark.parametrize("method", ["gibbs", "annealed"])
def test_chains_come_within_their_standard_errors_of_the_exact_answer(method):
    case = lively(12)
    question = Question.of(case.schema.without_target(), ["x0", "x1"])
    new = new_rows(case, [[None, None, 0, 1], [None, None, 1, None]])
    exact = predict(learned_from(case), question, new, method="exact")
    effort = Effort(n_chains=20, n_draws=200, n_warmup=50, n_temperatures=50)
    drawn = predict(learned_from(case), question, new, method=method, random_state=3, effort=effort)
    assert drawn.method == method
    assert (drawn.errors < 0.02).all()
    scores = (drawn.probs - exact.probs) / drawn.errors
    assert np.abs(scores).max() < 4.5
    assert np.sqrt((scores**2).mean()) < 2
    again = predict(learned_from(case), question, new, method=method, random_state=3, effort=effort)
    np.testing.assert_array_equal(again.probs, drawn.probs)


def test_what_takes_too_long_is_refused_where_it_is_asked_for_and_drawn_otherwise():
    case = lively(60, sizes=(2,) * 12)
    question = Question.of(case.schema.without_target(), ["x0"])
    new = new_rows(case, [[None] + [1] * 11])
    with pytest.raises(Infeasible, match="exact prediction"):
        predict(learned_from(case), question, new, method="exact")
    assert predict(learned_from(case), question, new).method == "gibbs"
    with pytest.raises(InvalidParameter, match="method"):
        predict(learned_from(case), question, new, method="guess")


def test_no_rows_leave_the_prior():
    case = case_of([2, 3], 2, [])
    question = Question.of(case.schema.without_target(), ["x1"])
    answer = predict(learned_from(case), question, new_rows(case, [[0, None]]))
    np.testing.assert_allclose(answer.probs, [[1 / 3] * 3])


@pytest.mark.parametrize("n_components", [1, 2, 3, 4])
def test_equal_rows_are_counted_as_if_they_were_told_apart(n_components):
    rows = [[0, 0], [0, 0], [0, 0], [1, 1], [1, 1]][: 7 - n_components]
    fewer = case_of([2, 2], n_components, rows, 0.5, 2)
    expected = naive_hidden.evidence(rows, [None, 1], [0], fewer.naive_prior)
    assert_same(
        answered(fewer, [None, 1], [0], "evidence", Learned(fewer.coded, _even(fewer), fewer.prior)), expected
    )


def _even(case):
    """A mixture of the right size; the exact average does not look at it."""
    uniform = case_of(case.n_values, case.n_components, case.rows)
    return posterior_mode(clustering_counts(uniform.coded, np.zeros(len(case.rows), dtype=np.int64)))


@pytest.mark.parametrize(("n_rows", "n_components"), [(15, 3), (14, 4)])
def test_more_rows_than_one_tile_holds_give_the_ratio_of_two_code_lengths(n_rows, n_components):
    generator = np.random.default_rng(n_rows)
    rows = generator.integers(0, 4, size=(n_rows, 6)).tolist()
    case = case_of([4] * 6, n_components, rows)
    assert len({tuple(row) for row in rows}) > 13
    lengths = []
    for value in range(4):
        longer = case_of([4] * 6, n_components, [*rows, [0, 1, value, 2, 3, 0]])
        lengths.append(float(exact_code_length(longer.coded, n_components)))
    expected = np.exp(-np.array(lengths) + min(lengths))
    answer = answered(case, [0, 1, None, 2, 3, 0], [2], "evidence", method="exact")
    np.testing.assert_allclose(answer.probs[0], expected / expected.sum(), rtol=0, atol=1e-10)
    problem = ClusteringSum.of(case.coded, n_components, case.prior)
    length = float(exact_code_length(case.coded, n_components))
    assert ExactPosterior(problem).code_length == pytest.approx(length, abs=1e-9)


def test_many_copies_of_a_few_rows_give_the_ratio_of_two_code_lengths():
    rows = [[0, 0, 1]] * 9 + [[1, 1, 0]] * 6 + [[0, 1, 2]] * 4 + [[1, 0, 2]] * 3
    case = case_of([2, 2, 3], 3, rows)
    lengths = [
        float(exact_code_length(case_of([2, 2, 3], 3, [*rows, [1, 1, value]]).coded, 3)) for value in range(3)
    ]
    expected = np.exp(-np.array(lengths) + min(lengths))
    answer = answered(case, [1, 1, None], [2], "evidence", method="exact")
    np.testing.assert_allclose(answer.probs[0], expected / expected.sum(), rtol=0, atol=1e-10)
