"""A categorical variable of a table: its name and its values.

The kind of a variable decides how :mod:`codelength.table.encode` finds the code of a cell. Counting and
prediction need the number of values alone; exports and reports also read the kind, to write conditions on
cells.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args

import numpy as np

from ..errors import InvalidParameter
from ..typing import Scalar
from ._messages import shown
from .checks import as_float, check_instance, check_sequence, reading
from .spelling import Scale, time_labels
from .values import is_number, joined, without_numpy

Kind = Literal["category", "interval", "code", "ignored"]


@dataclass(frozen=True, slots=True)
class Variable:
    """A categorical variable: a name and the values it can take, in order.

    Parameters
    ----------
    name : str
        Name of the column.
    values : sequence of str, int, float or bool
        The values in code order. If the last value is ``None``, missing cells are a value of their own.
    kind : {"category", "interval", "code", "ignored"}
        ``"category"``: cells are matched with the values. ``"interval"``: cells are numbers or times, and
        ``cuts`` decides the interval of each. ``"code"``: cells are codes already. ``"ignored"``: the
        variable has one value, whatever the cells are, and carries no information.
    cuts : sequence of float
        Cut points of an interval variable. A number equal to a cut belongs to the interval above it.
    origin : str
        Short text for people: how the values were found. Ignored by comparisons.
    scale : {"number", "date", "utc"}
        Unit of the cut points of an interval variable; see :mod:`codelength.table.spelling`.

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
    scale: Scale = "number"

    def __post_init__(self) -> None:
        where = f"variable {shown(self.name)}"
        check_instance(f"{where}, its name", self.name, str, "text (a name must be text)")
        # Values are normalised like cells: a value that is still a numpy scalar, or half of a surrogate pair,
        # would never be equal to the cell it stands for.
        plain = map(without_numpy, check_sequence(f"{where}: values", self.values))
        cuts = check_sequence(f"{where}: cuts", self.cuts, of="numbers")
        if not all(map(is_number, cuts)):
            raise InvalidParameter(f"{where}: cut points {shown(cuts)}; expected numbers")
        object.__setattr__(self, "name", joined(self.name))
        object.__setattr__(self, "values", tuple(joined(v) if isinstance(v, str) else v for v in plain))
        object.__setattr__(self, "cuts", tuple(map(as_float, cuts)))
        self._check(where)

    @property
    def n_values(self) -> int:
        """Number of values that the variable can take; also the code of a missing cell."""
        return len(self.values)

    @property
    def missing_is_value(self) -> bool:
        """True if a missing cell is a value of its own (the last one)."""
        return bool(self.values) and self.values[-1] is None

    def to_json(self) -> dict[str, Any]:
        """Return the variable as JSON types.

        Examples
        --------
        >>> Variable("ripe", (False, True)).to_json()
        {'name': 'ripe', 'kind': 'category', 'values': [False, True], 'origin': 'declared'}
        """
        document: dict[str, Any] = {"name": self.name, "kind": self.kind, "values": list(self.values)}
        # Left out if they have their defaults, which :meth:`from_json` supplies.
        if self.kind == "interval":
            document["cuts"] = list(self.cuts)
        if self.scale != "number":
            document["scale"] = self.scale
        return document | {"origin": self.origin}

    @classmethod
    @reading("a Variable")
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Return the variable that :meth:`to_json` wrote."""
        return cls(
            document["name"],
            tuple(document["values"]),
            document["kind"],
            tuple(document.get("cuts", ())),
            document.get("origin", "declared"),
            document.get("scale", "number"),
        )

    def _check(self, where: str) -> None:
        for name, choices in (("kind", get_args(Kind)), ("scale", get_args(Scale))):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in choices:
                raise InvalidParameter(f"{where}: {name} {shown(value)}; expected one of {choices}")
        check_instance(f"{where}: origin", self.origin, str, "text")
        if not self.values:
            raise InvalidParameter(f"{where}: no values; a variable needs at least one")
        # None is checked by position only: elsewhere than at the end it is not a value.
        known = self.values[:-1] if self.missing_is_value else self.values
        for value in known:
            # NaN is the only value that differs from itself. It could never be found in a look-up.
            if not isinstance(value, (str, int, float)) or value in (math.inf, -math.inf) or value != value:
                raise InvalidParameter(
                    f"{where}: value {shown(value)}; expected text, a number or a truth value"
                )
        # A set compares like a dictionary, so that True and 1 are one value, and so are 1 and 1.0.
        if len(set(known)) < len(known):
            raise InvalidParameter(f"{where}: a value is listed twice in {shown(list(self.values), 300)}")
        if self.kind == "interval" and len(self.cuts) + 1 != len(known):
            raise InvalidParameter(
                f"{where}: {len(self.cuts)} cut points make {len(self.cuts) + 1} intervals, not {len(known)}"
            )
        if not np.isfinite(self.cuts).all() or (np.diff(self.cuts) <= 0).any():
            raise InvalidParameter(f"{where}: cut points {shown(self.cuts)} must be finite and increasing")
        if self.kind == "ignored" and self.n_values != 1:
            raise InvalidParameter(f"{where}: {self.n_values} values; an ignored variable has one")


def interval_variable(
    name: str,
    cuts: Iterable[float],
    *,
    missing_is_value: bool = False,
    origin: str = "declared",
    scale: Scale = "number",
) -> Variable:
    """Return a variable of numbers or times cut into intervals, each named after its bounds.

    Parameters
    ----------
    name, cuts, origin, scale
        As for :class:`Variable`.
    missing_is_value : bool
        Add a last value for missing cells.

    Examples
    --------
    >>> interval_variable("age", [18, 65]).values
    ('< 18', '18 to 65', '>= 65')
    """
    ordered = check_sequence("cuts", cuts, of="numbers")
    # Labels of unusable cut points cannot be made. The variable rejects such points with a better message.
    usable = all(is_number(cut) and math.isfinite(as_float(cut)) for cut in ordered)
    labels: tuple[Scalar | None, ...] = time_labels([*map(float, ordered)], scale) if usable else ("any",)
    return Variable(name, (*labels, None) if missing_is_value else labels, "interval", ordered, origin, scale)
