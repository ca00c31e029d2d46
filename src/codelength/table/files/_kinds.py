"""What the cells of each column are to be read as: what the caller says, or what a schema needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from ...errors import InvalidParameter
from ...typing import Scalar
from ..schema import Schema, Variable
from ..spelling import parse_boolean, parse_number, parser_of

__all__ = ["Kind", "Kinds", "Parse", "Reading", "readings"]

Kind: TypeAlias = Literal["text", "number", "boolean"]
"""What the cells of a column are read as."""

Kinds: TypeAlias = Mapping[str, Kind] | Schema | None
"""How to read some columns: by kind, or so that their cells mean what they mean in a schema."""

Parse: TypeAlias = Callable[[str], Any]
"""How a cell of text becomes a value."""


@dataclass(frozen=True)
class Reading:
    """How one column is to be read.

    Attributes
    ----------
    kind
        What every cell is read as; None where the cells themselves decide.
    parse
        How a cell becomes a value where not all of them are of the kind.
    gives_way
        Whether numbers and truth values of a file that has types stay what they are.
    """

    kind: Kind | None = None
    parse: Callable[[str], Scalar | None] | None = None
    gives_way: bool = False


_READINGS: dict[str, Reading] = {
    "text": Reading("text"),
    "number": Reading("number", parse_number),
    "boolean": Reading("boolean", parse_boolean),
}


def readings(kinds: Kinds) -> dict[str, Reading]:
    """The reading of each column that the caller says something about."""
    if isinstance(kinds, Schema):
        return {variable.name: _reading_of(variable) for variable in kinds.variables}
    for name, kind in (kinds or {}).items():
        if kind not in get_args(Kind):
            raise InvalidParameter(f"column {name!r}: kind {kind!r} is none of {', '.join(get_args(Kind))}")
    return {name: _READINGS[kind] for name, kind in (kinds or {}).items()}


def _reading_of(variable: Variable) -> Reading:
    types = {type(value) for value in variable.values if value is not None}
    if variable.kind != "category" or types <= {int, float}:
        return Reading("number", parse_number, gives_way=True)
    if types == {bool}:
        return Reading("boolean", parse_boolean, gives_way=True)
    if types == {str}:
        return Reading("text")
    return Reading("text", parser_of(variable), gives_way=True)
