"""Process that runs one task for the server, within limits of the operating system.

A task is a look at a file, or a report and a model of a table. It is one line of JSON on standard input, and
messages are lines of JSON on standard output: nothing executable is exchanged. The process ends when standard
input is closed, so that it never outlives the server.

Messages have these fields, of which each message sends those that change:

====================  ==========================================================
field                 content
====================  ==========================================================
``stage``             current step in words
``done``, ``total``   work done, and work in all
``ready``             name of a file that is finished
``answer``            result of a look: ``names`` and ``n_rows``
``error``             reason of a failure, for the user
``details``           traceback of an unexpected error, for the terminal
``end``               true in the last message
====================  ==========================================================

Order of reading: :func:`main`, :func:`system_limits`, then the two tasks. The other side is
:mod:`codelength.serve.jobs`.
"""

import json
import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import CodelengthError
from .limits import Limits

__all__ = ["MODEL", "REPORT", "main"]

REPORT, MODEL = "report.html", "model.json"
"""Files of a finished report."""

Tell = Callable[[dict[str, Any]], None]
"""Function that sends a message to the server."""


def main() -> None:
    """Run the task of standard input."""
    channel = _channel()

    def tell(message: dict[str, Any]) -> None:
        channel.write(f"{json.dumps(message)}\n".encode())

    # One line and not the whole stream, which stays open as a sign of life of the server.
    task = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    limits = Limits(**task["limits"])
    is_look = task["do"] == "look"
    # Before the libraries are imported, so that the limits hold for them too.
    _limit(system_limits(limits, is_look=is_look))
    try:
        (_look_at if is_look else _report_on)(task, limits, tell)
    except CodelengthError as error:
        # Users know their file by its own name, not by the one it is stored under.
        tell({"error": str(error).replace(task["path"], task["shown"])})
    except MemoryError:
        tell({"error": "there is not enough memory for this table; take fewer rows or columns"})
    except Exception as error:
        words = f"{type(error).__name__}: {error}".replace(task["path"], task["shown"])
        message = f"codelength failed, which it should not ({words})"
        tell({"error": message, "details": traceback.format_exc()})
    finally:
        tell({"end": True})
        # A normal exit would wait for the threads of libraries.
        os._exit(0)


def system_limits(limits: Limits, *, is_look: bool) -> dict[str, int]:
    """Return limits of the operating system for memory, time and files, by their names in ``resource``."""
    return {
        "RLIMIT_AS": limits.look_bytes if is_look else limits.work_bytes,
        "RLIMIT_CPU": limits.look_seconds if is_look else limits.work_seconds,
        "RLIMIT_FSIZE": limits.file_bytes,
        # A core dump would write the user's data to disk.
        "RLIMIT_CORE": 0,
    }


def _look_at(task: dict[str, Any], limits: Limits, tell: Tell) -> None:
    """Send the columns and the number of rows of a file."""
    from .inspection import look

    tell({"stage": "looking at the file"})
    names, n_rows = look(Path(task["path"]), limits)
    tell({"answer": {"names": names, "n_rows": n_rows}})


def _report_on(task: dict[str, Any], limits: Limits, tell: Tell) -> None:
    """Write the report of a table, then a model of its target or of its latent classes.

    A message is sent when each of the two files is finished, so that the report can be read while the model
    is fitted.
    """
    import codelength

    from ..sources.readers import read_table
    from .inspection import look

    tell({"stage": "reading the table"})
    # Again: the file of a user, which is read in place, may have changed since the first look.
    look(Path(task["path"]), limits)
    table = read_table(task["path"], target=task["target"], drop=task["drop"])
    table = replace(table, name=task["shown"])
    directory = Path(task["directory"])
    tell({"stage": "making the report"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the report lists them
        report = codelength.report(
            table,
            target=task["target"],
            rows=task["rows"],
            random_state=0,
            progress=_progress(tell),
        )
        report.save(directory / REPORT)
        tell({"ready": REPORT, "stage": "fitting the model", "done": 0, "total": 0})
        analysis: Any = report.analysis
        if task["target"] is None:
            model = analysis.model
        else:
            model = codelength.ModelAverage(random_state=0).fit(table)
        model.save(directory / MODEL)
    tell({"ready": MODEL})


def _progress(tell: Tell) -> Callable[..., None]:
    """Return a function that forwards progress and stages as messages.

    Examples
    --------
    >>> messages = []
    >>> progress = _progress(messages.append)
    >>> progress("comparing models")
    >>> progress(1, 4)
    >>> messages
    [{'stage': 'comparing models'}, {'done': 1.0, 'total': 4.0}]
    """

    def progress(*told: Any) -> None:
        numbers = [float(word) for word in told if isinstance(word, int | float)]
        words = [word for word in told if isinstance(word, str)]
        message: dict[str, Any] = {"stage": words[0]} if words else {}
        if numbers:
            message |= {"done": numbers[0], "total": numbers[1] if len(numbers) > 1 else 1.0}
        tell(message)

    return progress


def _channel() -> Any:
    """Return a stream for messages, and discard everything else that is printed."""
    # At the level of descriptors, because compiled libraries do not print through sys.stdout.
    channel = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    return channel


def _end_with_the_server() -> None:
    """End the process when the server closes standard input, or dies."""
    sys.stdin.buffer.read()
    os._exit(1)


def _limit(wanted: dict[str, int]) -> None:
    """Set limits of the operating system, as far as it has them."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, most in wanted.items():
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):  # not every system keeps every limit
            # Only the soft limit: its signal tells the server which limit was exceeded.
            resource.setrlimit(kind, (value, hard))


if __name__ == "__main__":
    main()
