"""What the estimators ask of their arguments beside the table."""

from typing import Any

import numpy as np

from ..errors import DataError
from ..table.columns import Columns
from ..typing import FloatArray


def checked_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Weights of the rows as floats, or None where every row weighs 1."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise DataError(f"sample_weight has shape {weights.shape}; expected one weight a row, ({n_rows},)")
    unusable = ~np.isfinite(weights) | (weights < 0)
    if unusable.any():
        row = int(np.argmax(unusable))
        raise DataError(f"sample_weight, row {row}: {weights[row]}; weights must be finite and not negative")
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
