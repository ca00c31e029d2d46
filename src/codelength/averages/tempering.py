r"""Class distributions raised to a power, relative to the class prior.

The family :math:`p(c) \propto P(c)\, e^{\beta r(c)}` is exponential in :math:`\beta`. Its log score is
therefore concave; the slope is r of the row's class less its expected value, and the curvature is its
variance. The power maximises the score of held-out rows under a prior on its logarithm.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from ..typing import FloatArray, IntArray
from .member import normalised


class PowerPrior(NamedTuple):
    """Prior of a power: its logarithm is normal, within bounds.

    Attributes
    ----------
    centre : float
        Median of the prior.
    strength : float
        One over the variance of the logarithm.
    least, largest : float
        Bounds. If the largest is at most e times the centre, the penalised score has one optimum.
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
    """Return the scores of rows at a power.

    Parameters
    ----------
    log_prior, ratios : array of shape (n_rows, n_classes)
        Log class prior of each row, and the logarithms that are multiplied by the power.
    labels : array of int of shape (n_rows,)
        Class codes.
    power : float or array of shape (n_rows, 1)
        One power, or one per row.
    """
    rows = np.arange(len(labels))
    log_probs = normalised(log_prior + power * ratios)
    probs = np.exp(log_probs)
    expected = (probs * ratios).sum(axis=1)
    spread = (probs * (ratios - expected[:, None]) ** 2).sum(axis=1)
    return PowerScores(log_probs[rows, labels], ratios[rows, labels] - expected, spread)


def best_power(
    log_prior: FloatArray, ratios: FloatArray, labels: IntArray, weights: FloatArray, prior: PowerPrior
) -> float:
    r"""Return the power of the largest log score of rows, less the penalty of the prior.

    The penalty is :math:`\frac{\text{strength}}{2} (\ln \beta - \ln \text{centre})^2`.

    Parameters
    ----------
    log_prior : array of shape (n_rows, n_classes)
        Log class prior, for each row.
    ratios : array of shape (n_rows, n_classes)
        Logarithms of the ratios that are raised to the power.
    labels, weights : array of shape (n_rows,)
        Class codes and weights.
    prior : PowerPrior
        Penalty and bounds.
    """
    rows = np.arange(len(labels))
    own = float(weights @ ratios[rows, labels])

    # The root of the slope, not the maximum of the score: a maximum is known to half of the digits only.
    def slope(log_power: float) -> float:
        """Return the derivative of the penalised score in the power."""
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
    """Return the best power without one copy of each row, by one Newton step from the best power of all.

    One row in many changes the optimum by little, and a Newton step squares the remaining distance.

    Parameters
    ----------
    scores : PowerScores
        Scores at the best power of all rows.
    power : float
        Best power of all rows.
    weights, copies : array of shape (n_rows,)
        Weights of the rows, and the weight that is left out of each.
    prior : PowerPrior
        The prior of the power.
    """
    if power in (prior.least, prior.largest):
        return np.full(len(weights), power)
    # At a bound, the optimum without a row is taken to be at the same bound (handled above). Derivatives are
    # in the logarithm of the power, and both without the row.
    slopes, bends = power * scores.slopes, power**2 * scores.curvatures - power * scores.slopes
    slope = weights @ slopes - copies * slopes - prior.strength * np.log(power / prior.centre)
    bend = weights @ bends - copies * bends + prior.strength
    # Without positive curvature a Newton step would be towards a minimum; the power then stays. Steps are
    # limited to a factor of e.
    steps = np.where(bend > 0.0, slope / np.where(bend > 0.0, bend, 1.0), 0.0)
    return np.asarray(np.clip(power * np.exp(np.clip(steps, -1.0, 1.0)), prior.least, prior.largest))
