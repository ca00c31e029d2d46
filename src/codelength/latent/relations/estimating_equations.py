"""Step 3 of three-step estimation: the rows used, and sandwich covariances of estimating equations."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import logsumexp, softmax

from ...errors import DataError, InvalidParameter
from ...table.checks import check_choice
from ...typing import BoolArray, FloatArray
from ..inference.design import sampling_units
from ..inference.information import StandardErrors
from .assignment import Assignment

Method = Literal["ml", "bch"]
Weighting = Literal["counts", "relative"]

Scores: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
"""Function from the parameters, the errors and the class shares to the estimating equations of each row."""


@dataclass(frozen=True, eq=False, slots=True)
class Sampling:
    """Sampling design, for standard errors.

    Attributes
    ----------
    weighting : {"counts", "relative"}
        Meaning of a weight: number of equal rows, or relative weight of a row that was drawn once.
    clusters, strata : arrays of shape (n_rows,), optional
        As in :func:`codelength.latent.inference.design_standard_errors`.
    """

    weighting: Weighting = "counts"
    clusters: Any = None
    strata: Any = None

    def spread(self, scores: FloatArray, weights: FloatArray, used: BoolArray) -> FloatArray:
        """Compute the covariance of the sum of the weighted scores of the rows used."""
        check_choice("weighting", self.weighting, Weighting)
        if self.clusters is None and self.strata is None:
            # A count of w stands for w independent rows, whose variances add up; a relative weight w
            # multiplies one row, and its square the variance.
            factors = weights if self.weighting == "counts" else weights**2
            return np.asarray((scores * factors[:, None]).T @ scores)
        everywhere = np.zeros(len(used))
        everywhere[used] = weights
        _, groups, of_groups = sampling_units(self.clusters, self.strata, everywhere)
        kept = groups[used] >= 0
        sums = np.zeros((len(of_groups), scores.shape[1]))
        np.add.at(sums, groups[used][kept], (scores * weights[:, None])[kept])
        total = np.zeros((scores.shape[1],) * 2)
        for stratum in np.unique(of_groups):
            own = sums[of_groups == stratum]
            centred = own - own.mean(axis=0)
            total += len(own) / (len(own) - 1) * (centred.T @ centred)
        return total


@dataclass(frozen=True, eq=False, slots=True)
class ThirdStep:
    """Rows of step 3: those in which the related variable is observed."""

    used: BoolArray
    weights: FloatArray
    assigned: FloatArray
    errors: FloatArray

    @classmethod
    def of(cls, assignment: Assignment, has_all: BoolArray, what: str) -> "ThirdStep":
        """Select the rows; raise if there are none, or if they are not those of the mixture."""
        if has_all.shape != (assignment.rows.n_rows,):
            raise DataError(
                f"{what}: {len(has_all)} rows, and the mixture was fitted to {assignment.rows.n_rows}; "
                "give the same rows in the same order"
            )
        used = has_all & (assignment.weights > 0)
        if not used.any():
            raise DataError(f"{what}: missing in every row; there is nothing to relate the classes to")
        return cls(used, assignment.weights[used], assignment.assigned[used], assignment.errors)

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.weights.sum())

    def shares(self, method: Method, logits: FloatArray, errors: FloatArray) -> FloatArray:
        """Compute the shares of the components in each row.

        Parameters
        ----------
        method : {"ml", "bch"}
            Posterior probabilities of ML, or weights of BCH.
        logits : array of shape (n_rows, n_components)
            Log odds of the components before the assignment is known; not used by BCH.
        errors : array of shape (n_components, n_components)
            Errors of the assignment.
        """
        if method == "bch":
            # The pseudo-inverse also handles components that the assignment cannot distinguish.
            return np.asarray(self.assigned @ np.linalg.pinv(errors))
        found = np.zeros_like(self.assigned)
        for s, (rows, own) in enumerate(self._groups()):
            joint = softmax(logits[rows], axis=1) * errors[:, s]
            found[rows] += own[:, None] * joint / joint.sum(axis=1, keepdims=True)
        return found

    def log_likelihood(self, log_probs: FloatArray) -> float:
        """Compute the objective of ML from log probabilities of components (and outcomes) in each row."""
        total = 0.0
        for s, (rows, own) in enumerate(self._groups()):
            with np.errstate(divide="ignore"):
                logs = logsumexp(log_probs[rows] + np.log(self.errors[:, s]), axis=1)
            total += float((self.weights[rows] * own) @ logs)
        return total

    def _groups(self) -> list[tuple[Any, FloatArray]]:
        """Return, for each component, the rows assigned to it and their shares."""
        places = [np.flatnonzero(own) for own in self.assigned.T]
        return [(rows, self.assigned[rows, s]) for s, rows in enumerate(places)]

    def polished(self, scores: Scores, x: FloatArray, assignment: Assignment) -> FloatArray:
        """Make a few steps of Newton's method, as long as they bring the equations nearer to zero."""
        fixed = (assignment.errors, assignment.mixture.class_probs)

        def total(at: FloatArray) -> FloatArray:
            return np.asarray(self.weights @ scores(at, *fixed))

        here = total(x)
        for _ in range(10):
            # Least squares, because equations of a component on the boundary may be singular.
            step = np.linalg.lstsq(jacobian(total, x), here, rcond=None)[0]
            there = total(x - step)
            if not np.abs(there).max(initial=0.0) < np.abs(here).max(initial=0.0):
                break
            x, here = x - step, there
        return x

    def covariance(
        self,
        scores: Scores,
        x: FloatArray,
        assignment: Assignment,
        first_step: StandardErrors | None,
        sampling: Sampling | None,
    ) -> FloatArray:
        """Compute the sandwich, including the uncertainty of step 1 if its covariance is given.

        Parameters
        ----------
        scores : callable
            Estimating equations of each row.
        x : array of shape (n_parameters,)
            Their solution.
        assignment : Assignment
            Steps 1 and 2.
        first_step : StandardErrors, optional
            Standard errors of step 1.
        sampling : Sampling, optional
            Sampling design.
        """
        errors, class_probs = assignment.errors, assignment.mixture.class_probs
        slopes = jacobian(lambda at: self.weights @ scores(at, errors, class_probs), x)
        rows = scores(x, errors, class_probs)
        spread = (sampling or Sampling()).spread(rows, self.weights, self.used)
        if first_step is not None:
            spread = spread + self._of_first_step(scores, x, assignment, first_step)
        bread = np.linalg.pinv(slopes)
        return np.asarray(bread @ spread @ bread.T)

    def _of_first_step(
        self, scores: Scores, x: FloatArray, assignment: Assignment, first_step: StandardErrors
    ) -> FloatArray:
        if assignment.rule != "modal":
            raise InvalidParameter(
                'first_step: the uncertainty of the mixture can be carried on with rule="modal" only'
            )
        errors, class_probs = assignment.errors, assignment.mixture.class_probs
        coordinates, covariance = first_step.coordinates, first_step.covariance
        known = ~np.isnan(np.diagonal(covariance))
        of_errors = assignment.error_slopes(coordinates).reshape(errors.size, -1)
        of_classes = np.zeros((len(class_probs), coordinates.n_free))
        free = coordinates.free_classes
        of_classes[:, : len(free)] = -np.outer(class_probs, class_probs[free])
        of_classes[free, np.arange(len(free))] += class_probs[free]

        def total(flat: FloatArray) -> FloatArray:
            own, shares = flat[: errors.size].reshape(errors.shape), flat[errors.size :]
            return np.asarray(self.weights @ scores(x, own, shares))

        # Chain rule: equations by errors and class shares (numerically), times those by the logits (exactly).
        slopes = jacobian(total, np.concatenate((errors.ravel(), class_probs)))
        through = (slopes @ np.vstack((of_errors, of_classes)))[:, known]
        return np.asarray(through @ covariance[np.ix_(known, known)] @ through.T)


def jacobian(function: Callable[[FloatArray], FloatArray], x: FloatArray) -> FloatArray:
    """Compute derivatives by central differences, shape (n_equations, n_parameters)."""
    columns = []
    for i in range(len(x)):
        # About the cube root of the rounding error, which balances it against truncation.
        width = 1e-5 * max(1.0, abs(float(x[i])))
        up, down = x.copy(), x.copy()
        up[i] += width
        down[i] -= width
        columns.append((function(up) - function(down)) / (2 * width))
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0))


def spelled(method: Method, assignment: Assignment) -> str:
    """Return the method of estimation in words."""
    return f"three steps ({method.upper()}, {assignment.rule} assignment)"
