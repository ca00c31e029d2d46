"""Codes to sufficient statistics."""

from .counts import Counts, count
from .groups import column_groups
from .soft import expected_counts

__all__ = ["Counts", "column_groups", "count", "expected_counts"]
