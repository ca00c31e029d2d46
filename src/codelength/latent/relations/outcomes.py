"""Step 3 for outcomes that depend on the component: numbers and categories."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...decisions import first_best
from ...errors import DataError
from ...table._messages import shown
from ...table.column import Column
from ...typing import FloatArray
from ..inference.coordinates import LEAST_ROWS
from ..inference.information import StandardErrors
from .assignment import Assignment
from .columns import codes_of, numbers_of
from .estimating_equations import Method, Sampling, ThirdStep, spelled
from .results import OutcomeRelation, WaldTest

MAX_STEPS = 5000
"""Maximum number of iterations of EM."""

LEAST_VARIANCE = 1e-8
"""A normal distribution whose variance, as a share of that of all rows, is smaller has collapsed."""

ENOUGH = 1e-12
"""EM ends if no parameter changes by more than this."""


def numeric_outcome(
    assignment: Assignment,
    column: Column,
    method: Method,
    first_step: StandardErrors | None,
    sampling: Sampling | None,
) -> OutcomeRelation:
    """Estimate the mean of a numeric outcome in each component.

    Parameters
    ----------
    assignment : Assignment
        The rows, assigned to components.
    column : Column
        The outcome.
    method : {"ml", "bch"}
        Correction for the errors of the assignment.
    first_step : StandardErrors, optional
        Standard errors of the mixture, to include its uncertainty.
    sampling : Sampling, optional
        Meaning of weights, clusters and strata.
    """
    numbers = numbers_of(column)
    step = ThirdStep.of(assignment, ~np.isnan(numbers), f"outcome {shown(column.name)}")
    n_components = assignment.mixture.n_components
    centre, scale = float(numbers[step.used].mean()), float(numbers[step.used].std()) or 1.0
    # Standardised, so that tolerances and numerical derivatives do not depend on the units.
    y = ((numbers[step.used] - centre) / scale)[:, None]

    def logits(x: FloatArray, class_probs: FloatArray) -> FloatArray:
        means, variances = x[:n_components], np.maximum(x[n_components:], 1e-12)
        return np.asarray(np.log(class_probs) - np.log(variances) / 2 - (y - means) ** 2 / (2 * variances))

    def gaps(x: FloatArray) -> FloatArray:
        return np.concatenate((y - x[:n_components], (y - x[:n_components]) ** 2 - x[n_components:]), axis=1)

    def scores(x: FloatArray, errors: FloatArray, class_probs: FloatArray) -> FloatArray:
        shares = step.shares(method, logits(x, class_probs), errors)
        return np.asarray(np.tile(shares, 2) * gaps(x))

    def moments(shares: FloatArray) -> FloatArray:
        weighted = shares * step.weights[:, None]
        sizes = weighted.sum(axis=0)
        means = (weighted * y).sum(axis=0) / sizes
        return np.concatenate((means, (weighted * (y - means) ** 2).sum(axis=0) / sizes))

    x = _climbed(step, assignment, method, logits, moments)
    if method == "ml" and x[n_components:].min() < LEAST_VARIANCE:
        k = first_best(-x[n_components:])
        raise DataError(
            f"outcome {shown(column.name)}: in class {k + 1} it hardly varies, so that a normal distribution "
            'does not fit; use method="bch", or kind="categorical" if it has few values'
        )
    # Variances are estimated along with the means, and only the means are reported.
    covariance = step.covariance(scores, x, assignment, first_step, sampling)[:n_components, :n_components]
    covariance = covariance * scale**2
    means = centre + scale * x[:n_components, None]
    with np.errstate(invalid="ignore"):
        deviations = scale * np.sqrt(x[n_components:])
    return _outcome(column, (), means, covariance, deviations, method, assignment, step)


def categorical_outcome(
    assignment: Assignment,
    column: Column,
    method: Method,
    first_step: StandardErrors | None,
    sampling: Sampling | None,
) -> OutcomeRelation:
    """Estimate the probability of each value of an outcome in each component.

    Parameters
    ----------
    assignment : Assignment
        The rows, assigned to components.
    column : Column
        The outcome.
    method : {"ml", "bch"}
        Correction for the errors of the assignment.
    first_step : StandardErrors, optional
        Standard errors of the mixture, to include its uncertainty.
    sampling : Sampling, optional
        Meaning of weights, clusters and strata.
    """
    codes, values = codes_of(column)
    step = ThirdStep.of(assignment, codes >= 0, f"outcome {shown(column.name)}")
    n_components, n_free = assignment.mixture.n_components, len(values) - 1
    if not n_free:
        raise DataError(f"outcome {shown(column.name)}: only one value occurs; there is nothing to relate")
    indicators = np.eye(len(values))[codes[step.used]]

    def probs(x: FloatArray) -> FloatArray:
        free = x.reshape(n_components, n_free)
        return np.column_stack((free, 1 - free.sum(axis=1)))

    def logits(x: FloatArray, class_probs: FloatArray) -> FloatArray:
        return np.asarray(np.log(np.maximum(class_probs * (indicators @ probs(x).T), 1e-300)))

    def scores(x: FloatArray, errors: FloatArray, class_probs: FloatArray) -> FloatArray:
        shares = step.shares(method, logits(x, class_probs), errors)
        gaps = indicators[:, None, :n_free] - x.reshape(n_components, n_free)
        return np.asarray((shares[:, :, None] * gaps).reshape(len(indicators), -1))

    def moments(shares: FloatArray) -> FloatArray:
        weighted = shares * step.weights[:, None]
        found = weighted.T @ indicators / weighted.sum(axis=0)[:, None]
        return np.asarray(found[:, :n_free].ravel())

    x = _climbed(step, assignment, method, logits, moments)
    covariance = step.covariance(scores, x, assignment, first_step, sampling)
    # The last probability is one minus the others: its row of the transformation is minus their sum.
    fill = np.kron(np.eye(n_components), np.vstack((np.eye(n_free), -np.ones(n_free))))
    estimates, whole = probs(x), fill @ covariance @ fill.T
    if method == "ml":
        sizes = (step.weights @ step.shares(method, logits(x, assignment.mixture.class_probs), step.errors))[
            :, None
        ]
        # Estimates on the boundary have no standard error.
        flagged = ((estimates * sizes < LEAST_ROWS) | ((1 - estimates) * sizes < LEAST_ROWS)).ravel()
        whole[flagged] = whole[:, flagged] = np.nan
    none = np.full(n_components, np.nan)
    return _outcome(column, values, estimates, whole, none, method, assignment, step)


def _climbed(
    step: ThirdStep,
    assignment: Assignment,
    method: Method,
    logits: Callable[[FloatArray, FloatArray], FloatArray],
    moments: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """Estimate the moments of the outcome in each component: in closed form by BCH, by EM for ML."""
    class_probs, errors = assignment.mixture.class_probs, assignment.errors
    if method == "bch":
        return moments(step.shares(method, np.zeros_like(step.assigned), errors))
    x = moments(assignment.shares[step.used])
    for _ in range(MAX_STEPS):
        before, x = x, moments(step.shares(method, logits(x, class_probs), errors))
        if np.abs(x - before).max() <= ENOUGH:
            break
    return x


def _outcome(
    column: Column,
    values: tuple[Any, ...],
    estimates: FloatArray,
    covariance: FloatArray,
    deviations: FloatArray,
    method: Method,
    assignment: Assignment,
    step: ThirdStep,
) -> OutcomeRelation:
    n_components, n_each = estimates.shape
    # The test compares each class with the first; the last value is determined by the others.
    kept = n_each - 1 if values else 1
    contrast = np.kron(
        np.column_stack((-np.ones(n_components - 1), np.eye(n_components - 1))), np.eye(n_each)[:kept]
    )
    gaps, spread = contrast @ estimates.ravel(), contrast @ covariance @ contrast.T
    return OutcomeRelation(
        column.name,
        values,
        estimates,
        covariance,
        deviations,
        WaldTest.of(gaps, spread),
        spelled(method, assignment),
        int(step.used.sum()),
        int((~step.used).sum()),
    )
