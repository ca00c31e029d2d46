"""The exact code length of a table under finite mixtures."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ...errors import Infeasible, InvalidParameter
from ...rules import PriorLike
from ...table import Schema
from ...table.infer import check_choice
from ...typing import IntArray
from .costs import Cost, refuse
from .enumeration import enumeration_cost, enumeration_log_sum
from .mixture import Mixture, class_norm_logs, mixture_of
from .subsets import layouts, subsets_cost, subsets_sums
from .sums import Sums
from .transform import transform_cost, transform_sums
from .weights import rounding_of_terms

Method: TypeAlias = Literal["auto", "enumeration", "subsets", "transform"]

MAX_ERROR = 1e-6
"""A code length that is not known to so many nats is not given."""


@dataclass(frozen=True, slots=True)
class ExactCodeLength:
    """An exact code length, and how it was found.

    Attributes
    ----------
    code_length : float
        Code length of the table with the number of components asked for, in nats.
    code_lengths : tuple of float, or None
        Code lengths with 1, 2, ... components, up to the number asked for. None where the method gives
        the last one only, or where the prior of a component depends on how many there are.
    error_bound : float
        Bound on the rounding error of each of these code lengths, in nats.
    method : {"enumeration", "subsets", "transform"}
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


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A method that applies: what it costs, and how to run it for so many components."""

    method: str
    cost: Cost
    sums: Callable[[int], Sums] | None


def exact_code_length(
    X: Any,
    n_components: int,
    *,
    prior: PriorLike = "uniform",
    schema: Schema | None = None,
    method: Method = "auto",
) -> ExactCodeLength:
    r"""Code length of a table when all finite mixtures with K components are averaged, in nats.

    .. math:: -\log P(D \mid K) = -\log \sum_Z P(Z, D \mid K)

    Equation (10) of [1]_, the stochastic complexity there: the sum goes over all :math:`K^N`
    clusterings Z of the N rows, and P(Z, D) is the evidence of the table completed by Z. Missing cells
    are marginalised.

    Parameters
    ----------
    X : data frame, array, or mapping of names to columns
        The rows.
    n_components : int
        Number of components K.
    prior : {"uniform", "jeffreys", "indifferent"}, float or Prior
        Dirichlet pseudocounts; a number is an equivalent sample size.
    schema : Schema, optional
        What the rows may hold; by default inferred from ``X``. A value outside is an error.
    method : {"auto", "enumeration", "subsets", "transform"}
        ``"enumeration"`` adds up all terms, for any prior. The others need a prior that is the same
        for all components, and give the code lengths with fewer components too: ``"subsets"`` splits
        off one cluster after another, never subtracts, and merges identical rows;
        ``"transform"`` is inclusion and exclusion in double-double arithmetic, for the largest tables.
        ``"auto"`` takes the one of the two that is estimated to be faster, or enumeration where
        the prior leaves no choice.

    Returns
    -------
    ExactCodeLength
        The code length with a bound on its error.

    Raises
    ------
    Infeasible
        When the estimated time or memory is above ``MAX_SECONDS`` or ``MAX_BYTES`` (ten minutes, 2 GB), or
        when the terms differ too much in size for floats: that takes hundreds of columns.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1997). On the accuracy of stochastic complexity
       approximations. Causal Models and Statistical Learning.

    Examples
    --------
    Two pairs of equal rows are about as well described by two components as by one:

    >>> result = exact_code_length([["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]], 2)
    >>> [round(code_length, 4) for code_length in result.code_lengths]
    [6.8024, 6.6222]
    >>> result.method, result.n_distinct_rows, result.error_bound < 1e-11
    ('subsets', 2, True)
    """
    check_choice("method", method, Method)
    mixture = mixture_of(X, n_components, prior, schema)
    cells, copies = np.unique(mixture.cells, axis=0, return_counts=True)
    if not mixture.n_rows:
        empty = (0.0,) * mixture.n_components
        return ExactCodeLength(0.0, empty, 0.0, "subsets" if method == "auto" else method, 0, 0, 0)
    for candidate in _affordable(mixture, cells, copies, method):
        result = _run(candidate, mixture, len(copies))
        if result is not None:
            return result
    raise Infeasible(f"{_described(mixture, len(copies))}: the terms differ too much in size for floats; take fewer columns, "
                     "more components, or method=\"enumeration\" on fewer rows")


def _affordable(mixture: Mixture, cells: IntArray, copies: IntArray, method: Method) -> list[_Candidate]:
    """The methods that apply, cheapest first; refused where none is within the limits."""
    candidates = sorted(_candidates(mixture, cells, copies, method), key=lambda candidate: candidate.cost.seconds)
    affordable = [candidate for candidate in candidates if candidate.cost.is_feasible]
    if not affordable:
        cheapest = candidates[0]
        raise refuse(f"{_described(mixture, len(copies))}, method {cheapest.method!r}", cheapest.cost)
    return affordable


def _candidates(mixture: Mixture, cells: IntArray, copies: IntArray, method: Method) -> list[_Candidate]:
    n_rows, n_components, n_variables = mixture.n_rows, mixture.n_components, mixture.n_variables
    if method == "enumeration" or (method == "auto" and not mixture.is_symmetric):
        return [_Candidate("enumeration", enumeration_cost(mixture), None)]
    if not mixture.is_symmetric:
        raise InvalidParameter(f"method={method!r}: it needs a prior that is the same for all components; give one, or pass "
                               'method="enumeration"')
    found = []
    if method in ("auto", "subsets"):
        costs = [(subsets_cost(layout, n_components, n_variables), layout) for layout in layouts(copies)]
        cost, layout = min(costs, key=lambda pair: pair[0].seconds)
        found.append(_Candidate("subsets", cost, lambda k: subsets_sums(mixture, cells, layout, k)))
    if method in ("auto", "transform"):
        cost = transform_cost(n_rows, n_components, n_variables)
        found.append(_Candidate("transform", cost, lambda k: transform_sums(mixture, mixture.cells, k)))
    return found


def _run(candidate: _Candidate, mixture: Mixture, n_distinct: int) -> ExactCodeLength | None:
    """The code lengths by one method; None where it does not give the last of them to ``MAX_ERROR``."""
    if candidate.sums is None:
        found = _by_enumeration(mixture)
    else:
        found = _by_sums(candidate.sums, mixture)
    last = mixture.n_components
    if last not in found:
        return None
    complete = mixture.is_prior_of_any_size and len(found) == last
    given = {k: found[k] for k in range(1, last + 1)} if complete else {last: found[last]}
    return ExactCodeLength(
        found[last][0],
        tuple(code_length for code_length, _ in given.values()) if complete else None,
        max(error for _, error in given.values()),
        candidate.method,
        mixture.n_rows,
        n_distinct,
        math.ceil(candidate.cost.n_bytes),
    )


def _by_enumeration(mixture: Mixture) -> dict[int, tuple[float, float]]:
    code_length = -enumeration_log_sum(mixture)
    n_components = mixture.n_components
    return {n_components: (code_length, rounding_of_terms(mixture, 0.0, n_components, code_length))}


def _by_sums(sums_of: Callable[[int], Sums], mixture: Mixture) -> dict[int, tuple[float, float]]:
    """Code length and error bound by number of components.

    Floats hold the sums of all numbers of components at once unless the table is very wide; those
    that were lost are computed again, scaled for themselves.
    """
    found: dict[int, tuple[float, float]] = {}
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


def _described(mixture: Mixture, n_distinct: int) -> str:
    return f"{mixture.n_rows} rows ({n_distinct} distinct), {mixture.n_components} components"
