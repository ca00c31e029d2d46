"""The methods by name: which of them apply to a table, what they cost, and what they find."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from ....errors import InvalidParameter
from .costs import Cost, refuse
from .enumeration import enumeration_cost, enumeration_log_sum
from .mixture import DistinctRows, Mixture, class_norm_logs
from .subsets import layouts, subsets_cost, subsets_sums
from .sums import Sums
from .transform import transform_cost, transform_sums
from .weights import rounding_of_terms

Method: TypeAlias = Literal["auto", "enumeration", "subsets", "transform"]

Found: TypeAlias = dict[int, tuple[float, float]]
"""Code length and bound on its error, by number of components."""

MAX_ERROR = 1e-6
"""A code length that is not known to so many nats is not given."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A method that applies to a table.

    Attributes
    ----------
    method : str
        Its name.
    cost : Cost
        What it is estimated to cost.
    run : callable
        Finds the code lengths, those that are known to ``MAX_ERROR``.
    """

    method: str
    cost: Cost
    run: Callable[[], Found]


def affordable(mixture: Mixture, distinct: DistinctRows, method: Method) -> list[Candidate]:
    """The methods that apply, fastest first; refused where none is within the limits."""
    candidates = sorted(_candidates(mixture, distinct, method), key=lambda candidate: candidate.cost.seconds)
    within_limits = [candidate for candidate in candidates if candidate.cost.is_feasible]
    if not within_limits:
        raise refuse(f"{described(mixture, distinct)}, method {candidates[0].method!r}", candidates[0].cost)
    return within_limits


def described(mixture: Mixture, distinct: DistinctRows) -> str:
    """The table and the mixture in a few words, for messages."""
    unequal = "" if mixture.is_symmetric else " with unequal priors"
    rows = f"{mixture.n_rows} rows ({len(distinct.copies)} distinct)"
    return f"{rows}, {mixture.n_components} components{unequal}"


def _candidates(mixture: Mixture, distinct: DistinctRows, method: Method) -> list[Candidate]:
    if method == "enumeration" or (method == "auto" and not mixture.is_symmetric):
        return [Candidate("enumeration", enumeration_cost(mixture), partial(_by_enumeration, mixture))]
    if not mixture.is_symmetric:
        raise InvalidParameter(
            f"method={method!r}: the prior differs between components; give one that is the same for all, or "
            'pass method="enumeration"'
        )
    found = []
    if method in ("auto", "subsets"):
        costs = [(subsets_cost(layout, mixture), layout) for layout in layouts(distinct.copies)]
        cost, layout = min(costs, key=lambda pair: pair[0].seconds)
        sums = partial(subsets_sums, mixture, distinct, layout)
        found.append(Candidate("subsets", cost, partial(_by_sums, mixture, sums)))
    if method in ("auto", "transform"):
        sums = partial(transform_sums, mixture)
        found.append(Candidate("transform", transform_cost(mixture), partial(_by_sums, mixture, sums)))
    return found


def _by_enumeration(mixture: Mixture) -> Found:
    code_length, n_components = -enumeration_log_sum(mixture), mixture.n_components
    return {n_components: (code_length, rounding_of_terms(mixture, 0.0, n_components, code_length))}


def _by_sums(mixture: Mixture, sums_of: Callable[[int], Sums]) -> Found:
    """The code lengths from sums for 1 .. n components.

    Floats hold the sums of all numbers of components at once unless the table is very wide; those
    that were lost are computed again, scaled for themselves.
    """
    found: Found = {}
    n_components = mixture.n_components
    while n_components:
        sums = sums_of(n_components)
        for k in range(1, n_components + 1):
            code_length = math.fsum(class_norm_logs(mixture, k)) - float(sums.logs[k - 1])
            error = float(sums.errors[k - 1])
            error += rounding_of_terms(mixture, sums.log_magnitude, k, code_length)
            if k not in found and error <= MAX_ERROR:
                found[k] = code_length, error
        if n_components not in found:
            break
        n_components = max((k for k in range(1, n_components) if k not in found), default=0)
    return found
