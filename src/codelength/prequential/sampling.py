"""Prequential criterion over random orderings: its mean and its minimum.

The paper's PREQ-RAND(n) is the mean over n permutations drawn independently, PREQ-MAX(n) the least of them.
Permutations need not be independent for their mean to be unbiased: each must be uniform by itself. In linked
permutations the early rows of one are the late rows of another, which reduces the variance of the mean.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Scheme:
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
        """Standard error of the mean, from the spread between independent groups; infinite for one group."""
        means = self.group_means
        # Orderings of a group are dependent; only the means of groups are independent.
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

    @property
    def group_means(self) -> FloatArray:
        """Means of the groups of linked orderings."""
        return np.asarray(self.code_lengths.reshape(-1, self.n_linked).mean(axis=1))

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

    Returns
    -------
    OrderingSample
        Code length along each ordering, and the best ordering.

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
    code_lengths = along_groups(model, seeds, scheme, n_threads)
    # Orderings are not kept: the best one is drawn again from the seed of its group.
    group, place = divmod(first_best(-code_lengths.ravel()), n_linked)
    orders = list(linked_orders(model.n_rows, int(seeds[group]), scheme))
    wrong = _along(_n_wrong, model, seeds, scheme, n_threads).ravel() if errors else None
    return OrderingSample(code_lengths.ravel(), n_linked, orders[place], wrong)


def group_seeds(n_groups: int, random_state: Any) -> IntArray:
    """Draw the seeds of groups of linked orderings."""
    return np.random.default_rng(check_random_state(random_state)).integers(0, 2**63 - 1, n_groups)


def along_groups(model: SequentialModel, seeds: IntArray, scheme: str, n_threads: int | None) -> FloatArray:
    """Compute the criterion along groups of linked orderings, shape (n_groups, n_linked).

    Parameters
    ----------
    model : SequentialModel
        The model and its rows.
    seeds : array of shape (n_groups,)
        From :func:`group_seeds`.
    scheme : str
        One of :data:`SCHEMES`.
    n_threads : int, optional
        Threads to use.
    """
    return _along(SequentialModel.unchecked_code_length, model, seeds, scheme, n_threads)


def _n_wrong(model: SequentialModel, order: IntArray) -> float:
    return float(model.errors(order).sum())


def _along(
    measure: Callable[[SequentialModel, IntArray], float],
    model: SequentialModel,
    seeds: IntArray,
    scheme: str,
    n_threads: int | None,
) -> FloatArray:
    # Orderings are generated where they are used: a group takes memory for its own orderings only.
    def work(seed: int) -> list[float]:
        return [measure(model, order) for order in linked_orders(model.n_rows, seed, scheme)]

    threads = n_threads_or_default(n_threads)
    if model.n_rows * len(seeds) < MIN_ROWS_THREADED:
        threads = 1
    return np.array(list(in_threads(work, seeds.tolist(), threads)), dtype=np.float64)


def linked_orders(n_rows: int, seed: int, scheme: str) -> Iterator[IntArray]:
    """Yield a random permutation and those linked with it.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    seed : int
        Seed of the permutation.
    scheme : str
        One of :data:`SCHEMES`.

    Yields
    ------
    array of shape (n_rows,)
        An ordering.

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
