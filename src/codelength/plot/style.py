"""Style of figures: colours, lines and axes."""

from collections.abc import Callable
from typing import Any, TypeAlias

Axes: TypeAlias = Any
Panel: TypeAlias = Callable[[Axes], None]
"""Function that draws into one pair of axes."""

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
    """Return a number on an axis without powers of ten."""
    return f"{value:g}"


def symmetric(axes: Axes, linear: float) -> None:
    """Set a symmetric logarithmic axis for gains of either sign, linear up to some size."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_xscale("symlog", linthresh=linear)
    # Before the limits are taken, the scale must be set: it changes them.
    low, high = (1.3 * end for end in axes.get_xlim())
    sizes = [linear * 10**step for step in range(7)]
    ticks = [-size for size in sizes[::-1]] + [0.0] + sizes
    axes.xaxis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_xlim(low, high)
