"""EM problem: a layout and a prior for one number of components, and the iterations, plain and accelerated.

If components overlap, EM gains less and less per iteration and may stop hundredths of a nat short of the
maximum. Two iterations give the direction and the rate at which steps shrink, from which the limit is
extrapolated (SQUAREM; Varadhan and Roland 2008, Scand. J. Statist. 35). Zeros stay zeros, and a probability
that would leap below zero shrinks instead. A leap that loses is discarded, so that the objective never falls.
"""

from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import Any, NamedTuple

import numpy as np

from ...errors import InvalidParameter
from ...naive_bayes import Pseudocounts, rule_of
from ...table import Schema
from ...typing import FloatArray, IntArray
from ..parameters import MixtureParameters
from ._layout import LANES, CachedJointRows, JointRows

ROUNDING = 4.0
"""Gains of at most this many units in the last place are rounding errors."""

SHRINKAGE = 0.1
"""Factor of a probability whose extrapolation is below zero."""


class EMPrior(NamedTuple):
    """A prior for the kernels.

    Attributes
    ----------
    excess : array of shape (n_cells + 2, n_lanes)
        Pseudocounts less one in the shape of the table, zero in cells for missing and in spare lanes.
    offsets : array of shape (n_variables + 1,)
        First cell of each variable.
    n_components : int
        Lanes that are components.
    """

    excess: FloatArray
    offsets: IntArray
    n_components: int

    @classmethod
    def of(cls, schema: Schema, prior: Pseudocounts) -> "EMPrior":
        """Build the prior of a schema whose target is the component; raise if there may be no mode."""
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
        return cls(excess, schema.offsets, n_components)


@dataclass(frozen=True, eq=False, slots=True)
class EMProblem:
    """Rows and a prior laid out for EM, shared by many runs.

    Attributes
    ----------
    schema : Schema
        The schema of the rows; the target is the component.
    joint : JointRows or CachedJointRows
        The rows.
    prior : EMPrior
        The prior.
    stopped : Event
        Set to end runs that read their rows block by block, after an interruption.
    """

    schema: Schema
    joint: JointRows | CachedJointRows
    prior: EMPrior
    stopped: Event = field(default_factory=Event)

    @classmethod
    def of(cls, schema: Schema, joint: JointRows | CachedJointRows, prior: Pseudocounts) -> "EMProblem":
        """Lay out a prior beside the rows; the target of the schema is the component."""
        return cls(schema, joint, EMPrior.of(schema, prior))

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

        Parameters
        ----------
        start : MixtureParameters
            The start.
        max_iter : int
            Maximum number of iterations.
        tol : float
            Least gain per row, in nats.
        n_threads : int
            Threads to share rows out with.

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
        table = self.table_of(start)
        if isinstance(self.joint, JointRows) and (n_threads == 1 or len(self.joint.bounds) <= 2):
            n_iter = int(run(self.joint, self.prior, least_gain, table, trace))
        else:
            n_iter = self._run_in_blocks(least_gain, table, trace, n_threads)
        trace = trace[:, :n_iter].copy()
        return self.mixture_of(table), trace, bool(has_converged(trace[0], n_iter - 1, least_gain))

    def _run_in_blocks(self, least_gain: float, table: FloatArray, trace: FloatArray, n_threads: int) -> int:
        """Run the iterations of the kernel ``run``, with blocks read one by one or on several threads."""
        from ._kernels import expand, has_converged, log_prior, maximise, share_out

        rows, n_components, n_blocks = self.joint, self.prior.n_components, len(self.joint.bounds) - 1
        joint = np.empty((len(rows.members), table.shape[1]))

        def share(block: int) -> tuple[float, FloatArray]:
            counts, log_likelihood = np.zeros_like(joint), 0.0
            for piece, start, stop in rows.pieces(block):
                if self.stopped.is_set():
                    raise CancelledError
                log_likelihood = share_out(
                    piece, table, joint, n_components, start, stop, log_likelihood, counts
                )
            return float(log_likelihood), counts

        n_threads = max(1, min(n_threads, n_blocks))
        with ThreadPoolExecutor(n_threads) as pool:
            in_turn: Any = map if n_threads == 1 else pool.map
            for iteration in range(trace.shape[1]):
                expand(table, rows.members, joint)
                log_likelihood, counts = 0.0, np.zeros_like(joint)
                # ``map`` keeps the order of the blocks, whichever thread finishes first: sums are
                # reproducible.
                for of_block, counts_of_block in in_turn(share, range(n_blocks)):
                    log_likelihood += of_block
                    counts += counts_of_block
                trace[:, iteration] = log_likelihood + log_prior(table, self.prior.excess), log_likelihood
                if has_converged(trace[0], iteration, least_gain):
                    return iteration + 1
                if iteration + 1 < trace.shape[1]:
                    maximise(counts, rows.members, self.prior, table)
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
        table = np.ones_like(self.prior.excess)
        table[schema.n_cells] = 0.0
        table[: schema.n_cells, : schema.n_classes] = start.value_probs.T
        table[schema.n_cells, : schema.n_classes] = start.class_probs
        return table

    def mixture_of(self, table: FloatArray) -> MixtureParameters:
        """Return the mixture of a table of the kernels."""
        real = table[: self.schema.n_cells + 1, : self.schema.n_classes]
        return MixtureParameters(self.schema, real[-1].copy(), np.ascontiguousarray(real[:-1].T))


def refine(
    problem: EMProblem,
    state: MixtureParameters,
    max_iter: int,
    tol: float,
    enough: float,
    n_threads: int,
    goal: float = np.inf,
) -> tuple[MixtureParameters, FloatArray, bool]:
    """Continue a run by accelerated EM.

    Parameters
    ----------
    problem : EMProblem
        Rows and prior.
    state : MixtureParameters
        The end of a run.
    max_iter : int
        Maximum number of further iterations.
    tol : float
        Least gain of an iteration of plain EM per row, in nats.
    enough : float
        Tolerance that suffices if the iterations are used up on a ridge that hardly rises, or if the
        objective has reached ``goal``.
    n_threads : int
        Threads to share rows out with.
    goal : float
        Objective from which on the tolerance ``enough`` applies.

    Returns
    -------
    state : MixtureParameters
        The end.
    trace : array of shape (2, n_iter)
        Objective and log-likelihood after each iteration from ``state`` on.
    converged : bool
        Whether the last iteration of plain EM gained less than the tolerance.
    """
    n_rows = problem.joint.total_weight
    least_gain, gain = tol * n_rows, np.inf
    parts: list[FloatArray] = []
    for _ in range(max(1, max_iter // 3)):
        # A run of two iterations scores its start and one plain step from it.
        first, of_first, _ = problem.run(state, 2, 0.0, n_threads)
        second, of_second, _ = problem.run(first, 2, 0.0, n_threads)
        parts += [of_first[:, 1:], of_second[:, 1:]]
        gain = float(of_second[0, 1] - of_second[0, 0])
        # A gain within the rounding of the objective is not a gain.
        least_gain = max(least_gain, ROUNDING * float(np.spacing(abs(of_second[0, 1]))))
        if gain < least_gain or (of_second[0, 1] >= goal and gain < enough * n_rows):
            return second, np.concatenate(parts, axis=1), True
        after, of_leap, _ = problem.run(_leap(state, first, second), 2, 0.0, n_threads)
        state = second
        # Compared after a plain step from the leap, which repairs most of what an extrapolation spoils.
        if of_leap[0, 1] >= of_second[0, 1]:
            state = after
            parts.append(of_leap[:, 1:])
    return state, np.concatenate(parts, axis=1), gain < enough * n_rows


def _leap(state: MixtureParameters, first: MixtureParameters, second: MixtureParameters) -> MixtureParameters:
    """Extrapolate three mixtures, each one iteration of EM after the last."""
    tables = [np.vstack((mixture.class_probs, mixture.value_probs.T)) for mixture in (state, first, second)]
    step, bend = tables[1] - tables[0], tables[2] - 2 * tables[1] + tables[0]
    bends = float((bend**2).sum())
    # Step length -|r|/|v| of SQUAREM (scheme S3), at least that of two plain steps, which is also the answer
    # if there is nothing to extrapolate.
    stretch = max(1.0, float(np.sqrt((step**2).sum() / bends))) if bends > 0 else 1.0
    ahead = tables[0] + 2 * stretch * step + stretch**2 * bend
    probs = np.where(ahead > 0, ahead, SHRINKAGE * tables[2])
    offsets, values = state.schema.offsets, probs[1:].T.copy()
    for i in range(state.schema.n_variables):
        own = values[:, offsets[i] : offsets[i + 1] - 1]
        own /= own.sum(axis=1, keepdims=True)
    return MixtureParameters(state.schema, probs[0] / probs[0].sum(), values)
