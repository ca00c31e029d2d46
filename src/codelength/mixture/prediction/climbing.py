"""EM continued from a fitted mixture with one more row.

EM never raises a probability from zero. So in addition to a start from its shares under the fitted mixture,
the new row starts once wholly in each component; the best start after a few iterations is continued.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._threads import in_threads
from ...counts import expected_counts
from ...naive_bayes import PriorLike, pseudocounts, rule_of
from ...naive_bayes.query import Question
from ...table import Coded
from ...table.checks import check_number, check_size
from ...typing import FloatArray, IntArray
from ..code_length.cheeseman_stutz import soft_shares
from ..em._problem import EMPrior
from ..parameters import MixtureParameters

FIRST_ITERATIONS = 3
"""Iterations that every start makes before the best one is continued."""


@dataclass(frozen=True, slots=True)
class Climb:
    """Options of the continued EM.

    Attributes
    ----------
    max_iter : int
        Maximum number of iterations.
    tol : float
        EM ends when an iteration gains less than this, in nats.
    """

    max_iter: int = 1000
    tol: float = 1e-9

    def check(self) -> None:
        """Raise if an option is not valid."""
        check_size("max_iter", self.max_iter)
        check_number("tol", self.tol)


@dataclass(frozen=True, eq=False)
class Climber:
    """Rows and a mixture fitted to them, laid out for one more row.

    Attributes
    ----------
    coded : Coded
        The distinct rows; the target of their schema is the component.
    mixture : MixtureParameters
        The mixture that EM is continued from.
    excess : array of shape (n_cells + 1, n_components)
        Pseudocounts less one, of the components last.
    climb : Climb
        Options of EM.
    """

    coded: Coded
    mixture: MixtureParameters
    excess: FloatArray
    climb: Climb

    @classmethod
    def of(
        cls, rows: Coded, mixture: MixtureParameters, climb: Climb, prior: PriorLike | None = None
    ) -> "Climber":
        """Lay out the rows under a prior, or without one to maximise the likelihood."""
        coded = mixture.coded(rows).distinct()
        excess = np.zeros((coded.schema.n_cells + 1, mixture.n_components))
        if prior is not None:
            spread = pseudocounts(prior, coded.schema)
            EMPrior.of(coded.schema, spread)  # raises if there may be no mode
            offsets = rule_of("map").offsets(spread, coded.schema)
            excess[:-1], excess[-1] = offsets.value_offsets.T, offsets.class_offsets
            # A missing cell is not a parameter.
            excess[coded.schema.offsets[1:] - 1] = 0.0
        return cls(coded, mixture, excess, climb)

    @cached_property
    def cells(self) -> IntArray:
        """Cells of the rows in the flat layout of the schema."""
        codes = self.coded.codes.astype(np.int64)
        return np.ascontiguousarray(self.coded.schema.offsets[:-1] + codes)

    @cached_property
    def weights(self) -> FloatArray:
        """Multiplicity of each row."""
        return np.ones(self.coded.n_rows) if self.coded.weights is None else self.coded.weights

    @cached_property
    def expected(self) -> FloatArray:
        """Expected counts of the rows by the mixture in lanes, sizes last."""
        counts = expected_counts(self.coded, soft_shares(self.coded, self.mixture))
        return _in_lanes(np.vstack((counts.value_counts.T, counts.class_counts)))

    def with_row(self, row: IntArray) -> tuple[float, FloatArray]:
        """Climb with one more row; return the objective at the end, and the logs of the mixture there.

        Parameters
        ----------
        row : array of shape (n_variables,)
            Cells of the row.
        """
        from ._em_kernels import climb_with

        tables, logs = self.mixture.log_tables(), np.zeros_like(self.expected)
        n_components = self.mixture.n_components
        logs[-1, n_components:] = -np.inf
        own = tables.class_table + tables.value_table[:, row].sum(axis=1)
        # One start per component, and before them the shares under the mixture unless it excludes the row.
        starts = np.eye(n_components)
        if np.isfinite(highest := own.max()):
            shares = np.exp(own - highest)
            starts = np.vstack((shares / shares.sum(), starts))
        settings = n_components, FIRST_ITERATIONS, self.climb.max_iter, float(self.climb.tol)
        rows = self.cells, self.weights, row[None, :], self.coded.schema.offsets
        excess = _in_lanes(self.excess)
        reached = climb_with(*rows, self.expected, excess, _in_lanes(starts), *settings, logs)
        return float(reached), logs[:, :n_components]

    def of_combinations(
        self, question: Question, new: Coded, work: Callable[[IntArray], float]
    ) -> FloatArray:
        """Apply a function to each new row with every queried combination.

        Parameters
        ----------
        question : Question
            The queried variables.
        new : Coded
            The new rows.
        work : function
            From the cells of a row to a number.
        """
        offsets = self.mixture.schema.offsets
        blank = offsets[:-1] + question.blanked(new).codes.astype(np.int64)
        self.cells, self.weights, self.expected  # noqa: B018 (made once, before there are threads)

        def of_row(known: IntArray) -> list[float]:
            return [work(row) for row in _filled(question, offsets, known)]

        found = list(in_threads(of_row, list(blank)))
        return np.array(found).reshape(new.n_rows, question.n_combinations)


def _in_lanes(table: FloatArray) -> FloatArray:
    """Pad components to a multiple of four, as the kernels expect."""
    padded = np.zeros((len(table), -(-table.shape[1] // 4) * 4))
    padded[:, : table.shape[1]] = table
    return padded


def _filled(question: Question, offsets: IntArray, known: IntArray) -> Iterator[IntArray]:
    """Yield the cells of a row with every queried combination."""
    columns = list(question.columns)
    for codes in itertools.product(*map(range, question.sizes)):
        row = known.copy()
        row[columns] = offsets[columns] + np.array(codes)
        yield row
