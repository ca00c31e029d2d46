"""HTML of blocks, for pages with the style sheet of :mod:`codelength.reporting`.

Texts are escaped. Wide tables scroll on their own.
"""

from collections.abc import Callable, Iterable

from ..blocks import Block, Bullets, Facts, Grid, Heading, Paragraph, Picture, Strong
from .markup import Child, Markup, join, tag
from .texts import one_line

LOWEST_HEADING = 6


def html(
    blocks: Iterable[Block],
    *,
    below: int = 0,
    kind_of: Callable[[str], str | None] = lambda text: None,
    drawn: Callable[[Picture], Child] = lambda picture: None,
) -> Markup:
    """Return blocks as HTML elements.

    Parameters
    ----------
    blocks : iterable of block
        Blocks to render.
    below : int
        Levels by which headings are moved down.
    kind_of : function
        Function from the text of a cell to its class in the style sheet, or None.
    drawn : function
        Function from a picture to its element; by default pictures are left out.

    Examples
    --------
    >>> html([Heading("A < B", 2), Paragraph("so it is")])
    '<h2>A &lt; B</h2><p>so it is</p>'
    """
    return join(_element(block, below, kind_of, drawn) for block in blocks)


def _element(
    block: Block,
    below: int,
    kind_of: Callable[[str], str | None],
    drawn: Callable[[Picture], Child],
) -> Child:
    """Return a block as an element; None if it is empty."""
    match block:
        case Heading(text=text, level=level, anchor=anchor):
            return tag(f"h{min(level + below, LOWEST_HEADING)}", _flat(text), id=anchor or None)
        case Paragraph(text=text, strong=strong):
            return tag("p", _flat(text), class_="warn" if strong else None)
        case Bullets(items=items, numbered=numbered):
            inner = [tag("li", _flat(item)) for item in items]
            return tag("ol" if numbered else "ul", inner) if inner else None
        case Facts(items=items, title=title):
            pairs = [tag("div", tag("dt", _flat(name)), tag("dd", _flat(fact))) for name, fact in items]
            heading = tag("p", tag("b", _flat(title))) if title else None
            return join(heading, tag("dl", pairs, class_="facts") if pairs else None)
        case Picture():
            return drawn(block)
        case Grid():
            return _table(block, kind_of)


def _table(grid: Grid, kind_of: Callable[[str], str | None]) -> Markup:
    """Return a table in a region that scrolls on its own."""
    head = [
        # An empty heading announced as a heading confuses screen readers.
        tag("th" if name else "td", _flat(name), scope="col" if name else None, class_=_side(n, grid))
        for n, name in enumerate(grid.names)
    ]
    body = [tag("tr", [_cell(cell, n, grid, kind_of) for n, cell in enumerate(row)]) for row in grid.rows]
    caption = tag("caption", _flat(grid.title)) if grid.title else None
    table = tag("table", caption, tag("thead", tag("tr", head)), tag("tbody", body))
    # Screen readers announce the region by this label; a table without a title is named by its columns.
    label = _flat(grid.title) or f"Table of {', '.join(_flat(name) for name in grid.names[:3] if name)}"
    return tag("div", table, class_="scroll", role="group", aria_label=label, tabindex="0")


def _cell(cell: str, n: int, grid: Grid, kind_of: Callable[[str], str | None]) -> Markup:
    """Return a cell; a kind of the style sheet takes precedence over bold."""
    text = _flat(cell)
    kind = kind_of(text)
    inner: Child = tag("span", text, class_=kind) if kind else text
    if isinstance(cell, Strong) and not kind:
        inner = tag("b", text)
    return tag("td", inner, class_=_side(n, grid))


def _side(n: int, grid: Grid) -> str | None:
    return None if n < grid.n_text else "n"


def _flat(text: str) -> str:
    return one_line(str(text))
