"""Membership probabilities of latent classes."""

from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..decisions import first_best_of_rows
from ..typing import BoolArray, FloatArray
from ._display import Display
from .drawing import BLUE, SKY, Axes, Panel

if TYPE_CHECKING:
    from ..estimators import FiniteMixture

N_BINS = 20


class MembershipsDisplay(Display):
    """Histogram of the probability of each class over rows, those assigned to it highlighted.

    Parameters
    ----------
    memberships : array of shape (n_rows, n_classes)
        Membership probabilities.
    weights : array of shape (n_rows,), optional
        Weights of the rows.
    """

    size = (3.6, 2.8)

    def __init__(self, memberships: FloatArray, weights: FloatArray | None = None) -> None:
        self.memberships, self.weights = memberships, weights

    @classmethod
    def from_estimator(cls, estimator: "FiniteMixture", *, ax: Any = None) -> Self:
        """Draw the memberships of the rows that a mixture was fitted to.

        Parameters
        ----------
        estimator : FiniteMixture
            A fitted model.
        ax : sequence of matplotlib Axes, optional
            Axes to draw into, one pair per class.
        """
        return cls(estimator.memberships_, estimator._fitted.training.weights).plot(ax)

    def panels(self) -> tuple[list[Panel], tuple[float, float]]:
        """Return one histogram per class, and the size of one in inches."""
        labels = first_best_of_rows(self.memberships)
        weights = np.ones(len(labels)) if self.weights is None else self.weights
        parts = enumerate(self.memberships.T)
        return [partial(_histogram, probs, labels == k, weights, k) for k, probs in parts], self.size


def _histogram(probs: FloatArray, assigned: BoolArray, weights: FloatArray, k: int, axes: Axes) -> None:
    """Draw the probabilities of class ``k``, those of rows assigned to it below the others."""
    parts, shares = [probs[assigned], probs[~assigned]], [weights[assigned], weights[~assigned]]
    axes.hist(
        parts,
        bins=np.linspace(0, 1, N_BINS + 1),
        weights=shares,
        stacked=True,
        color=[BLUE, SKY],
        label=["assigned to it", "assigned to others"],
    )
    total = float(shares[0].sum())
    mean = (
        f"mean of its rows {np.average(parts[0], weights=shares[0]):.2f}" if total > 0 else "no rows assigned"
    )
    axes.set_title(f"class {k + 1}: {total:,.10g} rows, {mean}", fontsize=9)
    axes.set_xlabel(f"probability of class {k + 1}")
    axes.set_ylabel("rows")
    axes.set_xlim(0, 1)
    if k == 0:
        axes.legend(fontsize=7)
