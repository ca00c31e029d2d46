"""Pandas frames as batches."""

from typing import Any

import numpy as np

from ...table._series import from_series, in_one_piece, names_of
from ..batch import Batches, arrow
from ._frames import Cells, cells_of, in_pieces


def open_batches(source: Any, batch_rows: int) -> Batches | None:
    """Return the batches of a frame; None for a series or an index."""
    if not hasattr(source, "columns") or not hasattr(source, "iloc"):
        return None
    names, _ = names_of(list(source.columns))
    cells = {name: _cells(name, source.iloc[:, i]) for i, name in enumerate(names)}
    return in_pieces(cells, len(source), batch_rows)


def _cells(name: str, series: Any) -> Cells:
    """Return a column for Arrow: as it is if Arrow has its type, else by its distinct values."""
    pa = arrow()
    if _is_plain(series.dtype):
        try:
            # The type of no rows is that of all batches; inferred from rows, it could differ between batches.
            type_ = pa.Array.from_pandas(series.iloc[:0]).type
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            pass
        else:
            return pa.field(name, type_), lambda rows: in_one_piece(
                pa.Array.from_pandas(series.iloc[rows], type=type_)
            )
    import narwhals.stable.v2 as nw

    return cells_of(from_series(name, nw.from_native(series, series_only=True)))


def _is_plain(dtype: Any) -> bool:
    """Return True if each cell means the same in Arrow, whatever the other cells are."""
    if isinstance(dtype, np.dtype):
        return dtype.kind in "biufM" and dtype.itemsize <= 8
    return (
        hasattr(dtype, "numpy_dtype")
        or getattr(dtype, "tz", None) is not None
        or dtype.name in ("str", "string")
    )
