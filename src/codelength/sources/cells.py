"""Cells of Arrow arrays as numbers, times, text or values, in bulk.

Order of reading: :func:`kind_of` and :func:`type_of` (what a column holds, by its Arrow field),
:func:`numbers_of`, :func:`counts_of` and :func:`texts_of` (the cells of one kind), :class:`Dictionaries`
(values of a dictionary), :func:`column_of` (a column of any kind, as tables in memory have it), then
:func:`as_given` and :func:`without_marked`, which serve columns that are carried over.

====================================================  ==============  ====================================
Arrow type                                            kind            cells by
====================================================  ==============  ====================================
integers, floats, decimals                            ``number``      :func:`numbers_of`
timestamps, dates                                     ``time``        :func:`counts_of`, :func:`on_scale`
text, dictionaries of text with the mark ``seen``     ``text``        :func:`texts_of`
dictionaries without a mark, or ``json declared``     ``declared``    :class:`Dictionaries`
dictionaries of other values                          ``values``      :class:`Dictionaries`
booleans                                              ``truth``       :func:`column_of`
nulls                                                 ``nothing``     nowhere: all are missing
====================================================  ==============  ====================================

All other types, such as times of day and lists, are ``values``, too, and :func:`column_of` raises an error
that says how to convert them. Cells do not become Python objects one by one: distinct values are looked at
once, and cells are positions among them. Depends on ``batch`` for marks, and on :mod:`codelength.table` for
the canonical form of values, so that a batch and a table in memory agree about every cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..table._arrays import canonical_values, check_finite_cells, floats_of_decimals, from_arrow
from ..table.column import Column, Factor, Positions
from ..table.spelling import SPACES, Scale, parse_number, time_numbers
from ..table.values import FAR_AWAY, widened
from ..typing import BoolArray, FloatArray, IntArray, Scalar
from .batch import arrow, mark_of, missing_in, positions_in, raw_numbers, values_in

CellKind = Literal["number", "truth", "time", "text", "values", "declared", "nothing"]
"""Content of a column by its type alone; for ``"values"`` each distinct cell has to be looked at."""

_DAY = 86_400_000_000
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
# Years 1 to 9999, in days since 1970.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896


def kind_of(column: Any) -> CellKind:
    """Return the kind of the cells of a field.

    The mark of the field counts, see :mod:`codelength.sources.batch`; the cells do not.

    Examples
    --------
    >>> import pyarrow as pa
    >>> types = pa.float32(), pa.string(), pa.dictionary(pa.int8(), pa.string()), pa.time32("s")
    >>> [kind_of(pa.field("x", type_)) for type_ in types]
    ['number', 'text', 'declared', 'values']
    """
    types, type_, mark = arrow().types, column.type, mark_of(column)
    if types.is_dictionary(type_):
        of_text = _is_text(types, type_.value_type) and not mark.startswith("json")
        return "declared" if mark in ("", "json declared") else "text" if of_text else "values"
    if _is_text(types, type_):
        return "text"
    if types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_):
        return "number"
    if types.is_boolean(type_):
        return "truth"
    if types.is_null(type_):
        return "nothing"
    return "time" if types.is_timestamp(type_) or types.is_date(type_) else "values"


def type_of(column: Any) -> str:
    """Return the type of a field without properties that may differ between batches, such as widths.

    Columns of one name must have equal types in all batches of a stream and in all files of a table.

    Examples
    --------
    >>> import pyarrow as pa
    >>> [type_of(pa.field("x", type_)) for type_ in (pa.int8(), pa.int64(), pa.uint64(), pa.date32())]
    ['int', 'int', 'unsigned number', 'date, D']
    """
    types, type_, kind = arrow().types, column.type, kind_of(column)
    if kind == "number":
        if types.is_uint64(type_):
            return "unsigned number"
        return "float" if types.is_floating(type_) else "decimal" if types.is_decimal(type_) else "int"
    if kind == "time":
        return f"{scale_of(type_)}, {unit_of(type_)}"
    return kind


def scale_of(type_: Any) -> Scale:
    """Return the scale of times of a type: ``"utc"`` if it has a time zone."""
    return "utc" if getattr(type_, "tz", None) else "date"


def unit_of(type_: Any) -> str:
    """Return the unit of times of a type: ``D``, ``s``, ``ms``, ``us`` or ``ns``."""
    if arrow().types.is_date(type_):
        return "D" if type_.bit_width == 32 else "ms"
    return str(type_.unit)


def numbers_of(name: str, array: Any, first_row: int = 0) -> tuple[NDArray[Any], BoolArray | None]:
    """Return the numbers in an array, and a mask of missing cells (None if there are none).

    Parameters
    ----------
    name : str
        Name of the column, for messages.
    array : pyarrow.Array
        Integers, floats or decimals.
    first_row : int
        Number of the first row, for messages.

    Returns
    -------
    numbers : array
        Whole numbers as they are, floats as float64; those of missing cells are arbitrary.
    missing : array of bool, or None
        The missing cells; NaN counts as missing.

    Raises
    ------
    DataError
        If a number is infinite; the message has the name of the column and the number of the row.

    Examples
    --------
    >>> import pyarrow as pa
    >>> numbers_of("size", pa.array([1, None, 3], pa.int8()))
    (array([1, 0, 3], dtype=int8), array([False,  True, False]))
    >>> numbers_of("size", pa.array([1.5, float("nan")]))[1]
    array([False,  True])
    """
    pa = arrow()
    missing = missing_in(array)
    if pa.types.is_decimal(array.type):
        return floats_of_decimals(name, array), missing
    if pa.types.is_integer(array.type):
        return raw_numbers(array), missing
    # Zeros fill the gaps: as NaN, they would fail the quick test of the sum below.
    if missing is not None:
        array = array.fill_null(pa.scalar(0).cast(array.type))
    floats = array.to_numpy(zero_copy_only=False)
    floats = widened(floats) if floats.itemsize < 8 else floats
    # The sum is finite only if every cell is. One pass decides that for almost every batch. A finite column
    # whose sum overflows is merely checked again.
    with np.errstate(over="ignore", invalid="ignore"):
        all_finite = np.isfinite(floats.sum())
    if not all_finite:
        check_finite_cells(name, floats, first_row)
        absent = np.isnan(floats)
        if absent.any():
            missing = absent if missing is None else absent | missing
    return floats, missing


def counts_of(array: Any) -> tuple[IntArray, BoolArray | None]:
    """Return the times in an array in its own unit, and a mask of missing cells (None if there are none).

    The unit is kept, because distinct times are counted exactly in it; :func:`on_scale` converts them.
    """
    pa = arrow()
    missing = missing_in(array)
    width = pa.int32() if array.type.bit_width == 32 else pa.int64()
    # Arrow casts times only to integers of their own width.
    counts = array.cast(width).cast(pa.int64())
    if missing is not None:
        counts = counts.fill_null(0)
    return counts.to_numpy(zero_copy_only=False), missing


def on_scale(name: str, counts: IntArray, type_: Any) -> FloatArray:
    """Return times in their own unit as numbers on their scale; raise if a date is out of range.

    Parameters
    ----------
    name : str
        Name of the column, for messages.
    counts : array of int
        Times in the unit of the type.
    type_ : pyarrow.DataType
        Type of the times.

    Returns
    -------
    array of float
        Microseconds since 1970, the scale on which times are cut. Nanoseconds are rounded down.

    Examples
    --------
    >>> import pyarrow as pa
    >>> on_scale("day", np.array([0, 2]), pa.date32())
    array([0.000e+00, 1.728e+11])
    """
    unit = unit_of(type_)
    if len(counts):
        # The bounds are multiplied instead of dividing every cell.
        # In nanoseconds they exceed 64 bits, so they stay integers of Python.
        per_day = 1 if unit == "D" else 86_400 * _PER_SECOND[unit]
        if counts.min() < _FIRST_DAY * per_day or counts.max() >= (_LAST_DAY + 1) * per_day:
            raise DataError(f"column {name!r}: {FAR_AWAY}")
    if unit == "D":
        return (counts * _DAY).astype(np.float64)
    per_second = _PER_SECOND[unit]
    micro = counts // (per_second // 10**6) if per_second > 10**6 else counts * (10**6 // per_second)
    return micro.astype(np.float64)


def floats_of(array: Any, column: Any, scale: Scale, first_row: int = 0) -> FloatArray:
    """Return the cells of an array as numbers on a scale; those of missing cells are arbitrary.

    The second pass calls it for columns whose cut points are not settled yet; the first one has found that
    all their cells are on this scale. Text is converted once for each distinct spelling.
    """
    name, kind = column.name, kind_of(column)
    if kind == "number":
        return numbers_of(name, array, first_row)[0].astype(np.float64, copy=False)
    if kind == "time":
        return on_scale(name, counts_of(array)[0], array.type)
    if kind == "text":
        values, positions = Dictionaries().of(name, texts_of(array), mark_of(column))
        # The position of a missing cell is -1, which finds the NaN at the end.
        return np.append(time_numbers(values, scale), np.nan)[positions]
    return np.asarray(column_of(name, array, column).numbers, dtype=np.float64)


def column_of(name: str, array: Any, column: Any) -> Column:
    """Return the cells of an array as a column of a table, whatever its type.

    This is the slow but general form. It decides, for every kind without a faster one, what cells mean, and
    raises DataError for types that hold no values, such as lists.
    """
    if not arrow().types.is_dictionary(array.type):
        return from_arrow(name, array)
    values, positions = Dictionaries().of(name, array, mark_of(column))
    if kind_of(column) == "declared":
        return Factor(name, positions, values, declared=True)
    values, positions = seen_among(values, positions)
    return Factor(name, positions, values)


def seen_among(values: tuple[Scalar, ...], positions: Any) -> tuple[tuple[Scalar, ...], IntArray]:
    """Return the values that occur in these rows, and the positions of the cells among them.

    A dictionary may be that of a whole file; only the values in these rows count as seen.

    Examples
    --------
    >>> seen_among(("red", "blue", "green"), np.array([2, -1, 0, 2]))
    (('red', 'green'), array([ 1, -1,  0,  1]))
    """
    seen = np.bincount(positions[positions >= 0], minlength=len(values)) > 0
    if seen.all():
        return values, positions
    # One more place, so that -1, a missing cell, stays -1.
    places = np.append(np.cumsum(seen) - 1, -1)
    return tuple(value for value, there in zip(values, seen.tolist(), strict=True) if there), places[
        positions
    ]


@dataclass(slots=True)
class Dictionaries:
    """Values of the dictionaries of a column; the last one is remembered, because most batches share it.

    Threads may share an object without a lock. In the worst case one of them looks a dictionary up again.
    """

    # What was looked at last, in one piece, because several threads share it: the mark, the dictionary, its
    # values, and for each of its cells which of them it is, where they are not all different.
    _last: tuple[str, Any, tuple[Scalar, ...], IntArray | None] = ("", None, (), None)

    def of(self, name: str, array: Any, mark: str) -> tuple[tuple[Scalar, ...], Positions]:
        """Return the values of a dictionary array, and the position of each cell among them; -1 if missing.

        Different entries of a dictionary may be one value, such as the numbers 1 and 1.0.
        """
        values, places = self.look_up(name, array, mark)
        positions = positions_in(array)
        return values, positions if places is None else places[positions]

    def look_up(self, name: str, array: Any, mark: str) -> tuple[tuple[Scalar, ...], IntArray | None]:
        """Return the values of a dictionary array, and the value of each cell of its dictionary.

        Parameters
        ----------
        name : str
            Name of the column, for messages.
        array : pyarrow.DictionaryArray
            The cells.
        mark : str
            Mark of the field.

        Returns
        -------
        values : tuple
            The distinct values.
        places : array of int, or None
            Place of each cell of the dictionary among the values; None if the cells are all different.
        """
        known_mark, known, values, places = self._last
        if known is None or known_mark != mark or not array.dictionary.equals(known):
            cells = values_in(array.dictionary, mark)
            values, found = canonical_values(name, cells)
            places = None if np.array_equal(found[:-1], np.arange(len(cells))) else found
            self._last = (mark, array.dictionary, values, places)
        return values, places


def texts_of(array: Any) -> Any:
    """Return an array of text as a dictionary array; dictionaries are returned as they are."""
    pa = arrow()
    if pa.types.is_dictionary(array.type):
        return array
    return (
        array.cast(pa.large_string()) if pa.types.is_string_view(array.type) else array
    ).dictionary_encode()


def as_given(array: Any, column: Any) -> Any:
    """Return an array without a dictionary; as text if its values are of several types.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_given(pa.array(["red", None, "red"]).dictionary_encode(), pa.field("x", pa.string())).to_pylist()
    ['red', None, 'red']
    """
    pa = arrow()
    if not pa.types.is_dictionary(array.type):
        return array
    mark = mark_of(column)
    if not mark.startswith("json"):
        return array.dictionary_decode()
    values = values_in(array.dictionary, mark)
    if len({type(value) for value in values}) > 1:
        values = [value if isinstance(value, str) else str(value) for value in values]
    try:
        return pa.array(values).take(array.indices)
    except OverflowError:  # whole numbers beyond 64 bits
        return pa.array([Decimal(value) for value in values], pa.decimal128(38, 0)).take(array.indices)


def without_marked(array: Any, markers: Sequence[str]) -> Any:
    """Return cells of a type, missing if they are a marker: text with spaces around it, or a number.

    Files with types need it only if the caller names markers: they have none by default.

    Parameters
    ----------
    array : pyarrow.Array
        The cells; times, truth values and others are returned as they are.
    markers : sequence of str
        Texts that mean missing. A marker that spells a number means that number in a column of numbers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> without_marked(pa.array([1, -9, 3]), ["-9", "?"]).to_pylist()
    [1, None, 3]
    >>> without_marked(pa.array(["red", " ? "]), ["-9", "?"]).to_pylist()
    ['red', None]
    """
    pa = arrow()
    import pyarrow.compute as pc

    if pa.types.is_dictionary(array.type):
        kept = without_marked(array.dictionary, markers)
        stays = kept.is_valid().to_numpy(zero_copy_only=False)
        places = np.append(np.where(stays, np.cumsum(stays) - 1, -1), -1)
        positions = places[positions_in(array)].astype(np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(positions, mask=positions < 0), kept.drop_null())
    texts = [marker.strip(SPACES) for marker in markers]
    if _is_text(pa.types, array.type):
        cells, known = pc.utf8_trim(array, characters=SPACES), pa.array(texts, array.type)
    elif pa.types.is_integer(array.type) or pa.types.is_floating(array.type):
        numbers = [number for text in texts if isinstance(number := parse_number(text), (int, float))]
        cells, known = array.cast(pa.float64(), safe=False), pa.array(numbers, pa.float64())
    else:
        return array
    return pc.if_else(pc.is_in(cells, value_set=known), pa.scalar(None, array.type), array)


def _is_text(types: Any, type_: Any) -> bool:
    return bool(types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_))
