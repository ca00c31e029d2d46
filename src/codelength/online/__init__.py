"""Naive Bayes on streams: rows are learned, forgotten and predicted one at a time."""

from .naive_bayes import OnlineNaiveBayes

__all__ = ["OnlineNaiveBayes"]
