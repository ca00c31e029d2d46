"""Style of figures, figures with several panels, parts that displays share, and reproducible image files."""

import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .._files import atomic_write
from ..errors import InvalidParameter

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Axes: TypeAlias = Any
Panel: TypeAlias = Callable[[Axes], None]
"""Function that draws into one pair of axes."""

# Okabe and Ito's colours, which stay apart for every kind of colour vision; line styles differ as well.
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
AMBER, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
GREY, DARK = "#777777", "#444444"

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

COLUMNS = 3
"""Most panels in a row."""


def plain(value: float, _: int) -> str:
    """Return a number on an axis without powers of ten."""
    return f"{value:g}"


def heat_map(
    axes: Axes,
    values: Any,
    top: float,
    told: str,
    write: Callable[[float], str] | None,
    aspect: str = "equal",
) -> None:
    """Draw a matrix by colours, with a bar that explains them.

    Parameters
    ----------
    axes : matplotlib Axes
        Axes to draw into.
    values : array of shape (n_rows, n_columns)
        Numbers from 0; NaN leaves a cell empty.
    top : float
        The number that has the last colour.
    told : str
        Label of the bar.
    write : function or None
        Text of the number in a cell; None for cells without text.
    aspect : str
        ``"equal"`` for square cells, ``"auto"`` to fill the axes.
    """
    image = axes.imshow(values, cmap="cividis", vmin=0, vmax=top, aspect=aspect, interpolation="nearest")
    if write is not None:
        for (y, x), value in np.ndenumerate(values):
            # Readable on both ends of the colour map, which is dark for small numbers.
            colour = "black" if value > 0.55 * top else "white"
            text = "" if np.isnan(value) else write(value)
            axes.text(x, y, text, ha="center", va="center", fontsize=6, color=colour)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    bar = axes.figure.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
    bar.set_label(told, fontsize=7)
    bar.ax.tick_params(labelsize=7)
    bar.outline.set_visible(False)


def name_rows(axes: Axes, names: Sequence[str], longest: int) -> None:
    """Write names beside rows, the first at the top, and a line at zero."""
    axes.axvline(0, color=DARK, linewidth=0.9)
    axes.set_yticks(range(len(names)), [short(name, longest) for name in names], fontsize=8, parse_math=False)
    axes.invert_yaxis()


def short(text: str, most: int) -> str:
    """Return a text on one line, cut if it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def figure_of(panels: Sequence[Panel], size: tuple[float, float] = (4.8, 3.8)) -> "Figure":
    """Return a figure with panels in rows of at most three, each of a size in inches."""
    try:
        import matplotlib
    except ImportError:
        raise InvalidParameter(
            'figures need matplotlib; install it with pip install "codelength[plot]"'
        ) from None
    from matplotlib.figure import Figure

    n_columns = min(len(panels), COLUMNS)
    n_rows = -(-len(panels) // n_columns)
    with matplotlib.rc_context(PLOT_STYLE):
        figure = Figure(figsize=(size[0] * n_columns, size[1] * n_rows), layout="constrained")
        places = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
        for axes, panel in zip(places, panels, strict=False):
            panel(axes)
        # The grid of axes is rectangular; places without a panel are removed.
        for axes in places[len(panels) :]:
            axes.remove()
    figure._repr_svg_ = lambda: _svg(figure)  # type: ignore[attr-defined]
    return figure


def _svg(figure: "Figure") -> str:
    """Return a figure as SVG, for notebooks.

    The style is that of the moment of writing: fonts and the salt of identifiers are not part of a figure.
    """
    import matplotlib

    stream = io.StringIO()
    with matplotlib.rc_context(PLOT_STYLE):
        figure.savefig(stream, **_options("svg"))
    return stream.getvalue()


def save_figure(figure: "Figure", path: str | os.PathLike[str]) -> Path:
    """Write a figure, in the format that the name of the file ends in."""
    import matplotlib

    path = Path(path)
    check_name(path)
    # With the fixed salt of the style, the identifiers in an SVG file are the same in every run.
    with matplotlib.rc_context(PLOT_STYLE), atomic_write(path) as temporary:
        figure.savefig(temporary, **_options(path.suffix.lower().removeprefix(".")))
    return path


def check_name(path: Path) -> None:
    """Raise ``InvalidParameter`` if the name of a file does not end in a known format."""
    if path.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise InvalidParameter(f"{path}: a figure is an .svg, .png or .pdf file; give one of these names")


def _options(kind: str) -> dict[str, Any]:
    """Return the options of a format, without dates: the same figure gives the same bytes."""
    if kind == "svg":
        return {"format": kind, "metadata": {"Date": None, "Creator": "codelength"}}
    if kind == "pdf":
        return {"format": kind, "metadata": {"CreationDate": None, "Creator": "codelength"}}
    return {"format": kind, "dpi": 150}
