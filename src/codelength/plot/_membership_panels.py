"""Histograms of the membership probabilities of latent classes."""

import numpy as np

from ..decisions import first_best_of_rows
from ..typing import BoolArray, FloatArray
from .style import BLUE, SKY, Axes, Panel

N_BINS = 20


def membership_panels(memberships: FloatArray, weights: FloatArray | None) -> list[Panel]:
    """Return one panel per class: a histogram of its probability over rows, assigned rows highlighted.

    Parameters
    ----------
    memberships : array of shape (n_rows, n_classes)
        Membership probabilities.
    weights : array of shape (n_rows,), optional
        Weights of the rows.
    """
    labels = first_best_of_rows(memberships)
    return [_panel(memberships[:, k], labels == k, weights, k) for k in range(memberships.shape[1])]


def _panel(probs: FloatArray, assigned: BoolArray, weights: FloatArray | None, k: int) -> Panel:
    """Return the histogram of one class."""

    def panel(axes: Axes) -> None:
        counted = np.ones(len(probs)) if weights is None else weights
        parts, shares = [probs[assigned], probs[~assigned]], [counted[assigned], counted[~assigned]]
        axes.hist(
            parts,
            bins=np.linspace(0, 1, N_BINS + 1),
            weights=shares,
            stacked=True,
            color=[BLUE, SKY],
            label=["assigned to it", "assigned to others"],
        )
        total = float(shares[0].sum())
        mean = float(np.average(parts[0], weights=shares[0])) if total > 0 else float("nan")
        told = f"mean of its rows {mean:.2f}" if total > 0 else "no rows assigned"
        axes.set_title(f"class {k + 1}: {total:,.10g} rows, {told}", fontsize=9)
        axes.set_xlabel(f"probability of class {k + 1}")
        axes.set_ylabel("rows")
        axes.set_xlim(0, 1)
        if k == 0:
            axes.legend(fontsize=7)

    return panel
