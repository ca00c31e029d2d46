"""Log tables, by which a prediction is a sum of look-ups."""

from dataclasses import dataclass

import numpy as np

from ..counts import Counts
from ..typing import FloatArray, IntArray
from .rules.rule import Offsets, Rule


@dataclass(frozen=True, eq=False, slots=True)
class LogTables:
    """Log weights of the classes of a row, as sums of look-ups.

    ``log weight[k] = class_table[k] + sum_i value_table[k, offsets[i] + code_i] + constant``, in nats.
    The cell for missing of each variable is 0.0, so that missing cells do not contribute.

    For a rule that normalises, the weight is the predictive probability of the row together with the class;
    for stochastic complexity it is the maximised likelihood of the training data together with the row.

    Attributes
    ----------
    class_table : array of shape (n_classes,)
        Log weight of each class.
    value_table : array of shape (n_classes, n_cells)
        Log weight of each value of each variable in each class.
    constant : float
        Term of all classes.
    """

    class_table: FloatArray
    value_table: FloatArray
    constant: float


def log_tables(counts: Counts, rule: Rule, offsets: Offsets) -> LogTables:
    """Compute the log tables of a rule from counts and the offsets that the rule adds to them.

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
    # Missing cells do not count in totals: they are marginalised.
    raised[:, spare] = 0.0
    rule.check(float(raised.min(initial=0.0)))
    totals = np.add.reduceat(raised, schema.offsets[:-1], axis=1) if schema.n_variables else raised
    raised[:, spare] = 1.0  # any number with finite growth: the entry is not used
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
    """Return log table entries of a rule.

    Arguments are counts plus offsets, their sums over the values of the variable, and the number of values.
    """
    entries = rule.growth(raised)
    if not rule.normalises:
        return entries - rule.growth(totals)
    # Without counts and offsets, the distribution is uniform.
    seen = totals > 0
    return np.where(seen, entries, 0.0) - rule.growth(np.where(seen, totals, n_values))


def growth_lists(
    rule: Rule, offsets: FloatArray, most: IntArray, *, first: FloatArray | None = None
) -> tuple[FloatArray, IntArray]:
    """List ``rule.growth(offset + n)`` for n = 0, 1, ..., once per distinct offset.

    A kernel that adds rows one at a time raises whole counts by one, so all entries of log tables that it
    needs are listed in advance, and the kernel is independent of the rule.

    Parameters
    ----------
    rule : Rule
        Rule with the growth function.
    offsets, most : arrays of one shape
        Offset of each count, and the largest count to look up.
    first : array of the same shape, optional
        Argument of the entry for n = 0, instead of ``offset + 0``. A rule that normalises gives a variable
        without counts and offsets the uniform distribution: the list of its total begins with
        ``rule.growth(n_values)``.

    Returns
    -------
    entries : array of shape (n_entries,)
        All lists, one after the other.
    starts : array of the shape of ``offsets``
        Start of each list: ``entries[starts[...] + n]`` is the entry of ``n``.

    Examples
    --------
    >>> from codelength.naive_bayes import RULES
    >>> offsets, most = np.array([[0.5, 1.0], [1.0, 0.5]]), np.array([[1, 0], [2, 0]])
    >>> entries, starts = growth_lists(RULES["evidence"], offsets, most)
    >>> np.exp(entries).round(9).tolist(), starts.tolist()
    ([0.5, 1.5, 1.0, 2.0, 3.0], [[0, 2], [2, 0]])
    """
    # One complex number per list, because np.unique sorts them much faster than rows of pairs.
    keys = offsets + 1j * (offsets if first is None else first)
    distinct, which = np.unique(keys, return_inverse=True)
    which = which.reshape(keys.shape)
    lengths = np.ones(len(distinct), dtype=np.int64)
    # Offsets that are equal share a list, which is as long as the largest count of any of them.
    np.maximum.at(lengths, which, most + 1)
    ends = np.cumsum(lengths)
    begins = ends - lengths
    numbers = np.arange(ends[-1] if len(ends) else 0) - np.repeat(begins, lengths)
    raised = np.repeat(distinct.real, lengths) + numbers
    raised[begins] = distinct.imag
    return rule.growth(raised), begins[which]
