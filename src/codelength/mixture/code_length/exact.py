r"""Exact code length of a table under finite mixtures: the sum over all K ** N clusterings.

``"enumeration"`` adds up all terms, for any prior; ``"subsets"`` splits clusters off one after another, which
is less work by far. Order of reading: :func:`exact_code_length`, :func:`clustering_log_terms`.

Depends on ``clustering_sum`` (rows and prior) and ``subsets`` (weights of clusters, and bounds on rounding
errors).
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..._display import Shown, counted, nats_and_bits
from ...blocks import Block, Facts, Grid
from ...errors import Infeasible, InvalidParameter
from ...naive_bayes import PriorLike
from ...table.checks import check_choice
from ...typing import FloatArray, IntArray
from ..costs import Cost, count_of, refuse
from ..parameters import MixtureParameters
from .clustering_sum import ClusteringSum, cells_of
from .subsets import digit_order, rounding_of_terms, subsets_cost, subsets_sums

METHODS = ("auto", "enumeration", "subsets")

MAX_ERROR = 1e-6
"""Maximum error of a code length, in nats; less accurate results are not returned."""

_MAX_CHUNK = 1 << 16
_TERMS_PER_SECOND = 2e8

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
    # A prior that depends on the number of components gives one code length, not those of smaller numbers.
    is_complete = problem.is_prior_of_any_size and len(found) == problem.n_components
    given = [found[k] for k in sorted(found)] if is_complete else [found[problem.n_components]]
    return ExactCodeLength(
        given[-1][0],
        tuple(code_length for code_length, _ in given) if is_complete else None,
        max(error for _, error in given),
        method,
        problem.n_rows,
        len(problem.distinct.copies),
        math.ceil(cost.n_bytes),
    )


def _by_enumeration(problem: ClusteringSum) -> tuple[Found, Cost]:
    cost = _affordable(f"{problem}, method 'enumeration'", enumeration_cost(problem))
    # Each chunk relative to its own largest term, then all chunks relative to the largest of them.
    code_length = -_log_sum([_log_sum(terms) for terms in _log_terms(problem)])
    error = rounding_of_terms(problem, 0.0, problem.n_components, code_length)
    return {problem.n_components: (code_length, error)}, cost


def _by_subsets(problem: ClusteringSum) -> tuple[Found, Cost]:
    """Compute the code lengths with 1 .. n components whose error is at most ``MAX_ERROR``.

    The sums of all numbers of components are in the range of floats at once unless the table is very wide;
    those that are not are computed again, with a scale of their own.
    """
    if not problem.is_symmetric:
        raise InvalidParameter(
            'method="subsets": the prior differs between components; give one that is the same for all, or '
            'pass method="enumeration"'
        )
    order = digit_order(problem.distinct.copies)
    cost = _affordable(f"{problem}, method 'subsets'", subsets_cost(problem, order))
    found: Found = {}
    n_components = problem.n_components
    while n_components:
        logs, errors, magnitude = subsets_sums(problem, order, n_components)
        for k in range(1, n_components + 1):
            code_length = problem.log_norm(k) - float(logs[k - 1])
            error = float(errors[k - 1]) + rounding_of_terms(problem, magnitude, k, code_length)
            if k not in found and error <= MAX_ERROR:
                found[k] = code_length, error
        if n_components not in found:
            break
        # The largest number that was lost gets the next scale, which may serve smaller ones as well.
        n_components = max((k for k in range(1, n_components) if k not in found), default=0)
    return found, cost


def _affordable(what: str, cost: Cost) -> Cost:
    """Return the cost; raise if it is above the limits."""
    if not cost.is_feasible:
        raise refuse(what, cost)
    return cost


def _log_sum(logs: Any) -> float:
    largest = float(np.max(logs))
    return largest + math.log(math.fsum(np.exp(np.asarray(logs) - largest)))


def clustering_log_terms(
    rows: Any, mixture: MixtureParameters | int, prior: PriorLike = "uniform"
) -> FloatArray:
    r"""Compute log P(Z, D) of every clustering Z of the rows, in nats.

    Equation (9) of the 1997 paper for each of the :math:`K^N` terms of the sum (11): the evidence of the
    table completed by the clustering. A term occurs as often as the clustering has labellings.

    Parameters
    ----------
    rows, mixture, prior
        As in :func:`exact_code_length`.

    Returns
    -------
    array of shape (n_components ** n_rows,)
        In lexicographic order of the clusterings: term t is the clustering whose components are the
        digits of t to the base K, the first row the most significant.

    Examples
    --------
    >>> terms = clustering_log_terms([["red"], ["blue"]], 2)
    >>> np.exp(terms).round(4)
    array([0.0556, 0.0417, 0.0417, 0.0556])
    """
    problem = ClusteringSum.of(rows, mixture, prior)
    cost = enumeration_cost(problem)
    cost = Cost(cost.seconds, cost.n_bytes + 8 * count_of(problem.n_rows * math.log(problem.n_components)))
    _affordable(f"all terms of {problem.n_rows} rows and {problem.n_components} components", cost)
    return np.concatenate(list(_log_terms(problem)))


def enumeration_cost(problem: ClusteringSum) -> Cost:
    """Estimate the cost of summing all terms."""
    n_rows, n_components = problem.n_rows, problem.n_components
    n_terms, n_sets = count_of(n_rows * math.log(n_components)), count_of(n_rows * math.log(2))
    n_looked_up = n_components * (n_terms + n_sets * (problem.n_variables + 2))
    n_bytes = 8 * n_components * (n_sets + 2 * min(n_terms, _MAX_CHUNK)) + problem.table_bytes
    return Cost(n_looked_up / _TERMS_PER_SECOND, n_bytes)


def _log_terms(problem: ClusteringSum) -> Iterator[FloatArray]:
    """Yield log P(Z, D) of all clusterings in lexicographic order, many at a time.

    Given the clustering, components are independent: a term is a sum of one look-up for each component, in a
    table of all sets of rows. A set is a number whose lowest bit is the last row.
    """
    from ._subset_kernels import subset_log_weights

    n_rows, n_components = problem.n_rows, problem.n_components
    cells = np.ascontiguousarray(cells_of(problem.coded.repeated())[::-1])
    single = np.ones(n_rows, dtype=np.int64)
    weights = [
        subset_log_weights(cells, single, problem.spares, *problem.step_tables(k))
        for k in range(1 if problem.is_symmetric else n_components)
    ]
    norm = problem.log_norm(n_components)
    n_last = 0
    while n_last < n_rows and n_components ** (n_last + 1) <= _MAX_CHUNK:
        n_last += 1
    last = _sets_of_rows(n_components, n_last)
    for labels in itertools.product(range(n_components), repeat=n_rows - n_last):
        terms = np.full(last.shape[1], -norm)
        for k in range(n_components):
            first = sum(1 << n for n, label in enumerate(reversed(labels), n_last) if label == k)
            terms += weights[k % len(weights)][last[k] + first]
        yield terms


def _sets_of_rows(n_components: int, n_rows: int) -> IntArray:
    """Return the rows of each component in each clustering, shape (n_components, n_components ** n_rows)."""
    places = np.arange(n_rows)[::-1, None]
    labels = np.arange(n_components**n_rows) // n_components**places % n_components
    return np.stack([((labels == k) << places).sum(axis=0) for k in range(n_components)])
