"""Tables of any size as streams of Arrow batches; one file per kind of source."""

from .batch import BATCH_ROWS, Batch, Batches
from .collect import collected
from .encoder import BatchEncoder
from .registry import as_batches, is_lazy
from .sql import SqlQuery

__all__ = ["BATCH_ROWS", "Batch", "BatchEncoder", "Batches", "SqlQuery", "as_batches", "collected", "is_lazy"]
