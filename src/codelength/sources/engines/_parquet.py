"""Parquet files, read by pyarrow; columns of few texts are read as the dictionaries they are stored as."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...table._messages import shortened
from ..batch import Batch, arrow, marked
from ..files._domains import is_declared
from ..files._duckdb import without_memory

# Room for the dictionary itself and for pages, on top of four bytes per cell.
_LOOSE_BYTES = 1 << 20


def parquet_rows(paths: Sequence[Path]) -> int | None:
    """Return the number of rows of all files by their metadata; None if one cannot be read."""
    arrow()
    import pyarrow.parquet as pq

    try:
        return sum(int(pq.read_metadata(path).num_rows) for path in paths)
    except (OSError, ValueError):
        return None


def are_plain(path: Path, columns: Sequence[str]) -> dict[str, Any] | None:
    """Return the fields of columns if pyarrow and DuckDB read them alike; None if they may not."""
    pa = arrow()
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
    except (OSError, ValueError):
        return None
    fields = {}
    for name in columns:
        if len(schema.get_all_field_indices(name)) != 1 or not _is_plain(pa.types, schema.field(name).type):
            return None
        fields[name] = schema.field(name).remove_metadata()
    return fields


def schema_of(paths: Sequence[Path], columns: Sequence[str]) -> Any:
    """Return types that hold columns of all files without loss; None if there are none.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    columns : sequence of str
        The columns.

    Returns
    -------
    pyarrow.Schema or None
        The types, without dictionaries.
    """
    pa = arrow()
    import pyarrow.parquet as pq

    try:
        schemas = [pq.read_schema(path) for path in paths] if columns else []
        if any(len(schema.get_all_field_indices(name)) != 1 for schema in schemas for name in columns):
            return None
        parts = [
            pa.schema([(name, _decoded(pa.types, schema.field(name).type)) for name in columns])
            for schema in schemas
        ]
        return pa.unify_schemas(parts, promote_options="permissive") if parts else pa.schema([])
    except (OSError, ValueError, pa.ArrowException):
        return None


def parquet_batches(
    paths: Sequence[Path], columns: Sequence[str], fields: dict[str, Any], batch_rows: int, beside: Any
) -> Iterator[Batch]:
    """Yield the rows of files, one row group after the other.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    columns : sequence of str
        The columns of the batches.
    fields : dict of str to pyarrow.Field
        Fields of the columns.
    batch_rows : int
        Largest number of rows per batch.
    beside : pyarrow.Schema
        Columns to carry over, with their types.
    """
    pa = arrow()
    import pyarrow.parquet as pq

    position = 0
    for path in paths:
        first = 0
        try:
            texts = [name for name in columns if _is_text(pa.types, fields[name].type)]
            needed = list(dict.fromkeys([*columns, *beside.names]))
            with pq.ParquetFile(path, memory_map=False) as plain:
                few = _stored_as_dictionaries(plain.metadata, texts)
                declared = [field.name for field in plain.schema_arrow if is_declared(field)]
            # Without pre_buffer, which keeps a whole row group of bytes in memory. Not mapped, so that a file
            # that is cut off while it is read is an error and not a crash.
            with pq.ParquetFile(path, read_dictionary=few, pre_buffer=False, memory_map=False) as file:
                for rows in file.iter_batches(batch_rows, columns=needed):
                    along = _cast(pa, rows.select(beside.names), beside) if beside.names else None
                    own = _marked(pa, rows.select(columns), declared)
                    yield Batch(own, str(path), first, position + first, beside=along)
                    first += rows.num_rows
        except (OSError, ValueError, pa.ArrowException) as error:
            if isinstance(error, DataError):
                raise
            reason = shortened(f"{type(error).__name__}: {error}")
            damaged = DataError(
                f"{path}: is damaged, and cannot be read after row {first:,} ({reason}); write it again"
            )
            raise without_memory(error, str(path)) or damaged from error
        position += first


def _decoded(types: Any, type_: Any) -> Any:
    """Return the type of the cells of a dictionary; any other type as it is."""
    return type_.value_type if types.is_dictionary(type_) else type_


def _cast(pa: Any, rows: Any, schema: Any) -> Any:
    """Return rows with the types of a schema."""
    arrays = [
        array if array.type == field.type else array.cast(field.type)
        for array, field in zip(rows.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _marked(pa: Any, rows: Any, declared: Sequence[str]) -> Any:
    """Return rows whose dictionaries declare domains only if the stored Arrow schema does."""
    fields = [
        marked(field, "seen")
        if pa.types.is_dictionary(field.type) and field.name not in declared
        else field.remove_metadata()
        for field in rows.schema
    ]
    return pa.RecordBatch.from_arrays(rows.columns, schema=pa.schema(fields))


def _stored_as_dictionaries(metadata: Any, texts: Sequence[str]) -> list[str]:
    """Return columns of text that are stored as positions in a list."""
    if not metadata.num_row_groups:
        return []
    group = metadata.row_group(0)
    found = []
    for i in range(group.num_columns):
        chunk = group.column(i)
        # A writer gives up its dictionary if it becomes too large, and stores the rest of the chunk as text.
        # Such a chunk is longer than positions alone would be.
        is_small = chunk.total_uncompressed_size <= 4 * chunk.num_values + _LOOSE_BYTES
        if chunk.path_in_schema in texts and chunk.has_dictionary_page and is_small:
            found.append(chunk.path_in_schema)
    return found


def _is_plain(types: Any, type_: Any) -> bool:
    if types.is_dictionary(type_):
        return _is_text(types, type_.value_type)
    if types.is_floating(type_):
        return not types.is_float16(type_)
    return bool(
        types.is_integer(type_)
        or types.is_boolean(type_)
        or _is_text(types, type_)
        or (types.is_temporal(type_) and not types.is_interval(type_))
    )


def _is_text(types: Any, type_: Any) -> bool:
    if types.is_dictionary(type_):
        return _is_text(types, type_.value_type)
    return bool(types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_))
