"""Short forms of values for messages, and errors about objects that are not one table in memory."""

import difflib
import glob
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..errors import DataError, SchemaMismatch

IN_BATCHES = (
    "fit_table of NaiveBayes and FiniteMixture, predict_table and evaluate_table take rows batch after batch"
)
"""Methods that accept rows that are not in memory."""


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


def absent_column(
    absent: Sequence[str], n_wanted: int, names: Iterable[str], where: str = ""
) -> SchemaMismatch:
    """Return the error about columns of a schema that a table with these names does not have."""
    return SchemaMismatch(
        f"{where}column {shown(absent[0])} is absent ({len(absent)} of {n_wanted} are); add it, filled with "
        f"missing cells if it is unknown{suggestion(absent[0], names)}"
    )


def check_surplus(names: Iterable[str], known: Iterable[str]) -> None:
    """Raise SchemaMismatch if a table has columns that the schema does not have."""
    in_schema = set(known)
    surplus = [name for name in names if name not in in_schema]
    if surplus:
        raise SchemaMismatch(
            f"column {shown(surplus[0])} is not in the schema ({len(surplus)} such columns); drop it"
        )


def tell(message: str, category: type[Warning]) -> None:
    """Warn at the line outside the package that led here, however deep the call is."""
    # A fixed stacklevel would point into the package, because calls differ in depth.
    package = __name__.partition(".")[0]
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def check_in_one(data: Any) -> None:
    """Raise if data are several parts of a table, which only methods that read in batches accept."""
    first = data[0] if isinstance(data, (list, tuple)) and data else None
    if hasattr(data, "__array__") or isinstance(first, (list, tuple)):
        return
    kinds = {
        "a query": type(data).__name__ == "SqlQuery",
        "an iterator": isinstance(data, Iterator),
        "a function": callable(data) and not isinstance(data, type),
        "a list of files": first is not None and all(map(_is_file, data)),
        "a list of frames": hasattr(type(first), "columns") or hasattr(type(first), "schema"),
    }
    if found := next((kind for kind, holds in kinds.items() if holds), None):
        raise DataError(
            f"{found} is not one table in memory; {IN_BATCHES}: call one of these, or make one frame of it"
        )


def check_one_file(path: str | os.PathLike[str]) -> None:
    """Raise if a path is a directory or a pattern."""
    text = os.fspath(path)
    is_folder = os.path.isdir(text)
    if is_folder or (isinstance(text, str) and glob.has_magic(text)):
        what = "is a directory" if is_folder else "is a pattern, or there is no such file"
        raise DataError(
            f"{shown(text, 80)} {what}; {IN_BATCHES}, of all its files: call one of these, or pass the path "
            "of one file"
        )


def no_table(data: Any) -> DataError:
    """Return the error about an object that is not a table."""
    text, kind = shown(data), type(data).__name__
    if kind == "DuckDBPyConnection":
        return DataError("a DuckDB connection is not a table; pass a query, connection.sql('SELECT ...')")
    if isinstance(data, (list, tuple)):
        return DataError(f"{text} has no rows, so it is not a table; give at least one row")
    said = text if data is None else f"an object of type {kind}" if " at 0x" in text else f"{text} ({kind})"
    return DataError(
        f"{said} is not a table; pass a data frame, an array, a mapping of names to columns, or the path of "
        "a file"
    )


def _is_file(part: Any) -> bool:
    return isinstance(part, os.PathLike) or (isinstance(part, str) and os.path.isfile(part))
