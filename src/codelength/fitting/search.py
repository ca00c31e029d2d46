"""Which variables naive Bayes should look at: greedy moves under any criterion.

The log weight of a class is a sum over variables, so each variable contributes one column of numbers a class,
whatever the others are. A move adds one such column or takes it off; the columns are made once.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np

from ..counts import Counts, count
from ..errors import InvalidParameter
from ..rules import RULES, Prior, Pseudocounts, Rule, RuleName, normalised, pseudocounts
from ..scores.evidence import dirichlet_log_evidence
from ..scores.mixtures import MixturePrior, spread_prior
from ..scores.prequential.sampling import LINKED, Scheme, group_seeds, linked_orders
from ..scores.prequential.tables import SequenceTables, sequence_tables
from ..table import Coded, Schema
from ..typing import BoolArray, FloatArray, IntArray

CriterionName: TypeAlias = Literal["evidence", "leave_one_out", "prequential"]
Direction: TypeAlias = Literal["forward", "backward", "both"]

MAX_CACHED = 1 << 26
"""Numbers to keep at most: columns beyond are made again whenever they are needed."""

ROUNDING = 1e-9
"""Scores that differ by less, in nats, are equal."""


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a search: a variable that was added or removed, and the score after it."""

    variable: int
    added: bool
    score: float


@dataclass(frozen=True, slots=True)
class SelectionResult:
    """The variables chosen, and the way there.

    Attributes
    ----------
    selected : tuple of int
        Positions of the variables chosen, in increasing order.
    score : float
        Their score: a code length in nats, smaller is better.
    start_score : float
        The score of the set that the search set out from.
    path : tuple of Move
        The moves in order, each with the score after it.
    """

    selected: tuple[int, ...]
    score: float
    start_score: float
    path: tuple[Move, ...]


def select_variables(
    schema: Schema,
    coded: Coded,
    criterion: CriterionName = "leave_one_out",
    *,
    direction: Direction = "forward",
    rule: RuleName = "evidence",
    prior: MixturePrior = "uniform",
    max_variables: int | None = None,
    floor: float | None = None,
    n_orderings: int = 10,
    scheme: Scheme = "antithetic",
    random_state: Any = 0,
) -> SelectionResult:
    r"""Choose variables for naive Bayes by greedy moves, each the one that lowers the score most.

    All criteria are code lengths in nats:

    - ``"leave_one_out"``: minus the sum of the log probabilities of the classes, each predicted from all the
      other rows;
    - ``"prequential"``: the same with each class predicted from the rows before it, averaged over random
      orderings, which are the same for every set of variables;
    - ``"evidence"``: :math:`-\log P(D)` of the whole table, where variables that are not chosen are
      independent of the class. So the same data are described whatever is chosen, and code lengths can
      be compared. A variable's gain does not depend on the others, so the greedy choice is the best one
      (unless the prior of the classes depends on the variables, as ``"jeffreys"`` and ``"indifferent"`` do).

    Parameters
    ----------
    schema : Schema
        The schema the table was coded by.
    coded : Coded
        The rows.
    criterion : {"leave_one_out", "prequential", "evidence"}
        What to minimise.
    direction : {"forward", "backward", "both"}
        Add variables to none; remove them from all; or start with none and do either.
    rule : {"evidence", "map", "stochastic_complexity", "indifferent"}
        The predictive rule; for criterion "evidence" one of the two that average over models.
    prior : prior or its name
        Pseudocounts.
    max_variables : int, optional
        Add no more than this many.
    floor : float, optional
        The most that one row can cost, in nats; rule "map" is of little use without it.
    n_orderings, scheme, random_state
        The orderings of criterion "prequential"; see :func:`codelength.scores.prequential.sample_orderings`.

    Examples
    --------
    >>> from codelength.table import encode
    >>> schema = Schema.from_sizes([2, 2], n_classes=2)
    >>> rows, classes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5), [0, 0, 1, 1] * 5
    >>> select_variables(schema, encode(schema, rows, classes), "evidence").selected
    (0,)
    """
    _check(criterion, direction, max_variables, floor)
    if criterion == "evidence":
        scores: Criterion = _Evidence.of(schema, coded, rule, prior)
    else:
        orders = None
        if criterion == "prequential":
            orders = _orders(coded.n_rows, n_orderings, scheme, random_state)
        scores = _Predictive.of(schema, coded, rule, prior, orders, floor)
    most = schema.n_variables if max_variables is None else max_variables
    return _search(scores, schema.n_variables, direction, most)


class Criterion(Protocol):
    """A score of sets of variables that is cheap to follow from one set to the next."""

    def place(self, selected: BoolArray) -> float:
        """Settle on a set; its score."""

    def after(self, variable: int) -> float:
        """The score if one variable more, or one less, were in the set."""


def _search(criterion: Criterion, n_variables: int, direction: Direction, most: int) -> SelectionResult:
    selected = np.full(n_variables, direction == "backward")
    score = start_score = criterion.place(selected)
    path: list[Move] = []
    while True:
        full = np.count_nonzero(selected) >= most
        open_to = [i for i in range(n_variables) if _may_move(bool(selected[i]), direction, full)]
        after = [criterion.after(i) for i in open_to]
        # Not every score is finite under rule "map", and infinity less infinity is not a gain.
        best = min(after, default=np.inf)
        if not best < score - ROUNDING:
            chosen = tuple(int(i) for i in np.flatnonzero(selected))
            return SelectionResult(chosen, score, start_score, tuple(path))
        variable = next(i for i, value in zip(open_to, after, strict=True) if value <= best + ROUNDING)
        selected[variable] = not selected[variable]
        score = criterion.place(selected)
        path.append(Move(variable, bool(selected[variable]), score))


def _may_move(is_selected: bool, direction: Direction, full: bool) -> bool:
    return direction != "forward" if is_selected else direction != "backward" and not full
