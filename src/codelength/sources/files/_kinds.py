"""Kinds of columns: how to read the cells of a file, by request of the caller or by a schema."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from ...errors import DataError, InvalidParameter
from ...table._messages import shown
from ...table.checks import check_instance
from ...table.schema import Schema
from ...table.spelling import parse_boolean, parse_number, parse_time
from ...table.variable import Variable
from ...typing import Scalar

__all__ = ["Kind", "Kinds", "Parse", "Reading", "readings"]

Kind: TypeAlias = Literal["text", "number", "boolean"]
"""Kind of all cells of a column."""

Kinds: TypeAlias = Mapping[str, Kind] | Schema | None
"""Requests about some columns: a kind by name, or a schema whose values the cells are."""

Parse: TypeAlias = Callable[[str], Any]
"""Function from the text of a cell to its value."""


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
    parse: Callable[[str], Scalar | None] | None = None


_READINGS: dict[str, Reading] = {
    "text": Reading("text"),
    "number": Reading("number", parse_number),
    "boolean": Reading("boolean", parse_boolean),
}


def readings(kinds: Kinds) -> dict[str, Reading]:
    """Return the rules for each column that the caller mentions.

    Parameters
    ----------
    kinds : mapping of str to str, Schema or None
        The request of the caller.

    Returns
    -------
    dict of str to Reading
        Rules by the names of columns; all other columns are read as their cells are.
    """
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
    """Return the rules for reading cells as values of a variable."""
    types = {type(value) for value in variable.values if value is not None}
    if variable.kind == "ignored":
        return Reading()
    if variable.scale != "number":
        return Reading("text", parse_time)
    if variable.kind != "category" or types <= {int, float}:
        return Reading("number", _parse_number_or_truth)
    if types == {bool}:
        return Reading("boolean", parse_boolean)
    if types == {str}:
        return Reading("text")
    return Reading("text", _parser_of(variable))


def _parser_of(variable: Variable) -> Callable[[str], Scalar | None]:
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
