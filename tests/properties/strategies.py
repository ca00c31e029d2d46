"""Small coded tables, priors and weights to draw from, and their forms for the slow oracle."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

import naive
from codelength.counts import Counts, count
from codelength.naive_bayes import RULES, Prior, PriorLike, Pseudocounts, pseudocounts
from codelength.table import Coded, Schema, encode

RULE_NAMES = tuple(RULES)

PSEUDOCOUNTS = (0.25, 0.5, 1.0, 1.5, 2.0, 4.0)
"""Binary fractions: the oracle's exact arithmetic sees the same numbers as the package."""

by_rule = pytest.mark.parametrize("rule", RULE_NAMES)
rule_names = st.sampled_from(RULE_NAMES)
seeds = st.integers(0, 2**32 - 1)


def for_every_rule(max_examples: int) -> Callable[[Any], Any]:
    """A test of a ``rule`` that draws its ``data``, so many times for each rule."""
    return lambda test: by_rule(settings(max_examples=max_examples)(given(data=st.data())(test)))


@dataclass(frozen=True)
class Table:
    """A coded table: ``None`` is a missing cell, as in the oracle."""

    n_values: tuple[int, ...]
    n_classes: int
    rows: tuple[tuple[int | None, ...], ...]
    labels: tuple[int, ...]

    @property
    def schema(self) -> Schema:
        return Schema.from_sizes(self.n_values, self.n_classes)

    @property
    def codes(self) -> np.ndarray:
        """The cells as an integer array, -1 where missing."""
        cells = [[-1 if cell is None else cell for cell in row] for row in self.rows]
        return np.array(cells, dtype=np.int64).reshape(len(self.rows), len(self.n_values))

    @property
    def coded(self) -> Coded:
        return encode(self.schema, self.codes, np.array(self.labels, dtype=np.int64))

    def weighted(self, weights: np.ndarray | None) -> Coded:
        return replace(self.coded, weights=weights)

    def counts(self, weights: np.ndarray | None = None) -> Counts:
        return count(self.weighted(weights))

    def naive_counts(self, weights: Any = None) -> naive.Counts:
        return naive.count(self.rows, self.labels, self.n_values, self.n_classes, weights)

    def naive_prior(self, prior: PriorLike) -> naive.Prior:
        return naive_prior(pseudocounts(prior, self.schema), self.schema)

    def take(self, positions: Any) -> "Table":
        """The table with these rows, in this order."""
        rows = tuple(self.rows[j] for j in positions)
        return Table(self.n_values, self.n_classes, rows, tuple(self.labels[j] for j in positions))


@st.composite
def tables(
    draw: DrawFn,
    *,
    min_rows: int = 0,
    max_rows: int = 10,
    max_variables: int = 4,
    max_values: int = 4,
    min_classes: int = 1,
    max_classes: int = 4,
    missing: bool = True,
    all_classes: bool = False,
) -> Table:
    """Tables of a few rows; with ``all_classes`` the first rows have one of each class."""
    n_values = draw(st.lists(st.integers(1, max_values), min_size=1, max_size=max_variables))
    n_classes = draw(st.integers(min_classes, max_classes))
    cells = [st.integers(-1 if missing else 0, n - 1).map(lambda c: None if c < 0 else c) for n in n_values]
    row = st.tuples(*cells)
    fewest = max(min_rows, n_classes) if all_classes else min_rows
    rows = draw(st.lists(row, min_size=fewest, max_size=max(fewest, max_rows)))
    label = st.integers(0, n_classes - 1)
    labels = draw(st.lists(label, min_size=len(rows), max_size=len(rows)))
    if all_classes:
        labels[:n_classes] = range(n_classes)
    return Table(tuple(n_values), n_classes, tuple(rows), tuple(labels))


@st.composite
def priors(draw: DrawFn, table: Table, *, at_least: float = 0.0) -> PriorLike:
    """Priors of every form that fit the table; ``at_least`` 1 leaves those that rule "map" can use."""
    number = st.sampled_from([number for number in PSEUDOCOUNTS if number >= at_least])
    of_classes = st.one_of(number, st.lists(number, min_size=table.n_classes, max_size=table.n_classes))
    of_variables = [_value_pseudocounts(number, table.n_classes, n) for n in table.n_values]
    explicit = st.builds(Prior, of_classes, st.one_of(number, st.tuples(*of_variables)))
    named = ["uniform", "indifferent"] if at_least >= 1 else ["uniform", "indifferent", "jeffreys", 1.0, 6.0]
    return draw(st.one_of(st.sampled_from(named), explicit))


def _value_pseudocounts(number: SearchStrategy[float], n_classes: int, n_values: int) -> SearchStrategy[Any]:
    of_values = st.lists(number, min_size=n_values, max_size=n_values)
    return st.one_of(number, of_values, st.lists(of_values, min_size=n_classes, max_size=n_classes))


@st.composite
def row_weights(draw: DrawFn, table: Table, *, zero: bool = True) -> np.ndarray:
    """Weights that are binary fractions, so that sums of them are exact."""
    weight = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 3.0] if zero else [0.25, 0.5, 1.0, 1.5, 3.0])
    n_rows = len(table.rows)
    return np.array(draw(st.lists(weight, min_size=n_rows, max_size=n_rows)), dtype=np.float64)


@st.composite
def tables_and_priors(draw: DrawFn, rule: str, **options: Any) -> tuple[Table, PriorLike]:
    """Tables, each with a prior that fits it and that the rule can use."""
    table = draw(tables(**options))
    return table, draw(priors(table, at_least=least_pseudocount(rule)))


def least_pseudocount(rule: str) -> float:
    """The smallest pseudocounts a rule can do with."""
    return 1.0 if rule == "map" else 0.0


def naive_prior(prior: Pseudocounts, schema: Schema) -> naive.Prior:
    """The same pseudocounts in the layout of the oracle: [class][variable][value]."""
    values = [
        [of_class[schema.offsets[i] : schema.offsets[i + 1] - 1].tolist() for i in range(schema.n_variables)]
        for of_class in prior.value_pseudocounts
    ]
    return naive.Prior(prior.class_pseudocounts.tolist(), values)


def naive_log_weights(
    row: tuple[int | None, ...], counts: naive.Counts, prior: naive.Prior, rule: str
) -> list[float]:
    """Log weights of all classes by the oracle, with counts that may be fractions of rows."""
    if rule == "stochastic_complexity":
        return naive.stochastic_complexity_log_weights(row, counts)
    if rule == "indifferent":
        weights = naive.indifferent_weights(row, counts)
    elif rule == "evidence":
        weights = naive.evidence_weights(row, counts, prior)
    else:
        weights = _naive_map_weights(row, counts, prior)
    return [naive.log(weight) for weight in weights]


def _naive_map_weights(row: tuple[int | None, ...], counts: naive.Counts, prior: naive.Prior) -> list[Any]:
    """The oracle's weights, but with the uniform distribution where a variable was never seen in a class."""
    mode = naive.posterior_mode(counts, prior)
    assert mode is not None
    if mode.class_probs is None:
        return [0] * len(counts.class_counts)
    n_values = [len(block) for block in counts.value_counts[0]]
    return naive.joint_probs(row, naive.filled(mode, n_values))
