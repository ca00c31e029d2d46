r"""Predictions by the maximised likelihood of the rows together with the new one.

.. math:: P(q \mid u, D) \propto \max_\Theta P(D, u, q \mid \Theta)

Equation (6) of the 1997 paper on predictive inference, where the component of every row is hidden: for each
combination of values asked about, EM goes on from the fitted mixture with the new row among the rows. A value
that a component never had keeps probability zero under EM, so besides being shared out as the fitted mixture
has it, the new row starts once wholly in each component; the best start goes on.
"""

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ..._threads import n_threads_or_default
from ...counts import expected_counts
from ...rules.query import Question
from ...table import Coded
from ...table.checks import check_number, check_size
from ...typing import FloatArray, IntArray
from ..code_length.cheeseman_stutz import soft_shares
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


def maximised_log_likelihoods(
    rows: Coded, mixture: MixtureParameters, question: Question, new: Coded, climb: Climb
) -> FloatArray:
    """Maximised log-likelihood of the rows and each new row with every combination asked about.

    Returns
    -------
    array of shape (n_new_rows, n_combinations)
    """
    from ._em_kernels import maximised

    coded, schema = mixture.coded(rows).distinct(), mixture.schema
    weights = np.ones(coded.n_rows) if coded.weights is None else coded.weights
    counts = expected_counts(coded, soft_shares(coded, mixture))
    expected = np.vstack((counts.value_counts.T, counts.class_counts))
    cells = np.ascontiguousarray(schema.offsets[:-1] + coded.codes.astype(np.int64))
    tables, every = mixture.log_tables(), np.eye(mixture.n_components)
    columns = list(question.columns)
    blank = schema.offsets[:-1] + question.blanked(new).codes.astype(np.int64)

    def best(known: IntArray) -> list[float]:
        found = []
        for codes in itertools.product(*map(range, question.sizes)):
            row = known.copy()
            row[columns] = schema.offsets[columns] + np.array(codes)
            logs = tables.class_table + tables.value_table[:, row].sum(axis=1)
            highest = logs.max()
            starts = every
            if np.isfinite(highest):
                shares = np.exp(logs - highest)
                starts = np.vstack((shares / shares.sum(), every))
            log_likelihood, _, _ = maximised(
                cells,
                weights,
                row,
                schema.offsets,
                expected,
                starts,
                FIRST_ITERATIONS,
                climb.max_iter,
                climb.tol,
            )
            found.append(log_likelihood)
        return found

    with ThreadPoolExecutor(n_threads_or_default(None)) as pool:
        return np.array(list(pool.map(best, blank))).reshape(new.n_rows, question.n_combinations)
