"""Encode columns by a schema. No data reaches the counting in another way.

Order of reading: :func:`encode` (a table), :func:`codes_of` (a column), :func:`codes_of_numbers` and
:func:`places_of` (cells). Depends on ``table`` and ``schema``, on ``intervals`` and ``spelling`` for numbers
and times, and on ``unknown`` for values that the schema does not list.
"""

from collections.abc import Container
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import SchemaMismatch, UnknownValue
from ..typing import BoolArray, CodeArray, Scalar
from ._messages import absent_column, check_surplus, listed, shown
from .checks import check_choice, check_instance
from .coded import Coded, unchecked
from .column import Column, Numbers, Positions
from .intervals.cuts import assign
from .schema import Schema, smallest_code_type
from .spelling import Scale, looks_like_time, parse_time, time_numbers
from .table import Table, as_column, table_of
from .unknown import Unknown, is_of_other_kind
from .values import LARGEST_EXACT
from .variable import Variable

HandleUnknown = Literal["ignore", "error"]

UNKNOWN = -2
"""Result of a look-up for a value that the schema does not list."""

_SMALL_RANGE = 1 << 16


def encode(
    schema: Schema,
    data: Any,
    target: Any = None,
    *,
    sample_weight: Any = None,
    handle_unknown: HandleUnknown = "ignore",
    training: bool = False,
    by_name: bool | None = None,
    strict: bool = True,
    told: Container[str] = (),
) -> Coded:
    """Return the codes of a table under a schema.

    Parameters
    ----------
    schema : Schema
        The variables and their values.
    data : Table, data frame, array or mapping of names to columns
        The rows.
    target : series, array or name of a column, optional
        The class of each row; by default that of the table.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows; by default those of the table.
    handle_unknown : {"ignore", "error"}
        ``"ignore"``: a value that the schema does not list is marginalised like a missing cell. ``"error"``:
        raise.
    training : bool
        True if these rows will be counted; then every ignored value causes a warning. At prediction there is
        a warning only if unknown values are most of a column, or of another type than in training.
    by_name : bool, optional
        Match columns by name instead of position. By default by name if both sides have names; ``x0, x1,
        ...`` in a schema do not count as names.
    strict : bool
        Raise if there are named columns that the schema does not have; otherwise they are ignored.
    told : collection of str
        Columns that need no further warning.

    Returns
    -------
    Coded
        The codes; ``unseen`` has the number of cells of each column with values that the schema does not
        list.

    Examples
    --------
    >>> from codelength.table import Schema, Variable
    >>> schema = Schema([Variable("colour", ("blue", "red")), Variable("size", (1, 2, 3))])
    >>> encode(schema, {"size": [3, 1], "colour": ["red", None]}).codes
    array([[1, 2],
           [2, 0]], dtype=uint8)
    """
    check_choice("handle_unknown", handle_unknown, HandleUnknown)
    check_instance("schema", schema, Schema, "a Schema")
    table = table_of(data, target, sample_weight)
    # An integer array of codes needs no look-ups, only a check of its range.
    codes, unseen = _ready_codes(schema, table), {}
    if codes is None:
        codes = np.empty((table.n_rows, schema.n_variables), dtype=schema.code_type, order="F")
        columns = _matched(schema, table, by_name, strict=strict)
        for i, (variable, column) in enumerate(zip(schema.variables, columns, strict=True)):
            if column is None or variable.kind == "ignored":
                codes[:, i] = 0
                continue
            found = codes_of(variable, column)
            unknown = found == UNKNOWN
            if unknown.any():
                cells = _unknown_cells(variable, column, unknown, table)
                if handle_unknown == "error":
                    raise cells.error(variable)
                if variable.name not in told:
                    cells.tell(variable, training=training)
                unseen[variable.name] = cells.n_cells
                found[unknown] = variable.n_values
            codes[:, i] = found
    return unchecked(schema, codes, _class_codes(schema, table), table.weights, unseen=unseen)


def code_of(variable: Variable, cell: Any) -> int | None:
    """Return the code of one cell, read as in a table; None if it is missing, -1 if it is not listed.

    Examples
    --------
    >>> colour = Variable("colour", ("blue", "red"))
    >>> code_of(colour, "red"), code_of(colour, None), code_of(colour, "green")
    (1, None, -1)
    """
    found = int(codes_of(variable, as_column(variable.name, [cell]))[0])
    if found == UNKNOWN:
        return -1
    return None if found == variable.n_values else found


def _unknown_cells(variable: Variable, column: Column, unknown: BoolArray, table: Table) -> Unknown:
    rows = np.flatnonzero(unknown)
    first = int(rows[0])
    number = table.row_number(first)
    return Unknown(
        len(rows),
        int(np.count_nonzero(~column.missing)),
        number,
        number,
        cell_of(column, first),
        is_of_other_kind(variable, column, column.take(rows)),
    )


def _class_codes(schema: Schema, table: Table) -> CodeArray:
    kind = smallest_code_type(schema.n_classes)
    column = table.target
    if column is None or schema.target is None:
        return np.zeros(table.n_rows, dtype=kind)
    found = codes_of(schema.target, column)
    # A class is never missing, so the code of a missing cell is out of range too.
    unknown = (found == UNKNOWN) | (found >= schema.n_classes)
    if unknown.any():
        row = int(np.argmax(unknown))
        raise unknown_class(schema.target, table.row_number(row), cell_of(column, row))
    return found.astype(kind)


def _ready_codes(schema: Schema, table: Table) -> CodeArray | None:
    """Return an integer array as it is if all variables are code variables and it is in range; else None."""
    array = table.array
    if (
        array is None
        or array.shape[1] != schema.n_variables
        or {v.kind for v in schema.variables} != {"code"}
    ):
        return None
    lowest = array.min(axis=0, initial=0)
    # Out of range means unknown values, which the general path counts and describes.
    if (lowest < -1).any() or (array.max(axis=0, initial=0) > schema.n_values).any():
        return None
    # -1 means missing, as in the codes of pandas.
    filled = np.where(array < 0, schema.n_values, array) if lowest.any() else array
    return np.asfortranarray(filled, dtype=schema.code_type)


def _matched(
    schema: Schema, table: Table, by_name: bool | None, *, strict: bool
) -> tuple[Column | None, ...]:
    """Return the column of each variable; None for an ignored variable without a column."""
    names = {column.name: column for column in table.columns}
    if by_name is None:
        # A schema of x0, x1, ... was made of an array. A frame with other names is then matched by position,
        # as scikit-learn does.
        by_name = table.named and (schema.is_named or names.keys() == set(schema.names))
    if not by_name:
        if table.n_columns != schema.n_variables:
            raise SchemaMismatch(
                f"X has {table.n_columns} features, but Schema is expecting {schema.n_variables} features as "
                "input; give one column per variable, in the order of the schema"
            )
        return table.columns
    absent = [v.name for v in schema.variables if v.name not in names and v.kind != "ignored"]
    if absent:
        raise absent_column(absent, schema.n_variables, names)
    if strict:
        check_surplus(names, schema.names)
    return tuple(names.get(name) for name in schema.names)


def codes_of(variable: Variable, column: Column) -> Positions:
    """Return codes of the cells of a column; :data:`UNKNOWN` if a value is not listed.

    A missing cell has the code of the missing value, or ``n_values`` if that is not a value.
    """
    if isinstance(column, Numbers):
        numbers = column.numbers
        return codes_of_numbers(variable, numbers, np.isnan(numbers) if numbers.dtype.kind == "f" else None)
    # Each distinct value is looked up once. Position -1, a missing cell, is the last entry of the array.
    places = np.array([*places_of(variable, column.values), -1], dtype=np.int32)
    places[places == -1] = _missing_code(variable)
    return places[column.positions]


def codes_of_numbers(
    variable: Variable, numbers: NDArray[Any], missing: BoolArray | None, scale: Scale = "number"
) -> Positions:
    """Return codes of numbers, of which missing ones are arbitrary; see :func:`codes_of`.

    Numbers on another scale than that of the variable are not listed.
    """
    found: Positions
    if variable.scale != scale:
        found = np.full(len(numbers), UNKNOWN, dtype=np.int32)
    elif variable.kind == "interval":
        found = assign(numbers, np.array(variable.cuts))
    else:
        found = _look_up(variable, numbers)
    if missing is not None:
        found[missing] = _missing_code(variable)
    return found


def _missing_code(variable: Variable) -> int:
    return variable.n_values - int(variable.missing_is_value)


def places_of(variable: Variable, values: tuple[Scalar, ...]) -> list[int]:
    """Return codes of distinct values: -1 if missing, :data:`UNKNOWN` if not listed."""
    if variable.kind == "interval":
        return _intervals_of(variable, values)
    codes: dict[Any, int] = {value: code for code, value in enumerate(variable.values)}
    if variable.kind == "code":
        # Both codes mean missing: that of this package, and the one that pandas gives.
        codes |= {variable.n_values: -1, -1: -1}
    found = [codes.get(value, UNKNOWN) for value in values]
    times = [i for i, value in enumerate(values) if found[i] == UNKNOWN and looks_like_time(value)]
    if times:
        # A time is the same time however it is spelt, as text or by a library.
        spelt = {parse_time(value): code for value, code in codes.items() if isinstance(value, str)}
        for i in times:
            found[i] = spelt.get(parse_time(str(values[i])), UNKNOWN)
    return found


def _intervals_of(variable: Variable, values: tuple[Scalar, ...]) -> list[int]:
    """Return intervals of distinct values: numbers, text that spells numbers, or times."""
    is_number = variable.scale == "number"
    numbers = [*map(_number, values)] if is_number else time_numbers(values, variable.scale)
    found = assign(numbers, np.array(variable.cuts))
    places: list[int] = np.where(found > len(variable.cuts), UNKNOWN, found).tolist()
    return places


def _number(value: Scalar) -> float:
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return np.nan
    return number if np.isfinite(number) else np.nan


def _look_up(variable: Variable, numbers: NDArray[Any]) -> Positions:
    is_code = variable.kind == "code" and numbers.dtype.kind == "u"
    if is_code and numbers.max(initial=0) < variable.n_values:
        return numbers.astype(np.int32)
    listed_numbers = [value for value in variable.values if isinstance(value, (int, float))]
    largest = max((abs(value) for value in listed_numbers), default=0)
    if numbers.dtype == np.uint64 or largest >= LARGEST_EXACT or variable.kind == "code":
        # One by one over the distinct numbers: no common type of array would keep them all apart.
        distinct, positions = np.unique(numbers, return_inverse=True)
        places = np.array(places_of(variable, tuple(distinct.tolist())) or [0], dtype=np.int32)
        places[places == -1] = _missing_code(variable)
        return places[positions.ravel()]
    if not listed_numbers:
        return np.full(len(numbers), UNKNOWN, dtype=np.int32)
    values = np.sort(np.array(listed_numbers, dtype=np.float64))
    codes = np.array(places_of(variable, tuple(values.tolist())), dtype=np.int32)
    low, high = int(values[0]), int(values[-1])
    if high - low < _SMALL_RANGE and np.all(values == np.floor(values)):
        # A table with one entry per number; the first and the last are for numbers out of range.
        table = np.full(high - low + 3, UNKNOWN, dtype=np.int32)
        table[values.astype(np.int64) - low + 1] = codes
        with np.errstate(invalid="ignore"):
            whole = numbers.astype(np.int64, copy=False)
        places = table[np.clip(whole, low - 1, high + 1) - (low - 1)]
        if numbers.dtype.kind == "f":  # fractions and NaN
            places[whole != numbers] = UNKNOWN
        return places
    # A search among the few listed numbers, compared for equality afterwards, instead of a look-up per cell.
    at = np.minimum(np.searchsorted(values, numbers), len(values) - 1)
    found: Positions = np.where(values[at] == numbers, codes[at], UNKNOWN)
    return found


def cell_of(column: Column, row: int) -> Any:
    """Return the content of a cell that is not missing."""
    if isinstance(column, Numbers):
        return column.numbers[row].item()
    return column.values[column.positions[row]]


def unknown_class(target: Variable, row: int, cell: Any, source: str = "") -> UnknownValue:
    """Return the error about a class that the schema does not list."""
    return UnknownValue(
        f"{source}target {target.name!r}, row {row}: class {shown(cell)} is not in the schema "
        f"{listed(target.values)}; name all classes before the first rows are counted"
    )
