"""Results of relating components to other variables, with standard errors and tests.

Contains :class:`WaldTest`, :class:`CovariateRelation` and :class:`OutcomeRelation`, which the other modules
of this folder make. Depends on :mod:`codelength.latent.inference` for levels of confidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri

from ..._display import Shown, counted
from ...blocks import Block, Facts, Grid
from ...typing import FloatArray, Scalar
from ..inference.information import with_error
from ..inference.intervals import check_level


class WaldTest(NamedTuple):
    """Chi-squared test that some parameters are zero."""

    statistic: float
    degrees_of_freedom: int
    p_value: float

    @classmethod
    def of(cls, estimates: FloatArray, covariance: FloatArray) -> "WaldTest":
        """Test all estimates at once; directions without variance are dropped.

        The test is NaN if the covariance is not finite.

        Examples
        --------
        >>> round(WaldTest.of(np.array([1.96]), np.array([[1.0]])).p_value, 3)
        0.05
        """
        if not np.isfinite(covariance).all():
            return cls(float("nan"), len(estimates), float("nan"))
        values, vectors = np.linalg.eigh(covariance)
        # Eigenvectors instead of an inverse: linearly dependent estimates reduce the degrees of freedom.
        kept = values > 1e-12 * max(float(values.max(initial=0.0)), 1e-300)
        statistic = float((((vectors.T @ estimates)[kept]) ** 2 / values[kept]).sum())
        return cls(statistic, int(kept.sum()), float(chdtrc(int(kept.sum()), statistic)))


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class CovariateRelation(Shown):
    """Multinomial logit of the component on covariates.

    Attributes
    ----------
    names : tuple of str
        Names of the coefficients, the intercept first.
    coefficients : array of shape (n_components, n_coefficients)
        Log odds of each component against the reference, whose coefficients are zero.
    covariance : array of shape (n_components * n_coefficients,) * 2
        Covariance of the coefficients, component by component; zero for the reference.
    tests : dict of str to WaldTest
        Test of no effect, by covariate.
    reference : int
        The component that the others are compared with.
    method : str
        Method of estimation.
    n_used, n_left_out : int
        Number of rows used, and of rows that lack a covariate.
    log_likelihood : float
        The objective at the coefficients; NaN if the method has none.

    Examples
    --------
    >>> coefficients, covariance = np.array([[0.0, 0.0], [1.0, 0.5]]), np.diag([0.0, 0.0, 0.04, 0.01])
    >>> relation = CovariateRelation(
    ...     ("intercept", "age"), coefficients, covariance, {}, 0, "one-step", 100, 0, -60.0
    ... )
    >>> relation.errors[1], relation.against(1).coefficients[0]
    (array([0.2, 0.1]), array([-1. , -0.5]))
    """

    names: tuple[str, ...]
    coefficients: FloatArray
    covariance: FloatArray
    tests: dict[str, WaldTest]
    reference: int
    method: str
    n_used: int
    n_left_out: int
    log_likelihood: float

    @property
    def errors(self) -> FloatArray:
        """Standard errors of the coefficients; zero for the reference."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)).reshape(self.coefficients.shape))

    @property
    def p_values(self) -> FloatArray:
        """Two-sided p-values of the coefficients; NaN for the reference."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(2 * ndtr(-np.abs(self.coefficients / self.errors)))

    def bounds(self, level: float = 0.95) -> FloatArray:
        """Compute lower and upper bounds, shape (2, n_components, n_coefficients)."""
        width = ndtri((1 + check_level(level)) / 2) * self.errors
        return np.stack((self.coefficients - width, self.coefficients + width))

    def against(self, reference: int) -> "CovariateRelation":
        """Return the same relation with another component, counted from 0, as the reference."""
        n_components, n_each = self.coefficients.shape
        # Log odds against another class are differences of log odds; the covariance follows by the same
        # transform.
        shift = np.eye(n_components)
        shift[:, reference] -= 1
        whole = np.kron(shift, np.eye(n_each))
        return replace(
            self,
            coefficients=self.coefficients - self.coefficients[reference],
            covariance=whole @ self.covariance @ whole.T,
            reference=reference,
        )

    def _title(self) -> str:
        what = f"log odds against class {self.reference + 1}"
        return f"CovariateRelation: {what}, by {self.method}, {counted(self.n_used, 'row')}"

    def _blocks(self) -> list[Block]:
        rows, errors, p_values = [], self.errors, self.p_values
        for k in np.delete(np.arange(len(self.coefficients)), self.reference):
            for j, name in enumerate(self.names):
                cells = [f"{self.coefficients[k, j]:.3f}", f"{errors[k, j]:.3f}", _p_text(p_values[k, j])]
                rows.append(["" if j else f"class {k + 1}", name, *cells])
        grid = Grid("", ["class", "covariate", "log odds", "standard error", "p"], rows, n_text=2)
        tests = [[name, *_test_cells(test)] for name, test in self.tests.items()]
        found: list[Block] = [grid]
        if tests:
            found.append(Grid("no effect at all", ["covariate", "Wald", "df", "p"], tests))
        return [*found, *left_out(self.n_left_out, "a covariate")]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class OutcomeRelation(Shown):
    """Distribution or mean of an outcome by component.

    Attributes
    ----------
    name : str
        Name of the outcome.
    values : tuple
        Its values; empty if it is numeric.
    estimates : array of shape (n_components, n_values) or (n_components, 1)
        Probability of each value in each component, or the mean.
    covariance : array of shape (n_estimates, n_estimates)
        Covariance of the estimates, component by component.
    deviations : array of shape (n_components,)
        Standard deviation of a number in each component; NaN for categories.
    test : WaldTest
        Test that the outcome does not depend on the component.
    method : str
        Method of estimation.
    n_used, n_left_out : int
        Number of rows used, and of rows that lack the outcome.
    """

    name: str
    values: tuple[Scalar, ...]
    estimates: FloatArray
    covariance: FloatArray
    deviations: FloatArray
    test: WaldTest
    method: str
    n_used: int
    n_left_out: int

    @property
    def errors(self) -> FloatArray:
        """Standard errors of the estimates; NaN if an estimate lies on the boundary."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sqrt(np.diagonal(self.covariance)).reshape(self.estimates.shape))

    def bounds(self, level: float = 0.95) -> FloatArray:
        """Compute lower and upper bounds, shape (2, ...); those of probabilities are clipped to 0 and 1."""
        width = ndtri((1 + check_level(level)) / 2) * self.errors
        both = np.stack((self.estimates - width, self.estimates + width))
        # BCH estimates may lie outside 0 and 1, where a logit does not exist: plain bounds, clipped.
        return np.clip(both, 0.0, 1.0) if self.values else both

    def difference(self, first: int, second: int) -> tuple[FloatArray, FloatArray, WaldTest]:
        """Compute the difference of two components.

        Parameters
        ----------
        first, second : int
            The components, counted from 0.

        Returns
        -------
        gap, errors : arrays of shape (n_values,)
            Differences of the estimates, and their standard errors.
        test : WaldTest
            Test that the two are equal.

        Examples
        --------
        >>> means, covariance = np.array([[1.0], [3.0]]), np.diag([0.5, 0.5])
        >>> relation = OutcomeRelation(
        ...     "age", (), means, covariance, np.ones(2), WaldTest(4.0, 1, 0.0455), "three-step", 50, 0
        ... )
        >>> gap, errors, test = relation.difference(0, 1)
        >>> gap, errors, round(test.p_value, 4)
        (array([-2.]), array([1.]), 0.0455)
        """
        n_components, n_each = self.estimates.shape
        contrast = np.kron(np.eye(n_components)[first] - np.eye(n_components)[second], np.eye(n_each))
        gap, spread = contrast @ self.estimates.ravel(), contrast @ self.covariance @ contrast.T
        with np.errstate(invalid="ignore"):
            errors = np.sqrt(np.diagonal(spread))
        return gap, errors, WaldTest.of(gap, spread)

    def _title(self) -> str:
        what = "probabilities" if self.values else "means"
        return f"OutcomeRelation: {what} of {self.name}, by {self.method}, {counted(self.n_used, 'row')}"

    def _blocks(self) -> list[Block]:
        names = [str(value) for value in self.values] or ["mean"]
        rows = []
        for k, (estimates, errors) in enumerate(zip(self.estimates, self.errors, strict=True)):
            cells = map(with_error, estimates, errors)
            rows.append([f"class {k + 1}", *cells, *([] if self.values else [f"{self.deviations[k]:.3f}"])])
        heads = ["class", *names, *([] if self.values else ["standard deviation"])]
        statistic, degrees, p_value = _test_cells(self.test)
        facts = Facts([("equal in all classes", f"Wald {statistic}, df {degrees}, p {p_value}")])
        return [Grid("", heads, rows), facts, *left_out(self.n_left_out, "the outcome")]


def left_out(n_rows: int, what: str) -> Sequence[Block]:
    """Return a line on the number of rows that could not be used."""
    return [Facts([(f"rows left out, without {what}", str(n_rows))])] if n_rows else []


def _p_text(p_value: float) -> str:
    return "" if np.isnan(p_value) else f"{p_value:.3g}"


def _test_cells(test: WaldTest) -> tuple[str, str, str]:
    return f"{test.statistic:.2f}", str(test.degrees_of_freedom), _p_text(test.p_value)
