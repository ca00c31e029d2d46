r"""Convergence diagnostics of Markov chains: R-hat and effective sample size.

Both are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), Bayesian Analysis 16: chains
are split in halves and draws replaced by normal scores of their ranks, so that heavy tails do not matter.
"""

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from ...typing import FloatArray


def r_hat(draws: FloatArray) -> float:
    """Compute the scale reduction of chains of one quantity, the larger of that of location and of scale.

    Near 1 if the chains have mixed; above 1.01 they should be run longer.

    Parameters
    ----------
    draws : array of shape (n_chains, n_draws)
        At least four draws per chain. Draws that are all equal give NaN.

    Examples
    --------
    >>> chains = np.random.default_rng(0).normal(size=(4, 500))
    >>> round(r_hat(chains), 2), r_hat(chains + [[0], [0], [0], [3]]) > 1.2
    (1.0, True)
    """
    halves = _halves(draws)
    if np.ptp(halves) == 0:
        return float("nan")
    # Chains with equal means but different spread are detected on the folded draws.
    folded = np.abs(halves - np.median(halves))
    return max(_reduction(_scores(halves)), _reduction(_scores(folded)))


def effective_sample_size(draws: FloatArray) -> float:
    """Compute the number of independent draws that are worth as much for the centre of the distribution.

    Parameters
    ----------
    draws : array of shape (n_chains, n_draws)
        As in :func:`r_hat`.

    Examples
    --------
    >>> chains = np.random.default_rng(0).normal(size=(4, 500))
    >>> 1500 < effective_sample_size(chains) < 2500
    True
    >>> effective_sample_size(np.cumsum(chains, axis=1)) < 50
    True
    """
    halves = _halves(draws)
    if np.ptp(halves) == 0:
        return float("nan")
    scores = _scores(halves)
    n_chains, n_draws = scores.shape
    covariances = _autocovariances(scores).mean(axis=0)
    within = covariances[0] * n_draws / (n_draws - 1)
    total = covariances[0] + scores.mean(axis=1).var(ddof=1)
    # Autocorrelations over all chains: chains that have not mixed look correlated at every lag.
    correlations = 1 - (within - covariances) / total
    correlations[0] = 1.0
    # Sums of neighbouring autocorrelations are positive and decreasing in theory (Geyer 1992): the sum is
    # truncated at the first that is not positive, and made decreasing.
    n_pairs = max(0, (n_draws - 3) // 2)
    pairs = correlations[: 2 * n_pairs].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0)
    n_pairs = int(negative[0]) if len(negative) else n_pairs
    time = (
        -1
        + 2 * float(np.minimum.accumulate(pairs[:n_pairs]).sum())
        + max(float(correlations[2 * n_pairs]), 0)
    )
    size = n_chains * n_draws
    # Antithetic chains may be worth more than their draws; the bound is that of the paper.
    return float(size / max(time, 1 / np.log10(size)))


def _halves(draws: FloatArray) -> FloatArray:
    """Split each chain into two; a draw in the middle is dropped."""
    half = draws.shape[1] // 2
    return np.concatenate((draws[:, :half], draws[:, -half:]))


def _scores(draws: FloatArray) -> FloatArray:
    # Ranks over all chains together, with the offsets of Blom (1958).
    ranks = rankdata(draws, method="average").reshape(draws.shape)
    return np.asarray(ndtri((ranks - 0.375) / (draws.size + 0.25)))


def _reduction(scores: FloatArray) -> float:
    n_draws = scores.shape[1]
    within = float(scores.var(axis=1, ddof=1).mean())
    between = float(scores.mean(axis=1).var(ddof=1))
    return (
        float(np.sqrt(((n_draws - 1) / n_draws * within + between) / within)) if within > 0 else float("inf")
    )


def _autocovariances(scores: FloatArray) -> FloatArray:
    n_draws = scores.shape[1]
    centred = scores - scores.mean(axis=1, keepdims=True)
    # Padded with zeros to twice the length, so that the circular convolution does not wrap around.
    spectrum = np.fft.rfft(centred, 2 * n_draws, axis=1)
    return np.asarray(np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :n_draws] / n_draws)
