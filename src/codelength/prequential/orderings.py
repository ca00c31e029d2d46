"""Orderings of the rows for the prequential criterion: greedy ones, and random ones.

Greedy (:func:`greedy_ordering`): best-first is Rissanen's proposal; the others are its counterparts in
section 3 of Kontkanen, Myllymäki and Tirri (2001).

Random (:func:`sample_orderings`): the paper's PREQ-RAND(n) is the mean over n permutations drawn
independently, PREQ-MAX(n) the least of them. Permutations need not be independent for their mean to be
unbiased: each must be uniform by itself. In linked permutations the early rows of one are the late rows of
another, which reduces the variance of the mean.

Depends on ``sequence`` (models), and on ``_greedy_kernels``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._display import Shown, counted, nats_and_bits
from .._threads import in_threads, n_threads_or_default
from ..blocks import Block, Facts
from ..decisions import first_best
from ..errors import InvalidParameter
from ..table.checks import check_choice, check_flag, check_random_state, check_size
from ..typing import FloatArray, IntArray
from .sequence import SequentialModel

MIN_ROWS_THREADED = 10_000
"""With fewer rows to predict in all, threads cost more than they save."""


def greedy_ordering(model: SequentialModel, *, backward: bool, worst: bool) -> IntArray:
    """Order rows so that the next one is always the one whose class is predicted best.

    A placed row changes the weights of its own group only, so this takes O(n_rows^2 n_columns) operations. Of
    rows that tie up to rounding, the one with the lowest number is placed first.

    Parameters
    ----------
    model : SequentialModel
        The model and its rows.
    backward : bool
        Fill the ordering from the last position, each with a row predicted from the others left.
    worst : bool
        Place the row that is predicted worst.

    Examples
    --------
    >>> from codelength.prequential import naive_bayes_sequence
    >>> from codelength.table import Coded, Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [0], [0]], [0, 1, 0, 1])
    >>> best_first(naive_bayes_sequence(coded)).tolist()
    [0, 2, 1, 3]
    """
    from ._greedy_kernels import Patterns, place_rows

    layout, order, n_placed = model.layout, np.empty(model.n_rows, dtype=np.int64), 0
    # Distinct rows are sorted by label and class, and the members of each by number: ties go to the lowest.
    distinct, which, n_members = np.unique(layout.rows, axis=0, return_inverse=True, return_counts=True)
    members, ends = np.argsort(which.reshape(-1), kind="stable"), np.cumsum(n_members)
    nexts, is_left = ends - n_members, np.ones(len(ends), dtype=np.bool_)
    has_gaps = np.isin(layout.first_cells[1:] - 1, layout.gaps)
    while n_placed < model.n_rows:
        # Patterns that are used up slow down every step; they are dropped as soon as they are half of all.
        distinct, nexts, ends = distinct[is_left], nexts[is_left], ends[is_left]
        is_new = np.any(distinct[1:, :2] != distinct[:-1, :2], axis=1)
        blocks = np.concatenate(([0], np.flatnonzero(is_new) + 1, [len(distinct)]))
        patterns = Patterns(
            np.ascontiguousarray(distinct.T), blocks, members, nexts, ends, np.zeros(len(ends))
        )
        n_placed = place_rows(layout, has_gaps, patterns, order, n_placed, int(backward), worst)
        is_left = nexts < ends
    return order[::-1].copy() if backward else order


best_first = partial(greedy_ordering, backward=False, worst=False)
"""Ordering in which the next row is always the one predicted best; others see :func:`greedy_ordering`."""

worst_first = partial(greedy_ordering, backward=False, worst=True)
best_last = partial(greedy_ordering, backward=True, worst=False)
worst_last = partial(greedy_ordering, backward=True, worst=True)

ORDERINGS: dict[str, Callable[[SequentialModel], IntArray]] = {
    "best_first": best_first,
    "worst_last": worst_last,
    "best_last": best_last,
    "worst_first": worst_first,
}
"""The greedy orderings by name."""


class Scheme(NamedTuple):
    """A scheme that links orderings: each permutation is started at ``n_turns`` positions, evenly apart.

    With ``both_ways`` each of these is also taken backwards.
    """

    n_turns: int
    both_ways: bool

    @property
    def n_linked(self) -> int:
        """Number of orderings made from one permutation."""
        return self.n_turns * (2 if self.both_ways else 1)


SCHEMES: dict[str, Scheme] = {
    "antithetic": Scheme(1, both_ways=True),
    "plain": Scheme(1, both_ways=False),
    "rotated": Scheme(4, both_ways=True),
}
"""The schemes by name."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class OrderingSample(Shown):
    """Prequential criterion along random orderings.

    Attributes
    ----------
    code_lengths : array of shape (n_orderings,)
        The criterion along each ordering, in nats.
    n_linked : int
        Number of consecutive orderings that are linked; groups of them are independent.
    best_order : array of shape (n_rows,)
        The first ordering with the least code length.
    errors : array of shape (n_orderings,), or None
        Rows predicted wrongly along each ordering, the prequential 0/1 loss; None unless requested.
    """

    code_lengths: FloatArray
    n_linked: int
    best_order: IntArray
    errors: FloatArray | None = None

    @property
    def mean(self) -> float:
        """PREQ-RAND: the mean, in nats."""
        return float(self.code_lengths.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, from the spread between independent groups; infinite for one group.

        Examples
        --------
        >>> OrderingSample(np.array([5.0, 7.0, 8.0, 8.0]), 2, np.arange(3)).standard_error
        1.0
        """
        # Orderings of a group are dependent; only the means of groups are independent.
        means = self.code_lengths.reshape(-1, self.n_linked).mean(axis=1)
        return float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else np.inf

    @property
    def best(self) -> float:
        """PREQ-MAX: the least code length, in nats."""
        return float(self.code_lengths.min())

    @property
    def mean_errors(self) -> float:
        """Mean number of rows predicted wrongly; raises if errors were not requested."""
        if self.errors is None:
            raise InvalidParameter("errors were not asked for; call sample_orderings with errors=True")
        return float(self.errors.mean())

    def _title(self) -> str:
        orderings = counted(len(self.code_lengths), "random ordering")
        return f"mean over {orderings} of {counted(len(self.best_order), 'row')}: {nats_and_bits(self.mean)}"

    def _blocks(self) -> list[Block]:
        facts = [
            ("standard error", nats_and_bits(self.standard_error, 2)),
            ("least", nats_and_bits(self.best)),
        ]
        if self.errors is not None:
            facts.append(("rows predicted wrongly", f"{self.mean_errors:.2f} of {len(self.best_order):,}"))
        return [Facts(facts)]


def sample_orderings(
    model: SequentialModel,
    n_orderings: int = 10,
    *,
    scheme: str = "antithetic",
    errors: bool = False,
    random_state: Any = 0,
    n_threads: int | None = None,
) -> OrderingSample:
    """Compute the prequential criterion along random orderings.

    PREQ-RAND(n) is the mean over n orderings, PREQ-MAX(n) the minimum.

    The first orderings of a larger sample are those of a smaller one with the same ``random_state``, and
    the result does not depend on the number of threads.

    Parameters
    ----------
    model : SequentialModel
        The model and its rows.
    n_orderings : int
        Number of orderings; a multiple of the number that the scheme links.
    scheme : {"antithetic", "plain", "rotated"}
        ``"plain"``: independent permutations. ``"antithetic"``: each with its reverse. ``"rotated"``: each
        begun at its four quarters, forwards and backwards. All are unbiased; on real tables the variance
        of a mean over as many orderings falls by a half to three quarters with ``"antithetic"``.
    errors : bool
        Whether to count the rows predicted wrongly too, which takes about as long again.
    random_state : int, generator or None
        Seed of the permutations.
    n_threads : int, optional
        Threads to use; by default one for each processor.

    Examples
    --------
    >>> from codelength.prequential import naive_bayes_sequence
    >>> from codelength.table import Coded, Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [0], [0]], [0, 1, 0, 1])
    >>> sample = sample_orderings(naive_bayes_sequence(coded), 100, random_state=0)
    >>> sample.best <= sample.mean
    True
    """
    n_linked = checked_scheme(n_orderings, scheme)
    seeds = group_seeds(n_orderings // n_linked, random_state)
    check_flag("errors", errors)
    code_lengths = along_groups(SequentialModel.unchecked_code_length, model, seeds, scheme, n_threads)
    # Orderings are not kept: the best one is drawn again from the seed of its group.
    group, place = divmod(first_best(-code_lengths.ravel()), n_linked)
    orders = list(linked_orders(model.n_rows, int(seeds[group]), scheme))
    found = OrderingSample(code_lengths.ravel(), n_linked, orders[place])
    if not errors:
        return found
    wrong = along_groups(lambda model, order: model.errors(order).sum(), model, seeds, scheme, n_threads)
    return replace(found, errors=wrong.ravel())


def group_seeds(n_groups: int, random_state: Any) -> IntArray:
    """Draw the seeds of groups of linked orderings."""
    return np.random.default_rng(check_random_state(random_state)).integers(0, 2**63 - 1, n_groups)


def along_groups(
    measure: Callable[[SequentialModel, IntArray], float],
    model: SequentialModel,
    seeds: IntArray,
    scheme: str,
    n_threads: int | None,
) -> FloatArray:
    """Measure a model along the groups of linked orderings of some seeds, shape (n_groups, n_linked)."""

    # Orderings are generated where they are used: a group takes memory for its own orderings only.
    def work(seed: int) -> list[float]:
        return [measure(model, order) for order in linked_orders(model.n_rows, seed, scheme)]

    threads = n_threads_or_default(n_threads)
    if model.n_rows * len(seeds) < MIN_ROWS_THREADED:
        threads = 1
    return np.array(list(in_threads(work, seeds.tolist(), threads)), dtype=np.float64)


def linked_orders(n_rows: int, seed: int, scheme: str) -> Iterator[IntArray]:
    """Yield a random permutation and those linked with it.

    Examples
    --------
    >>> [order.tolist() for order in linked_orders(3, 0, "antithetic")]
    [[2, 0, 1], [1, 0, 2]]
    """
    # Every rotation and reversal of a uniform permutation is uniform itself, so the mean stays unbiased.
    linking, drawn = SCHEMES[scheme], np.random.default_rng(seed).permutation(n_rows)
    for turn in range(linking.n_turns):
        turned = np.roll(drawn, turn * n_rows // linking.n_turns)
        yield turned
        if linking.both_ways:
            yield np.ascontiguousarray(turned[::-1])


def checked_scheme(n_orderings: int, scheme: str) -> int:
    """Return the number of orderings that the scheme links; raise unless it divides ``n_orderings``."""
    check_choice("scheme", scheme, SCHEMES)
    n_linked = SCHEMES[scheme].n_linked
    if check_size("n_orderings", n_orderings) % n_linked:
        raise InvalidParameter(
            f"n_orderings={n_orderings}: expected a multiple of {n_linked}, the orderings that "
            f'scheme="{scheme}" links; scheme="plain" takes any number from 1'
        )
    return n_linked
