r"""The prequential criterion averaged over all orderings exactly, and local search for a better ordering.

There are N! orderings, but the cost of a row depends only on *which* rows precede it. In a random ordering
the rows before place t are a random set of t rows, so the mean cost at place t is one over all sets of t rows
and all rows outside them:

.. math:: \bar S = \sum_t \frac{1}{\binom{N}{t}} \sum_{|A| = t} \frac{1}{N - t} \sum_{j \notin A}
          -\log P(v_j \mid A, u_j).

That is :math:`2^N` sets, and fewer if rows are equal: with :math:`w_d` rows of kind d,
:math:`\prod_d (w_d + 1)`.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from codelength.decisions import is_better
from codelength.errors import Infeasible
from codelength.prequential import SequentialModel, best_first
from codelength.table.checks import check_instance, check_random_state, check_whole
from codelength.typing import FloatArray, IntArray

MAX_TERMS = 200_000_000
"""Most predictions: sets of rows, times kinds of rows. Half a minute or so."""


class AllOrderings(NamedTuple):
    """Mean of the prequential criterion over all orderings of the rows.

    Attributes
    ----------
    log_losses : array of shape (n_rows,)
        Mean cost of the class at each place, in nats: an exact learning curve.
    errors : array of shape (n_rows,)
        Share of orderings in which the most probable class at each place is another: the mean 0/1 loss.
    n_sets : int
        Sets of rows that were visited.
    """

    log_losses: FloatArray
    errors: FloatArray
    n_sets: int

    @property
    def mean(self) -> float:
        """Mean of the criterion, in nats: the expectation of PREQ-RAND."""
        return math.fsum(self.log_losses)

    @property
    def mean_errors(self) -> float:
        """Mean number of rows whose most probable class is another: the prequential 0/1 loss."""
        return math.fsum(self.errors)


def all_orderings(model: SequentialModel) -> AllOrderings:
    """Average the prequential criterion over all orderings, for few rows or few kinds of rows.

    Parameters
    ----------
    model : SequentialModel
        The model and its rows.

    Returns
    -------
    AllOrderings
        Mean log loss and mean 0/1 loss at each position.

    Raises
    ------
    Infeasible
        If there are too many sets of rows: from 24 rows on, unless many are equal.

    Examples
    --------
    >>> from codelength.prequential import naive_bayes_sequence
    >>> from codelength.table import Coded, Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [0], [0]], [0, 1, 0, 1])
    >>> every = all_orderings(naive_bayes_sequence(coded))
    >>> round(every.mean, 4), round(every.mean_errors, 4), every.n_sets
    (3.4205, 2.8333, 12)
    """
    check_instance("model", model, SequentialModel, "a model that predicts row after row")
    # Equal rows are interchangeable, so sets are counted by kind: the sum is over multisets.
    _, kinds, times = np.unique(model.layout.rows, axis=0, return_index=True, return_counts=True)
    n_sets = math.prod(n + 1 for n in times.tolist())
    if n_sets * len(kinds) > MAX_TERMS:
        raise Infeasible(
            f"{model.n_rows:,} rows of {len(kinds):,} kinds: too many sets of rows to average over all "
            "orderings; use sample_orderings, or fewer rows"
        )
    from ._kernels import losses_over_all_orderings

    cap = np.inf if model.cap is None else float(model.cap)
    sizes = np.arange(model.n_rows + 1.0)
    # Entries with k > n are not numbers, and are never read.
    with np.errstate(invalid="ignore"):
        log_binomials = gammaln(sizes[:, None] + 1) - gammaln(sizes + 1) - gammaln(sizes[:, None] - sizes + 1)
    log_losses, errors = losses_over_all_orderings(
        model.layout, kinds.astype(np.int64), times.astype(np.int64), cap, log_binomials
    )
    return AllOrderings(log_losses, errors, n_sets)


class ImprovedOrdering(NamedTuple):
    """An ordering found by local search, the criterion along it, and along the initial one, in nats."""

    order: IntArray
    code_length: float
    start_code_length: float


def improve_ordering(
    model: SequentialModel,
    order: Any = None,
    *,
    max_moves: int = 2000,
    width: int = 4,
    random_state: Any = 0,
) -> ImprovedOrdering:
    """Lower the prequential criterion of an ordering by moving rows; it never becomes larger.

    Two kinds of change alternate. A row drawn at random is moved to another place, if that lowers the
    cost. And every run of ``width`` neighbours is put into its best order, which is a shortest path through
    its subsets. The search ends when all moves are used up.

    Parameters
    ----------
    model : SequentialModel
        The model and its rows.
    order : array of shape (n_rows,), optional
        Initial ordering; by default :func:`best_first`.
    max_moves : int
        Moves to try. A move costs up to twice as much as the criterion along one ordering.
    width : int
        Number of neighbours that are ordered together, from 2 to 10; the work doubles with each.
    random_state : int, generator or None
        Seed of the moves.

    Returns
    -------
    ImprovedOrdering
        The ordering found, with its code length and that of the initial ordering.

    Examples
    --------
    >>> from codelength.prequential import naive_bayes_sequence
    >>> from codelength.table import Coded, Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [0], [0]], [0, 1, 0, 1])
    >>> found = improve_ordering(naive_bayes_sequence(coded), max_moves=20, random_state=0)
    >>> found.code_length <= found.start_code_length
    True
    """
    from ._kernels import insert_rows, sweep_windows

    left = check_whole("max_moves", max_moves, 0)
    check_whole("width", width, 2, 10)
    first = best_first(model) if order is None else model.checked(order)
    rng, better = np.random.default_rng(check_random_state(random_state)), first.copy()
    while model.n_rows > 1:
        # Moves are drawn outside the kernel: the stream does not depend on which of them are accepted.
        moves = rng.integers(0, model.n_rows, (min(left, 2 * model.n_rows), 2))
        insert_rows(model.layout, moves, better)
        sweep_windows(model.layout, min(width, model.n_rows), better)
        left -= len(moves)
        if not left:
            break
    before, after = model.code_length(first), model.code_length(better)
    # The kernels ignore the cap, with which a gain may become a loss.
    return (
        ImprovedOrdering(better, after, before)
        if is_better(before, after)
        else ImprovedOrdering(first, before, before)
    )
