"""Scales of charts, and numbers as their templates write them.

Charts have a fixed inner width that fits a phone and are scaled up only a little, so that labels keep a
readable size. Bars and dots next to words are placed in per cent of their width.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Scale = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Frame:
    """Size of a chart, and the margins around its marks.

    Attributes
    ----------
    width, height : float
        Size in units of the chart.
    left, right, top, bottom : float
        Margins.
    """

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float

    @property
    def centre(self) -> float:
        """Horizontal position between the margins."""
        return (self.left + self.width - self.right) / 2

    def across(self, low: float, high: float, inset: float = 0.0) -> Scale:
        """Return a scale from left to right, with more space at both ends."""
        return linear(low, high, self.left + inset, self.width - self.right - inset)

    def upwards(self, low: float, high: float) -> Scale:
        """Return a scale from bottom to top."""
        return linear(low, high, self.height - self.bottom, self.top)


def linear(low: float, high: float, start: float, end: float) -> Scale:
    """Return a function from values to positions.

    Examples
    --------
    >>> linear(0, 10, 100, 200)(5)
    150.0
    """
    # A range of a single value maps it to the start.
    span = (high - low) or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers within limits.

    Examples
    --------
    >>> ticks(0, 1, 6), ticks(0.02, 0.33, 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.1, 0.2, 0.3])
    """
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    for step in (power * multiple for multiple in (1, 2, 5, 10, 20)):
        # The tolerance keeps limits that are multiples of the step up to rounding.
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            return [round(n * step, 12) for n in range(first, last + 1)]
    return []


def places(values: Sequence[float]) -> int:
    """Return the number of decimals that the labels of an axis need.

    Examples
    --------
    >>> places([0.0, 0.25]), places([0.0, 5.0])
    (2, 0)
    """
    return max((len(f"{round(value, 9):g}".partition(".")[2]) for value in values), default=0)


def path_of(points: Sequence[tuple[float, ...]], closed: bool = False) -> str:
    """Return the outline through points, whose last two numbers are their position.

    Examples
    --------
    >>> path_of([(0.0, 1.0), (2.0, 3.25)])
    'M0.0 1.0L2.0 3.2'
    """
    # One decimal is enough for the size of these charts, and keeps the file small.
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for *_, x, y in points) + ("Z" if closed else "")


def pixels(value: float) -> str:
    """Return a position; two decimals are finer than a pixel."""
    return f"{round(value, 2):g}"


def share(value: float) -> str:
    """Return a position in per cent of the width.

    Examples
    --------
    >>> share(0.43219)
    '43.2%'
    """
    return f"{round(100 * value, 1):g}%"
