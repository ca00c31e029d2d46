"""Training rows in the form that every member of an average uses."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from threading import Lock
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from .._pickling import WithoutCaches
from ..table import Coded
from ..table.copies import copy_weights, n_copies
from ..typing import FloatArray, IntArray
from .views import Views

T = TypeVar("T")

MAX_ROWS = 20_000
"""Largest number of distinct rows that members use one by one. If there are more, members use a random sample
of this size; the other rows enter tables of counts only."""


@dataclass(frozen=True, eq=False)
class Training(WithoutCaches):
    """Distinct training rows with their weights, in an order that does not depend on the order of the input.

    A row of weight 3 is three equal rows. Held-out predictions leave out one copy at a time; see
    :mod:`codelength.table.copies`.

    Attributes
    ----------
    coded : Coded
        All distinct rows with their weights; members that work on counts use all of them.
    views : Views
        Views of the table that members use.
    sample : array of int
        The rows that members use one by one. Held-out predictions are made for these rows.
    places : array of int
        For each row of the table, the place of its distinct row.
    seed : int
        Seed of all random draws.
    """

    coded: Coded
    views: Views
    sample: IntArray
    places: IntArray
    seed: int = 0

    @classmethod
    def of(cls, coded: Coded, seed: int = 0, most_rows: int = MAX_ROWS) -> "Training":
        """Build training rows from a table with classes; equal rows are merged.

        Members use a sample of ``most_rows`` distinct rows one by one, if there are more.
        """
        distinct, places = coded.merged()
        rows = np.arange(distinct.n_rows)
        if distinct.n_rows > most_rows:
            rows = np.sort(np.random.default_rng(seed).choice(rows, most_rows, replace=False))
        return cls(distinct, Views.of(distinct), rows, places, seed)

    @property
    def n_classes(self) -> int:
        """Number of classes, seen or not."""
        return self.coded.schema.n_classes

    @property
    def n_rows(self) -> int:
        """Number of rows that members use one by one."""
        return len(self.sample)

    @cached_property
    def rows(self) -> Coded:
        """The rows that members use one by one."""
        return self.coded if self.n_rows == self.coded.n_rows else self.coded.take(self.sample)

    @cached_property
    def labels(self) -> IntArray:
        """Class codes of these rows."""
        return np.asarray(self.rows.class_codes, dtype=np.int64)

    @cached_property
    def weights(self) -> FloatArray:
        """Weights of these rows."""
        assert self.rows.weights is not None
        return self.rows.weights

    @cached_property
    def n_copies(self) -> IntArray:
        """Number of equal rows that each of these rows represents."""
        return n_copies(self.weights)

    @cached_property
    def copy_weights(self) -> FloatArray:
        """Weight of one copy of each row, subtracted if the copy is left out."""
        return copy_weights(self.weights)

    @cached_property
    def fine(self) -> IntArray:
        """Fine codes of these rows, shape (n_rows, n_variables)."""
        return self.views.fine(self.rows)

    @cached_property
    def coarse(self) -> IntArray:
        """Coarse codes of these rows, shape (n_rows, n_variables)."""
        return self.views.coarse(self.rows)

    @cached_property
    def numbers(self) -> FloatArray:
        """These rows as numbers; see :meth:`Views.numbers`."""
        return self.views.numbers(self.rows)

    @cached_property
    def class_counts(self) -> FloatArray:
        """Weight of each class in all rows."""
        counts = np.bincount(self.coded.class_codes, self.coded.weights, self.n_classes)
        return counts.astype(np.float64)

    @cached_property
    def log_prior(self) -> FloatArray:
        """Log prior probability of each class."""
        return log_class_prior(self.class_counts)

    @cached_property
    def log_prior_left_out(self) -> FloatArray:
        """The same without one copy of each row, shape (n_rows, n_classes)."""
        # Every row has a prior of its own, because it lacks one copy in its own class. The difference of
        # fractional weights may be negative by rounding.
        counts = np.tile(self.class_counts + 0.5, (self.n_rows, 1))
        own = np.arange(self.n_rows), self.labels
        counts[own] = np.maximum(self.class_counts[self.labels] - self.copy_weights, 0.0) + 0.5
        return np.asarray(np.log(counts / counts.sum(axis=1, keepdims=True)))

    @cached_property
    def fine_counts(self) -> list[FloatArray]:
        """Weight of each fine value within each class, for each variable: shape (n_classes, n_fine)."""
        return self._counts([view.fine for view in self.views.columns])

    @cached_property
    def coarse_counts(self) -> list[FloatArray]:
        """The same for coarse values."""
        return self._counts([view.coarse for view in self.views.columns])

    def generator(self, of: str) -> np.random.Generator:
        """Return the random number generator of one member."""
        # A seed per member: the draws of one do not depend on which others are fitted. crc32, unlike hash(),
        # is the same in every process.
        return np.random.default_rng([self.seed, zlib.crc32(of.encode())])

    def log_score(self, log_probs: FloatArray) -> float:
        """Return the log probability of the classes of these rows, summed over all copies."""
        return float(self.weights @ log_probs[np.arange(self.n_rows), self.labels])

    def _counts(self, tables: Sequence[IntArray]) -> list[FloatArray]:
        """Count all rows, one variable at a time; all at once would take gigabytes."""
        found = []
        for view, table in zip(self.views.columns, tables, strict=True):
            n_codes = len(table)
            places = self.coded.class_codes.astype(np.int64) * n_codes + self.coded.codes[:, view.position]
            counts = np.bincount(places, self.coded.weights, self.n_classes * n_codes)
            by_code = counts.astype(np.float64).reshape(self.n_classes, n_codes)
            merged = np.zeros((self.n_classes, int(table.max()) + 2))
            np.add.at(merged.T, table, by_code.T)  # -1 is the last column, dropped below
            found.append(np.ascontiguousarray(merged[:, :-1]))
        return found


def log_class_prior(class_counts: FloatArray) -> FloatArray:
    """Return the log prior probability of each class, (n_c + 1/2) / (n + C/2).

    Examples
    --------
    >>> np.exp(log_class_prior(np.array([3.0, 1.0])))
    array([0.7, 0.3])
    """
    return np.asarray(np.log((class_counts + 0.5) / (class_counts.sum() + len(class_counts) / 2)))


def once(make: Callable[[Training], T]) -> Callable[[Training], T]:
    """Decorate a function of training rows so that it runs once for each.

    The result must not refer to the rows: entries are dropped with the last reference to their key.
    """
    entries: WeakKeyDictionary[Training, tuple[Lock, list[T]]] = WeakKeyDictionary()
    entries_lock = Lock()

    @wraps(make)
    def found(training: Training) -> T:
        with entries_lock:
            lock, results = entries.setdefault(training, (Lock(), []))
        # A lock per entry: other tables, and other functions of this one, are not blocked during a long run.
        with lock:
            if not results:
                results.append(make(training))
            return results[0]

    return found
