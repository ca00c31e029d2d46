"""Posterior distribution of a mixture, by a Gibbs sampler on clusterings.

The probabilities are integrated out: a sweep draws the component of each row given those of all others, by
the same counts that predict it (Liu 1994, JASA 89). After each sweep that is kept, probabilities are drawn
from their Dirichlet distributions given the clustering. Components are then matched one to one with those
of a reference mixture with which they share most rows, so that draws of different sweeps and chains are
comparable.

The diagnostics of the chains are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), Bayesian
Analysis 16: chains are split in halves and draws replaced by normal scores of their ranks, so that heavy
tails do not matter.

Order of reading: :class:`PosteriorSample`, :func:`posterior_sample`, ``_chain``; then :func:`r_hat` and
:func:`effective_sample_size`. Depends on the sampler of :mod:`codelength.mixture.clusterings`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from ..._display import counted
from ...blocks import Block, Facts
from ...mixture._replications import Progress, repeat
from ...mixture.clusterings import ClusteringState, ObservedCells, drawn_labels, single_rows
from ...mixture.costs import check_memory
from ...mixture.parameters import MixtureParameters
from ...naive_bayes import PriorLike, pseudocounts
from ...table import Coded
from ...table.checks import check_choice, check_size, check_whole
from ...typing import FloatArray, IntArray
from .alignment import matching
from .coordinates import Coordinates
from .information import rows_in_use
from .intervals import Estimates, Intervals, check_level, quantile_bounds, with_shares

Start = Literal["mixture", "random"]


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorSample(Estimates):
    """Draws from the posterior distribution of a mixture, with components matched to a reference.

    Attributes
    ----------
    coordinates : Coordinates
        The reference mixture, and which of its estimates lie on the boundary.
    class_draws : array of shape (n_chains, n_draws, n_components)
        Class shares.
    value_draws : array of shape (n_chains, n_draws, n_components, n_cells)
        Value probabilities; 1 in the cells for missing.
    memberships : array of shape (n_rows, n_components)
        Share of the draws in which each single row was in each component.
    """

    coordinates: Coordinates
    class_draws: FloatArray
    value_draws: FloatArray
    memberships: FloatArray

    @cached_property
    def mean(self) -> MixtureParameters:
        """The posterior mean of the probabilities."""
        means = self.class_draws.mean(axis=(0, 1)), self.value_draws.mean(axis=(0, 1))
        return MixtureParameters(self.mixture.schema, *means)

    @cached_property
    def r_hat(self) -> tuple[FloatArray, FloatArray]:
        """R-hat of the class shares and of the value probabilities; NaN for cells that are not drawn."""
        return self._of_each(r_hat)

    @cached_property
    def effective_sample_size(self) -> tuple[FloatArray, FloatArray]:
        """Effective sample size of the class shares and of the value probabilities."""
        return self._of_each(effective_sample_size)

    def intervals(self, level: float = 0.95) -> Intervals:
        """Compute equal-tailed credible intervals."""
        level = check_level(level)
        of_classes = quantile_bounds(np.concatenate(self.class_draws), level)
        of_values = quantile_bounds(np.concatenate(self.value_draws), level)
        of_values[:, :, self.mixture.schema.offsets[1:] - 1] = np.nan
        return self._intervals(level, "posterior sample", of_classes, of_values)

    def _of_each(self, figure: Any) -> tuple[FloatArray, FloatArray]:
        draws = with_shares(self.value_draws, self.class_draws)
        found = np.empty(draws.shape[2:])
        for place in np.ndindex(found.shape):
            found[place] = figure(draws[:, :, *place])
        return found[:, -1], found[:, :-1]

    def _title(self) -> str:
        n_chains, n_draws = self.class_draws.shape[:2]
        return f"PosteriorSample: {counted(n_chains, 'chain')} of {counted(n_draws, 'draw')}"

    def _blocks(self) -> list[Block]:
        # Both diagnostics are undefined for a probability that never varies, such as that of a single class.
        r_hats, sizes = (
            [figure for part in parts for figure in part.ravel().tolist() if not np.isnan(figure)]
            for parts in (self.r_hat, self.effective_sample_size)
        )
        facts = [("largest R-hat", f"{max(r_hats):.3f}")] if r_hats else []
        if sizes:
            facts.append(("smallest effective sample size", f"{min(sizes):.0f}"))
        return [Facts(facts), *self.intervals()._blocks()]


def posterior_sample(
    coded: Coded,
    mixture: MixtureParameters,
    prior: PriorLike = "uniform",
    *,
    n_draws: int = 1000,
    n_warmup: int = 500,
    n_chains: int = 4,
    start: Start = "mixture",
    random_state: Any = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> PosteriorSample:
    """Draw mixtures from their posterior distribution.

    Parameters
    ----------
    coded : Coded
        The rows; one of weight 3 is taken for three rows.
    mixture : MixtureParameters
        The reference mixture; all draws have its number of components.
    prior : prior or its name
        Dirichlet pseudocounts, of any size above 0.
    n_draws, n_warmup, n_chains
        As in :meth:`codelength.FiniteMixture.posterior_sample`.
    start : {"mixture", "random"}
        Start of the chains: clusterings drawn from the mixture, or random labels. With the latter R-hat shows
        whether chains are trapped in other modes.
    random_state, n_threads, progress
        As in :func:`codelength.latent.inference.bootstrap`.

    Examples
    --------
    >>> from codelength.mixture import fit_mixture
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2]), [[0], [1], [1], [1]])
    >>> mixture, _ = fit_mixture(coded, 1)
    >>> posterior_sample(coded, mixture, random_state=0).mean.of(0).round(2)  # (1 + 1) / (4 + 2)
    array([[0.33, 0.67]])
    """
    check_choice("start", start, Start)
    check_whole("n_draws", n_draws, 4)
    check_whole("n_warmup", n_warmup, 0)
    check_size("n_chains", n_chains)
    rows = single_rows(rows_in_use(coded, mixture))
    check_memory(
        f"{n_chains * n_draws} draws", 8.0 * n_chains * n_draws * mixture.value_probs.size, "keep fewer draws"
    )
    spread, shares = pseudocounts(prior, rows.schema), mixture.responsibilities(rows)

    def chain(stream: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
        state = ClusteringState.empty(rows.schema, spread)
        if start == "random":
            labels = stream.integers(0, mixture.n_components, rows.n_rows)
        else:
            labels = drawn_labels(shares, stream)
        return _chain(rows, shares, labels, state, (n_warmup, n_draws), stream)

    of_classes, of_values, times = zip(
        *repeat(chain, n_chains, random_state, n_threads, progress), strict=True
    )
    coordinates = Coordinates.of(mixture, float(rows.n_rows))
    return PosteriorSample(coordinates, np.stack(of_classes), np.stack(of_values), np.mean(times, axis=0))


def _chain(
    rows: Coded,
    shares: FloatArray,
    labels: IntArray,
    state: ClusteringState,
    n_sweeps: tuple[int, int],
    stream: np.random.Generator,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the draws of one chain, and the share of them in which each row was in each component."""
    from ...mixture._kernels import fill, sweep

    (n_warmup, n_draws), schema, n_components = n_sweeps, rows.schema, rows.schema.n_classes
    of_classes, times = np.empty((n_draws, n_components)), np.zeros(shares.shape)
    of_values = np.empty((n_draws, n_components, schema.n_cells))
    observed, at = ObservedCells.of(rows), np.arange(rows.n_rows)
    fill(observed, labels, state)
    for number in range(-n_warmup, n_draws):
        sweep(observed, labels, stream.random(rows.n_rows), state)
        if number < 0:
            continue
        # Labels switch during a chain. Each draw is matched by shared rows, which is cheaper and more stable
        # than by probabilities.
        common = np.stack([shares[labels == k].sum(axis=0) for k in range(n_components)], axis=1)
        order = matching(-common)
        # Normalised gamma variables are Dirichlet; the counts in ``state`` include the pseudocounts.
        class_gammas = stream.standard_gamma(state.sizes)
        value_gammas = stream.standard_gamma(state.raised)
        totals = np.add.reduceat(value_gammas, schema.offsets[:-1])
        probs = value_gammas / np.repeat(totals, schema.n_values + 1, axis=0)
        probs[schema.offsets[1:] - 1] = 1.0
        of_classes[number] = (class_gammas / class_gammas.sum())[order]
        of_values[number] = probs.T[order]
        # ``order`` maps reference to component; its inverse maps the labels.
        times[at, np.argsort(order)[labels]] += 1 / n_draws
    return of_classes, of_values, times


def r_hat(draws: FloatArray) -> float:
    """Compute the scale reduction of chains of one quantity, the larger of that of location and of scale.

    Near 1 if the chains have mixed; above 1.01 they should be run longer.

    ``draws`` has shape (n_chains, n_draws), with at least four draws per chain. Draws that are all equal give
    NaN.

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
    decreasing = float(np.minimum.accumulate(pairs[:n_pairs]).sum())
    time = 2 * decreasing - 1 + max(float(correlations[2 * n_pairs]), 0)
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
    total = (n_draws - 1) / n_draws * within + between
    return float(np.sqrt(total / within)) if within > 0 else float("inf")


def _autocovariances(scores: FloatArray) -> FloatArray:
    n_draws = scores.shape[1]
    centred = scores - scores.mean(axis=1, keepdims=True)
    # Padded with zeros to twice the length, so that the circular convolution does not wrap around.
    spectrum = np.fft.rfft(centred, 2 * n_draws, axis=1)
    return np.asarray(np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :n_draws] / n_draws)
