"""Columns of text files: what their cells spell, decided over all rows of all files.

A column holds numbers if every cell that is not missing spells one, truth values if every cell is ``true`` or
``false``, times if every cell spells one, and text otherwise. :class:`TextColumn` looks at the cells of a
column, batch after batch, and then converts them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...table._arrays import canonical_values
from ...table.spelling import SPACES, looks_like_time, parse_boolean, parse_number, parse_time
from ...table.values import LARGEST_EXACT
from ..batch import dictionary_of, marked
from ._kinds import Kind, Parse, Reading

__all__ = ["TextColumn", "without_markers"]

_INT64 = 2**63
_WHOLE, _FRACTION = frozenset(b"0123456789-"), frozenset(b".eE")
_NUMBER = _WHOLE | _FRACTION | frozenset(b"+")
_SPACES = frozenset(SPACES.encode())


@dataclass(slots=True)
class _Facts:
    """Numbers of cells, or of distinct cells, by what they spell: a commutative monoid."""

    present: int = 0
    numbers: int = 0
    nans: int = 0
    whole: int = 0
    words: int = 0
    truths: int = 0
    times: int = 0
    widest: float = 0
    has_gaps: bool = False
    is_plain: bool = True

    def merge(self, other: "_Facts") -> None:
        """Add the facts about further cells."""
        for name in ("present", "numbers", "nans", "whole", "words", "truths", "times"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.widest = max(self.widest, other.widest)
        self.has_gaps |= other.has_gaps
        self.is_plain &= other.is_plain

    @property
    def is_text(self) -> bool:
        """True if no further cell can change that the column holds text."""
        return self.present > max(self.numbers + self.nans, self.truths, self.times)


Form = Literal["int64", "float64", "boolean", "values", "text"]


@dataclass(slots=True)
class TextColumn:
    """A column whose cells are text in the file.

    Attributes
    ----------
    name : str
        Name of the column.
    reading : Reading
        Rules for reading it.
    markers : sequence of str
        Texts that mean missing; spaces around a cell do not count.
    may_be_time : bool
        True if text may spell times.
    """

    name: str
    reading: Reading
    markers: Sequence[str] = ()
    may_be_time: bool = True
    form: Form = "text"
    parse: Parse | None = None
    _facts: _Facts = field(default_factory=_Facts)

    @property
    def is_open(self) -> bool:
        """True if further cells may still change how the column is read."""
        if self.reading.kind == "text" and not self.may_be_time:
            return False
        return not self._facts.is_text

    @property
    def is_plain(self) -> bool:
        """True for numbers that pyarrow can read from the file itself."""
        return self.form in ("int64", "float64") and self._facts.is_plain

    def look(self, texts: Any) -> None:
        """Look at an array of cells."""
        if not self.is_open:
            return
        texts = without_markers(texts, self.markers)
        self._facts.merge(_facts_of(texts, self.reading.kind))

    def settle(self) -> None:
        """Decide, after the last cell, how the column is read."""
        facts, kind = self._facts, self.reading.kind or _kind_of(self._facts)
        self.form, self.parse = "values", self.reading.parse
        if kind == "number" and facts.numbers + facts.nans == facts.present:
            if (
                not facts.has_gaps
                and not facts.nans
                and facts.whole == facts.present
                and facts.widest < _INT64
            ):
                self.form = "int64"
            elif facts.widest < LARGEST_EXACT:
                self.form = "float64"
            else:
                self.parse = self.parse or parse_number
        elif kind == "boolean" and facts.truths == facts.present:
            self.form, self.parse = "boolean", parse_boolean
        elif kind == "text" and self.may_be_time and facts.times == facts.present:
            self.parse = parse_time
        elif self.parse is None:
            self.form = "text"

    def convert(self, array: Any) -> tuple[Any, Any]:
        """Return the field and the cells of an array of the file."""
        import pyarrow as pa

        if not pa.types.is_string(array.type):  # numbers that pyarrow has read
            return pa.field(self.name, array.type), array
        array = without_markers(array, self.markers)
        if self.form == "text":
            return pa.field(self.name, array.type), array
        if self.form in ("int64", "float64"):
            type_ = pa.type_for_alias(self.form)
            return pa.field(self.name, type_), _numbers_of(array, type_)
        encoded = array.dictionary_encode()
        texts = encoded.dictionary.to_pylist()
        assert self.parse is not None
        cells = [self.parse(text) for text in texts]
        if self.form == "boolean":
            return pa.field(self.name, pa.bool_()), pa.array(cells, pa.bool_()).take(encoded.indices)
        return self._values(cells, encoded.indices)

    def _values(self, cells: list[Any], indices: Any) -> tuple[Any, Any]:
        import pyarrow as pa

        values, places = canonical_values(self.name, cells)
        # Times are text in all batches; other columns may have numbers in some of them only.
        dictionary, mark = dictionary_of(values, declared=False, as_json=self.parse is not parse_time)
        positions = pa.array(places[:-1].astype(np.int32), mask=places[:-1] < 0).take(indices)
        column = pa.field(self.name, pa.dictionary(pa.int32(), pa.string()))
        return marked(column, mark), pa.DictionaryArray.from_arrays(positions, dictionary)


def without_markers(array: Any, markers: Sequence[str]) -> Any:
    """Return cells of text, missing if they are a marker and spaces around it.

    Bare markers are missing already.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not markers or array.null_count == len(array) or not _bytes_in(array) & _SPACES:
        return array
    known = pa.array([marker.strip(SPACES) for marker in markers], array.type)
    is_marker = pc.is_in(pc.utf8_trim(array, characters=SPACES), value_set=known)
    return pc.if_else(is_marker, pa.scalar(None, array.type), array)


def _facts_of(texts: Any, kind: Kind | None) -> _Facts:
    """Return facts about the cells of an array of text."""
    n_present, has_gaps = len(texts) - texts.null_count, texts.null_count > 0
    if not n_present:
        return _Facts(has_gaps=has_gaps)
    numbers = None if kind == "boolean" else _plain_numbers(texts)
    if numbers is None:
        found = _slow_facts(texts.dictionary_encode().dictionary.to_pylist())
        found.has_gaps = has_gaps
        return found
    whole = n_present if numbers.dtype.kind == "i" else 0
    widest = max(-numbers.min().item(), numbers.max().item())
    return _Facts(n_present, n_present, whole=whole, widest=widest, has_gaps=has_gaps)


def _plain_numbers(texts: Any) -> Any:
    """Return the numbers of cells if all are spelt in the commonest way; else None."""
    import pyarrow as pa

    used = _bytes_in(texts)
    try:
        if used <= _WHOLE:
            return texts.cast(pa.int64()).drop_null().to_numpy()
        # These bytes exclude whatever only pyarrow takes for a number, such as 0x10 or inf. One of them shows
        # that some number is not whole.
        if used <= _NUMBER and used & _FRACTION:
            numbers = texts.cast(pa.float64()).drop_null().to_numpy()
            # Of larger numbers it matters which are whole.
            return numbers if np.abs(numbers).max() < LARGEST_EXACT else None
    except pa.ArrowInvalid:
        pass
    return None


def _slow_facts(cells: Sequence[str]) -> _Facts:
    """Return facts about distinct cells; stop at one that is not a number, truth value or time."""
    facts = _Facts(is_plain=False)
    for cell in cells:
        number, truth = parse_number(cell), parse_boolean(cell)
        is_whole = not any(character in cell for character in ".eE")
        facts.present += 1
        facts.nans += number is None
        facts.whole += is_whole
        facts.words += isinstance(truth, bool) and isinstance(number, str)
        facts.truths += isinstance(truth, bool)
        facts.times += looks_like_time(cell)
        if isinstance(number, int | float):
            facts.numbers += 1
            facts.widest = max(facts.widest, abs(number) if is_whole else 0)
        if facts.is_text:
            break
    return facts


def _kind_of(facts: _Facts) -> Kind:
    """Return the kind of text: numbers or truth values only if every cell that is not missing is one."""
    if facts.numbers and facts.numbers + facts.nans == facts.present:
        return "number"
    return "boolean" if facts.present and facts.words == facts.present else "text"


def _numbers_of(array: Any, type_: Any) -> Any:
    """Return cells as numbers of a type that holds all of them."""
    import pyarrow as pa

    try:
        return array.cast(type_)
    except pa.ArrowInvalid:  # spaces, and signs before whole numbers
        encoded = array.dictionary_encode()
        numbers = [parse_number(text) for text in encoded.dictionary.to_pylist()]
        return pa.array(numbers, type_).take(encoded.indices)


def _bytes_in(array: Any) -> frozenset[int]:
    """Return the bytes that occur in the cells of an array of text."""
    offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]
    data = array.buffers()[2]
    if data is None or offsets[0] == offsets[-1]:
        return frozenset()
    cells = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]]
    seen = np.zeros(256, dtype=np.bool_)
    seen[cells] = True
    return frozenset(np.flatnonzero(seen).tolist())
