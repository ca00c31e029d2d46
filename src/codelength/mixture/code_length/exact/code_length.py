"""Exact code length of a table under finite mixtures."""

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

from ...._display import Shown, counted, nats_and_bits
from ....blocks import Block, Facts, Grid
from ....errors import Infeasible, InvalidParameter
from ....naive_bayes import PriorLike
from ....table.checks import check_choice
from ...costs import Cost, refuse
from ...parameters import MixtureParameters
from .enumeration import enumeration_cost, enumeration_log_sum
from .problem import ClusteringSum
from .subsets import DigitOrder, cheapest_order, subsets_sums
from .weights import rounding_of_terms

METHODS = ("auto", "enumeration", "subsets")

MAX_ERROR = 1e-6
"""Maximum error of a code length, in nats; less accurate results are not returned."""

Found: TypeAlias = dict[int, tuple[float, float]]
"""Code length and bound on its error, by number of components."""


@dataclass(frozen=True, slots=True, repr=False)
class ExactCodeLength(Shown):
    """An exact code length, with the method and a bound on its error.

    Attributes
    ----------
    code_length : float
        Code length of the table with the requested number of components, in nats.
    code_lengths : tuple of float, or None
        Code lengths with 1, 2, ... components, up to the requested number. None if the method gives the last
        one only, or if the prior of a component depends on the number of components.
    error_bound : float
        Bound on the rounding error of each of these code lengths, in nats.
    method : {"enumeration", "subsets"}
        The method used.
    n_rows, n_distinct_rows : int
        Rows of the table, and distinct ones among them.
    memory_bytes : int
        Memory that the method was estimated to need.
    """

    code_length: float
    code_lengths: tuple[float, ...] | None
    error_bound: float
    method: str
    n_rows: int
    n_distinct_rows: int
    memory_bytes: int

    def __float__(self) -> float:
        return self.code_length

    def _title(self) -> str:
        return f"exact code length: {nats_and_bits(self.code_length, 3)}"

    def _blocks(self) -> list[Block]:
        rows = f"{counted(self.n_rows, 'row')}, {self.n_distinct_rows:,} distinct"
        facts = [("rows", rows), ("method", self.method), ("error at most", f"{self.error_bound:.1g} nats")]
        lengths = [
            [f"{size}", f"{length:.3f}", f"{length / math.log(2):.3f}"]
            for size, length in enumerate(self.code_lengths or (), start=1)
        ]
        return [Facts(facts), *([Grid("", ["components", "nats", "bits"], lengths)] if lengths else [])]


def exact_code_length(
    rows: Any,
    mixture: MixtureParameters | int,
    prior: PriorLike = "uniform",
    *,
    random_state: Any = 0,
    method: str = "auto",
) -> ExactCodeLength:
    r"""Compute the code length of a table averaged over all finite mixtures with K components, in nats.

    .. math:: -\log P(D \mid K) = -\log \sum_Z P(Z, D \mid K)

    Equation (10) of the 1997 paper, the stochastic complexity there: the sum is over all :math:`K^N`
    clusterings Z of the N rows, and P(Z, D) is the evidence of the table completed by Z. Missing cells
    are marginalised.

    Parameters
    ----------
    rows, prior, random_state
        As in :data:`codelength.mixture.code_length.CRITERIA`. The prior may differ between components;
        nothing is random.
    mixture : int or MixtureParameters
        Number of components K, or a mixture with that number.
    method : {"auto", "enumeration", "subsets"}
        ``"enumeration"`` adds up all terms, for any prior. ``"subsets"`` splits off one cluster after
        another, never subtracts, and merges identical rows; it needs a prior that is the same for all
        components, and gives the code lengths with fewer components too. ``"auto"`` takes subsets if the
        prior allows it.

    Returns
    -------
    ExactCodeLength
        The code length with a bound on its error.

    Raises
    ------
    Infeasible
        If the estimated time or memory is above ``MAX_SECONDS`` or ``MAX_BYTES`` (ten minutes, 2 GB), or if
        the terms differ too much in size for floats, which takes hundreds of columns.

    Examples
    --------
    Two components describe two pairs of equal rows better than one:

    >>> result = exact_code_length([["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]], 2)
    >>> [round(code_length, 4) for code_length in result.code_lengths]
    [6.8024, 6.1827]
    >>> result.method, result.n_distinct_rows, result.error_bound < 1e-11
    ('subsets', 2, True)
    """
    check_choice("method", method, METHODS)
    problem = ClusteringSum.of(rows, mixture, prior)
    if method == "auto":
        method = "subsets" if problem.is_symmetric else "enumeration"
    if not problem.n_rows:
        return ExactCodeLength(0.0, (0.0,) * problem.n_components, 0.0, method, 0, 0, 0)
    if rounding_of_terms(problem, 0.0, problem.n_components, 0.0) > MAX_ERROR:
        raise Infeasible(
            f"{problem}: rounding errors of so many logarithms may add up to more than {MAX_ERROR:g} nats; "
            "take a sample of the rows"
        )
    found, cost = _by_enumeration(problem) if method == "enumeration" else _by_subsets(problem)
    if problem.n_components not in found:
        raise Infeasible(
            f"{problem}, method={method!r}: its terms differ too much in size for floats; take fewer columns "
            "or more components"
        )
    return _result(found, method, cost, problem)


def _by_enumeration(problem: ClusteringSum) -> tuple[Found, Cost]:
    cost, n_components = _affordable(problem, "enumeration", enumeration_cost(problem)), problem.n_components
    code_length = -enumeration_log_sum(problem)
    return {n_components: (code_length, rounding_of_terms(problem, 0.0, n_components, code_length))}, cost


def _by_subsets(problem: ClusteringSum) -> tuple[Found, Cost]:
    if not problem.is_symmetric:
        raise InvalidParameter(
            'method="subsets": the prior differs between components; give one that is the same for all, or '
            'pass method="enumeration"'
        )
    order, cost = cheapest_order(problem)
    _affordable(problem, "subsets", cost)
    return _accurate_lengths(problem, order), cost


def _affordable(problem: ClusteringSum, method: str, cost: Cost) -> Cost:
    """Return the cost; raise if it is above the limits."""
    if not cost.is_feasible:
        raise refuse(f"{problem}, method {method!r}", cost)
    return cost


def _accurate_lengths(problem: ClusteringSum, order: DigitOrder) -> Found:
    """Compute the code lengths with 1 .. n components whose error is at most ``MAX_ERROR``.

    The sums of all numbers of components are in the range of floats at once unless the table is very wide;
    those that are not are computed again, with a scale of their own.
    """
    found: Found = {}
    n_components = problem.n_components
    while n_components:
        sums = subsets_sums(problem, order, n_components)
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


def _result(found: Found, method: str, cost: Cost, problem: ClusteringSum) -> ExactCodeLength:
    last = problem.n_components
    # A prior that depends on the number of components gives one code length, not those of smaller numbers.
    complete = problem.is_prior_of_any_size and len(found) == last
    given = [found[k] for k in range(1, last + 1)] if complete else [found[last]]
    return ExactCodeLength(
        found[last][0],
        tuple(code_length for code_length, _ in given) if complete else None,
        max(error for _, error in given),
        method,
        problem.n_rows,
        len(problem.distinct.copies),
        math.ceil(cost.n_bytes),
    )
