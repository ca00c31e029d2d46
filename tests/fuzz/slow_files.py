"""Slow readers of files, by Python's own modules: what the rows of a file are, or that it has none."""

import csv
import io
import json
import re
import sys
from typing import Any

DELIMITERS = (",", ";", "\t", "|")

Rows = list[list[Any]]


class NotATable(Exception):
    """The file does not say what its rows are."""


def csv_rows(content: bytes) -> tuple[list[str], Rows]:
    """Names and rows of a CSV file, None where a field is empty; refused where it is ragged."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        text = content.decode("utf-8-sig")
        delimiter = _delimiter(text)
        # Spaces between quotes and delimiters say nothing.
        text = re.sub(rf'" +(?=[{delimiter}\r\n]|$)', '"', text) if '" ' in text else text
        text = re.sub(rf'(^|[{delimiter}\r\n]) +"', r'\1"', text) if ' "' in text else text
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise NotATable(str(error)) from error
    finally:
        csv.field_size_limit(before)
    names = records[0] if records else []
    if not all(names) or not names or len(set(names)) < len(names):
        raise NotATable("no names for the columns")
    # A blank line is a row of one missing cell where there is one column, else no row.
    rows = [record or [""] for record in records[1:] if record or len(names) == 1]
    if any(len(row) != len(names) for row in rows):
        raise NotATable("rows of different lengths")
    return names, [[field or None for field in row] for row in rows]


def _delimiter(text: str) -> str:
    head, *rows = re.split(r"[\r\n]+", re.sub(r'"[^"]*"', "", text))
    row = next(filter(None, rows), "")
    ranked = sorted(DELIMITERS, key=head.count, reverse=True)
    alike = [each for each in ranked if head.count(each) and head.count(each) == row.count(each)]
    return [*alike, ranked[0]][0]


def json_rows(content: bytes, *, lines: bool) -> list[dict[str, Any]]:
    """The objects of a JSON file: one list of them, or one on each line."""
    try:
        # A comma behind the last member is a matter of taste.
        text = re.sub(r",(\s*[}\]])", r"\1", content.decode("utf-8"))
        whole = [line for line in text.split("\n") if line.strip()]
        rows = list(map(json.loads, whole)) if lines else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotATable(str(error)) from error
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise NotATable("not a list of objects")
    return rows


def arff_n_rows(content: bytes) -> int:
    """How many rows an ARFF file has."""
    try:
        lines = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise NotATable(str(error)) from error
    said = [line.strip() for line in lines if line.strip() and not line.strip().startswith("%")]
    at = next((i for i, line in enumerate(said) if line.split()[0].lower() == "@data"), None)
    if at is None:
        raise NotATable("no @data")
    return len(said) - at - 1
