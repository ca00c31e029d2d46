r"""EM continued from a fitted mixture with one more row, and predictions by the maximised likelihood.

.. math:: P(q \mid u, D) \propto \max_\Theta P(D, u, q \mid \Theta)

Equation (7) of the 1997 paper on predictive inference, with the component of every row hidden: for each
queried combination of values, EM is continued from the fitted mixture with the new row among the rows.

EM never raises a probability from zero. So in addition to a start from its shares under the fitted mixture,
the new row starts once wholly in each component; the best start after a few iterations is continued.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..._threads import in_threads
from ...decisions import is_better
from ...naive_bayes import PriorLike, pseudocounts
from ...naive_bayes.query import Question
from ...table import Coded
from ...typing import CodeArray, FloatArray
from ..em._problem import EMProblem, JointRows
from ..joint_cells import JointCells, missing_columns
from ..parameters import MixtureParameters

FIRST_ITERATIONS = 3
"""Iterations that every start makes before the best one is continued."""


@dataclass(frozen=True, eq=False)
class Climber:
    """Rows and a mixture fitted to them, laid out for one more row.

    Attributes
    ----------
    coded : Coded
        The distinct rows; the target of their schema is the component.
    mixture : MixtureParameters
        The mixture that EM is continued from.
    cells : JointCells
        Joint cells that hold the rows and the new ones.
    problem : EMProblem
        The rows without the new one.
    expected : array of shape (n_joint, n_lanes)
        Expected counts of joint cells under the mixture.
    """

    coded: Coded
    mixture: MixtureParameters
    cells: JointCells
    problem: EMProblem
    expected: FloatArray

    @classmethod
    def of(
        cls, rows: Coded, mixture: MixtureParameters, new: Coded, prior: PriorLike = "uniform"
    ) -> "Climber":
        """Lay out the rows and a table of new ones; under the uniform prior the likelihood is maximised."""
        from ..em._kernels import expand, share_out

        coded = mixture.coded(rows).distinct()
        schema = coded.schema
        cells = JointCells.of(schema, missing_columns(coded) | missing_columns(new), coded.n_rows)
        joint = JointRows(cells.keys(coded.codes), coded.row_weights, cells.members)
        problem = EMProblem.of(schema, joint, pseudocounts(prior, schema))
        table = problem.table_of(mixture)
        expected, products = np.zeros((2, len(cells.members), table.shape[1]))
        expand(table, cells.members, products)
        share_out(joint, table, products, schema.n_classes, 0, coded.n_rows, 0.0, expected)
        return cls(coded, mixture, cells, problem, expected)

    def with_row(self, codes: CodeArray, max_iter: int, tol: float) -> tuple[float, MixtureParameters]:
        """Climb with one more row; return the objective at the end, and the mixture there.

        Parameters
        ----------
        codes : array of shape (1, n_variables)
            Codes of the row.
        max_iter : int
            Maximum number of iterations of the best start.
        tol : float
            EM ends when an iteration gains less than this, in nats.
        """
        from ..em._kernels import maximise, run

        joint, excess, key = self.problem.joint, self.problem.excess, self.cells.keys(codes)
        prior = excess, self.coded.schema.offsets, self.coded.schema.n_classes
        assert isinstance(joint, JointRows)
        keys, weights = np.concatenate((joint.keys, key), axis=1), np.append(joint.weights, 1.0)
        longer, bounds = JointRows(keys, weights, joint.members), np.array([0, len(weights)], dtype=np.int64)
        table, best, highest = np.empty_like(excess), np.empty_like(excess), -np.inf
        trace = np.empty((2, FIRST_ITERATIONS))
        for number, shares in enumerate(self._starts(codes)):
            counts = self.expected.copy()
            counts[key[:, 0], : len(shares)] += shares
            maximise(counts, joint.members, *prior, table)
            run(longer, bounds, *prior, 0.0, table, trace)
            # On a tie up to rounding the first start is kept; it counts even if it excludes the row.
            if is_better(float(trace[0, -1]), highest, 1.0) or number == 0:
                best[:], highest = table, float(trace[0, -1])
        # The first iteration of a run scores its start.
        trace = np.empty((2, max_iter + 1))
        n_iter = run(longer, bounds, *prior, tol, best, trace)
        return float(trace[0, :n_iter].max()), self.problem.mixture_of(best)

    def _starts(self, codes: CodeArray) -> FloatArray:
        """Return shares of the components in a row: by the mixture unless it excludes the row, and each."""
        tables, schema = self.mixture.log_tables(), self.coded.schema
        own = tables.class_table + tables.value_table[:, schema.offsets[:-1] + codes[0]].sum(axis=1)
        starts, highest = np.eye(schema.n_classes), own.max()
        if not np.isfinite(highest):
            return starts
        shares = np.exp(own - highest)
        return np.vstack((shares / shares.sum(), starts))

    def of_combinations(
        self, question: Question, new: Coded, work: Callable[[CodeArray], float]
    ) -> FloatArray:
        """Apply a function to the codes of each new row, shape (1, n_variables), with every combination."""

        def of_row(known: CodeArray) -> list[float]:
            found, row = [], known[None].copy()
            for codes in itertools.product(*map(range, question.sizes)):
                row[0, list(question.columns)] = codes
                found.append(work(row))
            return found

        logs = list(in_threads(of_row, list(question.blanked(new).codes)))
        return np.array(logs).reshape(new.n_rows, question.n_combinations)


def maximised_log_likelihoods(
    rows: Coded,
    mixture: MixtureParameters,
    question: Question,
    new: Coded,
    max_iter: int = 1000,
    tol: float = 1e-9,
) -> FloatArray:
    """Maximise the log-likelihood of the rows and each new row with every queried combination.

    Returns an array of shape (n_new_rows, n_combinations); options are those of :meth:`Climber.with_row`.
    """
    climber = Climber.of(rows, mixture, new)
    return climber.of_combinations(question, new, lambda row: climber.with_row(row, max_iter, tol)[0])
