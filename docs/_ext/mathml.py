"""Formulas as MathML: no script, no network, nothing to install; browsers set them themselves."""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)

SPELLINGS = {
    r"\\dots\b": r"\\ldots",
    r"\\([td]?frac)\s*(\d)\s*(\w)": r"\\\1{\2}{\3}",
    r"\\(hat|tilde|bar)\s*(\\[A-Za-z]+|\w)": r"\\\1{\2}",
}
"""Spellings of LaTeX that the converter misreads, and those that it reads."""


def inline(self: Any, node: Any) -> None:
    """Add a formula in a line."""
    self.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def block(self: Any, node: Any) -> None:
    """Add a formula on lines of its own."""
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(_mathml(node, as_block=True))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def _mathml(node: Any, *, as_block: bool) -> str:
    text = node.astext()
    for spelling, known in SPELLINGS.items():
        text = re.sub(spelling, known, text)
    try:
        return str(latex2mathml.tex2mathml(text, as_block=as_block))
    except MathError as error:
        logger.warning("formula %r: %s", text, error, location=node)
        return ""


def setup(app: Any) -> dict[str, bool]:
    """Enter the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
