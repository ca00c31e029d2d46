"""How figures look: colours, lines and axes."""

from collections.abc import Callable
from typing import Any, TypeAlias

Axes: TypeAlias = Any
Panel: TypeAlias = Callable[[Axes], None]
"""Draws into one pair of axes."""

# Okabe and Ito's colours, which stay apart for every kind of colour vision; line styles differ as well.
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
AMBER, SKY, YELLOW, BLACK = "#E69F00", "#56B4E9", "#F0E442", "#000000"
GREY = "#777777"

PLOT_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "codelength",
    "svg.fonttype": "none",
    "font.size": 10,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
}


def plain(value: float, _: int) -> str:
    """A number on an axis without powers of ten."""
    return f"{value:g}"
