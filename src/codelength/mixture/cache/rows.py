"""Distinct rows on disk, stored as joint cells in the smallest type and read piece by piece."""

import math
import mmap
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..._threads import BLOCK_ROWS
from ...table import Coded, Schema
from ...table.coded import unchecked
from ...typing import FloatArray, IntArray
from ..joint_cells import JointCells
from ._runs import Spill

PIECE_ROWS = 1 << 15
"""Rows that are processed together: they fit into the second-level cache."""

MAX_KEPT = 1 << 26
"""Bytes of a file that may stay in memory after use: reading them again takes time."""


class CachedRows:
    """Distinct rows in a temporary file that is mapped into memory.

    Made by :class:`codelength.mixture.cache.RowGatherer`, and used as a context manager that removes the file
    at the end. They replace coded rows in every computation that is a sum over rows: EM, the criteria that do
    not work on single rows, and measures of fit.

    Attributes
    ----------
    cells : JointCells
        The encoding: the values of a few columns together are one number.
    n_rows : int
        Distinct rows.
    total_weight : float
        Rows that they stand for.
    """

    def __init__(
        self, cells: JointCells, keys: Spill, weights: Spill, weight_type: Any, scale: float
    ) -> None:
        self.cells, self._scale, self._spills = cells, scale, (keys, weights)
        self._maps = (keys.mapped(), weights.mapped())
        self._keys = np.frombuffer(self._maps[0], dtype=cells.key_type).reshape(-1, cells.n_groups)
        self._weights: NDArray[Any] = np.frombuffer(self._maps[1], dtype=weight_type)
        self.n_rows = len(self._weights)
        self.total_weight = scale * math.fsum(
            float(self._weights[low : low + BLOCK_ROWS].sum(dtype=np.float64))
            for low in range(0, self.n_rows, BLOCK_ROWS)
        )

    def __enter__(self) -> "CachedRows":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def members(self) -> IntArray:
        """The rows of the table of EM that each joint cell is made of."""
        return self.cells.members

    @property
    def schema(self) -> Schema:
        """The schema of the rows."""
        return self.cells.schema

    @property
    def is_distinct(self) -> bool:
        """True: no two rows are equal."""
        return True

    @property
    def n_bytes(self) -> int:
        """Size of the rows on disk, in bytes."""
        return sum(spill.n_bytes for spill in self._spills)

    def distinct(self) -> "CachedRows":
        """Return the rows themselves, which are distinct."""
        return self

    def pieces(self, start: int, stop: int) -> Iterator[tuple[NDArray[Any], FloatArray]]:
        """Yield keys of joint cells, shape (n_groups, n_rows), and weights, a few of the rows at a time."""
        for low in range(start, stop, PIECE_ROWS):
            high = min(low + PIECE_ROWS, stop)
            weights = self._weights[low:high].astype(np.float64)
            if self._scale != 1.0:
                weights *= self._scale
            yield np.ascontiguousarray(self._keys[low:high].T), weights
        self._let_go(start, stop)

    def block(self, start: int, stop: int) -> Coded:
        """Return a range of the rows as codes."""
        pieces = list(self.pieces(start, stop))
        keys = np.concatenate([piece for piece, _ in pieces], axis=1)
        weights = np.concatenate([own for _, own in pieces])
        return unchecked(self.schema, self.cells.codes(keys), np.zeros(len(weights), np.uint8), weights, True)

    def close(self) -> None:
        """Remove the file."""
        # A map can be closed only if no array refers to it.
        self._keys, self._weights = np.empty((0, self.cells.n_groups), dtype=np.uint16), np.empty(0)
        self.n_rows = 0
        for mapped, spill in zip(self._maps, self._spills, strict=True):
            mapped.close()
            spill.close()

    def _let_go(self, start: int, stop: int) -> None:
        """Advise the system that these rows need not stay in memory: the file has them."""
        if self.n_bytes <= MAX_KEPT or not hasattr(mmap, "MADV_DONTNEED"):
            return
        for mapped, array in zip(self._maps, (self._keys, self._weights), strict=True):
            row_bytes = array.nbytes // max(len(array), 1)
            # Advice has to start at a page; rounding down may drop a few rows of a neighbour, which are read
            # again.
            first = start * row_bytes // mmap.PAGESIZE * mmap.PAGESIZE
            if stop * row_bytes > first:
                mapped.madvise(mmap.MADV_DONTNEED, first, stop * row_bytes - first)


Rows: TypeAlias = Coded | CachedRows
"""Rows in memory or on disk."""


class RowBlocks:
    """Rows in blocks. Blocks are the same in memory and on disk, and so are sums over them.

    Examples
    --------
    >>> coded = Coded.of(Schema.from_sizes([2]), np.zeros((100_000, 1), dtype=np.uint8))
    >>> [block.n_rows for block in RowBlocks(coded)]
    [65536, 34464]
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return math.ceil(self._rows.n_rows / BLOCK_ROWS)

    def __iter__(self) -> Iterator[Coded]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> Coded:
        start = range(0, self._rows.n_rows, BLOCK_ROWS)[number]
        rows, stop = self._rows, min(start + BLOCK_ROWS, self._rows.n_rows)
        if isinstance(rows, CachedRows):
            return rows.block(start, stop)
        if len(self) == 1:
            return rows
        weights = None if rows.weights is None else rows.weights[start:stop]
        # Column by column, as the kernels of counting and scoring read codes.
        codes = np.asfortranarray(rows.codes[start:stop])
        return unchecked(rows.schema, codes, rows.class_codes[start:stop], weights, rows.is_distinct)
