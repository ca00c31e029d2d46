"""Exact code length of a table under finite mixtures."""

import math
from dataclasses import dataclass
from typing import Any

from ...._display import Shown, counted, nats_and_bits
from ....blocks import Block, Facts, Grid
from ....errors import Infeasible
from ....naive_bayes import PriorLike
from ....table.checks import check_choice
from ...parameters import MixtureParameters
from .methods import METHODS, Found, PricedMethod, affordable
from .problem import ClusteringSum


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
    method : {"auto", "enumeration", "subsets", "transform"}
        ``"enumeration"`` adds up all terms, for any prior. The others need a prior that is the same
        for all components, and give the code lengths with fewer components too: ``"subsets"`` splits
        off one cluster after another, never subtracts, and merges identical rows;
        ``"transform"`` is inclusion and exclusion in double-double arithmetic, for the largest tables.
        ``"auto"`` takes the one of the two that is estimated to be faster, or enumeration if the prior
        differs between components.

    Returns
    -------
    ExactCodeLength
        The code length with a bound on its error.

    Raises
    ------
    Infeasible
        If the estimated time or memory is above ``MAX_SECONDS`` or ``MAX_BYTES`` (ten minutes, 2 GB), if the
        terms differ too much in size for floats, which takes hundreds of columns, or if too much of an
        alternating sum cancels.

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
    if not problem.n_rows:
        empty = (0.0,) * problem.n_components
        return ExactCodeLength(0.0, empty, 0.0, "subsets" if method == "auto" else method, 0, 0, 0)
    # Fastest first; a method that loses too many digits on this table gives way to the next.
    for priced in affordable(problem, method):
        found = priced.run()
        if problem.n_components in found:
            return _result(found, priced, problem)
    if method == "transform":
        why = 'too much of the sum cancels; pass method="subsets", which does not subtract'
    else:
        why = "its terms differ too much in size for floats; take fewer columns or more components"
    raise Infeasible(f"{problem}, method={method!r}: {why}")


def _result(found: Found, priced: PricedMethod, problem: ClusteringSum) -> ExactCodeLength:
    last = problem.n_components
    # A prior that depends on the number of components gives one code length, not those of smaller numbers.
    complete = problem.is_prior_of_any_size and len(found) == last
    given = [found[k] for k in range(1, last + 1)] if complete else [found[last]]
    return ExactCodeLength(
        found[last][0],
        tuple(code_length for code_length, _ in given) if complete else None,
        max(error for _, error in given),
        priced.name,
        problem.n_rows,
        len(problem.distinct.copies),
        math.ceil(priced.cost.n_bytes),
    )
