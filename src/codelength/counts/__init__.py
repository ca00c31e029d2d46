"""Sufficient statistics of coded tables: counts of values and of pairs of values in classes."""

from .counts import Counts, column_groups, count, expected_counts

__all__ = ["Counts", "column_groups", "count", "expected_counts"]
