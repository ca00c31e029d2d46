"""Fast greedy orderings are the greedy orderings of the definition, ties and all."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from codelength.prequential import best_first, best_last, naive_bayes_sequence, worst_first, worst_last
from properties.strategies import for_every_rule, tables_and_priors
from properties.test_prequential_chain import clusterings

FORWARD, BACKWARD, BEST, WORST = False, True, False, True
SEARCHES = {
    best_first: (FORWARD, BEST),
    worst_first: (FORWARD, WORST),
    best_last: (BACKWARD, BEST),
    worst_last: (BACKWARD, WORST),
}


def exact_prob(row, label, counts, prior, rule):
    """Probability of a class as a fraction; uniform where it is 0/0."""
    if rule == "stochastic_complexity":
        weights = naive.stochastic_complexity_weights(row, counts)
    elif rule == "indifferent":
        weights = naive.indifferent_weights(row, counts)
    elif rule == "evidence":
        weights = naive.evidence_weights(row, counts, prior)
    else:
        mode = naive.posterior_mode(counts, prior)
        n_values = [len(block) for block in counts.value_counts[0]]
        known = mode.class_probs is not None
        weights = naive.joint_probs(row, naive.filled(mode, n_values)) if known else [0] * len(counts[0])
    probs = naive.probabilities(weights)
    return Fraction(1, len(weights)) if probs is None else probs[label]


def naive_order(table, prior, rule, backward, worst):
    order, left = [], list(range(len(table.rows)))
    while left:
        gains = []
        for j in left:
            history = table.take([i for i in left if i != j] if backward else order).naive_counts()
            gains.append(
                exact_prob(table.rows[j], table.labels[j], history, prior, rule) * (-1 if worst else 1)
            )
        row = left.pop(naive.argmax(gains))
        order.insert(0 if backward else len(order), row)
    return order


@for_every_rule(30)
def test_naive_bayes(rule, data):
    table, prior = data.draw(tables_and_priors(rule, max_rows=7))
    model = naive_bayes_sequence(table.coded, rule, prior)
    spelled = table.naive_prior(prior)
    for search, asked in SEARCHES.items():
        assert search(model).tolist() == naive_order(table, spelled, rule, *asked)


@settings(max_examples=30)
@given(data=st.data())
def test_fixed_clusterings(data):
    clustering, rows, labels, prior = data.draw(clusterings(max_rows=7))
    model, column = clustering.sequence(), clustering.class_column
    assert best_first(model).tolist() == naive.best_first_order(rows, labels, column, prior)
    assert worst_first(model).tolist() == naive.worst_first_order(rows, labels, column, prior)
    assert best_last(model).tolist() == naive.best_last_order(rows, labels, column, prior)
    assert worst_last(model).tolist() == naive.worst_last_order(rows, labels, column, prior)
