"""The approximations under the names that the paper gives them, and what they approximate."""

from typing import Any

import numpy as np

from ....estimators.criteria import exact_of_codes, soft_shares
from ....mixture.best_clustering import best_clustering, local_optima
from ....mixture.clusterings import clustering_counts
from ....mixture.code_length.annealed import annealed_code_length
from ....mixture.code_length.cheeseman_stutz import cheeseman_stutz_code_length
from ....mixture.code_length.information_criteria import aic_code_length, bic_code_length
from ....mixture.code_length.neighbourhood import neighbourhood_code_length, neighbourhoods_code_length
from ....mixture.em import RestartsInfo, fit_mixture
from ....mixture.parameters import MixtureParameters, posterior_mode, with_components
from ....table import Schema
from ....typing import CodeArray, IntArray

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

N_CHAINS, N_TEMPERATURES = 50, 200

MOST_SEARCHED = 16
"""Rows up to which the best clustering is searched for exhaustively."""

N_CLIMBS = 100
"""Climbs to the best clustering of more rows."""


def approximations(schema: Schema, codes: CodeArray, n_components: int, seed: Any) -> dict[str, float]:
    """Code length of some rows by every method, in nats."""
    full = with_components(schema, n_components)
    found, restarts = fitted(full, codes, n_components, seed)
    shares = soft_shares(found, codes, 1)
    lengths = dict(zip(("LN", "C-S"), _by_clustering(full, codes, np.argmax(shares, axis=1)), strict=True))
    lengths["C-S soft"] = cheeseman_stutz_code_length(full, codes, shares, completion="soft")
    lengths |= {"BIC": bic_code_length(found, codes), "AIC": aic_code_length(found, codes)}
    best = most_probable(full, codes, n_components, seed)
    lengths |= {f"{name}*": length for name, length in at_clustering(full, codes, best).items()}
    lengths["LN+"] = neighbourhoods_code_length(full, codes, hard_ends(restarts, codes))
    optima = local_optima(full, codes, n_components, n_starts=N_STARTS, random_state=seed)
    lengths["LN+*"] = neighbourhoods_code_length(full, codes, [optimum.clustering for optimum in optima])
    return lengths


def at_clustering(schema: Schema, codes: CodeArray, clustering: IntArray) -> dict[str, float]:
    """Code length by the methods when the missing data is taken to be one clustering."""
    mode = posterior_mode(clustering_counts(schema, codes, clustering), "uniform")
    near, completed = _by_clustering(schema, codes, clustering)
    return {
        "LN": near,
        "C-S": completed,
        "BIC": bic_code_length(mode, codes),
        "AIC": aic_code_length(mode, codes),
    }


def most_probable(schema: Schema, codes: CodeArray, n_components: int, seed: Any) -> IntArray:
    """The most probable clustering, or the best of many climbs where there are too many to search."""
    if len(codes) <= MOST_SEARCHED:
        return best_clustering(schema, codes, n_components, random_state=seed).clustering
    found = best_clustering(schema, codes, n_components, method="climb", n_starts=N_CLIMBS, random_state=seed)
    return found.clustering


def fitted(
    schema: Schema, codes: CodeArray, n_components: int, seed: Any
) -> tuple[MixtureParameters, RestartsInfo]:
    """The most probable mixture that EM finds, and all its ends."""
    return fit_mixture(schema, codes, n_components, n_init=N_STARTS, random_state=seed, n_threads=1)


def hard_ends(restarts: RestartsInfo, codes: CodeArray) -> list[IntArray]:
    """The clustering at each end of EM: every row in its most probable component."""
    return [np.argmax(state.responsibilities(codes, 1), axis=1) for state in restarts.states]


def exact(schema: Schema, codes: CodeArray, most_components: int) -> dict[int, float]:
    """The exact code length for every number of components up to the most."""
    found = exact_of_codes(schema, codes, most_components).code_lengths
    assert found is not None  # the prior is the same for every component
    return dict(enumerate(found, 1))


def annealed(schema: Schema, codes: CodeArray, n_components: int, seed: Any) -> tuple[float, float]:
    """An estimate of the exact code length by annealed importance sampling, and its standard error."""
    found = annealed_code_length(
        schema,
        codes,
        n_components,
        n_chains=N_CHAINS,
        n_temperatures=N_TEMPERATURES,
        random_state=seed,
        n_threads=1,
    )
    return found.code_length, found.standard_error


def _by_clustering(schema: Schema, codes: CodeArray, clustering: IntArray) -> tuple[float, float]:
    return (
        neighbourhood_code_length(schema, codes, clustering),
        cheeseman_stutz_code_length(schema, codes, clustering),
    )
