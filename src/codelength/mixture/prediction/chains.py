"""Predictions averaged over clusterings drawn from the posterior by Markov chains.

``"gibbs"``: chains start at the fitted mixture, and all draws count the same. ``"annealed"``: chains start at
several optima and approach the posterior step by step, which gives each chain the weight of its optimum
(Neal 2001, Statistics and Computing 11); so optima between which no chain moves are weighted correctly.
Both have a standard error: that of a ratio of means, from the spread between chains.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from ...naive_bayes import PriorLike, Pseudocounts, pseudocounts
from ...table import Coded
from ...table.checks import check_random_state, check_size, check_whole
from ...typing import FloatArray, IntArray
from .._replications import repeat
from ..clusterings import ClusteringState, ObservedCells, exchangeable, single_rows
from ..code_length._references import Reference
from ..code_length.annealed import MAX_COMPONENTS, NAME_POWER
from ..costs import check_memory
from ..parameters import MixtureParameters
from .products import Products


@dataclass(frozen=True, slots=True)
class Chains:
    """Options of the chains.

    Attributes
    ----------
    n_chains : int
        Independent chains, each with its own random stream; at least 2, for the standard error.
    n_draws, n_warmup : int
        Sweeps of each chain that count, and sweeps before them that do not.
    n_temperatures : int
        Steps of annealing from the start to the posterior.
    """

    n_chains: int = 10
    n_draws: int = 100
    n_warmup: int = 100
    n_temperatures: int = 100

    @classmethod
    def usual(cls, method: str, n_chains: int | None = None, n_draws: int | None = None) -> "Chains":
        """Return the default options: annealed chains need a larger number, because their weights differ."""
        usual = (50, 20) if method == "annealed" else (10, 100)
        return cls(usual[0] if n_chains is None else n_chains, usual[1] if n_draws is None else n_draws)

    def check(self) -> None:
        """Raise if an option is not valid."""
        check_whole("n_chains", self.n_chains, 2, 10_000)
        check_size("n_draws", self.n_draws)
        check_whole("n_warmup", self.n_warmup, 0)
        check_size("n_temperatures", self.n_temperatures)


def gibbs_products(
    rows: Coded, mixture: MixtureParameters, prior: PriorLike, chains: Chains, random_state: Any
) -> list[Products]:
    """Draw clusterings by Gibbs chains that start at the mixture; return the products of each chain.

    Parameters
    ----------
    rows : Coded
        The rows that were learned from.
    mixture : MixtureParameters
        The mixture fitted to them.
    prior : prior or its name
        Dirichlet pseudocounts.
    chains : Chains
        Options of the chains.
    random_state : int, sequence of int, generator or None
        Seed of the chains.

    Returns
    -------
    list of Products
        One per chain.
    """
    setting = _Setting.of(rows, mixture, prior, chains)
    shares = mixture.responsibilities(setting.rows)

    def start(stream: np.random.Generator) -> tuple[IntArray, ClusteringState, float]:
        from .._gibbs_kernels import fill, sweep

        labels, state = _drawn(shares, stream), setting.empty()
        fill(setting.observed, labels, state)
        for _ in range(chains.n_warmup):
            sweep(setting.observed, labels, stream.random(len(labels)), state)
        return labels, state, 0.0

    return setting.run(start, random_state)


def annealed_products(
    rows: Coded, mixture: MixtureParameters, prior: PriorLike, chains: Chains, random_state: Any
) -> list[Products]:
    """Draw clusterings by annealed chains; return the products of each, with its importance weight.

    Parameters
    ----------
    rows : Coded
        The rows that were learned from.
    mixture : MixtureParameters
        The mixture fitted to them.
    prior : prior or its name
        Dirichlet pseudocounts.
    chains : Chains
        Options of the chains.
    random_state : int, sequence of int, generator or None
        Seed of the chains.

    Returns
    -------
    list of Products
        One per chain.
    """
    setting = _Setting.of(rows, mixture, prior, chains)
    n_components, n_rows = mixture.n_components, setting.rows.n_rows
    generator = np.random.default_rng(check_random_state(random_state))
    is_uniform = n_components > MAX_COMPONENTS
    reference = (
        Reference.uniform(n_rows, n_components)
        if is_uniform
        else Reference.at_optima(setting.rows, setting.prior, generator)
    )
    powers = np.linspace(0.0, 1.0, chains.n_temperatures + 1)
    names = exchangeable(setting.prior)
    log_renamings = float(gammaln(np.unique(names, return_counts=True)[1] + 1).sum())

    def start(stream: np.random.Generator) -> tuple[IntArray, ClusteringState, float]:
        from ..code_length._annealing_kernels import anneal, log_name_share

        labels, state = np.zeros(n_rows, dtype=np.int64), setting.empty()
        log_weight = float(anneal(setting.observed, state, reference, powers, stream, labels))
        if not is_uniform:
            # The weight includes the names that the chain did not visit; predictions do not depend on names.
            log_weight += log_renamings + float(log_name_share(labels, reference, NAME_POWER, names))
        return labels, state, log_weight

    return setting.run(start, generator)


Start = Callable[[np.random.Generator], tuple[IntArray, ClusteringState, float]]
"""Function from a random stream to a clustering, its counts, and the log weight of the chain."""


@dataclass(frozen=True, eq=False, slots=True)
class _Setting:
    """Single rows, a prior and options that all chains share."""

    rows: Coded
    observed: ObservedCells
    prior: Pseudocounts
    chains: Chains

    @classmethod
    def of(cls, rows: Coded, mixture: MixtureParameters, prior: PriorLike, chains: Chains) -> "_Setting":
        """Prepare the rows; raise if the products would not fit into memory."""
        single = single_rows(mixture.coded(rows))
        n_products = chains.n_chains * chains.n_draws * mixture.n_components
        # All products of all draws are kept, to predict further rows without new draws.
        check_memory(
            f"{chains.n_chains * chains.n_draws:,} clusterings",
            16.0 * n_products * (single.schema.n_cells + 1),
            "draw fewer",
        )
        return cls(single, ObservedCells.of(single), pseudocounts(prior, single.schema), chains)

    def empty(self) -> ClusteringState:
        """Return counts without rows."""
        return ClusteringState.empty(self.rows.schema, self.prior)

    def run(self, start: Start, random_state: Any) -> list[Products]:
        """Run all chains; the result does not depend on the number of threads."""

        def chain(stream: np.random.Generator) -> Products:
            from .._gibbs_kernels import sweep

            labels, state, log_weight = start(stream)
            parts = []
            for _ in range(self.chains.n_draws):
                sweep(self.observed, labels, stream.random(len(labels)), state)
                parts.append(Products.of_state(self.rows.schema, state, log_weight))
            return Products.joined(parts)

        return repeat(chain, self.chains.n_chains, random_state, None, None)


def _drawn(shares: FloatArray, stream: np.random.Generator) -> IntArray:
    """Draw a component for each row from its shares."""
    ends = np.cumsum(shares, axis=1)
    # Scaled by the last cumulated share, which is 1 only up to rounding.
    drawn = (stream.random((len(shares), 1)) * ends[:, -1:] >= ends).sum(axis=1)
    return np.asarray(np.minimum(drawn, shares.shape[1] - 1), dtype=np.int64)
