"""Rows that arrive in batches, gathered with equal ones merged: in memory, or on disk if they are many."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Any, TypeAlias

import numpy as np

from ...errors import SchemaMismatch
from ...table import Coded, Schema
from ...table.checks import check_whole
from ...table.coded import unchecked
from ...typing import BoolArray, FloatArray
from ..joint_cells import MAX_JOINT_CELLS, ROWS_PER_JOINT_CELL, JointCells, missing_columns
from ._runs import RowPacking, Run, Spill, SpilledRun, WordArray, joined, merged, sorted_run
from .rows import CachedRows, Rows

MEMORY = 1 << 29
"""Bytes that gathering and sorting may take before rows are written to disk."""

MAX_SORTED = 1 << 21
"""Maximum number of rows that are sorted at a time."""

LEAST_SORTED, LEAST_HELD = 4096, 512
"""Minimum number of rows that are sorted at a time, and that are held of each run during a merge."""

MERGED_BELOW = 0.75
"""Runs are merged early as long as at most this share of their rows remains."""

_COPIES = 6
"""Copies of rows, roughly, that sorting them takes."""

Sources: TypeAlias = Sequence[Run | SpilledRun]


class RowGatherer:
    """Merge equal rows as they arrive, as :meth:`codelength.table.Coded.distinct` does.

    Rows are sorted a few million at a time. Such runs are merged with each other while that removes many
    rows, written to disk if memory does not hold them, and merged into one at the end. So memory is bounded,
    and the order of the result does not depend on the order of arrival.

    Parameters
    ----------
    schema : Schema
        The schema of the rows; their classes are ignored.
    memory : int
        Bytes that the rows may take. Beyond that they are written to a temporary file, and the result is a
        :class:`CachedRows`, which has to be closed.

    Examples
    --------
    >>> schema = Schema.from_sizes([2, 2])
    >>> with RowGatherer(schema) as gatherer:
    ...     gatherer.add(Coded.of(schema, [[1, 0], [0, 1]]))
    ...     gatherer.add(Coded.of(schema, [[1, 0]]))
    ...     rows = gatherer.rows()
    >>> rows.codes.tolist(), rows.weights
    ([[0, 1], [1, 0]], array([1., 2.]))
    """

    def __init__(self, schema: Schema, *, memory: int = MEMORY) -> None:
        self._schema, self._packing = schema.without_target(), RowPacking.of(schema)
        self._memory = check_whole("memory", memory)
        # A word more per row for the weight.
        self._row_bytes = 8 * (len(self._packing.words) + 1)
        # Sorting may take half of the memory; the rest is for the runs in memory and their merge.
        most_sorted = self._memory // (2 * _COPIES * self._row_bytes)
        self._most_sorted = min(MAX_SORTED, max(LEAST_SORTED, most_sorted))
        self._waiting: list[tuple[WordArray, FloatArray | None]] = []
        self._n_waiting = 0
        self._in_memory: list[Run] = []
        self._on_disk: list[SpilledRun] = []
        self._pays = True
        self._has_missing: BoolArray = np.zeros(schema.n_variables, dtype=np.bool_)
        self._is_whole = True
        self._open = ExitStack()
        self._spill: Spill | None = None

    def __enter__(self) -> "RowGatherer":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(self, block: Coded) -> None:
        """Add some rows; those of weight zero are dropped."""
        if block.schema.n_values.tolist() != self._schema.n_values.tolist():
            raise SchemaMismatch("a batch has codes of another schema; encode all batches by the same one")
        if (given := block.weights) is not None:
            if not given.all():
                block = block.take(given > 0)
            self._is_whole &= bool((np.floor(given) == given).all())
        self._has_missing |= missing_columns(block)
        for start in range(0, block.n_rows, self._most_sorted):
            stop = min(start + self._most_sorted, block.n_rows)
            weights = None if block.weights is None else block.weights[start:stop]
            if self._n_waiting + stop - start > self._most_sorted:
                self._sort()
            self._waiting.append((self._packing.pack(block.codes[start:stop]), weights))
            self._n_waiting += stop - start

    def rows(self, scale: float = 1.0) -> Rows:
        """Return all rows added, with their weights multiplied by ``scale``."""
        self._sort()
        if not self._on_disk and len(self._in_memory) > 1:
            self._in_memory = [joined(list(merged(self._in_memory)))]
        sources: Sources = [*self._on_disk, *self._in_memory]
        n_most = sum(source.n_rows for source in sources)
        code_bytes = np.dtype(self._schema.code_type).itemsize * self._schema.n_variables
        # In memory EM needs the codes, joint cells of at most twice their size, and weights.
        if not self._on_disk and n_most * (3 * code_bytes + 8) <= self._memory:
            return self._as_coded(sources, scale)
        return self._as_cached(sources, scale)

    def _sort(self) -> None:
        """Sort the rows that wait, and store the run in memory or on disk."""
        if not self._n_waiting:
            return
        words = np.concatenate([words for words, _ in self._waiting], axis=1)
        weights = None
        if any(own is not None for _, own in self._waiting):
            parts = [np.ones(words.shape[1]) if own is None else own for words, own in self._waiting]
            weights = np.concatenate(parts)
        self._waiting, self._n_waiting = [], 0
        self._in_memory.append(sorted_run(words, weights))
        n_held = sum(run.n_rows for run in self._in_memory)
        most = self._memory // (4 * self._row_bytes)
        if n_held <= most:
            return
        # Merging pays only if rows repeat between runs. Once a merge removed few rows it is not tried again.
        if self._pays and len(self._in_memory) > 1:
            run = joined(list(merged(self._in_memory)))
            self._pays = run.n_rows <= MERGED_BELOW * n_held
            self._in_memory, n_held = [run], run.n_rows
        # With little space left, every further run would cause another merge.
        if n_held > most // 2:
            if self._spill is None:
                self._spill = self._open.enter_context(closing(Spill()))
            while self._in_memory:
                self._on_disk.append(SpilledRun(self._spill, self._in_memory.pop(0)))

    def _merged(self, sources: Sources) -> Iterator[Run]:
        # A quarter of the memory, shared by all runs.
        most_held = self._memory // (4 * _COPIES * self._row_bytes * max(len(sources), 1))
        return merged(sources, max(LEAST_HELD, most_held))

    def _as_coded(self, sources: Sources, scale: float) -> Coded:
        pieces = [(self._packing.unpack(run.words), run.weights) for run in self._merged(sources)]
        n_rows = sum(len(weights) for _, weights in pieces)
        codes = np.empty((n_rows, self._schema.n_variables), dtype=self._schema.code_type, order="F")
        weights, start = np.empty(n_rows), 0
        # Pieces are freed as they are copied, so that the rows are never held twice.
        while pieces:
            part, own = pieces.pop(0)
            codes[start : start + len(own)], weights[start : start + len(own)] = part, own
            start += len(own)
        return unchecked(self._schema, codes, np.zeros(n_rows, dtype=np.uint8), weights * scale, True)

    def _as_cached(self, sources: Sources, scale: float) -> CachedRows:
        n_rows = max(source.n_rows for source in sources)
        if n_rows < ROWS_PER_JOINT_CELL * MAX_JOINT_CELLS:
            # With so few rows the size of joint cells depends on their exact number.
            n_rows = sum(run.n_rows for run in self._merged(sources))
        cells = JointCells.of(self._schema, self._has_missing, n_rows)
        weight_type = self._weight_type(sources)
        with ExitStack() as on_failure:
            keys, weights = (on_failure.enter_context(closing(Spill())) for _ in range(2))
            for run in self._merged(sources):
                # Row by row on disk, because EM reads ranges of rows with all their groups.
                keys.append(cells.keys(self._packing.unpack(run.words)).T)
                weights.append(run.weights.astype(weight_type))
            cached = CachedRows(cells, keys, weights, weight_type, scale)
            on_failure.pop_all()
        return cached

    def _weight_type(self, sources: Sources) -> Any:
        """Return the smallest type that holds all weights exactly."""
        if not self._is_whole:
            return np.float64
        # A row may be in every run.
        most = sum(source.largest for source in sources)
        return next(
            (kind for kind in (np.uint8, np.uint16, np.uint32) if most <= np.iinfo(kind).max), np.float64
        )
