"""Kinds of columns, and the forms in which each library holds them without loss."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from . import cells
from .tables import objects

Cells = list[Any]
Form = Callable[[Cells], Any]
Forms = tuple[Form, ...]


class Unsuitable(Exception):
    """A form or a door has no place for some cells."""


@dataclass(frozen=True)
class Kind:
    """What a column holds, and the forms it can have.

    Attributes
    ----------
    draw
        Draws a value.
    forms
        Ways to hold the cells, by library: of Python, numpy, pandas, Polars and Arrow.
    spelt
        How a cell is written in a CSV file; None where no file can hold it.
    document
        How a cell is written in JSON.
    attribute
        What an ARFF file declares the column to be.
    reading
        What a reader of text has to be told, for the cells do not say it.
    """

    draw: cells.Draw
    forms: dict[str, Forms]
    spelt: Callable[[Any], str] | None = None
    document: Callable[[Any], Any] | None = None
    attribute: str | None = None
    reading: str | None = None


def same(library: Callable[[Cells], Any], back: Callable[[Any], Cells]) -> Form:
    """A form that is taken only where it gives back the cells that were put in."""

    def form(cells: Cells) -> Any:
        made = library(cells)
        if [None if _is_nan(cell) else cell for cell in back(made)] != cells:
            raise Unsuitable
        return made

    return form


def _is_nan(cell: Any) -> bool:
    return cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and cell != cell)


def _numpy(kind: str) -> Form:
    """An array of a type, with NaN for missing cells where it has one."""
    return same(
        lambda cells: np.array([np.nan if cell is None else cell for cell in cells], kind),
        lambda array: [_exactly(cell) for cell in array.tolist()],
    )


def _exactly(cell: Any) -> Any:
    """A number as Python's own; wider ones would round what they are compared with."""
    if isinstance(cell, np.longdouble) and cell == cell:
        return int(cell) if cell == np.floor(cell) else float(cell)
    return cell


def _masked(kind: str) -> Form:
    return lambda cells: np.ma.masked_array(
        _numpy(kind)([0 if cell is None else cell for cell in cells]), mask=[cell is None for cell in cells]
    )


def _pandas(kind: Any) -> Form:
    return same(
        lambda cells: pd.Series(objects(cells)).astype(kind), lambda series: series.astype(object).tolist()
    )


def _plain_pandas(kind: Any) -> Form:
    return lambda cells: pd.Series(objects(cells)).astype(kind)


def _polars(kind: Any) -> Form:
    return same(lambda cells: pl.Series(cells, dtype=kind), lambda series: series.to_list())


def _arrow(kind: Any) -> Form:
    return same(lambda cells: pa.array(cells, kind), lambda array: array.to_pylist())


def _pandas_arrow(kind: Any) -> Form:
    return lambda cells: pd.Series(pd.arrays.ArrowExtensionArray(_arrow(kind)(cells)))


def _levels(cells: Cells) -> list[Any]:
    return sorted({cell for cell in cells if cell is not None})


LISTS: Forms = (list, tuple)
OBJECTS: Forms = (objects,)
PANDAS_OBJECTS: Forms = (lambda cells: pd.Series(objects(cells), dtype=object),)

TEXT_FORMS: dict[str, Forms] = {
    "python": LISTS,
    "numpy": (*OBJECTS, same(lambda cells: np.array(cells, dtype=str), lambda array: array.tolist())),
    "pandas": (
        *PANDAS_OBJECTS,
        *map(_pandas, ("str", "string", "string[pyarrow]")),
        *map(_pandas_arrow, (pa.string(), pa.large_string())),
        lambda cells: pd.Series(pd.Categorical(cells, categories=_levels(cells))),
    ),
    "polars": (
        _polars(pl.String),
        _polars(pl.Categorical),
        lambda cells: pl.Series(cells, dtype=pl.Enum(_levels(cells))),
    ),
    "arrow": (
        *map(_arrow, (pa.string(), pa.large_string(), pa.string_view())),
        lambda cells: pa.DictionaryArray.from_arrays(
            pa.array([None if cell is None else _levels(cells).index(cell) for cell in cells], pa.int8()),
            _levels(cells),
        ),
    ),
}
WHOLE_FORMS: dict[str, Forms] = {
    "python": (*LISTS, same(lambda cells: [None if c is None else float(c) for c in cells], list)),
    "numpy": (
        *OBJECTS,
        *map(_numpy, ("int64", "uint64", "int8", "float64", "float32", "longdouble")),
        _masked("int64"),
    ),
    "pandas": (
        *PANDAS_OBJECTS,
        *map(_pandas, ("Int64", "UInt64", "Int8", "int64", "uint64", "float64", "Float64", "float32")),
        *map(_pandas_arrow, (pa.int64(), pa.uint64(), pa.int8())),
    ),
    "polars": tuple(
        map(_polars, (pl.Int64, pl.UInt64, pl.Int8, pl.Int128, pl.Float64, pl.Float32, pl.Decimal(38, 0)))
    ),
    "arrow": tuple(
        map(_arrow, (pa.int64(), pa.uint64(), pa.int8(), pa.float64(), pa.float32(), pa.decimal128(38, 0)))
    ),
}
FLOAT_FORMS: dict[str, Forms] = {
    "python": (*LISTS, lambda cells: [None if c is None else np.float64(c) for c in cells]),
    "numpy": (*OBJECTS, *map(_numpy, ("float64", "longdouble")), _masked("float64")),
    "pandas": (*PANDAS_OBJECTS, *map(_pandas, ("float64", "Float64")), _pandas_arrow(pa.float64())),
    "polars": (_polars(pl.Float64),),
    "arrow": (_arrow(pa.float64()),),
}
NARROW_FORMS: dict[str, Forms] = {
    "python": (*LISTS, lambda cells: [None if c is None else np.float32(c) for c in cells]),
    "numpy": (
        lambda cells: np.array([np.nan if c is None else c for c in cells], "float32"),
        _numpy("float64"),
    ),
    "pandas": (*map(_plain_pandas, ("float32", "Float32")), *map(_pandas, ("float64", "Float64"))),
    "polars": (lambda cells: pl.Series(cells, dtype=pl.Float32), _polars(pl.Float64)),
    "arrow": (lambda cells: pa.array(cells, pa.float32()), _arrow(pa.float64())),
}
DECIMAL_FORMS: dict[str, Forms] = {
    "python": (*LISTS, lambda cells: [None if c is None else float(c) for c in cells]),
    "numpy": (*OBJECTS, lambda cells: np.array([np.nan if c is None else float(c) for c in cells])),
    "pandas": (*PANDAS_OBJECTS, _pandas_arrow(pa.decimal128(20, 3))),
    "polars": (_polars(pl.Decimal(20, 3)), _polars(pl.Decimal(38, 5))),
    "arrow": (_arrow(pa.decimal128(20, 3)), _arrow(pa.decimal256(50, 6)), _arrow(pa.decimal128(12, 3))),
}
TRUTH_FORMS: dict[str, Forms] = {
    "python": (*LISTS, lambda cells: [None if c is None else np.bool_(c) for c in cells]),
    "numpy": (*OBJECTS, same(lambda cells: np.array(cells, dtype=bool), lambda array: array.tolist())),
    "pandas": (*PANDAS_OBJECTS, *map(_pandas, ("bool", "boolean")), _pandas_arrow(pa.bool_())),
    "polars": (_polars(pl.Boolean),),
    "arrow": (_arrow(pa.bool_()),),
}


def _midnights(cells: Cells) -> Cells:
    return [None if c is None else datetime.datetime.combine(c, datetime.time()) for c in cells]


def _stamps(kind: str) -> Form:
    """An array of times of numpy."""
    return lambda cells: np.array(
        [np.datetime64("NaT") if c is None else np.datetime64(c) for c in cells], kind
    )


def _of(forms: Forms, convert: Callable[[Cells], Cells]) -> Forms:
    return tuple(lambda cells, form=form: form(convert(cells)) for form in forms)


MOMENT_FORMS: dict[str, Forms] = {
    "python": (
        *LISTS,
        lambda cells: [None if c is None else pd.Timestamp(c) for c in cells],
        lambda c: list(_stamps("M8[us]")(c)),
    ),
    "numpy": (*OBJECTS, _stamps("M8[us]"), _stamps("M8[ns]")),
    "pandas": (
        *PANDAS_OBJECTS,
        *map(_pandas, ("datetime64[ns]", "datetime64[us]", "datetime64[ms]", "datetime64[s]")),
        *map(_pandas_arrow, (pa.timestamp("us"), pa.timestamp("ns"))),
    ),
    "polars": tuple(map(_polars, (pl.Datetime("us"), pl.Datetime("ns"), pl.Datetime("ms")))),
    "arrow": tuple(
        map(_arrow, (pa.timestamp("us"), pa.timestamp("ns"), pa.timestamp("ms"), pa.timestamp("s")))
    ),
}
DATE_FORMS: dict[str, Forms] = {
    "python": (*LISTS, *_of(MOMENT_FORMS["python"], _midnights)),
    "numpy": (*OBJECTS, _stamps("M8[D]"), *_of(MOMENT_FORMS["numpy"], _midnights)),
    "pandas": (
        *PANDAS_OBJECTS,
        *map(_pandas_arrow, (pa.date32(), pa.date64())),
        *_of(MOMENT_FORMS["pandas"], _midnights),
    ),
    "polars": (_polars(pl.Date), *_of(MOMENT_FORMS["polars"], _midnights)),
    "arrow": (*map(_arrow, (pa.date32(), pa.date64())), *_of(MOMENT_FORMS["arrow"], _midnights)),
}
STAMP_FORMS: dict[str, Forms] = {
    "python": (*LISTS, lambda cells: [None if c is None else pd.Timestamp(c) for c in cells]),
    "numpy": OBJECTS,
    "pandas": (
        *PANDAS_OBJECTS,
        *map(_pandas, ("datetime64[ns, UTC]", "datetime64[us, Europe/Helsinki]")),
        *map(_pandas_arrow, (pa.timestamp("us", "UTC"), pa.timestamp("ns", "America/New_York"))),
    ),
    "polars": tuple(map(_polars, (pl.Datetime("us", "UTC"), pl.Datetime("ns", "Europe/Helsinki")))),
    "arrow": tuple(map(_arrow, (pa.timestamp("us", "UTC"), pa.timestamp("ns", "Europe/Helsinki")))),
}
LEVELS = ("low", "mid", "high", "never", "Never")
"""Values of a column that declares them, in an order of its own; no cell has the last two."""


def _dictionary(kind: Any) -> Form:
    return lambda cells: pa.DictionaryArray.from_arrays(
        pa.array([None if cell is None else LEVELS.index(cell) for cell in cells], kind), list(LEVELS)
    )


LEVEL_FORMS: dict[str, Forms] = {
    "pandas": (
        lambda cells: pd.Series(pd.Categorical(cells, categories=list(LEVELS))),
        lambda cells: pd.Series(pd.arrays.ArrowExtensionArray(_dictionary(pa.int8())(cells))),
    ),
    "polars": (lambda cells: pl.Series(cells, dtype=pl.Enum(LEVELS)),),
    "arrow": tuple(map(_dictionary, (pa.int8(), pa.int32(), pa.uint16()))),
}
MIXED_FORMS: dict[str, Forms] = {"python": LISTS, "numpy": OBJECTS, "pandas": PANDAS_OBJECTS}


def _decimal(rng: Random) -> Decimal:
    return Decimal(rng.choice((1, -1, 10, 2500, 999_999_999_999, 1001, 100, 0))) / 1000


def _float32(rng: Random) -> float:
    """A number of which float32 keeps the shortest spelling."""
    return float(str(np.float32(rng.choice((0.1, 0.5, 1 / 3, 2.5, 1e-5, 123.456, 1e-30, 7.0, -0.25)))))


def _as_it_is(cell: Any) -> Any:
    return cell


KINDS: dict[str, Kind] = {
    "words": Kind(cells.word, TEXT_FORMS, str, str, "string"),
    "text": Kind(cells.text, TEXT_FORMS, str, str, "string", reading="text"),
    "small wholes": Kind(lambda rng: rng.randrange(-3, 9), WHOLE_FORMS, str, int, "numeric"),
    "many wholes": Kind(lambda rng: rng.randrange(-999, 999), WHOLE_FORMS, str, int, "numeric"),
    "wholes": Kind(lambda rng: rng.choice(cells.WHOLES), WHOLE_FORMS, str, int, "numeric"),
    "floats": Kind(lambda rng: rng.choice(cells.FLOATS), FLOAT_FORMS, repr, float, "numeric"),
    "narrow floats": Kind(_float32, NARROW_FORMS, repr, float, "numeric"),
    "decimals": Kind(_decimal, DECIMAL_FORMS, str, float, "numeric"),
    "truths": Kind(lambda rng: rng.random() < 0.5, TRUTH_FORMS, str, bool),
    "dates": Kind(lambda rng: cells.moment(rng).date(), DATE_FORMS, str, str, "date"),
    "moments": Kind(cells.moment, MOMENT_FORMS, str, str),
    "stamps": Kind(
        lambda rng: cells.moment(rng).replace(tzinfo=rng.choice(cells.ZONES)), STAMP_FORMS, str, str
    ),
    "levels": Kind(lambda rng: rng.choice(LEVELS[:3]), LEVEL_FORMS, str, str, f"{{{', '.join(LEVELS)}}}"),
    "wholes and text": Kind(
        lambda rng: rng.choice((1, 2, 7, "a", "2.5", "b")), MIXED_FORMS, document=_as_it_is
    ),
    "truths and text": Kind(lambda rng: rng.choice((True, False, "a", "b")), MIXED_FORMS, document=_as_it_is),
    "truths and wholes": Kind(
        lambda rng: rng.choice((True, 0, 1, 2, False)), MIXED_FORMS, document=_as_it_is
    ),
}
