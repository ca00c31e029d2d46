"""Heat map of bivariate residuals."""

import numpy as np

from ..decisions import ranked
from ..latent.residuals import LARGE, BivariateResiduals
from .style import Axes, Panel

MOST_VARIABLES = 40
"""Most variables; those with the smallest residuals are left out."""

LONGEST = 24
"""Most characters of a name."""

WRITTEN_UP_TO = 16
"""Most variables for which each cell has its number."""


def residual_panel(residuals: BivariateResiduals) -> tuple[Panel, tuple[float, float]]:
    """Return a panel with one row and one column per variable, and its size in inches.

    Parameters
    ----------
    residuals : BivariateResiduals
        Residuals of a fitted mixture.
    """
    # A variable counts by its largest residual: that is where local dependence shows.
    largest = np.nan_to_num(residuals.values, nan=0.0).max(axis=0, initial=0.0)
    kept = np.sort(ranked(largest)[:MOST_VARIABLES])
    names = [_short(residuals.names[i]) for i in kept]
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

    return panel, size


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
