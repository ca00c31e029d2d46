"""Sources of tables: files, frames, databases and clusters, in memory or in batches."""

from .batch import BATCH_ROWS, Batch, Batches
from .encoder import BatchEncoder
from .engines import as_batches, is_lazy
from .engines.sql import SqlQuery
from .readers import as_coded, as_table, known_rows

__all__ = [
    "BATCH_ROWS",
    "Batch",
    "BatchEncoder",
    "Batches",
    "SqlQuery",
    "as_batches",
    "as_coded",
    "as_table",
    "is_lazy",
    "known_rows",
]
