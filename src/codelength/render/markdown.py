"""Markdown of blocks, in the dialect of GitHub.

Texts are escaped and appear unchanged. A cell with the text of a heading that has an anchor becomes a link to
it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from ..blocks import Block, Bullets, Facts, Grid, Heading, Paragraph, Picture, Strong
from . import one_line

# Letters and digits on both sides keep an underscore from being emphasis.
_SPECIAL = re.compile(r"[\\`*\[\]<>|~$]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
# At the start of a line, these begin a list, a heading or an underline of one.
_AT_START = re.compile(r"^(?:(\d+)([.)])|([#+=-]))(?=\s|$|[#=-])")


def markdown(blocks: Iterable[Block]) -> str:
    """Return the text of a Markdown file.

    Examples
    --------
    >>> from codelength.blocks import Grid
    >>> print(markdown([Heading("A * B", 2), Grid("", ["rule", "score"], [["map", "1.5"]])]))
    ## A \\* B
    <BLANKLINE>
    | rule | score |
    |---|---:|
    | map | 1.5 |
    <BLANKLINE>
    """
    page = list(blocks)
    anchors = {block.text: block.anchor for block in page if isinstance(block, Heading) and block.anchor}
    parts = [_text_of(block, anchors) for block in page]
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: str) -> str:
    """Return a text on one line that Markdown shows unchanged.

    Examples
    --------
    >>> print(escaped("LN* is <b>log_score</b> | 1"))
    LN\\* is \\<b\\>log_score\\</b\\> \\| 1
    """
    safe = _SPECIAL.sub(lambda match: f"\\{match.group()}", one_line(str(text)))
    return _AT_START.sub(lambda match: f"{match[1] or ''}\\{match[2] or match[3]}", safe)


def _text_of(block: Block, anchors: Mapping[str, str]) -> str:
    """Return the Markdown of a block."""
    match block:
        case Heading(text=text, level=level, anchor=anchor):
            heading = f"{'#' * level} {escaped(text)}"
            # An explicit anchor, because those that renderers derive from headings differ.
            return f'<a id="{quote(anchor)}"></a>\n\n{heading}' if anchor else heading
        case Paragraph(text=text, strong=strong):
            return _strong(text) if strong else escaped(text)
        case Bullets(items=items, numbered=numbered):
            marks = [f"{n}." if numbered else "-" for n in range(1, len(items) + 1)]
            return "\n".join(f"{mark} {escaped(item)}" for mark, item in zip(marks, items, strict=True))
        case Facts(items=items, title=title):
            facts = "\n".join(f"- {_strong(name)}: {escaped(fact)}" for name, fact in items)
            return f"{_strong(title)}\n\n{facts}" if title else facts
        case Picture(path=path, caption=caption):
            return f"![{escaped(caption)}]({quote(path, safe='/:')})"
        case Grid(title=title):
            table = _table(block, anchors)
            return f"{_strong(title)}\n\n{table}" if title else table


def _table(grid: Grid, anchors: Mapping[str, str]) -> str:
    rules = ["---" if n < grid.n_text else "---:" for n in range(len(grid.names))]
    rows = [_row([_cell(cell, anchors) for cell in row]) for row in grid.rows]
    return "\n".join([_row([escaped(name) for name in grid.names]), f"|{'|'.join(rules)}|", *rows])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: str, anchors: Mapping[str, str]) -> str:
    if cell and cell in anchors:
        return f"[{escaped(cell)}](#{quote(anchors[cell])})"
    return _strong(cell) if isinstance(cell, Strong) else escaped(cell)


def _strong(text: str) -> str:
    safe = escaped(text)
    return f"**{safe}**" if safe else ""
