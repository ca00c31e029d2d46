"""Many attempts with seeds: each ends in a result that keeps its promises, or in an error of ours.

An attempt is a function of a random generator. It ends well, or it is refused by an error of ours, which is
counted. Anything else is a fault, kept with its seed, so that ``attempt(generator(name, seed))`` repeats it.
"""

import contextlib
import faulthandler
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

import codelength
from codelength.errors import CodelengthError, CodelengthWarning

LONGEST_MESSAGE = 2000
"""Characters that a message may have."""

SECONDS = 60
"""Processor time that one attempt may take."""

PATIENCE = 1200
"""Seconds by the clock after which an attempt that does not return ends the process.

The same for attempts with less processor time: on a busy machine a fifth of a second can take many.
"""

OWN = Path(codelength.__file__).parent, Path(__file__).parents[1]
"""Folders of code that may be interrupted, besides the standard library."""

KINDS = ("silent difference", "foreign exception", "foreign warning", "bad message", "broken promise", "hang")
"""What may go wrong."""

Attempt = Callable[[Random], None]


class Fault(Exception):
    """Something that must not happen."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind


class Hang(BaseException):
    """An attempt that takes too long; not an Exception, so that nobody on the way takes it for one."""


@dataclass
class Tally:
    """What came of some attempts."""

    name: str
    n_attempts: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[int, str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        counts = Counter(kind for _, kind, _ in self.faults)
        figures = ", ".join(f"{kind}: {counts[kind]}" for kind in KINDS)
        refused = ", ".join(f"{name} {times:,}" for name, times in sorted(self.refused.items()))
        return f"{self.name}: {self.n_attempts:,} attempts, refused: {refused or 'none'}; {figures}"

    def check(self) -> None:
        """Print the figures, and fail where something went wrong."""
        print(self)
        shown = "\n".join(f"seed {seed}: {text}" for seed, _, text in self.faults[:5])
        assert not self.faults, f"{self}\n{shown}"


def generator(name: str, seed: int) -> Random:
    """The source of one attempt."""
    return Random(f"{name} {seed}")


def attempts(name: str, attempt: Attempt, seeds: Iterable[int]) -> Tally:
    """Make an attempt with each seed."""
    tally = Tally(name)
    for seed in seeds:
        tally.n_attempts += 1
        try:
            with in_time(), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                attempt(generator(name, seed))
        except CodelengthError as error:
            tally.refused[type(error).__name__] += 1
            if complaint := complaint_about(str(error)):
                tally.faults.append((seed, "bad message", complaint))
        except Fault as fault:
            tally.faults.append((seed, fault.kind, _told(fault)))
        except Hang as hang:
            tally.faults.append((seed, "hang", _told(hang)))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # the panics of some libraries are not Exceptions
            tally.faults.append((seed, "foreign exception", _told(error)))
        for warning in caught:
            if complaint := _complaint_about_warning(warning):
                tally.faults.append((seed, *complaint))
    return tally


def complaint_about(message: str) -> str | None:
    """What is wrong with a message: it is one line, and not too long."""
    if len(message) > LONGEST_MESSAGE:
        return f"{len(message):,} characters: {message[:200]!r}"
    if not message or message.splitlines() != [message]:
        return f"not one line: {message[:300]!r}"
    return None


@contextlib.contextmanager
def promised(what: str) -> Iterator[None]:
    """Within this an error of ours is a fault too."""
    try:
        yield
    except CodelengthError as error:
        told = f"{what}: {type(error).__name__}: {str(error)[:500]}"
        raise Fault("broken promise", told) from error


@contextlib.contextmanager
def in_time(seconds: float = SECONDS) -> Iterator[None]:
    """Raise :class:`Hang` in code that takes too much processor time, where the system can.

    Nothing is raised inside foreign code: llvmlite, for one, frees a module twice if an exception arrives
    just after LLVM linked it. Code that does not return from there ends the process and prints its stack.
    """
    if not hasattr(signal, "SIGPROF"):
        yield
        return
    outermost = sys._getframe(2)

    def end(_: int, frame: FrameType | None) -> None:
        while frame is not None and frame is not outermost:
            if _is_foreign(frame):
                return
            frame = frame.f_back
        raise Hang(f"takes more than {seconds} seconds of processor time")

    before = signal.signal(signal.SIGPROF, end)
    # Repeated, because the first signal may come inside foreign code, or its exception may be lost.
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.25)
    faulthandler.dump_traceback_later(PATIENCE, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _is_foreign(frame: FrameType) -> bool:
    path = Path(frame.f_code.co_filename)
    return "site-packages" in path.parts and not any(path.is_relative_to(own) for own in OWN)


def _complaint_about_warning(warning: warnings.WarningMessage) -> tuple[str, str] | None:
    message = str(warning.message)
    if issubclass(warning.category, CodelengthWarning):
        complaint = complaint_about(message)
        return None if complaint is None else ("bad message", complaint)
    # What scikit-learn's conventions ask of every estimator.
    if "feature names" in message or warning.category.__module__ == "sklearn.exceptions":
        return None
    return (
        "foreign warning",
        f"{warning.category.__name__} at {warning.filename}:{warning.lineno}: {message[:300]}",
    )


def _told(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    way = " < ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in reversed(frames))
    return f"{type(error).__name__}: {str(error)[:600]} [{way}]"
