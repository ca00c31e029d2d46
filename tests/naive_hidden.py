"""The predictive distributions of a mixture from their definitions, with hidden components.

As in ``naive``: nothing is imported from the package, and nothing is clever. Every combination of the values
asked about is put into the new row, and the definition is worked out for the rows with that row among them.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import naive
from naive import Labels, Parameters, Prior, Row, Rows


def filled(row: Row, asked: Sequence[int], n_values: Sequence[int]) -> list[tuple[tuple[int, ...], list]]:
    """Every combination of the values asked about, and the row that has them."""
    found = []
    for values in itertools.product(*(range(n_values[i]) for i in asked)):
        full = list(row)
        for i, value in zip(asked, values, strict=True):
            full[i] = value
        found.append((values, full))
    return found


def normalised(weights: dict) -> dict:
    """Weights as probabilities."""
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


def from_logs(logs: dict) -> dict:
    """Probabilities from log weights."""
    highest = max(logs.values())
    return normalised({key: math.exp(value - highest) for key, value in logs.items()})


def evidence(rows: Rows, row: Row, asked: Sequence[int], prior: Prior) -> dict[tuple[int, ...], Fraction]:
    """P(D, d) / P(D), both summed over all clusterings, given what is known of d."""
    return normalised(
        {
            values: naive.mixture_evidence(naive.mixture_terms([*rows, full], prior))
            for values, full in filled(row, asked, naive.n_values_of(prior))
        }
    )


def most_probable(row: Row, asked: Sequence[int], parameters: Parameters, n_values: Sequence[int]) -> dict:
    """P(d | one mixture), given what is known of d."""
    return normalised(
        {values: sum(naive.joint_probs(full, parameters)) for values, full in filled(row, asked, n_values)}
    )


def near(rows: Rows, row: Row, asked: Sequence[int], prior: Prior, centres: Sequence[Labels]) -> dict:
    """The average over all clusterings that differ in at most one row from a centre, under any names."""
    n_components = len(prior.class_pseudocounts)
    clusterings = set()
    for centre in centres:
        for names in itertools.permutations(range(n_components)):
            renamed = [names[k] for k in centre]
            clusterings.add(tuple(renamed))
            clusterings |= {tuple(other) for other in naive.neighbours(renamed, n_components)}
    weights = {}
    for values, full in filled(row, asked, naive.n_values_of(prior)):
        weights[values] = sum(
            naive.evidence(naive.clustering_counts([*rows, full], [*clustering, k], prior), prior)
            for clustering in sorted(clusterings)
            for k in range(n_components)
        )
    return normalised(weights)


def climbed(
    rows: Rows, row: Row, prior: Prior, parameters: Parameters, n_first: int, n_iterations: int
) -> naive.EmState:
    """EM on all rows and the new one, begun at the parameters.

    The new row starts in one component, or as the parameters have it; the start that is best after
    ``n_first`` iterations goes on.
    """
    n_components = len(prior.class_pseudocounts)
    shares = [_shares(naive.joint_probs(other, parameters)) for other in rows]
    joint = naive.joint_probs(row, parameters)
    starts = [_shares(joint)] if sum(joint) > 0 else []
    starts += [[float(k == own) for k in range(n_components)] for own in range(n_components)]
    first = [naive.em([*rows, row], [*shares, start], prior, n_first)[-1] for start in starts]
    best = first[naive.argmax([log_posterior(state, prior) for state in first])]
    return naive.em([*rows, row], best.responsibilities, prior, n_iterations - n_first)[-1]


def log_posterior(state: naive.EmState, prior: Prior) -> float:
    """The log-likelihood, and what the prior adds up to a constant."""
    probs = state.parameters
    blocks = [(prior.class_pseudocounts, probs.class_probs)]
    for pseudocounts, values in zip(prior.value_pseudocounts, probs.value_probs, strict=True):
        blocks += zip(pseudocounts, values, strict=True)
    terms = [(a - 1) * math.log(p) for own, block in blocks for a, p in zip(own, block, strict=True) if a > 1]
    return state.log_likelihood + sum(terms)


def cheeseman_stutz(
    rows: Rows, row: Row, asked: Sequence[int], prior: Prior, parameters: Parameters, *iterations: int
) -> dict[tuple[int, ...], float] | None:
    """The approximation for all rows and the new one, each in its most probable component by EM.

    None where two components are equally probable for some row, so that rounding decides.
    """
    logs = {}
    for values, full in filled(row, asked, naive.n_values_of(prior)):
        shares = climbed(rows, full, prior, parameters, *iterations).responsibilities
        if any(len(own) > 1 and sorted(own)[-1] - sorted(own)[-2] < 1e-9 for own in shares):
            return None
        labels = [naive.argmax(own) for own in shares]
        logs[values] = -naive.cheeseman_stutz_hard([*rows, full], labels, prior)
    return from_logs(logs)


def stochastic_complexity(
    rows: Rows, row: Row, asked: Sequence[int], prior: Prior, parameters: Parameters, *iterations: int
) -> dict[tuple[int, ...], float]:
    """The likelihood of all rows and the new one after so many iterations of EM, begun at the parameters."""
    uniform = naive.uniform_prior(naive.n_values_of(prior), len(prior.class_pseudocounts))
    return from_logs(
        {
            values: climbed(rows, full, uniform, parameters, *iterations).log_likelihood
            for values, full in filled(row, asked, naive.n_values_of(prior))
        }
    )


def _shares(weights: Sequence[float]) -> list[float]:
    return [weight / sum(weights) for weight in weights]
