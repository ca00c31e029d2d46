"""Sorted runs of distinct rows, and their merge in bounded memory."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ...typing import FloatArray
from ._packing import WordArray

WINDOW = 1 << 15
"""Rows of each run that are merged at a time if all are in memory."""


class Run(NamedTuple):
    """Distinct rows in sorted order, with their weights.

    Attributes
    ----------
    words : array of shape (n_words, n_rows)
        The rows, packed.
    weights : array of shape (n_rows,)
        Multiplicity of each row, or the sum of its weights.
    """

    words: WordArray
    weights: FloatArray

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return len(self.weights)

    @property
    def largest(self) -> float:
        """The largest weight."""
        return float(self.weights.max(initial=0.0))

    def read(self, start: int, stop: int) -> "Run":
        """Return a range of the rows."""
        return Run(self.words[:, start:stop], self.weights[start:stop])


class Source(Protocol):
    """A run, in memory or on disk."""

    @property
    def n_rows(self) -> int: ...

    @property
    def largest(self) -> float: ...

    def read(self, start: int, stop: int) -> Run: ...


def sorted_run(words: WordArray, weights: FloatArray | None) -> Run:
    """Sort rows and merge equal ones; without weights each counts once.

    Examples
    --------
    >>> run = sorted_run(np.array([[7, 2, 7]], dtype=np.uint64), np.array([1.0, 2.0, 0.5]))
    >>> run.words, run.weights
    (array([[2, 7]], dtype=uint64), array([2. , 1.5]))
    """
    # The common case, one word and no weights, needs no permutation: a plain sort is several times faster.
    if len(words) == 1 and weights is None:
        ordered = np.sort(words, axis=1)
    else:
        # Stable, so that equal rows are added up in their order, and sums of weights are reproducible.
        order = np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])
        ordered = words[:, order]
        weights = None if weights is None else weights[order]
    n_rows = ordered.shape[1]
    starts_anew = np.ones(n_rows, dtype=np.bool_)
    if n_rows:
        np.any(ordered[:, 1:] != ordered[:, :-1], axis=0, out=starts_anew[1:])
    firsts = np.flatnonzero(starts_anew)
    if weights is None:
        totals = np.diff(firsts, append=n_rows).astype(np.float64)
    else:
        totals = np.add.reduceat(weights, firsts) if n_rows else np.zeros(0)
    return Run(ordered if len(firsts) == n_rows else ordered[:, firsts], totals)


def merged(sources: Sequence[Source], window: int) -> Iterator[Run]:
    """Merge several runs into one, in order and piece by piece.

    Never more than ``window`` rows of each run are held at a time.

    Parameters
    ----------
    sources : sequence of Source
        The runs, in memory or on disk.
    window : int
        Rows of each run that are held at a time.

    Yields
    ------
    Run
        Distinct rows, all beyond those of the run before.
    """
    places = [min(window, source.n_rows) for source in sources]
    held = [source.read(0, place) for source, place in zip(sources, places, strict=True)]
    while any(run.n_rows for run in held):
        # Rows beyond the least of these ends may still occur in the part of a run that is not held yet.
        ends = [
            _row(run, run.n_rows - 1)
            for run, source, place in zip(held, sources, places, strict=True)
            if place < source.n_rows
        ]
        limit = min(ends) if ends else None
        parts = []
        for s, source in enumerate(sources):
            n_taken = held[s].n_rows if limit is None else _count_up_to(held[s], limit)
            if n_taken:
                parts.append(held[s].read(0, n_taken))
                held[s] = held[s].read(n_taken, held[s].n_rows)
            # A window is refilled only once it is empty: reads are large and sequential.
            if not held[s].n_rows and places[s] < source.n_rows:
                held[s] = source.read(places[s], min(places[s] + window, source.n_rows))
                places[s] += held[s].n_rows
        yield parts[0] if len(parts) == 1 else _sorted_again(parts)


def joined(runs: Sequence[Run]) -> Run:
    """Merge several runs into one, in memory."""
    if len(runs) == 1:
        return runs[0]
    return _behind_each_other(list(merged(runs, WINDOW)))


def _sorted_again(runs: Sequence[Run]) -> Run:
    both = _behind_each_other(runs)
    return sorted_run(both.words, both.weights)


def _behind_each_other(runs: Sequence[Run]) -> Run:
    words = np.concatenate([run.words for run in runs], axis=1)
    return Run(words, np.concatenate([run.weights for run in runs]))


def _row(run: Run, place: int) -> tuple[int, ...]:
    return tuple(run.words[:, place].tolist())


def _count_up_to(run: Run, limit: tuple[int, ...]) -> int:
    """Return the number of rows that are not beyond a limit."""
    low, high = 0, run.n_rows
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if _row(run, middle) <= limit else (low, middle)
    return low
