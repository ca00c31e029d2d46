"""Bivariate residuals of a mixture."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..decisions import ranked
from ._display import Display
from .drawing import Axes, heat_map, short

if TYPE_CHECKING:
    from ..estimators import FiniteMixture
    from ..latent.residuals import BivariateResiduals

MAX_VARIABLES = 40
"""Most variables; those with the smallest residuals are left out."""

LONGEST = 24
"""Most characters of a name."""

WRITTEN_UP_TO = 16
"""Most variables for which each cell has its number."""


class ResidualsDisplay(Display):
    """Heat map of the bivariate residuals: pairs of variables that the classes do not explain.

    Parameters
    ----------
    residuals : BivariateResiduals
        ``residuals_`` of a fitted mixture.
    """

    def __init__(self, residuals: "BivariateResiduals") -> None:
        self.residuals = residuals
        # A variable counts by its largest residual: that is where local dependence shows.
        largest = np.nan_to_num(residuals.values, nan=0.0).max(axis=0, initial=0.0)
        self._kept = np.sort(ranked(largest)[:MAX_VARIABLES])
        self.size = 2.6 + 0.3 * len(self._kept), 2.0 + 0.3 * len(self._kept)

    @classmethod
    def from_estimator(cls, estimator: "FiniteMixture", *, ax: Any = None) -> Self:
        """Draw the residuals of a fitted mixture.

        Parameters
        ----------
        estimator : FiniteMixture
            A fitted model.
        ax : matplotlib Axes, optional
            Axes to draw into.
        """
        return cls(estimator.residuals_).plot(ax)

    def draw(self, axes: Axes) -> None:
        """Draw one row and one column per variable."""
        from ..latent.residuals import LARGE

        values = self.residuals.values[np.ix_(self._kept, self._kept)]
        # The colours span at least twice the threshold and at most ten times: a good fit should not look
        # alarming, and one huge residual should not hide the others.
        top = min(max(2 * LARGE, float(np.nanmax(values, initial=0.0))), 10 * LARGE)
        told = f"chi-squared over df (above {LARGE:g}: look)"
        heat_map(axes, values, top, told, _text if len(values) <= WRITTEN_UP_TO else None)
        names = [short(self.residuals.names[i], LONGEST) for i in self._kept]
        axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7, parse_math=False)
        axes.set_yticks(range(len(names)), names, fontsize=7, parse_math=False)
        n_left = len(self.residuals.names) - len(names)
        left = f"; {n_left} variables left out" if n_left else ""
        axes.set_title(f"bivariate residuals: total {self.residuals.total:.1f}{left}", fontsize=9)


def _text(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"
