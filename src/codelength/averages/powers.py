r"""Class distributions raised to a power, relative to the class prior.

The family :math:`p(c) \propto P(c)\, e^{\beta r(c)}` is exponential in :math:`\beta`. So its log score is
concave; the slope is r of the row's class less its expected value, and the curvature is its variance. The
power is chosen on held-out rows, under a prior on its logarithm.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from ..typing import FloatArray, IntArray
from .member import normalised


class PowerPrior(NamedTuple):
    """What is thought of a power before any row is seen: its logarithm is normal, within bounds.

    Attributes
    ----------
    centre : float
        The power that others are drawn to.
    strength : float
        How strongly: one over the variance of the logarithm.
    least, largest : float
        Bounds. Where the largest is at most e times the centre, the penalised score has one optimum.
    """

    centre: float
    strength: float
    least: float
    largest: float


class PowerScores(NamedTuple):
    """Log score of each row at some power, with its slope and its curvature (downwards) in the power."""

    log_scores: FloatArray
    slopes: FloatArray
    curvatures: FloatArray


def power_scores(
    log_prior: FloatArray, ratios: FloatArray, labels: IntArray, power: FloatArray | float
) -> PowerScores:
    """Scores of rows at one power, or at one for each row (shape (n_rows, 1))."""
    rows = np.arange(len(labels))
    log_probs = normalised(log_prior + power * ratios)
    probs = np.exp(log_probs)
    expected = (probs * ratios).sum(axis=1)
    spread = (probs * (ratios - expected[:, None]) ** 2).sum(axis=1)
    return PowerScores(log_probs[rows, labels], ratios[rows, labels] - expected, spread)


def best_power(
    log_prior: FloatArray, ratios: FloatArray, labels: IntArray, weights: FloatArray, prior: PowerPrior
) -> float:
    r"""The power that scores best on some rows, less what the prior takes off.

    That is :math:`\frac{\text{strength}}{2} (\ln \beta - \ln \text{centre})^2`.

    Parameters
    ----------
    log_prior : array of shape (n_rows, n_classes)
        Log class prior, for each row.
    ratios : array of shape (n_rows, n_classes)
        What is raised to the power, in logs.
    labels, weights : array of shape (n_rows,)
        Class codes and weights.
    prior : PowerPrior
        Penalty and bounds.
    """
    rows = np.arange(len(labels))
    own = float(weights @ ratios[rows, labels])

    def slope(log_power: float) -> float:
        power = np.exp(log_power)
        weighed = log_prior + power * ratios
        probs = np.exp(weighed - weighed.max(axis=1, keepdims=True))
        expected = (probs * ratios).sum(axis=1) / probs.sum(axis=1)
        pull = prior.strength * (log_power - np.log(prior.centre)) / power
        return float(own - weights @ expected - pull)

    least, largest = np.log(prior.least), np.log(prior.largest)
    if slope(least) <= 0.0:
        return prior.least
    if slope(largest) >= 0.0:
        return prior.largest
    return float(np.exp(brentq(slope, least, largest, xtol=1e-12, rtol=1e-12)))


def powers_left_out(
    scores: PowerScores, power: float, weights: FloatArray, copies: FloatArray, prior: PowerPrior
) -> FloatArray:
    """The best power without one copy of each row, by one Newton step from the best power of all.

    One row in many moves the optimum by little, and Newton's method squares the distance that remains.

    Parameters
    ----------
    scores : PowerScores
        Scores at the best power of all rows.
    power : float
        That power.
    weights, copies : array of shape (n_rows,)
        Weights of the rows, and how much of them is left out.
    prior : PowerPrior
        The prior that the power was chosen with.
    """
    if power in (prior.least, prior.largest):
        return np.full(len(weights), power)
    # With respect to the logarithm of the power, and without the row in both derivatives.
    slopes, bends = power * scores.slopes, power**2 * scores.curvatures - power * scores.slopes
    slope = weights @ slopes - copies * slopes - prior.strength * np.log(power / prior.centre)
    bend = weights @ bends - copies * bends + prior.strength
    steps = np.where(bend > 0.0, slope / np.where(bend > 0.0, bend, 1.0), 0.0)
    return np.asarray(np.clip(power * np.exp(np.clip(steps, -1.0, 1.0)), prior.least, prior.largest))
