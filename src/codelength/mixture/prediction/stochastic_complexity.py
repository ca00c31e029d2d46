r"""Predictions by the maximised likelihood of the rows together with the new one.

.. math:: P(q \mid u, D) \propto \max_\Theta P(D, u, q \mid \Theta)

Equation (7) of the 1997 paper on predictive inference, where the component of every row is hidden: for each
combination of values asked about, EM goes on from the fitted mixture with the new row among the rows.
"""

from ...naive_bayes.query import Question
from ...table import Coded
from ...typing import FloatArray
from ..parameters import MixtureParameters
from .climbing import Climb, Climber


def maximised_log_likelihoods(
    rows: Coded, mixture: MixtureParameters, question: Question, new: Coded, climb: Climb
) -> FloatArray:
    """Maximised log-likelihood of the rows and each new row with every combination asked about.

    Returns
    -------
    array of shape (n_new_rows, n_combinations)
    """
    climber = Climber.of(rows, mixture, climb)
    return climber.of_combinations(question, new, lambda row: climber.with_row(row)[0])
