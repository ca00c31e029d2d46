"""Bootstrap: sampling variation of the estimates. Rows drawn from a mixture.

Every replication is a table, and EM starts from the estimates, so that it ends at the corresponding maximum.
Its components are still matched with those of the estimates (:mod:`.alignment`).

===================  ================================================================================
kind                 table of a replication
===================  ================================================================================
``"nonparametric"``  rows drawn from the table with replacement
``"parametric"``     rows drawn from the mixture, with the same cells missing as in the table
===================  ================================================================================

Order of reading: :class:`Bootstrap` (the result), :func:`bootstrap`, ``_tables``, :func:`draw_rows`. Depends
on EM with known starts in :mod:`codelength.mixture`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..._display import counted
from ...blocks import Block, Facts
from ...mixture._replications import Progress, climb, repeat, reweighted, softened
from ...mixture.clusterings import single_rows
from ...mixture.em._problem import EMProblem, JointRows, joint_rows
from ...mixture.parameters import MixtureParameters
from ...naive_bayes import PriorLike, pseudocounts
from ...table import Coded
from ...table.checks import check_choice, check_size
from ...table.coded import unchecked
from ...typing import BoolArray, CodeArray, FloatArray, IntArray
from .alignment import align
from .coordinates import Coordinates
from .design import Weighting
from .information import rows_in_use
from .intervals import Estimates, Intervals, check_level, quantile_bounds

TOL = 1e-8
"""Tolerance of EM in replications."""

BootstrapKind = Literal["nonparametric", "parametric"]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Bootstrap(Estimates):
    """Estimates from the bootstrap replications.

    Attributes
    ----------
    coordinates : Coordinates
        The estimates from the table itself, and which of them lie on the boundary.
    kind : str
        Kind of bootstrap.
    class_draws : array of shape (n_replications, n_components)
        Class shares.
    value_draws : array of shape (n_replications, n_components, n_cells)
        Value probabilities.
    log_likelihoods : array of shape (n_replications,)
        Log-likelihood of each table at its own estimates.
    n_unconverged : int
        Replications in which EM did not converge.
    """

    coordinates: Coordinates
    kind: str
    class_draws: FloatArray
    value_draws: FloatArray
    log_likelihoods: FloatArray
    n_unconverged: int

    @property
    def n_replications(self) -> int:
        """Number of replications."""
        return len(self.log_likelihoods)

    @property
    def class_errors(self) -> FloatArray:
        """Standard errors of the class shares."""
        return np.asarray(self.class_draws.std(axis=0, ddof=1))

    @property
    def value_errors(self) -> FloatArray:
        """Standard errors of the value probabilities, laid out like those."""
        return np.asarray(self.value_draws.std(axis=0, ddof=1))

    def intervals(self, level: float = 0.95) -> Intervals:
        """Compute percentile intervals; NaN if no replication left the boundary."""
        level = check_level(level)
        of_classes = quantile_bounds(self.class_draws, level)
        of_values = quantile_bounds(self.value_draws, level)
        # An interval of width zero reflects the bootstrap, which cannot leave the boundary, not the
        # precision.
        of_classes[:, of_classes[0] == of_classes[1]] = np.nan
        of_values[:, of_values[0] == of_values[1]] = np.nan
        return self._intervals(level, f"{self.kind} bootstrap", of_classes, of_values)

    def _title(self) -> str:
        return f"Bootstrap: {counted(self.n_replications, 'replication')}, {self.kind}"

    def _blocks(self) -> list[Block]:
        converged = self.n_replications - self.n_unconverged
        facts = Facts([("replications that converged", f"{converged} of {self.n_replications}")])
        return [facts, *self.intervals()._blocks()]


def bootstrap(
    coded: Coded,
    mixture: MixtureParameters,
    kind: BootstrapKind = "nonparametric",
    prior: PriorLike = "uniform",
    *,
    n_replications: int = 200,
    weighting: Weighting = "counts",
    max_iter: int = 1000,
    random_state: Any = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Bootstrap:
    """Fit a mixture to many bootstrap tables.

    Parameters
    ----------
    coded, mixture, prior, max_iter
        The rows, the estimates and the options of their fit.
    kind, n_replications, random_state, n_threads, progress
        As in :meth:`codelength.FiniteMixture.bootstrap`.
    weighting : {"counts", "relative"}
        Meaning of weights for the nonparametric bootstrap: numbers of equal rows, or relative weights of rows
        that were each drawn once.

    Examples
    --------
    >>> from codelength.mixture import fit_mixture
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2]), [[0], [1], [1], [1]] * 25)
    >>> mixture, _ = fit_mixture(coded, 1)
    >>> bootstrap(coded, mixture, random_state=0).value_errors[0, 0].round(3)  # 0.043 in theory
    np.float64(0.045)
    """
    check_choice("kind", kind, BootstrapKind)
    check_choice("weighting", weighting, Weighting)
    check_size("n_replications", n_replications)
    rows = rows_in_use(coded, mixture)
    spread, total = pseudocounts(prior, rows.schema), rows.total_weight
    drawn = _tables(rows, mixture, kind, weighting)
    # Softened, because a replication of the parametric kind or a resample may need a probability that is zero
    # in the estimates.
    start = softened(mixture, total)

    def one(stream: np.random.Generator) -> tuple[MixtureParameters, float, bool]:
        problem = EMProblem.of(rows.schema, drawn(stream), spread)
        state, log_likelihood, converged = climb(problem, [start], max_iter, TOL)
        return align(mixture, state), log_likelihood, converged

    found = repeat(one, n_replications, random_state, n_threads, progress)
    return Bootstrap(
        Coordinates.of(mixture, total),
        kind,
        np.stack([state.class_probs for state, _, _ in found]),
        np.stack([state.value_probs for state, _, _ in found]),
        np.array([log_likelihood for _, log_likelihood, _ in found]),
        sum(not converged for _, _, converged in found),
    )


def _tables(
    rows: Coded, mixture: MixtureParameters, kind: BootstrapKind, weighting: Weighting
) -> Callable[[np.random.Generator], JointRows]:
    """Return a function that draws the table of a replication."""
    distinct, places = rows.merged()
    n_drawn = max(1, round(distinct.total_weight))
    if kind == "parametric":
        missing = missing_cells(distinct)
        return lambda stream: joint_rows(draw_rows(mixture, n_drawn, stream, missing))
    # Resampling rows is a draw of multiplicities: the distinct rows are laid out once for all replications.
    joint, weights = joint_rows(distinct), rows.row_weights
    if weighting == "counts":
        chances = joint.weights / joint.weights.sum()
        return lambda stream: reweighted(joint, stream.multinomial(n_drawn, chances))
    places, weights = places[weights > 0], weights[weights > 0]

    def of_rows(stream: np.random.Generator) -> JointRows:
        times = stream.multinomial(len(weights), np.full(len(weights), 1 / len(weights)))
        return reweighted(joint, np.bincount(places, times * weights, distinct.n_rows))

    return of_rows


def draw_rows(
    mixture: MixtureParameters, n_rows: int, generator: np.random.Generator, missing: BoolArray | None = None
) -> Coded:
    """Draw rows from a mixture, with the same cells missing as in a table.

    ``missing`` is a mask of the cells to leave missing, one row per row to draw.

    Examples
    --------
    >>> from codelength.mixture import with_components
    >>> from codelength.table import Schema
    >>> schema = with_components(Schema.from_sizes([2]), 1)
    >>> certain = MixtureParameters(schema, np.array([1.0]), np.array([[0.0, 1.0, 1.0]]))
    >>> draw_rows(certain, 3, np.random.default_rng(0)).codes.ravel()
    array([1, 1, 1], dtype=uint8)
    """
    codes, _ = draw_codes(mixture, n_rows, generator)
    if missing is not None:
        codes[missing] = np.broadcast_to(mixture.schema.n_values.astype(codes.dtype), codes.shape)[missing]
    return unchecked(mixture.schema, codes, np.zeros(n_rows, dtype=np.uint8))


def draw_codes(
    mixture: MixtureParameters, n_rows: int, generator: np.random.Generator
) -> tuple[CodeArray, IntArray]:
    """Draw rows from a mixture; return their codes and the component of each."""
    schema = mixture.schema
    ends = np.cumsum(mixture.class_probs)
    components = np.searchsorted(ends, generator.random(n_rows) * ends[-1], side="right")
    components = np.minimum(components, mixture.n_components - 1)
    codes = np.empty((n_rows, schema.n_variables), dtype=schema.code_type, order="F")
    for i in range(schema.n_variables):
        # One sorted list for all components, with the cumulated probabilities of component k between k and k
        # + 1: a single search draws the values of all rows.
        ladder = np.cumsum(mixture.of(i), axis=1)
        ladder = (ladder / ladder[:, -1:] + np.arange(mixture.n_components)[:, None]).ravel()
        drawn = np.searchsorted(ladder, components + generator.random(n_rows), side="right")
        codes[:, i] = np.minimum(drawn - components * schema.n_values[i], schema.n_values[i] - 1)
    return codes, components.astype(np.int64)


def missing_cells(coded: Coded) -> BoolArray | None:
    """Return a mask of the missing cells, one row per single row of the table; None if no cell is missing."""
    if not (coded.codes == coded.schema.n_values).any():
        return None
    rows = single_rows(coded)
    return np.asarray(rows.codes == rows.schema.n_values)
