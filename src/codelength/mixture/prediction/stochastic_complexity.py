r"""Predictions by the maximised likelihood of the rows together with the new one.

.. math:: P(q \mid u, D) \propto \max_\Theta P(D, u, q \mid \Theta)

Equation (7) of the 1997 paper on predictive inference, with the component of every row hidden: for each
queried combination of values, EM is continued from the fitted mixture with the new row among the rows.
"""

from ...naive_bayes.query import Question
from ...table import Coded
from ...typing import FloatArray
from ..parameters import MixtureParameters
from .climbing import Climb, Climber


def maximised_log_likelihoods(
    rows: Coded, mixture: MixtureParameters, question: Question, new: Coded, climb: Climb
) -> FloatArray:
    """Maximise the log-likelihood of the rows and each new row with every queried combination.

    Parameters
    ----------
    rows : Coded
        The rows that were learned from.
    mixture : MixtureParameters
        The mixture fitted to them.
    question : Question
        The queried variables.
    new : Coded
        The new rows.
    climb : Climb
        Options of EM.

    Returns
    -------
    array of shape (n_new_rows, n_combinations)
    """
    climber = Climber.of(rows, mixture, climb)
    return climber.of_combinations(question, new, lambda row: climber.with_row(row)[0])
