"""Arrays in a temporary file that has no name, so that nothing is left behind whatever ends the process."""

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
    """A temporary file that arrays are appended to, and read from again.

    Parameters
    ----------
    directory : str, optional
        Where to make it; by default where temporary files are made, which ``TMPDIR`` says.

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
            # Open as long as the arrays are needed.
            self._file = tempfile.TemporaryFile(buffering=0, dir=self.directory)  # noqa: SIM115
        except OSError as error:
            self._refuse(error)

    def __enter__(self) -> "Spill":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, array: NDArray[Any]) -> int:
        """Write an array behind the others, and return where it begins."""
        place, rest = self.n_bytes, np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        try:
            self._file.seek(place)
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
        except OSError as error:
            self._refuse(error)
        self.n_bytes = place + array.nbytes
        return place

    def read(self, place: int, n_items: int, kind: np.dtype[Any]) -> NDArray[Any]:
        """Some items from a place on."""
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
        """The whole file as memory that is read from disk where it is looked at."""
        try:
            return mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            self._refuse(error)

    def close(self) -> None:
        """Let go of the file, and of the room that it takes."""
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
        self._words = [spill.append(word) for word in run.words]
        self._weights = spill.append(run.weights)

    def read(self, start: int, stop: int) -> Run:
        """Some of the rows."""
        words: WordArray = np.empty((len(self._words), stop - start), dtype=np.uint64)
        for word, place in zip(words, self._words, strict=True):
            word[:] = self._spill.read(place + 8 * start, stop - start, words.dtype)
        weights = self._spill.read(self._weights + 8 * start, stop - start, np.dtype(np.float64))
        return Run(words, weights)
