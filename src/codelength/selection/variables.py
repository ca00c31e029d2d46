"""Choice of variables for naive Bayes by greedy moves under any criterion.

The log weight of a class is a sum over variables, so each variable contributes one column of numbers per
class, independent of the others. A move adds or subtracts these columns; they are computed once.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .._display import Shown, counted, nats_and_bits
from ..blocks import Block, Grid
from ..decisions import first_best, is_better
from ..naive_bayes import PriorLike, RuleLike, bound_prior, rule_of
from ..prequential.sequence import labelled_rows
from ..table import Coded, Table
from ..table.checks import check_cap, check_choice, check_flag, check_whole
from ..table.content import content_order
from ._criteria import VARIABLE_CRITERIA, Criterion, Problem

Direction: TypeAlias = Literal["forward", "backward", "both"]


class Move(NamedTuple):
    """One step of a search: the variable that was added or removed, and the score after it."""

    variable: int
    added: bool
    score: float


@dataclass(frozen=True, slots=True, repr=False)
class SelectionResult(Shown):
    """The selected variables, and the moves that led to them.

    Attributes
    ----------
    selected : tuple of int
        Positions of the variables chosen, in increasing order.
    names : tuple of str
        Their names.
    variables : tuple of str
        Names of all variables.
    score : float
        Their score: a code length in nats, smaller is better. It is that of the rows that chose, without the
        price of naming the variables, and optimistic about other rows;
        :meth:`codelength.NaiveBayes.leave_one_out` and :func:`codelength.evaluate` choose again without the
        rows that they predict.
    start_score : float
        The score of the initial set.
    path : tuple of Move
        The moves in order, each with the score after it.
    price : float
        Price of naming a variable, in nats: a variable stays only if it shortens the code by more.
    """

    selected: tuple[int, ...]
    names: tuple[str, ...]
    score: float
    start_score: float
    path: tuple[Move, ...]
    variables: tuple[str, ...]
    price: float = 0.0

    def __str__(self) -> str:
        return self._title()

    def _title(self) -> str:
        chosen, moves = counted(len(self.names), "variable"), counted(len(self.path), "move")
        price = f"; naming a variable costs {nats_and_bits(self.price)}" if self.price else ""
        lengths = f"code length {nats_and_bits(self.score)}, from {nats_and_bits(self.start_score)}"
        return f"{chosen}: {', '.join(self.names) or 'none'} ({lengths} in {moves}{price})"

    def _blocks(self) -> list[Block]:
        """The moves."""
        rows = [
            ["add" if added else "remove", self.variables[i], f"{score:.1f}", f"{score / math.log(2):.1f}"]
            for i, added, score in self.path
        ]
        return [Grid("", ["move", "variable", "code length in nats", "bits"], rows, n_text=2)]


def select_variables(
    coded: Coded | Table,
    criterion: str = "leave_one_out",
    *,
    direction: Direction = "forward",
    rule: RuleLike = "evidence",
    prior: PriorLike = "uniform",
    max_variables: int | None = None,
    cap: float | None = None,
    n_orderings: int = 10,
    scheme: str = "antithetic",
    random_state: Any = 0,
    price_choice: bool = True,
) -> SelectionResult:
    r"""Choose variables for naive Bayes by greedy moves, each the one that lowers the score most.

    Of variables that lower it alike, up to rounding, the first in the order of
    :func:`codelength.table.content.content_order` moves, so that the order of the columns does not matter.

    All criteria are code lengths in nats:

    - ``"leave_one_out"``: minus the sum of the log probabilities of the classes, each predicted from all the
      other rows;
    - ``"prequential"``: the same with each class predicted from the rows before it, averaged over random
      orderings, which are the same for every set of variables;
    - ``"evidence"``: code length :math:`-\log P(D)` of the whole table in which variables that are not
      chosen are independent of the class. So the same data are described for every selection, and code
      lengths can be compared. A variable's gain does not depend on the others, so the greedy choice is the
      best one (unless the prior of the classes depends on the variables, as ``"jeffreys"`` and
      ``"indifferent"`` do).

    Among many variables some look good by chance. The search therefore adds :math:`\log m` nats for each
    variable that it chooses among m: a variable is chosen only if it saves more than its name costs.

    Parameters
    ----------
    coded : Coded, or a Table with a target
        The rows and their classes; a row of weight 3 is taken for three rows.
    criterion : {"leave_one_out", "prequential", "evidence"}
        The score to minimise.
    direction : {"forward", "backward", "both"}
        Add variables to none; remove them from all; or start with none and do either.
    rule : str or Rule
        The predictive rule, one of ``codelength.naive_bayes.RULES``; for criterion "evidence" one that
        averages over models.
    prior : prior or its name
        Pseudocounts.
    max_variables : int, optional
        Add no more than this many.
    cap : float, optional
        Largest cost of one row, in nats; recommended for rules that give probability zero, such as "map".
    n_orderings, scheme, random_state
        The orderings of criterion "prequential"; see :func:`codelength.prequential.sample_orderings`.
    price_choice : bool
        Whether the search adds the cost of naming the variables it chooses. Scores never include it.

    Raises
    ------
    DataError
        If there is no class to predict.
    InvalidParameter
        If the rule has no prediction under the prior, or rows that are taken one by one have weights that are
        not whole numbers.

    Examples
    --------
    >>> from codelength.sources import as_coded
    >>> table = {"wings": ["yes", "yes", "no", "no"] * 5, "colour": ["red", "blue"] * 10}
    >>> found = select_variables(as_coded(table, ["bird", "bird", "fish", "fish"] * 5), "evidence")
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    1 variable: wings (code length 35.1 nats (50.7 bits), from 45.5 nats (65.7 bits) in 1 move; naming a
    variable costs 0.7 nats (1.0 bits))
    """
    check_choice("criterion", criterion, VARIABLE_CRITERIA)
    check_choice("direction", direction, Direction)
    check_flag("price_choice", price_choice)
    rows = labelled_rows(coded)
    most = rows.schema.n_variables
    if max_variables is not None:
        most = check_whole("max_variables", max_variables, 0, also=", or None for no limit")
    known = bound_prior(prior, rows.schema)
    problem = Problem(rows, rule_of(rule), known, check_cap(cap), n_orderings, scheme, random_state)
    order = content_order(rows).variables.tolist()
    names = rows.schema.names
    return _search(VARIABLE_CRITERIA[criterion](problem), names, order, direction, most, price_choice)


def _search(
    criterion: Criterion,
    names: tuple[str, ...],
    order: list[int],
    direction: Direction,
    most: int,
    price_choice: bool,
) -> SelectionResult:
    # Removing a variable refunds its price, so that the two directions agree on what is worth its name.
    price = math.log(max(len(names), 1)) if price_choice else 0.0
    selected = np.full(len(names), direction == "backward")
    score = start_score = criterion.place(selected)
    path: list[Move] = []
    while True:
        n_chosen = int(np.count_nonzero(selected))
        open_to = [i for i in order if _may_move(bool(selected[i]), direction, n_chosen >= most)]
        after = [criterion.after(i) + (-price if selected[i] else price) for i in open_to]
        if not open_to:
            break
        # ``open_to`` is in the order of the contents, so the first of several that tie does not depend on the
        # order of the columns.
        best = first_best(-np.array(after))
        if not is_better(score, after[best]):
            break
        variable = open_to[best]
        selected[variable] = not selected[variable]
        score = criterion.place(selected)
        path.append(Move(variable, bool(selected[variable]), score))
    chosen = tuple(np.flatnonzero(selected).tolist())
    return SelectionResult(
        chosen, tuple(names[i] for i in chosen), score, start_score, tuple(path), names, price
    )


def _may_move(is_selected: bool, direction: Direction, full: bool) -> bool:
    return direction != "forward" if is_selected else direction != "backward" and not full
