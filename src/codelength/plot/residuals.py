"""Bivariate residuals of a mixture."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..decisions import ranked
from ._display import Display, short
from .style import Axes, Panel

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

    def panels(self) -> tuple[list[Panel], tuple[float, float]]:
        """Return the function that draws one row and one column per variable, and its size in inches."""
        from ..latent.residuals import LARGE

        residuals = self.residuals
        # A variable counts by its largest residual: that is where local dependence shows.
        largest = np.nan_to_num(residuals.values, nan=0.0).max(axis=0, initial=0.0)
        kept = np.sort(ranked(largest)[:MAX_VARIABLES])
        names = [short(residuals.names[i], LONGEST) for i in kept]
        n_left = len(residuals.names) - len(kept)
        size = (2.6 + 0.3 * len(kept), 2.0 + 0.3 * len(kept))

        def panel(axes: Axes) -> None:
            values = residuals.values[np.ix_(kept, kept)]
            # The colours span at least twice the threshold and at most ten times: a good fit should not look
            # alarming, and one huge residual should not hide the others.
            top = max(2 * LARGE, float(np.nanmax(values, initial=0.0)))
            image = axes.imshow(
                values, cmap="cividis", vmin=0, vmax=min(top, 10 * LARGE), interpolation="nearest"
            )
            axes.set_xticks(range(len(kept)), names, rotation=90, fontsize=7, parse_math=False)
            axes.set_yticks(range(len(kept)), names, fontsize=7, parse_math=False)
            axes.grid(visible=False)
            axes.tick_params(length=0)
            if len(kept) <= WRITTEN_UP_TO:
                for i, row in enumerate(values):
                    for j, value in enumerate(row):
                        if not np.isnan(value):
                            colour = "black" if value > 0.55 * min(top, 10 * LARGE) else "white"
                            text = f"{value:.1f}" if value < 100 else f"{value:.0f}"
                            axes.text(j, i, text, ha="center", va="center", fontsize=6, color=colour)
            left = f"; {n_left} variables left out" if n_left else ""
            axes.set_title(f"bivariate residuals: total {residuals.total:.1f}{left}", fontsize=9)
            bar = axes.figure.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
            bar.set_label(f"chi-squared over df (above {LARGE:g}: look)", fontsize=7)
            bar.ax.tick_params(labelsize=7)
            bar.outline.set_visible(False)

        return [panel], size
