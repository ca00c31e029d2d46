"""Approximations of the average over clusterings, against brute force."""

import pytest
from hypothesis import given, settings

import naive_hidden
from codelength.mixture import local_optima
from codelength.mixture.prediction.climbing import FIRST_ITERATIONS
from codelength.naive_bayes.query import Question
from codelength_lab.approximate_answers import cheeseman_stutz_answer, neighbourhood_answer
from unit.mixture.test_prediction import (
    assert_same,
    learned_from,
    new_rows,
    plain_parameters,
    questions,
)


@settings(max_examples=15, deadline=None)
@given(given=questions(symmetric=True, max_rows=4))
def test_neighbourhoods_average_over_the_clusterings_near_their_centres(given):
    case, row, asked = given
    learned = learned_from(case)
    question = Question.of(case.schema.without_target(), [f"x{i}" for i in asked])
    answer = neighbourhood_answer(learned, question, new_rows(case, [row]))
    optima = [list(optimum.clustering) for optimum in _optima(case)]
    centres = [learned.mixture.labels(case.coded).tolist(), *optima]
    expected = naive_hidden.near(case.rows, row, asked, case.naive_prior, centres)
    assert_same(answer, expected)
    assert answer.errors is None


def _optima(case):
    return local_optima(case.coded, case.n_components, case.prior, random_state=0)


@settings(max_examples=15, deadline=None)
@given(given=questions(max_rows=5, pseudocounts=(1, 2)))
def test_the_cheeseman_stutz_ratio_is_that_of_the_table_with_the_new_row(given):
    case, row, asked = given
    learned = learned_from(case)
    question = Question.of(case.schema.without_target(), [f"x{i}" for i in asked[:1]])
    answer = cheeseman_stutz_answer(learned, question, new_rows(case, [row]), max_iter=10, tol=0.0)
    parameters = plain_parameters(learned.mixture)
    given_oracle = case.rows, row, asked[:1], case.naive_prior, parameters
    expected = naive_hidden.cheeseman_stutz(*given_oracle, FIRST_ITERATIONS, FIRST_ITERATIONS + 10)
    if expected is not None:
        assert_same(answer, expected)


@pytest.mark.parametrize("answered", [neighbourhood_answer, cheeseman_stutz_answer])
@settings(max_examples=15, deadline=None)
@given(given=questions(min_rows=1, max_rows=5))
def test_every_answer_is_a_distribution(answered, given):
    case, row, asked = given
    question = Question.of(case.schema.without_target(), [f"x{i}" for i in asked])
    answer = answered(learned_from(case), question, new_rows(case, [row]))
    assert (answer.probs >= 0).all()
    assert answer.probs.sum() == pytest.approx(1, rel=1e-12)
    assert answer.errors is None
