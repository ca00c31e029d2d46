"""Named real data sets with their origin, checked against checksums.

>>> from codelength import datasets
>>> vote = datasets.load("vote")
>>> vote.target_name, len(vote.target)
('class', 435)
>>> datasets.describe("vote").class_counts
{'democrat': 267, 'republican': 168}
"""

from .loading import Dataset, load
from .registry import Entry, Size, describe, names

__all__ = ["Dataset", "Entry", "Size", "describe", "load", "names"]
