"""Columns by component: distal outcomes in three steps, and inactive variables.

A distal outcome depends on the component. Step 3 of three-step estimation (:mod:`.three_step`) estimates its
distribution in each component: :func:`relate_outcome`, for numbers (``_Number``) and for categories
(``_Category``).

An inactive variable was not used in the fit: :func:`inactive_profile`. Rows are weighted by their probability
of belonging to each component. Nothing is assumed about the column and nothing is tested, and because rows of
other components always have a share, differences are underestimated.
"""

from dataclasses import dataclass

import numpy as np

from ..._display import Shown, counted
from ...blocks import Block, Grid
from ...decisions import first_best
from ...errors import DataError, InvalidParameter
from ...table._messages import shown
from ...table.checks import check_choice
from ...table.column import Column
from ...typing import FloatArray, IntArray, Scalar
from ..inference.coordinates import LEAST_ROWS
from ..inference.information import StandardErrors
from .assignment import Assignment
from .columns import ColumnKind, codes_of, is_numeric, rows_used
from .results import OutcomeRelation, WaldTest, left_out
from .three_step import Method, Sampling, ThirdStep

MAX_STEPS = 5000
"""Maximum number of iterations of EM."""

LEAST_VARIANCE = 1e-8
"""A normal distribution whose variance, as a share of that of all rows, is smaller has collapsed."""

ENOUGH = 1e-12
"""EM ends if no parameter changes by more than this."""


@dataclass(frozen=True, eq=False, slots=True)
class _Number:
    """A number, normal within components. Parameters are the mean and the variance of ``y``.

    Standardised, so that tolerances and numerical derivatives do not depend on the units.
    """

    y: FloatArray

    def gaps(self, x: FloatArray) -> FloatArray:
        """Return the distance of each row from the parameters, shape (n_rows, n_components, n_parameters)."""
        distances = self.y - x[:, 0]
        return np.stack((distances, distances**2 - x[:, 1]), axis=2)

    def moments(self, weighted: FloatArray) -> FloatArray:
        """Return the parameters of weighted rows, shape (n_components, n_parameters)."""
        sizes = weighted.sum(axis=0)
        means = (weighted * self.y).sum(axis=0) / sizes
        return np.stack((means, (weighted * (self.y - means) ** 2).sum(axis=0) / sizes), axis=1)

    def log_densities(self, x: FloatArray) -> FloatArray:
        """Return the log density of each row in each component, up to a constant."""
        means, variances = x[:, 0], np.maximum(x[:, 1], 1e-12)
        return np.asarray(-np.log(variances) / 2 - (self.y - means) ** 2 / (2 * variances))


@dataclass(frozen=True, eq=False, slots=True)
class _Category:
    """A category, as indicators of its values. Parameters are the probabilities of all values but the last.

    Methods are those of :class:`_Number`.
    """

    indicators: FloatArray

    def gaps(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.indicators[:, None, :-1] - x)

    def moments(self, weighted: FloatArray) -> FloatArray:
        return np.asarray(weighted.T @ self.indicators / weighted.sum(axis=0)[:, None])[:, :-1]

    def log_densities(self, x: FloatArray) -> FloatArray:
        probs = np.column_stack((x, 1 - x.sum(axis=1)))
        return np.asarray(np.log(np.maximum(self.indicators @ probs.T, 1e-300)))


def relate_outcome(
    assignment: Assignment,
    column: Column,
    method: Method = "bch",
    *,
    kind: ColumnKind = "auto",
    first_step: StandardErrors | None = None,
    sampling: Sampling | None = None,
) -> OutcomeRelation:
    """Estimate the distribution of a distal outcome in each component.

    Parameters are those of :meth:`codelength.FiniteMixture.relate_outcome`, with the rows assigned already;
    ``first_step`` is that of :func:`codelength.latent.relations.relate_covariates`.
    """
    check_choice("method", method, Method)
    n_components, what = assignment.mixture.n_components, f"outcome {shown(column.name)}"
    if n_components < 2:
        raise InvalidParameter(
            "there is one class only, so that no outcome can depend on it; fit two or more"
        )
    if is_numeric(column, kind):
        numbers = np.asarray(column.numbers, dtype=np.float64)
        step = ThirdStep.of(assignment, what, ~np.isnan(numbers), method, first_step, sampling)
        return _of_number(step, column, numbers[step.used])
    codes, values = codes_of(column)
    step = ThirdStep.of(assignment, what, codes >= 0, method, first_step, sampling)
    if len(values) < 2:
        raise DataError(f"{what}: only one value occurs; there is nothing to relate")
    return _of_category(step, column, codes[step.used], values)


def _of_number(step: ThirdStep, column: Column, numbers: FloatArray) -> OutcomeRelation:
    centre, scale = float(numbers.mean()), float(numbers.std()) or 1.0
    x, covariance, _ = _estimated(step, _Number(((numbers - centre) / scale)[:, None]))
    means, variances = x.T
    if step.method == "ml" and variances.min() < LEAST_VARIANCE:
        k = first_best(-variances)
        raise DataError(
            f"outcome {shown(column.name)}: in class {k + 1} it hardly varies, so that a "
            'normal distribution does not fit; use method="bch", or kind="categorical" if it has few values'
        )
    with np.errstate(invalid="ignore"):
        deviations = scale * np.sqrt(variances)
    # Variances are estimated along with the means, and only the means are reported.
    of_means = covariance[::2, ::2] * scale**2
    return _relation(step, column, (), centre + scale * means[:, None], of_means, deviations)


def _of_category(
    step: ThirdStep, column: Column, codes: IntArray, values: tuple[Scalar, ...]
) -> OutcomeRelation:
    x, covariance, sizes = _estimated(step, _Category(np.eye(len(values))[codes]))
    # The last probability is one minus the others: its row of the transformation is minus their sum.
    probs, n_free = np.column_stack((x, 1 - x.sum(axis=1))), len(values) - 1
    whole = np.kron(np.eye(len(x)), np.vstack((np.eye(n_free), -np.ones(n_free))))
    covariance = whole @ covariance @ whole.T
    if step.method == "ml":
        # Estimates on the boundary have no standard error.
        flagged = (np.minimum(probs, 1 - probs) * sizes[:, None] < LEAST_ROWS).ravel()
        covariance[flagged] = covariance[:, flagged] = np.nan
    return _relation(step, column, values, probs, covariance, np.full(len(x), np.nan))


def _estimated(step: ThirdStep, outcome: _Number | _Category) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Estimate the parameters of an outcome: in closed form by BCH, by EM for ML.

    Returns them, shape (n_components, n_parameters), their covariance, component by component, and the number
    of rows of each component.
    """

    def shares_at(x: FloatArray, errors: FloatArray, class_probs: FloatArray) -> FloatArray:
        return step.shares(np.log(np.maximum(class_probs, 1e-300)) + outcome.log_densities(x), errors)

    def scores(flat: FloatArray, errors: FloatArray, class_probs: FloatArray) -> FloatArray:
        x = flat.reshape(len(class_probs), -1)
        shares = shares_at(x, errors, class_probs)
        return (shares[:, :, None] * outcome.gaps(x)).reshape(len(shares), -1)

    first, weights = (step.assignment.errors, step.assignment.mixture.class_probs), step.weights[:, None]
    x = outcome.moments(step.assignment.shares[step.used] * weights)
    for _ in range(MAX_STEPS):
        before, x = x, outcome.moments(shares_at(x, *first) * weights)
        # The weights of BCH do not depend on the parameters.
        if step.method == "bch" or np.abs(x - before).max() <= ENOUGH:
            break
    return x, step.covariance(scores, x.ravel()), step.weights @ shares_at(x, *first)


def _relation(
    step: ThirdStep,
    column: Column,
    values: tuple[Scalar, ...],
    estimates: FloatArray,
    covariance: FloatArray,
    deviations: FloatArray,
) -> OutcomeRelation:
    n_others, n_each = len(estimates) - 1, estimates.shape[1]
    # The test compares each class with the first; the last value is determined by the others.
    contrast = np.kron(
        np.column_stack((-np.ones(n_others), np.eye(n_others))), np.eye(n_each)[: max(n_each - 1, 1)]
    )
    return OutcomeRelation(
        column.name,
        values,
        estimates,
        covariance,
        deviations,
        WaldTest.of(contrast @ estimates.ravel(), contrast @ covariance @ contrast.T),
        step.description,
        int(step.used.sum()),
        int((~step.used).sum()),
    )


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class InactiveProfile(Shown):
    """Profile of a column by component.

    Attributes
    ----------
    name : str
        Name of the column.
    values : tuple
        Its values; empty if it is numeric.
    profile : array of shape (n_components + 1, n_values) or (n_components + 1, 2)
        Share of each value, or mean and standard deviation, in each component and, in the last row, in all.
    n_left_out : int
        Number of rows in which the column is missing.
    """

    name: str
    values: tuple[Scalar, ...]
    profile: FloatArray
    n_left_out: int

    def _title(self) -> str:
        return f"InactiveProfile: {self.name} in {counted(len(self.profile) - 1, 'class')}"

    def _blocks(self) -> list[Block]:
        names = [str(value) for value in self.values] or ["mean", "standard deviation"]
        labels = [*(f"class {k + 1}" for k in range(len(self.profile) - 1)), "all"]
        rows = [[label, *(f"{p:.3f}" for p in own)] for label, own in zip(labels, self.profile, strict=True)]
        return [Grid("", ["class", *names], rows), *left_out(self.n_left_out, "a value")]


def inactive_profile(
    shares: FloatArray, weights: FloatArray | None, column: Column, kind: ColumnKind = "auto"
) -> InactiveProfile:
    """Describe a column component by component.

    The rows have these shares of the components and these weights; the kind is one of
    :meth:`codelength.FiniteMixture.inactive_profiles`.

    Examples
    --------
    >>> from codelength.table.column import Numbers
    >>> age = Numbers("age", np.array([20.0, 30.0, np.nan]))
    >>> inactive_profile(np.array([[1, 0], [0.5, 0.5], [0, 1]]), None, age).profile[:, 0].round(2)
    array([23.33, 30.  , 25.  ])
    """
    given = np.ones(len(shares)) if weights is None else weights
    present = rows_used(f"column {shown(column.name)}", ~column.missing, given)
    # A last column of ones: the profile of all rows is computed along with those of the components.
    everyone = np.column_stack((shares, np.ones(len(shares))))
    weighted = (everyone * given[:, None])[present]
    sizes, n_left_out = np.maximum(weighted.sum(axis=0), 1e-300)[:, None], int((~present).sum())
    if is_numeric(column, kind):
        y = column.numbers[present, None]
        means = weighted.T @ y / sizes
        squares = (weighted * (y - means.T) ** 2).sum(axis=0)[:, None] / sizes
        return InactiveProfile(column.name, (), np.hstack((means, np.sqrt(squares))), n_left_out)
    codes, values = codes_of(column)
    profile = weighted.T @ np.eye(len(values))[codes[present]] / sizes
    return InactiveProfile(column.name, values, profile, n_left_out)
