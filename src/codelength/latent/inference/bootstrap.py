"""Bootstrap: sampling variation of the estimates.

Every replication is a table, and EM starts from the estimates, so that it ends at the corresponding maximum.
Its components are still matched with those of the estimates (:mod:`.alignment`).

===================  ================================================================================
kind                 table of a replication
===================  ================================================================================
``"nonparametric"``  rows drawn from the table with replacement
``"parametric"``     rows drawn from the mixture, with the same cells missing as in the table
===================  ================================================================================
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..._display import Shown, counted
from ...blocks import Block, Facts
from ...errors import DataError
from ...mixture._replications import Progress, climb, repeat, reweighted, softened
from ...mixture.em._layout import JointRows, joint_rows
from ...mixture.em._problem import EMProblem
from ...mixture.em.em import check_run
from ...mixture.parameters import MixtureParameters
from ...naive_bayes import PriorLike, pseudocounts
from ...table import Coded
from ...table.checks import check_choice, check_size
from ...typing import BoolArray, FloatArray, IntArray
from .alignment import align
from .coordinates import Coordinates
from .drawing import draw_rows, missing_cells
from .intervals import Intervals, check_level, quantile_bounds

BootstrapKind = Literal["nonparametric", "parametric"]
Weighting = Literal["counts", "relative"]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Bootstrap(Shown):
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
    def mixture(self) -> MixtureParameters:
        """The estimates from the table itself."""
        return self.coordinates.mixture

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
        return Intervals(
            self.mixture,
            level,
            f"{self.kind} bootstrap",
            of_classes,
            of_values,
            self.coordinates.class_boundary,
            self.coordinates.value_boundary,
        )

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
    tol: float = 1e-8,
    random_state: Any = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Bootstrap:
    """Fit a mixture to many bootstrap tables.

    Parameters
    ----------
    coded : Coded
        The rows that the mixture was fitted to.
    mixture : MixtureParameters
        The estimates from EM.
    kind : {"nonparametric", "parametric"}
        Kind of bootstrap.
    prior : prior or its name
        The prior that EM was given.
    n_replications : int
        Number of tables.
    weighting : {"counts", "relative"}
        Meaning of weights for the nonparametric bootstrap: numbers of equal rows, or relative weights of rows
        that were each drawn once.
    max_iter, tol
        As in :func:`codelength.mixture.fit_mixture`.
    random_state : int, sequence of int, generator or None
        Seed; each replication has its own random stream.
    n_threads : int, optional
        Threads to run on; by default one for each processor. The result is the same for any number.
    progress : function, optional
        Called after each replication with the number done and the total.

    Returns
    -------
    Bootstrap
        The estimates of all replications.

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
    tol = check_run(max_iter, tol)
    rows = mixture.coded(coded)
    if not rows.total_weight > 0:
        raise DataError("there are no rows to draw from; give the rows that the mixture was fitted to")
    resampling = _Resampling.of(rows, mixture, kind, weighting)
    spread = pseudocounts(prior, rows.schema)
    total = float(resampling.distinct.total_weight)
    # Softened, because a replication of the parametric kind or a resample may need a probability that is zero
    # in the estimates.
    start = softened(mixture, total)

    def one(stream: np.random.Generator) -> tuple[MixtureParameters, float, bool]:
        joint = resampling.drawn(stream)
        state, log_likelihood, converged = climb(
            EMProblem.of(rows.schema, joint, spread), [start], max_iter, tol
        )
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


@dataclass(frozen=True, eq=False, slots=True)
class _Resampling:
    """Distinct rows of the table, and how the table of a replication is drawn from them.

    Attributes
    ----------
    mixture : MixtureParameters
        The estimates, from which the parametric bootstrap draws.
    kind, weighting : str
        As in :func:`bootstrap`.
    distinct : Coded
        The distinct rows.
    joint : JointRows
        The layout of the distinct rows for EM.
    missing : array of shape (n_distinct, n_columns), optional
        Missing cells of the distinct rows, for the parametric bootstrap.
    own : array of shape (n_used,)
        Weights of the rows of the table that have one.
    places : array of shape (n_used,)
        Their distinct rows.
    """

    mixture: MixtureParameters
    kind: BootstrapKind
    weighting: Weighting
    distinct: Coded
    joint: JointRows
    missing: BoolArray | None
    own: FloatArray
    places: IntArray

    @classmethod
    def of(
        cls, rows: Coded, mixture: MixtureParameters, kind: BootstrapKind, weighting: Weighting
    ) -> "_Resampling":
        """Merge equal rows, and prepare what all replications share."""
        distinct, places = rows.merged()
        missing = missing_cells(distinct) if kind == "parametric" else None
        own = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        used = np.flatnonzero(own > 0)
        joint = joint_rows(distinct)
        return cls(mixture, kind, weighting, distinct, joint, missing, own[used], places[used])

    def drawn(self, stream: np.random.Generator) -> JointRows:
        """Draw the table of a replication."""
        n_drawn = max(1, round(float(self.distinct.total_weight)))
        if self.kind == "parametric":
            return joint_rows(draw_rows(self.mixture, n_drawn, stream, self.missing))
        if self.weighting == "counts":
            # Resampling rows is a draw of multiplicities: the distinct rows are laid out once for all
            # replications.
            chances = self.joint.weights / self.joint.weights.sum()
            return reweighted(self.joint, stream.multinomial(n_drawn, chances))
        n_used = len(self.own)
        times = stream.multinomial(n_used, np.full(n_used, 1 / n_used))
        return reweighted(self.joint, np.bincount(self.places, times * self.own, self.distinct.n_rows))
