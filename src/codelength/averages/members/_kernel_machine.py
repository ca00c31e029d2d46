r"""Kernel regression on class indicators, with exact leave-one-out predictions.

Rows i of weight :math:`w_i` with indicators :math:`Y_i` less the class prior P give
:math:`f(x) = \sum_i k(x, x_i)\, \alpha_i` with :math:`(K + \lambda W^{-1})\, \alpha = Y - P`. Leaving out one
copy of weight u of row i is a change of rank one. With :math:`M = W^{1/2} K W^{1/2} + \lambda` the row is
then predicted by

.. math:: f_{-i} = Y_i - \frac{\lambda\, \alpha_i}{w_i - u_i + \lambda\, u_i\, (M^{-1})_{ii}} .

This is exact, and so is the correction for the prior without the row. For the last rows only, it takes half
the time: their block of :math:`M^{-1}` depends only on the last block of the Cholesky factor of M.

References
----------
Rasmussen and Williams (2006). Gaussian processes for machine learning. Section 5.4.2.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from ...typing import FloatArray, IntArray

LEAST_RIDGE = 1e-11
"""Smallest ridge, relative to the weight of all rows, so that every system is numerically regular."""


class KernelRows(NamedTuple):
    """Rows of the regression.

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


def squared_distances(rows: FloatArray, others: FloatArray) -> FloatArray:
    """Return squared distances between all rows of two tables of numbers, shape (n_rows, n_others)."""
    # |x|^2 - 2 x'y + |y|^2: one matrix product, at the price of rounding errors, by which the distance of
    # equal rows may be negative.
    distances = rows @ (-2.0 * others.T)
    distances += (rows**2).sum(axis=1)[:, None]
    distances += (others**2).sum(axis=1)
    return np.maximum(distances, 0.0, out=distances)


def gaussian(distances: FloatArray, width: float) -> FloatArray:
    """Return the Gaussian kernel of squared distances."""
    kernel = distances / -width
    return np.exp(kernel, out=kernel)


def regress(kernel: FloatArray, ridge: float, rows: KernelRows, n_last: int) -> tuple[FloatArray, FloatArray]:
    """Fit a kernel regression of the class indicators.

    Parameters
    ----------
    kernel : array of shape (n_rows, n_rows)
        Kernel between all rows; it is overwritten.
    ridge : float
        Ridge parameter; larger values smooth more.
    rows : KernelRows
        Rows of the table.
    n_last : int
        Number of the last rows to predict by leave-one-out.

    Returns
    -------
    coefficients : array of shape (n_rows, n_classes)
        Coefficient of the kernel of each row in the prediction of each class.
    left_out : array of shape (n_last, n_classes)
        Prediction of each of the last rows without one copy of it.
    """
    ridge = max(ridge, LEAST_RIDGE * float(rows.weights.sum()))
    roots = np.sqrt(rows.weights)
    # The symmetric system M = W^1/2 K W^1/2 + ridge, in place: allocating a second matrix of this size takes
    # as long as this computation.
    system = kernel
    system *= roots[:, None]
    system *= roots
    system.flat[:: len(roots) + 1] += ridge
    prior = np.exp(rows.log_prior)
    targets = np.eye(len(prior))[rows.labels] - prior
    # The solution for the column of ones is the derivative of predictions in the class prior.
    right = roots[:, None] * np.hstack([targets, np.ones((len(roots), 1))])
    # The transpose of a symmetric matrix is the same matrix, in Fortran order: LAPACK needs no copy.
    factor, _ = lapack.dpotrf(system.T, lower=1, clean=1, overwrite_a=1)
    solution, _ = lapack.dpotrs(factor, right, lower=1)
    coefficients = roots[:, None] * solution
    last = slice(len(roots) - n_last, None)
    copies = rows.copies[last]
    diagonal = _inverse_diagonal(factor[last, last])
    # Denominator of the formula at the top; a difference of fractional weights may be negative by rounding.
    left = np.maximum(rows.weights[last] - copies, 0.0) + ridge * copies * diagonal
    residuals = coefficients[last] * (ridge / left)[:, None]
    # Targets are relative to the prior. Without the row the prior changes, and predictions by the column of
    # ones.
    without_prior = prior - np.exp(rows.log_prior_left_out[last])
    left_out = targets[last] - residuals[:, :-1] + without_prior * (1.0 - residuals[:, -1:])
    return np.ascontiguousarray(coefficients[:, :-1]), left_out


def _inverse_diagonal(factor: FloatArray) -> FloatArray:
    """Return the diagonal of the inverse of a matrix at its last rows.

    With M = L L' it is the sum of squares of the columns of the inverse of L. For the last rows these columns
    are those of the inverse of the last block of L, because L is lower triangular.
    """
    if not len(factor):
        return np.zeros(0)
    inverse, _ = lapack.dtrtri(np.asfortranarray(factor), lower=1)
    return np.asarray(np.einsum("ij,ij->j", inverse, inverse))
