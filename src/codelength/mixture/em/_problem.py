"""EM problem: rows laid out for EM, a prior for one number of components, and the iterations of EM.

Order of reading: :class:`JointRows` and :class:`Layout` (equal rows merged, neighbouring columns taken
together; one layout serves any number of components), :class:`EMProblem` (the prior, and one run).

Depends on ``joint_cells``, on ``cache`` for rows on disk, and on ``_kernels``.
"""

from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._threads import MAX_BLOCKS, mapped
from ...errors import InvalidParameter
from ...naive_bayes import Pseudocounts, rule_of
from ...table import Coded, Schema
from ...typing import FloatArray, IntArray
from ..cache import CachedRows, Rows
from ..joint_cells import JointCells, missing_columns
from ..parameters import MixtureParameters, with_components

LANES = 4
"""Components are padded to a multiple of this: one vector register of float64."""

BLOCK_ROWS = 8192
"""Minimum number of rows per block, fixed, so that sums are the same for any number of threads."""


def block_bounds(n_rows: int) -> IntArray:
    """Return the bounds of the blocks of rows that are summed separately.

    Examples
    --------
    >>> block_bounds(20_000)
    array([    0,  8192, 16384, 20000])
    """
    block = max(BLOCK_ROWS, -(-n_rows // MAX_BLOCKS))
    return np.append(np.arange(0, n_rows, block), n_rows).astype(np.int64)


class JointRows(NamedTuple):
    """Distinct rows as joint cells, for the kernels.

    Attributes
    ----------
    keys : array of shape (n_groups, n_distinct)
        The joint cell of each row in each group of columns.
    weights : array of shape (n_distinct,)
        Multiplicity of each row, or its weight.
    members : array of shape (n_joint, n_members)
        The rows of the table that each joint cell is made of.
    """

    keys: NDArray[Any]
    weights: FloatArray
    members: IntArray

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return len(self.weights)

    @property
    def total_weight(self) -> float:
        """Number of rows that these stand for."""
        return float(self.weights.sum())


@dataclass(frozen=True, eq=False, slots=True)
class Layout:
    """Rows laid out for EM with any number of components, in memory or on disk.

    Made by :meth:`of`, once for all fits to the same rows.

    Attributes
    ----------
    rows : Coded or CachedRows
        The rows as given, from which starts are drawn.
    joint : JointRows or CachedRows
        The distinct ones among them.
    """

    rows: Rows
    joint: JointRows | CachedRows

    @classmethod
    def of(cls, rows: "Rows | Layout") -> "Layout":
        """Lay out rows; a layout is returned as it is. Rows of weight zero are dropped.

        Examples
        --------
        >>> from codelength.table import Schema
        >>> Layout.of(Coded.of(Schema.from_sizes([2]), [[0], [1], [0]])).joint.weights
        array([2., 1.])
        """
        if isinstance(rows, Layout):
            return rows
        if isinstance(rows, CachedRows):
            return cls(rows, rows)
        return cls(rows, joint_rows(rows))

    @property
    def n_distinct(self) -> int:
        """Number of distinct rows."""
        return self.joint.n_rows


def joint_rows(rows: Coded) -> JointRows:
    """Return the distinct rows as joint cells."""
    # Classes, if there are any, are ignored: rows that differ in nothing else are equal.
    distinct = with_components(rows, 1).distinct()
    # Columns without missing cells get no cell for missing: joint tables are smaller.
    cells = JointCells.of(distinct.schema, missing_columns(distinct), distinct.n_rows)
    return JointRows(cells.keys(distinct.codes), distinct.row_weights, cells.members)


@dataclass(frozen=True, eq=False, slots=True)
class EMProblem:
    """Rows and a prior laid out for EM, shared by many runs.

    Attributes
    ----------
    schema : Schema
        The schema of the rows; the target is the component.
    joint : JointRows or CachedRows
        The rows.
    excess : array of shape (n_cells + 2, n_lanes)
        Pseudocounts less one in the shape of the table, zero in cells for missing and in spare lanes.
    stopped : Event
        Set to end runs that read their rows block by block, after an interruption.
    """

    schema: Schema
    joint: JointRows | CachedRows
    excess: FloatArray
    stopped: Event = field(default_factory=Event)

    @classmethod
    def of(cls, schema: Schema, joint: JointRows | CachedRows, prior: Pseudocounts) -> "EMProblem":
        """Lay out a prior beside the rows; raise if there may be no most probable mixture."""
        less_one = rule_of("map").offsets(prior, schema)
        lowest = min(less_one.class_offsets.min(), less_one.value_offsets.min(initial=0.0)) + 1
        if lowest < 1:
            raise InvalidParameter(
                f"prior: a pseudocount is {lowest:g}, below 1, so there is no most probable mixture for EM "
                'to climb to; use pseudocounts of at least 1, such as prior="uniform"'
            )
        n_components = schema.n_classes
        excess = np.zeros((schema.n_cells + 2, -(-n_components // LANES) * LANES))
        excess[: schema.n_cells, :n_components] = less_one.value_offsets.T
        excess[schema.n_cells, :n_components] = less_one.class_offsets
        return cls(schema, joint, excess)

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """Context in which runs are made: an interruption ends those that are still running."""
        try:
            yield
        except BaseException:
            self.stopped.set()
            raise

    def run(
        self, start: MixtureParameters, max_iter: int, tol: float, n_threads: int
    ) -> tuple[MixtureParameters, FloatArray, bool]:
        """Run EM from one start.

        Options are those of :func:`codelength.mixture.em.em`.

        Returns
        -------
        state : MixtureParameters
            The end.
        trace : array of shape (2, n_iter)
            Objective and log-likelihood of each iteration.
        converged : bool
            Whether the last gain was below the tolerance.
        """
        from ._kernels import has_converged, run

        least_gain, trace = tol * self.joint.total_weight, np.empty((2, max_iter))
        schema, joint, table = self.schema, self.joint, self.table_of(start)
        bounds = block_bounds(joint.n_rows)
        if isinstance(joint, JointRows) and (n_threads == 1 or len(bounds) <= 2):
            prior = self.excess, schema.offsets, schema.n_classes
            n_iter = int(run(joint, bounds, *prior, least_gain, table, trace))
        else:
            n_iter = self._run_in_blocks(bounds.tolist(), least_gain, table, trace, n_threads)
        trace = trace[:, :n_iter].copy()
        return self.mixture_of(table), trace, bool(has_converged(trace[0], n_iter - 1, least_gain))

    def _run_in_blocks(
        self, bounds: list[int], least_gain: float, table: FloatArray, trace: FloatArray, n_threads: int
    ) -> int:
        """Run the iterations of the kernel ``run``, with blocks read one by one or on several threads."""
        from ._kernels import expand, has_converged, log_prior, maximise, share_out

        rows, members, schema = self.joint, self.joint.members, self.schema
        n_components, n_blocks = schema.n_classes, len(bounds) - 1
        joint = np.empty((len(members), table.shape[1]))

        def pieces(start: int, stop: int) -> Iterator[tuple[JointRows, int, int]]:
            if isinstance(rows, JointRows):
                yield rows, start, stop
            else:
                for keys, weights in rows.pieces(start, stop):
                    yield JointRows(keys, weights, members), 0, len(weights)

        def share(block: int) -> tuple[float, FloatArray]:
            counts, log_likelihood = np.zeros_like(joint), 0.0
            for piece, start, stop in pieces(bounds[block], bounds[block + 1]):
                if self.stopped.is_set():
                    raise CancelledError
                log_likelihood = share_out(
                    piece, table, joint, n_components, start, stop, log_likelihood, counts
                )
            return float(log_likelihood), counts

        n_threads = max(1, min(n_threads, n_blocks))
        with ThreadPoolExecutor(n_threads) as pool:
            in_turn: Any = map if n_threads == 1 else partial(mapped, pool)
            for iteration in range(trace.shape[1]):
                expand(table, members, joint)
                log_likelihood, counts = 0.0, np.zeros_like(joint)
                # Both keep the order of the blocks, whichever thread finishes first: sums are
                # reproducible.
                for of_block, counts_of_block in in_turn(share, range(n_blocks)):
                    log_likelihood += of_block
                    counts += counts_of_block
                trace[:, iteration] = log_likelihood + log_prior(table, self.excess), log_likelihood
                if has_converged(trace[0], iteration, least_gain):
                    return iteration + 1
                if iteration + 1 < trace.shape[1]:
                    maximise(counts, members, self.excess, schema.offsets, n_components, table)
        return int(trace.shape[1])

    def table_of(self, start: MixtureParameters) -> FloatArray:
        """Return a mixture as the kernels hold it; raise if it does not fit."""
        schema = self.schema
        if start.value_probs.shape != (schema.n_classes, schema.n_cells):
            raise InvalidParameter(
                f"start: probabilities of shape {start.value_probs.shape}; expected "
                f"{(schema.n_classes, schema.n_cells)}, the components and cells of this schema"
            )
        # Spare lanes have component probability 0, so all their products vanish.
        table = np.ones_like(self.excess)
        table[schema.n_cells] = 0.0
        table[: schema.n_cells, : schema.n_classes] = start.value_probs.T
        table[schema.n_cells, : schema.n_classes] = start.class_probs
        return table

    def mixture_of(self, table: FloatArray) -> MixtureParameters:
        """Return the mixture of a table of the kernels."""
        real = table[: self.schema.n_cells + 1, : self.schema.n_classes]
        return MixtureParameters(self.schema, real[-1].copy(), np.ascontiguousarray(real[:-1].T))
