"""From counts to log tables: a prediction is then a sum of look-ups."""

from dataclasses import dataclass

import numpy as np

from ..counts import Counts
from ..typing import FloatArray, IntArray
from .rules.rule import Offsets, Rule


@dataclass(frozen=True, eq=False, slots=True)
class LogTables:
    """Weights of the classes of a row, as sums of look-ups.

    ``log weight[k] = class_table[k] + sum_i value_table[k, offsets[i] + code_i] + constant``, in nats.
    The cell for missing of each variable holds 0.0, so that missing cells drop out.

    For a rule that normalises, the weight is the predictive probability of the row together with the class;
    for stochastic complexity it is the maximised likelihood of the training data together with the row.

    Attributes
    ----------
    class_table : array of shape (n_classes,)
    value_table : array of shape (n_classes, n_cells)
    constant : float
    """

    class_table: FloatArray
    value_table: FloatArray
    constant: float


def log_tables(counts: Counts, rule: Rule, offsets: Offsets) -> LogTables:
    """The log tables of a rule on some counts.

    Examples
    --------
    >>> from codelength.naive_bayes import RULES
    >>> from codelength.table import Schema
    >>> counts, rule = Counts.empty(Schema.from_sizes([4], n_classes=2)), RULES["evidence"]
    >>> tables = log_tables(counts, rule, rule.offsets_under("uniform", counts.schema))
    >>> np.exp(tables.value_table[0])
    array([0.25, 0.25, 0.25, 0.25, 1.  ])
    """
    schema, spare = counts.schema, counts.schema.offsets[1:] - 1
    raised = counts.value_counts + offsets.value_offsets
    raised[:, spare] = 0.0
    rule.check(float(raised.min(initial=0.0)))
    totals = np.add.reduceat(raised, schema.offsets[:-1], axis=1) if schema.n_variables else raised
    raised[:, spare] = 1.0  # any number whose growth is finite: the entry is not used
    value_table = value_entries(
        rule,
        raised,
        np.repeat(totals, schema.n_values + 1, axis=1),
        np.repeat(schema.n_values, schema.n_values + 1),
    )
    value_table[:, spare] = 0.0
    of_classes = counts.class_counts + offsets.class_offsets
    rule.check(float(of_classes.min(initial=0.0)))
    return LogTables(rule.growth(of_classes), value_table, rule.constant(counts, offsets))


def value_entries(rule: Rule, raised: FloatArray, totals: FloatArray, n_values: IntArray | int) -> FloatArray:
    """Log table entries from counts with offsets, and from their sums over the values of the variable."""
    entries = rule.growth(raised)
    if not rule.normalises:
        return entries - rule.growth(totals)
    # Nothing seen and nothing added: all values are alike.
    seen = totals > 0
    return np.where(seen, entries, 0.0) - rule.growth(np.where(seen, totals, n_values))
