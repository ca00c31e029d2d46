"""Settings of experiments that the papers do not state: defaults, possible values, and texts."""

import difflib
from collections.abc import Callable, Iterable
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


def _number(example: str, check: Callable[..., Any], **bounds: Any) -> dict[str, Any]:
    """Return the metadata of a number; ``none`` stands for None if that is among the examples."""

    def parse(name: str, text: str) -> Any:
        if text == "none" and example.endswith("|none"):
            return None
        given: Any = text
        for kind in (float, int):
            with suppress(ValueError):
                given = kind(text)
        return check(name, given, **bounds)

    return {"example": example, "parse": parse}


@dataclass(frozen=True, slots=True)
class Settings:
    """Choices that change the figures; every experiment has its own defaults.

    Attributes
    ----------
    discretization : {"kmeans", "frequency", "width"}
        Method of cutting numeric columns into intervals.
    bins : int, optional
        Intervals per numeric column; None for those that the module of the experiment names for each table.
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
        Repetitions of every random protocol; None for those of the experiment.
    folds : int, optional
        Folds of every cross-validation; None for those of the experiment.
    seed : int
        Seed of all random streams.
    """

    discretization: Discretization = field(default="kmeans", metadata=_choice(Discretization))
    bins: int | None = field(default=None, metadata=_number("4", check_size, most=MAX_BINS))
    learned: Learned = field(default="whole", metadata=_choice(Learned))
    missing: Missing = field(default="value", metadata=_choice(Missing))
    cap: float | None = field(default=None, metadata=_number("100|none", check_number, also=", or none"))
    map_pseudocount: float = field(default=0.0, metadata=_number("0.002", check_number))
    sc_power: float = field(default=1.0, metadata=_number("0.72", check_number, above=True))
    repeats: int | None = field(default=None, metadata=_number("20", check_size, most=MAX_REPEATS))
    folds: int | None = field(default=None, metadata=_number("10", check_whole, least=2))
    seed: int = field(default=0, metadata=_number("1", check_whole, least=0))

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
        check_known("setting", key, _FIELDS)
        changes[key] = _FIELDS[key].metadata["parse"](f"setting {key}", value)
    return replace(defaults, **changes)


def check_known(what: str, key: str, known: Iterable[str]) -> None:
    """Raise if a name is unknown; the message suggests a similar one, or lists all."""
    names = list(known)
    if key not in names:
        near = difflib.get_close_matches(key, names, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
        raise InvalidParameter(f"{what} {key!r} does not exist; {hint}")


def differences(defaults: Settings, settings: Settings) -> list[str]:
    """Return the settings that differ from the defaults, as texts.

    Examples
    --------
    >>> differences(Settings(), Settings(bins=4))
    ['bins=4']
    """
    pairs = [(name, getattr(settings, name)) for name in _FIELDS]
    return [f"{name}={_text(value)}" for name, value in pairs if value != getattr(defaults, name)]


def _text(value: Any) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
