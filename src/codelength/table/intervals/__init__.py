"""Cutting of numbers into intervals: cut points, intervals of numbers, names of intervals."""
