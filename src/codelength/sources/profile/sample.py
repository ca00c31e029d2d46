"""Sample of the rows of a stream, for rough estimates of quantiles."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ...typing import FloatArray, IntArray

_MAX_CELLS = 1 << 23
_MAX_ROWS, _MIN_ROWS = 1 << 18, 1 << 13
_NO_LIMIT = 2**64 - 1


def sample_size(n_columns: int) -> int:
    """Return the number of rows of a sample: 64 MB of cells at most, for up to 1,000 columns."""
    return max(_MIN_ROWS, min(_MAX_ROWS, _MAX_CELLS // max(n_columns, 1)))


def priorities(first: int, n_rows: int) -> NDArray[np.uint64]:
    """Return numbers of rows, mixed so that the smallest ones are a random sample, the same in every run."""
    # splitmix64 of the position: neither the size of batches nor the number of workers changes the sample.
    mixed = np.arange(first, first + n_rows, dtype=np.uint64)
    mixed += np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


@dataclass(slots=True)
class Sample:
    """Rows of smallest priority, with some columns as numbers.

    Attributes
    ----------
    size : int
        Largest number of rows.
    ranks : array
        Priorities of the rows.
    weights : array
        Weights of the rows.
    columns : dict of arrays
        Cells of the rows; NaN if there is no number.
    """

    size: int
    ranks: NDArray[np.uint64]
    weights: FloatArray
    columns: dict[str, FloatArray]
    _waiting: list["Sample"] = field(default_factory=list)
    # Rows of a priority not below this may have been left out.
    _limit: int = _NO_LIMIT

    @classmethod
    def of(
        cls,
        size: int,
        ranks: NDArray[np.uint64],
        weights: FloatArray | None,
        columns: Mapping[str, FloatArray],
        below: int,
    ) -> "Sample":
        """Return the sample of a batch.

        Parameters
        ----------
        size : int
            Largest number of rows.
        ranks : array of uint64
            Priorities of the rows.
        weights : array of float, optional
            Weights of the rows.
        columns : mapping of str to array of float
            Columns as numbers.
        below : int
            Rows of at least this priority are known not to enter the whole sample.

        Returns
        -------
        Sample
            The rows of smallest priority.
        """
        kept: IntArray = np.flatnonzero(ranks < np.uint64(below))
        if len(kept) > size:
            kept = kept[_smallest(ranks[kept], size)]
        of_kept = np.ones(len(kept)) if weights is None else weights[kept]
        return cls(size, ranks[kept], of_kept, {name: cells[kept] for name, cells in columns.items()})

    def merge(self, other: "Sample") -> None:
        """Add the sample of other rows."""
        self._waiting += [replace(other, _waiting=[]), *other._waiting]
        if sum(len(part.ranks) for part in self._waiting) > self.size:
            self.settle()

    def settle(self) -> None:
        """Join the samples that were added, and keep no more rows than the size."""
        parts = [self, *self._waiting]
        self._waiting = []
        if len(parts) == 1:
            return
        names = dict.fromkeys(name for part in parts for name in part.columns)
        ranks = np.concatenate([part.ranks for part in parts])
        weights = np.concatenate([part.weights for part in parts])
        columns = {
            name: np.concatenate([part.columns.get(name, np.full(len(part.ranks), np.nan)) for part in parts])
            for name in names
        }
        self.ranks, self.weights, self.columns = ranks, weights, columns
        # A sample of all rows alike is one without those that some part has left out.
        self._limit = min(part._limit for part in parts)
        if self._limit < _NO_LIMIT:
            self._keep(np.flatnonzero(ranks < np.uint64(self._limit)))
        if len(self.ranks) > self.size:
            self._keep(_smallest(self.ranks, self.size))

    def thin(self, n_rows: int) -> None:
        """Keep at most ``n_rows`` rows: enough of one part among many."""
        self.settle()
        if len(self.ranks) > n_rows:
            self._limit = int(np.partition(self.ranks, n_rows)[n_rows])
            self._keep(_smallest(self.ranks, n_rows))

    def _keep(self, kept: IntArray) -> None:
        self.ranks, self.weights = self.ranks[kept], self.weights[kept]
        self.columns = {name: cells[kept] for name, cells in self.columns.items()}

    @property
    def below(self) -> int:
        """Rows of at least this priority do not enter the sample any more."""
        full = int(self.ranks.max()) + 1 if len(self.ranks) >= self.size else _NO_LIMIT
        return min(full, self._limit)


def _smallest(ranks: NDArray[np.uint64], n_rows: int) -> IntArray:
    """Return positions of the smallest numbers, sorted."""
    # The order of a partition differs between processors.
    return np.sort(np.argpartition(ranks, n_rows)[:n_rows])
