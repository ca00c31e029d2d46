"""Scores of sets of variables with cheap updates from one set to the next."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

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
from ..table import Coded, Schema
from ..typing import BoolArray, FloatArray, IntArray

MAX_CACHED = 1 << 26
"""Maximum number of cached values; contributions beyond are recomputed whenever they are needed."""


class Criterion(Protocol):
    """A score of a set of variables, in nats, with cheap changes of one variable."""

    def place(self, selected: BoolArray) -> float:
        """Set the current variables, and return their score."""

    def after(self, variable: int) -> float:
        """Return the score if this variable were added, or removed if it is selected."""


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


@dataclass(eq=False, slots=True)
class ClassOffsets:
    """Offsets of the classes, which under some priors depend on the selected variables."""

    schema: Schema
    rule: Rule
    prior: PriorLike
    known: dict[bytes, FloatArray] = field(default_factory=dict)

    def of(self, selected: BoolArray) -> FloatArray:
        """Return the offsets for a selection of variables."""
        if not depends_on_variables(self.rule.prior(self.prior)):
            selected = np.ones_like(selected)
        # A prior depends on the numbers of values of the variables and on nothing else about them.
        key = np.sort(self.schema.n_values[selected]).tobytes()
        if key not in self.known:
            chosen = self.schema.select(np.flatnonzero(selected).tolist())
            self.known[key] = checked_offsets(self.rule, self.prior, chosen).class_offsets
        return self.known[key]


@dataclass(eq=False, slots=True)
class EvidenceCriterion:
    """Code length of the table if the variables that are not selected are independent of the class.

    Attributes
    ----------
    class_counts : array of shape (n_classes,)
        Rows of each class.
    offsets : ClassOffsets
        Pseudocounts of the classes.
    together, apart : arrays of shape (n_variables,)
        Code length of each variable given the class, and without it.
    """

    class_counts: FloatArray
    offsets: ClassOffsets
    together: FloatArray
    apart: FloatArray
    selected: BoolArray = field(init=False)

    @classmethod
    def of(cls, problem: Problem) -> "EvidenceCriterion":
        """Compute the terms of all variables of a table."""
        rule, schema, counts = problem.rule, problem.coded.schema, count(problem.coded)
        if not rule.averages:
            raise InvalidParameter(
                f'rule={rule.name!r}: criterion="evidence" averages over models, and this rule does not; '
                'choose one that does, such as rule="evidence", or another criterion'
            )
        prior = rule.prior(problem.prior)
        values = pseudocounts(prior, schema).value_pseudocounts
        unclassed = unclassed_pseudocounts(prior, schema)
        # Given the class, variables are independent: each adds a term of its own, so all sets of variables
        # are sums over these two arrays.
        together, apart = np.empty(schema.n_variables), np.empty(schema.n_variables)
        for i in range(schema.n_variables):
            cells = np.s_[schema.offsets[i] : schema.offsets[i + 1] - 1]
            # Selected: one distribution per class; otherwise one for all rows, under a prior that matches.
            together[i] = -dirichlet_log_evidence(counts.of(i), values[:, cells]).sum()
            apart[i] = -dirichlet_log_evidence(counts.of(i).sum(axis=0), unclassed[cells])
        return cls(counts.class_counts, ClassOffsets(schema, rule, problem.prior), together, apart)

    def place(self, selected: BoolArray) -> float:
        """Set the current variables, and return their score."""
        self.selected = selected.copy()
        return self._score(selected)

    def after(self, variable: int) -> float:
        """Return the score if this variable were added, or removed if it is selected."""
        return self._score(_switched(self.selected, variable))

    def _score(self, selected: BoolArray) -> float:
        classes = -dirichlet_log_evidence(self.class_counts, self.offsets.of(selected))
        return float(classes + np.where(selected, self.together, self.apart).sum())


def _switched(selected: BoolArray, variable: int) -> BoolArray:
    changed = selected.copy()
    changed[variable] = not changed[variable]
    return changed


@dataclass(eq=False, slots=True)
class PredictiveCriterion:
    """Cost of the classes, each predicted from all the other rows or from the rows before it.

    Attributes
    ----------
    coded : Coded
        The single rows.
    rule : Rule
        The predictive rule.
    value_offsets : array of shape (n_classes, n_cells)
        Offsets of the values of all variables.
    offsets : ClassOffsets
        Offsets of the classes.
    cap : float, optional
        The most that one row can cost.
    orders : list of arrays, or None
        The orderings to average over; None leaves one row out at a time.
    class_codes : array of shape (n_terms,)
        The class to predict in each term.
    counts : array of shape (n_terms, n_classes)
        The class counts that each term is predicted from.
    """

    coded: Coded
    rule: Rule
    value_offsets: FloatArray
    offsets: ClassOffsets
    cap: float | None
    orders: list[IntArray] | None
    class_codes: IntArray
    counts: FloatArray
    selected: BoolArray = field(init=False)
    weights: FloatArray = field(init=False)
    kept: dict[int, FloatArray] = field(init=False, default_factory=dict)

    @classmethod
    def leave_one_out(cls, problem: Problem) -> "PredictiveCriterion":
        """Build the criterion in which each class is predicted from all the other rows."""
        return cls._of(problem, problem.coded.repeated(), None)

    @classmethod
    def prequential(cls, problem: Problem) -> "PredictiveCriterion":
        """Build the criterion in which each class is predicted from the rows before it."""
        coded, scheme = problem.coded.repeated(), problem.scheme
        n_groups = problem.n_orderings // checked_scheme(problem.n_orderings, scheme)
        seeds = group_seeds(n_groups, problem.random_state).tolist()
        orders = [order for seed in seeds for order in linked_orders(coded.n_rows, seed, scheme)]
        return cls._of(problem, coded, orders)

    @classmethod
    def _of(cls, problem: Problem, coded: Coded, orders: list[IntArray] | None) -> "PredictiveCriterion":
        rule, schema = problem.rule, coded.schema
        classes = np.asarray(coded.class_codes, dtype=np.int64)
        indicators = np.eye(schema.n_classes)[classes]
        if orders is None:
            # Counts of the classes that each term is predicted from: all others, or those before in the
            # ordering.
            counts = indicators.sum(axis=0) - indicators
        else:
            counts = np.concatenate(
                [np.cumsum(indicators[order], axis=0) - indicators[order] for order in orders]
            )
            classes = classes[np.concatenate(orders)]
        return cls(
            coded,
            rule,
            checked_offsets(rule, problem.prior, schema).value_offsets,
            ClassOffsets(schema, rule, problem.prior),
            problem.cap,
            orders,
            classes,
            counts,
        )

    def place(self, selected: BoolArray) -> float:
        """Set the current variables, and return their score."""
        # Summed from scratch after each move, so that rounding errors of additions and removals do not pile
        # up.
        self.selected, self.weights = selected.copy(), self._total(selected)
        return self._score(self.selected, self.weights)

    def after(self, variable: int) -> float:
        """Return the score if this variable were added, or removed if it is selected."""
        changed, own = _switched(self.selected, variable), self._contribution(variable)
        if changed[variable]:
            return self._score(changed, self.weights + own)
        # A weight of zero cannot be divided out again.
        is_finite = bool(np.isfinite(own).all())
        return self._score(changed, self.weights - own if is_finite else self._total(changed))

    def _score(self, selected: BoolArray, weights: FloatArray) -> float:
        # Classes are added last, because their offsets may depend on the selection.
        log_probs, _ = normalised(weights + self.rule.growth(self.counts + self.offsets.of(selected)))
        costs = -np.take_along_axis(log_probs, self.class_codes[:, None], axis=1)
        if self.cap is not None:
            costs = np.minimum(costs, self.cap)
        return float(costs.sum()) / (1 if self.orders is None else len(self.orders))

    def _total(self, selected: BoolArray) -> FloatArray:
        total = np.zeros_like(self.counts)
        for i in np.flatnonzero(selected).tolist():
            total += self._contribution(i)
        return total

    def _contribution(self, i: int) -> FloatArray:
        """Return the summand of one variable in the log weights of the classes, term by term."""
        if i not in self.kept:
            made = self._make_contribution(i)
            # All contributions have the same size. The first ones are kept rather than the latest: the search
            # visits all variables in the same order, and a cache of recent ones would never hit.
            if (len(self.kept) + 1) * made.size > MAX_CACHED:
                return made
            self.kept[i] = made
        return self.kept[i]

    def _make_contribution(self, i: int) -> FloatArray:
        from ..prequential._kernels import left_out_weights, sequential_weights

        schema, n_rows = self.coded.schema, self.coded.n_rows
        own_offsets = self.value_offsets[:, schema.offsets[i] : schema.offsets[i + 1]]
        # The kernel adds entries of the classes. With offsets of 1 they are finite, and are subtracted below.
        layout = lay_out(self.coded.select([i]), self.rule, Offsets(np.ones(schema.n_classes), own_offsets))
        weights = np.empty_like(self.counts)
        if self.orders is None:
            left_out_weights(layout, weights)
        for r, order in enumerate(self.orders or []):
            sequential_weights(layout, order, weights[r * n_rows : (r + 1) * n_rows])
        return np.asarray(weights - self.rule.growth(self.counts + 1))


VARIABLE_CRITERIA: dict[str, Callable[[Problem], Criterion]] = {
    "leave_one_out": PredictiveCriterion.leave_one_out,
    "prequential": PredictiveCriterion.prequential,
    "evidence": EvidenceCriterion.of,
}
"""Criteria by name. A criterion that is added here can choose variables everywhere."""
