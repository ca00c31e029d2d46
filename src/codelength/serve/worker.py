"""Process that runs one task for the server, within limits of the operating system.

The task is one line of JSON on standard input, and messages are lines of JSON on standard output: nothing
executable is exchanged. The process ends when standard input is closed, so that it never outlives the server.
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
    """Run the task of standard input."""
    channel = _channel()

    def tell(message: dict[str, Any]) -> None:
        channel.write(f"{json.dumps(_finite(message))}\n".encode())

    # One line and not the whole stream, which stays open as a sign of life of the server.
    task = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    limits = ReadLimits(**task["limits"])
    _limit(limits, limits.look_seconds if task["do"] == "look" else limits.work_seconds)
    try:
        # Imported after the limits are set, so that they hold for the libraries too, and inside the try
        # block, so that a failed import is reported.
        from .job import look_at, report_on

        (look_at if task["do"] == "look" else report_on)(task, limits, tell)
    except CodelengthError as error:
        # Users know their file by its own name, not by the one it is stored under.
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
        # A normal exit would wait for the threads of libraries.
        os._exit(0)


def _channel() -> Any:
    """Return a stream for messages, and discard everything else that is printed."""
    # At the level of descriptors, because compiled libraries do not print through sys.stdout.
    channel = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    return channel


def _finite(message: dict[str, Any]) -> dict[str, Any]:
    """Replace numbers that are not finite by None, which JSON can express."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in message.items()
    }


def _end_with_the_server() -> None:
    """End the process when the server closes standard input, or dies."""
    sys.stdin.buffer.read()
    os._exit(1)


def _limit(limits: ReadLimits, seconds: int) -> None:
    """Set limits of the operating system for memory, time and files, as far as it has them."""
    try:
        import resource
    except ImportError:  # Windows
        return
    wanted = {
        resource.RLIMIT_AS: limits.memory_bytes,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        # A core dump would write the user's data to disk.
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in wanted.items():
        _, hard = resource.getrlimit(kind)
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):  # not every system keeps every limit
            # Only the soft limit: its signal tells the server which limit was exceeded.
            resource.setrlimit(kind, (value, hard))


if __name__ == "__main__":
    main()
