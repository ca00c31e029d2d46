"""Elements of a page, escaped by construction.

:func:`tag` makes an element of its children. A child that is :class:`Markup` is kept as it is; any other text
is escaped. Only results of :func:`tag` are markup, so that no text of a table can become an element.
"""

import html
import re
from collections.abc import Iterable
from typing import TypeAlias

_VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta"})

# HTML allows neither control characters nor lone surrogates, not even as references. Marks of text direction
# would reorder the text around them, so that it reads differently from its content.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


class Markup(str):
    """Text that is HTML already and is not escaped again."""

    __slots__ = ()


Child: TypeAlias = str | int | float | Iterable["Child"] | None
Attribute: TypeAlias = str | float | bool | None


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """Return an element.

    Parameters
    ----------
    name : str
        Name of the element.
    *children
        Texts, elements, or sequences of them; None is skipped.
    **attributes
        Attributes. Underscores stand for hyphens, and a trailing one is dropped (``class_``). None and False
        leave the attribute out, and True gives it without a value.

    Examples
    --------
    >>> tag("p", "a < b ", tag("b", "and"), class_="lead", hidden=True)
    '<p class="lead" hidden>a &lt; b <b>and</b></p>'
    """
    given = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{join(*children)}</{name}>")


def join(*children: Child) -> Markup:
    """Return children one after the other, without an element around them.

    Examples
    --------
    >>> join("1 < 2", [tag("br"), None, 3])
    '1 &lt; 2<br>3'
    """
    return Markup("".join(_child(child) for child in children))


def escaped(text: str) -> Markup:
    """Return a text escaped for use between tags and within quotes.

    Examples
    --------
    >>> escaped('<"' + chr(0))
    '&lt;&quot;\ufffd'
    """
    return Markup(html.escape(_FORBIDDEN.sub("\ufffd", text)))


def _child(child: Child) -> str:
    """Return a child as escaped text; markup stays as it is."""
    if child is None:
        return ""
    # Before the test for str, of which Markup is a subclass.
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return escaped(child)
    if isinstance(child, (int, float)):
        return escaped(str(child))
    return join(*child)


def _attribute(key: str, value: Attribute) -> str:
    """Return an attribute with a leading space; empty for None and False."""
    name = key.removesuffix("_").replace("_", "-")
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    # Two decimals are finer than a pixel and keep files small.
    text = f"{round(value, 2):g}" if isinstance(value, float) else str(value)
    return f' {name}="{escaped(text)}"'
