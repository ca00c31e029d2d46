"""Rows for EM that need not fit into memory: equal rows are merged on arrival, the rest kept on disk."""

from .gathering import MEMORY, RowGatherer
from .rows import CachedRows, RowBlocks, Rows

__all__ = ["MEMORY", "CachedRows", "RowBlocks", "RowGatherer", "Rows"]
