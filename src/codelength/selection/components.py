"""Choice of the number of components of a finite mixture.

Order of reading: :func:`choose_components` (the search), ``_fitted`` (one number of components),
``_largest_first`` (the order of components). Depends on ``comparison`` for the table of all numbers.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..counts import Counts
from ..decisions import is_better
from ..errors import Infeasible
from ..mixture.cache import CachedRows, Rows
from ..mixture.code_length import CRITERIA, ON_DISK_CRITERIA, standard_error
from ..mixture.em import EMInfo, Layout, RestartsInfo, SearchSummary, check_shared_out, fit_mixture
from ..mixture.em.restarts import MAX_STARTS
from ..mixture.parameters import MixtureParameters, mode_prior, posterior_mode, with_components
from ..naive_bayes import PriorLike, pseudocounts
from ..table.checks import check_choice
from ..typing import IntArray
from .comparison import Comparison, compare

SAME_SHARE = 1e-6
"""Shares that differ by less are equal: EM does not determine shares to more digits."""

LEAST_LEAD = 2.0
"""Number of standard errors by which an estimated code length must be shorter to count as shorter."""


@dataclass(frozen=True, slots=True)
class Restarts:
    """Starts of EM and its end for each number of components, as in :func:`codelength.mixture.fit_mixture`.

    Attributes
    ----------
    n_init : int
        Number of starts.
    reached, max_init : int
        Times that the best solution has to be found, and maximum number of starts until then.
    init : str
        Kind of start.
    max_iter : int
        Maximum number of iterations.
    tol : float
        Gain of an iteration that ends a run, in nats per row.
    """

    n_init: int = 20
    reached: int = 5
    max_init: int = MAX_STARTS
    init: str = "mixed"
    max_iter: int = 1000
    tol: float = 1e-11


@dataclass(frozen=True, eq=False, slots=True)
class ComponentsResult:
    """The number of components chosen, and the fits that it was chosen from.

    Attributes
    ----------
    mixture : MixtureParameters
        The most probable mixture with that number of components, the largest component first.
    restarts : RestartsInfo
        Diagnostics of EM for that number.
    path : dict of int to float
        Code length, in nats, of every number of components that could be chosen.
    comparison : Comparison
        Table of all numbers of components.
    mixtures : dict of int to MixtureParameters
        The most probable mixture of each number of components.
    """

    mixture: MixtureParameters
    restarts: RestartsInfo
    path: dict[int, float]
    comparison: Comparison
    mixtures: dict[int, MixtureParameters]


def choose_components(
    coded: Rows,
    sizes: Iterable[int],
    criterion: str = "cheeseman_stutz",
    prior: PriorLike = "uniform",
    *,
    patience: int | None = None,
    restarts: Restarts | None = None,
    seed: int = 0,
    needs_mode: bool = True,
) -> ComponentsResult:
    """Fit mixtures with several numbers of components and keep the one with the shortest code length.

    A single component is always fitted, as a baseline, but chosen only if it is among the numbers to try.

    Of code lengths that are equal up to rounding, or estimated and less than two standard errors apart, the
    one with fewer components is kept.

    Parameters
    ----------
    coded : Coded or CachedRows
        The rows; equal rows are merged once for all numbers of components.
    sizes : iterable of int
        Numbers of components to try, in increasing order.
    criterion : str
        The code length that chooses: one of ``codelength.mixture.code_length.CRITERIA``.
    prior : prior or its name
        Pseudocounts, none of them below 1 if ``needs_mode``.
    patience : int, optional
        Number of consecutive sizes without gain that ends the search; by default all are tried.
    restarts : Restarts, optional
        Starts and end of EM; by default 20 starts, and more until the best solution was found five times.
    seed : int
        Seed; every number of components has its own random stream, independent of the other numbers.
    needs_mode : bool
        Whether the mixture has to be the most probable one under the prior. If not, EM climbs under the
        uniform prior if a pseudocount is below 1.

    Raises
    ------
    Infeasible
        If the criterion needs all rows in memory, and they are on disk.

    Examples
    --------
    >>> from codelength.sources import as_coded
    >>> coded = as_coded({name: ["yes", "no"] * 10 for name in ("feathers", "eggs", "wings")})
    >>> found = choose_components(coded, range(1, 5))
    >>> found.mixture.n_components, sorted(found.path)
    (2, [1, 2, 3, 4])
    """
    check_choice("criterion", criterion, CRITERIA)
    rows = coded.distinct()
    if isinstance(rows, CachedRows) and criterion not in ON_DISK_CRITERIA:
        raise Infeasible(
            f'criterion="{criterion}" needs all rows in memory, and {rows.n_rows:,} distinct rows are kept '
            f"on disk; choose one of {', '.join(ON_DISK_CRITERIA)}, or raise memory="
        )
    layout, options = Layout.of(rows), asdict(restarts or Restarts())
    fitted = partial(_fitted, layout, criterion, prior, options, seed, needs_mode)
    fits: dict[int, _Fit] = {}
    path: dict[int, float] = {}
    best, best_runs, n_without_gain = None, None, 0
    for size in sizes:
        fits[size], runs = fitted(size)
        path[size] = fits[size].length
        # Sizes increase, so on a tie the smaller number of components is kept.
        if best is None or fits[size].is_shorter_than(best):
            # Runs hold the end of every start; those of other numbers are not reported, so drop them.
            best, best_runs, n_without_gain = fits[size], runs, 0
        else:
            n_without_gain += 1
        if patience is not None and n_without_gain >= max(patience, 1):
            break
    assert best is not None
    assert best_runs is not None
    if 1 not in fits:
        fits[1], _ = fitted(1)
    lengths = {size: fit.length for size, fit in fits.items()}
    by_size = {size: (fit.mixture, fit.trust) for size, fit in fits.items()}
    table = compare(rows, by_size, lengths, best.mixture.n_components, criterion, prior)
    mixtures = {size: fits[size].mixture for size in sorted(fits)}
    return ComponentsResult(best.mixture, best_runs, path, table, mixtures)


def _fitted(
    layout: Layout,
    criterion: str,
    prior: PriorLike,
    options: Mapping[str, Any],
    seed: int,
    needs_mode: bool,
    size: int,
) -> "tuple[_Fit, RestartsInfo]":
    """Fit the mixture with so many components, and compute its code length."""
    check_shared_out(layout, size)
    # Pseudocounts are expanded once for the fit and for the criterion.
    schema = with_components(layout.rows.schema, size)
    spread = pseudocounts(prior, schema)
    own = spread if needs_mode else mode_prior(spread, schema)
    if layout.rows.n_rows and schema.n_variables:
        state, runs = fit_mixture(layout, size, own, **options, random_state=[seed, size])
    else:
        # Without rows or columns components are alike.
        state = posterior_mode(Counts.empty(schema), own)
        nothing = EMInfo(np.zeros(1), np.zeros(1), True)
        runs = RestartsInfo((nothing,), (state,), 0, reached=1)
    # EM numbers components arbitrarily. A canonical order makes results reproducible, and does so before
    # any criterion that depends on the labels.
    state = state.permuted(_largest_first(state))
    found = CRITERIA[criterion](layout.rows, state, spread, random_state=[seed, size])
    return _Fit(state, runs.summary, float(found), standard_error(found)), runs


class _Fit(NamedTuple):
    """A mixture, the diagnostics of its fit, and its code length with its standard error."""

    mixture: MixtureParameters
    trust: SearchSummary
    length: float
    error: float

    def is_shorter_than(self, other: "_Fit") -> bool:
        """Return whether the code length is shorter by more than rounding and sampling error."""
        return is_better(other.length - LEAST_LEAD * math.hypot(self.error, other.error), self.length, 1.0)


def _largest_first(mixture: MixtureParameters) -> IntArray:
    """Return the order of the components by size; ties go to the larger probability of the first value.

    Variables are used in the order of their names, so that the order of the columns does not matter.
    """
    names, places = mixture.schema.names, np.zeros(mixture.n_components, dtype=np.int64)
    by_name = sorted(range(len(names)), key=lambda i: names[i])
    for probs in (mixture.class_probs, *(probs for i in by_name for probs in mixture.of(i).T)):
        # Rank with a tolerance: a level ends if neighbours in falling order differ by more than
        # SAME_SHARE.
        falling, levels = np.argsort(-probs, kind="stable"), np.zeros_like(places)
        levels[falling[1:]] = np.cumsum(-np.diff(probs[falling]) > SAME_SHARE)
        # Lexicographic refinement: earlier criteria have priority, and later ones separate only components
        # that still tie.
        _, places = np.unique(places * len(places) + levels, return_inverse=True)
        if places.max() == len(places) - 1:
            break
    return np.argsort(places, kind="stable")
