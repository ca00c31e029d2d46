"""Estimated costs of computations, and their limits, checked before any memory is allocated.

Seconds are those of one core of about 3 GHz, accurate to a factor of two or so: enough for a choice between
methods whose costs differ by orders of magnitude.
"""

import math
import os
import sys
from dataclasses import dataclass

from ..errors import Infeasible
from ..table._messages import shown

MAX_SECONDS = 600.0
"""Time limit of an exact sum, in seconds, by its estimate."""

MAX_BYTES = 2 * 2**30
"""Memory limit of an exact sum, in bytes, by its estimate."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Estimated seconds on one core, and bytes of memory at the peak."""

    seconds: float
    n_bytes: float

    @property
    def is_feasible(self) -> bool:
        """True if both are within the limits."""
        return self.seconds <= MAX_SECONDS and self.n_bytes <= MAX_BYTES


def count_of(log_count: float) -> float:
    """Return a number by its log, without overflow."""
    return math.exp(min(log_count, 650.0))


def refuse(what: str, cost: Cost) -> Infeasible:
    """Return the error for a sum that costs too much."""
    estimate = f"about {duration(cost.seconds)} and {amount(cost.n_bytes)} of memory"
    limits = f"limits: {duration(MAX_SECONDS)}, {amount(MAX_BYTES)}"
    remedy = "take a sample of the rows, or an approximation such as Cheeseman-Stutz"
    return Infeasible(f"{what} would take {estimate} ({limits}); {remedy}")


def check_memory(what: str, n_bytes: float, remedy: str, limit: float | None = None) -> None:
    """Raise if a computation needs more memory than ``limit``, by default that of the machine.

    Examples
    --------
    >>> check_memory("the table", 2**40, "take a sample of the rows", MAX_BYTES)
    Traceback (most recent call last):
    codelength.errors.Infeasible: the table would take 1 TB of memory (limit: 2 GB); take a sample of the rows
    """
    most = _machine_bytes() if limit is None else limit
    if n_bytes > most:
        raise Infeasible(f"{what} would take {amount(n_bytes)} of memory (limit: {amount(most)}); {remedy}")


def check_components(n_components: int, bytes_each: float, what: str, limit: float | None = None) -> None:
    """Raise if memory does not hold so many components, with the largest feasible number."""
    most = _machine_bytes() if limit is None else limit
    largest = int(min(most // max(bytes_each, 1.0), sys.maxsize))
    remedy = f"ask for at most {largest:,} components" if largest else "take a sample of the rows"
    # A Python integer may be too large for a float; beyond sys.maxsize the check fails anyway.
    wanted = float(min(n_components, sys.maxsize)) * bytes_each
    check_memory(f"n_components={shown(n_components)}: {what}", wanted, remedy, most)


def duration(seconds: float) -> str:
    """Format a time for messages: ``1 second``, ``10 minutes``."""
    for unit, length in (("years", 31_557_600), ("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{_rounded(seconds / length)} {unit}"
    n = max(1, round(seconds))
    return f"{n} second{'s' if n > 1 else ''}"


def amount(n_bytes: float) -> str:
    """Format an amount of memory for messages: ``2 GB``, ``1.5 MB``."""
    for unit, size in (("TB", 2**40), ("GB", 2**30), ("MB", 2**20)):
        if n_bytes >= size:
            return f"{_rounded(n_bytes / size)} {unit}"
    return "less than 1 MB"


def _machine_bytes() -> float:
    """Return the memory of the machine; infinity if the system does not report it."""
    try:
        return max(float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES")), MAX_BYTES)
    except (AttributeError, OSError, ValueError):
        return math.inf


def _rounded(number: float) -> str:
    return f"{number:.0f}" if 100 <= number < 10_000 else f"{number:.2g}"
