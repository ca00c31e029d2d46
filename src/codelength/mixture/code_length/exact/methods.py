"""Methods of exact summation by name: applicability, estimated cost and results."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from ....errors import Infeasible, InvalidParameter
from ...costs import Cost, refuse
from .enumeration import enumeration_cost, enumeration_log_sum
from .problem import ClusteringSum
from .subsets import digit_orders, subsets_cost, subsets_sums
from .sums import Sums
from .transform import transform_cost, transform_sums
from .weights import rounding_of_terms

METHODS = ("auto", "enumeration", "subsets", "transform")

Found: TypeAlias = dict[int, tuple[float, float]]
"""Code length and bound on its error, by number of components."""

MAX_ERROR = 1e-6
"""Maximum error of a code length, in nats; less accurate results are not returned."""


@dataclass(frozen=True, slots=True)
class PricedMethod:
    """A method that applies to a table, with its estimated cost.

    ``run`` returns the code lengths whose error is at most ``MAX_ERROR``.
    """

    name: str
    cost: Cost
    run: Callable[[], Found]


def affordable(problem: ClusteringSum, method: str) -> list[PricedMethod]:
    """Return the methods that apply, fastest first; raise if none is within the limits."""
    if rounding_of_terms(problem, 0.0, problem.n_components, 0.0) > MAX_ERROR:
        raise Infeasible(
            f"{problem}: rounding errors of so many logarithms may add up to more than {MAX_ERROR:g} nats; "
            "take a sample of the rows"
        )
    methods = sorted(_applicable(problem, method), key=lambda priced: priced.cost.seconds)
    within_limits = [priced for priced in methods if priced.cost.is_feasible]
    if not within_limits:
        raise refuse(f"{problem}, method {methods[0].name!r}", methods[0].cost)
    return within_limits


def _applicable(problem: ClusteringSum, method: str) -> list[PricedMethod]:
    if method == "enumeration" or (method == "auto" and not problem.is_symmetric):
        return [PricedMethod("enumeration", enumeration_cost(problem), partial(_by_enumeration, problem))]
    if not problem.is_symmetric:
        raise InvalidParameter(
            f"method={method!r}: the prior differs between components; give one that is the same for all, or "
            'pass method="enumeration"'
        )
    found = []
    if method in ("auto", "subsets"):
        # The two orders of digits differ in speed by a factor that depends on the copies: both are priced.
        costs = [(subsets_cost(order, problem), order) for order in digit_orders(problem.distinct.copies)]
        cost, order = min(costs, key=lambda pair: pair[0].seconds)
        sums = partial(subsets_sums, problem, order)
        found.append(PricedMethod("subsets", cost, partial(_by_sums, problem, sums)))
    if method in ("auto", "transform"):
        sums = partial(transform_sums, problem)
        found.append(PricedMethod("transform", transform_cost(problem), partial(_by_sums, problem, sums)))
    return found


def _by_enumeration(problem: ClusteringSum) -> Found:
    code_length, n_components = -enumeration_log_sum(problem), problem.n_components
    return {n_components: (code_length, rounding_of_terms(problem, 0.0, n_components, code_length))}


def _by_sums(problem: ClusteringSum, sums_of: Callable[[int], Sums]) -> Found:
    """Compute the code lengths from sums for 1 .. n components.

    The sums of all numbers of components are in the range of floats at once unless the table is very wide;
    those that are not are computed again, with a scale of their own.
    """
    found: Found = {}
    n_components = problem.n_components
    while n_components:
        sums = sums_of(n_components)
        for k in range(1, n_components + 1):
            code_length = math.fsum(problem.class_norm_logs(k)) - float(sums.logs[k - 1])
            error = float(sums.errors[k - 1])
            error += rounding_of_terms(problem, sums.log_magnitude, k, code_length)
            if k not in found and error <= MAX_ERROR:
                found[k] = code_length, error
        if n_components not in found:
            break
        # The largest number that was lost gets the next scale, which may serve smaller ones as well.
        n_components = max((k for k in range(1, n_components) if k not in found), default=0)
    return found
