"""Attribute-relation files, the format of Weka: a header that declares each column, then rows."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import DataError
from ._cells import ColumnDict, number_array, object_array, parse_number
from ._csv import invalid_utf8, reject_duplicates

__all__ = ["attribute_names", "read_arff"]

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_FIELD = re.compile(rf"\s*(?:({_QUOTED})|([^,\t]*?))\s*([,\t]|$)")
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)(?:\s+|(?={{))(.+)", re.IGNORECASE)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True)
class _Attribute:
    name: str
    numeric: bool
    domain: tuple[str, ...] | None


def read_arff(
    path: str | os.PathLike[str], *, na: Iterable[str] = ()
) -> tuple[ColumnDict, dict[str, tuple[str, ...]]]:
    """Read an ARFF file.

    Parameters
    ----------
    path
        The file, in UTF-8.
    na
        Cells that mean missing, beside ``?``.

    Returns
    -------
    columns : dict of str to ndarray
        The array of each attribute, as :func:`~codelength.table.files.readers.read_columns` gives them.
    domains : dict of str to tuple of str
        The declared values of each nominal attribute, in the order of the file.

    Raises
    ------
    DataError
        When a line cannot be understood, or a cell does not suit its attribute; the message gives the line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "shirts.arff"
    >>> lines = ["@relation shirts", "@attribute colour {red, blue}", "@attribute size numeric", "@data"]
    >>> _ = path.write_text("\\n".join([*lines, "blue, 3", "?, 4"]))
    >>> columns, domains = read_arff(path)
    >>> columns
    {'colour': array(['blue', None], dtype=object), 'size': array([3, 4])}
    >>> domains
    {'colour': ('red', 'blue')}
    """
    path = Path(path)
    lines = _lines(path)
    attributes = _read_header(lines, path)
    missing = {"?", "", *(marker.strip() for marker in na)}
    # Cells of a nominal attribute become the very str of its domain, so that a value is kept once.
    known = [
        dict.fromkeys(missing) | {value: value for value in attribute.domain or ()}
        for attribute in attributes
    ]
    cells: list[list[object]] = [[] for _ in attributes]
    for number, line in lines:
        fields = _fields(line, len(attributes), f"{path}, line {number}")
        for attribute, values, column, (text, was_quoted) in zip(
            attributes, known, cells, fields, strict=True
        ):
            column.append(_cell(attribute, values, text, was_quoted, path, number))
    if not cells[0]:
        raise DataError(f"{path}: has a header but no rows")
    columns = {
        attribute.name: number_array(column) if attribute.numeric else object_array(column)
        for attribute, column in zip(attributes, cells, strict=True)
    }
    return columns, {attribute.name: attribute.domain for attribute in attributes if attribute.domain}


def attribute_names(path: str | os.PathLike[str]) -> list[str]:
    """Return the names of the attributes that an ARFF file declares."""
    path = Path(path)
    return [attribute.name for attribute in _read_header(_lines(path), path)]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, numbered, without comments."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                stripped = line.strip()
                if stripped and not stripped.startswith("%"):
                    yield number, _without_comment(stripped)
    except UnicodeDecodeError as error:
        raise invalid_utf8(path, str(path)) from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error


def _without_comment(line: str) -> str:
    if " %" not in line and "\t%" not in line:
        return line
    # A per cent sign inside quotes, or right after other text, is part of a value.
    kept = re.match(rf"(?:{_QUOTED}|[^'\"%]|(?<=\S)%|['\"])*", line)
    return kept[0].rstrip() if kept else line


def _read_header(lines: Iterator[tuple[int, str]], path: Path) -> list[_Attribute]:
    attributes: list[_Attribute] = []
    for number, line in lines:
        where = f"{path}, line {number}"
        keyword = line.split(maxsplit=1)[0].lower()
        if keyword == "@attribute":
            attributes.append(_read_attribute(line, where))
        elif keyword == "@data":
            if not attributes:
                raise DataError(f"{where}: @data comes before any @attribute; declare the columns first")
            reject_duplicates([attribute.name for attribute in attributes], str(path))
            return attributes
        elif keyword != "@relation":
            raise DataError(f"{where}: {keyword!r} is not a declaration; expected @attribute or @data")
    raise DataError(f"{path}: has no @data line" if attributes else f"{path}: is empty, or not an ARFF file")


def _read_attribute(line: str, where: str) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise DataError(f"{where}: cannot be understood; expected @attribute NAME TYPE")
    name, type_ = _unquoted(match[1]), match[2].strip()
    if type_.startswith("{"):
        if not type_.endswith("}"):
            raise DataError(f"{where}: the values of {name!r} are not closed; end them with '}}'")
        domain = tuple(text for text, _ in _split(type_[1:-1], where))
        reject_duplicates(domain, f"{where}, values of {name!r}")
        return _Attribute(name, False, domain)
    keyword = type_.split(maxsplit=1)[0].lower()
    if keyword not in (*_NUMERIC, "string", "date"):
        raise DataError(
            f"{where}: attribute {name!r} has type {keyword!r}; use numeric, nominal, string or date"
        )
    return _Attribute(name, keyword in _NUMERIC, None)


def _fields(line: str, expected: int, where: str) -> list[tuple[str, bool]]:
    if line.startswith("{"):
        raise DataError(f"{where}: sparse rows are not read; write every value of the row, without braces")
    if "'" in line or '"' in line or "\t" in line:
        fields = _split(line, where)
    else:
        fields = [(field.strip(), False) for field in line.split(",")]
    if len(fields) != expected:
        raise DataError(f"{where}: expected {expected} values, found {len(fields)}; complete the row")
    return fields


def _split(text: str, where: str) -> list[tuple[str, bool]]:
    """Split at commas outside quotes; say of each field whether it was quoted."""
    fields, at = [], 0
    while True:
        match = _FIELD.match(text, at)
        if match is None:
            raise DataError(f"{where}: a quoted value is followed by text; put a comma after it")
        if match[1] is None and match[2].startswith(("'", '"')):
            raise DataError(f"{where}: a quote is opened and not closed; close it")
        fields.append((_unquoted(match[1]), True) if match[1] is not None else (match[2], False))
        if not match[3]:
            return fields
        at = match.end()


def _unquoted(text: str) -> str:
    if text[:1] not in ("'", '"'):
        return text
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text[1:-1])


def _cell(
    attribute: _Attribute, known: dict[str, str | None], text: str, was_quoted: bool, path: Path, number: int
) -> object:
    if text in known and not (was_quoted and known[text] is None):
        return known[text]
    if attribute.numeric:
        value = parse_number(text)
        if isinstance(value, str):
            raise DataError(
                f"{path}, line {number}: {attribute.name!r} is numeric, but the value is {text!r}"
            )
        return value
    if attribute.domain is not None:
        raise DataError(
            f"{path}, line {number}: {attribute.name!r} does not declare the value {text!r}; add it"
        )
    return text
