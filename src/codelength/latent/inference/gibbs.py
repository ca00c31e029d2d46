"""Posterior distribution of a mixture, by a Gibbs sampler on clusterings.

The probabilities are integrated out: a sweep draws the component of each row given those of all others, by
the same counts that predict it (Liu 1994, JASA 89). After each sweep that is kept, probabilities are drawn
from their Dirichlet distributions given the clustering. Components are then matched one to one with those
of a reference mixture with which they share most rows, so that draws of different sweeps and chains are
comparable.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ..._display import Shown, counted
from ...blocks import Block, Facts
from ...errors import DataError
from ...mixture._replications import Progress, repeat
from ...mixture.clusterings import ClusteringState, ObservedCells, drawn_labels, single_rows
from ...mixture.costs import check_memory
from ...mixture.parameters import MixtureParameters
from ...naive_bayes import PriorLike, pseudocounts
from ...table import Coded
from ...table.checks import check_choice, check_size, check_whole
from ...typing import FloatArray, IntArray
from .alignment import matching
from .convergence import effective_sample_size, r_hat
from .coordinates import Coordinates
from .intervals import Intervals, check_level, quantile_bounds

Start = Literal["mixture", "random"]


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorSample(Shown):
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

    @property
    def mixture(self) -> MixtureParameters:
        """The reference mixture."""
        return self.coordinates.mixture

    @cached_property
    def mean(self) -> MixtureParameters:
        """The posterior mean of the probabilities."""
        mixture = self.mixture
        return MixtureParameters(
            mixture.schema, self.class_draws.mean(axis=(0, 1)), self.value_draws.mean(axis=(0, 1))
        )

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
        level, mixture = check_level(level), self.mixture
        of_values = quantile_bounds(self.value_draws.reshape(-1, *mixture.value_probs.shape), level)
        of_values[:, :, mixture.schema.offsets[1:] - 1] = np.nan
        return Intervals(
            mixture,
            level,
            "posterior sample",
            quantile_bounds(self.class_draws.reshape(-1, mixture.n_components), level),
            of_values,
            self.coordinates.class_boundary,
            self.coordinates.value_boundary,
        )

    def _of_each(self, figure: Any) -> tuple[FloatArray, FloatArray]:
        of_classes = np.array([figure(self.class_draws[:, :, k]) for k in range(self.mixture.n_components)])
        of_values = np.full(self.mixture.value_probs.shape, np.nan)
        for place in np.ndindex(of_values.shape):
            of_values[place] = figure(self.value_draws[:, :, *place])
        return of_classes, of_values

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
    n_draws, n_warmup : int
        Sweeps of each chain that are kept, and sweeps before them that are not.
    n_chains : int
        Number of chains, each with its own random stream.
    start : {"mixture", "random"}
        Start of the chains: clusterings drawn from the mixture, or random labels. With the latter R-hat shows
        whether chains are trapped in other modes.
    random_state, n_threads, progress
        As in :func:`codelength.latent.inference.bootstrap`.

    Returns
    -------
    PosteriorSample
        The draws of all chains.

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
    rows = single_rows(mixture.coded(coded))
    if not rows.n_rows:
        raise DataError("there are no rows to learn from; give the rows that the mixture was fitted to")
    check_memory(
        f"{n_chains * n_draws} draws", 8.0 * n_chains * n_draws * mixture.value_probs.size, "keep fewer draws"
    )
    spread, observed = pseudocounts(prior, rows.schema), ObservedCells.of(rows)
    shares = mixture.responsibilities(rows)

    def chain(stream: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
        state = ClusteringState.empty(rows.schema, spread)
        if start == "random":
            labels = stream.integers(0, mixture.n_components, rows.n_rows)
        else:
            labels = drawn_labels(shares, stream)
        return _chain(observed, rows, shares, labels, state, n_draws, n_warmup, stream)

    found = repeat(chain, n_chains, random_state, n_threads, progress)
    return PosteriorSample(
        Coordinates.of(mixture, float(rows.n_rows)),
        np.stack([of_classes for of_classes, _, _ in found]),
        np.stack([of_values for _, of_values, _ in found]),
        np.mean([times for _, _, times in found], axis=0),
    )


def _chain(
    observed: ObservedCells,
    rows: Coded,
    shares: FloatArray,
    labels: IntArray,
    state: ClusteringState,
    n_draws: int,
    n_warmup: int,
    stream: np.random.Generator,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    from ...mixture._kernels import fill, sweep

    schema, n_components = rows.schema, rows.schema.n_classes
    of_classes = np.empty((n_draws, n_components))
    of_values = np.empty((n_draws, n_components, schema.n_cells))
    times, at = np.zeros((rows.n_rows, n_components)), np.arange(rows.n_rows)
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
