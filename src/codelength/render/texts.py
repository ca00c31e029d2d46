"""Texts made safe to show: they may come from any table, and a terminal obeys what it is sent."""

import unicodedata

# Marks that reorder the text around them, so that what is shown is not what is there.
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def one_line(text: str, encoding: str = "utf-8") -> str:
    """A text on one line, with a mark for each control character; ``?`` for what an encoding lacks.

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
