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

References
----------
.. [1] Vermunt (2010). Latent class modeling with covariates: two improved three-step approaches. Political
       Analysis 18.
.. [2] Bakk, Tekle and Vermunt (2013). Estimating the association between latent class membership and external
       variables using bias-adjusted three-step approaches. Sociological Methodology 43.
.. [3] Bakk, Oberski and Vermunt (2014). Relating latent class assignments to external continuous and
       categorical variables. Political Analysis 22.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from ...errors import InvalidParameter
from ...table.checks import check_choice
from ...table.column import Column
from ...typing import FloatArray
from ..inference.information import StandardErrors
from .assignment import Assignment
from .columns import ColumnKind, Design, check_rank, free_components, is_numeric, scaled_back, scales
from .estimating_equations import Method, Sampling, ThirdStep, spelled
from .outcomes import categorical_outcome, numeric_outcome
from .results import CovariateRelation, OutcomeRelation, covariate_tests


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

    Parameters
    ----------
    assignment : Assignment
        The rows, assigned to components.
    design : Design
        The covariates of the same rows; see :func:`codelength.latent.relations.covariate_matrix`. Rows that
        lack one are dropped in step 3.
    method : {"ml", "bch"}
        Correction for the errors of the assignment.
    reference : int
        The component that the others are compared with, counted from 0.
    first_step : StandardErrors, optional
        Standard errors of the mixture, to include its uncertainty; with modal assignments only.
    sampling : Sampling, optional
        Meaning of weights, clusters and strata.

    Returns
    -------
    CovariateRelation
        The coefficients, with standard errors and tests.
    """
    check_choice("method", method, Method)
    step = ThirdStep.of(assignment, ~design.missing, "covariates")
    n_components = assignment.mixture.n_components
    free = free_components(reference, n_components)
    centre, scale = scales(design.matrix[step.used])
    matrix = (design.matrix[step.used] - centre) / scale
    check_rank(design, matrix)
    logit = _Logit(step, assignment, matrix, free, method)
    # BFGS needs the gradient only; it stops short of full precision, which the Newton steps after it reach.
    found = minimize(
        logit.loss,
        logit.start(reference).ravel(),
        jac=True,
        method="BFGS",
        options={"gtol": 1e-8, "maxiter": 2000},
    )
    x = step.polished(logit.scores, found.x, assignment)
    covariance = step.covariance(logit.scores, x, assignment, first_step, sampling)
    coefficients, spread = scaled_back(logit.shaped(x), covariance, free, n_components, centre, scale)
    return CovariateRelation(
        design.names,
        coefficients,
        spread,
        covariate_tests(design.names, design.groups, coefficients, spread, free),
        reference,
        spelled(method, assignment),
        int(step.used.sum()),
        int((~step.used).sum()),
        -float(found.fun) * step.total if method == "ml" else float("nan"),
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Logit:
    """Multinomial logit of the component on standardised covariates, with assignments in its place.

    Attributes
    ----------
    step : ThirdStep
        The rows used.
    assignment : Assignment
        Steps 1 and 2.
    matrix : array of shape (n_rows, n_columns)
        Standardised covariates of the rows used.
    free : list of int
        Components other than the reference.
    method : {"ml", "bch"}
        Correction for the errors of the assignment.
    """

    step: ThirdStep
    assignment: Assignment
    matrix: FloatArray
    free: list[int]
    method: Method

    def start(self, reference: int) -> FloatArray:
        """Return coefficients without any effect: the intercepts give the class shares of step 1."""
        class_probs = self.assignment.mixture.class_probs
        start = np.zeros((len(self.free), self.matrix.shape[1]))
        start[:, 0] = np.log(np.maximum(class_probs[self.free], 1e-6))
        start[:, 0] -= np.log(max(float(class_probs[reference]), 1e-6))
        return start

    def shaped(self, x: FloatArray) -> FloatArray:
        """Return the parameters as coefficients, one line per free component."""
        return x.reshape(len(self.free), self.matrix.shape[1])

    def logits(self, x: FloatArray) -> FloatArray:
        """Compute the logits of the components of each row; zero for the reference."""
        found = np.zeros((len(self.matrix), len(self.free) + 1))
        found[:, self.free] = self.matrix @ self.shaped(x).T
        return found

    def scores(self, x: FloatArray, errors: FloatArray, class_probs: FloatArray) -> FloatArray:
        """Compute the estimating equations of each row; class shares do not enter them."""
        logits = self.logits(x)
        shares = self.step.shares(self.method, logits, errors)
        gaps = (shares - softmax(logits, axis=1))[:, self.free]
        return np.asarray((gaps[:, :, None] * self.matrix[:, None, :]).reshape(len(self.matrix), -1))

    def loss(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Compute the negative objective per row, and its gradient."""
        step, errors, logits = self.step, self.assignment.errors, self.logits(x)
        log_probs = logits - logsumexp(logits, axis=1, keepdims=True)
        if self.method == "ml":
            value = step.log_likelihood(log_probs)
        else:
            # BCH maximises a weighted log-likelihood with fixed, possibly negative, weights.
            shares = step.shares(self.method, log_probs, errors)
            value = float(step.weights @ (shares * log_probs).sum(axis=1))
        gradient = step.weights @ self.scores(x, errors, self.assignment.mixture.class_probs)
        # Per row, so that the tolerance of the gradient does not depend on the number of rows.
        return -value / step.total, -gradient / step.total


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

    Parameters
    ----------
    assignment : Assignment
        The rows, assigned to components.
    column : Column
        The outcome of the same rows. Rows that lack it are dropped in step 3.
    method : {"bch", "ml"}
        Correction for the errors of the assignment.
    kind : {"auto", "numeric", "categorical"}
        Kind of the outcome; by default columns of numbers are numeric.
    first_step, sampling
        As in :func:`relate_covariates`.

    Returns
    -------
    OutcomeRelation
        Means or probabilities by component, with standard errors and a test.
    """
    check_choice("method", method, Method)
    if assignment.mixture.n_components < 2:
        raise InvalidParameter(
            "there is one class only, so that no outcome can depend on it; fit two or more"
        )
    if is_numeric(column, kind):
        return numeric_outcome(assignment, column, method, first_step, sampling)
    return categorical_outcome(assignment, column, method, first_step, sampling)
