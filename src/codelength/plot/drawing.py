"""Figures with several panels, and reproducible image files."""

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._files import atomic_write
from ..errors import InvalidParameter
from .style import PLOT_STYLE, Panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 3
"""Most panels in a row."""


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
