"""A figure of matplotlib that shows itself in a notebook, whatever has been set up there."""

import io

import matplotlib
from matplotlib.figure import Figure

from .style import PLOT_STYLE


class ShownFigure(Figure):
    """A figure; a notebook shows it as SVG."""

    def _repr_svg_(self) -> str:
        stream = io.StringIO()
        with matplotlib.rc_context(PLOT_STYLE):
            self.savefig(stream, format="svg", metadata={"Date": None, "Creator": "codelength"})
        return stream.getvalue()
