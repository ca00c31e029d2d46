"""Local search for a better ordering: small changes, each of which lowers the cost."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from codelength._display import Shown, counted, nats_and_bits
from codelength.blocks import Block, Facts
from codelength.decisions import is_better
from codelength.prequential import SequentialModel, best_first
from codelength.table.checks import check_random_state, check_whole
from codelength.typing import IntArray


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class ImprovedOrdering(Shown):
    """An ordering found by local search.

    Attributes
    ----------
    order : array of shape (n_rows,)
        The ordering.
    code_length : float
        The criterion along it, in nats.
    start_code_length : float
        The criterion along the initial ordering, which is never less.
    """

    order: IntArray
    code_length: float
    start_code_length: float

    def _title(self) -> str:
        return f"ordering of {counted(len(self.order), 'row')}: {nats_and_bits(self.code_length)}"

    def _blocks(self) -> list[Block]:
        return [Facts([("before the search", nats_and_bits(self.start_code_length))])]


def improve_ordering(
    model: SequentialModel,
    order: Any = None,
    *,
    max_moves: int = 2000,
    width: int = 4,
    random_state: Any = 0,
) -> ImprovedOrdering:
    """Lower the prequential criterion of an ordering by moving rows.

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
    if not is_better(before, after):
        better, after = first, before
    return ImprovedOrdering(better, after, before)
