"""Drawings that several figures share."""

from collections.abc import Sequence
from typing import Any

from codelength.plot.style import Axes, plain, symmetric

DARK = "#444444"


def plain_log(axis: Any) -> None:
    """Write the labels of a log axis without powers of ten, and none on minor ticks."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_formatter(NullFormatter())


def at_numbers(axes: Axes, numbers: Sequence[int]) -> None:
    """Scale the horizontal axis logarithmically, with ticks at some numbers only."""
    axes.set_xscale("log")
    axes.set_xticks(numbers, [plain(n, 0) for n in numbers])
    axes.minorticks_off()


def band(
    axes: Axes,
    across: Sequence[float],
    means: Sequence[float],
    errors: Sequence[float],
    colour: str,
    alpha: float,
) -> None:
    """Fill the area within one error of means."""
    ends = [[mean + sign * error for mean, error in zip(means, errors, strict=True)] for sign in (-1, 1)]
    axes.fill_between(across, *ends, color=colour, alpha=alpha, linewidth=0)


def by_table(axes: Axes, names: Sequence[str], linear: float | None = None, fontsize: float = 8) -> None:
    """Draw a line at zero and name the tables, one below the other."""
    axes.axvline(0, color=DARK, linewidth=0.9)
    if linear is not None:
        symmetric(axes, linear)
    axes.set_yticks(range(len(names)), names, fontsize=fontsize)
    axes.grid(visible=False, axis="y")
