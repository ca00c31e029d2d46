"""Approximations under their names in the paper, and the code length they approximate."""

from typing import Any

from codelength.decisions import first_best_of_rows
from codelength.mixture.best_clustering import best_clustering, local_optima
from codelength.mixture.clusterings import clustering_counts
from codelength.mixture.code_length import (
    aic_code_length,
    annealed_code_length,
    bic_code_length,
    cheeseman_stutz_code_length,
    exact_code_length,
    neighbourhood_code_length,
    soft_shares,
    union_code_length,
)
from codelength.mixture.em import RestartsInfo, fit_mixture
from codelength.mixture.parameters import MixtureParameters, posterior_mode, with_components
from codelength.table import Coded
from codelength.typing import IntArray

AT_EM = ("LN", "C-S", "C-S soft", "BIC", "AIC")
"""At the end of EM: local neighbourhood, Cheeseman-Stutz with either completion, and two criteria."""

AT_BEST = ("LN*", "C-S*", "BIC*", "AIC*")
"""The same at the most probable clustering."""

SEVERAL = ("LN+", "LN+*")
"""The neighbourhoods of all ends of EM, or of all local optima of climbing as often, each clustering counted
once with all its renamings."""

METHODS = (*AT_EM, *AT_BEST, *SEVERAL)

N_STARTS = 20
"""Starts of EM, as in the paper."""

N_ITERATIONS, TOLERANCE = 1000, 1e-7
"""Stopping rule of EM, which the paper does not state."""

N_CHAINS, N_TEMPERATURES = 50, 200

MAX_SEARCHED = 16
"""Most rows for which the best clustering is found by exhaustive search."""

N_CLIMBS = 100
"""Hill climbs that search for the best clustering of more rows."""


def approximations(coded: Coded, n_components: int, seed: Any) -> dict[str, float]:
    """Return the code length of some rows by every method, in nats."""
    # The component becomes the target of the rows, as all functions below expect.
    rows = with_components(coded, n_components)
    found, restarts = fitted(rows, n_components, seed)
    shares = soft_shares(rows, found, 1)
    labels = first_best_of_rows(shares)
    lengths = {
        "LN": neighbourhood_code_length(rows, labels),
        "C-S": cheeseman_stutz_code_length(rows, labels),
        "C-S soft": cheeseman_stutz_code_length(rows, shares, completion="soft"),
        "BIC": bic_code_length(rows, found),
        "AIC": aic_code_length(rows, found),
    }
    best = most_probable(rows, n_components, seed)
    lengths |= {f"{name}*": length for name, length in at_clustering(rows, best).items()}
    lengths["LN+"] = union_code_length(rows, hard_ends(restarts, rows))
    optima = local_optima(rows, n_components, n_starts=N_STARTS, random_state=seed)
    lengths["LN+*"] = union_code_length(rows, [optimum.clustering for optimum in optima])
    return lengths


def at_clustering(rows: Coded, clustering: IntArray) -> dict[str, float]:
    """Return the code length by each method if the missing data is one given clustering."""
    # BIC and AIC need parameters: those that are most probable given the clustering.
    mode = posterior_mode(clustering_counts(rows, clustering), "uniform")
    return {
        "LN": neighbourhood_code_length(rows, clustering),
        "C-S": cheeseman_stutz_code_length(rows, clustering),
        "BIC": bic_code_length(rows, mode),
        "AIC": aic_code_length(rows, mode),
    }


def most_probable(rows: Coded, n_components: int, seed: Any) -> IntArray:
    """Return the most probable clustering, or the best of many climbs if there are too many to search."""
    if rows.n_rows <= MAX_SEARCHED:
        return best_clustering(rows, n_components, random_state=seed).clustering
    climbed = best_clustering(rows, n_components, method="climb", n_starts=N_CLIMBS, random_state=seed)
    return climbed.clustering


def fitted(rows: Coded, n_components: int, seed: Any) -> tuple[MixtureParameters, RestartsInfo]:
    """Return the most probable mixture that EM finds from random starts, as in the paper, and all ends."""
    return fit_mixture(
        rows,
        n_components,
        n_init=N_STARTS,
        init="random",
        max_iter=N_ITERATIONS,
        tol=TOLERANCE,
        random_state=seed,
        n_threads=1,
    )


def hard_ends(restarts: RestartsInfo, rows: Coded) -> list[IntArray]:
    """Return the clustering at each end of EM, with every row in its most probable component."""
    return [state.labels(rows, 1) for state in restarts.states]


def exact(rows: Coded, most_components: int) -> dict[int, float]:
    """Return the exact code length for every number of components up to the largest."""
    found = exact_code_length(rows, most_components).code_lengths
    assert found is not None  # the prior is the same for every component
    return dict(enumerate(found, 1))


def annealed(rows: Coded, n_components: int, seed: Any) -> tuple[float, float]:
    """Return an estimate of the exact code length by annealed importance sampling, and its error."""
    found = annealed_code_length(
        rows,
        n_components,
        n_chains=N_CHAINS,
        n_temperatures=N_TEMPERATURES,
        random_state=seed,
        n_threads=1,
    )
    return float(found), found.standard_error
