"""Naive Bayes on streams, which learns, forgets and predicts one row at a time."""

from .naive_bayes import OnlineNaiveBayes

__all__ = ["OnlineNaiveBayes"]
