"""Tempering and pooling: against plain optimisation, against refitting, and on tables without information."""

import json

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from codelength._packing import packed
from codelength.averages.pool import (
    TEMPERATURE,
    Pool,
    best_power,
    pool_weights,
    pooled,
    prior_share,
)
from codelength.errors import DataError


def temperature(held_out, prior, labels, weights, strength=15.0):
    return best_power(prior, held_out - prior, labels, weights, TEMPERATURE._replace(strength=strength))


def tempered(log_probs, log_prior, t):
    return pooled(log_probs[None], log_prior, np.array([t]))


def fitted(held_outs, prior, labels, weights, copies=None):
    return Pool.fit(held_outs, prior, labels, weights, weights if copies is None else copies)


def share_of_prior(pool, prior, labels, weights):
    return float(prior_share(score(pool - prior, labels, weights), weights.sum()))


def log_softmax(logits):
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def some_members(n_rows=120, n_classes=3, n_members=4, seed=0, noise=1.0):
    """Members that see the truth through noise, more of it for the later ones, and are too sure of it."""
    rng = np.random.default_rng(seed)
    prior = log_softmax(rng.normal(size=n_classes))
    signal = 2 * rng.normal(size=(n_rows, n_classes))
    truth = np.exp(log_softmax(prior + signal))
    labels = (truth.cumsum(axis=1) < rng.random(n_rows)[:, None]).sum(axis=1)
    noises = (
        noise * (1 + np.arange(n_members))[:, None, None] * rng.normal(size=(n_members, n_rows, n_classes))
    )
    return log_softmax(prior + 1.5 * signal + noises), np.tile(prior, (n_rows, 1)), labels, np.ones(n_rows)


def score(log_probs, labels, weights):
    return weights @ log_probs[np.arange(len(labels)), labels]


@pytest.mark.parametrize("strength", [0.0, 15.0])
def test_temperature_is_the_best_one(strength):
    held_outs, prior, labels, weights = some_members()

    def cost(log_t):
        held_out = log_softmax(prior + np.exp(log_t) * (held_outs[1] - prior))
        return strength / 2 * log_t**2 - score(held_out, labels, weights)

    best = minimize_scalar(cost, bounds=(np.log(0.05), np.log(3)), method="bounded", options={"xatol": 1e-10})
    found = temperature(held_outs[1], prior, labels, weights, strength)
    assert found == pytest.approx(np.exp(best.x), abs=1e-6)
    assert cost(np.log(found)) <= best.fun + 1e-10
    assert found < 1  # these members are too sure


def test_temperatures_stay_within_bounds():
    log_prior = np.log(np.full((500, 2), 0.5))
    labels = np.arange(500) % 2
    right = np.log(np.where(labels[:, None] == [0, 1], 0.6, 0.4))
    assert temperature(right, log_prior, labels, np.full(500, 100.0)) == 3.0
    assert temperature(right, log_prior, 1 - labels, np.full(500, 100.0)) == 0.05


def test_tempered_goes_from_the_prior_to_the_member_and_beyond():
    held_outs, prior, _, _ = some_members()
    np.testing.assert_allclose(tempered(held_outs[0], prior, 0.0), prior, atol=1e-14)
    np.testing.assert_allclose(tempered(held_outs[0], prior, 1.0), held_outs[0], atol=1e-14)
    twice = tempered(tempered(held_outs[0], prior, 0.5), prior, 1.5)
    np.testing.assert_allclose(twice, tempered(held_outs[0], prior, 0.75), atol=1e-13)


@pytest.mark.parametrize("strength", [1e-3, 1.0, 100.0])
def test_pool_weights_are_the_best_ones(strength):
    held_outs, prior, labels, weights = some_members(seed=1)

    def cost(w):
        log_probs = log_softmax(prior + np.einsum("k,knc->nc", w, held_outs - prior))
        return strength / 2 * ((w - 1 / 4) ** 2).sum() - score(log_probs, labels, weights)

    best = minimize(cost, np.full(4, 0.25), bounds=[(0, None)] * 4, tol=1e-14)
    found = pool_weights(held_outs, prior, labels, weights, strength)
    assert (found >= 0).all()
    assert cost(found) <= best.fun + 1e-9
    np.testing.assert_allclose(found, best.x, atol=2e-4)


def test_a_harmful_member_gets_no_weight_and_the_optimum_has_no_slope():
    held_outs, prior, labels, weights = some_members(seed=2)
    held_outs[3] = log_softmax(prior - (labels[:, None] == np.arange(3)))  # always wrong
    found = pool_weights(held_outs, prior, labels, weights, strength=1.0)
    assert found[3] == 0.0
    gradient = np.empty(4)
    for k, bump in enumerate(1e-5 * np.eye(4)):
        ends = []
        for w in (found + bump, found - bump):
            penalty = ((w - 1 / 4) ** 2).sum() / 2
            ends.append(score(pooled(held_outs, prior, w), labels, weights) - penalty)
        gradient[k] = (ends[0] - ends[1]) / 2e-5
    np.testing.assert_allclose(gradient[found > 0], 0.0, atol=1e-6)
    assert (gradient[found == 0] < 0).all()
    assert (found[:2] > 0).all()


def test_nothing_depends_on_the_order_of_rows_members_or_classes():
    held_outs, prior, labels, weights = some_members(seed=3)
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.5, 3.0, size=len(labels))
    rows, members, classes = rng.permutation(120), rng.permutation(4), rng.permutation(3)
    pool, held_out = fitted(held_outs, prior, labels, weights)
    other, other_held_out = fitted(
        held_outs[members][:, rows][:, :, classes],
        prior[rows][:, classes],
        np.argsort(classes)[labels[rows]],
        weights[rows],
    )
    np.testing.assert_allclose(other.weights, pool.weights[members], atol=1e-10)
    np.testing.assert_allclose(other.temperatures, pool.temperatures[members], atol=1e-10)
    assert other.share == pytest.approx(pool.share, abs=1e-10)
    np.testing.assert_allclose(other_held_out, held_out[rows][:, classes], atol=1e-9)


def test_weights_are_repeated_rows():
    held_outs, prior, labels, _ = some_members(seed=4)
    copies = 1 + np.arange(len(labels)) % 3
    pool, held_out = fitted(held_outs, prior, labels, copies.astype(float), np.ones(len(labels)))
    rows = np.repeat(np.arange(len(labels)), copies)
    other, other_held_out = fitted(held_outs[:, rows], prior[rows], labels[rows], np.ones(len(rows)))
    np.testing.assert_allclose(other.weights, pool.weights, atol=1e-10)
    np.testing.assert_allclose(other.temperatures, pool.temperatures, atol=1e-10)
    assert other.share == pytest.approx(pool.share, rel=1e-9)
    np.testing.assert_allclose(other_held_out, held_out[rows], atol=1e-9)


@pytest.mark.parametrize("n_rows", [12, 40, 120])
@pytest.mark.parametrize("noise", [0.5, 2.0])
def test_cross_fitted_predictions_are_those_of_pools_without_the_row(n_rows, noise):
    """One Newton step per row stands for a new search: probabilities differ by less than 0.01 at 12 rows,
    and by less as rows are added."""
    held_outs, prior, labels, weights = some_members(n_rows, seed=5, noise=noise)
    found = fitted(held_outs, prior, labels, weights)[1]
    without = np.empty_like(prior)
    for i in range(n_rows):
        rest = np.arange(n_rows) != i
        pool, _ = fitted(held_outs[:, rest], prior[rest], labels[rest], weights[rest])
        pool = Pool(pool.temperatures, pool.weights, 0.0)
        without[i] = pool.log_probs(held_outs[:, [i]], prior[[i]])[0]
    for i in range(n_rows):
        rest = np.arange(n_rows) != i
        share = share_of_prior(without[rest], prior[rest], labels[rest], weights[rest])
        expected = (1 - share) * np.exp(without[i]) + share * np.exp(prior[i])
        np.testing.assert_allclose(np.exp(found[i]), expected, atol=0.12 / n_rows)


def test_probabilities_sum_to_one_and_none_is_zero():
    held_outs, prior, labels, weights = some_members(seed=6)
    pool, held_out = fitted(held_outs, prior, labels, weights)
    sure = np.full((4, 1, 3), -800.0)
    sure[:, :, 0] = 0.0
    for log_probs in (held_out, pool.log_probs(held_outs, prior[0]), pool.log_probs(sure, prior[0])):
        assert np.isfinite(log_probs).all()
        np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1.0, atol=1e-12)
    floor = 0.25 / 121 * np.exp(prior[0])
    assert (np.exp(pool.log_probs(sure, prior[0])[0]) >= floor * (1 - 1e-12)).all()


def test_the_prior_share_is_a_posterior_probability():
    prior = np.log(np.full((10, 2), 0.5))
    labels = np.zeros(10, dtype=np.int64)
    ahead = np.log([[0.6, 0.4]] * 10)
    odds = 10**0.5 * (0.5 / 0.6) ** 10
    assert share_of_prior(ahead, prior, labels, np.ones(10)) == pytest.approx(odds / (1 + odds), rel=1e-12)
    assert share_of_prior(ahead, prior, labels, np.full(10, 1e4)) == pytest.approx(
        0.25 / (1e5 + 1), rel=1e-12
    )
    assert share_of_prior(ahead, prior, 1 - labels, np.full(10, 1e4)) == 1.0


def test_members_that_know_nothing_leave_the_class_prior():
    rng = np.random.default_rng(7)
    for n_rows in (50, 200, 1000):
        for n_classes in (2, 5):
            probs = rng.dirichlet(np.full(n_classes, 3.0))
            prior = np.tile(np.log(probs), (n_rows, 1))
            labels = rng.choice(n_classes, n_rows, p=probs)
            held_outs = log_softmax(prior + rng.normal(size=(4, n_rows, n_classes)))
            pool, held_out = fitted(held_outs, prior, labels, np.ones(n_rows))
            fresh = log_softmax(prior[0] + rng.normal(size=(4, 3000, n_classes)))
            excess = np.exp(prior[0]) * (prior[0] - pool.log_probs(fresh, prior[0]))
            assert excess.sum(axis=1).mean() < 0.02
            assert score(held_out - prior, labels, np.ones(n_rows)) / n_rows > -0.04


def test_one_member_alone_is_tempered_and_mixed():
    held_outs, prior, labels, weights = some_members(n_members=1, seed=8)
    pool, held_out = fitted(held_outs, prior, labels, weights)
    assert pool.weights == pytest.approx([1.0], abs=0.2)
    alone = tempered(held_outs[0], prior, float(pool.weights[0] * pool.temperatures[0]))
    expected = np.logaddexp(np.log1p(-pool.share) + alone, np.log(pool.share) + prior)
    np.testing.assert_allclose(pool.log_probs(held_outs, prior), expected, atol=1e-12)
    assert score(held_out, labels, weights) > score(prior, labels, weights)


@pytest.mark.parametrize("n_rows", [1, 2])
def test_very_few_rows_are_enough(n_rows):
    held_outs, prior, labels, weights = some_members(n_rows, seed=9)
    pool, held_out = fitted(held_outs, prior, labels, weights)
    assert np.isfinite(held_out).all()
    assert 0 < pool.share < 1


def test_json_keeps_every_bit():
    held_outs, prior, labels, weights = some_members(seed=10)
    pool, _ = fitted(held_outs, prior, labels, weights)
    restored = Pool.restored(json.loads(json.dumps(pool.to_json())), n_members=4)
    np.testing.assert_array_equal(
        restored.log_probs(held_outs, prior[0]), pool.log_probs(held_outs, prior[0])
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("weights", packed(np.array([0.1, 0.2]))),
        ("weights", packed(np.array([0.1, 0.2, 0.3, -0.1]))),
        ("weights", packed(np.array([0.1, 0.2, 0.3, np.nan]))),
        ("temperatures", packed(np.array([0.1, 0.2, 0.3, 30.0]))),
        ("share", 1.5),
        ("share", None),
        ("share", True),
    ],
)
def test_damaged_files_are_refused(key, value):
    document = {"temperatures": packed(np.ones(4)), "weights": packed(np.full(4, 0.25)), "share": 0.1}
    Pool.restored(document, n_members=4)
    with pytest.raises(DataError):
        Pool.restored({**document, key: value}, n_members=4)
