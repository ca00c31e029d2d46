"""Domains that a Parquet file declares: lists of text that Arrow has stored with its columns.

A pandas Categorical, a Polars Enum and an Arrow dictionary are written in this way. DuckDB reads such columns
as plain text, so pyarrow reads their lists.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...table._messages import shortened
from ...table._series import declares

__all__ = ["declared_domains", "is_declared"]


def is_declared(field: Any) -> bool:
    """Return True if a field of an Arrow schema lists all values of its column."""
    import pyarrow as pa

    return pa.types.is_dictionary(field.type) and declares(field)


def declared_domains(path: Path, columns: Sequence[str], shown: str) -> dict[str, tuple[str, ...]]:
    """Return the values that columns of a Parquet file declare.

    Parameters
    ----------
    path : Path
        The file.
    columns : sequence of str
        The columns that Arrow stored as dictionaries.
    shown : str
        Name of the file in messages.

    Returns
    -------
    dict of str to tuple of str
        Values by column; columns that declare none are absent.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise DataError(
            f"{shown}, column {columns[0]!r}: declares its values, which pyarrow reads; install it with: "
            'pip install "codelength[scale]"'
        ) from None
    try:
        with pq.ParquetFile(path, memory_map=False) as file:
            fields = [file.schema_arrow.field(name) for name in columns]
            found: dict[str, dict[str, None]] = {field.name: {} for field in fields if is_declared(field)}
            known: dict[str, Any] = dict.fromkeys(found)
            # Each row group may have a dictionary of its own. The domain is all of them, in order.
            for rows in file.iter_batches(columns=list(found)) if found else ():
                for name in found:
                    dictionary = rows.column(name).dictionary
                    if known[name] is None or not dictionary.equals(known[name]):
                        known[name] = dictionary
                        found[name].update(dict.fromkeys(dictionary.to_pylist()))
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = shortened(f"{type(error).__name__}: {error}")
        raise DataError(f"{shown}: is damaged, and cannot be read ({reason}); write it again") from error
    return {name: tuple(values) for name, values in found.items()}
