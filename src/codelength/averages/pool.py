r"""Log-linear pool of class distributions, with temperatures, mixed with the class prior.

.. math:: \log p(c) = \log P(c) + \sum_k w_k\, t_k \bigl(\log p_k(c) - \log P(c)\bigr) + \text{constant}

The temperatures :math:`t_k` and the weights :math:`w_k` maximise the log score of held-out predictions of the
members, less a penalty that shrinks them towards 1 and :math:`1/K`. Both problems have one optimum, so the
result does not depend on the start of the search or on the order of rows and members.

Order of reading: :meth:`Pool.fit` calls :func:`temperature`, :func:`pool_weights` and :func:`prior_share`.
The private functions below them leave one row out of each of these steps.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from scipy.special import expit

from .._codec import Savable, Saved
from ..typing import FloatArray, IntArray
from .member import normalised
from .tempering import PowerPrior, best_power, power_scores, powers_left_out

TEMPERATURE_STRENGTH = 15.0
"""Penalty on the logarithm of a temperature, which shrinks temperatures towards 1."""

LEAST_TEMPERATURE, LARGEST_TEMPERATURE = 0.05, 3.0

WEIGHT_STRENGTH = 100.0
"""Penalty on weights, which shrinks them towards equal weights."""

LEAST_SHARE = 0.25
"""Smallest share of the class prior, in rows."""

TOLERANCE = 1e-11
"""The search for weights ends if no weight changes by more."""

MAX_STEPS = 200


def temperature(
    held_out: FloatArray,
    log_prior_left_out: FloatArray,
    labels: IntArray,
    weights: FloatArray,
    strength: float = TEMPERATURE_STRENGTH,
) -> float:
    r"""Return the best power of the ratio of one member to the class prior.

    The temperature t maximises the log score of :func:`tempered` held-out predictions less
    :math:`\frac{\text{strength}}{2} (\ln t)^2`, within [0.05, 3].

    Parameters
    ----------
    held_out : array of shape (n_rows, n_classes)
        Held-out log probabilities of the classes by one member.
    log_prior_left_out : array of shape (n_rows, n_classes)
        Log class prior without each row.
    labels, weights : array of shape (n_rows,)
        Class codes and weights of the rows.
    strength : float
        Strength of the penalty.

    Examples
    --------
    A member that is right three times in four, but predicts to be right nine times in ten:

    >>> held_out = np.log([[0.9, 0.1]] * 400)
    >>> labels = np.arange(400) % 4 // 3
    >>> round(temperature(held_out, np.log(np.full((400, 2), 0.5)), labels, np.ones(400), strength=0.0), 3)
    0.5
    """
    ratios = held_out - log_prior_left_out
    return best_power(log_prior_left_out, ratios, labels, weights, _temperature_prior(strength))


def tempered(log_probs: FloatArray, log_prior: FloatArray, t: float) -> FloatArray:
    r"""Return :math:`P(c) (p(c) / P(c))^t` in logs, normalised: the class prior at t = 0, p at t = 1.

    Parameters ``log_probs`` and ``log_prior`` are the logs of p and P, ``t`` is the temperature.

    Examples
    --------
    >>> np.exp(tempered(np.log([[0.9, 0.1]]), np.log([0.5, 0.5]), 0.5)).round(6)
    array([[0.75, 0.25]])
    """
    return normalised(log_prior + t * (log_probs - log_prior))


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
    log_prior_left_out, labels, weights, strength
        As for :func:`temperature`.
    """
    ratios = _ratios(held_outs, log_prior_left_out)
    centre = np.full(len(held_outs), 1.0 / len(held_outs))

    def objective(w: FloatArray) -> "_Objective":
        """Return the penalised log score at weights w, with gradient and curvature."""
        scores = _scores(log_prior_left_out, ratios, labels, w)
        return _Objective(
            float(weights @ scores.log_scores) - strength / 2 * float(((w - centre) ** 2).sum()),
            weights @ scores.gradients - strength * (w - centre),
            np.tensordot(weights, scores.curvatures, 1) + strength * np.eye(len(w)),
        )

    w, here = centre, objective(centre)
    for _ in range(MAX_STEPS):
        # Weights at the bound whose gradient points outwards are held there (the active set of Bertsekas
        # 1982).
        free = (w > 0.0) | (here.gradient > 0.0)
        step = np.zeros_like(w)
        step[free] = np.linalg.solve(here.curvature[np.ix_(free, free)], here.gradient[free])
        length = 1.0
        # A full Newton step first: near the optimum it converges quadratically, and it is halved only if the
        # objective falls.
        there = np.maximum(w + step, 0.0)
        found = objective(there)
        # The rounding error of the objective is about 1e-15 of its size; differences below it do not count.
        slack = 1e-13 * (1.0 + abs(here.value))
        while found.value < here.value - slack and length > 1e-9:
            length /= 2
            there = np.maximum(w + length * step, 0.0)
            found = objective(there)
        moved = np.abs(there - w).max()
        w, here = there, found
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
    """
    return normalised(log_prior + np.tensordot(w, log_probs - log_prior, 1))


def prior_share(
    pool_held_out: FloatArray, log_prior_left_out: FloatArray, labels: IntArray, weights: FloatArray
) -> float:
    """Return the posterior probability of the class prior against the pool, from their held-out scores.

    The prior odds are the root of n to 1 for the class prior, with n the weight of all rows: the pool pays
    half of log n, the cost of one free parameter in any code. A table without information about the class
    thus does not favour the pool by chance. The share is at least 0.25 / (n + 1), so that every class
    with a positive prior probability remains possible.

    Parameters
    ----------
    pool_held_out : array of shape (n_rows, n_classes)
        Held-out log probabilities of the pool.
    log_prior_left_out : array of shape (n_rows, n_classes)
        Log class prior without each row.
    labels, weights : array of shape (n_rows,)
        Class codes and weights of the rows.

    Examples
    --------
    Two rows with probability 3/4 under the pool and 1/2 under the class prior: the odds are 4 to 9, times
    the root of two.

    >>> pool, prior = np.log([[0.75, 0.25]] * 2), np.log([[0.5, 0.5]] * 2)
    >>> round(prior_share(pool, prior, np.array([0, 0]), np.ones(2)), 6) == round(1 / (1 + 9 / 4 / 2**0.5), 6)
    True
    """
    rows = np.arange(len(labels))
    ahead = weights @ (pool_held_out - log_prior_left_out)[rows, labels]
    return float(_posterior_share(ahead, weights.sum()))


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
        FloatArray, Saved(lambda known: (known.n_members,), low=0.0, high=LARGEST_TEMPERATURE)
    ]
    weights: Annotated[FloatArray, Saved(lambda known: (known.n_members,), low=0.0)]
    share: Annotated[float, Saved(low=0.0, high=1.0)]

    @classmethod
    def fit(
        cls,
        held_outs: FloatArray,
        log_prior_left_out: FloatArray,
        labels: IntArray,
        weights: FloatArray,
        copy_weights: FloatArray | None = None,
    ) -> tuple["Pool", FloatArray]:
        """Fit the pool of members; return it with its held-out predictions of the training rows.

        Parameters
        ----------
        held_outs : array of shape (n_members, n_rows, n_classes)
            Held-out log probabilities of the classes by the members.
        log_prior_left_out : array of shape (n_rows, n_classes)
            Log class prior without one copy of each row.
        labels, weights : array of shape (n_rows,)
            Class codes and weights of the rows.
        copy_weights : array of shape (n_rows,), optional
            Weight that is left out at each row; by default all of it.

        Returns
        -------
        pool : Pool
            Fitted to all rows.
        held_out : array of shape (n_rows, n_classes)
            Log probabilities of each row by a pool fitted without one copy of the row.
        """
        copies = weights if copy_weights is None else copy_weights
        temperatures = np.array([temperature(one, log_prior_left_out, labels, weights) for one in held_outs])
        cooled = np.array(
            [tempered(one, log_prior_left_out, t) for one, t in zip(held_outs, temperatures, strict=True)]
        )
        w = pool_weights(cooled, log_prior_left_out, labels, weights)
        ratios = _ratios(held_outs, log_prior_left_out)
        powers = _powers_left_out(ratios, log_prior_left_out, labels, weights, copies, temperatures, w)
        without = normalised(log_prior_left_out + np.einsum("nck,nk->nc", ratios, powers))
        share = prior_share(without, log_prior_left_out, labels, weights)
        shares = _shares_left_out(without, log_prior_left_out, labels, weights, copies)
        return cls(temperatures, w, share), _mixed(without, log_prior_left_out, shares[:, None])

    def log_probs(self, member_log_probs: FloatArray, log_prior: FloatArray) -> FloatArray:
        """Return log probabilities of the classes, given those of the members in the first axis."""
        pool = pooled(member_log_probs, log_prior, self.weights * self.temperatures)
        return _mixed(pool, log_prior, np.array(self.share))

    @classmethod
    def from_json(cls, document: Mapping[str, Any], n_members: int) -> "Pool":
        """Restore the pool that :meth:`to_json` wrote; raise DataError if the document is not valid."""
        return cls.restored(document, n_members=n_members)


class _Scores(NamedTuple):
    """Log score of each row under weights of the members, with its derivatives."""

    log_scores: FloatArray
    gradients: FloatArray
    curvatures: FloatArray


class _Objective(NamedTuple):
    value: float
    gradient: FloatArray
    curvature: FloatArray


def _ratios(log_probs: FloatArray, log_prior: FloatArray) -> FloatArray:
    """Return log ratios of members to the class prior, shape (n_rows, n_classes, n_members)."""
    # Members last, so that sums over them are matrix products on contiguous memory.
    return np.ascontiguousarray(np.moveaxis(log_probs - log_prior, 0, -1))


def _scores(log_prior: FloatArray, ratios: FloatArray, labels: IntArray, w: FloatArray) -> _Scores:
    """Return scores and derivatives in w.

    The pool is an exponential family in w: gradients are ratios of the own class less expected ratios,
    curvatures are covariances of the ratios.
    """
    rows = np.arange(len(labels))
    log_probs = normalised(log_prior + ratios @ w)
    shares = np.exp(log_probs)[..., None]
    expected = (shares * ratios).sum(axis=1)
    around = ratios - expected[:, None, :]
    return _Scores(
        log_probs[rows, labels],
        ratios[rows, labels] - expected,
        np.matmul((shares * around).swapaxes(1, 2), around),
    )


def _powers_left_out(
    ratios: FloatArray,
    log_prior: FloatArray,
    labels: IntArray,
    weights: FloatArray,
    copies: FloatArray,
    temperatures: FloatArray,
    w: FloatArray,
) -> FloatArray:
    """Return temperature times weight of each member without one copy of each row.

    One Newton step for the temperatures and one for their products with the weights, starting from the
    optimum with all rows. The steps are in the products, because scores depend on these alone; only the
    penalty refers to the weights.
    """
    t_left_out = np.empty((len(labels), len(w)))
    for k, t in enumerate(temperatures):
        own = power_scores(log_prior, ratios[..., k], labels, t)
        t_left_out[:, k] = powers_left_out(own, t, weights, copies, _temperature_prior(TEMPERATURE_STRENGTH))
    powers = temperatures * w
    scores = _scores(log_prior, ratios, labels, powers)
    # Members at weight 0 remain there: a single row rarely changes which bounds are active.
    free = w > TOLERANCE
    # Gradient and curvature of the penalty on w = power / t, by the chain rule.
    pull = WEIGHT_STRENGTH * (powers / t_left_out - 1.0 / len(w)) / t_left_out
    gradient = weights @ scores.gradients - copies[:, None] * scores.gradients - pull
    curvature = np.tensordot(weights, scores.curvatures, 1) - copies[:, None, None] * scores.curvatures
    curvature = curvature + WEIGHT_STRENGTH * np.eye(len(w)) / (t_left_out**2)[:, None, :]
    steps = np.zeros_like(gradient)
    inner = curvature[:, free][:, :, free]
    steps[:, free] = np.linalg.solve(inner, gradient[:, free, None])[..., 0]
    return np.asarray(np.maximum(powers + steps, 0.0))


def _shares_left_out(
    pool: FloatArray, log_prior: FloatArray, labels: IntArray, weights: FloatArray, copies: FloatArray
) -> FloatArray:
    """Return the share of the class prior without one copy of each row."""
    ahead = (pool - log_prior)[np.arange(len(labels)), labels]
    return _posterior_share(weights @ ahead - copies * ahead, np.maximum(weights.sum() - copies, 0.0))


def _posterior_share(ahead: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the share of the prior, given the lead of the pool in nats on rows of some weight."""
    # The logistic function of the log odds, without overflow for any lead.
    share = expit(0.5 * np.log(np.maximum(weight, 1.0)) - ahead)
    return np.asarray(np.maximum(share, LEAST_SHARE / (weight + 1.0)))


def _mixed(pool: FloatArray, log_prior: FloatArray, share: FloatArray) -> FloatArray:
    """Return the mixture of a pool and the class prior, in logs."""
    # A share of 1 leaves a log of 0 for the pool, which logaddexp ignores.
    with np.errstate(divide="ignore"):
        return normalised(np.logaddexp(np.log1p(-share) + pool, np.log(share) + log_prior))


def _temperature_prior(strength: float) -> PowerPrior:
    """Return the prior of temperatures."""
    return PowerPrior(1.0, strength, LEAST_TEMPERATURE, LARGEST_TEMPERATURE)
