"""The class of each row: what may stand in a target column."""

import warnings
from typing import Any

import numpy as np

from ..errors import DataError
from .column import Column, Factor, Numbers


def target_column(target: Any, name: str = "y") -> Column:
    """The class column, refused where a class is missing or the numbers are continuous.

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
        own = getattr(target, "name", None)
        column = as_column(own if isinstance(own, str) and own else name, _one_dimensional(target))
    missing = column.missing
    if missing.any():
        rows = np.flatnonzero(missing)
        raise DataError(
            f"target {column.name!r}, row {rows[0]}: the class is missing ({len(rows)} such rows; Input y "
            "contains NaN); drop these rows"
        )
    if isinstance(column, Numbers) and column.numbers.dtype.kind == "f":
        fractional = np.floor(column.numbers) != column.numbers
        if fractional.any():
            row = int(np.argmax(fractional))
            raise DataError(
                f"target {column.name!r}, row {row}: {column.numbers[row]} is not a class. Unknown label "
                "type: continuous; convert the classes to text or whole numbers"
            )
    return column


def _one_dimensional(target: Any) -> Any:
    if isinstance(target, (list, tuple)):
        widths = {len(cell) for cell in target if isinstance(cell, (list, tuple, np.ndarray))}
        if not widths:
            return target
        if len(widths) > 1:
            raise DataError(
                "y should be a 1d array, and its rows hold different numbers of classes; give one"
            )
    elif hasattr(target, "dtype") and not isinstance(target, np.ndarray):
        return target
    array = np.asarray(target)
    if array.ndim == 2 and array.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected; it is read as one class per row.",
            DataConversionWarning,
            stacklevel=4,
        )
        return array.ravel()
    if array.ndim != 1:
        raise DataError(
            f"y should be a 1d array, got an array of shape {array.shape} instead; pass one class per row"
        )
    return target
