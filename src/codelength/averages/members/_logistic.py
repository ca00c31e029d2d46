r"""Penalised multinomial logistic regression on ratios and numbers, for several row weightings at once.

The log weight of class c is an offset plus :math:`b_c + \sum_i w_i r_{ic} + h \cdot D_c`, with
:math:`w_i = t + d_i \ge 0` and Gaussian priors on t, d, b and D. The problem is convex with one optimum. It
is solved by projected Newton steps (Bertsekas 1982), each by conjugate gradients in units of the prior. The
folds of a cross-validation differ in the weights of rows only, and share every pass over the data.

Layout: a vector of parameters is w, then b, then D class by class. The first axis of most arrays is the
weighting (one search each), the last axis is the row. Order of reading: :class:`Design`, :class:`Penalty`,
:func:`fitted`, ``_directions`` (conjugate gradients) and ``_searched`` (line search). Depends on numpy and
scipy only: it knows nothing of tables or members.

References
----------
Bertsekas (1982). Projected Newton methods for optimization problems with simple constraints. SIAM Journal on
Control and Optimization.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve

from ..._threads import check_interrupted
from ...typing import BoolArray, FloatArray, IntArray

TYPICAL_WEIGHT, WEIGHT_VARIANCE = 0.5, 0.5
"""Mean and variance of t, the common factor of the ratios of all variables."""

DEVIATION_PRECISION = 50.0
"""One over the variance of d, the deviation of a single variable from the common factor."""

INTERCEPT_PRECISION = 0.3
"""One over the variance of b."""

MAX_STEPS, MAX_DIRECTIONS, MAX_HALVINGS = 100, 250, 30

MAX_DIRECT, MAX_DIRECT_CELLS = 1_000, 1_000_000_000
"""Limits of parameters, and of rows times squared parameters, up to which curvature matrices are computed."""


@dataclass(frozen=True, eq=False)
class Design:
    """Features of the rows of a regression.

    Rows are the last axis of all arrays, so that every operation runs along contiguous memory.

    Attributes
    ----------
    ratios : array of shape (n_variables, n_classes, n_rows)
        Features of the weights w.
    numbers : array of shape (n_columns, n_rows)
        Features of the coefficients D.
    offsets : array of shape (n_classes, n_rows)
        Log weights of the classes at parameters 0.
    labels : array of int of shape (n_rows,)
        Class codes.
    """

    ratios: FloatArray
    numbers: FloatArray
    offsets: FloatArray
    labels: IntArray

    @property
    def n_parameters(self) -> int:
        """Length of a vector of parameters: w, then b, then D class by class."""
        return len(self.ratios) + len(self.offsets) * (1 + len(self.numbers))

    def split(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return w, b and D of each vector of parameters, D of shape (..., n_classes, n_columns)."""
        n_variables, n_classes = self.ratios.shape[:2]
        weights, intercepts, coefficients = np.split(
            parameters, [n_variables, n_variables + n_classes], axis=-1
        )
        return weights, intercepts, coefficients.reshape(*parameters.shape[:-1], n_classes, -1)

    def sums(self, parameters: FloatArray) -> FloatArray:
        """Return the terms of each vector in the log weights, shape (n_vectors, n_classes, n_rows).

        Two matrix products serve all vectors at once, which reads the data once instead of once per fold.
        """
        weights, intercepts, coefficients = self.split(parameters)
        n_variables, n_classes, n_rows = self.ratios.shape
        shape = len(parameters), n_classes, n_rows
        found = (weights @ self.ratios.reshape(n_variables, -1)).reshape(shape)
        found += (coefficients.reshape(-1, len(self.numbers)) @ self.numbers).reshape(shape)
        found += intercepts[:, :, None]
        return np.asarray(found)

    def gathered(self, residuals: FloatArray) -> FloatArray:
        """Multiply residuals of the log weights by the transpose of :meth:`sums`."""
        n_vectors, n_rows = len(residuals), residuals.shape[2]
        return np.hstack(
            [
                residuals.reshape(n_vectors, -1) @ self.ratios.reshape(len(self.ratios), -1).T,
                residuals.sum(axis=2),
                (residuals.reshape(-1, n_rows) @ self.numbers.T).reshape(n_vectors, -1),
            ]
        )

    def log_probs(self, parameters: FloatArray) -> FloatArray:
        """Return the log probability of each class, shape (n_vectors, n_classes, n_rows)."""
        log_weights = self.offsets + self.sums(parameters)
        # In place: these arrays are the largest of a fit.
        log_weights -= log_weights.max(axis=1, keepdims=True)
        log_weights -= np.log(np.exp(log_weights).sum(axis=1, keepdims=True))
        return log_weights


@dataclass(frozen=True, eq=False)
class Penalty:
    """Gaussian prior of the parameters.

    Attributes
    ----------
    mean : array of shape (n_parameters,)
    precisions : array of shape (n_parameters,)
        One over the variance of each parameter, without the variance of t that all weights w share.
    n_weights : int
        Number of weights w, the first parameters.
    """

    mean: FloatArray
    precisions: FloatArray
    n_weights: int

    @classmethod
    def of(cls, design: Design, precision: float) -> "Penalty":
        """Build the prior under which each coefficient D has the given precision."""
        n_weights, n_classes = design.ratios.shape[:2]
        mean = np.zeros(design.n_parameters)
        mean[:n_weights] = TYPICAL_WEIGHT
        precisions = np.full(design.n_parameters, precision)
        precisions[:n_weights] = DEVIATION_PRECISION
        precisions[n_weights : n_weights + n_classes] = INTERCEPT_PRECISION
        return cls(mean, precisions, n_weights)

    def times(self, vectors: FloatArray) -> FloatArray:
        """Multiply each vector by the inverse covariance.

        The inverse covariance of w is (I / DEVIATION_PRECISION + 1 1' WEIGHT_VARIANCE)^-1. By the formula of
        Sherman and Morrison it is a multiple of the identity less a matrix of rank one.
        """
        found = self.precisions * vectors
        common = DEVIATION_PRECISION / (1 / (WEIGHT_VARIANCE * DEVIATION_PRECISION) + self.n_weights)
        own = slice(None, self.n_weights)
        found[:, own] -= common * vectors[:, own].sum(axis=1, keepdims=True)
        return found


def curvature_at(design: Design, row_weights: FloatArray, parameters: FloatArray) -> FloatArray | None:
    """Return second derivatives of minus the log score at some parameters, or None if they are too many.

    The matrix of one weighting of the rows; those of other weightings and penalties are similar, so it serves
    as preconditioner for all. With features F of the log weights it is F' S F, where S = diag(p) - p p'
    within each row.
    """
    n_variables, n_classes, n_rows = design.ratios.shape
    if design.n_parameters > MAX_DIRECT or design.n_parameters**2 * n_rows > MAX_DIRECT_CELLS:
        return None
    probs = np.exp(design.log_probs(parameters[None])[0])
    columns = np.vstack([np.ones(n_rows), design.numbers])
    # S times the ratios: p_c (r_c - sum_e p_e r_e), times the weight of the row.
    bent = design.ratios * probs
    bent -= probs * bent.sum(axis=1, keepdims=True)
    bent *= row_weights
    found = np.empty((design.n_parameters, design.n_parameters))
    # Intercepts are coefficients of a column of ones; these are the places of all coefficients of each class.
    places = n_variables + n_classes + np.arange(n_classes * len(design.numbers)).reshape(n_classes, -1)
    places = np.hstack([n_variables + np.arange(n_classes)[:, None], places])
    own = slice(None, n_variables)
    found[own, own] = design.ratios.reshape(n_variables, -1) @ bent.reshape(n_variables, -1).T
    crossed = (bent.reshape(-1, n_rows) @ columns.T).reshape(n_variables, n_classes, -1)
    for c in range(n_classes):
        found[own, places[c]] = crossed[:, c]
        found[places[c], own] = crossed[:, c].T
        for e in range(c, n_classes):
            # The matrix is symmetric: blocks of classes c <= e are computed, the others are copied.
            shares = row_weights * probs[c] * ((1.0 if e == c else 0.0) - probs[e])
            block = (columns * shares) @ columns.T
            found[np.ix_(places[c], places[e])] = block
            found[np.ix_(places[e], places[c])] = block.T
    return found


def _preconditioner(penalty: Penalty, curvature: FloatArray | None) -> Callable[[FloatArray], FloatArray]:
    """Return the inverse of the curvature plus the penalty, or of the prior precisions, as a function."""
    if curvature is None:
        return lambda vectors: vectors / penalty.precisions
    factor = np.linalg.cholesky(curvature + penalty.times(np.eye(len(curvature))))
    return lambda vectors: np.asarray(cho_solve((factor, True), vectors.T, check_finite=False).T)


class _Point(NamedTuple):
    """State of the searches: parameters, losses, gradients, and probabilities of the classes."""

    parameters: FloatArray
    losses: FloatArray
    gradients: FloatArray
    probs: FloatArray

    def where(self, chosen: BoolArray, other: "_Point") -> "_Point":
        """Return this point for chosen searches and the other point for the others."""
        return _Point(
            *(
                np.where(chosen.reshape(-1, *[1] * (mine.ndim - 1)), mine, theirs)
                for mine, theirs in zip(self, other, strict=True)
            )
        )

    def take(self, chosen: BoolArray) -> "_Point":
        """Return the state of chosen searches."""
        return self if chosen.all() else _Point(*(part[chosen] for part in self))


def fitted(
    design: Design,
    row_weights: FloatArray,
    penalty: Penalty,
    start: FloatArray,
    tolerance: float,
    curvature: FloatArray | None,
) -> FloatArray:
    """Fit parameters to the largest penalised log score, for each weighting of the rows.

    Parameters
    ----------
    design : Design
        Rows of the table.
    row_weights : array of shape (n_weightings, n_rows)
        Weight of each row in each search.
    penalty : Penalty
        The prior.
    start : array of shape (n_weightings, n_parameters)
        Start of the searches; weights w are at least 0.
    tolerance : float
        Length of the gradient, in standard deviations of the prior, at which a search ends. The penalised log
        score is then within half the square of this of the optimum.
    curvature : array of shape (n_parameters, n_parameters), optional
        Approximate second derivatives of the log score, from :func:`curvature_at`; they speed up the search.

    Returns
    -------
    array of shape (n_weightings, n_parameters)
        Best parameters of each search.
    """
    solved = _preconditioner(penalty, curvature)
    found = start.copy()
    running = np.arange(len(start))
    point = _evaluated(design, row_weights, penalty, start)
    for _ in range(MAX_STEPS):
        check_interrupted()
        free = _free(point, penalty)
        lengths = np.sqrt((point.gradients**2 * free / penalty.precisions).sum(axis=1))
        # Searches that have converged leave the arrays, so that later steps do not compute for them.
        open_ones = lengths > tolerance
        if not open_ones.all():
            found[running] = point.parameters
            running, point, free, lengths = (
                running[open_ones],
                point.take(open_ones),
                free[open_ones],
                lengths[open_ones],
            )
            row_weights = row_weights[open_ones]
        if not len(running):
            return found
        # A truncated Newton method: directions are rough while the gradient is large and become accurate near
        # the optimum, which keeps the convergence superlinear.
        accuracies = np.minimum(0.3, np.sqrt(lengths))
        directions = _directions(design, row_weights, penalty, point, free, accuracies, solved)
        point = _searched(design, row_weights, penalty, point, directions)
    found[running] = point.parameters
    return found


def _evaluated(design: Design, row_weights: FloatArray, penalty: Penalty, parameters: FloatArray) -> _Point:
    """Return losses, gradients and probabilities at some parameters, in one pass over the data."""
    log_weights = design.offsets + design.sums(parameters)
    log_weights -= log_weights.max(axis=1, keepdims=True)
    own = np.arange(len(design.labels))
    log_own = log_weights[:, design.labels, own]
    probs = np.exp(log_weights)
    totals = probs.sum(axis=1)
    probs /= totals[:, None]
    # Gradient of the log loss in the log weights: probabilities less the indicator of the own class.
    residuals = probs.copy()
    residuals[:, design.labels, own] -= 1.0
    residuals *= row_weights[:, None]
    offsets = parameters - penalty.mean
    pulls = penalty.times(offsets)
    losses = (row_weights * (np.log(totals) - log_own)).sum(axis=1) + (offsets * pulls).sum(axis=1) / 2
    return _Point(parameters, losses, design.gathered(residuals) + pulls, probs)


def _free(point: _Point, penalty: Penalty) -> BoolArray:
    """Return True for parameters that may change: all but weights w of 0 with a positive gradient."""
    free = np.ones(point.parameters.shape, dtype=np.bool_)
    own = slice(None, penalty.n_weights)
    free[:, own] = (point.parameters[:, own] > 0) | (point.gradients[:, own] < 0)
    return free


def _directions(
    design: Design,
    row_weights: FloatArray,
    penalty: Penalty,
    point: _Point,
    free: BoolArray,
    accuracies: FloatArray,
    solved: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """Return Newton directions, computed by preconditioned conjugate gradients up to a relative accuracy."""
    found = np.zeros_like(point.parameters)
    rests = -point.gradients * free
    scaled = solved(rests) * free
    lengths = (rests * scaled).sum(axis=1)
    enough = accuracies**2 * lengths
    search = scaled.copy()
    for _ in range(MAX_DIRECTIONS):
        bent = _curvature(design, row_weights, penalty, point.probs, search) * free
        # A search that has ended has a zero direction: 0 / tiny is a step of 0.
        steps = lengths / np.maximum((search * bent).sum(axis=1), np.finfo(np.float64).tiny)
        found += steps[:, None] * search
        rests -= steps[:, None] * bent
        scaled = solved(rests) * free
        shorter = (rests * scaled).sum(axis=1)
        running = (lengths > 0) & (shorter > enough)
        if not running.any():
            break
        turned = np.divide(shorter, lengths, out=np.zeros_like(lengths), where=running)
        search = np.where(running[:, None], scaled + turned[:, None] * search, 0.0)
        lengths = np.where(running, shorter, 0.0)
    return found


def _curvature(
    design: Design, row_weights: FloatArray, penalty: Penalty, probs: FloatArray, vectors: FloatArray
) -> FloatArray:
    """Multiply each vector by the matrix of second derivatives, without computing the matrix."""
    moves = design.sums(vectors)
    moves *= probs
    moves -= probs * moves.sum(axis=1, keepdims=True)
    moves *= row_weights[:, None]
    return design.gathered(moves) + penalty.times(vectors)


def _searched(
    design: Design, row_weights: FloatArray, penalty: Penalty, point: _Point, directions: FloatArray
) -> _Point:
    """Return steps along the directions, within the bounds, each halved until it lowers its loss (Armijo)."""
    sizes = np.ones(len(directions))
    own = slice(None, penalty.n_weights)
    for _ in range(MAX_HALVINGS):
        parameters = point.parameters + sizes[:, None] * directions
        parameters[:, own] = np.maximum(parameters[:, own], 0.0)
        tried = _evaluated(design, row_weights, penalty, parameters)
        slopes = (point.gradients * (parameters - point.parameters)).sum(axis=1)
        # Near the optimum the decrease of a loss is below its rounding error; such steps are accepted, and
        # the gradient decides when the search ends.
        rounding = 1e-10 * np.maximum(np.abs(point.losses), 1.0)
        lower = tried.losses <= point.losses + 1e-4 * slopes + rounding
        if lower.all():
            break
        sizes = np.where(lower, sizes, sizes / 2)
    # Searches without a lower loss after all halvings stay at their point.
    return tried.where(lower, point)
