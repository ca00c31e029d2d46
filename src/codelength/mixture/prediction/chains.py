"""Predictions averaged over clusterings drawn from the posterior by Markov chains.

``"gibbs"``: chains start at the fitted mixture, and all draws count the same. ``"annealed"``: chains start at
several optima and approach the posterior step by step, which gives each chain the weight of its optimum
(Neal 2001, Statistics and Computing 11); so optima between which no chain moves are weighted correctly.
Both have a standard error: that of a ratio of means, from the spread between chains.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...naive_bayes import PriorLike, pseudocounts
from ...table import Coded
from ...table.checks import check_number, check_random_state, check_size, check_whole
from ...typing import IntArray
from .._replications import repeat
from ..clusterings import ClusteringState, ObservedCells, drawn_labels, single_rows
from ..code_length.annealed import MAX_COMPONENTS, ChainStart, annealed_start
from ..costs import check_memory
from ..parameters import MixtureParameters
from .products import ProductMixture

USUAL = {"gibbs": (10, 100), "annealed": (50, 20)}
"""Chains and draws by method: annealed chains need a larger number, because their weights differ."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Amount of work for answers that are not exact.

    Attributes
    ----------
    n_chains : int, optional
        Independent chains, each with its own random stream; at least 2, for the standard error.
    n_draws : int, optional
        Sweeps of each chain that count. The defaults of both depend on the method; see :data:`USUAL`.
    n_warmup : int
        Sweeps before them that do not count.
    n_temperatures : int
        Steps of annealing from the start to the posterior.
    max_iter : int
        Maximum number of iterations of the continued EM.
    tol : float
        EM ends when an iteration gains less than this, in nats.
    """

    n_chains: int | None = None
    n_draws: int | None = None
    n_warmup: int = 100
    n_temperatures: int = 100
    max_iter: int = 1000
    tol: float = 1e-9

    def checked(self, method: str) -> "Effort":
        """Return the options with the defaults of a method; raise if one is not valid."""
        if self.n_chains is not None:
            check_whole("n_chains", self.n_chains, 2, 10_000)
        if self.n_draws is not None:
            check_size("n_draws", self.n_draws)
        check_whole("n_warmup", self.n_warmup, 0)
        check_size("n_temperatures", self.n_temperatures)
        check_size("max_iter", self.max_iter)
        check_number("tol", self.tol)
        n_chains, n_draws = USUAL.get(method, USUAL["gibbs"])
        return replace(self, n_chains=self.n_chains or n_chains, n_draws=self.n_draws or n_draws)


def drawn_products(
    rows: Coded, mixture: MixtureParameters, prior: PriorLike, method: str, effort: Effort, random_state: Any
) -> list[ProductMixture]:
    """Draw clusterings by chains; return the products of each chain, with its importance weight.

    Parameters
    ----------
    rows : Coded
        The rows that were learned from.
    mixture : MixtureParameters
        The mixture fitted to them, at which Gibbs chains start.
    prior : prior or its name
        Dirichlet pseudocounts.
    method : {"gibbs", "annealed"}
        The kind of chains.
    effort : Effort
        Options of the chains, with the defaults of the method.
    random_state : int, sequence of int, generator or None
        Seed of the chains; the result does not depend on the number of threads.
    """
    from .._kernels import fill, sweep

    n_chains, n_draws = effort.n_chains or 0, effort.n_draws or 0
    single = single_rows(mixture.coded(rows))
    # All products of all draws are kept, to predict further rows without new draws.
    n_bytes = 16.0 * n_chains * n_draws * mixture.n_components * (single.schema.n_cells + 1)
    check_memory(f"{n_chains * n_draws:,} clusterings", n_bytes, "draw fewer")
    spread, observed = pseudocounts(prior, single.schema), ObservedCells.of(single)

    def at_mixture(stream: np.random.Generator) -> tuple[IntArray, ClusteringState, float]:
        labels, state = drawn_labels(shares, stream), ClusteringState.empty(single.schema, spread)
        fill(observed, labels, state)
        for _ in range(effort.n_warmup):
            sweep(observed, labels, stream.random(len(labels)), state)
        return labels, state, 0.0

    start: ChainStart = at_mixture
    if method == "annealed":
        random_state = np.random.default_rng(check_random_state(random_state))
        is_uniform = mixture.n_components > MAX_COMPONENTS
        start = annealed_start(single, spread, is_uniform, effort.n_temperatures, random_state)
    else:
        shares = mixture.responsibilities(single)

    def chain(stream: np.random.Generator) -> ProductMixture:
        labels, state, log_weight = start(stream)
        parts = []
        for _ in range(n_draws):
            sweep(observed, labels, stream.random(len(labels)), state)
            parts.append(ProductMixture.of_state(single.schema, state, log_weight))
        return ProductMixture.joined(parts)

    return repeat(chain, n_chains, random_state, None, None)
