"""Figure of matplotlib that a notebook shows without any set-up."""

import io

import matplotlib
from matplotlib.figure import Figure

from .style import PLOT_STYLE


class ShownFigure(Figure):
    """Figure that a notebook shows as SVG."""

    def _repr_svg_(self) -> str:
        stream = io.StringIO()
        # The style is that of the moment of writing: fonts and the salt of identifiers are not part of a
        # figure.
        with matplotlib.rc_context(PLOT_STYLE):
            self.savefig(stream, format="svg", metadata={"Date": None, "Creator": "codelength"})
        return stream.getvalue()
