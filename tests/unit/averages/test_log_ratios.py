"""Logistic regression on log ratios, against an optimiser of another kind and refits without folds."""

import numpy as np
import pytest
from scipy.optimize import minimize

from codelength._packing import packed
from codelength.averages.content import shuffled
from codelength.averages.factors import factors_of, ranking_of, with_zeros
from codelength.averages.folds import copies_per_fold, folds_of
from codelength.averages.members import _logistic, log_ratios
from codelength.averages.members._logistic import Design, Penalty, curvature_at, fitted
from codelength.averages.members.log_ratios import LogRatios
from codelength.table import Schema, Variable
from unit.averages.mixed_tables import (
    EXTREMES,
    SCHEMA,
    assert_damage_is_refused,
    assert_distributions,
    assert_explained,
    coded_of,
    drawn_rows,
    training_of,
    wide_rows,
)

NEW = np.array([[0, 0, 3], [7, 1, 59], [8, 3, 60], [3, 2, 30]])
"""New rows, among them one without any value."""


def log_probs_of(ratios, numbers, offsets, w, b, d):
    """Log probabilities, shape (n_rows, n_classes), by the formula."""
    log_weights = offsets + b + np.einsum("ncm,m->nc", ratios, w) + numbers @ d
    return log_weights - np.logaddexp.reduce(log_weights, axis=1)[:, None]


def loss(parameters, ratios, numbers, offsets, labels, weights, precision):
    """Minus the penalised log score and its gradient. The parameters are t, w = t + d, b and D."""
    n_classes, m = ratios.shape[1:]
    t, w, b = parameters[0], parameters[1 : 1 + m], parameters[1 + m : 1 + m + n_classes]
    coefficients = parameters[1 + m + n_classes :].reshape(-1, n_classes)
    log_probs = log_probs_of(ratios, numbers, offsets, w, b, coefficients)
    penalty = (
        (t - 0.5) ** 2 + 25 * ((w - t) ** 2).sum() + 0.15 * b @ b + precision / 2 * (coefficients**2).sum()
    )
    residuals = weights[:, None] * (np.exp(log_probs) - np.eye(n_classes)[labels])
    gradient = [
        [2 * (t - 0.5) - 50 * (w - t).sum()],
        np.einsum("nc,ncm->m", residuals, ratios) + 50 * (w - t),
        residuals.sum(axis=0) + 0.3 * b,
        (numbers.T @ residuals + precision * coefficients).ravel(),
    ]
    return penalty - weights @ log_probs[np.arange(len(labels)), labels], np.concatenate(gradient)


def refitted(ratios, numbers, offsets, labels, weights, precision):
    """w, b and D, by a quasi-Newton method with bounds."""
    n_classes, m = ratios.shape[1:]
    n_parameters = 1 + m + n_classes * (1 + numbers.shape[1])
    found = minimize(
        loss,
        np.full(n_parameters, 0.1),
        (ratios, numbers, offsets, labels, weights, precision),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0 if 0 < i <= m else None, None) for i in range(n_parameters)],
        options={"ftol": 0, "gtol": 1e-7, "maxiter": 5000, "maxfun": 10_000},
    ).x
    return (
        found[1 : 1 + m],
        found[1 + m : 1 + m + n_classes],
        found[1 + m + n_classes :].reshape(-1, n_classes),
    )


def drawn_design(seed, n_rows=25, n_classes=3, n_variables=2, n_columns=2, leaking=False):
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, n_classes, n_rows)
    ratios = generator.normal(size=(n_rows, n_classes, n_variables))
    ratios[np.arange(n_rows), labels] += -1.0 if leaking else 0.5
    numbers = generator.normal(size=(n_rows, n_columns)) + labels[:, None]
    return ratios, numbers, np.log(generator.dirichlet(np.ones(n_classes), n_rows)), labels


def as_design(ratios, numbers, offsets, labels):
    parts = ratios.transpose(2, 1, 0), numbers.T, offsets.T
    return Design(*(np.ascontiguousarray(part) for part in parts), labels)


@pytest.mark.parametrize("leaking", [False, True])
@pytest.mark.parametrize("precision", [0.03, 10.0])
def test_regressions_are_solved(precision, leaking):
    """Several weightings at once, against another optimiser; weights that would be negative are 0."""
    rows = drawn_design(1, leaking=leaking)
    design = as_design(*rows)
    row_weights = np.stack([np.ones(25), np.arange(25) % 3, np.linspace(0.1, 2, 25)])
    start = np.full((3, design.n_parameters), 0.3)
    penalty = Penalty.of(design, precision)
    found = fitted(design, row_weights, penalty, start, 1e-9, None)
    for one, weights in zip(found, row_weights, strict=True):
        w, b, coefficients = design.split(one)
        expected = refitted(*rows, weights, precision)
        np.testing.assert_allclose(w, expected[0], atol=1e-6)
        np.testing.assert_allclose(b, expected[1], atol=1e-6)
        np.testing.assert_allclose(coefficients.T, expected[2], atol=1e-6)
        if leaking:
            np.testing.assert_array_equal(w, 0)
    curvature = curvature_at(design, row_weights[0], start[0])
    alone = fitted(design, row_weights[1:2], penalty, start[:1], 1e-9, curvature)
    np.testing.assert_allclose(alone[0], found[1], rtol=0, atol=1e-9)


def test_curvature_is_how_the_gradient_of_the_log_score_changes():
    rows = drawn_design(2, n_rows=12, n_classes=4, n_variables=3)
    design, weights = as_design(*rows), np.linspace(0.5, 2, 12)
    parameters = np.random.default_rng(0).normal(size=design.n_parameters)

    def gradient(at):
        residuals = np.exp(design.log_probs(at[None]))
        residuals[:, rows[3], np.arange(12)] -= 1.0
        return design.gathered(weights * residuals)[0]

    found = curvature_at(design, weights, parameters)
    for i, step in enumerate(np.eye(design.n_parameters) * 1e-5):
        slopes = (gradient(parameters + step) - gradient(parameters - step)) / 2e-5
        np.testing.assert_allclose(found[i], slopes, rtol=0, atol=1e-6)


def test_many_parameters_are_fitted_without_their_curvature(monkeypatch):
    training = training_of(*drawn_rows(60))
    one = LogRatios.fit(training)
    monkeypatch.setattr(_logistic, "MAX_DIRECT", 0)
    other = LogRatios.fit(training)
    np.testing.assert_allclose(other.held_out, one.held_out, rtol=0, atol=1e-8)


def test_penalty_is_that_of_a_common_weight_and_deviations():
    design = as_design(*drawn_design(0, n_variables=3))
    penalty = Penalty.of(design, 2.0)
    covariance = np.eye(3) / 50 + 0.5
    vectors = np.random.default_rng(0).normal(size=(2, design.n_parameters))
    found = penalty.times(vectors)
    np.testing.assert_allclose(found[:, :3], np.linalg.solve(covariance, vectors[:, :3].T).T, atol=1e-10)
    np.testing.assert_allclose(found[:, 3:6], 0.3 * vectors[:, 3:6])
    np.testing.assert_allclose(found[:, 6:], 2.0 * vectors[:, 6:])


def path_by_hand(training, copies, chosen):
    """Held-out and new log probabilities, by refitting every penalty without every fold.

    ``chosen`` are the variables that take part without each fold, and at last with all rows.
    """
    factors = factors_of(training)
    offsets, labels = training.log_prior_left_out, training.labels
    new = coded_of(NEW)
    columns = [np.flatnonzero(np.isin(training.views.owners, own)) for own in chosen]
    designs = [
        (factors.left_out(own), training.numbers[:, at]) for own, at in zip(chosen, columns, strict=True)
    ]
    fine = training.views.fine(new)
    new_ratios = np.stack([with_zeros(factors.tables[j])[fine[:, j]] for j in chosen[-1]], axis=2)
    of_new = new_ratios, training.views.numbers(new)[:, columns[-1]], training.log_prior
    held_out, fresh, logs = [], [], []
    for precision in log_ratios.PRECISIONS:
        folds = []
        for out, (ratios, numbers) in zip(copies, designs, strict=False):
            weights = training.weights - out * training.copy_weights
            solution = refitted(ratios, numbers, offsets, labels, weights, precision)
            folds.append(log_probs_of(ratios, numbers, offsets, *solution))
        of_fold = np.stack(folds)
        scores = of_fold[:, np.arange(training.n_rows), labels]
        logs.append((copies * training.copy_weights * scores).sum() - np.log(precision / 10) ** 2 / 2)
        held_out.append(of_fold)
        solution = refitted(*designs[-1], offsets, labels, training.weights, precision)
        fresh.append(log_probs_of(*of_new, *solution))
    shares = np.exp(np.array(logs) - max(logs))
    shares[shares < 0.03] = 0.0
    shares /= shares.sum()

    def pooled(parts):
        mean = np.tensordot(shares, np.stack(parts), 1)
        return mean - np.logaddexp.reduce(mean, axis=-1, keepdims=True)

    by_copies = np.einsum("kn,knc->nc", copies / copies.sum(axis=0), pooled(held_out))
    return by_copies - np.logaddexp.reduce(by_copies, axis=1)[:, None], pooled(fresh)


@pytest.mark.parametrize("has_room", [True, False])
def test_held_out_predictions_are_those_of_refits_without_folds(has_room, monkeypatch):
    """Several penalties and five folds of copies, all of it again by another optimiser.

    If there is room for two of three variables, they are chosen without each fold.
    """
    monkeypatch.setattr(log_ratios, "PRECISIONS", (30.0, 10.0, 3.0))
    monkeypatch.setattr(log_ratios, "MAX_PER_ROW", 100 if has_room else 22)
    schema = Schema(SCHEMA.variables, Variable("kind", ("a", "b", "c")))
    codes, labels = drawn_rows(18)
    weights = np.random.default_rng(0).choice([1.0, 2.0, 3.0, 0.6], 18)
    training = training_of(codes, labels, weights, schema)
    learned = LogRatios.fit(training)
    if has_room:
        copies = copies_per_fold(training, shuffled(training, "log_ratios"))
        chosen = [np.arange(3)] * 6
    else:
        folds = folds_of(training)
        copies = np.array([fold.shares for fold in folds]) * training.n_copies
        chosen = [
            np.sort(ranking[:2]) for ranking in (*(fold.ranking for fold in folds), ranking_of(training))
        ]
    assert learned.member.variables.tolist() == chosen[-1].tolist()
    held_out, fresh = path_by_hand(training, copies, chosen)
    np.testing.assert_allclose(learned.held_out, held_out, rtol=0, atol=1e-6)
    new = coded_of(NEW, schema=schema)
    np.testing.assert_allclose(learned.member.log_probs(new), fresh, rtol=0, atol=1e-6)


def test_predictions_are_distributions_and_explained():
    training = training_of(*drawn_rows(150))
    learned = LogRatios.fit(training)
    assert_distributions(learned.held_out, (training.n_rows, 4))
    assert_distributions(learned.member.log_probs(coded_of(NEW)), (4, 4))
    assert_explained(learned.member, coded_of(NEW))
    assert learned.member.contributions(coded_of(NEW)).shape == (4, 3, 4)
    assert training.log_score(learned.held_out) > training.log_score(training.log_prior_left_out)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_noise_is_not_read_off_factors_that_leave_the_class_out(n_classes):
    """A left-out factor is lower for the row's own class: a negative weight would tell the class."""
    schema = Schema(
        tuple(Variable(f"x{i}", tuple(range(4))) for i in range(20)), Variable("y", tuple(range(n_classes)))
    )
    gains = []
    for seed in range(4):
        generator = np.random.default_rng(seed)
        codes, labels = generator.integers(0, 4, (200, 20)), generator.integers(0, n_classes, 200)
        training = training_of(codes, labels, schema=schema)
        learned = LogRatios.fit(training)
        assert (learned.member.weights >= 0).all()
        prior = training.log_score(training.log_prior_left_out)
        gains.append((training.log_score(learned.held_out) - prior) / 200)
    assert -0.06 < np.mean(gains) < 0.005


def test_more_columns_than_rows():
    codes, labels, schema = wide_rows()
    training = training_of(codes, labels, schema=schema)
    learned = LogRatios.fit(training)
    assert_distributions(learned.held_out, (50, 2))
    assert training.log_score(learned.held_out) > training.log_score(training.log_prior_left_out)


def test_columns_beyond_the_room_there_is_are_left_out(monkeypatch):
    codes, labels, schema = wide_rows(40, 30)
    training = training_of(codes, labels, schema=schema)
    monkeypatch.setattr(log_ratios, "MAX_PER_ROW", 40)
    learned = LogRatios.fit(training)
    assert 1 <= len(learned.member.variables) < 20
    assert 1 in learned.member.variables
    assert_explained(learned.member, coded_of(codes, schema=schema))
    left = np.setdiff1d(np.arange(30), learned.member.variables)
    assert not learned.member.contributions(coded_of(codes, schema=schema))[:, left].any()


def test_rows_beyond_the_room_there_is_are_held_out_as_they_are(monkeypatch):
    training = training_of(*drawn_rows(200))
    whole = LogRatios.fit(training)
    monkeypatch.setattr(log_ratios, "LEAST_ROWS", 100)
    monkeypatch.setattr(log_ratios, "MAX_CELLS", 0)
    part = LogRatios.fit(training)
    factors, member = factors_of(training), part.member
    log_weights = training.log_prior_left_out + member.intercepts
    log_weights += factors.left_out() @ member.weights + training.numbers @ member.coefficients
    log_probs = log_weights - np.logaddexp.reduce(log_weights, axis=1)[:, None]
    same = np.isclose(log_probs, part.held_out, rtol=0, atol=1e-12).all(axis=1)
    assert np.count_nonzero(same) == training.n_rows - 100
    scores = [training.log_score(learned.held_out) / 200 for learned in (whole, part)]
    assert scores[1] == pytest.approx(scores[0], abs=0.05)


def test_directions_that_span_the_rows_are_enough(monkeypatch):
    """Indicators depend on each other; the regression along fewer axes is the same."""
    codes, labels, schema = wide_rows(60, 6)
    for rows in (slice(None), slice(0, 8)):
        training = training_of(codes[rows], labels[rows], schema=schema)
        one = LogRatios.fit(training)
        monkeypatch.setattr(log_ratios, "MAX_AXES", 0)
        other = LogRatios.fit(training)
        monkeypatch.undo()
        np.testing.assert_allclose(other.held_out, one.held_out, rtol=0, atol=1e-8)
        np.testing.assert_allclose(other.member.coefficients, one.member.coefficients, rtol=0, atol=1e-8)


def test_damaged_json_is_refused():
    member = LogRatios.fit(training_of(*drawn_rows(60))).member
    assert_damage_is_refused(member)
    for variables in ([0, 1], [0, 1, 3], [1, 0, 2], [0, 0, 1], [0, 1, 2.5]):
        document = member.to_json() | {"variables": packed(np.array(variables))}
        with pytest.raises((LookupError, TypeError, ValueError)):
            LogRatios.from_json(document, member.views, member.log_prior)


# Folds.


def test_copies_are_spread_over_folds():
    codes, labels = drawn_rows(40)
    weights = np.random.default_rng(0).choice([0.5, 1.0, 2.0, 7.0, 300.0], 40)
    training = training_of(codes, labels, weights)
    copies = copies_per_fold(training, np.random.default_rng(1).permutation(training.n_rows))
    assert copies.shape == (5, training.n_rows)
    np.testing.assert_array_equal(copies.sum(axis=0), training.n_copies)
    assert (copies.max(axis=0) - copies.min(axis=0) <= 1).all()
    assert np.ptp(copies.sum(axis=1)) <= 1


def test_few_rows_make_few_folds():
    training = training_of(*EXTREMES["two rows"])
    assert copies_per_fold(training, np.arange(2)).tolist() == [[1, 0], [0, 1]]
