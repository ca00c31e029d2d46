"""Naive Bayes on streams, which learns, forgets and predicts one row at a time."""

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
