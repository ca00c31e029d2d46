"""Codes to sufficient statistics."""

from .counts import Counts, count
from .groups import column_groups

__all__ = ["Counts", "column_groups", "count"]
