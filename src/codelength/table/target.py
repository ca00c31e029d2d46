"""Classes of the rows: checks of a target column.

A missing class is refused, since a row without a class cannot be counted or scored; so are numbers with
fractions, which are quantities to estimate and not classes. Nothing is converted silently.
"""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ..errors import DataError
from ._messages import shown, tell
from .checks import as_array
from .column import Column, Factor, Numbers

MAX_CLASSES = 500
"""Largest number of classes of a target that is read from a table: memory and time grow with it."""


def check_n_classes(name: str, n_classes: int) -> None:
    """Raise if a target has more than :data:`MAX_CLASSES` classes."""
    if n_classes > MAX_CLASSES:
        raise DataError(
            f"target {name!r}: {n_classes:,} classes, more than {MAX_CLASSES}; group them, or cut numbers "
            "into intervals"
        )


def target_column(target: Any, name: str = "y", first_row: int = 0) -> Column:
    """Return the classes as a column; raise if a class is missing or the numbers are continuous.

    Parameters
    ----------
    target : series, array, list or Column
        One class per row.
    name : str
        Name of the column, if the target has none of its own.
    first_row : int
        Number of the first row, for messages.

    Examples
    --------
    >>> target_column(["yes", "no", "yes"]).values
    ('yes', 'no')
    """
    from .table import as_column

    if target is None:
        raise DataError("this estimator requires y to be passed, but the target y is None")
    if isinstance(target, (Factor, Numbers)):
        column = target
    else:
        cells = _one_dimensional(target)
        own = getattr(cells, "name", None)
        column = as_column(own if isinstance(own, str) and own else name, cells)
    missing = column.missing
    if missing.any():
        rows = np.flatnonzero(missing)
        row = first_row + int(rows[0])
        raise DataError(
            f"target {column.name!r}, row {row}: the class is missing ({len(rows)} such rows; Input y "
            "contains NaN); drop these rows"
        )
    if isinstance(column, Numbers) and column.numbers.dtype.kind == "f":
        fractional = np.floor(column.numbers) != column.numbers
        if fractional.any():
            row = int(np.argmax(fractional))
            raise DataError(
                f"target {column.name!r}, row {first_row + row}: {column.numbers[row]} is not a class. "
                "Unknown label type: continuous; convert the classes to text or whole numbers"
            )
    return column


def column_named(target: Any) -> Any:
    """Return the name of the column that a Polars expression means; anything else as it is.

    Examples
    --------
    >>> column_named("ripe")
    'ripe'
    """
    if type(target).__name__ != "Expr" or not type(target).__module__.startswith("polars"):
        return target
    import polars as pl

    # Only ``pl.col(name)`` itself: a computed expression needs the frame to be evaluated.
    names = target.meta.root_names()
    if len(names) == 1 and target.meta.eq(pl.col(names[0])):
        return names[0]
    raise DataError(
        f"y is the expression {shown(target)}; pass its values, frame.select(y).to_series(), or the name of "
        "a column"
    )


def _one_dimensional(target: Any) -> Any:
    from .table import collected

    if isinstance(target, (list, tuple)):
        if not any(isinstance(cell, (list, tuple, np.ndarray)) for cell in target):
            return target
    elif hasattr(target, "dtype") and not isinstance(target, np.ndarray):
        return target
    given = nw.from_native(target, pass_through=True, allow_series=True)
    frame = collected(given)
    array = as_array(frame)
    if isinstance(given, nw.LazyFrame) and array.ndim == 2 and array.shape[1] == 1:
        return frame[:, 0].to_native()
    if array.ndim == 2 and array.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        tell(
            "A column-vector y was passed when a 1d array was expected; it is read as one class per row.",
            DataConversionWarning,
        )
        return frame[:, 0].to_native() if isinstance(frame, nw.DataFrame) else array.ravel()
    if array.ndim != 1:
        what = f"shape {array.shape}" if array.size else f"type {type(target).__name__}"
        raise DataError(f"y should be a 1d array, got {shown(target)} of {what}; pass one class per row")
    return target
