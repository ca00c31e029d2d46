"""Short forms of values for messages."""

import difflib
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any


def shown(value: Any, most: int = 60) -> str:
    """Return a value as Python writes it, shortened.

    Examples
    --------
    >>> shown("red"), shown("x" * 100, most=8)
    ("'red'", "'xxx ...")
    """
    try:
        text = repr(value)
    except Exception:  # a whole number of many thousand digits, or an object that fails to describe itself
        text = f"<{type(value).__name__} that cannot be written>"
    if "\n" in text:  # an array, or a frame
        text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 4]} ..."


def shortened(text: str, most: int = 300) -> str:
    """Return text on one line, shortened.

    Examples
    --------
    >>> shortened("one\\ntwo three", most=9)
    'one t ...'
    """
    flat = " ".join(text[: 4 * most].split())
    return flat if len(flat) <= most else f"{flat[: most - 4]} ..."


def listed(values: Sequence[Any], most: int = 8) -> str:
    """Return the first values in brackets, and the number of the others.

    Examples
    --------
    >>> listed(("a", "b", "c"), most=2)
    "('a', 'b', ... 1 more)"
    """
    texts = ", ".join(shown(value) for value in values[:most])
    return f"({texts}, ... {len(values) - most} more)" if len(values) > most else f"({texts})"


def repeated(names: Iterable[Any]) -> list[str]:
    """Return names that occur more than once."""
    return sorted(str(name) for name, times in Counter(names).items() if times > 1)


def suggestion(name: Any, names: Iterable[str]) -> str:
    """Return the names nearest to ``name`` as the end of a message; empty if none is near.

    Examples
    --------
    >>> suggestion("color", ["colour", "size"])
    "; did you mean 'colour'?"
    """
    if not isinstance(name, str):
        return ""
    folded = {str(known).casefold(): known for known in names}
    near = [folded[match] for match in difflib.get_close_matches(name.casefold(), folded, n=3)]
    return f"; did you mean {' or '.join(shown(match) for match in near)}?" if near else ""


def tell(message: str, category: type[Warning]) -> None:
    """Warn at the line outside the package that led here, however deep the call is."""
    # A fixed stacklevel would point into the package, because calls differ in depth.
    package = __name__.partition(".")[0]
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
