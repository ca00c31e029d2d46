r"""Assignment of rows to components, and its classification errors.

Relating assignments instead of components to another variable underestimates the relation, because some rows
are assigned wrongly. The error rates are known from the mixture itself [1]_: with :math:`h_{nt}` the
probability of component *t* for row *n* and :math:`a_{ns}` its assignment to *s*,

.. math:: D_{ts} = P(\text{assigned to } s \mid t) = \sum_n w_n h_{nt} a_{ns} \Big/ \sum_n w_n h_{nt}.

References
----------
.. [1] Bolck, Croon and Hagenaars (2004). Estimating latent structure models with categorical variables:
       one-step versus three-step estimators. Political Analysis 12.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...decisions import first_best_of_rows
from ...errors import DataError
from ...mixture.parameters import MixtureParameters
from ...table import Coded
from ...table.checks import check_choice
from ...typing import FloatArray
from ..inference.coordinates import Coordinates

AssignmentRule = Literal["modal", "proportional"]


@dataclass(frozen=True, eq=False, slots=True)
class Assignment:
    """Rows assigned to components.

    Attributes
    ----------
    mixture : MixtureParameters
        The mixture.
    rows : Coded
        The rows.
    shares : array of shape (n_rows, n_components)
        Probability of each component for each row.
    assigned : array of shape (n_rows, n_components)
        Share of each row that is assigned to each component; 0 or 1 by the modal rule.
    rule : {"modal", "proportional"}
        Assignment to the most probable component, or to all in proportion to their probabilities.
    errors : array of shape (n_components, n_components)
        Probability that a row of each component (row) is assigned to each component (column).
    """

    mixture: MixtureParameters
    rows: Coded
    shares: FloatArray
    assigned: FloatArray
    rule: AssignmentRule
    errors: FloatArray

    @property
    def weights(self) -> FloatArray:
        """Weights of the rows."""
        return self.rows.row_weights

    def error_slopes(self, coordinates: Coordinates) -> FloatArray:
        """Compute the derivatives of the errors by the free logits, for fixed modal assignments.

        Shape (n_components, n_components, n_free).
        """
        n_components, labels = len(self.errors), first_best_of_rows(self.assigned)
        sizes = self.weights @ self.shares
        slopes = np.zeros((n_components, n_components, coordinates.n_free))
        for t in range(n_components):
            own = self.weights * self.shares[:, t]
            # The derivative of the share of t is the share times the score of t minus the mean score.
            moved = own[:, None] * (np.eye(n_components)[t] - self.shares)
            by_label = coordinates.group_scores(self.rows.codes, moved, labels, n_components)
            # Quotient rule: the errors of t are sums over labels divided by the size of t.
            slopes[t] = (by_label - np.outer(self.errors[t], by_label.sum(axis=0))) / max(sizes[t], 1e-300)
        return slopes


def assign(coded: Coded, mixture: MixtureParameters, rule: AssignmentRule = "modal") -> Assignment:
    """Assign the rows that a mixture was fitted to, by the rule that :class:`Assignment` describes.

    Raises
    ------
    DataError
        If a component has no rows, or none is assigned to it: then its errors are unknown.

    Examples
    --------
    >>> from codelength.mixture import with_components
    >>> from codelength.table import Schema
    >>> schema = with_components(Schema.from_sizes([2]), 2)
    >>> mixture = MixtureParameters(schema, np.array([0.5, 0.5]), np.array([[0.9, 0.1, 1], [0.1, 0.9, 1]]))
    >>> assign(Coded.of(schema, [[0], [1]]), mixture).errors
    array([[0.9, 0.1],
           [0.1, 0.9]])
    """
    check_choice("rule", rule, AssignmentRule)
    rows = mixture.coded(coded)
    weights = rows.row_weights
    shares = mixture.responsibilities(rows)
    assigned = shares
    if rule == "modal":
        assigned = np.zeros_like(shares)
        assigned[np.arange(len(shares)), first_best_of_rows(shares)] = 1.0
    sizes, n_assigned = weights @ shares, weights @ assigned
    # A component to which no row is assigned makes the matrix of errors singular.
    lonely = np.flatnonzero((sizes <= 0) | (n_assigned <= 0))
    if len(lonely):
        raise DataError(
            f"class {lonely[0] + 1}: no row is assigned to it, so that nothing tells how often its rows are "
            "assigned wrongly; fit fewer classes"
        )
    errors = (shares * weights[:, None]).T @ assigned / sizes[:, None]
    return Assignment(mixture, rows, shares, assigned, rule, errors)
