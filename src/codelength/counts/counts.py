"""Counts, the sufficient statistics of a table for naive Bayes.

Counts are a commutative monoid: the counts of two tables under one schema add up to those of both.

Order of reading: :class:`Counts` (arrays ``class_counts`` and ``value_counts``; ``merge`` adds two tables,
``add`` and ``remove`` a row), then :func:`count`, which runs compiled loops in blocks over threads, or plain
numpy for a first small table.

Depends on :mod:`codelength.table` and on the loops in ``_kernels`` and ``_plain``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._display import Shown, counted
from .._threads import map_blocks
from ..blocks import Block, Grid
from ..errors import DataError, SchemaMismatch
from ..table import Coded, Schema
from ..table._messages import shown
from ..table.checks import (
    as_array,
    check_instance,
    check_sequence,
    check_weights,
    check_whole,
    is_number,
    reading,
)
from ..typing import FloatArray, IntArray
from ._plain import count_plainly, is_plain
from .groups import column_groups

_ROUNDING = 1e-12

MAX_JOINT_CELLS = 16_384
"""Largest joint table, classes included: four of them fit in the second-level cache."""


MOST_CLASSES = 8
"""Largest number of classes in the display of counts."""


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
        """Return the sum of parts that :func:`codelength.counts.stream.partial_counts` returned.

        Parameters
        ----------
        schema : Schema
            Schema of the parts.
        cells : array of int
            Cells of all parts; a cell may occur several times.
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
        # Class counts first, then the value counts in C order, as partial_counts writes them.
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
        i = self.schema.position(variable)
        start, stop = self.schema.offsets[i], self.schema.offsets[i + 1] - 1
        return self.value_counts[:, start:stop]

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
        return self._shifted(row, class_code, _checked_weight(weight))

    def remove(self, row: Sequence[int], class_code: int = 0, weight: float = 1.0) -> "Counts":
        """Return counts with one row less; parameters are those of :meth:`add`.

        Raises
        ------
        DataError
            If the row was not counted.
        """
        fewer = self._shifted(row, class_code, -_checked_weight(weight))
        for left in (fewer.class_counts, fewer.value_counts):
            # Fractional weights may leave differences that are negative by rounding.
            if left.min(initial=0) < -_ROUNDING * (self.n_rows + weight):
                raise DataError(
                    f"row {shown(row)} of class {class_code}: it was not counted, so it cannot be removed"
                )
            np.maximum(left, 0.0, out=left)
        return fewer

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
        check_instance("schema", schema, Schema, "a Schema")
        class_counts = np.array(document["class_counts"], dtype=np.float64)
        value_counts = np.array(document["value_counts"], dtype=np.float64)
        counts = cls(schema, class_counts, value_counts)
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
        n_shown = min(self.schema.n_classes, MOST_CLASSES)
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

    def _shifted(self, row: Sequence[int], class_code: int, weight: float) -> "Counts":
        """Return counts with the weight of one row added, which may be negative."""
        given, sizes = as_array(row), self.schema.n_values
        is_whole = given.dtype.kind in "iu" or not given.size
        if not is_whole or given.shape != sizes.shape or (given < 0).any() or (given > sizes).any():
            raise DataError(
                f"row {shown(row)}: expected {len(sizes)} codes, each from 0 to the number of values "
                "(which stands for missing)"
            )
        codes = given.astype(np.int64)
        if not is_number(class_code) or class_code not in range(self.schema.n_classes):
            raise DataError(
                f"class {shown(class_code)}: expected a code from 0 to {self.schema.n_classes - 1}"
            )
        class_counts, value_counts = self.class_counts.copy(), self.value_counts.copy()
        class_counts[class_code] += weight
        value_counts[class_code, self.schema.offsets[:-1] + codes] += weight
        return Counts(self.schema, class_counts, value_counts)


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
    parts: list[Any]
    if is_plain(coded):
        parts = [count_plainly(coded)]
    elif coded.weights is None:
        parts = _count_rows(coded, n_threads)
    else:
        parts = _count_weighted_rows(coded, n_threads)
    # Blocks are added in row order, so that sums of weights are the same for any number of threads.
    value_counts = np.zeros((schema.n_classes, schema.n_cells))
    for part in parts:
        value_counts += part
    # Every row is in exactly one cell of the first variable, missing included.
    return Counts(schema, value_counts[:, : schema.offsets[1]].sum(axis=1), value_counts)


def _count_rows(coded: Coded, n_threads: int | None) -> list[IntArray]:
    """Return the counts of blocks of rows without weights, one block per thread."""
    from ._kernels import count_groups, count_one_by_one

    schema = coded.schema
    sizes, n_classes = schema.n_values + 1, schema.n_classes
    codes, class_codes = coded.codes.T, coded.class_codes
    # Keys of joint tables have 16 bits.
    if n_classes * int(sizes.max()) > np.iinfo(np.uint16).max:
        return map_blocks(
            lambda start, stop: count_one_by_one(codes, class_codes, schema.offsets, n_classes, start, stop),
            coded.n_rows,
            n_threads,
            one_per_thread=True,
        )
    # A joint table with many more cells than rows would take longer to sum than it saves.
    most_cells = min(MAX_JOINT_CELLS, coded.n_rows // 8) // n_classes
    groups = column_groups(sizes, most_cells)
    return map_blocks(
        lambda start, stop: count_groups(codes, class_codes, sizes, groups, n_classes, start, stop),
        coded.n_rows,
        n_threads,
        one_per_thread=True,
    )


def _count_weighted_rows(coded: Coded, n_threads: int | None) -> list[FloatArray]:
    """Return the summed weights of blocks of rows.

    Blocks do not depend on the number of threads, so the order of addition does not either.
    """
    from ._kernels import count_weighted

    schema, codes, weights = coded.schema, coded.codes.T, coded.weights
    assert weights is not None
    return map_blocks(
        lambda start, stop: count_weighted(
            codes, coded.class_codes, weights, schema.offsets, schema.n_classes, start, stop
        ),
        coded.n_rows,
        n_threads,
    )


def _checked_weight(weight: float) -> float:
    """Return a checked weight."""
    checked = check_weights([weight], 1, positive=False)
    assert checked is not None
    return float(checked[0])


def _plain(numbers: FloatArray) -> list[int | float]:
    """Return numbers as integers if they are whole, for short files."""
    return [int(number) if number.is_integer() else number for number in numbers.tolist()]
