r"""Kernel regression on class indicators, with what it would say of each row without one copy of the row.

Rows i of weight :math:`w_i` with indicators :math:`Y_i` less the class prior P give
:math:`f(x) = \sum_i k(x, x_i)\, \alpha_i`, where :math:`(K + \lambda W^{-1})\, \alpha = Y - P`. Taking one
copy of weight u away from row i is a change of rank one. With :math:`M = W^{1/2} K W^{1/2} + \lambda` the row
is then predicted by

.. math:: f_{-i} = Y_i - \frac{\lambda\, \alpha_i}{w_i - u_i + \lambda\, u_i\, (M^{-1})_{ii}}

which is exact, and so is the correction for the prior without the row. For the last rows alone this takes
half the time: the block of :math:`M^{-1}` that belongs to them depends on the last block of the Cholesky
factor of M alone.

References
----------
Rasmussen and Williams (2006). Gaussian processes for machine learning. Section 5.4.2.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from ...typing import FloatArray, IntArray

LEAST_RIDGE = 1e-11
"""Smallest ridge, relative to the weight of all rows, so that every system can be solved."""


class KernelRows(NamedTuple):
    """Rows to regress on.

    Attributes
    ----------
    labels : array of int of shape (n_rows,)
        Class codes.
    weights, copies : array of shape (n_rows,)
        Weight of each row, and of one copy of it.
    log_prior : array of shape (n_classes,)
        Log class prior.
    log_prior_left_out : array of shape (n_rows, n_classes)
        The same without one copy of each row.
    """

    labels: IntArray
    weights: FloatArray
    copies: FloatArray
    log_prior: FloatArray
    log_prior_left_out: FloatArray


class Regression(NamedTuple):
    """Kernel regression at one kernel and one ridge.

    Attributes
    ----------
    coefficients : array of shape (n_rows, n_classes)
        What each row adds to the prediction of each class, times the kernel.
    left_out : array of shape (n_last, n_classes)
        Prediction for each of the last rows without one copy of it.
    """

    coefficients: FloatArray
    left_out: FloatArray


def squared_distances(rows: FloatArray, others: FloatArray) -> FloatArray:
    """Squared distances between all rows of two tables of numbers, shape (n_rows, n_others)."""
    distances = rows @ (-2.0 * others.T)
    distances += (rows**2).sum(axis=1)[:, None]
    distances += (others**2).sum(axis=1)
    return np.maximum(distances, 0.0, out=distances)


def gaussian(distances: FloatArray, width: float) -> FloatArray:
    """The Gaussian kernel of squared distances."""
    kernel = distances / -width
    return np.exp(kernel, out=kernel)


def regress(kernel: FloatArray, ridge: float, rows: KernelRows, n_last: int | None = None) -> Regression:
    """Kernel regression of the class indicators of some rows.

    Parameters
    ----------
    kernel : array of shape (n_rows, n_rows)
        The kernel between all rows; it is overwritten.
    ridge : float
        How much the regression is smoothed.
    rows : KernelRows
        Rows of the table.
    n_last : int, optional
        How many of the last rows are predicted without one copy of each; by default, all rows.
    """
    ridge = max(ridge, LEAST_RIDGE * float(rows.weights.sum()))
    roots = np.sqrt(rows.weights)
    # In place: a second matrix of this size takes as long to allocate as this takes to compute.
    system = kernel
    system *= roots[:, None]
    system *= roots
    system.flat[:: len(roots) + 1] += ridge
    prior = np.exp(rows.log_prior)
    targets = np.eye(len(prior))[rows.labels] - prior
    # The column of ones tells how predictions move with the class prior.
    right = roots[:, None] * np.hstack([targets, np.ones((len(roots), 1))])
    # Symmetric, so its transpose is the same matrix, in the order that LAPACK works in without a copy.
    factor, _ = lapack.dpotrf(system.T, lower=1, clean=1, overwrite_a=1)
    solution, _ = lapack.dpotrs(factor, right, lower=1)
    coefficients = roots[:, None] * solution
    last = slice(0 if n_last is None else len(roots) - n_last, None)
    copies = rows.copies[last]
    diagonal = _inverse_diagonal(factor[last, last])
    left = np.maximum(rows.weights[last] - copies, 0.0) + ridge * copies * diagonal
    residuals = coefficients[last] * (ridge / left)[:, None]
    without_prior = prior - np.exp(rows.log_prior_left_out[last])
    left_out = targets[last] - residuals[:, :-1] + without_prior * (1.0 - residuals[:, -1:])
    return Regression(np.ascontiguousarray(coefficients[:, :-1]), left_out)


def _inverse_diagonal(factor: FloatArray) -> FloatArray:
    """Diagonal of the inverse of a matrix, at the last rows, from the last block of its Cholesky factor."""
    if not len(factor):
        return np.zeros(0)
    inverse, _ = lapack.dtrtri(np.asfortranarray(factor), lower=1)
    return np.asarray(np.einsum("ij,ij->j", inverse, inverse))
