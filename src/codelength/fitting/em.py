"""EM for finite mixtures of multinomials: the most probable parameters near a start."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from .._threads import MAX_BLOCKS, n_threads_or_default
from ..errors import InvalidParameter
from ..rules import Pseudocounts
from ..scores.clusterings import checked_weights
from ..scores.mixtures import MixtureParameters, MixturePrior, spread_prior, with_components
from ..table import Schema
from ..typing import CodeArray, FloatArray, IntArray
from ._layout import LANES, Layout

BLOCK_ROWS = 8192
"""Rows a block at least. Fixed, so that sums over blocks are the same for any number of threads."""


@dataclass(frozen=True, eq=False, slots=True)
class EMInfo:
    """How a run of EM went.

    Attributes
    ----------
    log_posteriors : array of shape (n_iter,)
        The objective after each iteration: log-likelihood plus the sum of (pseudocount - 1) log(probability),
        which is the log posterior up to a constant. It never falls, but for rounding.
    log_likelihoods : array of shape (n_iter,)
        The log-likelihood after each iteration.
    converged : bool
        Whether the last gain was below the tolerance.
    """

    log_posteriors: FloatArray
    log_likelihoods: FloatArray
    converged: bool

    @property
    def n_iter(self) -> int:
        """Iterations made."""
        return len(self.log_posteriors)

    @property
    def log_posterior(self) -> float:
        """The objective at the end."""
        return float(self.log_posteriors[-1])

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood at the end."""
        return float(self.log_likelihoods[-1])


def em(
    schema: Schema,
    codes: CodeArray,
    start: MixtureParameters,
    prior: MixturePrior = "uniform",
    *,
    sample_weight: FloatArray | None = None,
    max_iter: int = 1000,
    tol: float = 1e-7,
    n_threads: int | None = None,
) -> tuple[MixtureParameters, EMInfo]:
    """Climb from a mixture to the most probable one near it.

    Every iteration shares the rows out over the components by the mixture at hand, and scores it; the
    next one starts from the most probable mixture given those expected counts. The first
    iteration scores ``start`` itself. Where nothing of a distribution is expected, it becomes uniform.

    Parameters
    ----------
    schema : Schema
        The schema of the codes.
    codes : array of shape (n_rows, n_variables)
        The coded rows.
    start : MixtureParameters
        Where to start. A probability of zero stays zero unless its pseudocount is above 1.
    prior : prior or its name
        Pseudocounts, none of them below 1.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows; a weight of 2 counts as two equal rows.
    max_iter : int
        Iterations at most.
    tol : float
        End when an iteration gains less than this, in nats a row; with 0 all iterations are made.
    n_threads : int, optional
        Threads to share rows out with; by default one for each processor. The result is the same for any.

    Returns
    -------
    state : MixtureParameters
    info : EMInfo

    Examples
    --------
    >>> from codelength.scores.mixtures import with_components
    >>> schema, codes = with_components(Schema.from_sizes([2]), 1), np.array([[0], [1], [1]], dtype=np.uint8)
    >>> start = MixtureParameters(schema, np.array([1.0]), np.array([[0.5, 0.5, 1.0]]))
    >>> state, info = em(schema, codes, start)
    >>> state.of(0).round(6), info.converged
    (array([[0.333333, 0.666667]]), True)
    """
    weights = checked_weights(sample_weight, len(codes))
    problem = Problem.of(schema, codes, start.n_components, prior, weights)
    return problem.run(start, max_iter, tol, n_threads_or_default(n_threads))


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
        prior: MixturePrior,
        weights: FloatArray | None,
    ) -> "Problem":
        """The problem of fitting some components to a coded table."""
        full = with_components(schema, n_components)
        layout = Layout.of(full, codes, weights)
        block = max(BLOCK_ROWS, -(-layout.n_rows // MAX_BLOCKS))
        bounds = np.append(np.arange(0, layout.n_rows, block), layout.n_rows)
        return cls(full, layout, _excess(full, spread_prior(prior, full)), bounds.astype(np.int64))

    def run(
        self, start: MixtureParameters, max_iter: int, tol: float, n_threads: int
    ) -> tuple[MixtureParameters, EMInfo]:
        """EM from one start."""
        from ._kernels import has_converged, run

        if max_iter < 1 or not tol >= 0:
            raise InvalidParameter(f"max_iter={max_iter}, tol={tol}: expected at least 1 and at least 0")
        table, trace = self._table(start), np.empty((2, max_iter))
        least_gain = tol * float(self.layout.weights.sum())
        if n_threads > 1 and len(self.bounds) > 2:
            n_iter = self._run_threaded(least_gain, table, trace, n_threads)
        else:
            layout, n_components = self.layout, self.schema.n_classes
            n_iter = run(layout.keys, layout.weights, layout.members, self.excess, self.schema.offsets,
                         n_components, self.bounds, least_gain, table, trace)  # fmt: skip
        trace = trace[:, :n_iter].copy()
        return self._parameters(table), EMInfo(*trace, bool(has_converged(trace[0], n_iter - 1, least_gain)))

    def _run_threaded(self, least_gain: float, table: FloatArray, trace: FloatArray, n_threads: int) -> int:
        """The same iterations as the kernel ``run``, with the blocks of rows on several threads."""
        from ._kernels import expand, has_converged, log_prior, maximise, share_out

        keys, weights, members = self.layout.keys, self.layout.weights, self.layout.members
        joint = np.empty((len(members), table.shape[1]))
        parts = np.empty((len(self.bounds) - 1, *joint.shape))

        def share(b: int) -> float:
            return float(share_out(keys, weights, members, table, joint, self.schema.n_classes,
                                   self.bounds[b], self.bounds[b + 1], parts[b]))  # fmt: skip

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
        return trace.shape[1]

    def _table(self, start: MixtureParameters) -> FloatArray:
        schema = self.schema
        if start.value_probs.shape != (schema.n_classes, schema.n_cells):
            raise InvalidParameter(
                f"start: probabilities of shape {start.value_probs.shape}; expected {(schema.n_classes, schema.n_cells)}, "
                "components and cells of this schema"
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
            f"prior: a pseudocount is {lowest:g}, below 1, so there is no most probable mixture and EM has nothing to climb "
            'to; use pseudocounts of at least 1, such as prior="uniform"'
        )
    excess = np.zeros((schema.n_cells + 2, -(-schema.n_classes // LANES) * LANES))
    excess[: schema.n_cells, : schema.n_classes] = prior.value_pseudocounts.T - 1
    excess[schema.offsets[1:] - 1] = 0.0
    excess[schema.n_cells, : schema.n_classes] = prior.class_pseudocounts - 1
    return excess
