"""HTML: blocks, and templates in which every text is escaped.

A template is a file that ends in ``.html.j2``, named by its path in the package. Its lines may be broken and
indented freely: a break is a space next to a word within a text, and nothing next to an element or a
statement.
"""

import re
from collections.abc import Iterable
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension, do
from markupsafe import Markup as Markup

from ..blocks import Block, Strong
from . import one_line

# HTML allows neither control characters nor lone surrogates, not even as references. Marks of text direction
# would reorder the text around them, so that it reads differently from its content.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
# Ends and beginnings of lines that belong to running text: words, expressions and elements within a line.
_ENDS = re.compile(r"(?:[^>}]|\}\}|</(?:a|b|span)>)$")
_BEGINS = re.compile(r"[^<{]|\{\{|<(?:a|b|span)\b")


def escaped(value: object) -> Markup:
    """Return a value escaped for use between tags and within quotes; empty for None.

    Examples
    --------
    >>> print(escaped('<"' + chr(0)), escaped(Markup("<br>")))
    &lt;&quot;\ufffd <br>
    """
    if isinstance(value, Markup):
        return value
    return Markup("" if value is None else escape(_FORBIDDEN.sub("\ufffd", str(value))))


class _Unwrapped(Extension):
    """Joins the lines of templates."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        lines = [line.strip() for line in source.splitlines() if line.strip()]
        return "".join(line + _gap(line, following) for line, following in pairwise([*lines, "<"]))


def _gap(line: str, following: str) -> str:
    """Return the space for the break between two lines."""
    has_word = line[-1] not in ">}" or following[0] not in "<{"
    return " " if has_word and _ENDS.search(line) and _BEGINS.match(following) else ""


templates = Environment(
    loader=FileSystemLoader(Path(__file__).parents[1]),
    autoescape=True,
    finalize=escaped,
    undefined=StrictUndefined,
    extensions=[_Unwrapped, do],
)
"""All templates of the library."""

templates.filters["one_line"] = one_line
templates.tests["strong"] = lambda cell: isinstance(cell, Strong)


def rendered(name: str, **values: Any) -> Markup:
    """Return the text of a template.

    Parameters
    ----------
    name : str
        Path in the package, without the ending.
    **values
        Names that the template uses.
    """
    return Markup(templates.get_template(f"{name}.html.j2").render(values))


def macro(name: str, within: str) -> Any:
    """Return a macro of a template as a function.

    Parameters
    ----------
    name : str
        Name of the macro.
    within : str
        Path of the template in the package, without the ending.
    """
    return getattr(templates.get_template(f"{within}.html.j2").module, name)


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
