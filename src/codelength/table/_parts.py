"""Errors about objects that are not one table in memory."""

import glob
import os
from collections.abc import Iterator
from typing import Any

from ..errors import DataError
from ._messages import shown

IN_BATCHES = (
    "fit_table of NaiveBayes and FiniteMixture, predict_table and evaluate_table take rows batch after batch"
)
"""Methods that accept rows that are not in memory."""


def check_in_one(data: Any) -> None:
    """Raise if data are several parts of a table, which only methods that read in batches accept."""
    parts = _parts(data)
    if parts:
        raise DataError(
            f"{parts} is not one table in memory; {IN_BATCHES}: call one of these, or make one frame of it"
        )


def check_one_file(path: str | os.PathLike[str]) -> None:
    """Raise if a path is a directory or a pattern."""
    text = os.fspath(path)
    try:
        is_folder = os.path.isdir(text)
    except (TypeError, ValueError):  # a NUL in the path
        return
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
        return DataError("a DuckDB connection is no table; pass a query, connection.sql('SELECT * FROM ...')")
    if isinstance(data, (list, tuple)):
        return DataError(f"{text} has no rows, so it is no table; give at least one row")
    said = text if data is None else f"an object of type {kind}" if " at 0x" in text else f"{text} ({kind})"
    return DataError(
        f"{said} is no table; pass a data frame, an array, a mapping of names to columns, or the path of "
        "a file"
    )


def _parts(data: Any) -> str:
    """Return a description of several parts of a table; empty for anything else."""
    if hasattr(data, "__array__"):
        return ""
    if type(data).__name__ == "SqlQuery":
        return "a query"
    if isinstance(data, Iterator):
        return "an iterator"
    if callable(data) and not isinstance(data, type):
        return "a function"
    if not isinstance(data, (list, tuple)) or not data or isinstance(data[0], (list, tuple)):
        return ""
    if all(isinstance(part, os.PathLike) or (isinstance(part, str) and _is_file(part)) for part in data):
        return "a list of files"
    is_frame = hasattr(type(data[0]), "columns") or hasattr(type(data[0]), "schema")
    return "a list of frames" if is_frame else ""


def _is_file(text: str) -> bool:
    try:
        return os.path.isfile(text)
    except ValueError:  # a NUL in the text
        return False
