"""Reader of ARFF files, the format of Weka: a header that declares each column, then rows.

Order of reading: :func:`read_arff`, ``_read_header`` (attributes), ``_fields`` (a row as fields),
``_Attribute`` (the cells of a column). This is the only format that is read into memory as a whole, line by
line in Python, so that every message has the number of a line.

Cells of numeric and date attributes are parsed, those of string attributes are text whatever they spell, and
nominal attributes declare their values in the order of the file; a caller's ``kinds`` go before all of these.
Sparse rows are refused.
"""

import os
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from ...errors import DataError
from ...table._arrays import from_distinct
from ...table._messages import shown
from ...table.column import Column, Factor
from ...table.spelling import parse_number, parse_time
from ._csv import invalid_utf8, reject_duplicates
from ._text import Kinds, Parse, Reading, readings

# Backslashes escape quotes inside quotes, as in Weka.
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_FIELD = re.compile(rf"\s*(?:({_QUOTED})|([^,\t]*?))\s*([,\t]|$)")
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)(?:\s+|(?={{))(.+)", re.IGNORECASE)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_TYPES = {"numeric": "numeric", "real": "numeric", "integer": "numeric", "string": "string", "date": "date"}
_PARSERS: dict[str, Parse] = {"numeric": parse_number, "date": parse_time}


def read_arff(path: str | os.PathLike[str], *, na: Iterable[str] = (), kinds: Kinds = None) -> list[Column]:
    """Read an ARFF file.

    Parameters
    ----------
    path
        The file, in UTF-8.
    na
        Texts that mean missing, in addition to ``?``.
    kinds
        As for :func:`~codelength.sources.readers.read_table`.

    Returns
    -------
    list of Column
        The attributes in the order of the file. A nominal attribute is a factor that declares its values, in
        the same order.

    Raises
    ------
    DataError
        If a line cannot be parsed, or a cell does not suit its attribute; the message gives the line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "shirts.arff"
    >>> lines = ["@relation shirts", "@attribute colour {red, blue}", "@attribute size numeric", "@data"]
    >>> _ = path.write_text("\\n".join([*lines, "blue, 3", "?, 4"]))
    >>> colour, size = read_arff(path)
    >>> colour.values, colour.positions.tolist(), size.numbers.tolist()
    (('red', 'blue'), [1, -1], [3, 4])
    """
    path, how = Path(path), readings(kinds)
    lines = _lines(path)
    missing = frozenset(("?", "", *(marker.strip() for marker in na)))
    attributes = _read_header(lines, path)
    for number, line in lines:
        where = f"{path}, line {number}"
        for attribute, (text, was_quoted) in zip(
            attributes, _fields(line, len(attributes), where), strict=True
        ):
            attribute.add(text, was_quoted, missing, where)
    if not attributes[0].n_rows:
        raise DataError(f"{path}: has a header but no rows")
    try:
        return [attribute.finished(how.get(attribute.name, Reading())) for attribute in attributes]
    except DataError as error:
        raise DataError(f"{path}, {error}") from None


class _Attribute:
    """A declared column: its distinct texts, and the position of each row among them.

    Parameters
    ----------
    name : str
        Its name.
    type_ : {"numeric", "string", "date", "nominal"}
        Its type.
    domain : sequence of str, optional
        Values of a nominal attribute.
    """

    def __init__(self, name: str, type_: str, domain: Sequence[str] | None = None) -> None:
        self.name, self._type, self._domain = name, type_, None if domain is None else tuple(domain)
        self._texts: dict[str, int] = {text: place for place, text in enumerate(domain or ())}
        # Each distinct field is checked and converted once.
        self._known: dict[tuple[str, bool], int] = {}
        self._positions = array("q")

    @property
    def n_rows(self) -> int:
        """Number of cells."""
        return len(self._positions)

    def add(self, text: str, was_quoted: bool, missing: frozenset[str], where: str) -> None:
        """Append a cell; raise if it does not suit the attribute.

        ``missing`` has the texts that mean missing, unless they are quoted.
        """
        place = self._known.get((text, was_quoted))
        if place is None:
            is_missing = not was_quoted and text in missing
            # A marker that is declared is a value, except a bare question mark.
            is_value = not is_missing or (text in (self._domain or ()) and text != "?")
            place = self._known[text, was_quoted] = self._place(text, where) if is_value else -1
        self._positions.append(place)

    def finished(self, reading: Reading) -> Column:
        """Return the column."""
        texts, positions = list(self._texts), np.frombuffer(self._positions, dtype=np.int64)
        as_it_is = reading.kind is None or (reading.kind == "text" and reading.parse is None)
        if as_it_is and self._domain is not None:
            return Factor(self.name, positions, self._domain, declared=True)
        parse = _PARSERS.get(self._type) if reading.kind is None else reading.parse
        return from_distinct(self.name, texts if parse is None else [*map(parse, texts)], positions)

    def _place(self, text: str, where: str) -> int:
        """Return the position of a text."""
        if text not in self._texts:
            if self._domain is not None:
                raise DataError(f"{where}: {self.name!r} does not declare the value {shown(text)}; add it")
            if self._type == "numeric" and isinstance(parse_number(text), str):
                raise DataError(f"{where}: {self.name!r} is numeric, but the value is {shown(text)}")
        return self._texts.setdefault(text, len(self._texts))


def attribute_names(path: str | os.PathLike[str]) -> list[str]:
    """Return the names of the attributes that an ARFF file declares."""
    path = Path(path)
    return [attribute.name for attribute in _read_header(_lines(path), path)]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers and without comments."""
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
    """Return a line without the comment at its end."""
    if " %" not in line and "\t%" not in line:
        return line
    # A per cent sign inside quotes, or right after other text, is part of a value.
    kept = re.match(rf"(?:{_QUOTED}|[^'\"%]|(?<=\S)%|['\"])*", line)
    return kept[0].rstrip() if kept else line


def _read_header(lines: Iterator[tuple[int, str]], path: Path) -> list[_Attribute]:
    """Return the attributes; afterwards ``lines`` starts with the first row."""
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
    """Return the attribute that a line declares."""
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise DataError(f"{where}: cannot be understood; expected @attribute NAME TYPE")
    name, type_ = _unquoted(match[1]), match[2].strip()
    if type_.startswith("{"):
        if not type_.endswith("}"):
            raise DataError(f"{where}: the values of {name!r} are not closed; end them with '}}'")
        domain = tuple(text for text, _ in _split(type_[1:-1], where))
        reject_duplicates(domain, f"{where}, values of {name!r}")
        return _Attribute(name, "nominal", domain)
    keyword = type_.split(maxsplit=1)[0].lower()
    if keyword not in _TYPES:
        raise DataError(
            f"{where}: attribute {name!r} has type {keyword!r}; use numeric, nominal, string or date"
        )
    return _Attribute(name, _TYPES[keyword])


def _fields(line: str, expected: int, where: str) -> list[tuple[str, bool]]:
    """Return the fields of a row, each with True if it was quoted; raise if their number is wrong."""
    if line.startswith("{"):
        raise DataError(f"{where}: sparse rows are not read; write every value of the row, without braces")
    # Most rows have neither quotes nor tabs, and str.split is much faster than the expression.
    if "'" in line or '"' in line or "\t" in line:
        fields = _split(line, where)
    else:
        fields = [(field.strip(), False) for field in line.split(",")]
    if len(fields) != expected:
        raise DataError(f"{where}: expected {expected} values, found {len(fields)}; complete the row")
    return fields


def _split(text: str, where: str) -> list[tuple[str, bool]]:
    """Split at commas and tabs outside quotes; return each field with True if it was quoted."""
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
    """Return a text without its quotes and escapes."""
    if text[:1] not in ("'", '"'):
        return text
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text[1:-1])
