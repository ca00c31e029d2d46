r"""Bias-adjusted three-step estimation of relations to other variables, with the components kept fixed.

The mixture is fitted (step 1), rows are assigned to components (step 2, :mod:`.assignment`), and the
assignments are related to the variable with a correction for their errors *D* (step 3), by one of two methods
[1]_ [2]_:

===========  ========================================================================================
method       step 3
===========  ========================================================================================
``"ml"``     maximises :math:`\sum_n w_n \log \sum_t P(t \mid z_n)\, f(y_n \mid t)\, D_{t s_n}`
``"bch"``    weighs row *n* by :math:`(A D^{-1})_{nt}` in component *t*, as if it were there
===========  ========================================================================================

ML assumes that a numeric outcome is normal within components; BCH assumes nothing, but its weights may be
negative, and so may a probability. For outcomes the class shares :math:`P(t)` are those of step 1.

Standard errors are sandwiches of the estimating equations of step 3. If the covariance of step 1 is given,
they include its uncertainty [3]_: with *J* and *C* the derivatives of the equations by the parameters of
steps 3 and 1, it adds :math:`J^{-1} C \Sigma_1 C^T J^{-T}`.

Order of reading: :class:`ThirdStep` (rows, estimating equations and their covariance),
:func:`relate_covariates`; then :mod:`.outcomes`. Depends on :mod:`.assignment`, ``columns`` and
:mod:`codelength.latent.inference.design`.

References
----------
.. [1] Vermunt (2010). Latent class modeling with covariates: two improved three-step approaches. Political
       Analysis 18.
.. [2] Bakk, Tekle and Vermunt (2013). Estimating the association between latent class membership and external
       variables using bias-adjusted three-step approaches. Sociological Methodology 43.
.. [3] Bakk, Oberski and Vermunt (2014). Relating latent class assignments to external continuous and
       categorical variables. Political Analysis 22.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp, softmax

from ...table.checks import check_choice
from ...typing import BoolArray, FloatArray
from ..inference.coordinates import softmax_slopes
from ..inference.design import Weighting, sampling_units, spread_of_sums
from ..inference.information import StandardErrors
from .assignment import Assignment
from .columns import Design, Logit, rows_used
from .results import CovariateRelation

Method = Literal["ml", "bch"]

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


@dataclass(frozen=True, eq=False, slots=True)
class ThirdStep:
    """Step 3 for the rows in which the related variable is observed.

    Attributes
    ----------
    assignment, method, first_step, sampling
        As in :func:`relate_covariates`.
    used : array of shape (n_rows,)
        Mask of the rows used.
    weights, assigned : arrays of shape (n_used,) and (n_used, n_components)
        Their weights and assignment.
    """

    assignment: Assignment
    used: BoolArray
    weights: FloatArray
    assigned: FloatArray
    method: Method
    first_step: StandardErrors | None
    sampling: Sampling

    @classmethod
    def of(
        cls,
        assignment: Assignment,
        what: str,
        is_present: BoolArray,
        method: Method,
        first_step: StandardErrors | None,
        sampling: Sampling | None,
    ) -> "ThirdStep":
        """Select the rows; raise if there are none, or if they are not those of the mixture."""
        used = rows_used(what, is_present, assignment.weights)
        weights, assigned = assignment.weights[used], assignment.assigned[used]
        return cls(assignment, used, weights, assigned, method, first_step, sampling or Sampling())

    @property
    def description(self) -> str:
        """The method of estimation in words."""
        return f"three steps ({self.method.upper()}, {self.assignment.rule} assignment)"

    def shares(self, logits: FloatArray, errors: FloatArray) -> FloatArray:
        """Compute the shares of the components in each row.

        These are posterior probabilities for ML, and weights for BCH. The logits are log odds of the
        components before the assignment is known; BCH does not use them.
        """
        if self.method == "bch":
            # The pseudo-inverse also handles components that the assignment cannot distinguish.
            return np.asarray(self.assigned @ np.linalg.pinv(errors))
        found = np.zeros_like(self.assigned)
        for s, rows, own in self._groups():
            joint = softmax(logits[rows], axis=1) * errors[:, s]
            found[rows] += own[:, None] * joint / joint.sum(axis=1, keepdims=True)
        return found

    def log_likelihood(self, log_probs: FloatArray) -> float:
        """Compute the objective from the log probabilities of the components in each row."""
        errors = self.assignment.errors
        if self.method == "bch":
            # BCH maximises a weighted log-likelihood with fixed, possibly negative, weights.
            return float(self.weights @ (self.shares(log_probs, errors) * log_probs).sum(axis=1))
        with np.errstate(divide="ignore"):
            return sum(
                float((self.weights[rows] * own) @ logsumexp(log_probs[rows] + np.log(errors[:, s]), axis=1))
                for s, rows, own in self._groups()
            )

    def _groups(self) -> list[tuple[int, Any, FloatArray]]:
        """Return each component, the rows assigned to it and their shares."""
        places = [np.flatnonzero(own) for own in self.assigned.T]
        return [(s, rows, self.assigned[rows, s]) for s, rows in enumerate(places)]

    def _total(self, scores: Scores, x: FloatArray) -> FloatArray:
        """Sum the estimating equations over the rows."""
        return self.weights @ scores(x, self.assignment.errors, self.assignment.mixture.class_probs)

    def polished(self, scores: Scores, x: FloatArray) -> FloatArray:
        """Make a few steps of Newton's method, as long as they bring the equations nearer to zero."""
        here = self._total(scores, x)
        for _ in range(10):
            # Least squares, because equations of a component on the boundary may be singular.
            slopes = _jacobian(lambda at: self._total(scores, at), x)
            step = np.linalg.lstsq(slopes, here, rcond=None)[0]
            there = self._total(scores, x - step)
            if not np.abs(there).max(initial=0.0) < np.abs(here).max(initial=0.0):
                break
            x, here = x - step, there
        return x

    def covariance(self, scores: Scores, x: FloatArray) -> FloatArray:
        """Compute the sandwich at the solution, with the uncertainty of step 1 if its covariance is given."""
        errors, class_probs = self.assignment.errors, self.assignment.mixture.class_probs
        spread = self._spread(scores(x, errors, class_probs))
        if self.first_step is not None:
            spread = spread + self._of_first_step(self.first_step, scores, x)
        bread = np.linalg.pinv(_jacobian(lambda at: self._total(scores, at), x))
        return np.asarray(bread @ spread @ bread.T)

    def _spread(self, scores: FloatArray) -> FloatArray:
        """Compute the covariance of the sum of the weighted scores."""
        clusters, strata, weights = self.sampling.clusters, self.sampling.strata, self.weights
        if clusters is None and strata is None:
            # A count of w stands for w independent rows, whose variances add up; a relative weight w
            # multiplies one row, and its square the variance.
            factors = weights if self.sampling.weighting == "counts" else weights**2
            return np.asarray((scores * factors[:, None]).T @ scores)
        everywhere = np.where(self.used, self.assignment.weights, 0.0)
        _, groups, of_groups = sampling_units(clusters, strata, everywhere)
        sums = np.zeros((len(of_groups), scores.shape[1]))
        np.add.at(sums, groups[self.used], scores * weights[:, None])
        return spread_of_sums([sums], scores.shape[1], of_groups)

    def _of_first_step(self, first_step: StandardErrors, scores: Scores, x: FloatArray) -> FloatArray:
        """Compute the part of the covariance that comes from the estimates of step 1."""
        errors, class_probs = self.assignment.errors, self.assignment.mixture.class_probs
        coordinates, covariance = first_step.coordinates, first_step.covariance
        known = ~np.isnan(np.diagonal(covariance))
        of_errors = self.assignment.error_slopes(coordinates).reshape(errors.size, -1)
        of_classes = np.zeros((len(class_probs), coordinates.n_free))
        free = coordinates.free_classes
        of_classes[:, : len(free)] = softmax_slopes(class_probs)[:, free]

        def total(flat: FloatArray) -> FloatArray:
            own, shares = flat[: errors.size].reshape(errors.shape), flat[errors.size :]
            return self.weights @ scores(x, own, shares)

        # Chain rule: equations by errors and class shares (numerically), times those by the logits (exactly).
        slopes = _jacobian(total, np.concatenate((errors.ravel(), class_probs)))
        through = (slopes @ np.vstack((of_errors, of_classes)))[:, known]
        return np.asarray(through @ covariance[np.ix_(known, known)] @ through.T)


def _jacobian(function: Callable[[FloatArray], FloatArray], x: FloatArray) -> FloatArray:
    """Compute derivatives by central differences, shape (n_equations, n_parameters)."""
    columns = []
    for i, place in enumerate(x.tolist()):
        # About the cube root of the rounding error, which balances it against truncation.
        step = np.zeros(len(x))
        step[i] = 1e-5 * max(1.0, abs(place))
        columns.append((function(x + step) - function(x - step)) / (2 * step[i]))
    return np.stack(columns, axis=1)


def relate_covariates(
    assignment: Assignment,
    design: Design,
    method: Method = "ml",
    *,
    reference: int = 0,
    first_step: StandardErrors | None = None,
    sampling: Sampling | None = None,
) -> CovariateRelation:
    """Estimate the effects of covariates on the component.

    Parameters are those of :meth:`codelength.FiniteMixture.relate_covariates`, with the rows assigned already
    and the covariates as a design matrix. ``first_step`` are standard errors of the mixture, to include its
    uncertainty, for modal assignments only.
    """
    check_choice("method", method, Method)
    step = ThirdStep.of(assignment, "covariates", design.is_complete, method, first_step, sampling)
    mixture, total = assignment.mixture, float(step.weights.sum())
    logit = Logit.of(design, step.used, reference, mixture.n_components)

    def scores(x: FloatArray, errors: FloatArray, class_probs: FloatArray) -> FloatArray:
        # The class shares do not enter: each row has its own, from its covariates.
        logits = logit.logits(x)
        return logit.scores(step.shares(logits, errors) - softmax(logits, axis=1))

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        value = step.log_likelihood(log_softmax(logit.logits(x), axis=1))
        gradient = step.weights @ scores(x, assignment.errors, mixture.class_probs)
        # Per row, so that the tolerance of the gradient does not depend on the number of rows.
        return -value / total, -gradient / total

    # BFGS needs the gradient only; it stops short of full precision, which the Newton steps after it reach.
    options = {"gtol": 1e-8, "maxiter": 2000}
    start = logit.start(mixture.class_probs).ravel()
    found = minimize(loss, start, jac=True, method="BFGS", options=options)
    x = step.polished(scores, found.x)
    log_likelihood = -float(found.fun) * total if method == "ml" else float("nan")
    return logit.relation(x, step.covariance(scores, x), step.description, log_likelihood)
