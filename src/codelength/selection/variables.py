"""Which variables naive Bayes should look at: greedy moves under any criterion.

The log weight of a class is a sum over variables, so each variable contributes one column of numbers a class,
whatever the others are. A move adds one such column or takes it off; the columns are made once.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ..errors import InvalidParameter
from ..prequential import Scheme
from ..rules import RULES, RuleName
from ..table import Coded, Schema
from ._criteria import Criterion, EvidenceCriterion, PredictiveCriterion, common_orders

CriterionName: TypeAlias = Literal["leave_one_out", "prequential", "evidence"]
Direction: TypeAlias = Literal["forward", "backward", "both"]

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
    prior: PriorLike = "uniform",
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
    _check(criterion, direction, rule, max_variables, floor)
    scores: Criterion
    if criterion == "evidence":
        scores = EvidenceCriterion.of(schema, coded, rule, prior)
    elif criterion == "leave_one_out":
        scores = PredictiveCriterion.of(schema, coded, rule, prior, None, floor)
    else:
        orders = common_orders(coded.n_rows, n_orderings, scheme, random_state)
        scores = PredictiveCriterion.of(schema, coded, rule, prior, orders, floor)
    most = schema.n_variables if max_variables is None else max_variables
    return _search(scores, schema.n_variables, direction, most)


def _search(criterion: Criterion, n_variables: int, direction: Direction, most: int) -> SelectionResult:
    selected = np.full(n_variables, direction == "backward")
    score = start_score = criterion.place(selected)
    path: list[Move] = []
    while True:
        full = int(np.count_nonzero(selected)) >= most
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


def _check(criterion: str, direction: str, rule: str, max_variables: int | None, floor: float | None) -> None:
    for name, value, known in (
        ("criterion", criterion, get_args(CriterionName)),
        ("direction", direction, get_args(Direction)),
        ("rule", rule, tuple(RULES)),
    ):
        if value not in known:
            raise InvalidParameter(f"{name}={value!r}: expected one of {', '.join(map(repr, known))}")
    if max_variables is not None and max_variables < 0:
        raise InvalidParameter(f"max_variables={max_variables}: expected at least 0, or None for no limit")
    if floor is not None and not floor >= 0:
        raise InvalidParameter(f"floor={floor}: expected a cost of at least 0 nats, or None")
