"""Cache of results that are computed once per training table, for all members and threads."""

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from .training import Training

T = TypeVar("T")


class _Entry(Generic[T]):
    """A lock and the result, as a list of at most one, because a result may be None."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.results: list[T] = []


def once(make: Callable[[Training], T]) -> Callable[[Training], T]:
    """Decorate a function of training rows so that it runs once for each.

    The result must not refer to the rows: entries are dropped with the last reference to their key.
    """
    entries: WeakKeyDictionary[Training, _Entry[T]] = WeakKeyDictionary()
    entries_lock = Lock()

    @wraps(make)
    def found(training: Training) -> T:
        with entries_lock:
            entry = entries.setdefault(training, _Entry())
        # A lock per entry: other tables, and other functions of this one, are not blocked during a long run.
        with entry.lock:
            if not entry.results:
                entry.results.append(make(training))
            return entry.results[0]

    return found
