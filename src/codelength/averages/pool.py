r"""Log-linear pool of class distributions, with temperatures, mixed with the class prior.

.. math:: \log p(c) = \log P(c) + \sum_k w_k\, t_k \bigl(\log p_k(c) - \log P(c)\bigr) + \text{constant}

The temperatures :math:`t_k` and the weights :math:`w_k` maximise the log score of held-out predictions of the
members, less a penalty that shrinks them towards 1 and :math:`1/K`. Both problems have one optimum, so the
result does not depend on the start of the search or on the order of rows and members.

Order of reading: :func:`best_power` (temperatures), :func:`pool_weights` and :func:`prior_share`, then
:meth:`Pool.fit`, which calls them. :func:`powers_left_out` and the private functions at the end leave one row
out of each of these steps. The member ``kernel`` fits its powers by the same functions. Depends on ``member``
for normalised probabilities, and on scipy for roots of one variable.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from .._codec import Savable, Saved
from ..typing import BoolArray, FloatArray, IntArray
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


TEMPERATURE = PowerPrior(centre=1.0, strength=15.0, least=0.05, largest=3.0)
"""Prior of temperatures, which shrinks them towards 1."""

WEIGHT_STRENGTH = 100.0
"""Penalty on weights, which shrinks them towards equal weights."""

LEAST_SHARE = 0.25
"""Smallest share of the class prior, in rows."""

TOLERANCE = 1e-11
"""The search for weights ends if no weight changes by more."""

MAX_STEPS = 200


def power_scores(
    log_prior: FloatArray, ratios: FloatArray, labels: IntArray, power: FloatArray | float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Return the log score of each row at a power, its slope, and its curvature (downwards) in the power.

    The family :math:`p(c) \propto P(c)\, e^{\beta r(c)}` is exponential in the power :math:`\beta`. Its log
    score is therefore concave; the slope is r of the row's class less its expected value, and the curvature
    is its variance.

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
    return log_probs[rows, labels], ratios[rows, labels] - expected, spread


def best_power(
    log_prior: FloatArray, ratios: FloatArray, labels: IntArray, weights: FloatArray, prior: PowerPrior
) -> float:
    r"""Return the power of the largest log score of rows, less the penalty of the prior.

    The penalty is :math:`\frac{\text{strength}}{2} (\ln \beta - \ln \text{centre})^2`. Parameters are those
    of :func:`power_scores`, with the weights of the rows.

    Examples
    --------
    The temperature of a member that is right three times in four, but predicts to be right nine times in ten:

    >>> even, held_out = np.log(np.full((400, 2), 0.5)), np.log([[0.9, 0.1]] * 400)
    >>> labels = np.arange(400) % 4 // 3
    >>> round(best_power(even, held_out - even, labels, np.ones(400), PowerPrior(1.0, 0.0, 0.05, 3.0)), 3)
    0.5
    """
    own = float(weights @ ratios[np.arange(len(labels)), labels])

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
    # The search for a root needs slopes of both signs; without them the optimum is at a bound.
    if slope(least) <= 0.0:
        return prior.least
    if slope(largest) >= 0.0:
        return prior.largest
    return float(np.exp(brentq(slope, least, largest, xtol=1e-12, rtol=1e-12)))


def powers_left_out(
    log_prior: FloatArray,
    ratios: FloatArray,
    labels: IntArray,
    power: float,
    weights: FloatArray,
    copies: FloatArray,
    prior: PowerPrior,
) -> FloatArray:
    """Return the best power without one copy of each row, by one Newton step from the best power of all.

    One row in many changes the optimum by little, and a Newton step squares the remaining distance.
    Parameters are those of :func:`best_power`, with the best power of all rows and the weight of one copy of
    each row.
    """
    if power in (prior.least, prior.largest):
        return np.full(len(weights), power)
    # At a bound, the optimum without a row is taken to be at the same bound (handled above). Derivatives are
    # in the logarithm of the power, and both without the row.
    _, in_power, curvatures = power_scores(log_prior, ratios, labels, power)
    slopes, bends = power * in_power, power**2 * curvatures - power * in_power
    slope = weights @ slopes - copies * slopes - prior.strength * np.log(power / prior.centre)
    bend = weights @ bends - copies * bends + prior.strength
    # Without positive curvature a Newton step would be towards a minimum; the power then stays. Steps are
    # limited to a factor of e.
    steps = np.where(bend > 0.0, slope / np.where(bend > 0.0, bend, 1.0), 0.0)
    return np.asarray(np.clip(power * np.exp(np.clip(steps, -1.0, 1.0)), prior.least, prior.largest))


def pool_weights(
    held_outs: FloatArray,
    log_prior_left_out: FloatArray,
    labels: IntArray,
    weights: FloatArray,
    strength: float = WEIGHT_STRENGTH,
) -> FloatArray:
    r"""Return the weights of the members in the pool, shape (n_members,).

    The weights :math:`w_k \ge 0` maximise the log score of :func:`pooled` held-out predictions less
    :math:`\frac{\text{strength}}{2} \sum_k (w_k - 1/K)^2`. This is concave; the search is a projected Newton
    method and ends at the optimum to about eleven digits.

    Parameters
    ----------
    held_outs : array of shape (n_members, n_rows, n_classes)
        Held-out log probabilities of the classes by the members.
    log_prior_left_out : array of shape (n_rows, n_classes)
        Log class prior without each row.
    labels, weights : array of shape (n_rows,)
        Class codes and weights of the rows.
    strength : float
        Strength of the penalty.
    """
    ratios = _ratios(held_outs, log_prior_left_out)
    centre = np.full(len(held_outs), 1.0 / len(held_outs))

    def objective(w: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return the penalised log score at weights w, with gradient and curvature."""
        log_scores, gradients, curvatures = _scores(log_prior_left_out, ratios, labels, w)
        return (
            float(weights @ log_scores) - strength / 2 * float(((w - centre) ** 2).sum()),
            weights @ gradients - strength * (w - centre),
            # The penalty keeps the curvature regular where two members predict alike.
            np.tensordot(weights, curvatures, 1) + strength * np.eye(len(w)),
        )

    w = centre
    value, gradient, curvature = objective(w)
    for _ in range(MAX_STEPS):
        # Weights at the bound whose gradient points outwards are held there (the active set of Bertsekas
        # 1982).
        free = (w > 0.0) | (gradient > 0.0)
        step = np.zeros_like(w)
        step[free] = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
        # The rounding error of the objective is about 1e-15 of its size; differences below it do not count.
        length, least = 1.0, value - 1e-13 * (1.0 + abs(value))
        # A full Newton step first: near the optimum it converges quadratically, and it is halved only if the
        # objective falls.
        there = np.maximum(w + step, 0.0)
        value, gradient, curvature = objective(there)
        while value < least and length > 1e-9:
            length /= 2
            there = np.maximum(w + length * step, 0.0)
            value, gradient, curvature = objective(there)
        moved, w = np.abs(there - w).max(), there
        if moved < TOLERANCE:
            break
    return w


def pooled(log_probs: FloatArray, log_prior: FloatArray, w: FloatArray) -> FloatArray:
    """Return the log-linear pool of distributions, shape (n_rows, n_classes).

    Parameters
    ----------
    log_probs : array of shape (n_members, n_rows, n_classes)
        Log probabilities of the members.
    log_prior : array of shape (n_classes,) or (n_rows, n_classes)
        Log class prior.
    w : array of shape (n_members,)
        Weights of the members.

    Examples
    --------
    >>> np.exp(pooled(np.log([[[0.9, 0.1]]]), np.log([0.5, 0.5]), np.array([0.5]))).round(6)
    array([[0.75, 0.25]])
    """
    return normalised(log_prior + np.tensordot(w, log_probs - log_prior, 1))


def prior_share(ahead: FloatArray | float, weight: FloatArray | float) -> FloatArray:
    """Return the posterior probability of the class prior against the pool, from their held-out scores.

    The prior odds are the root of n to 1 for the class prior, with n the weight of all rows: the pool pays
    half of log n, the cost of one free parameter in any code. A table without information about the class
    thus does not favour the pool by chance. The share is at least 0.25 / (n + 1), so that every class
    with a positive prior probability remains possible.

    Parameters
    ----------
    ahead : float or array
        Log score of the pool less that of the class prior, in nats.
    weight : float or array
        Weight of all rows.

    Examples
    --------
    Two rows with probability 3/4 under the pool and 1/2 under the class prior: the odds are 4 to 9, times
    the root of two.

    >>> round(float(prior_share(2 * np.log(1.5), 2.0)), 6) == round(1 / (1 + 9 / 4 / 2**0.5), 6)
    True
    """
    # The logistic function of the log odds, without overflow for any lead.
    share = expit(0.5 * np.log(np.maximum(weight, 1.0)) - ahead)
    return np.asarray(np.maximum(share, LEAST_SHARE / (weight + 1.0)))


@dataclass(frozen=True, eq=False)
class Pool(Savable):
    """Fitted combination of the members of an average.

    Attributes
    ----------
    temperatures : array of shape (n_members,)
        Temperature of each member.
    weights : array of shape (n_members,)
        Weight of each tempered member.
    share : float
        Share of the class prior in the final mixture.
    """

    temperatures: Annotated[
        FloatArray, Saved(lambda known: (known.n_members,), low=0.0, high=TEMPERATURE.largest)
    ]
    weights: Annotated[FloatArray, Saved(lambda known: (known.n_members,), low=0.0)]
    share: Annotated[float, Saved(low=0.0, high=1.0)]

    @classmethod
    def fit(
        cls,
        held_outs: FloatArray,
        log_prior: FloatArray,
        labels: IntArray,
        weights: FloatArray,
        copies: FloatArray,
    ) -> tuple["Pool", FloatArray]:
        """Fit the pool of members; return it with its held-out predictions of the training rows.

        Parameters
        ----------
        held_outs : array of shape (n_members, n_rows, n_classes)
            Held-out log probabilities of the classes by the members.
        log_prior : array of shape (n_rows, n_classes)
            Log class prior without one copy of each row.
        labels, weights, copies : array of shape (n_rows,)
            Class codes and weights of the rows, and the weight that is left out at each.

        Returns
        -------
        pool : Pool
            Fitted to all rows.
        held_out : array of shape (n_rows, n_classes)
            Log probabilities of each row by a pool fitted without one copy of the row.
        """
        given = [(log_prior, one - log_prior, labels) for one in held_outs]
        t = np.array([best_power(*one, weights, TEMPERATURE) for one in given])
        cooled = normalised(log_prior + t[:, None, None] * (held_outs - log_prior))
        w = pool_weights(cooled, log_prior, labels, weights)
        t_left_out = [
            powers_left_out(*one, own, weights, copies, TEMPERATURE)
            for one, own in zip(given, t.tolist(), strict=True)
        ]
        ratios = _ratios(held_outs, log_prior)
        powers = _powers_left_out(
            ratios, log_prior, labels, weights, copies, t * w, np.array(t_left_out).T, w > TOLERANCE
        )
        without = normalised(log_prior + np.einsum("nck,nk->nc", ratios, powers))
        # Of predictions without each row: temperatures and weights were chosen for these rows, and would seem
        # better than they are.
        ahead = (without - log_prior)[np.arange(len(labels)), labels]
        share = float(prior_share(weights @ ahead, weights.sum()))
        shares = prior_share(weights @ ahead - copies * ahead, np.maximum(weights.sum() - copies, 0.0))
        return cls(t, w, share), _mixed(without, log_prior, shares[:, None])

    def log_probs(self, member_log_probs: FloatArray, log_prior: FloatArray) -> FloatArray:
        """Return log probabilities of the classes, given those of the members in the first axis."""
        pool = pooled(member_log_probs, log_prior, self.weights * self.temperatures)
        return _mixed(pool, log_prior, np.array(self.share))


def _ratios(log_probs: FloatArray, log_prior: FloatArray) -> FloatArray:
    """Return log ratios of members to the class prior, shape (n_rows, n_classes, n_members)."""
    # Members last, so that sums over them are matrix products on contiguous memory.
    return np.ascontiguousarray(np.moveaxis(log_probs - log_prior, 0, -1))


def _scores(
    log_prior: FloatArray, ratios: FloatArray, labels: IntArray, w: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return log scores of rows under weights w of the members, with gradients and curvatures in w.

    As :func:`power_scores` for several powers: gradients are ratios of the own class less expected ratios,
    curvatures are covariances of the ratios.
    """
    rows = np.arange(len(labels))
    log_probs = normalised(log_prior + ratios @ w)
    shares = np.exp(log_probs)[..., None]
    expected = (shares * ratios).sum(axis=1)
    around = ratios - expected[:, None, :]
    curvatures = np.matmul((shares * around).swapaxes(1, 2), around)
    return log_probs[rows, labels], ratios[rows, labels] - expected, curvatures


def _powers_left_out(
    ratios: FloatArray,
    log_prior: FloatArray,
    labels: IntArray,
    weights: FloatArray,
    copies: FloatArray,
    powers: FloatArray,
    t_left_out: FloatArray,
    free: BoolArray,
) -> FloatArray:
    """Return temperature times weight of each member without one copy of each row.

    One Newton step for the temperatures (``t_left_out``) and one for their products with the weights,
    starting from the optimum with all rows. The steps are in the products, because scores depend on these
    alone; only the penalty refers to the weights. Members at weight 0, which are not ``free``, remain there:
    a single row rarely changes which bounds are active.
    """
    _, gradients, curvatures = _scores(log_prior, ratios, labels, powers)
    # Gradient and curvature of the penalty on w = power / t, by the chain rule.
    pull = WEIGHT_STRENGTH * (powers / t_left_out - 1.0 / len(powers)) / t_left_out
    gradient = weights @ gradients - copies[:, None] * gradients - pull
    curvature = np.tensordot(weights, curvatures, 1) - copies[:, None, None] * curvatures
    curvature = curvature + WEIGHT_STRENGTH * np.eye(len(powers)) / (t_left_out**2)[:, None, :]
    steps = np.zeros_like(gradient)
    inner = curvature[:, free][:, :, free]
    steps[:, free] = np.linalg.solve(inner, gradient[:, free, None])[..., 0]
    return np.asarray(np.maximum(powers + steps, 0.0))


def _mixed(pool: FloatArray, log_prior: FloatArray, share: FloatArray) -> FloatArray:
    """Return the mixture of a pool and the class prior, in logs."""
    # A share of 1 leaves a log of 0 for the pool, which logaddexp ignores.
    with np.errstate(divide="ignore"):
        return normalised(np.logaddexp(np.log1p(-share) + pool, np.log(share) + log_prior))
