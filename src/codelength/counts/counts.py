"""Counts, the sufficient statistics of a table for naive Bayes.

Counts are a commutative monoid: the counts of two tables under one schema add up to those of both.

Order of reading: :class:`Counts` (arrays ``class_counts`` and ``value_counts``; ``merge`` adds two tables),
then :func:`count`, which runs compiled loops in blocks over threads, or plain numpy for a first small table,
and :func:`expected_counts`, in which rows are divided among the classes.

Depends on :mod:`codelength.table` and on the loops in ``_kernels``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._display import Shown, counted
from .._threads import FirstCalls, map_blocks
from ..blocks import Block, Grid
from ..errors import DataError, SchemaMismatch
from ..table import Coded, Schema
from ..table._messages import shown
from ..table.checks import as_array, check_instance, check_sequence, check_whole, reading
from ..typing import FloatArray, IntArray

MAX_JOINT_CELLS = 16_384
"""Largest joint table, classes included: four of them fit in the second-level cache."""

MAX_COLUMNS = 3
"""Default of the largest number of columns per group."""

MAX_CLASSES = 8
"""Largest number of classes in the display of counts."""

_ROUNDING = 1e-12

_CALL = 1000
"""Fixed cost of a call of plain numpy, in cells."""

_ROWS_AT_ONCE = 1 << 16

first_calls = FirstCalls()


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Shown):
    """Counts of each class, and of each value of each variable in each class.

    Attributes
    ----------
    schema : Schema
        Schema of the table.
    class_counts : array of shape (n_classes,)
        Rows, or summed weights, of each class.
    value_counts : array of shape (n_classes, n_cells)
        Rows of each class with each value: variable ``i`` has cells ``offsets[i] .. offsets[i + 1] - 1``,
        the last of which counts its missing cells.
    """

    schema: Schema
    class_counts: FloatArray
    value_counts: FloatArray

    def __post_init__(self) -> None:
        """Check that the arrays fit the schema, because compiled loops use codes as unchecked indices."""
        check_instance("schema", self.schema, Schema, "a Schema")
        sizes = self.schema.n_classes, self.schema.n_cells
        for name, shape in (("class_counts", sizes[:1]), ("value_counts", sizes)):
            counts = as_array(getattr(self, name))
            if counts.shape != shape or counts.dtype.kind not in "fiu":
                raise SchemaMismatch(
                    f"{name}: {counts.dtype} of shape {counts.shape}; expected numbers of shape {shape}"
                )
            object.__setattr__(self, name, counts.astype(np.float64, copy=False))

    @classmethod
    def empty(cls, schema: Schema) -> Self:
        """Return counts of no rows.

        Examples
        --------
        >>> from codelength.table import Schema
        >>> Counts.empty(Schema.from_sizes([2], n_classes=3)).n_rows
        0.0
        """
        check_instance("schema", schema, Schema, "a Schema")
        return cls(schema, np.zeros(schema.n_classes), np.zeros((schema.n_classes, schema.n_cells)))

    @classmethod
    def from_cells(cls, schema: Schema, cells: Any, n: Any) -> Self:
        """Return counts from cells that another program has counted, in any order.

        Cells are numbered class by class: first the classes, ``0 .. n_classes - 1``, then ``n_cells`` cells
        of ``value_counts`` for each class.

        Parameters
        ----------
        schema : Schema
            Schema of the table.
        cells : array of int
            Cells; one may occur several times.
        n : array of the same shape
            Count of each cell.

        Examples
        --------
        >>> from codelength.table import Schema
        >>> Counts.from_cells(Schema.from_sizes([2]), [0, 1, 2, 0, 2], [2, 1, 1, 1, 1]).of("x0")
        array([[1., 2.]])
        """
        check_instance("schema", schema, Schema, "a Schema")
        places, numbers = as_array(cells), as_array(n, np.float64)
        n_cells = schema.n_classes * (1 + schema.n_cells)
        is_whole = places.dtype.kind in "iu" or not places.size
        if not is_whole or places.ndim != 1 or places.shape != numbers.shape:
            raise DataError("cells and n: expected whole numbers and numbers, one of each per cell")
        if places.size and (int(places.min()) < 0 or int(places.max()) >= n_cells):
            raise SchemaMismatch(f"cells: expected numbers from 0 to {n_cells - 1}; count under this schema")
        flat = np.bincount(places.astype(np.int64), numbers, n_cells).astype(np.float64)
        counts = cls(schema, flat[: schema.n_classes], flat[schema.n_classes :].reshape(schema.n_classes, -1))
        counts.check()
        return counts

    @property
    def n_rows(self) -> float:
        """Number of rows, or their summed weights."""
        return float(self.class_counts.sum())

    def of(self, variable: int | str) -> FloatArray:
        """Return counts of the values of one variable without missing, shape (n_classes, n_values).

        Parameters
        ----------
        variable : int or str
            Position or name of the variable.
        """
        return self.value_counts[:, self.schema.cells(self.schema.position(variable))]

    def select(self, variables: Sequence[int]) -> "Counts":
        """Return counts of some of the variables, given by position."""
        offsets = self.schema.offsets
        chosen = [self.schema.position(i) for i in check_sequence("variables", variables, of="positions")]
        cells = [np.arange(offsets[i], offsets[i + 1]) for i in chosen]
        flat = np.concatenate(cells) if cells else np.zeros(0, dtype=np.int64)
        return Counts(self.schema.select(chosen), self.class_counts, self.value_counts[:, flat])

    def merge(self, other: "Counts") -> "Counts":
        """Return the counts of both tables."""
        check_instance("other", other, Counts, "other Counts")
        if self.schema != other.schema:
            raise SchemaMismatch("counts of different schemas do not add up; fit the parts with one schema=")
        return Counts(
            self.schema, self.class_counts + other.class_counts, self.value_counts + other.value_counts
        )

    def add(self, row: Sequence[int], class_code: int = 0, weight: float = 1.0) -> "Counts":
        """Return counts with one more row.

        Parameters
        ----------
        row : sequence of int
            Code of each variable; the number of its values for missing.
        class_code : int
            Code of the class.
        weight : float
            Weight of the row.
        """
        return self.merge(count(Coded.of(self.schema, [row], [class_code], [weight])))

    def remove(self, row: Sequence[int], class_code: int = 0, weight: float = 1.0) -> "Counts":
        """Return counts with one row less; parameters are those of :meth:`add`.

        Raises
        ------
        DataError
            If the row was not counted.
        """
        own = count(Coded.of(self.schema, [row], [class_code], [weight]))
        left = self.class_counts - own.class_counts, self.value_counts - own.value_counts
        # Fractional weights may leave differences that are negative by rounding.
        if min(part.min(initial=0.0) for part in left) < -_ROUNDING * (self.n_rows + weight):
            raise DataError(
                f"row {shown(row)} of class {class_code}: it was not counted, so it cannot be removed"
            )
        return Counts(self.schema, *(np.maximum(part, 0.0) for part in left))

    def __eq__(self, other: object) -> bool:
        """Return True for equal schemas and exactly equal counts."""
        if not isinstance(other, Counts):
            return NotImplemented
        return (
            self.schema == other.schema
            and np.array_equal(self.class_counts, other.class_counts)
            and np.array_equal(self.value_counts, other.value_counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON types, without the schema."""
        return {
            "class_counts": _plain(self.class_counts),
            "value_counts": [_plain(row) for row in self.value_counts],
        }

    @classmethod
    @reading("Counts")
    def from_json(cls, document: Mapping[str, Any], schema: Schema) -> Self:
        """Restore the counts that :meth:`to_json` wrote, checked against the schema and for consistency."""
        names = "class_counts", "value_counts"
        counts = cls(schema, *(np.array(document[name], dtype=np.float64) for name in names))
        counts.check()
        return counts

    def check(self) -> None:
        """Raise DataError for counts that are negative or infinite, or do not add up to the class counts."""
        # Files come from outside, so everything that later code relies on is checked.
        everything = np.concatenate((self.class_counts, self.value_counts.ravel()))
        if not np.isfinite(everything).all() or everything.min(initial=0) < 0:
            raise DataError("a count is negative or not finite")
        for i, variable in enumerate(self.schema.variables):
            start, stop = self.schema.offsets[i], self.schema.offsets[i + 1]
            if not np.allclose(self.value_counts[:, start:stop].sum(axis=1), self.class_counts, rtol=1e-9):
                raise DataError(f"the counts of variable {variable.name!r} do not add up to the class counts")

    def _title(self) -> str:
        variables = counted(self.schema.n_variables, "variable")
        classes = "" if self.schema.target is None else f", {counted(self.schema.n_classes, 'class')}"
        return f"Counts: {counted(self.n_rows, 'row')}, {variables}{classes}"

    def _blocks(self) -> list[Block]:
        """Return a grid of the counts of each value in the first classes."""
        n_shown = min(self.schema.n_classes, MAX_CLASSES)
        labels = [str(label) for label in self.schema.classes[:n_shown]] or ["rows"]
        rows = [["", "rows", *(f"{n:g}" for n in self.class_counts[:n_shown])]]
        for i, variable in enumerate(self.schema.variables):
            start = self.schema.offsets[i]
            values = [*("missing" if value is None else str(value) for value in variable.values), "missing"]
            of_variable = self.value_counts[:n_shown, start : start + len(values)].T
            for position, (value, counts) in enumerate(zip(values, of_variable, strict=True)):
                if position < variable.n_values or counts.any():
                    name = "" if position else variable.name
                    rows.append([name, value, *(f"{n:g}" for n in counts)])
        return [Grid("", ["variable", "value", *labels], rows, n_text=2)]


def count(coded: Coded, *, n_threads: int | None = None) -> Counts:
    """Count a coded table; results do not depend on the number of threads.

    Parameters
    ----------
    coded : Coded
        Rows to count. A weight of 2 counts as two equal rows.
    n_threads : int, optional
        Number of threads; by default one for each processor.

    Examples
    --------
    >>> from codelength.table import Coded, Schema
    >>> count(Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [1]], [0, 0, 1])).of("x0")
    array([[1., 1.],
           [0., 1.]])
    """
    check_instance("coded", coded, Coded, "a table as codes, as codelength.sources.as_coded makes them")
    if n_threads is not None:
        check_whole("n_threads", n_threads)
    schema = coded.schema
    if not schema.n_variables:
        class_counts = np.bincount(coded.class_codes, coded.weights, schema.n_classes).astype(np.float64)
        return Counts(schema, class_counts, np.zeros((schema.n_classes, 0)))
    # Weights must be added in row order, so all rows are counted at once, which takes more memory and time.
    cost = 1 if coded.weights is None else 8
    is_plain = first_calls.are_plain(_CALL + cost * coded.codes.size)
    # Blocks are added in row order, so that sums of weights are the same for any number of threads.
    value_counts = np.zeros((schema.n_classes, schema.n_cells))
    for part in [count_plainly(coded)] if is_plain else _counts_of_blocks(coded, n_threads):
        value_counts += part
    # Every row is in exactly one cell of the first variable, missing included.
    return Counts(schema, value_counts[:, : schema.offsets[1]].sum(axis=1), value_counts)


def count_plainly(coded: Coded) -> FloatArray:
    """Return rows, or summed weights, of each class and cell, shape (n_classes, n_cells)."""
    schema = coded.schema
    shape = schema.n_classes, schema.n_cells
    counts, step = np.zeros(shape), coded.n_rows if coded.weights is not None else _ROWS_AT_ONCE
    for start in range(0, coded.n_rows, max(step, 1)):
        codes, classes = (part[start : start + step] for part in (coded.codes, coded.class_codes))
        # One flat index per cell, so that a single bincount counts all variables.
        firsts = np.asarray(classes, dtype=np.int64)[:, None] * schema.n_cells + schema.offsets[:-1]
        weights = None if coded.weights is None else np.repeat(coded.weights, schema.n_variables)
        counts += np.bincount((firsts + codes).ravel(), weights, counts.size).reshape(shape)
    return counts


def _counts_of_blocks(coded: Coded, n_threads: int | None) -> list[Any]:
    """Return counts, or summed weights, of blocks of rows.

    Blocks of weights do not depend on the number of threads, so the order of addition does not either.
    """
    from ._kernels import count_groups, count_one_by_one, count_weighted

    codes, classes, weights = coded.codes.T, coded.class_codes, coded.weights
    sizes, offsets, n_classes = coded.schema.n_values + 1, coded.schema.offsets, coded.schema.n_classes
    # A joint table with many more cells than rows would take longer to sum than it saves.
    groups = column_groups(sizes, min(MAX_JOINT_CELLS, coded.n_rows // 8) // n_classes)

    def block(start: int, stop: int) -> Any:
        if weights is not None:
            return count_weighted(codes, classes, weights, offsets, n_classes, start, stop)
        # Keys of joint tables have 16 bits.
        if n_classes * int(sizes.max()) > np.iinfo(np.uint16).max:
            return count_one_by_one(codes, classes, offsets, n_classes, start, stop)
        return count_groups(codes, classes, sizes, groups, n_classes, start, stop)

    return map_blocks(block, coded.n_rows, n_threads, one_per_thread=weights is None)


def column_groups(sizes: IntArray, max_cells: int, max_columns: int = MAX_COLUMNS) -> IntArray:
    """Return bounds of groups of neighbouring columns that share a joint table, to save look-ups.

    Group ``g`` is columns ``groups[g] .. groups[g + 1] - 1``. A column that is too large forms a group alone.

    Parameters
    ----------
    sizes : array of shape (n_columns,)
        Number of codes of each column.
    max_cells, max_columns : int
        Largest joint table of several columns, and largest number of columns per group.

    Examples
    --------
    >>> column_groups(np.array([3, 4, 5, 2, 90]), 20)
    array([0, 2, 4, 5])
    """
    bounds, n_joint = [0], 1
    for i, size in enumerate(sizes.tolist()):
        if i > bounds[-1] and (n_joint * size > max_cells or i == bounds[-1] + max_columns):
            bounds.append(i)
            n_joint = 1
        n_joint *= size
    if len(sizes):
        bounds.append(len(sizes))
    return np.array(bounds, dtype=np.int64)


def expected_counts(coded: Coded, shares: Any) -> Counts:
    """Return the counts of a table in which each row is divided among the classes of the schema.

    Parameters
    ----------
    coded : Coded
        Rows to count; their own classes are ignored.
    shares : array of shape (n_rows, n_classes)
        Share of each class in each row, such as the probability of each component.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1]])
    >>> expected_counts(coded, [[0.25, 0.75], [1, 0]]).of(0)
    array([[0.25, 1.  ],
           [0.75, 0.  ]])
    """
    from ._kernels import add_soft_counts

    schema, shape = coded.schema, (coded.n_rows, coded.schema.n_classes)
    given = np.ascontiguousarray(as_array(shares, np.float64))
    if given.shape != shape or not ((given >= 0) & (given < np.inf)).all():
        raise DataError(
            f"shares: expected finite numbers of at least 0 and shape {shape}, one for each row and each "
            "class of the schema"
        )
    if coded.weights is not None:
        given = given * coded.weights[:, None]
    # Cells first, so that the shares of all classes are added to contiguous memory.
    value_counts = np.zeros((schema.n_cells, schema.n_classes))
    add_soft_counts(coded.codes.T, schema.offsets, given, value_counts)
    return Counts(schema, given.sum(axis=0), np.ascontiguousarray(value_counts.T))


def _plain(numbers: FloatArray) -> list[int | float]:
    """Return numbers as integers if they are whole, for short files."""
    return [int(number) if number.is_integer() else number for number in numbers.tolist()]
