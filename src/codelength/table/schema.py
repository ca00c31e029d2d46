"""Variables of a table, their values, and the classes to predict.

A code length is defined only over a fixed alphabet, so a schema is settled before anything is
counted and does not grow afterwards. Depends on ``variable``, which describes one column.

A schema also fixes the layout of every *flat table* above this folder: the cells of all variables one after
the other, each variable with one spare cell at its end for missing. :attr:`Schema.offsets` says at which
cell a variable starts; counts, log tables and kernels use nothing else.

Order of reading: :class:`Schema`, first its fields and :meth:`Schema.from_sizes`, then ``offsets`` and
``cells``, then the methods that return a changed schema.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from .._display import Shown, counted
from ..blocks import Block, Grid
from ..errors import InvalidParameter, SchemaMismatch
from ..typing import IntArray, Scalar
from ._messages import listed, shown
from .checks import check_distinct, check_instance, check_sequence, check_size, reading
from .variable import Variable

# Codes are read in every pass over the rows, so they take as few bytes as possible.
CODE_TYPES = (np.uint8, np.uint16, np.uint32)

MAX_CODES = 1_000_000
"""Most values of a variable that is given by its size alone."""


@dataclass(frozen=True, repr=False)
class Schema(Shown):
    """Variables of a table, in column order, and the class to predict.

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

    def __post_init__(self) -> None:
        variables = check_sequence("variables", self.variables, of="variables")
        for variable in variables:
            check_instance("variables", variable, Variable, "a list of Variable")
        if self.target is not None:
            check_instance("target", self.target, Variable, "a Variable, or None")
        object.__setattr__(self, "variables", variables)
        check_distinct(variable.name for variable in self.variables)
        if self.target is not None and self.target.missing_is_value:
            raise InvalidParameter(f"target {self.target.name!r}: a missing class cannot be a class")

    @classmethod
    def from_sizes(cls, n_values: Sequence[int], n_classes: int | None = None) -> Self:
        """Return a schema for data that is coded already: integer arrays are the codes.

        Variables are named ``x0, x1, ...``; the code ``n_values`` stands for missing.

        Parameters
        ----------
        n_values : sequence of int
            Number of values of each variable.
        n_classes : int, optional
            Number of classes; no target by default.

        Returns
        -------
        Schema
            A schema of code variables.

        Examples
        --------
        >>> Schema.from_sizes([2, 3], n_classes=2).variables[1].values
        (0, 1, 2)
        """
        sizes = check_sequence("n_values", n_values, of="numbers of values, one per variable")
        variables = [_code_variable(f"x{i}", size) for i, size in enumerate(sizes)]
        return cls(tuple(variables), None if n_classes is None else _code_variable("class", n_classes))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return tuple(variable.name for variable in self.variables)

    @property
    def is_named(self) -> bool:
        """True if the variables have names of their own; one made from sizes has ``x0, x1, ...``."""
        return any(variable.name != f"x{i}" for i, variable in enumerate(self.variables))

    @property
    def n_variables(self) -> int:
        """Number of variables, the class not counted."""
        return len(self.variables)

    @property
    def n_classes(self) -> int:
        """Number of classes; 1 if there is no class to predict."""
        return 1 if self.target is None else self.target.n_values

    @property
    def classes(self) -> tuple[Scalar, ...]:
        """Classes in code order."""
        if self.target is None:
            return ()
        return tuple(value for value in self.target.values if value is not None)

    @cached_property
    def _by_name(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}

    @cached_property
    def n_values(self) -> IntArray:
        """Number of values of each variable."""
        return np.array([variable.n_values for variable in self.variables], dtype=np.int64)

    @cached_property
    def offsets(self) -> IntArray:
        """Start of each variable in a flat table; the last entry is the length of the table.

        Every variable has one cell per value, plus one for missing.

        Examples
        --------
        >>> schema = Schema.from_sizes([2, 3])
        >>> schema.offsets, schema.cells(1)
        (array([0, 3, 7]), slice(3, 6, None))
        """
        return np.concatenate(([0], np.cumsum(self.n_values + 1))).astype(np.int64)

    @property
    def n_cells(self) -> int:
        """Length of a flat table: one cell per value, plus one per variable for missing."""
        return int(self.offsets[-1])

    def cells(self, i: int) -> slice:
        """Return the place of the values of variable ``i`` in a flat table, without its cell for missing."""
        return slice(int(self.offsets[i]), int(self.offsets[i + 1]) - 1)

    @property
    def code_type(self) -> type[np.unsignedinteger[Any]]:
        """Smallest unsigned integer type that holds every code."""
        return smallest_code_type(int(self.n_values.max(initial=1)))

    def position(self, variable: int | str) -> int:
        """Return the position of a variable, given by name or counted from the start or the end.

        Examples
        --------
        >>> schema = Schema.from_sizes([2, 3])
        >>> schema.position("x1"), schema.position(-1)
        (1, 1)
        """
        if isinstance(variable, str):
            if variable not in self._by_name:
                raise SchemaMismatch(f"column {shown(variable)}: not in the schema {listed(self.names)}")
            return self._by_name[variable]
        # True is an int to Python, but not a position.
        if not isinstance(variable, (int, np.integer)) or isinstance(variable, bool):
            raise SchemaMismatch(f"variable {shown(variable)}: expected a name or a position")
        if not -self.n_variables <= variable < self.n_variables:
            raise SchemaMismatch(f"variable {shown(variable)}: the schema has {self.n_variables} variables")
        return int(variable) % self.n_variables

    def select(self, variables: Sequence[int]) -> "Schema":
        """Return the schema of some of the variables, given by position.

        Examples
        --------
        >>> Schema.from_sizes([2, 3, 4]).select([2, 0]).names
        ('x2', 'x0')
        """
        chosen = check_sequence("variables", variables, of="positions")
        return Schema(tuple(self.variables[self.position(i)] for i in chosen), self.target)

    def with_class_as_variable(self) -> "Schema":
        """Return the schema whose last variable is the class, and which has no class to predict.

        A class that is named like one of the variables is renamed.

        Examples
        --------
        >>> Schema.from_sizes([2, 3], n_classes=2).with_class_as_variable().names
        ('x0', 'x1', 'class')
        """
        if self.target is None:
            raise InvalidParameter("the schema has no target, so there is no class to make a variable of")
        name = self.target.name
        while name in self._by_name:
            name = f"class of {name}"
        return Schema((*self.variables, replace(self.target, name=name)))

    def without_target(self) -> "Schema":
        """Return the schema without its target."""
        return self if self.target is None else Schema(self.variables)

    def named_after(self, names: Sequence[str]) -> "Schema":
        """Return the schema with other names for its variables."""
        given = check_sequence("names", names, of="names")
        if len(given) != self.n_variables:
            raise SchemaMismatch(f"{len(given)} names for {self.n_variables} variables; give one for each")
        variables = tuple(replace(v, name=name) for v, name in zip(self.variables, given, strict=True))
        return Schema(variables, self.target)

    def to_json(self) -> dict[str, Any]:
        """Return the schema as JSON types."""
        return {
            "variables": [variable.to_json() for variable in self.variables],
            "target": None if self.target is None else self.target.to_json(),
        }

    @classmethod
    @reading("a Schema")
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Return the schema that :meth:`to_json` wrote."""
        target = document["target"]
        variables = tuple(Variable.from_json(variable) for variable in document["variables"])
        return cls(variables, None if target is None else Variable.from_json(target))

    def _title(self) -> str:
        target = "no target" if self.target is None else f"target {shown(self.target.name)}"
        classes = f", {counted(self.n_classes, 'class')}" if self.target is not None else ""
        return f"Schema: {counted(self.n_variables, 'variable')}, {target}{classes}"

    def _blocks(self) -> list[Block]:
        return [variables_grid("", (*self.variables, *([] if self.target is None else [self.target])))]


def smallest_code_type(largest: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest unsigned integer type that holds ``largest``.

    Examples
    --------
    >>> smallest_code_type(256).__name__
    'uint16'
    """
    return next(kind for kind in CODE_TYPES if largest <= np.iinfo(kind).max)


def _code_variable(name: str, size: Any) -> Variable:
    n_values = check_size(f"variable {name!r}: n_values", size, MAX_CODES)
    return Variable(name, tuple(range(n_values)), "code", origin="codes")


def variables_grid(title: str, variables: Iterable[Variable]) -> Grid:
    """Return a grid of variables: kinds, values, and how these were found."""
    rows = [[variable.name, variable.kind, _listed(variable), variable.origin] for variable in variables]
    return Grid(title, ["variable", "kind", "values", "how they were settled"], rows, n_text=4)


def classes_grid(target: Variable | None, class_counts: Iterable[float]) -> Grid:
    """Return a grid of classes and the number of rows of each."""
    name, labels = ("", ()) if target is None else (target.name, target.values)
    rows = [[str(label), f"{n:,.10g}"] for label, n in zip(labels, class_counts, strict=True)]
    return Grid(f"target {name}", ["class", "rows"], rows)


def _listed(variable: Variable, most: int = 8) -> str:
    texts = ["missing" if value is None else str(value) for value in variable.values[:most]]
    more = variable.n_values - most
    return ", ".join(texts) + (f", ... {more} more" if more > 0 else "")
