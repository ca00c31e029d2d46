"""Drawings in SVG: scales, axes and marks.

Charts have a fixed inner width that fits a phone and are scaled up only a little, so that labels keep a
readable size. Bars and dots next to words are placed in per cent of their width. Colours come from the style
sheet, by class.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..render.markup import Child, Markup, tag

Scale = Callable[[float], float]


def drawing(width: float, height: float, label: str, *children: Child) -> Markup:
    """Return a chart with a text alternative.

    Parameters
    ----------
    width, height : float
        Size in units of the chart.
    label : str
        Description for screen readers.
    *children
        Marks of the chart.
    """
    return tag(
        "svg",
        *children,
        class_="chart",
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
    )


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

    def rule(self, y: float, words: str) -> list[Child]:
        """Return a line across the chart, and its label on the left."""
        return [
            line(self.left, y, self.width - self.right, y, "rule"),
            text(self.left - 8, y + 4, words, anchor="end"),
        ]

    def below(self, x: float, words: str) -> Markup:
        """Return a label of the horizontal axis."""
        return text(x, self.height - self.bottom + 18, words)

    def titles(self, horizontal: str, vertical: str) -> list[Child]:
        """Return the titles of both axes."""
        middle = (self.top + self.height - self.bottom) / 2
        return [
            text(self.centre, self.height - 8, horizontal, "title"),
            text(14, middle, vertical, "title", transform=f"rotate(-90 14 {middle:g})"),
        ]

    def drawing(self, label: str, *children: Child) -> Markup:
        """Return the chart; see :func:`drawing`."""
        return drawing(self.width, self.height, label, *children)


def linear(low: float, high: float, start: float, end: float) -> Scale:
    """Return a function from values to positions.

    Parameters
    ----------
    low, high : float
        Range of the values.
    start, end : float
        Range of the positions; it may decrease.

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

    Parameters
    ----------
    low, high : float
        Limits.
    most : int
        Most numbers to return.

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


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """Return a straight line."""
    return tag("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=kind)


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "middle", **attributes: str) -> Markup:
    """Return a label of a chart.

    Parameters
    ----------
    x, y : float
        Position.
    words : str
        Text of the label.
    kind : str
        Class of the style sheet.
    anchor : str
        Alignment: ``"start"``, ``"middle"`` or ``"end"``.
    **attributes
        Further attributes of the element.
    """
    side = None if anchor == "start" else anchor
    return tag("text", words, x=float(x), y=float(y), class_=kind or None, text_anchor=side, **attributes)


def path(points: Sequence[tuple[float, float]], kind: str, *, closed: bool = False) -> Markup:
    """Return a line through points, or the area within them.

    Parameters
    ----------
    points : sequence of (float, float)
        Corners.
    kind : str
        Class of the style sheet.
    closed : bool
        Whether the path encloses an area.
    """
    # One decimal is enough for the size of these charts, and keeps the file small.
    d = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + ("Z" if closed else "")
    return tag("path", d=d, class_=kind)


def dot(x: float, y: float, radius: float, kind: str) -> Markup:
    """Return a dot."""
    return tag("circle", cx=float(x), cy=float(y), r=float(radius), class_=kind)


def share(value: float) -> str:
    """Return a position in per cent of the width.

    Examples
    --------
    >>> share(0.43219)
    '43.2%'
    """
    return f"{round(100 * value, 1):g}%"
