"""What a table may contain: its variables, their values, and the classes to predict.

A code length is defined only over a fixed alphabet, so a schema is settled before anything is
counted and does not grow afterwards.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np

from ..errors import InvalidParameter, SchemaMismatch
from ..typing import IntArray, Scalar
from .checks import check_distinct
from .intervals.cuts import interval_labels

Kind = Literal["category", "interval", "code"]

CODE_TYPES = (np.uint8, np.uint16, np.uint32)


@dataclass(frozen=True, slots=True)
class Variable:
    """One categorical variable: a name and the values it can take, in order.

    Parameters
    ----------
    name : str
        Name of the column.
    values : sequence of str, int, float or bool
        The values in code order. A last value of ``None`` makes missing cells a value of their own.
    kind : {"category", "interval", "code"}
        ``"category"``: cells are matched with the values. ``"interval"``: cells are numbers, and
        ``cuts`` says in which interval each falls. ``"code"``: cells are the codes already.
    cuts : sequence of float
        Cut points of an interval variable; a number equal to a cut belongs to the interval above it.
    origin : str
        How the values were settled, for people.

    Examples
    --------
    >>> Variable("colour", ("blue", "red")).n_values
    2
    """

    name: str
    values: tuple[Scalar | None, ...]
    kind: Kind = "category"
    cuts: tuple[float, ...] = ()
    origin: str = field(default="declared", compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.values, str):
            raise InvalidParameter(
                f"variable {self.name!r}: values {self.values!r}; expected a list of values"
            )
        plain = (value.item() if isinstance(value, np.generic) else value for value in self.values)
        object.__setattr__(self, "values", tuple(plain))
        object.__setattr__(self, "cuts", tuple(float(cut) for cut in self.cuts))
        self._check()

    @property
    def n_values(self) -> int:
        """How many values the variable can take; also the code of a missing cell."""
        return len(self.values)

    @property
    def missing_is_value(self) -> bool:
        """Whether a missing cell is a value of its own (the last one)."""
        return bool(self.values) and self.values[-1] is None

    def to_json(self) -> dict[str, Any]:
        """The variable as JSON types."""
        document: dict[str, Any] = {"name": self.name, "kind": self.kind, "values": list(self.values)}
        if self.kind == "interval":
            document["cuts"] = list(self.cuts)
        return document | {"origin": self.origin}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """The variable that :meth:`to_json` wrote."""
        return cls(
            document["name"],
            tuple(document["values"]),
            document["kind"],
            tuple(document.get("cuts", ())),
            document.get("origin", "declared"),
        )

    def _check(self) -> None:
        where = f"variable {self.name!r}"
        if not isinstance(self.name, str):
            raise InvalidParameter(f"{where}: the name must be text, not {type(self.name).__name__}")
        if self.kind not in get_args(Kind):
            raise InvalidParameter(f"{where}: kind {self.kind!r}; expected one of {get_args(Kind)}")
        if not self.values:
            raise InvalidParameter(f"{where}: no values; a variable needs at least one")
        known = self.values[:-1] if self.missing_is_value else self.values
        for value in known:
            if not isinstance(value, (str, int, float)) or value in (math.inf, -math.inf) or value != value:
                raise InvalidParameter(f"{where}: value {value!r}; expected text, a number or a truth value")
        if len(set(known)) < len(known):
            raise InvalidParameter(f"{where}: a value is listed twice in {list(self.values)!r}")
        if self.kind == "interval" and len(self.cuts) + 1 != len(known):
            raise InvalidParameter(
                f"{where}: {len(self.cuts)} cut points make {len(self.cuts) + 1} intervals, not {len(known)}"
            )
        if any(low >= high for low, high in zip(self.cuts, self.cuts[1:], strict=False)) or not all(
            math.isfinite(cut) for cut in self.cuts
        ):
            raise InvalidParameter(f"{where}: cut points {self.cuts} must be finite and increasing")


def interval_variable(
    name: str, cuts: Iterable[float], *, missing_is_value: bool = False, origin: str = "declared"
) -> Variable:
    """A numeric variable cut into intervals, each named after its bounds.

    Examples
    --------
    >>> interval_variable("age", [18, 65]).values
    ('< 18', '18 to 65', '>= 65')
    """
    ordered = tuple(float(cut) for cut in cuts)
    labels: tuple[Scalar | None, ...] = interval_labels(np.array(ordered))
    return Variable(name, (*labels, None) if missing_is_value else labels, "interval", ordered, origin)


@dataclass(frozen=True)
class Schema:
    """The variables of a table, in column order, and the class to predict.

    Parameters
    ----------
    variables : sequence of Variable
        The variables, with distinct names.
    target : Variable, optional
        The class. Tables without a class to predict have none.

    Examples
    --------
    >>> schema = Schema([Variable("colour", ("blue", "red"))], Variable("ripe", (False, True)))
    >>> schema.n_variables, schema.n_classes
    (1, 2)
    >>> Schema.from_json(schema.to_json()) == schema
    True
    """

    variables: tuple[Variable, ...]
    target: Variable | None = None
    _by_name: dict[str, int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", tuple(self.variables))
        check_distinct(variable.name for variable in self.variables)
        by_name = {variable.name: position for position, variable in enumerate(self.variables)}
        if self.target is not None and self.target.missing_is_value:
            raise InvalidParameter(f"target {self.target.name!r}: a missing class cannot be a class")
        object.__setattr__(self, "_by_name", by_name)

    @classmethod
    def from_sizes(cls, n_values: Sequence[int], n_classes: int | None = None) -> Self:
        """A schema for data that is coded already: integer arrays are the codes.

        Variables are named ``x0, x1, ...``; the code ``n_values`` stands for missing.

        Examples
        --------
        >>> Schema.from_sizes([2, 3], n_classes=2).variables[1].values
        (0, 1, 2)
        """
        variables = [_code_variable(f"x{i}", size) for i, size in enumerate(n_values)]
        return cls(tuple(variables), None if n_classes is None else _code_variable("class", n_classes))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return tuple(variable.name for variable in self.variables)

    @property
    def n_variables(self) -> int:
        """How many variables there are, the class not counted."""
        return len(self.variables)

    @property
    def n_classes(self) -> int:
        """How many classes there are; 1 where there is no class to predict."""
        return 1 if self.target is None else self.target.n_values

    @property
    def classes(self) -> tuple[Scalar, ...]:
        """The classes in code order."""
        if self.target is None:
            return ()
        return tuple(value for value in self.target.values if value is not None)

    @cached_property
    def n_values(self) -> IntArray:
        """Number of values of each variable."""
        return np.array([variable.n_values for variable in self.variables], dtype=np.int64)

    @cached_property
    def offsets(self) -> IntArray:
        """Where each variable starts in a flat table, and at the end the length of the table.

        Every variable has one cell per value, plus one for missing.
        """
        return np.concatenate(([0], np.cumsum(self.n_values + 1))).astype(np.int64)

    @property
    def n_cells(self) -> int:
        """Length of a flat table: one cell per value, plus one per variable for missing."""
        return int(self.offsets[-1])

    @property
    def code_type(self) -> type[np.unsignedinteger[Any]]:
        """Smallest unsigned integer type that holds every code."""
        return smallest_code_type(int(self.n_values.max(initial=1)))

    def position(self, variable: int | str) -> int:
        """Position of a variable, given by name or counted from the start or the end."""
        if isinstance(variable, str):
            if variable not in self._by_name:
                raise SchemaMismatch(f"column {variable!r}: not in the schema {_shortened(self.names)}")
            return self._by_name[variable]
        if not -self.n_variables <= variable < self.n_variables:
            raise SchemaMismatch(f"variable {variable}: the schema has {self.n_variables} variables")
        return variable % self.n_variables

    def select(self, variables: Sequence[int]) -> "Schema":
        """The schema of some of the variables, given by position."""
        return Schema(tuple(self.variables[self.position(i)] for i in variables), self.target)

    def with_class_as_variable(self) -> "Schema":
        """The schema whose last variable is the class, and which has no class to predict.

        A class that is named like one of the variables is renamed.
        """
        if self.target is None:
            raise InvalidParameter("the schema has no target, so there is no class to make a variable of")
        name = self.target.name
        while name in self._by_name:
            name = f"class of {name}"
        return Schema((*self.variables, replace(self.target, name=name)))

    def without_target(self) -> "Schema":
        """The variables alone."""
        return self if self.target is None else Schema(self.variables)

    def named_after(self, names: Sequence[str]) -> "Schema":
        """The schema with other names for its variables."""
        variables = tuple(replace(v, name=name) for v, name in zip(self.variables, names, strict=True))
        return Schema(variables, self.target)

    def to_json(self) -> dict[str, Any]:
        """The schema as JSON types."""
        return {
            "variables": [variable.to_json() for variable in self.variables],
            "target": None if self.target is None else self.target.to_json(),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """The schema that :meth:`to_json` wrote."""
        target = document["target"]
        return cls(
            tuple(Variable.from_json(variable) for variable in document["variables"]),
            None if target is None else Variable.from_json(target),
        )

    def describe(self) -> str:
        """One line per variable, for people: its kind, its values, and how they were settled.

        Examples
        --------
        >>> print(Schema([Variable("colour", ("blue", "red"))]).describe())
        colour: category, 2 values (blue, red); declared
        """
        lines = []
        for variable in (*self.variables, *([self.target] if self.target else [])):
            values = _shortened(["missing" if value is None else str(value) for value in variable.values])
            size = f"{variable.n_values} value{'s' if variable.n_values != 1 else ''}"
            role = "target, " if variable is self.target else ""
            lines.append(f"{variable.name}: {role}{variable.kind}, {size} {values}; {variable.origin}")
        return "\n".join(lines)


def smallest_code_type(largest: int) -> type[np.unsignedinteger[Any]]:
    """Smallest unsigned integer type that holds ``largest``.

    Examples
    --------
    >>> smallest_code_type(256).__name__
    'uint16'
    """
    return next(kind for kind in CODE_TYPES if largest <= np.iinfo(kind).max)


def _code_variable(name: str, size: int) -> Variable:
    if not isinstance(size, (int, np.integer)) or size < 1:
        raise InvalidParameter(f"variable {name!r}: {size!r} values; expected a whole number of at least 1")
    return Variable(name, tuple(range(int(size))), "code", origin="codes")


def _shortened(items: Sequence[str], most: int = 6) -> str:
    shown = ", ".join(items[:most])
    return f"({shown}, ... {len(items) - most} more)" if len(items) > most else f"({shown})"
