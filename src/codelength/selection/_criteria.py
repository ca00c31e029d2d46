"""Scores of sets of variables with cheap updates from one set to the next.

Order of reading: :class:`Criterion`, :class:`EvidenceCriterion`, :class:`PredictiveCriterion`. Depends on the
kernels of :mod:`codelength.prequential`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..counts import count
from ..errors import InvalidParameter
from ..naive_bayes import (
    Offsets,
    PriorLike,
    Rule,
    depends_on_variables,
    dirichlet_log_evidence,
    normalised,
    pseudocounts,
    unclassed_pseudocounts,
)
from ..prequential.layout import checked_offsets, lay_out
from ..prequential.orderings import checked_scheme, group_seeds, linked_orders
from ..table import Coded
from ..typing import BoolArray, FloatArray

MAX_CACHED = 1 << 26
"""Maximum number of cached values; contributions beyond are recomputed whenever they are needed."""


class Criterion(ABC):
    """A score of a set of variables, in nats, with cheap changes of one variable."""

    _selected: BoolArray

    def place(self, selected: BoolArray) -> float:
        """Set the current variables, and return their score."""
        self._selected = selected.copy()
        return self._score(selected)

    def after(self, variable: int) -> float:
        """Return the score if this variable were added, or removed if it is selected."""
        changed = self._selected.copy()
        changed[variable] = not changed[variable]
        return self._score(changed)

    @abstractmethod
    def _score(self, selected: BoolArray) -> float:
        """Return the score of a set of variables."""


class Problem(NamedTuple):
    """The rows, the rule and the options of a choice among variables.

    Attributes
    ----------
    coded : Coded
        The rows with all variables.
    rule : Rule
        The predictive rule.
    prior : prior or its name
        Pseudocounts.
    cap : float, optional
        Largest cost of one row, in nats.
    n_orderings, scheme, random_state
        Random orderings, for criteria that need them.
    """

    coded: Coded
    rule: Rule
    prior: PriorLike
    cap: float | None
    n_orderings: int
    scheme: str
    random_state: Any


def _class_offsets(problem: Problem) -> Callable[[BoolArray], FloatArray]:
    """Return a function from selected variables to the offsets of the classes, which may depend on them."""
    schema, rule, prior = problem.coded.schema, problem.rule, problem.prior
    is_dependent, known = depends_on_variables(rule.prior(prior)), dict[bytes, FloatArray]()

    def of(selected: BoolArray) -> FloatArray:
        chosen = selected if is_dependent else np.ones_like(selected)
        # A prior depends on the numbers of values of the variables and on nothing else about them.
        key = np.sort(schema.n_values[chosen]).tobytes()
        if key not in known:
            part = schema.select(np.flatnonzero(chosen).tolist())
            known[key] = checked_offsets(rule, prior, part).class_offsets
        return known[key]

    return of


class EvidenceCriterion(Criterion):
    """Code length of the table if the variables that are not selected are independent of the class."""

    def __init__(self, problem: Problem) -> None:
        rule, schema, counts = problem.rule, problem.coded.schema, count(problem.coded)
        if not rule.averages:
            raise InvalidParameter(
                f'rule={rule.name!r}: criterion="evidence" averages over models, and this rule does not; '
                'choose one that does, such as rule="evidence", or another criterion'
            )
        prior = rule.prior(problem.prior)
        values = pseudocounts(prior, schema).value_pseudocounts
        unclassed = unclassed_pseudocounts(prior, schema)
        self._class_counts, self._offsets = counts.class_counts, _class_offsets(problem)
        # Given the class, variables are independent: each adds a term of its own, so all sets of variables
        # are sums over these two arrays.
        self._together, self._apart = np.empty(schema.n_variables), np.empty(schema.n_variables)
        for i in range(schema.n_variables):
            cells = schema.cells(i)
            # Selected: one distribution per class; otherwise one for all rows, under a prior that matches.
            self._together[i] = -dirichlet_log_evidence(counts.of(i), values[:, cells]).sum()
            self._apart[i] = -dirichlet_log_evidence(counts.of(i).sum(axis=0), unclassed[cells])

    def _score(self, selected: BoolArray) -> float:
        classes = -dirichlet_log_evidence(self._class_counts, self._offsets(selected))
        return float(classes + np.where(selected, self._together, self._apart).sum())


class PredictiveCriterion(Criterion):
    """Cost of the classes, each predicted from all the other rows or from the rows before it.

    Parameters
    ----------
    problem : Problem
        The rows and the rule.
    is_prequential : bool
        Whether each class is predicted from the rows before it, on average over the orderings of the problem.
    """

    def __init__(self, problem: Problem, *, is_prequential: bool) -> None:
        self._coded, self._rule, self._cap = problem.coded.repeated(), problem.rule, problem.cap
        schema, orders = self._coded.schema, [np.arange(self._coded.n_rows)]
        if is_prequential:
            scheme = problem.scheme
            n_groups = problem.n_orderings // checked_scheme(problem.n_orderings, scheme)
            seeds = group_seeds(n_groups, problem.random_state).tolist()
            orders = [order for seed in seeds for order in linked_orders(len(orders[0]), seed, scheme)]
        self._orders, self._is_prequential = orders, is_prequential
        self._class_codes = self._coded.class_codes.astype(np.int64)[np.concatenate(orders)]
        # Counts of the classes that each term is predicted from: all others, or those before in the ordering.
        parts = [np.eye(schema.n_classes)[self._coded.class_codes[order]] for order in orders]
        self._counts = np.concatenate(
            [(np.cumsum(part, axis=0) if is_prequential else part.sum(axis=0)) - part for part in parts]
        )
        self._value_offsets = checked_offsets(problem.rule, problem.prior, schema).value_offsets
        self._offsets = _class_offsets(problem)
        self._kept: dict[int, FloatArray] = {}

    def place(self, selected: BoolArray) -> float:
        # Summed from scratch after each move, so that rounding errors of additions and removals do not pile
        # up.
        self._weights = self._total(selected)
        return super().place(selected)

    def _score(self, selected: BoolArray) -> float:
        weights = self._weights
        for i in np.flatnonzero(selected != self._selected).tolist():
            own = self._contribution(i)
            if selected[i]:
                weights = weights + own
            else:
                # A weight of zero cannot be divided out again.
                weights = weights - own if np.isfinite(own).all() else self._total(selected)
        # Classes are added last, because their offsets may depend on the selection.
        log_probs, _ = normalised(weights + self._rule.growth(self._counts + self._offsets(selected)))
        costs = -np.take_along_axis(log_probs, self._class_codes[:, None], axis=1)
        if self._cap is not None:
            costs = np.minimum(costs, self._cap)
        return float(costs.sum()) / len(self._orders)

    def _total(self, selected: BoolArray) -> FloatArray:
        total = np.zeros_like(self._counts)
        for i in np.flatnonzero(selected).tolist():
            total += self._contribution(i)
        return total

    def _contribution(self, i: int) -> FloatArray:
        """Return the summand of one variable in the log weights of the classes, term by term."""
        if i in self._kept:
            return self._kept[i]
        from ..prequential._kernels import left_out_weights, sequential_weights

        schema, n_rows = self._coded.schema, self._coded.n_rows
        own_offsets = self._value_offsets[:, schema.offsets[i] : schema.offsets[i + 1]]
        # The kernel adds entries of the classes. With offsets of 1 they are finite, and are subtracted below.
        offsets = Offsets(np.ones(schema.n_classes), own_offsets)
        layout = lay_out(self._coded.select([i]), self._rule, offsets)
        weights = np.empty_like(self._counts)
        if not self._is_prequential:
            left_out_weights(layout, weights)
        for r, order in enumerate(self._orders if self._is_prequential else ()):
            sequential_weights(layout, order, weights[r * n_rows : (r + 1) * n_rows])
        made = np.asarray(weights - self._rule.growth(self._counts + 1))
        # All contributions have the same size. The first ones are kept rather than the latest: the search
        # visits all variables in the same order, and a cache of recent ones would never hit.
        if (len(self._kept) + 1) * made.size <= MAX_CACHED:
            self._kept[i] = made
        return made


VARIABLE_CRITERIA: dict[str, Callable[[Problem], Criterion]] = {
    "leave_one_out": partial(PredictiveCriterion, is_prequential=False),
    "prequential": partial(PredictiveCriterion, is_prequential=True),
    "evidence": EvidenceCriterion,
}
"""Criteria by name. A criterion that is added here can choose variables everywhere."""
