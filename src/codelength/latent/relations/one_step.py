r"""Latent class regression: covariates and components fitted in one step.

.. math:: P(x \mid z) = \sum_t \frac{\exp(\beta_t^T z)}{\sum_s \exp(\beta_s^T z)} \prod_i \phi_{t i x_i}

The class shares of a mixture become a multinomial logit of the covariates (Bandeen-Roche, Miglioretti, Zeger
and Rathouz 1997, JASA 92), as in poLCA. The E step includes the covariates, and the M step takes one
step of Newton's method for the coefficients. Unlike in three steps, the covariates influence the components.

Order of reading: :func:`fit_covariates`, ``_Problem`` (distinct rows and covariates: ``run`` is EM,
``_stepped`` one iteration, ``covariance`` the standard errors), :class:`OneStepModel` (the result).

Depends on :mod:`codelength.latent.inference.information` (curvature), ``columns`` (covariates as numbers) and
``results``.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.linalg import block_diag
from scipy.special import log_softmax, logsumexp, softmax

from ..._display import Shown, counted
from ...blocks import Block, Facts
from ...counts import expected_counts
from ...mixture.parameters import MixtureParameters, posterior_mode
from ...naive_bayes import PriorLike, Scorer, logarithm, pseudocounts
from ...table import Coded
from ...table.checks import check_choice
from ...table.coded import changed
from ...typing import FloatArray, IntArray
from ..inference.coordinates import Coordinates
from ..inference.information import inverse, multinomial_curvature
from .columns import Design, Logit, rows_used
from .results import CovariateRelation

MAX_ITER, TOL = 10_000, 1e-12
"""Iterations of EM, and the gain per row at which it ends."""

ROWS_AT_ONCE = 1024
"""Rows whose scores are held in memory together."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class OneStepModel(Shown):
    """A mixture whose class shares depend on covariates.

    Attributes
    ----------
    mixture : MixtureParameters
        Value probabilities, and class shares averaged over the rows.
    relation : CovariateRelation
        The coefficients.
    value_errors : array of shape (n_components, n_cells)
        Standard errors of the value probabilities; NaN on the boundary.
    log_likelihood : float
        Log-likelihood of the rows given their covariates, in nats.
    n_parameters : int
        Free parameters.
    n_iter : int
        Iterations of EM.
    converged : bool
        Whether EM converged.
    """

    mixture: MixtureParameters
    relation: CovariateRelation
    value_errors: FloatArray
    log_likelihood: float
    n_parameters: int
    n_iter: int
    converged: bool

    def _title(self) -> str:
        n_rows = counted(self.relation.n_used, "row")
        return f"OneStepModel: {counted(self.mixture.n_components, 'class')}, {n_rows}"

    def _blocks(self) -> list[Block]:
        facts = [
            ("log-likelihood", f"{self.log_likelihood:.3f}"),
            ("free parameters", str(self.n_parameters)),
            ("EM converged", "yes" if self.converged else "no"),
        ]
        return [Facts(facts), *self.relation._blocks()]


def fit_covariates(
    coded: Coded,
    mixture: MixtureParameters,
    design: Design,
    prior: PriorLike = "uniform",
    *,
    kind: Literal["observed", "empirical"] = "observed",
    reference: int = 0,
) -> OneStepModel:
    """Fit a mixture whose class shares depend on covariates.

    Parameters are those of :meth:`codelength.FiniteMixture.covariate_model`, with the covariates as a design
    matrix. EM starts from a mixture without covariates, under a prior whose pseudocounts are at least 1.
    """
    check_choice("kind", kind, ("observed", "empirical"))
    rows = mixture.coded(coded)
    weights = rows.row_weights
    used = rows_used("covariates", design.is_complete, weights)
    logit = Logit.of(design, used, reference, mixture.n_components)
    rows, matrix = _merged(rows.take(used), weights[used], logit.matrix)
    problem = _Problem(rows, replace(logit, matrix=matrix), prior)
    mixture, coefficients, trace, converged = problem.run(mixture)
    coordinates, covariance = problem.covariance(mixture, coefficients, kind)
    # Class shares depend on the covariates, and have no errors of their own.
    first, log_likelihood = len(coordinates.free_classes), trace[-1]
    n_values, method = coordinates.n_free - first, f"one step ({kind} information)"
    of_values = np.pad(covariance[:n_values, :n_values], (first, 0), constant_values=np.nan)
    return OneStepModel(
        coordinates.mixture,
        logit.relation(coefficients, covariance[n_values:, n_values:], method, log_likelihood),
        np.sqrt(coordinates.variances(of_values)[1]),
        log_likelihood,
        problem.n_parameters,
        len(trace),
        converged,
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Problem:
    """Distinct rows with their weights and covariates."""

    rows: Coded
    logit: Logit
    prior: PriorLike

    @property
    def weights(self) -> FloatArray:
        """Weights of the rows."""
        return self.rows.row_weights

    @property
    def n_parameters(self) -> int:
        """Number of free parameters: coefficients and value probabilities."""
        n_free = len(self.logit.free)
        of_each_component = int((self.rows.schema.n_values - 1).sum())
        return n_free * len(self.logit.scale) + (n_free + 1) * of_each_component

    def log_joint(self, mixture: MixtureParameters, coefficients: FloatArray) -> FloatArray:
        """Compute the log probability of each component and the cells of each row, given its covariates."""
        # Shares of 1 remove the components from the log tables: here they depend on the covariates of a row.
        tables = replace(mixture, class_probs=np.ones_like(mixture.class_probs)).log_tables()
        of_values = Scorer.of(self.rows.schema, tables).log_weights(self.rows)
        return np.asarray(of_values + log_softmax(self.logit.logits(coefficients), axis=1))

    def run(self, mixture: MixtureParameters) -> tuple[MixtureParameters, FloatArray, list[float], bool]:
        """Run EM from a mixture without covariates.

        Returns the end, its coefficients of the components but the reference, the log-likelihood after each
        iteration, and whether EM converged.
        """
        coefficients = self.logit.start(mixture.class_probs)
        spread = pseudocounts(self.prior, self.rows.schema)
        total, trace, before = float(self.weights.sum()), [], -np.inf
        excess = np.maximum(spread.value_pseudocounts - 1, 0)
        excess[:, self.rows.schema.offsets[1:] - 1] = 0
        for _ in range(MAX_ITER):
            joint = self.log_joint(mixture, coefficients)
            log_probs = logsumexp(joint, axis=1)
            trace.append(float(self.weights @ log_probs))
            logs = np.where(excess > 0, logarithm(mixture.value_probs), 0.0)
            # Convergence is judged by the log posterior, which EM increases; the trace reports the
            # log-likelihood.
            objective = trace[-1] + float((excess * logs).sum())
            if objective - before < TOL * total and before > -np.inf:
                return mixture, coefficients, trace, True
            before = objective
            shares = np.exp(joint - log_probs[:, None])
            mixture = posterior_mode(expected_counts(self.rows, shares), spread)
            coefficients = self._stepped(coefficients, shares)
        return mixture, coefficients, trace, False

    def _stepped(self, coefficients: FloatArray, shares: FloatArray) -> FloatArray:
        """Make one step of Newton's method, halved until it gains."""
        probs = softmax(self.logit.logits(coefficients), axis=1)
        gradient = self.weights @ self.logit.scores(shares - probs)
        # Least squares instead of solve: with separated classes the curvature may be singular.
        step = np.linalg.lstsq(self._curvature(probs), gradient, rcond=None)[0].reshape(coefficients.shape)
        before = self._gain(coefficients, shares)
        for halvings in range(30):
            there = coefficients + step / 2**halvings
            if self._gain(there, shares) >= before:
                return np.asarray(there)
        return coefficients

    def _gain(self, coefficients: FloatArray, shares: FloatArray) -> float:
        log_probs = log_softmax(self.logit.logits(coefficients), axis=1)
        return float(self.weights @ (shares * log_probs).sum(axis=1))

    def _curvature(self, probs: FloatArray) -> FloatArray:
        """Compute the information of the coefficients if the components are known."""
        matrix, free = self.logit.matrix, self.logit.free
        factors = {(r, s): self.weights * probs[:, r] * ((r == s) - probs[:, s]) for r in free for s in free}
        return np.block([[(matrix * factors[r, s][:, None]).T @ matrix for s in free] for r in free])

    def covariance(
        self, mixture: MixtureParameters, coefficients: FloatArray, kind: str
    ) -> tuple[Coordinates, FloatArray]:
        """Return the free values, and the covariance of their logits followed by the coefficients."""
        shares = softmax(self.log_joint(mixture, coefficients), axis=1)
        probs = softmax(self.logit.logits(coefficients), axis=1)
        averaged = self.weights @ shares / self.weights.sum()
        coordinates = Coordinates.of(replace(mixture, class_probs=averaged), float(self.weights.sum()))
        information, products = self._products(coordinates, shares, probs)
        if kind == "observed":
            counts = expected_counts(self.rows, shares).value_counts
            n_classes = len(coordinates.free_classes)
            complete = multinomial_curvature(coordinates, 0.0, counts)[n_classes:, n_classes:]
            # Louis (1982), as in ``inference.information``.
            information += block_diag(complete, self._curvature(probs)) - products
        return coordinates, inverse(information)[0]

    def _products(
        self, coordinates: Coordinates, shares: FloatArray, probs: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Sum the outer products of the scores of rows, and the expected ones of their complete scores."""
        starts = coordinates.starts - coordinates.starts[0]
        n_values, n_all = starts[-1], starts[-1] + len(self.logit.free) * len(self.logit.scale)
        outer, complete = np.zeros((n_all, n_all)), np.zeros((n_all, n_all))
        # In blocks, because the scores of all rows would take n_rows times n_parameters numbers.
        for low in range(0, len(shares), ROWS_AT_ONCE):
            own = np.s_[low : low + ROWS_AT_ONCE]
            held, weights = self._held(own), self.weights[own, None]
            scores = np.zeros((len(held), n_all))
            for t, linear in enumerate(coordinates.linear):
                of_covariates = self.logit.scores(np.eye(shares.shape[1])[t] - probs[own], own)
                full = np.concatenate((held @ linear[1:, :-1].T, of_covariates), axis=1)
                at = np.concatenate((np.arange(starts[t], starts[t + 1]), np.arange(n_values, n_all)))
                scores[:, at] += shares[own, t, None] * full
                complete[np.ix_(at, at)] += (full * weights * shares[own, t, None]).T @ full
            outer += (scores * weights).T @ scores
        return outer, complete

    def _held(self, own: slice) -> FloatArray:
        """Return indicators of the cells of each row."""
        codes, offsets = self.rows.codes[own], self.rows.schema.offsets
        held = np.zeros((len(codes), self.rows.schema.n_cells))
        held[np.arange(len(codes))[:, None], offsets[:-1] + codes.astype(np.int64)] = 1.0
        return held


def _merged(rows: Coded, weights: FloatArray, matrix: FloatArray) -> tuple[Coded, FloatArray]:
    """Merge rows that are equal in all cells and covariates."""
    _, of_cells = rows.groups()
    _, of_covariates = np.unique(matrix, axis=0, return_inverse=True)
    # Two group numbers combined into one, so that a single sort finds the distinct pairs.
    pairs = of_cells * (int(of_covariates.max()) + 1) + of_covariates.ravel()
    _, first, places = np.unique(pairs, return_index=True, return_inverse=True)
    totals: IntArray | FloatArray = np.bincount(places.ravel(), weights, len(first))
    return changed(rows.take(first), weights=totals.astype(np.float64)), matrix[first]
