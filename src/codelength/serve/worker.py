"""A process that does one task for the server, within limits that the system keeps.

The task comes as one line of JSON on standard input, and messages go as lines of JSON to standard output: no
code travels either way. The process ends when standard input is closed, so that it never outlives the server.
"""

import json
import math
import os
import sys
import threading
import traceback
from contextlib import suppress
from typing import Any

from ..errors import CodelengthError
from .limits import ReadLimits

__all__ = ["main"]


def main() -> None:
    """Do the task of standard input."""
    channel = _channel()

    def tell(message: dict[str, Any]) -> None:
        channel.write(f"{json.dumps(_finite(message))}\n".encode())

    task = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    limits = ReadLimits(**task["limits"])
    _limit(limits, limits.look_seconds if task["do"] == "look" else limits.work_seconds)
    try:
        from .job import look_at, report_on

        (look_at if task["do"] == "look" else report_on)(task, limits, tell)
    except CodelengthError as error:
        tell({"error": str(error).replace(task["path"], task["shown"])})
    except MemoryError:
        tell({"error": "there is not enough memory for this table; take fewer rows or columns"})
    except Exception as error:
        words = f"{type(error).__name__}: {error}".replace(task["path"], task["shown"])
        tell(
            {"error": f"codelength failed, which it should not ({words})", "details": traceback.format_exc()}
        )
    finally:
        tell({"end": True})
        # Threads of libraries need not agree that it is over.
        os._exit(0)


def _channel() -> Any:
    """Where messages go. What libraries print goes nowhere."""
    channel = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    return channel


def _finite(message: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in message.items()
    }


def _end_with_the_server() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def _limit(limits: ReadLimits, seconds: int) -> None:
    """Let the system refuse what a file makes us ask for, where it can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    wanted = {
        resource.RLIMIT_AS: limits.memory_bytes,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in wanted.items():
        _, hard = resource.getrlimit(kind)
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):  # not every system keeps every limit
            # The signal of the softer limit tells which one it was.
            resource.setrlimit(kind, (value, hard))


if __name__ == "__main__":
    main()
