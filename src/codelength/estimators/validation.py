"""What the estimators ask of their arguments beside the table."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..table import Schema
from ..typing import FloatArray, Scalar

LARGEST_WEIGHT = 1e90
"""Below this no sum or product of weights comes near an overflow."""


def checked_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Weights of the rows as floats, or None where every row weighs 1."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight: expected one number a row") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise DataError(f"sample_weight has shape {weights.shape}; expected one weight a row, ({n_rows},)")
    unusable = ~(weights <= LARGEST_WEIGHT) | (weights < 0)
    if unusable.any():
        row = int(np.argmax(unusable))
        raise DataError(
            f"sample_weight, row {row}: {weights[row]}; weights must be finite, not negative and at most "
            f"{LARGEST_WEIGHT:g}"
        )
    if not weights.any():
        raise DataError("sample_weight: all weights are zero; at least one row must count")
    return weights


def check_not_empty(columns: Columns) -> None:
    """Refuse a table without rows or without columns."""
    if not columns.columns:
        raise DataError(
            f"0 feature(s) (shape=({columns.n_rows}, 0)) while a minimum of 1 is required; add a column"
        )
    if not columns.n_rows:
        raise DataError(
            "Found array with 0 sample(s) while a minimum of 1 is required; the table has no rows"
        )


def warn_about_names(estimator: object, table: Any) -> None:
    """Say when names are known on one side only, so that columns can be matched by position alone."""
    named = isinstance(table, Columns) and table.named
    fitted_named = hasattr(estimator, "feature_names_in_")
    own = type(estimator).__name__
    if named and not fitted_named:
        message = f"X has feature names, but {own} was fitted without feature names"
    elif fitted_named and not named:
        message = f"X does not have valid feature names, but {own} was fitted with feature names"
    else:
        return
    warnings.warn(f"{message}; columns are matched by position", UserWarning, stacklevel=5)


def schema_for(schema: Schema, columns: Columns) -> Schema:
    """A schema given beforehand; one without names of its own takes those of the table."""
    nameless = all(variable.name == f"x{i}" for i, variable in enumerate(schema.variables))
    if nameless and columns.named and len(columns.columns) == schema.n_variables:
        return schema.named_after(columns.names)
    return schema


def class_array(classes: tuple[Scalar, ...]) -> NDArray[Any]:
    """The classes as an array in which text stays text and numbers stay numbers."""
    kinds = {type(label) for label in classes}
    return np.array(classes, dtype=object if str in kinds and len(kinds) > 1 else None)
