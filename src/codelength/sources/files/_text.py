"""Columns of text files: what their cells spell, decided over all rows of all files.

A column holds numbers if every cell that is not missing spells one, truth values if every cell is ``true``
or ``false``, times if every cell spells one, and text otherwise; unless the caller, or a schema, says how
to read it (:func:`readings`). :class:`TextColumn` looks at the cells of a column and converts them.

A column is settled in one form for all batches, so that none has another type:

===========  ===================================================================================
form         cells
===========  ===================================================================================
``int64``    whole numbers of 64 bits, none of them missing
``float64``  numbers that float64 tells apart, some possibly missing
``boolean``  truth values
``values``   a dictionary of distinct values: times, numbers with more digits, values of a schema
``text``     the text itself
===========  ===================================================================================

Facts about cells (``_Facts``) are found in bulk if all numbers are spelt in the commonest way, which the
bytes that occur decide; else for each distinct text of a batch, until one excludes everything but text.
pyarrow parses numbers in the commonest spelling while it reads a CSV file in later passes.

Order of reading: :class:`Reading` (what a caller asks for), ``_Facts`` and :class:`TextColumn`, then the
functions that find facts. Depends on :mod:`codelength.table.spelling`, which says what one text spells.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ...errors import DataError, InvalidParameter
from ...table._arrays import canonical_values
from ...table._messages import shown
from ...table.checks import check_instance
from ...table.schema import Schema
from ...table.spelling import SPACES, looks_like_time, parse_boolean, parse_number, parse_time
from ...table.values import LARGEST_EXACT
from ...table.variable import Variable
from ...typing import Scalar
from ..batch import dictionary_of, marked

Kind: TypeAlias = Literal["text", "number", "boolean"]
"""Kind of all cells of a column."""

Kinds: TypeAlias = Mapping[str, Kind] | Schema | None
"""Requests about some columns: a kind by name, or a schema whose values the cells are."""

Parse: TypeAlias = Callable[[str], Any]
"""Function from the text of a cell to its value."""

_INT64 = 2**63
_WHOLE, _FRACTION = frozenset(b"0123456789-"), frozenset(b".eE")
_NUMBER = _WHOLE | _FRACTION | frozenset(b"+")
_SPACES = frozenset(SPACES.encode())


@dataclass(frozen=True)
class Reading:
    """Rules for reading one column.

    Attributes
    ----------
    kind : str, optional
        Kind of all cells; None if the cells themselves decide.
    parse : callable, optional
        Function from the text of a cell to its value, if not all cells are of the kind.
    """

    kind: Kind | None = None
    parse: Parse | None = None


_READINGS: dict[str, Reading] = {
    "text": Reading("text"),
    "number": Reading("number", parse_number),
    "boolean": Reading("boolean", parse_boolean),
}


def readings(kinds: Kinds) -> dict[str, Reading]:
    """Return the rules for each column that the caller mentions, by a kind or by the values of a variable."""
    if isinstance(kinds, Schema):
        return {variable.name: _reading_of(variable) for variable in kinds.variables}
    if kinds is None:
        return {}
    check_instance("kinds", kinds, Mapping, "kinds by the names of columns, a Schema, or None")
    for name, kind in kinds.items():
        if not isinstance(kind, str) or kind not in get_args(Kind):
            raise InvalidParameter(
                f"column {shown(name)}: kind {shown(kind)} is none of {', '.join(get_args(Kind))}"
            )
    return {name: _READINGS[kind] for name, kind in kinds.items()}


def _reading_of(variable: Variable) -> Reading:
    types = {type(value) for value in variable.values if value is not None}
    if variable.kind == "ignored":
        return Reading()
    if variable.scale != "number":
        return Reading("text", parse_time)
    if variable.kind != "category" or types <= {int, float}:
        return Reading("number", _parse_number_or_truth)
    if types in ({bool}, {str}):
        return _READINGS["boolean" if bool in types else "text"]
    return Reading("text", _parser_of(variable))


def _parser_of(variable: Variable) -> Parse:
    """Return a function that reads cells as values of a variable that has text and numbers or truth values.

    A cell is text if its text is a value, else the number or the truth value that it spells.

    Raises
    ------
    DataError
        If a text and another value are spelt alike, because a file cannot say which of them is meant.

    Examples
    --------
    >>> parse = _parser_of(Variable("rooms", (1, 2.5, "many")))
    >>> [parse(text) for text in ("many", "1", "2.50", "few")]
    ['many', 1, 2.5, 'few']
    """
    texts = {value for value in variable.values if isinstance(value, str)}
    others = {value for value in variable.values if not isinstance(value, str) and value is not None}
    kinds = set(map(type, others))
    numbers, truths = bool(kinds & {int, float}), bool in kinds

    def spelt(text: str) -> Scalar | None:
        number = parse_number(text) if numbers else text
        return parse_boolean(text) if number == text and truths else number

    for text in texts:
        other = spelt(text)
        if not isinstance(other, str) and other in others:
            raise DataError(
                f"column {variable.name!r}: the text {shown(text)} and {shown(other)} are both values of the "
                "model, and a file cannot tell them apart; pass the rows from Python, or fit with one of them"
            )
    return lambda text: text if text in texts else spelt(text)


def _parse_number_or_truth(text: str) -> Scalar | None:
    """Return the number of a cell; the words true and false are 1 and 0 among numbers."""
    number = parse_number(text)
    return parse_boolean(text) if number == text else number


@dataclass(slots=True)
class _Facts:
    """Properties that all cells share, or some have: a commutative monoid."""

    has_cells: bool = False
    has_gaps: bool = False
    has_numbers: bool = False
    widest: float = 0
    all_numbers: bool = True
    all_whole: bool = True
    all_words: bool = True
    all_truths: bool = True
    all_times: bool = True
    are_plain: bool = True

    def merge(self, other: "_Facts") -> None:
        """Add the facts about further cells."""
        for name in self.__slots__:
            one, two = getattr(self, name), getattr(other, name)
            setattr(self, name, one and two if name.startswith("a") else max(one, two))

    @property
    def are_text(self) -> bool:
        """True if no further cell can change that the column holds text."""
        return not (self.all_numbers or self.all_truths or self.all_times)

    @property
    def kind(self) -> Kind:
        """Kind of the cells: numbers or truth values only if every cell that is not missing is one."""
        if self.has_numbers and self.all_numbers:
            return "number"
        return "boolean" if self.has_cells and self.all_words else "text"


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
    form : str
        Form of the cells, see the module.
    parse : callable, optional
        Function from the text of a cell to its value, for forms that need one.
    """

    name: str
    reading: Reading
    markers: Sequence[str] = ()
    form: Form = "text"
    parse: Parse | None = None
    _facts: _Facts = field(default_factory=_Facts)

    @property
    def is_open(self) -> bool:
        """True if further cells may still change how the column is read."""
        return not self._facts.are_text

    @property
    def is_plain(self) -> bool:
        """True for numbers that pyarrow can read from the file itself."""
        return self.form in ("int64", "float64") and self._facts.are_plain

    def look(self, texts: Any) -> None:
        """Look at an array of cells."""
        if self.is_open:
            self._facts.merge(_facts_of(without_markers(texts, self.markers), self.reading))

    def settle(self) -> None:
        """Decide, after the last cell, how the column is read.

        A cell that does not fit the requested kind makes the whole column one of values, in which such cells
        keep their text.
        """
        facts, kind = self._facts, self.reading.kind or self._facts.kind
        self.form, self.parse = "values", self.reading.parse
        if kind == "number" and facts.all_numbers:
            if facts.all_whole and not facts.has_gaps and facts.widest < _INT64:
                self.form = "int64"
            elif facts.widest < LARGEST_EXACT:
                self.form = "float64"
            else:
                self.parse = self.parse or parse_number
        elif kind == "boolean" and facts.all_truths:
            self.form, self.parse = "boolean", parse_boolean
        elif kind == "text" and facts.all_times:
            own = self.reading.parse
            self.parse = parse_time if own is None else lambda text: parse_time(own(text))
        elif self.parse is None:
            self.form = "text"

    def convert(self, array: Any) -> tuple[Any, Any]:
        """Return the field and the cells of an array of the file, once the column is settled.

        Examples
        --------
        >>> import pyarrow as pa
        >>> cells = pa.array(["7", " ? ", "2.5"])
        >>> column = TextColumn("size", Reading(), markers=("?",))
        >>> column.look(cells)
        >>> column.settle()
        >>> column.form, column.convert(cells)[1].to_pylist()
        ('float64', [7.0, None, 2.5])
        """
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
        assert self.parse is not None
        cells = [self.parse(text) for text in encoded.dictionary.to_pylist()]
        if self.form == "boolean":
            return pa.field(self.name, pa.bool_()), pa.array(cells, pa.bool_()).take(encoded.indices)
        values, places = canonical_values(self.name, cells)
        # Times are text in all batches; other columns may have numbers in some of them only.
        dictionary, mark = dictionary_of(values, declared=False, as_json=not self._facts.all_times)
        positions = pa.array(places[:-1].astype(np.int32), mask=places[:-1] < 0).take(encoded.indices)
        column = pa.field(self.name, pa.dictionary(pa.int32(), pa.string()))
        return marked(column, mark), pa.DictionaryArray.from_arrays(positions, dictionary)

    def keep(self, array: Any) -> tuple[Any, Any]:
        """Return the cells of a column to carry over; times stay as they are spelt."""
        import pyarrow as pa

        if self.form == "float64" and self._facts.all_whole:
            return pa.field(self.name, pa.int64()), _numbers_of(array, pa.int64())
        return replace(self, parse=self.reading.parse).convert(array)


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


def _facts_of(texts: Any, reading: Reading) -> _Facts:
    """Return facts about the cells of an array of text."""
    has_gaps = texts.null_count > 0
    if texts.null_count == len(texts):
        return _Facts(has_gaps=has_gaps)
    numbers = None if reading.kind == "boolean" else _plain_numbers(texts)
    if numbers is None:
        return _slow_facts(texts.dictionary_encode().dictionary.to_pylist(), has_gaps, reading.parse)
    widest = max(-numbers.min().item(), numbers.max().item())
    is_whole = numbers.dtype.kind == "i"
    return _Facts(True, has_gaps, True, widest, True, is_whole, False, False, False)


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


def _slow_facts(cells: Sequence[str], has_gaps: bool, parse: Parse | None) -> _Facts:
    """Return facts about distinct cells; stop at one that is not a number, truth value or time."""
    facts = _Facts(True, has_gaps, are_plain=False)
    for cell in cells:
        number, truth = parse_number(cell), parse_boolean(cell)
        is_number = isinstance(number, int | float)
        is_whole = is_number and not any(character in cell for character in ".eE")
        facts.has_numbers |= is_number
        facts.all_numbers &= is_number or number is None
        facts.all_whole &= is_whole
        facts.all_words &= isinstance(truth, bool) and isinstance(number, str)
        facts.all_truths &= isinstance(truth, bool)
        facts.all_times &= looks_like_time(cell if parse is None else parse(cell))
        if is_whole:
            facts.widest = max(facts.widest, abs(number))  # type: ignore[arg-type]
        if facts.are_text:
            break
    return facts


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
