"""Formulas as MathML: no script, no network, nothing to install; browsers set them themselves."""

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)

SPELLINGS = {r"\dots": r"\ldots"}
"""Commands that the converter knows under another name."""


def inline(self: Any, node: Any) -> None:
    """A formula in a line."""
    self.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def block(self: Any, node: Any) -> None:
    """A formula of its own."""
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(_mathml(node, as_block=True))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def _mathml(node: Any, *, as_block: bool) -> str:
    text = node.astext()
    for spelling, known in SPELLINGS.items():
        text = text.replace(spelling, known)
    try:
        return str(latex2mathml.tex2mathml(text, as_block=as_block))
    except MathError as error:
        logger.warning("formula %r: %s", text, error, location=node)
        return ""


def setup(app: Any) -> dict[str, bool]:
    """Enter the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
