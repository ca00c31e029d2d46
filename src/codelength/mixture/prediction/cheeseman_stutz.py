r"""Predictions by the ratio of two Cheeseman-Stutz approximations.

.. math:: P(d \mid D) \approx \frac{CS(D, d)}{CS(D)}

The rows keep the components that the fitted mixture puts them into, and the new row goes to its own most
probable one, for each combination of values asked about. The counts of that component are all that changes,
so one column of the joint probabilities of rows and components is computed again.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from ...counts import Counts
from ...rules import Offsets, PriorLike, Pseudocounts, logarithm, pseudocounts, rule_of
from ...rules.query import Question
from ...table import Coded, Schema
from ...typing import FloatArray, IntArray
from ..clusterings import clustering_counts
from ..parameters import MixtureParameters, posterior_mode


@dataclass(frozen=True, eq=False, slots=True)
class CompletedRows:
    """Rows in the components that a mixture puts them into, and what changes when one more comes.

    Attributes
    ----------
    cells : array of shape (n_rows, n_variables)
        Cells of the distinct rows in the flat layout of the schema.
    weights : array of shape (n_rows,)
        How often each occurs.
    counts : Counts
        Counts of the rows within the components.
    prior : Pseudocounts
        The prior.
    offsets : Offsets
        Pseudocounts less one.
    value_logs : array of shape (n_rows, n_components)
        Log probability of each row in each component, by the most probable mixture given the components.
    complete : array of shape (n_components,)
        Log-likelihood of the values of the rows in each component, by the same mixture.
    """

    cells: IntArray
    weights: FloatArray
    counts: Counts
    prior: Pseudocounts
    offsets: Offsets
    value_logs: FloatArray
    complete: FloatArray

    @classmethod
    def of(cls, rows: Coded, mixture: MixtureParameters, prior: PriorLike) -> "CompletedRows":
        """The rows, each in its most probable component."""
        coded = mixture.coded(rows).distinct()
        spread = pseudocounts(prior, coded.schema)
        counts = clustering_counts(coded, mixture)
        table = posterior_mode(counts, spread).log_tables().value_table
        cells = coded.schema.offsets[:-1] + coded.codes.astype(np.int64)
        return cls(
            cells,
            np.ones(coded.n_rows) if coded.weights is None else coded.weights,
            counts,
            spread,
            rule_of("map").offsets(spread, coded.schema),
            np.stack([row[cells].sum(axis=1) for row in table], axis=1),
            np.array([_product(seen, logs) for seen, logs in zip(counts.value_counts, table, strict=True)]),
        )

    def log_weight(self, cells: IntArray, component: int) -> float:
        """Log of the approximation for the rows and one more in a component, relative to that for the rows'
        completed evidence alone.

        Parameters
        ----------
        cells : array of shape (n_variables,)
            Cells of the new row.
        component : int
            The component that it goes to.
        """
        counts, schema = self.counts, self.counts.schema
        sizes, seen = counts.class_counts.copy(), counts.value_counts[component].copy()
        sizes[component] += 1
        seen[cells] += 1
        excess = sizes + self.offsets.class_offsets
        class_logs = logarithm(excess / excess.sum())
        own_table = _mode_logs(schema, seen + self.offsets.value_offsets[component])
        joint = class_logs + self.value_logs
        joint[:, component] = class_logs[component] + own_table[self.cells].sum(axis=1)
        new = class_logs + self._value_logs_of(cells)
        new[component] = class_logs[component] + own_table[cells].sum()
        likelihood = float(self.weights @ np.logaddexp.reduce(joint, axis=1)) + np.logaddexp.reduce(new)
        complete = self.complete.sum() - self.complete[component] + _product(seen, own_table)
        return float(
            self._log_evidence(cells, component) + likelihood - complete - _product(sizes, class_logs)
        )

    def _value_logs_of(self, cells: IntArray) -> FloatArray:
        """Log probability of one row in each component, before it comes."""
        excess = self.counts.value_counts + self.offsets.value_offsets
        return np.array([_mode_logs(self.counts.schema, row)[cells].sum() for row in excess])

    def _log_evidence(self, cells: IntArray, component: int) -> float:
        """Log probability of the new row in its component, given the completed rows."""
        counts, prior, schema = self.counts, self.prior, self.counts.schema
        sizes = counts.class_counts + prior.class_pseudocounts
        raised = counts.value_counts[component] + prior.value_pseudocounts[component]
        raised[schema.offsets[1:] - 1] = 0.0
        totals = np.add.reduceat(raised, schema.offsets[:-1]) if schema.n_variables else np.zeros(0)
        known = cells != schema.offsets[1:] - 1
        logs = np.log(raised[cells[known]] / totals[known])
        return float(np.log(sizes[component] / sizes.sum()) + logs.sum())


def cheeseman_stutz_weights(
    rows: Coded, mixture: MixtureParameters, prior: PriorLike, question: Question, new: Coded
) -> FloatArray:
    """Log weight of every combination asked about in each new row, shape (n_rows, n_combinations)."""
    completed = CompletedRows.of(rows, mixture, prior)
    schema = mixture.schema
    tables = mixture.log_tables()
    blank = schema.offsets[:-1] + question.blanked(new).codes.astype(np.int64)
    found = np.empty((new.n_rows, question.n_combinations))
    for n, known in enumerate(blank):
        for c, codes in enumerate(itertools.product(*map(range, question.sizes))):
            cells = known.copy()
            cells[list(question.columns)] = schema.offsets[list(question.columns)] + np.array(codes)
            shares = tables.class_table + tables.value_table[:, cells].sum(axis=1)
            found[n, c] = completed.log_weight(cells, int(np.argmax(shares)))
    return found


def _mode_logs(schema: Schema, excess: FloatArray) -> FloatArray:
    """Log of the most probable values of one component; 0 in the cells for missing."""
    spares = schema.offsets[1:] - 1
    excess = excess.copy()
    excess[spares] = 0.0
    totals = np.add.reduceat(excess, schema.offsets[:-1]) if schema.n_variables else np.zeros(0)
    by_cell = np.repeat(totals, schema.n_values + 1)
    even = np.repeat(schema.n_values, schema.n_values + 1)
    probs = np.where(by_cell > 0, excess, 1.0) / np.where(by_cell > 0, by_cell, even)
    probs[spares] = 1.0
    return logarithm(probs)


def _product(counts: FloatArray, logs: FloatArray) -> float:
    """Sum of counts times logs, where 0 log 0 is 0."""
    seen = counts > 0
    return float(counts[seen] @ logs[seen])
