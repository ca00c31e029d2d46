"""What the papers leave open, and how to try something else."""

import difflib
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from ..errors import InvalidParameter


@dataclass(frozen=True, slots=True)
class Settings:
    """Choices that change the figures; every paper has its own defaults.

    Attributes
    ----------
    discretization : {"kmeans", "frequency", "width"}
        How numeric columns are cut into intervals.
    bins : int, optional
        Intervals a column; None stands for those that the paper's own defaults name for each table.
    learned : {"whole", "train"}
        Whether cut points are learned from the whole table or from the training rows alone.
    missing : {"value", "ignore"}
        Whether a missing cell is a value of its own or is marginalised.
    floor : float, optional
        The most that one row can cost in the log score, in nats; None for no limit.
    map_pseudocount : float
        What the MAP rule adds to every count.
    sc_power : float
        Power to which the weights of the stochastic complexity rule are raised; 1 is the rule itself.
    repeats : int, optional
        Repetitions of every random protocol; None for those of the paper.
    folds : int, optional
        Folds of every cross-validation; None for those of the paper.
    seed : int
        Seed of all random streams.
    """

    discretization: Literal["kmeans", "frequency", "width"] = "kmeans"
    bins: int | None = None
    learned: Literal["whole", "train"] = "whole"
    missing: Literal["value", "ignore"] = "value"
    floor: float | None = None
    map_pseudocount: float = 0.0
    sc_power: float = 1.0
    repeats: int | None = None
    folds: int | None = None
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        """The settings as JSON types."""
        return asdict(self)


def changed(defaults: Settings, texts: Iterable[str]) -> Settings:
    """Settings with some changed by texts of the form ``key=value``.

    Examples
    --------
    >>> changed(Settings(), ["bins=4", "floor=100"]).floor
    100.0
    """
    changes: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise InvalidParameter(f"setting {text!r}: expected key=value, such as bins=4")
        if key not in _PARSERS:
            near = difflib.get_close_matches(key, _PARSERS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(_PARSERS)}"
            raise InvalidParameter(f"setting {key!r} does not exist; {hint}")
        changes[key] = _PARSERS[key](key, value)
    return replace(defaults, **changes)


def differences(defaults: Settings, settings: Settings) -> list[str]:
    """The settings that are not as by default, as texts.

    Examples
    --------
    >>> differences(Settings(), Settings(bins=4))
    ['bins=4']
    """
    return [
        f"{field.name}={_text(getattr(settings, field.name))}"
        for field in fields(Settings)
        if getattr(settings, field.name) != getattr(defaults, field.name)
    ]


def _text(value: Any) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _choice(*choices: str) -> Callable[[str, str], str]:
    def parse(key: str, text: str) -> str:
        if text not in choices:
            raise InvalidParameter(f"setting {key}={text}: expected one of {', '.join(choices)}")
        return text

    return parse


def _whole(least: int) -> Callable[[str, str], int]:
    def parse(key: str, text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise InvalidParameter(f"setting {key}={text}: expected a whole number of at least {least}")
        return int(text)

    return parse


def _number(key: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise InvalidParameter(f"setting {key}={text}: expected a number of at least 0")
    return number


def _positive(key: str, text: str) -> float:
    number = _number(key, text)
    if number == 0:
        raise InvalidParameter(f"setting {key}={text}: expected a number above 0")
    return number


def _number_or_none(key: str, text: str) -> float | None:
    return None if text == "none" else _number(key, text)


_PARSERS: dict[str, Callable[[str, str], Any]] = {
    "discretization": _choice("kmeans", "frequency", "width"),
    "bins": _whole(1),
    "learned": _choice("whole", "train"),
    "missing": _choice("value", "ignore"),
    "floor": _number_or_none,
    "map_pseudocount": _number,
    "sc_power": _positive,
    "repeats": _whole(1),
    "folds": _whole(2),
    "seed": _whole(0),
}
