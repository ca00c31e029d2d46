"""Profile of a column: its distinct values as long as they are few, else its range.

Order of reading: :func:`profile_of` (one batch), :class:`ColumnProfile` and its ``merge`` (two batches),
:meth:`ColumnProfile.column` (the profile as a column from which a schema is inferred). The other functions
look at the cells of one type each.

Values are counted exactly up to a limit, beyond which a column is wide: memory per column is bounded, and a
column of categories may not have more values anyway. A wide column of numbers or times keeps its bounds, and
its cut points are found in the next pass; a wide column of text is left out, or refused. So the text of a
wide column is not looked at any more, unless the first cell of a batch spells a time: times can be cut, and
one cell that is not a time rules that out for good. Domains that are declared are kept at any size.

Numbers stay in the type of the file, and times in their own unit, so that two of them are equal here if they
are equal in memory.

Depends on :mod:`codelength.sources.cells` for cells of Arrow arrays and on :mod:`codelength.table.infer` for
the limits above which values are not kept.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from ...table._arrays import from_arrow, from_cells, from_distinct, loses_digits
from ...table.column import Column, Factor
from ...table.infer import MAX_VALUES
from ...table.spelling import Scale, time_numbers, time_scale, whole_unit
from ...typing import BoolArray, FloatArray, Scalar
from ..batch import arrow, mark_of
from ..cells import (
    CellKind,
    Dictionaries,
    column_of,
    counts_of,
    kind_of,
    numbers_of,
    on_scale,
    scale_of,
    seen_among,
    texts_of,
    type_of,
)

MAX_DISTINCT = MAX_VALUES
"""A column with more distinct values is wide: the values themselves are no longer kept."""

MAX_NUMBERS = MAX_VALUES
"""The same for columns of numbers and times."""

# Whole numbers within such a range are counted in an array, without sorting.
_SMALL_RANGE = 1 << 16
# No cell has been seen yet that could decide.
_NO_SCALE: Literal[""] = ""
AnyScale: TypeAlias = Scale | Literal[""] | None


@dataclass(slots=True)
class ColumnProfile:
    """Profile of a column: a commutative monoid, except for the order of declared values.

    Attributes
    ----------
    name : str
        Name of the column.
    kind, type : str
        Kind and type of the cells; all batches must have the same type.
    n_present, n_missing : int
        Number of cells.
    numbers, totals : array
        Distinct numbers, or times in their own unit, in increasing order, and the weight of each.
    values : dict
        Distinct values of other columns, and the weight of each.
    is_wide : bool
        True if there were too many distinct values to keep.
    low, high : float
        Smallest and largest number.
    unit : int
        Unit in which all times are whole, in microseconds.
    scale : str, optional
        Scale of numbers, times, or text that spells times; None if the cells are on none.
    loses_digits : bool
        True if there are whole numbers that float64 cannot tell apart.
    """

    name: str
    kind: CellKind = "nothing"
    type: str = "nothing"
    arrow_type: Any = None
    n_present: int = 0
    n_missing: int = 0
    numbers: NDArray[Any] | None = None
    totals: FloatArray = field(default_factory=lambda: np.empty(0))
    values: dict[Scalar, float] = field(default_factory=dict)
    is_wide: bool = False
    low: float = np.inf
    high: float = -np.inf
    unit: int = 0
    scale: AnyScale = _NO_SCALE
    loses_digits: bool = False

    def merge(self, other: "ColumnProfile") -> None:
        """Add the profile of more rows of the column; raise if their cells are of another type.

        Examples
        --------
        >>> import pyarrow as pa
        >>> cells = pa.array([3, 1, None]), pa.array([3, 2])
        >>> one, other = (
        ...     profile_of(pa.field("x", each.type), each, None, first_row=0, is_wide=False)[0]
        ...     for each in cells
        ... )
        >>> one.merge(other)
        >>> one.numbers, one.totals, one.n_missing
        (array([1, 2, 3]), array([1., 1., 2.]), 1)
        """
        self.n_missing += other.n_missing
        # A batch of missing cells may have any type: Arrow gives null, or whatever the engine assumes.
        if not other.n_present and other.kind in ("nothing", self.kind) and other.kind != "declared":
            return
        if self.kind == "nothing" or (self.type != other.type and not self.n_present):
            self._become(other)
            return
        if self.type != other.type:
            raise DataError(
                f"column {self.name!r}: holds {_WORDS[other.kind]} here and {_WORDS[self.kind]} before; give "
                "it one type in all parts of the table"
            )
        self.n_present += other.n_present
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.unit = _common_unit(self.unit, other.unit)
        self.scale = _common_scale(self.scale, other.scale)
        self.is_wide |= other.is_wide
        self.loses_digits |= other.loses_digits
        # Once wide, always wide, whatever the order of merging: so the result is the same for every
        # partition.
        if self.is_wide:
            self._forget()
        elif self.numbers is not None and other.numbers is not None:
            self._merge_numbers(other.numbers, other.totals)
        else:
            for value, total in other.values.items():
                self.values[value] = self.values.get(value, 0.0) + total
        if self.kind != "declared" and (len(self.values) > MAX_DISTINCT or len(self.totals) > MAX_NUMBERS):
            self._forget()

    def column(self) -> tuple[Column, FloatArray]:
        """Return each distinct cell once, and the weight of each; one cell is missing if any is."""
        gap = int(self.n_missing > 0)
        absent = np.append(np.zeros(self._n_distinct, dtype=np.bool_), np.ones(gap, dtype=np.bool_))
        if self.kind in ("number", "time"):
            assert self.numbers is not None
            cells = np.append(self.numbers, np.zeros(gap, dtype=self.numbers.dtype))
            return self._of_numbers(cells, absent), np.append(self.totals, np.ones(gap))
        totals = np.array([*self.values.values(), *([1.0] * gap)])
        places = np.where(absent, -1, np.arange(len(absent)))
        # Declared values that no cell has stay in the domain, but are not cells.
        kept = absent | (totals > 0)
        if self.kind in ("declared", "truth"):
            return Factor(self.name, places[kept], tuple(self.values), declared=True), totals[kept]
        if self.kind == "values":
            return from_distinct(self.name, list(self.values), places), totals
        return Factor(self.name, places, tuple(self.values)), totals

    @property
    def _n_distinct(self) -> int:
        return len(self.totals) if self.numbers is not None else len(self.values)

    def _of_numbers(self, cells: NDArray[Any], absent: BoolArray) -> Column:
        mask = absent if absent.any() else None
        if self.kind == "number":
            return from_cells(self.name, cells, mask)
        pa = arrow()
        width = pa.int32() if self.arrow_type.bit_width == 32 else pa.int64()
        return from_arrow(self.name, pa.array(cells, pa.int64(), mask=mask).cast(width).cast(self.arrow_type))

    def _become(self, other: "ColumnProfile") -> None:
        n_missing = self.n_missing
        # A dataclass with slots has no __dict__ to copy.
        for name in self.__slots__:
            setattr(self, name, getattr(other, name))
        self.n_missing, self.values = n_missing, dict(other.values)

    def _forget(self) -> None:
        self.is_wide = True
        self.values, self.totals = {}, np.empty(0)
        self.numbers = None if self.numbers is None else self.numbers[:0]

    def _merge_numbers(self, numbers: NDArray[Any], totals: FloatArray) -> None:
        assert self.numbers is not None
        if np.array_equal(self.numbers, numbers):
            self.totals = self.totals + totals
            return
        both = np.concatenate((self.numbers, numbers))
        self.numbers, self.totals = _tally(both, np.concatenate((self.totals, totals)))


def profile_of(
    column: Any, array: Any, weights: FloatArray | None, *, first_row: int, is_wide: bool
) -> tuple[ColumnProfile, FloatArray | None]:
    """Return the profile of a batch of a column, and its cells as numbers if they may have to be cut.

    Parameters
    ----------
    column : pyarrow.Field
        Field of the column.
    array : pyarrow.Array
        Its cells.
    weights : array of float, optional
        Weights of the rows.
    first_row : int
        Number of the first row, for messages.
    is_wide : bool
        True if other batches have too many distinct values; then they are not looked for here.

    Returns
    -------
    profile : ColumnProfile
        The profile of these rows.
    numbers : array of float, or None
        One number per row, NaN if missing; None for categories.
    """
    found = ColumnProfile(column.name, kind_of(column), type_of(column), array.type)
    found.n_missing, found.n_present = array.null_count, len(array) - array.null_count
    if found.kind == "nothing":
        return found, None
    if found.kind in ("number", "time"):
        return found, _look_at_numbers(found, array, weights, first_row, is_wide)
    if found.kind == "truth":
        positions = array.cast("int8").fill_null(-1).to_numpy(zero_copy_only=False)
        _count_values(found, (False, True), positions, weights)
        return found, None
    if found.kind == "values" and not arrow().types.is_dictionary(array.type):
        column_of(column.name, array, column)  # raises: such cells are not values
    # Wide text is left out in any case, unless it spells times, which can be cut.
    if found.kind == "text" and is_wide and not _may_be_times(array):
        found.is_wide, found.scale = True, None
        return found, None
    values, positions = Dictionaries().of(column.name, texts_of(array), mark_of(column))
    if found.kind == "declared":
        _count_values(found, values, positions, weights)
        return found, None
    values, positions = seen_among(values, positions)
    _count_values(found, values, positions, weights)
    if found.kind == "values" and not all(type(value) in (int, float) for value in values):
        found.scale = None
        return found, None
    if found.kind == "text":
        floats = _times_in(found, values)
    else:
        found.scale = "number"
        found.loses_digits = any(type(value) is int and int(float(value)) != value for value in values)
        floats = np.array([*map(float, values)])
        found.low, found.high = float(floats.min(initial=np.inf)), float(floats.max(initial=-np.inf))
    if len(values) > MAX_DISTINCT:
        found._forget()
    return found, None if floats is None else np.append(floats, np.nan)[positions]


def _look_at_numbers(
    found: ColumnProfile, array: Any, weights: FloatArray | None, first_row: int, is_wide: bool
) -> FloatArray:
    is_time = found.kind == "time"
    numbers, missing = counts_of(array) if is_time else numbers_of(found.name, array, first_row)
    kept = slice(None) if missing is None else ~missing
    present = numbers[kept]
    if is_time:
        floats = on_scale(found.name, present, array.type)
        found.scale, found.unit = scale_of(array.type), whole_unit(floats) if len(floats) else 0
    else:
        floats = present.astype(np.float64, copy=False)
        found.scale, found.loses_digits = "number", numbers.dtype.kind != "f" and loses_digits(present)
    found.n_present, found.n_missing = len(present), len(array) - len(present)
    found.numbers, found.totals, found.is_wide = numbers[:0], np.empty(0), is_wide
    if not is_wide:
        found.numbers, found.totals = _tally(present, weights if weights is None else weights[kept])
        if len(found.totals) > MAX_NUMBERS:
            found._forget()
    if len(present):
        # Of the floats, so that the bounds are on the same scale as the cut points.
        found.low, found.high = float(floats.min()), float(floats.max())
    if missing is None:
        return floats
    cells = np.full(len(array), np.nan)
    cells[kept] = floats
    return cells


def _count_values(
    found: ColumnProfile, values: tuple[Scalar, ...], positions: Any, weights: FloatArray | None
) -> None:
    present = positions >= 0
    found.n_present = int(np.count_nonzero(present))
    found.n_missing = len(positions) - found.n_present
    totals = np.bincount(positions[present], None if weights is None else weights[present], len(values))
    found.values = dict(zip(values, map(float, totals.tolist()), strict=True))


def _tally(present: NDArray[Any], weights: FloatArray | None) -> tuple[NDArray[Any], FloatArray]:
    """Return distinct numbers in increasing order, and the weight of each."""
    if present.dtype.kind in "iu":
        # One type for all whole numbers but the largest, so that those of batches can be joined.
        present = present.astype(np.uint64 if present.dtype == np.uint64 else np.int64, copy=False)
        low, high = (int(present.min()), int(present.max())) if len(present) else (0, 0)
        if high - low < _SMALL_RANGE and len(present):
            totals = np.bincount((present - present.dtype.type(low)).astype(np.int64), weights)
            there = np.flatnonzero(totals)
            return there.astype(present.dtype) + present.dtype.type(low), totals[there].astype(np.float64)
    if weights is None:  # a sort without positions takes half the time
        distinct, counts = np.unique(present, return_counts=True)
        return distinct, counts.astype(np.float64)
    distinct, places = np.unique(present, return_inverse=True)
    return distinct, np.bincount(places.ravel(), weights, len(distinct)).astype(np.float64)


def _times_in(found: ColumnProfile, values: tuple[Scalar, ...]) -> FloatArray | None:
    """Return text that spells times as numbers on their scale; None if some of it does not."""
    scale = time_scale(values) if values else _NO_SCALE
    found.scale = scale
    if not scale:
        return None
    numbers = time_numbers(values, scale)
    found.low, found.high, found.unit = float(numbers.min()), float(numbers.max()), whole_unit(numbers)
    return numbers


def _may_be_times(array: Any) -> bool:
    """Return True if the first cell of a column of text spells a time."""
    first = array.drop_null().slice(0, 1).to_pylist()
    return bool(first) and time_scale(first) is not None


def _common_unit(one: int, other: int) -> int:
    return min(one, other) if one and other else one or other


def _common_scale(one: AnyScale, other: AnyScale) -> AnyScale:
    if one == _NO_SCALE or other == _NO_SCALE:
        return other if one == _NO_SCALE else one
    return one if one == other else None


_WORDS: dict[CellKind, str] = {
    "number": "numbers",
    "truth": "truth values",
    "time": "times",
    "text": "text",
    "values": "values",
    "declared": "values of a declared domain",
    "nothing": "nothing",
}
