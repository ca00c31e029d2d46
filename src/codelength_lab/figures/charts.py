"""Drawings that several figures share."""

from collections.abc import Sequence
from typing import Any

from codelength.plot.drawing import Axes, plain

DARK = "#444444"


def label(
    axes: Axes,
    title: str,
    xlabel: str,
    ylabel: str = "",
    *,
    legend: dict[str, Any] | None = None,
    size: float | None = None,
    **settings: Any,
) -> None:
    """Set scales and limits, the title in a size of its own, labels, and a legend with some options."""
    axes.set(**settings)
    axes.set(title=title, xlabel=xlabel, ylabel=ylabel)
    if size is not None:
        axes.title.set_fontsize(size)
    if legend is not None:
        axes.legend(**legend)


def plain_log(axis: Any) -> None:
    """Write the labels of a log axis without powers of ten, and none on minor ticks."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_formatter(NullFormatter())


def fixed_ticks(axis: Any, ticks: Sequence[float]) -> None:
    """Set plain ticks at some places only."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(plain))


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
