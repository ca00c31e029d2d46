"""Mutable counts of rows under a fixed schema.

Cells are rows and classes are columns, unlike in :class:`codelength.counts.Counts`: a prediction of one row
reads the counts of a few cells in all classes, which are then contiguous. A total per variable and class is
kept up to date, so that no sum over values is needed either.

Rows are forgotten by weight. To halve the weight of older rows, counts would have to be multiplied for each
new row; instead each row gets a larger weight than the one before it, and counts are divided by the weight of
the last row where they are read. Predictions are the same, and the cost of a row does not depend on the
number of cells.

Order of reading: :class:`StreamCounts` (what both kinds of counts do with a :class:`Located` row), then
:class:`FixedCounts`: ``find``, ``learn``, ``log_weights``, ``counts``.

Depends on :mod:`codelength.table.one_row` (a mapping to places) and :mod:`codelength.naive_bayes` (offsets
and growth functions of rules).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from ..counts import Counts
from ..errors import DataError
from ..naive_bayes import PriorLike, Rule
from ..naive_bayes.log_tables import value_entries
from ..table import Schema
from ..table._messages import listed, shown
from ..table.encode import code_of
from ..table.one_row import MAX_REMEMBERED, RowReader
from ..typing import BoolArray, FloatArray, IntArray, Scalar

ROUNDING = 1e-9
"""Relative difference up to which sums of counts are equal."""


class Located(NamedTuple):
    """Code of the class of a row, places of its known values in the counts, positions of their variables.

    A column of all counts, rows of ``value_counts`` and rows of ``totals``: enough to remove the row again. A
    window keeps rows in this form. Cells without information have no place.
    """

    code: int
    places: IntArray
    positions: IntArray

    @classmethod
    def at(cls, code: int, places: list[int], positions: list[int]) -> Self:
        """Return the places of a row from lists."""
        return cls(code, np.array(places, dtype=np.int64), np.array(positions, dtype=np.int64))


class StreamCounts:
    """Mutable counts of single rows: what fixed and growing domains have in common.

    Counts are in units of the weight of the last row, an argument of most methods. Older rows then count less
    without any update of their counts. Subclasses define the places of a row: ``find`` and ``learn``.

    Attributes
    ----------
    class_counts : array of shape (n_classes,)
        Counts of classes.
    value_counts : array of shape (n_places, n_classes)
        Counts of values in classes. The counts of a row's values in all classes are contiguous.
    totals : array of shape (n_variables, n_classes)
        Counts of known cells of each variable in classes.
    """

    class_counts: FloatArray
    value_counts: FloatArray
    totals: FloatArray

    def add(self, row: Located, weight: float) -> None:
        """Add a row to the counts; subtract it if the weight is below zero."""
        self.class_counts[row.code] += weight
        self.value_counts[row.places, row.code] += weight
        self.totals[row.positions, row.code] += weight

    def take_off(self, row: Located) -> None:
        """Remove a row that was counted with weight 1."""
        self.add(row, -1.0)

    def shrink(self, weight: float) -> None:
        """Divide all counts by a weight, which is 1 from then on; otherwise weights would overflow."""
        for counts in (self.class_counts, self.value_counts, self.totals):
            counts /= weight

    def holds(self, row: Located) -> bool:
        """Return True if such a row can be among the counted ones.

        Counts do not tell which values occurred together, so a row that was never learned may pass; but no
        row passes whose removal would leave counts that no rows have.
        """
        # Without it, no count may be below 0, and no variable may have more cells in the class than there are
        # rows.
        if row.code < 0 or (row.places < 0).any():
            return False
        n_rows, n_cells = self.class_counts[row.code] - 1.0, self.totals[:, row.code].copy()
        n_cells[row.positions] -= 1.0
        left = [n_rows, *n_cells, *(self.value_counts[row.places, row.code] - 1.0)]
        return bool(min(left) >= 0.0 and not exceeds(n_cells, n_rows).any())


class FixedCounts(StreamCounts):
    """Counts of single rows under a fixed schema, and log weights of classes under a rule and a prior.

    Parameters
    ----------
    schema : Schema
        The variables, their values and the classes.
    rule : Rule
        Rule of naive Bayes; its offsets are computed once, because the schema does not change.
    prior
        As in :class:`codelength.NaiveBayes`.
    refuse_values : bool
        Raise an error on values that the schema does not list; otherwise they are ignored.

    Examples
    --------
    >>> from codelength import Schema, Variable
    >>> from codelength.naive_bayes import rule_of
    >>> schema = Schema([Variable("outlook", ("rain", "sun"))], Variable("play", ("no", "yes")))
    >>> counts = FixedCounts(schema, rule_of("evidence"), "uniform", refuse_values=False)
    >>> row = counts.learn({"outlook": "sun"}, "yes", 1.0)
    >>> counts.class_counts, counts.totals
    (array([0., 1.]), array([[0., 1.]]))
    >>> log_joint = counts.log_weights({"outlook": "sun"}, 1.0) - counts.log_total(1.0)
    >>> np.exp(log_joint).round(4)  # 1/3 * 1/2 and 2/3 * 2/3
    array([0.1667, 0.4444])
    >>> counts.take_off(row)
    >>> counts.class_counts
    array([0., 0.])
    """

    def __init__(self, schema: Schema, rule: Rule, prior: PriorLike, *, refuse_values: bool) -> None:
        self.schema = schema
        self._rule = rule
        offsets = rule.offsets_under(prior, schema)
        self._class_offsets = offsets.class_offsets
        # Cells first, classes last: the counts of a row's values in all classes are contiguous.
        self._value_offsets = np.ascontiguousarray(offsets.value_offsets.T)
        self._total_offsets = _totals(offsets.value_offsets, schema)
        self._n_values = schema.n_values[:, None]
        # If no count plus offset is zero, entries are plain logarithms without checks for zero.
        known = np.delete(offsets.value_offsets, schema.offsets[1:] - 1, axis=1)
        self._is_plain = type(rule).growth is Rule.growth and bool((known > 0).all())
        self._row = RowReader(schema, refuse_values=refuse_values)
        # Most rows have all variables; their positions need no new array.
        self._positions = np.arange(schema.n_variables)
        self._codes: dict[Any, int] = {}
        self.class_counts = np.zeros(schema.n_classes)
        self.value_counts = np.zeros((schema.n_cells, schema.n_classes))
        self.totals = np.zeros((schema.n_variables, schema.n_classes))

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return self.schema.n_variables

    @property
    def classes(self) -> tuple[Scalar, ...]:
        """The classes, in the order of their log weights."""
        return self.schema.classes

    @property
    def layout(self) -> tuple[list[int], list[int]]:
        """Rows and columns of the value counts that are in use: all."""
        return [*range(len(self.value_counts))], [*range(len(self.class_counts))]

    def places_of(self, i: int) -> list[int]:
        """Return the places of the values of a variable."""
        return [*range(self.schema.offsets[i], self.schema.offsets[i + 1] - 1)]

    def class_place(self, y: Scalar) -> int:
        """Return the place of a class among the log weights."""
        key = (type(y), y)
        try:
            return self._codes[key]
        # Most classes were seen before: a dictionary look-up avoids reading and comparing them.
        except Exception:  # not met before, or an object that cannot be looked up
            pass
        assert self.schema.target is not None
        code = code_of(self.schema.target, y)
        if code is None or code < 0:
            raise DataError(
                f"class {shown(y)} is not in the schema {listed(self.schema.classes)}; name all classes "
                'beforehand, or pass domains="growing"'
            )
        if len(self._codes) < MAX_REMEMBERED:
            self._codes[key] = code
        return code

    def learn(self, x: Mapping[str, Any], y: Scalar, weight: float) -> Located:
        """Count a row of some weight and return its places."""
        row = self.find(x, y)
        self.add(row, weight)
        return row

    def find(self, x: Mapping[str, Any], y: Scalar) -> Located:
        """Return the places of a row."""
        return Located(self.class_place(y), *self._found(x))

    def log_weights(self, x: Mapping[str, Any], weight: float) -> FloatArray:
        r"""Return the log weight of each class, up to the constant of :meth:`log_total`.

        .. math:: g(h_k + a_k) + \sum_i \bigl[ g(f_{kix_i} + a_{kix_i}) - g(n_{ki} + a_{ki}) \bigr]

        with the offsets :math:`a` and the growth function :math:`g` of the rule. The total :math:`n_{ki}` has
        the cells of variable :math:`i` that are known, so a missing cell leaves out its whole factor.
        """
        cells, positions = self._found(x)
        classes = self.class_counts if weight == 1.0 else self.class_counts / weight
        log_weights = self._rule.growth(classes + self._class_offsets)
        if not len(cells):
            return log_weights
        counts, totals = self.value_counts[cells], self.totals[positions]
        # Copies, so the division does not change the counts; without forgetting it is skipped.
        if weight != 1.0:
            counts /= weight
            totals /= weight
        counts += self._value_offsets[cells]
        totals += self._total_offsets[positions]
        if self._is_plain:
            log_weights += np.add.reduce(np.log(counts) - np.log(totals), axis=0)
        else:
            entries = value_entries(self._rule, counts, totals, self._n_values[positions])
            log_weights += entries.sum(axis=0)
        return log_weights

    def _found(self, x: Mapping[str, Any]) -> tuple[IntArray, IntArray]:
        """Return cells and positions of the known values of a row."""
        cells, positions = self._row.cells(x)
        if len(positions) == len(self._positions):
            return np.array(cells, dtype=np.int64), self._positions
        return np.array(cells, dtype=np.int64), np.array(positions, dtype=np.int64)

    def log_total(self, weight: float) -> float:
        """Return the log of the sum of joint weights of all rows and classes, for rules that normalise."""
        total = np.sum(self.class_counts / weight + self._class_offsets)
        return float(np.log(total)) if total > 0 else 0.0

    def counts(self, weight: float) -> Counts:
        """Return a copy of the counts. Missing cells are not counted."""
        return Counts(
            self.schema, self.class_counts / weight, np.ascontiguousarray(self.value_counts.T) / weight
        )

    def start_from(self, counts: Counts) -> None:
        """Initialise from counts."""
        self.class_counts[:] = counts.class_counts
        self.value_counts[:] = counts.value_counts.T
        self.totals[:] = _totals(counts.value_counts, self.schema)


def exceeds(totals: FloatArray, class_counts: FloatArray) -> BoolArray:
    """Return True if there are more cells than rows, by more than rounding.

    Examples
    --------
    >>> exceeds(np.array([3.0, 4.0]), np.array([3.0, 3.0]))
    array([False,  True])
    """
    return np.asarray(totals > class_counts + ROUNDING * (1 + class_counts))


def _totals(counts: FloatArray, schema: Schema) -> FloatArray:
    """Return sums over the values of each variable, without missing cells, shape (n_variables, n_classes)."""
    if not schema.n_variables:
        return np.zeros((0, schema.n_classes))
    counts = counts.copy()
    counts[:, schema.offsets[1:] - 1] = 0.0
    return np.ascontiguousarray(np.add.reduceat(counts, schema.offsets[:-1], axis=1).T)
