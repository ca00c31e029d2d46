"""Naive Bayes on streams, which learns, forgets and predicts one row at a time.

Order of reading: ``naive_bayes`` (the model), ``fixed`` (its counts under a schema), ``domain`` and
``growing`` (counts without one) with their kernels, ``saved`` (files). ``river`` adapts the model to river.
"""

from typing import TYPE_CHECKING, Any

from .naive_bayes import OnlineNaiveBayes

if TYPE_CHECKING:
    from .river import RiverNaiveBayes

__all__ = ["OnlineNaiveBayes", "RiverNaiveBayes"]


def __getattr__(name: str) -> Any:
    # river is an extra, and takes a second to import.
    if name == "RiverNaiveBayes":
        from .river import RiverNaiveBayes

        return RiverNaiveBayes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
