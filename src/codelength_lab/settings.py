"""Settings of experiments that the papers do not state, and their alternatives.

Each setting is defined here once: its default, its possible values, and its form on a command line.
"""

import difflib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from codelength.errors import InvalidParameter
from codelength.table.checks import MAX_BINS, check_choice, check_number, check_size, check_whole
from codelength.table.infer import Missing

MAX_REPEATS = 10_000
"""Most repetitions; with more, the tasks alone would fill the memory."""

Discretization: TypeAlias = Literal["kmeans", "frequency", "width"]
"""Method of cutting numeric columns into intervals."""

Learned: TypeAlias = Literal["whole", "train"]
"""Rows that cut points are learned from."""


def _choice(choices: Any) -> dict[str, Any]:
    """Return the metadata of a setting with fixed alternatives: an example for the help, and a parser."""

    def parse(name: str, text: str) -> str:
        check_choice(name, text, choices)
        return text

    return {"example": "|".join(get_args(choices)), "parse": parse}


def _whole(example: str, least: int, most: int | None = None) -> dict[str, Any]:
    """Return the metadata of a setting that is a whole number."""

    def parse(name: str, text: str) -> int:
        # Python raises for numbers of more than 4,300 digits; the check then names the text.
        given = int(text) if text.isdecimal() and len(text) <= 4000 else text
        number = check_whole(name, given, least)
        return number if most is None else check_size(name, number, most)

    return {"example": example, "parse": parse}


def _number(example: str, *, above: bool = False, or_none: bool = False) -> dict[str, Any]:
    """Return the metadata of a setting that is a number."""

    def parse(name: str, text: str) -> float | None:
        if or_none and text == "none":
            return None
        given: Any = text
        with suppress(ValueError):
            given = float(text)
        return check_number(name, given, above=above, also=", or none" if or_none else "")

    return {"example": example, "parse": parse}


@dataclass(frozen=True, slots=True)
class Settings:
    """Choices that change the figures; every paper has its own defaults.

    Attributes
    ----------
    discretization : {"kmeans", "frequency", "width"}
        Method of cutting numeric columns into intervals.
    bins : int, optional
        Intervals per numeric column; None for those that the paper's own module names for each table.
    learned : {"whole", "train"}
        Rows that cut points are learned from: those of the whole table, or the training rows alone.
    missing : {"value", "ignore"}
        Treatment of missing cells: a value of its own, or marginalised.
    cap : float, optional
        Largest cost of a row in the log score, in nats; None for no limit.
    map_pseudocount : float
        Number that the MAP rule adds to every count.
    sc_power : float
        Power to which the weights of the stochastic complexity rule are raised; 1 is the rule itself.
    repeats : int, optional
        Repetitions of every random protocol; None for those of the paper.
    folds : int, optional
        Folds of every cross-validation; None for those of the paper.
    seed : int
        Seed of all random streams.
    """

    discretization: Discretization = field(default="kmeans", metadata=_choice(Discretization))
    bins: int | None = field(default=None, metadata=_whole("4", 1, MAX_BINS))
    learned: Learned = field(default="whole", metadata=_choice(Learned))
    missing: Missing = field(default="value", metadata=_choice(Missing))
    cap: float | None = field(default=None, metadata=_number("100|none", or_none=True))
    map_pseudocount: float = field(default=0.0, metadata=_number("0.002"))
    sc_power: float = field(default=1.0, metadata=_number("0.72", above=True))
    repeats: int | None = field(default=None, metadata=_whole("20", 1, MAX_REPEATS))
    folds: int | None = field(default=None, metadata=_whole("10", 2))
    seed: int = field(default=0, metadata=_whole("1", 0))

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON types."""
        return asdict(self)


_FIELDS = {entry.name: entry for entry in fields(Settings)}

ALTERNATIVES = tuple(f"{name}={entry.metadata['example']}" for name, entry in _FIELDS.items())
"""Alternatives of each setting in the form of a command line, for help texts."""


def changed(defaults: Settings, texts: Iterable[str]) -> Settings:
    """Return settings with some changed by texts of the form ``key=value``.

    Raises
    ------
    InvalidParameter
        If a setting does not exist, or a value is invalid.

    Examples
    --------
    >>> changed(Settings(), ["bins=4", "cap=100"]).cap
    100.0
    """
    changes: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise InvalidParameter(f"setting {text!r}: expected key=value, such as bins=4")
        if key not in _FIELDS:
            near = difflib.get_close_matches(key, _FIELDS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(_FIELDS)}"
            raise InvalidParameter(f"setting {key!r} does not exist; {hint}")
        # The parser of each setting is defined with the setting, so that a new one needs no change here.
        changes[key] = _FIELDS[key].metadata["parse"](f"setting {key}", value)
    return replace(defaults, **changes)


def differences(defaults: Settings, settings: Settings) -> list[str]:
    """Return the settings that differ from the defaults, as texts.

    Examples
    --------
    >>> differences(Settings(), Settings(bins=4))
    ['bins=4']
    """
    return [
        f"{name}={_text(getattr(settings, name))}"
        for name in _FIELDS
        if getattr(settings, name) != getattr(defaults, name)
    ]


def _text(value: Any) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
