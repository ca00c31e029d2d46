"""HTML of blocks, for pages with the style sheet of :mod:`codelength.reporting`."""

from collections.abc import Iterable

from ..blocks import Block, Strong
from .templates import Markup, macro, templates
from .texts import one_line

templates.filters["one_line"] = one_line
templates.tests["strong"] = lambda cell: isinstance(cell, Strong)


def html(blocks: Iterable[Block], *, below: int = 0) -> Markup:
    """Return blocks as HTML elements, with all texts escaped; pictures are left out.

    Parameters
    ----------
    blocks : iterable of block
        Blocks to render.
    below : int
        Levels by which headings are moved down.

    Examples
    --------
    >>> from codelength.blocks import Heading, Paragraph
    >>> print(html([Heading("A < B", 2), Paragraph("so it is")]))
    <h2>A &lt; B</h2><p>so it is</p>
    """
    elements = (macro(type(block).__name__, within="render/blocks")(block, below) for block in blocks)
    return Markup("").join(elements)
