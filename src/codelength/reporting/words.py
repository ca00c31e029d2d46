"""Numbers and names as the page writes them."""

import math

from ..render import one_line
from .results import Estimate

SPACE = "\u00a0"
MINUS = "\u2212"

LONGEST_NAME = 48
"""Characters of a name or a value that are shown."""


def name(text: str, most: int = LONGEST_NAME) -> str:
    """Return a name or a value of the table on one line, shortened in the middle if it is long.

    Long names often differ only at their ends.

    Examples
    --------
    >>> name("two" + chr(10) + "lines"), name("a long name 1", most=9), name(" ")
    ('two lines', 'a lon…e 1', '(empty)')
    """
    whole = str(text)
    # Cells can hold megabytes; only their ends are made safe.
    if len(whole) > 8 * most:
        whole = f"{whole[: 4 * most]}{whole[-4 * most :]}"
    flat = one_line(whole)
    n_last = most // 3
    return (flat if len(flat) <= most else f"{flat[: most - 1 - n_last]}…{flat[-n_last:]}") or "(empty)"


def file_name(text: str) -> str:
    """Return the name of a file without its directories; any other name stays as it is.

    Examples
    --------
    >>> file_name("/home/me/weather.csv"), file_name("vote")
    ('weather.csv', 'vote')
    """
    return text.replace("\\", "/").rstrip("/").rpartition("/")[2]


def table_name(text: str) -> str:
    """Return the name of a table as the page shows it, without the directories of its file.

    Examples
    --------
    >>> table_name("/home/me/weather.csv"), table_name("vote"), table_name("")
    ('weather.csv', 'vote', 'a table')
    """
    last = file_name(text)
    return name(last) if last else "a table"


def capital(words: str) -> str:
    """Return words with a capital letter at their beginning."""
    return f"{words[:1].upper()}{words[1:]}"


def number(value: float, digits: int = 3) -> str:
    """Return a number with some decimals.

    Examples
    --------
    >>> number(-0.25), number(-0.0001), number(float("inf")), number(float("nan"))
    ('−0.250', '0.000', '∞', 'unknown')
    """
    if math.isnan(value):
        return "unknown"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{value:.{digits}f}"
    # Small negative numbers would otherwise read as minus zero.
    text = text.removeprefix("-") if not text.strip("-0.") else text
    return text.replace("-", MINUS)


def percent(share: float, digits: int = 1) -> str:
    """Return a share in per cent.

    Examples
    --------
    >>> percent(0.9555)
    '95.5\xa0%'
    """
    return f"{number(100 * share, digits)}{SPACE}%"


def probability(value: float) -> str:
    """Return a probability in per cent, with more digits if it is small.

    Examples
    --------
    >>> probability(0.25), probability(0.0004), probability(1e-9), probability(0)
    ('25.0\xa0%', '0.04\xa0%', 'below 0.01\xa0%', '0\xa0%')
    """
    if value == 0:
        return f"0{SPACE}%"
    if value < 1e-4:
        return f"below 0.01{SPACE}%"
    return percent(value, 1 if value >= 0.01 else 2)


def counted(value: float) -> str:
    """Return a count with thousands separators.

    Examples
    --------
    >>> counted(48842), counted(0.5)
    ('48,842', '0.5')
    """
    return f"{int(value):,}" if value == int(value) else f"{value:,.4g}"


def interval(estimate: Estimate, digits: int = 3) -> str:
    """Return the interval of an estimate.

    Examples
    --------
    >>> interval(Estimate(0.3, 0.05, 0.2, 0.4), 2)
    '0.20 to 0.40'
    """
    return f"{number(estimate.low, digits)} to {number(estimate.high, digits)}"


def percent_interval(estimate: Estimate) -> str:
    """Return the interval of an estimated share.

    Examples
    --------
    >>> percent_interval(Estimate(0.8, 0.05, 0.68, 0.88))
    '68.0 to 88.0\xa0%'
    """
    return f"{number(100 * estimate.low, 1)} to {percent(estimate.high)}"


def give_or_take(estimate: Estimate, digits: int = 3) -> str:
    """Return an estimate with its standard error.

    Examples
    --------
    >>> give_or_take(Estimate(0.25, 0.031, 0.19, 0.31))
    '0.250\xa0±\xa00.031'
    """
    value = number(estimate.value, digits)
    if not math.isfinite(estimate.standard_error) or not math.isfinite(estimate.value):
        return value
    return f"{value}{SPACE}±{SPACE}{number(estimate.standard_error, digits)}"
