"""Results that are computed once per training table, for all members and threads."""

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from .training import Training

T = TypeVar("T")


class _Entry(Generic[T]):
    """A result, once it is known; a list of one, because a result may be None."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.results: list[T] = []


def once(make: Callable[[Training], T]) -> Callable[[Training], T]:
    """Decorate a function of training rows to run once for each; its result must not refer to the rows."""
    entries: WeakKeyDictionary[Training, _Entry[T]] = WeakKeyDictionary()
    entries_lock = Lock()

    @wraps(make)
    def found(training: Training) -> T:
        with entries_lock:
            entry = entries.setdefault(training, _Entry())
        with entry.lock:
            if not entry.results:
                entry.results.append(make(training))
            return entry.results[0]

    return found
