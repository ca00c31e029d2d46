"""Hostile columns as lists of Python cells: every kind of value, and many things that are none."""

import datetime
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pandas as pd

ZONES = (
    datetime.UTC,
    datetime.timezone(datetime.timedelta(hours=2)),
    datetime.timezone(datetime.timedelta(hours=-11, minutes=-30)),
)

TEXTS = (
    *("a", "b", "A", "", " ", "a ", "é", "e\u0301", "ß", "🙂", "名", "\u202e", "\u2028", "\x85", "\x7f"),
    *(
        "\x00",
        "a\x00b",
        "\x1b[2J",
        "\x1b]0;title\x07",
        "\n",
        "a\r\nb",
        "\t",
        "\ud800",
        "\ud83d\ude00",
        "\udcff",
    ),
    *(
        "1",
        "1.0",
        "01",
        "+1",
        "1e3",
        "0x10",
        "1_000",
        "²",
        "inf",
        "-inf",
        "nan",
        "NaN",
        "NA",
        "?",
        "None",
        "null",
    ),
    *("True", "true", "FALSE", "yes", "2020-01-31", "2020-01-31 00:00:00", "12:30:00", "1 days", "90 s"),
    *("[/b]", "[red]a", ":smile:", "=cmd()", ",", ";", '"', "'", "\\", "{}", "%s", "%", "{x}", "@attribute"),
    *("x" * 3000, "9" * 5000, "-0", "1" + "0" * 400),
)
WHOLES = (
    *(0, 1, 2, 3, -1, 7, 255, 256, -128, 2**31, -(2**31) - 1, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1),
    *(2**63 - 1, -(2**63), 2**63, 2**63 + 1, 2**64 - 1, 2**64, 2**70, 2**70 + 1, -(2**70)),
)
HUGE = (10**308, 10**309, -(10**400), 10**5000)
FLOATS = (
    *(0.0, -0.0, 0.5, 0.1, 1 / 3, -2.5, 1.0, 2.0, 1e16, 2.0**53, 2.0**63, 1e300, -1e300),
    *(1.7976931348623157e308, 5e-324, 1e-310, -2.2250738585072014e-308, 1e-5, 123456.789),
)
ODD_FLOATS = (
    *(math.inf, -math.inf, np.float32(0.1), np.float16(0.1), np.float64(0.1), np.longdouble("0.1")),
    *(np.float32(16777216), np.float32(1e-45), np.longdouble(2) ** 70, np.float64(-0.0)),
)
EXACT = (
    *(Decimal("0.1"), Decimal("1.10"), Decimal("1E+3"), Decimal(2**60 + 1), Decimal("-0"), Fraction(1, 3)),
    *(Fraction(2**60 + 1), Fraction(1, 10), Decimal("0.1000000000000000000001"), Decimal("1E-400")),
)
ODD_EXACT = (Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1E+400"), Fraction(10**400, 3))
MISSING = (None, None, float("nan"), pd.NA, pd.NaT, np.float32("nan"), np.datetime64("NaT"), Decimal("NaN"))

Draw = Callable[[Random], Any]


def text(rng: Random) -> str:
    if rng.random() < 0.8:
        return rng.choice(TEXTS)
    return "".join(
        chr(rng.choice((rng.randrange(128), rng.randrange(0x3000), rng.randrange(0x110000))))
        for _ in range(4)
    )


def word(rng: Random) -> str:
    return rng.choice(("red", "green", "blue", "grün", "rot", "one", "two"))


def date(rng: Random) -> datetime.date:
    return rng.choice((datetime.date.min, datetime.date.max)) if rng.random() < 0.05 else _day(rng)


def moment(rng: Random) -> datetime.datetime:
    clock = rng.choice(((0, 0, 0), (12, 30, 0), (23, 59, 59, 999999), (1, 2, 3, 500000), (0, 0, 0, 1)))
    return datetime.datetime.combine(_day(rng), datetime.time(*clock))


def stamp(rng: Random) -> datetime.datetime:
    zone = rng.choice(ZONES)
    if rng.random() < 0.03:
        return rng.choice((datetime.datetime.min, datetime.datetime.max)).replace(tzinfo=zone)
    return moment(rng).replace(tzinfo=zone)


def clock(rng: Random) -> datetime.time:
    return moment(rng).time()


def duration(rng: Random) -> datetime.timedelta:
    days, seconds = rng.choice((0, 0, 1, -1, 400)), rng.choice((0, 1, 90, 86399))
    return datetime.timedelta(days, seconds, rng.choice((0, 500000, 1, 999999)))


def odd(rng: Random) -> Any:
    """Values that are none."""
    made: tuple[Draw, ...] = (
        lambda _: b"bytes",
        lambda _: [1, 2],
        lambda _: {"a": 1},
        lambda _: (1, "a"),
        lambda _: object(),
        lambda _: 1 + 2j,
        lambda _: np.timedelta64(5),
        lambda _: np.timedelta64(90, "s"),
        lambda _: np.datetime64("2020-01-31T12:30:00.5", "ns"),
        lambda _: np.array([1.0]),
        lambda _: range(3),
        lambda _: int,
        lambda rng: rng.choice(HUGE),
        lambda rng: rng.choice(ODD_FLOATS),
        lambda rng: rng.choice(ODD_EXACT),
        lambda _: np.str_("a"),
        lambda _: np.bool_(True),
        lambda _: pd.Timestamp("2020-01-31 12:30", tz="Europe/Helsinki"),
        lambda _: pd.Timedelta("1 days 00:00:00.000000001"),
        lambda _: pd.Period("2020-01", "M"),
        lambda _: pd.Interval(0, 1),
        lambda _: _Unhashable(),
        lambda _: _Text("a"),
        lambda _: Failing(),
    )
    return rng.choice(made)(rng)


KINDS: dict[str, Draw] = {
    "text": text,
    "words": word,
    "small wholes": lambda rng: rng.randrange(-3, 6),
    "wholes": lambda rng: rng.choice(WHOLES),
    "floats": lambda rng: rng.choice(FLOATS),
    "fractions": lambda rng: rng.choice(EXACT),
    "odd numbers": lambda rng: rng.choice((*ODD_FLOATS, *HUGE, *ODD_EXACT, *WHOLES, *FLOATS, *EXACT)),
    "truths": lambda rng: rng.random() < 0.5,
    "truths and wholes": lambda rng: rng.choice((True, False, 0, 1, 2, np.bool_(True), 1.0)),
    "wholes and text": lambda rng: rng.choice((1, 2, "1", "a", 2.0, "2.0")),
    "truths and text": lambda rng: rng.choice((True, False, "True", "a", "1")),
    "dates": date,
    "moments": moment,
    "stamps": stamp,
    "clocks": clock,
    "durations": duration,
    "odd": odd,
    "anything": lambda rng: KINDS[rng.choice(tuple(KINDS)[:-1])](rng),
}
"""How to draw a value, by kind of column."""

SOUND = tuple(kind for kind in KINDS if kind not in ("odd numbers", "odd", "anything"))


def column(rng: Random, n_rows: int, kind: str | None = None, *, n_values: int | None = None) -> list[Any]:
    """The cells of one column: some values of a kind, some of them often, and some cells missing."""
    # Most columns are of values; one that is not, and the whole table is refused.
    kinds = tuple(KINDS) if rng.random() < 0.3 else SOUND
    draw = KINDS[rng.choice(kinds) if kind is None else kind]
    if kind is None and rng.random() < 0.05:
        return [None] * n_rows
    how_many = n_values or rng.choice((1, 2, 2, 3, 3, 5, 8, 30))
    values = [draw(rng) for _ in range(how_many)]
    gaps = rng.choice((0.0, 0.0, 0.1, 0.5))
    markers = MISSING if kind is None and rng.random() < 0.3 else (None,)
    return [rng.choice(markers) if rng.random() < gaps else rng.choice(values) for _ in range(n_rows)]


def weights(rng: Random, n_rows: int) -> Any:
    """Weights of rows: good ones more often than bad ones."""
    pools: Sequence[Sequence[Any]] = (
        (1,),
        (0, 1, 2, 3),
        (0.5, 1.0, 2.5),
        (1e-310, 1.0),
        (1e-12, 1e12),
        (1e300, 1.0),
        (0,),
        (-1, 1),
        (math.nan, 1),
        (math.inf, 1),
        ("1", "2"),
        (None, 1),
        (True, 2),
        (Fraction(1, 3), Decimal("0.5")),
        (10**400, 1),
    )
    pool = pools[rng.randrange(3) if rng.random() < 0.6 else rng.randrange(len(pools))]
    n_weights = n_rows if rng.random() < 0.97 else max(0, n_rows + rng.choice((-1, 1)))
    made = [rng.choice(pool) for _ in range(n_weights)]
    form = rng.random()
    if form < 0.4:
        return made
    array = np.empty(len(made), dtype=object)
    array[:] = made
    if form < 0.7:
        return pd.Series(array, dtype=object)
    try:
        with np.errstate(all="ignore"):
            return array.astype(rng.choice((np.float32, np.float64, np.int64, np.longdouble)))
    except (TypeError, ValueError, OverflowError):
        return array


def _day(rng: Random) -> datetime.date:
    return datetime.date(
        rng.choice((1900, 1969, 1970, 2020, 2100)), rng.choice((1, 2, 12)), rng.choice((1, 28))
    )


class _Unhashable:
    __hash__ = None  # type: ignore[assignment]


class _Text(str):
    """A text that describes itself otherwise."""

    def __str__(self) -> str:
        return "something else"


class Failing:
    """An object that fails whatever is done with it."""

    def __repr__(self) -> str:
        raise RuntimeError("no description")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    def __hash__(self) -> int:
        raise RuntimeError("no hash")
