"""EM that goes on from a fitted mixture with one more row among the rows.

EM never raises a probability from zero. So besides being shared out as the fitted mixture has it, the new
row starts once wholly in each component; the start that leads after a few iterations goes on.
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
"""Iterations that every start makes before the best one goes on."""


@dataclass(frozen=True, slots=True)
class Climb:
    """How far EM goes on.

    Attributes
    ----------
    max_iter : int
        Most iterations.
    tol : float
        EM ends when an iteration gains less than this, in nats.
    """

    max_iter: int = 1000
    tol: float = 1e-9

    def check(self) -> None:
        """Refuse what EM cannot run by."""
        check_size("max_iter", self.max_iter)
        check_number("tol", self.tol)


@dataclass(frozen=True, eq=False)
class Climber:
    """Rows and a mixture that was fitted to them, laid out for one row more.

    Attributes
    ----------
    coded : Coded
        The distinct rows; the target of their schema is the component.
    mixture : MixtureParameters
        Where EM goes on from.
    excess : array of shape (n_cells + 1, n_components)
        Pseudocounts less one, of the components last.
    climb : Climb
        How far it goes.
    """

    coded: Coded
    mixture: MixtureParameters
    excess: FloatArray
    climb: Climb

    @classmethod
    def of(
        cls, rows: Coded, mixture: MixtureParameters, climb: Climb, prior: PriorLike | None = None
    ) -> "Climber":
        """The rows under a prior, or without one, where the likelihood is maximised."""
        coded = mixture.coded(rows).distinct()
        excess = np.zeros((coded.schema.n_cells + 1, mixture.n_components))
        if prior is not None:
            spread = pseudocounts(prior, coded.schema)
            EMPrior.of(coded.schema, spread)  # refused where there may be no mode
            offsets = rule_of("map").offsets(spread, coded.schema)
            excess[:-1], excess[-1] = offsets.value_offsets.T, offsets.class_offsets
            excess[coded.schema.offsets[1:] - 1] = 0.0
        return cls(coded, mixture, excess, climb)

    @cached_property
    def cells(self) -> IntArray:
        """Cells of the rows in the flat layout of the schema."""
        codes = self.coded.codes.astype(np.int64)
        return np.ascontiguousarray(self.coded.schema.offsets[:-1] + codes)

    @cached_property
    def weights(self) -> FloatArray:
        """How often each row occurs."""
        return np.ones(self.coded.n_rows) if self.coded.weights is None else self.coded.weights

    @cached_property
    def expected(self) -> FloatArray:
        """Expected counts of the rows by the mixture in lanes, sizes last."""
        counts = expected_counts(self.coded, soft_shares(self.coded, self.mixture))
        return _in_lanes(np.vstack((counts.value_counts.T, counts.class_counts)))

    def with_row(self, row: IntArray) -> tuple[float, FloatArray]:
        """The objective at the end of the climb with a row more, and the logs of the mixture there.

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
        """What comes out for each new row with every combination asked about.

        Parameters
        ----------
        question : Question
            The variables asked about.
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
    """Components padded to a multiple of four, as the kernels take them."""
    padded = np.zeros((len(table), -(-table.shape[1] // 4) * 4))
    padded[:, : table.shape[1]] = table
    return padded


def _filled(question: Question, offsets: IntArray, known: IntArray) -> Iterator[IntArray]:
    """The cells of a row with every combination asked about."""
    columns = list(question.columns)
    for codes in itertools.product(*map(range, question.sizes)):
        row = known.copy()
        row[columns] = offsets[columns] + np.array(codes)
        yield row
