"""Scores of sets of variables that are cheap to follow from one set to the next."""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..counts import Counts, count
from ..errors import InvalidParameter
from ..prequential.layout import sequence_tables
from ..prequential.sampling import Scheme, checked_scheme, group_seeds, linked_orders
from ..rules import RULES, Prior, Pseudocounts, Rule, RuleName, normalised, pseudocounts
from ..rules.dirichlet import dirichlet_log_evidence
from ..rules.priors import pseudocounts
from ..table import Coded, Schema
from ..typing import BoolArray, FloatArray, IntArray

MAX_CACHED = 1 << 26
"""Numbers to keep at most; contributions beyond are made again whenever they are needed."""


class Criterion(Protocol):
    """A score, in nats, that follows a set of variables."""

    def place(self, selected: BoolArray) -> float:
        """Settle on a set, and score it."""

    def after(self, variable: int) -> float:
        """The score if this variable joined the set, or left it."""


@dataclass(eq=False, slots=True)
class ClassOffsets:
    """Offsets of the classes, which under some priors depend on the variables chosen."""

    schema: Schema
    rule: RuleName
    prior: PriorLike
    known: dict[int, FloatArray] = field(default_factory=dict)

    def of(self, selected: BoolArray) -> FloatArray:
        """The offsets when these variables are chosen."""
        # No prior looks at more than how many values the variables have beyond one each.
        size = int((self.schema.n_values - 1)[selected].sum()) if self._depends else 0
        if size not in self.known:
            kept = np.flatnonzero(selected if self._depends else np.ones_like(selected))
            chosen = Schema(tuple(self.schema.variables[i] for i in kept), self.schema.target)
            self.known[size] = RULES[self.rule](Counts.empty(chosen), self._spread(chosen)).class_offsets
        return self.known[size]

    @property
    def _depends(self) -> bool:
        named = isinstance(self.prior, str) and self.prior in ("indifferent", "jeffreys")
        return named or self.rule == "indifferent"

    def _spread(self, chosen: Schema) -> Pseudocounts:
        return pseudocounts("uniform" if self.rule == "indifferent" else self.prior, chosen)


@dataclass(eq=False, slots=True)
class EvidenceCriterion:
    """Code length of the table when the variables that are not chosen are independent of the class."""

    class_counts: FloatArray
    offsets: ClassOffsets
    together: FloatArray
    apart: FloatArray
    selected: BoolArray

    @classmethod
    def of(cls, schema: Schema, coded: Coded, rule: RuleName, prior: PriorLike) -> "EvidenceCriterion":
        """The criterion on a table."""
        if rule not in ("evidence", "indifferent"):
            raise InvalidParameter(
                f'rule={rule!r}: criterion="evidence" averages over models, as rule="evidence" and '
                'rule="indifferent" do; choose one of these, or another criterion'
            )
        counts, given = count(schema, coded), "indifferent" if rule == "indifferent" else prior
        values, unclassed = pseudocounts(given, schema).value_pseudocounts, _unclassed(given, schema)
        together, apart = np.empty(schema.n_variables), np.empty(schema.n_variables)
        for i in range(schema.n_variables):
            cells = np.s_[schema.offsets[i] : schema.offsets[i + 1] - 1]
            together[i] = -dirichlet_log_evidence(counts.of(i), values[:, cells]).sum()
            apart[i] = -dirichlet_log_evidence(counts.of(i).sum(axis=0), unclassed[cells])
        nothing = np.zeros(schema.n_variables, dtype=np.bool_)
        return cls(counts.class_counts, ClassOffsets(schema, rule, prior), together, apart, nothing)

    def place(self, selected: BoolArray) -> float:
        """Settle on a set, and score it."""
        self.selected = selected.copy()
        return self._score(selected)

    def after(self, variable: int) -> float:
        """The score if this variable joined the set, or left it."""
        changed = self.selected.copy()
        changed[variable] = not changed[variable]
        return self._score(changed)

    def _score(self, selected: BoolArray) -> float:
        classes = -dirichlet_log_evidence(self.class_counts, self.offsets.of(selected))
        return float(classes + np.where(selected, self.together, self.apart).sum())


def _unclassed(prior: PriorLike, schema: Schema) -> FloatArray:
    """Pseudocounts of the values where the class plays no part, shape (n_cells,)."""
    if isinstance(prior, (Prior, Pseudocounts)):
        return np.asarray(pseudocounts(prior, schema).value_pseudocounts.mean(axis=0))
    return np.asarray(pseudocounts(prior, Schema(schema.variables)).value_pseudocounts[0])


@dataclass(eq=False, slots=True)
class PredictiveCriterion:
    """Cost of the classes, each predicted from all the other rows or from those before it.

    Attributes
    ----------
    schema, coded
        The table.
    rule : Rule
        How to predict from all variables.
    offsets : ClassOffsets
        Offsets of the classes.
    orders : list of arrays, or None
        The orderings to average over; None leaves one row out at a time.
    floor : float, optional
        The most that one row can cost.
    classes : array of shape (n_terms,)
        The class to predict in each term.
    counts : array of shape (n_terms, n_classes)
        The class counts that each term is predicted from.
    """

    schema: Schema
    coded: Coded
    rule: Rule
    offsets: ClassOffsets
    orders: list[IntArray] | None
    floor: float | None
    classes: IntArray
    counts: FloatArray
    selected: BoolArray = field(init=False)
    weights: FloatArray = field(init=False)
    kept: dict[int, FloatArray] = field(init=False, default_factory=dict)

    @classmethod
    def of(
        cls,
        schema: Schema,
        coded: Coded,
        rule: RuleName,
        prior: PriorLike,
        orders: list[IntArray] | None,
        floor: float | None,
    ) -> "PredictiveCriterion":
        """The criterion on a table."""
        spelled = RULES[rule](Counts.empty(schema), pseudocounts(prior, schema))
        offsets = ClassOffsets(schema, rule, prior)
        classes = np.asarray(coded.classes, dtype=np.int64)
        indicators = np.eye(schema.n_classes)[classes]
        if orders is None:
            others = indicators.sum(axis=0) - indicators
            return cls(schema, coded, spelled, offsets, None, floor, classes, others)
        before = np.concatenate([np.cumsum(indicators[own], axis=0) - indicators[own] for own in orders])
        return cls(schema, coded, spelled, offsets, orders, floor, classes[np.concatenate(orders)], before)

    def place(self, selected: BoolArray) -> float:
        """Settle on a set, and score it."""
        self.selected, self.weights = selected.copy(), self._total(selected)
        return self._score(self.selected, self.weights)

    def after(self, variable: int) -> float:
        """The score if this variable joined the set, or left it."""
        changed, own = self.selected.copy(), self._contribution(variable)
        changed[variable] = not changed[variable]
        if changed[variable]:
            return self._score(changed, self.weights + own)
        # A weight of zero cannot be divided out again.
        is_finite = bool(np.isfinite(own).all())
        return self._score(changed, self.weights - own if is_finite else self._total(changed))

    def _score(self, selected: BoolArray, weights: FloatArray) -> float:
        log_probs, _ = normalised(weights + self.rule.growth(self.counts + self.offsets.of(selected)))
        costs = -np.take_along_axis(log_probs, self.classes[:, None], axis=1)
        if self.floor is not None:
            costs = np.minimum(costs, self.floor)
        return float(costs.sum()) / (1 if self.orders is None else len(self.orders))

    def _total(self, selected: BoolArray) -> FloatArray:
        total = np.zeros_like(self.counts)
        for i in np.flatnonzero(selected).tolist():
            total += self._contribution(i)
        return total

    def _contribution(self, i: int) -> FloatArray:
        """What one variable adds to the log weights of the classes, term by term."""
        if i not in self.kept:
            made = self._make_contribution(i)
            if (len(self.kept) + 1) * made.size > MAX_CACHED:
                return made
            self.kept[i] = made
        return self.kept[i]

    def _make_contribution(self, i: int) -> FloatArray:
        from ..prequential._kernels import left_out_weights, sequential_weights

        rule = self.rule
        cells = np.s_[self.schema.offsets[i] : self.schema.offsets[i + 1]]
        # With offsets of 1 the classes have finite entries, which are taken off again.
        alone = Rule(rule.name, np.ones_like(rule.class_offsets), rule.value_offsets[:, cells], rule.growth)
        classes = np.asarray(self.coded.classes, dtype=np.int64)
        nothing = np.zeros((0, self.schema.n_classes))
        own = np.s_[i : i + 1]
        tables = sequence_tables(
            self.coded.codes[:, own], classes, classes, self.schema.n_values[own], alone, nothing
        )
        weights, n_rows = np.empty_like(self.counts), self.coded.n_rows
        if self.orders is None:
            left_out_weights(tables, weights)
        for r, order in enumerate(self.orders or []):
            sequential_weights(tables, order, weights[r * n_rows : (r + 1) * n_rows])
        return np.asarray(weights - alone.growth(self.counts + 1))


def common_orders(n_rows: int, n_orderings: int, scheme: Scheme, random_state: Any) -> list[IntArray]:
    """Orderings along which all sets of variables are scored."""
    n_groups = n_orderings // checked_scheme(n_orderings, scheme)
    seeds = group_seeds(n_groups, random_state).tolist()
    return [order for seed in seeds for order in linked_orders(n_rows, seed, scheme)]
