"""A table and a prior laid out for EM, and the iterations themselves."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ..._threads import MAX_BLOCKS
from ...errors import InvalidParameter
from ...rules import Pseudocounts
from ...table import Schema
from ...typing import CodeArray, FloatArray, IntArray
from ..parameters import MixtureParameters, with_components
from ._layout import LANES, Layout

BLOCK_ROWS = 8192
"""Rows a block at least. Fixed, so that sums over blocks are the same for any number of threads."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A table and a prior laid out for EM, so that many runs can share them."""

    schema: Schema
    layout: Layout
    excess: FloatArray
    bounds: IntArray

    @classmethod
    def of(
        cls,
        schema: Schema,
        codes: CodeArray,
        n_components: int,
        prior: PriorLike,
        weights: FloatArray | None,
    ) -> "Problem":
        """The problem of fitting some components to a coded table."""
        full = with_components(schema, n_components)
        layout = Layout.of(full, codes, weights)
        block = max(BLOCK_ROWS, -(-layout.n_rows // MAX_BLOCKS))
        bounds = np.append(np.arange(0, layout.n_rows, block), layout.n_rows)
        return cls(full, layout, _excess(full, pseudocounts(prior, full)), bounds.astype(np.int64))

    def run(
        self, start: MixtureParameters, max_iter: int, tol: float, n_threads: int
    ) -> tuple[MixtureParameters, FloatArray, bool]:
        """EM from one start: its end, the objective and log-likelihood on the way, and if it converged."""
        from ._kernels import has_converged, run

        if max_iter < 1 or not tol >= 0:
            raise InvalidParameter(f"max_iter={max_iter}, tol={tol}: expected at least 1 and at least 0")
        table, trace = self._table(start), np.empty((2, max_iter))
        least_gain = tol * float(self.layout.weights.sum())
        if n_threads > 1 and len(self.bounds) > 2:
            n_iter = self._run_threaded(least_gain, table, trace, n_threads)
        else:
            arrays = (
                self.layout.keys,
                self.layout.weights,
                self.layout.members,
                self.excess,
                self.schema.offsets,
            )
            n_iter = int(run(*arrays, self.schema.n_classes, self.bounds, least_gain, table, trace))
        trace = trace[:, :n_iter].copy()
        return self._parameters(table), trace, bool(has_converged(trace[0], n_iter - 1, least_gain))

    def _run_threaded(self, least_gain: float, table: FloatArray, trace: FloatArray, n_threads: int) -> int:
        """The same iterations as the kernel ``run``, with the blocks of rows on several threads."""
        from ._kernels import expand, has_converged, log_prior, maximise, share_out

        keys, weights, members = self.layout.keys, self.layout.weights, self.layout.members
        joint = np.empty((len(members), table.shape[1]))
        parts = np.empty((len(self.bounds) - 1, *joint.shape))

        def share(b: int) -> float:
            first, last = self.bounds[b], self.bounds[b + 1]
            n_components = self.schema.n_classes
            return float(share_out(keys, weights, members, table, joint, n_components, first, last, parts[b]))

        with ThreadPoolExecutor(min(n_threads, len(parts))) as pool:
            for iteration in range(trace.shape[1]):
                expand(table, members, joint)
                log_likelihood = 0.0
                for of_block in pool.map(share, range(len(parts))):
                    log_likelihood += of_block
                trace[:, iteration] = log_likelihood + log_prior(table, self.excess), log_likelihood
                if has_converged(trace[0], iteration, least_gain):
                    return iteration + 1
                if iteration + 1 < trace.shape[1]:
                    counts = np.zeros_like(joint)
                    for part in parts:
                        counts += part
                    maximise(counts, members, self.excess, self.schema.offsets, self.schema.n_classes, table)
        return int(trace.shape[1])

    def _table(self, start: MixtureParameters) -> FloatArray:
        schema = self.schema
        if start.value_probs.shape != (schema.n_classes, schema.n_cells):
            raise InvalidParameter(
                f"start: probabilities of shape {start.value_probs.shape}; expected "
                f"{(schema.n_classes, schema.n_cells)}, the components and cells of this schema"
            )
        table = np.ones_like(self.excess)
        table[schema.n_cells] = 0.0
        table[: schema.n_cells, : schema.n_classes] = start.value_probs.T
        table[schema.n_cells, : schema.n_classes] = start.class_probs
        return table

    def _parameters(self, table: FloatArray) -> MixtureParameters:
        real = table[: self.schema.n_cells + 1, : self.schema.n_classes]
        return MixtureParameters(self.schema, real[-1].copy(), np.ascontiguousarray(real[:-1].T))


def _excess(schema: Schema, prior: Pseudocounts) -> FloatArray:
    """Pseudocounts less one in the shape of the table, zero in spare cells and spare lanes."""
    lowest = min(
        prior.class_pseudocounts.min(),
        np.delete(prior.value_pseudocounts, schema.offsets[1:] - 1, axis=1).min(initial=1.0),
    )
    if lowest < 1:
        raise InvalidParameter(
            f"prior: a pseudocount is {lowest:g}, below 1, so there is no most probable mixture for EM to "
            'climb to; use pseudocounts of at least 1, such as prior="uniform"'
        )
    excess = np.zeros((schema.n_cells + 2, -(-schema.n_classes // LANES) * LANES))
    excess[: schema.n_cells, : schema.n_classes] = prior.value_pseudocounts.T - 1
    excess[schema.offsets[1:] - 1] = 0.0
    excess[schema.n_cells, : schema.n_classes] = prior.class_pseudocounts - 1
    return excess
