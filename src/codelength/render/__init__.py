"""Renderers of blocks: terminal, Markdown, HTML and LaTeX.

Texts may come from any table, and terminals execute control characters: all renderers make texts safe to show
by :func:`one_line`.
"""

import unicodedata

# Marks of text direction, which reorder the text around them so that it reads differently from its content.
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def one_line(text: str, encoding: str = "utf-8") -> str:
    """Return a text on one line, with a mark for each control character and ``?`` for unencodable ones.

    Parameters
    ----------
    text : str
        Text from anywhere.
    encoding : str
        Encoding of the output.

    Examples
    --------
    >>> one_line("red" + chr(27) + "[31m and" + chr(10) + "  green")
    'red\ufffd[31m and green'
    >>> one_line("0.1 ± 0.2", "ascii")
    '0.1 ? 0.2'
    """
    flat = " ".join(text.split())
    kept = "".join(character if _is_safe(character) else "\ufffd" for character in flat)
    return kept.encode(encoding, "replace").decode(encoding)


def _is_safe(character: str) -> bool:
    return unicodedata.category(character) != "Cc" and character not in _DIRECTIONS
