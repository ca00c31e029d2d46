"""Arrays in an unnamed temporary file, which the system removes however the process ends."""

import mmap
import tempfile
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from ._packing import WordArray
from ._runs import Run


class Spill:
    """A temporary file to which arrays are appended, and from which they are read.

    Parameters
    ----------
    directory : str, optional
        Directory of the file; by default that of temporary files, which ``TMPDIR`` sets.

    Examples
    --------
    >>> with Spill() as spill:
    ...     _ = spill.append(np.arange(3, dtype=np.uint8))
    ...     place = spill.append(np.arange(5.0))
    ...     spill.read(place, 2, np.dtype(np.float64))
    array([0., 1.])
    """

    def __init__(self, directory: str | None = None) -> None:
        self.directory = tempfile.gettempdir() if directory is None else directory
        self.n_bytes = 0
        try:
            # Open as long as the arrays are needed. Unbuffered, because arrays are large and read in place.
            self._file = tempfile.TemporaryFile(buffering=0, dir=self.directory)  # noqa: SIM115
        except OSError as error:
            self._refuse(error)

    def __enter__(self) -> "Spill":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, array: NDArray[Any]) -> int:
        """Append an array, and return its position."""
        place, rest = self.n_bytes, np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        try:
            self._file.seek(place)
            while rest:
                # An unbuffered write may be partial; the loop ends once everything is written.
                rest = rest[self._file.write(rest) or 0 :]
        except OSError as error:
            self._refuse(error)
        self.n_bytes = place + array.nbytes
        return place

    def read(self, place: int, n_items: int, kind: np.dtype[Any]) -> NDArray[Any]:
        """Read a number of items from a position on."""
        array = np.empty(n_items, dtype=kind)
        rest = array.view(np.uint8).data
        try:
            self._file.seek(place)
            while rest:
                n_read = self._file.readinto(rest)
                if not n_read:
                    raise DataError(f"{self.directory}: a temporary file ended too early; free the disk")
                rest = rest[n_read:]
        except OSError as error:
            self._refuse(error)
        return array

    def mapped(self) -> mmap.mmap:
        """Map the whole file into memory; pages are read from disk on access."""
        try:
            return mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            self._refuse(error)

    def close(self) -> None:
        """Close the file, which frees its space."""
        with suppress(OSError):
            self._file.close()

    def _refuse(self, error: OSError) -> NoReturn:
        raise DataError(
            f"{self.directory}: temporary file of {self.n_bytes / 1e6:,.0f} MB so far cannot be kept: "
            f"{error.strerror}; set TMPDIR to a directory with more room, or raise memory="
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
        words: WordArray = np.empty((len(self._words), stop - start), dtype=np.uint64)
        for word, place in zip(words, self._words, strict=True):
            word[:] = self._spill.read(place + 8 * start, stop - start, words.dtype)
        weights = self._spill.read(self._weights + 8 * start, stop - start, np.dtype(np.float64))
        return Run(words, weights)
