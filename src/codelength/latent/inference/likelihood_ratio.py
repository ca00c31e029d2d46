"""Bootstrap likelihood-ratio test of K components against K - 1.

The statistic, twice the gain in log-likelihood, is not chi-squared, because with K - 1 components the
parameters of the K-th are not defined. Its distribution is found by fitting both mixtures to tables drawn
from the smaller one (McLachlan 1987, Applied Statistics 36; Nylund, Asparouhov and Muthén 2007, Structural
Equation Modeling 14).

The test keeps its size if the table is treated like those drawn. The larger mixture is searched for in the
same way in all of them, so that maxima are missed equally often. The smaller one has to be found in all of
them: EM on drawn tables starts from the mixture that they were drawn from, and the table itself, which has no
such start, gets several times as many starts.

Order of reading: :class:`LikelihoodRatioTest` (the result), :func:`likelihood_ratio_test`, ``_Search``.
Depends on :mod:`.bootstrap` for the tables, and on EM with known starts in :mod:`codelength.mixture`.
"""

from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

import numpy as np

from ..._display import Shown, counted
from ...blocks import Block, Facts
from ...errors import DataError, InvalidParameter
from ...mixture._replications import Progress, climb, repeat, softened
from ...mixture.em import STARTS, start_counts
from ...mixture.em._problem import EMProblem, JointRows, joint_rows
from ...mixture.parameters import MixtureParameters, posterior_mode, with_components
from ...naive_bayes import PriorLike, pseudocounts
from ...table import Coded
from ...table.checks import check_random_state, check_size, check_whole
from ...typing import FloatArray
from .bootstrap import TOL, draw_rows, missing_cells

SEARCH = 3
"""Factor of ``n_init`` for the smaller mixture of the table itself: if it is not the best, the gain of the
larger one is overestimated.
"""

TIE = 1e-3
"""Statistics that differ by at most this are equal: EM ends this far from a flat maximum."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class LikelihoodRatioTest(Shown):
    """Test of a number of components against one less.

    Attributes
    ----------
    n_components : int
        The larger number.
    log_likelihoods : tuple of two floats
        Log-likelihoods of the smaller and of the larger mixture.
    replications : array of shape (n_replications,)
        Statistics of tables drawn from the smaller mixture.

    Examples
    --------
    >>> test = LikelihoodRatioTest(2, (-50.0, -45.0), np.array([3.0, 12.0, 1.0]))
    >>> test.statistic, test.p_value
    (10.0, 0.5)
    """

    n_components: int
    log_likelihoods: tuple[float, float]
    replications: FloatArray

    @property
    def statistic(self) -> float:
        """Twice the gain in log-likelihood."""
        return 2 * (self.log_likelihoods[1] - self.log_likelihoods[0])

    @property
    def p_value(self) -> float:
        """Probability of such a gain with fewer components; the table itself counts as a replication."""
        # Counting the table as one of its replications keeps the size of the test, and the p-value above
        # zero.
        n_above = (self.replications >= self.statistic - TIE).sum()
        return float((1 + n_above) / (1 + len(self.replications)))

    def sentence(self) -> str:
        """Return the result in words."""
        return (
            f"{counted(self.n_components, 'class')} against {self.n_components - 1}: p = {self.p_value:.3g} "
            f"(twice the gain in log-likelihood {self.statistic:.2f}, "
            f"{counted(len(self.replications), 'replication')})"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON types."""
        return {
            "classes": self.n_components,
            "log_likelihoods": list(self.log_likelihoods),
            "statistic": self.statistic,
            "p_value": self.p_value,
            "replications": len(self.replications),
        }

    def _title(self) -> str:
        numbers = f"{self.n_components} against {counted(self.n_components - 1, 'class')}"
        return f"LikelihoodRatioTest: {numbers}, p = {self.p_value:.3g}"

    def _blocks(self) -> list[Block]:
        low, middle, high = np.quantile(self.replications, [0.05, 0.5, 0.95])
        return [
            Facts(
                [
                    ("log-likelihoods", f"{self.log_likelihoods[0]:.2f} and {self.log_likelihoods[1]:.2f}"),
                    ("twice the gain", f"{self.statistic:.2f}"),
                    ("replications", f"{len(self.replications)}"),
                    ("their 5 %, 50 % and 95 % points", f"{low:.2f}, {middle:.2f}, {high:.2f}"),
                ]
            )
        ]


def likelihood_ratio_test(
    coded: Coded,
    n_components: int,
    prior: PriorLike = "uniform",
    *,
    n_replications: int = 99,
    n_init: int = 10,
    max_iter: int = 1000,
    random_state: Any = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> LikelihoodRatioTest:
    """Test a number of components against one less by a parametric bootstrap.

    Parameters
    ----------
    coded : Coded
        The rows; weights are numbers of rows.
    n_components : int
        The larger number, at least 2.
    prior : prior or its name
        The prior of EM.
    n_replications : int
        Number of tables to draw. For a test at 5 % choose one less than a multiple of 20.
    n_init : int
        Starts of EM for each mixture and table: one from a known mixture (for the smaller mixture the one
        that the table was drawn from, for the larger one the smaller mixture with a component split in two),
        the others as ``init="mixed"``. The smaller mixture of the table itself gets three times as many.
    max_iter, random_state, n_threads, progress
        As in :func:`codelength.latent.inference.bootstrap`.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2, 2, 2]), [[0, 0, 0], [1, 1, 1]] * 20)
    >>> likelihood_ratio_test(coded, 2, n_replications=19, random_state=0).p_value
    0.05
    """
    if check_whole("n_components", n_components) < 2:
        raise InvalidParameter("n_components=1: there is no smaller number to test against; give at least 2")
    check_size("n_replications", n_replications)
    check_size("n_init", n_init)
    rows = with_components(coded, 1)
    if not rows.total_weight > 0:
        raise DataError("there are no rows to fit mixtures to; give some")
    distinct = rows.distinct()
    missing, n_drawn = missing_cells(distinct), max(1, round(distinct.total_weight))

    search = _Search(prior, n_components, n_init, max_iter)
    # Separate streams: the fit of the table itself does not depend on the number of replications.
    first, others = np.random.default_rng(check_random_state(random_state)).spawn(2)
    small, before, after = search.gain(distinct, None, first)

    def one(stream: np.random.Generator) -> float:
        _, less, more = search.gain(draw_rows(small, n_drawn, stream, missing), small, stream)
        return 2 * (more - less)

    found = repeat(one, n_replications, others, n_threads, progress)
    return LikelihoodRatioTest(n_components, (before, after), np.array(found))


@dataclass(frozen=True, slots=True)
class _Search:
    """Search for the two mixtures that are compared; fields as in :func:`likelihood_ratio_test`."""

    prior: PriorLike
    n_components: int
    n_init: int
    max_iter: int

    def gain(
        self, table: Coded, start: MixtureParameters | None, stream: np.random.Generator
    ) -> tuple[MixtureParameters, float, float]:
        """Return the smaller mixture of a table, and the log-likelihoods of both.

        The start is the mixture that the table was drawn from, if it was.
        """
        rows = table.distinct()
        joint, n_starts = joint_rows(rows), SEARCH * self.n_init if start is None else self.n_init
        fewer, more = (with_components(rows, self.n_components - less) for less in (1, 0))
        small, before = self.best(fewer, joint, start, n_starts, stream)
        # A split of the smaller mixture fits nearly as well, so the search does not start far below it.
        _, after = self.best(more, joint, _split(small, stream), self.n_init, stream)
        return small, before, after

    def best(
        self,
        rows: Coded,
        joint: JointRows,
        start: MixtureParameters | None,
        n_starts: int,
        stream: np.random.Generator,
    ) -> tuple[MixtureParameters, float]:
        """Return the best mixture of distinct rows from several starts, and its log-likelihood."""
        spread, n_components = pseudocounts(self.prior, rows.schema), rows.schema.n_classes
        starts = [] if start is None else [softened(start, rows.total_weight)]
        # One component has a single maximum, which EM reaches in one step.
        n_drawn = (1 if n_components == 1 else n_starts) - len(starts)
        kinds = islice(cycle(STARTS["mixed"]), n_drawn)
        drawn = (start_counts(kind, rows, n_components, stream) for kind in kinds)
        starts += [posterior_mode(counts, spread) for counts in drawn]
        problem = EMProblem.of(rows.schema, joint, spread)
        state, log_likelihood, _ = climb(problem, starts, self.max_iter, TOL)
        return state, log_likelihood


def _split(mixture: MixtureParameters, stream: np.random.Generator) -> MixtureParameters:
    """Split one component into two that differ a little, with nearly the same fit."""
    # Large components are split more often: they have more rows to gain from.
    k = int(stream.choice(mixture.n_components, p=mixture.class_probs / mixture.class_probs.sum()))
    schema = with_components(mixture.schema.without_target(), mixture.n_components + 1)
    class_probs = np.append(mixture.class_probs, mixture.class_probs[k] / 2)
    class_probs[k] /= 2
    values = np.vstack((mixture.value_probs, mixture.value_probs[k]))
    for i, n_values in enumerate(schema.n_values):
        own = schema.cells(i)
        values[-1, own] *= stream.uniform(0.5, 1.5, n_values)
        values[-1, own] /= values[-1, own].sum()
    return MixtureParameters(schema, class_probs, values)
