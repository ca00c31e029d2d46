r"""Predictions by the ratio of two Cheeseman-Stutz approximations.

.. math:: P(d \mid D) \approx \frac{CS(D, d)}{CS(D)}

The numerator is that of the rows together with the new one: for each queried combination of values, EM is
continued with the new row, and every row is then assigned to its most probable component. The denominator
cancels.
"""

import numpy as np

from ...decisions import first_best_of_rows
from ...naive_bayes import PriorLike, pseudocounts
from ...naive_bayes.query import Question
from ...table import Coded
from ...table.coded import unchecked
from ...typing import FloatArray, IntArray
from ..code_length.cheeseman_stutz import cheeseman_stutz_code_length
from ..parameters import MixtureParameters, mode_prior
from .climbing import Climb, Climber

SHORT = Climb(max_iter=100, tol=1e-6)
"""Default options of EM: the most probable components settle long before the probabilities do."""


def cheeseman_stutz_weights(
    rows: Coded,
    mixture: MixtureParameters,
    prior: PriorLike,
    question: Question,
    new: Coded,
    climb: Climb = SHORT,
) -> FloatArray:
    """Compute the log approximation for the rows and each new row with every queried combination.

    Parameters
    ----------
    rows : Coded
        The rows that were learned from.
    mixture : MixtureParameters
        The mixture fitted to them.
    prior : prior or its name
        Dirichlet pseudocounts.
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
    climber = Climber.of(rows, mixture, climb, mode_prior(prior, mixture.schema))
    coded, spread = climber.coded, pseudocounts(prior, climber.coded.schema)
    weights = np.append(climber.weights, 1.0)

    def log_weight(row: IntArray) -> float:
        _, logs = climber.with_row(row)
        cells = np.vstack((climber.cells, row))
        joint = logs[-1] + sum((logs[cells[:, i]] for i in range(cells.shape[1])), np.zeros(1))
        # All rows are assigned anew, by the mixture that was fitted with the new row.
        labels = first_best_of_rows(np.broadcast_to(joint, (len(cells), logs.shape[1])), 1.0)
        codes = np.asfortranarray(cells - coded.schema.offsets[:-1], dtype=coded.codes.dtype)
        completed = unchecked(coded.schema, codes, np.zeros(len(cells), dtype=np.uint8), weights)
        return -cheeseman_stutz_code_length(completed, labels, spread)

    return climber.of_combinations(question, new, log_weight)
