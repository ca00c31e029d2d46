"""From counts to log tables: a prediction is then a sum of look-ups."""

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from ..counts import Counts
from ..typing import FloatArray
from .rule import Rule, logarithm


@dataclass(frozen=True, slots=True)
class LogTables:
    """Weights of the classes of a row, as sums of look-ups.

    ``log weight[k] = class_table[k] + sum_i value_table[k, offsets[i] + code_i] + constant``, in nats.
    The spare cell of each variable holds 0.0, so that missing cells drop out.

    For the MAP, evidence and indifferent rules the weight is the predictive probability of the row
    together with the class; for stochastic complexity it is the maximised likelihood of the training
    data together with the row.

    Attributes
    ----------
    class_table : array of shape (n_classes,)
    value_table : array of shape (n_classes, n_cells)
    constant : float
    """

    class_table: FloatArray
    value_table: FloatArray
    constant: float


def log_tables(counts: Counts, rule: Rule) -> LogTables:
    """The log tables of a rule on some counts.

    Examples
    --------
    >>> from codelength.counts import Counts
    >>> from codelength.rules import evidence_rule, pseudocounts
    >>> from codelength.table import Schema
    >>> counts = Counts.empty(Schema.from_sizes([4], n_classes=2))
    >>> tables = log_tables(counts, evidence_rule(counts, pseudocounts("uniform", counts.schema)))
    >>> np.exp(tables.value_table[0])
    array([0.25, 0.25, 0.25, 0.25, 1.  ])
    """
    offsets = counts.schema.offsets
    value_table = np.zeros_like(counts.value_counts)
    for i in range(counts.schema.n_variables):
        start, stop = offsets[i], offsets[i + 1] - 1
        raised = counts.value_counts[:, start:stop] + rule.value_offsets[:, start:stop]
        totals = raised.sum(axis=1, keepdims=True)
        value_table[:, start:stop] = value_entries(rule, raised, totals, stop - start)
    return LogTables(
        rule.growth(counts.class_counts + rule.class_offsets), value_table, _constant(counts, rule)
    )


def value_entries(rule: Rule, raised: FloatArray, totals: FloatArray, n_values: int) -> FloatArray:
    """Log table entries from counts with offsets, and from their sums over the values of the variable."""
    if rule.is_complexity:
        return rule.growth(raised) - rule.growth(totals)
    # No cell seen and no pseudocounts (MAP only): all values are alike.
    seen = totals > 0
    entries = logarithm(np.where(seen, raised, 1.0)) - np.log(np.where(seen, totals, n_values))
    return np.asarray(entries)


def _constant(counts: Counts, rule: Rule) -> float:
    if rule.is_complexity:
        return _best_fit_but_one(counts)
    total = float((counts.class_counts + rule.class_offsets).sum())
    return -float(np.log(total)) if total > 0 else 0.0


def _best_fit_but_one(counts: Counts) -> float:
    """Maximised log-likelihood of the rows, were the number of rows one larger."""
    n_after = counts.n_rows + 1
    fit = float(xlogy(counts.class_counts, counts.class_counts).sum() - xlogy(n_after, n_after))
    for i in range(counts.schema.n_variables):
        seen = counts.of(i)
        totals = seen.sum(axis=1)
        fit += float(xlogy(seen, seen).sum() - xlogy(totals, totals).sum())
    return fit
