"""Rows packed into whole numbers, sorted runs of distinct rows in memory or in a file, and their merge.

Order of reading: :class:`RowPacking`, :class:`Run`, :func:`sorted_run`, :func:`merged`, :class:`Spill`.
"""

import mmap
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from ...table import Schema
from ...typing import CodeArray, FloatArray

WordArray = NDArray[np.uint64]

WINDOW = 1 << 15
"""Rows of each run that are merged at a time if all are in memory."""

_MAX_STATES = 1 << 64


class _Byte(NamedTuple):
    """One byte of a code: its column, its shift, and the number of its values."""

    column: int
    shift: int
    size: int


@dataclass(frozen=True, slots=True)
class RowPacking:
    """Rows of codes as words of 64 bits, in the order in which :meth:`Coded.distinct` puts rows.

    Attributes
    ----------
    schema : Schema
        The schema of the rows.
    words : tuple of tuple of bytes
        The bytes of the codes that each word is made of, the first word first; there is at least one word.
    """

    schema: Schema
    words: tuple[tuple[_Byte, ...], ...]

    @classmethod
    def of(cls, schema: Schema) -> "RowPacking":
        """Build the packing of the rows of a schema.

        Examples
        --------
        >>> packing = RowPacking.of(Schema.from_sizes([2, 3]))
        >>> packing.pack(np.array([[0, 3], [2, 1]], dtype=np.uint8))
        array([[3, 9]], dtype=uint64)
        """
        n_bytes = np.dtype(schema.code_type).itemsize
        # Rows are compared byte by byte, as they are stored in memory.
        shifts = [8 * b for b in (range(n_bytes) if sys.byteorder == "little" else reversed(range(n_bytes)))]
        words: list[list[_Byte]] = [[]]
        n_states = 1
        for column, missing in enumerate(schema.n_values.tolist()):
            for shift in shifts:
                size = min(256, (missing >> shift) + 1)
                # A byte that is always zero distinguishes no rows.
                if size == 1:
                    continue
                if n_states * size > _MAX_STATES:
                    words.append([])
                    n_states = 1
                words[-1].append(_Byte(column, shift, size))
                n_states *= size
        return cls(schema, tuple(map(tuple, words)))

    def pack(self, codes: CodeArray) -> WordArray:
        """Pack rows into words, shape (n_words, n_rows)."""
        kind: Any = codes.dtype.type
        packed = np.zeros((len(self.words), len(codes)), dtype=np.uint64)
        for word, own in zip(packed, self.words, strict=True):
            # Mixed radix, the first column most significant: words compare as the rows do.
            for column, shift, size in own:
                word *= np.uint64(size)
                word += codes[:, column] >> kind(shift) & kind(255)
        return packed

    def unpack(self, packed: WordArray) -> CodeArray:
        """Restore the rows that were packed, column by column in memory."""
        kind: Any = self.schema.code_type
        codes = np.zeros((packed.shape[1], self.schema.n_variables), dtype=kind, order="F")
        for word, own in zip(packed, self.words, strict=True):
            rest = word
            # Digits are divided out in reverse order, the least significant first.
            for column, shift, size in reversed(own):
                rest, digits = np.divmod(rest, np.uint64(size))
                codes[:, column] |= digits.astype(kind) << kind(shift)
        return codes


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


def merged(sources: Sequence["Run | SpilledRun"], window: int = WINDOW) -> Iterator[Run]:
    """Merge several runs into one, in order and piece by piece.

    Parameters
    ----------
    sources : sequence of Run or SpilledRun
        The runs, in memory or on disk.
    window : int
        Maximum number of rows of each run that are held at a time.

    Yields
    ------
    Run
        Distinct rows, all beyond those of the run before.
    """
    places = [min(window, source.n_rows) for source in sources]
    held = [source.read(0, place) for source, place in zip(sources, places, strict=True)]
    while any(run.n_rows for run in held):
        # Rows beyond the least of these ends may still occur in the part of a run that is not held yet.
        is_open = [place < source.n_rows for source, place in zip(sources, places, strict=True)]
        ends = [_row(run, run.n_rows - 1) for run, more in zip(held, is_open, strict=True) if more]
        limit = min(ends, default=None)
        parts = []
        for s, source in enumerate(sources):
            run = held[s]
            n_taken = run.n_rows
            if limit is not None:
                n_taken = bisect_right(range(run.n_rows), limit, key=partial(_row, run))
            if n_taken:
                parts.append(run.read(0, n_taken))
                held[s] = run.read(n_taken, run.n_rows)
            # A window is refilled only once it is empty: reads are large and sequential.
            if not held[s].n_rows and places[s] < source.n_rows:
                held[s] = source.read(places[s], min(places[s] + window, source.n_rows))
                places[s] += held[s].n_rows
        if len(parts) == 1:
            yield parts[0]
        else:
            both = joined(parts)
            yield sorted_run(both.words, both.weights)


def joined(runs: Sequence[Run]) -> Run:
    """Return the rows of several runs one after another."""
    words = np.concatenate([run.words for run in runs], axis=1)
    return Run(words, np.concatenate([run.weights for run in runs]))


def _row(run: Run, place: int) -> tuple[int, ...]:
    return tuple(run.words[:, place].tolist())


class Spill:
    """A temporary file without a name, to which arrays are appended; the system removes it in any case.

    Examples
    --------
    >>> spill = Spill()
    >>> spill.append(np.arange(3, dtype=np.uint8)), spill.append(np.arange(5.0))
    (0, 3)
    >>> spill.read(3, 2, np.dtype(np.float64))
    array([0., 1.])
    >>> spill.close()
    """

    def __init__(self) -> None:
        self.n_bytes = 0
        with self._refusing():
            # Open as long as the arrays are needed.
            self._file = tempfile.TemporaryFile()  # noqa: SIM115

    def append(self, array: NDArray[Any]) -> int:
        """Append an array, and return its position."""
        place = self.n_bytes
        with self._refusing():
            self._file.seek(place)
            self._file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
            self._file.flush()
        self.n_bytes = place + array.nbytes
        return place

    def read(self, place: int, n_items: int, kind: np.dtype[Any]) -> NDArray[Any]:
        """Read a number of items from a position on."""
        array = np.empty(n_items, dtype=kind)
        with self._refusing():
            self._file.seek(place)
            self._file.readinto(array.view(np.uint8).data)
        return array

    def mapped(self) -> mmap.mmap:
        """Map the whole file into memory; pages are read from disk on access."""
        with self._refusing():
            return mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)

    def close(self) -> None:
        """Close the file, which frees its space."""
        with suppress(OSError):
            self._file.close()

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise DataError(
                f"{tempfile.gettempdir()}: temporary file of {self.n_bytes / 1e6:,.0f} MB so far cannot be "
                f"kept: {error.strerror}; set TMPDIR to a directory with more room, or raise memory="
            ) from error


class SpilledRun:
    """A run of rows in a file."""

    def __init__(self, spill: Spill, run: Run) -> None:
        self._spill, self.n_rows, self.largest = spill, run.n_rows, run.largest
        # Word by word, so that a range of rows is one contiguous read per word.
        self._words = [spill.append(word) for word in run.words]
        self._weights = spill.append(run.weights)

    def read(self, start: int, stop: int) -> Run:
        """Read a range of the rows."""
        n_rows = stop - start
        words = [self._spill.read(place + 8 * start, n_rows, np.dtype(np.uint64)) for place in self._words]
        weights = self._spill.read(self._weights + 8 * start, n_rows, np.dtype(np.float64))
        return Run(np.stack(words), weights)
