"""Queue of tasks in processes of their own, each of which can be cancelled."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .limits import ReadLimits, Refused

__all__ = ["COMMAND", "Work", "Works"]

COMMAND = (sys.executable, "-P", "-m", "codelength.serve.worker")
"""Command that starts a process for one task; ``-P`` keeps modules of the current directory out."""

_LONGEST_LINE = 1 << 26
_BUSY = 503

_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Work:
    """A task and its progress.

    Attributes
    ----------
    task : dict
        Description of the task, in JSON types.
    scratch : Path
        An empty directory for temporary files.
    state : str
        ``"waiting"``, ``"running"``, ``"done"``, ``"failed"`` or ``"cancelled"``.
    stage : str
        Current step, for display.
    done, total : float
        Work done and work in all; a total of zero if unknown.
    message : str
        Reason of a failure.
    ready : list of str
        Files that are finished.
    answer : dict
        Result of the task.
    on_end : function, optional
        Called once when the task has ended, to account for its files.
    """

    task: dict[str, Any]
    scratch: Path
    state: str = "waiting"
    stage: str = ""
    done: float = 0.0
    total: float = 0.0
    message: str = ""
    ready: list[str] = field(default_factory=list)
    answer: dict[str, Any] = field(default_factory=dict)
    on_end: Callable[[], None] | None = None
    _process: "subprocess.Popen[bytes] | None" = None
    _is_complete: bool = False

    @property
    def is_over(self) -> bool:
        """True if the task is done, failed or cancelled."""
        return self.state in ("done", "failed", "cancelled")

    def shown(self) -> dict[str, Any]:
        """Return the progress in JSON types."""
        return {
            "state": self.state,
            "stage": self.stage,
            "done": self.done,
            "total": self.total,
            "message": self.message,
            "ready": list(self.ready),
        }

    def hear(self, message: dict[str, Any]) -> None:
        """Update the progress from a message of the process."""
        # Messages come from a process that read an untrusted file: every field is converted, never trusted.
        self.stage = _valid(message.get("stage", self.stage))
        self.done = float(message.get("done", self.done) or 0.0)
        self.total = float(message.get("total", self.total) or 0.0)
        self.answer = dict(message.get("answer", self.answer))
        self._is_complete |= bool(message.get("end", False))
        if "ready" in message:
            self.ready.append(str(message["ready"]))
        if "error" in message:
            self.message = _valid(message["error"])
        if "details" in message:
            _log.error("%s", message["details"])


class Works:
    """Queue that runs tasks in the order of their submission.

    Parameters
    ----------
    n_running : int
        Tasks that run at a time.
    n_waiting : int
        Tasks that may wait; others are refused.
    limits : ReadLimits
        Limits of each process.
    command : sequence of str
        Command that starts a process.
    """

    def __init__(
        self, n_running: int, n_waiting: int, limits: ReadLimits, command: Sequence[str] = COMMAND
    ) -> None:
        self._n_running, self._n_waiting = n_running, n_waiting
        self._limits, self._command = asdict(limits), tuple(command)
        self._lock = threading.Lock()
        self._waiting: deque[Work] = deque()
        self._running: dict[Work, threading.Thread] = {}
        self._is_closed = False

    def submit(self, work: Work) -> None:
        """Queue a task.

        Parameters
        ----------
        work : Work
            Task to run.

        Raises
        ------
        Refused
            If too many tasks are waiting.
        """
        with self._lock:
            # A free place counts as room: a task that can start at once does not wait.
            if self._is_closed or len(self._waiting) >= self._n_waiting + self._n_free():
                raise Refused(_BUSY, "too much is going on here at the moment; wait a little and try again")
            self._waiting.append(work)
        self._start_next()

    def ahead_of(self, work: Work) -> int:
        """Return the number of tasks that will start before this one."""
        with self._lock:
            return self._waiting.index(work) if work in self._waiting else 0

    def cancel(self, work: Work) -> None:
        """Remove a task from the queue or kill its process, and wait until its files are accounted for."""
        with self._lock:
            is_new = not work.is_over
            thread = self._running.get(work)
            if is_new:
                work.state = "cancelled"
                if work in self._waiting:
                    self._waiting.remove(work)
                if work._process is not None:
                    _kill(work._process)
        if thread is not None:
            # Outside the lock, which the thread needs in order to finish.
            thread.join()
        elif is_new:
            _finished(work)

    def close(self) -> None:
        """Cancel all tasks and accept no more."""
        with self._lock:
            self._is_closed = True
            left = [*self._waiting, *self._running]
        for work in left:
            self.cancel(work)

    def _n_free(self) -> int:
        return self._n_running - len(self._running)

    def _start_next(self) -> None:
        """Start the first waiting task if there is a free place."""
        with self._lock:
            if self._is_closed or not self._waiting or self._n_free() <= 0:
                return
            work = self._waiting.popleft()
            # A daemon thread, so that the interpreter does not wait for it at exit.
            thread = threading.Thread(target=self._run, args=(work,), daemon=True)
            self._running[work] = thread
            thread.start()

    def _run(self, work: Work) -> None:
        """Run one task from its start to its end, in a thread of its own."""
        try:
            process = self._started(work)
            if process is not None:
                self._listen(work, process)
        except OSError as error:
            work.message = f"no process could be started ({error.strerror}); end other programs and try again"
        finally:
            # The state changes only after the files are accounted for, so that nobody removes them before.
            _finished(work)
            with self._lock:
                if work.state != "cancelled":
                    work.state = "failed" if work.message else "done"
                del self._running[work]
            self._start_next()

    def _started(self, work: Work) -> "subprocess.Popen[bytes] | None":
        """Start the process of a task; None if it was cancelled meanwhile."""
        # Temporary files of libraries go where they are removed with the task.
        environment = {**os.environ, "TMPDIR": str(work.scratch), "TEMP": str(work.scratch)}
        with self._lock:
            if work.state == "cancelled":
                return None
            # In a session of its own, so that Ctrl-C in the terminal reaches only the server, and the process
            # can be killed together with all that it started.
            work._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
            work.state, work.stage = "running", "starting"
            return work._process

    def _listen(self, work: Work, process: "subprocess.Popen[bytes]") -> None:
        """Send the task to its process, read messages until the end, and wait for the exit."""
        assert process.stdin is not None
        assert process.stdout is not None
        # A process that has died is noticed below. Its standard input stays open until it should end.
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps({**work.task, "limits": self._limits}).encode() + b"\n")
            process.stdin.flush()
        # A limit, because a process gone wrong could write one endless line.
        while line := process.stdout.readline(_LONGEST_LINE):
            with suppress(ValueError, TypeError):  # half a line of a process that was killed
                work.hear(json.loads(line))
            if work._is_complete:
                break
        with self._lock:
            _kill(process)
            # Under the lock, so that nobody kills a process identifier that the system has given to another
            # process.
            code = process.wait()
            work._process = None
        with suppress(OSError):
            process.stdin.close()
        process.stdout.close()
        if work.state == "running" and not work._is_complete and not work.message:
            work.message = _ended(code)


def _valid(text: object) -> str:
    """Return a text that can be encoded: without lone surrogates."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


def _finished(work: Work) -> None:
    if work.on_end is not None:
        with suppress(OSError):  # somebody else removed the files
            work.on_end()


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process and all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _ended(code: int) -> str:
    """Explain the exit code of a process that ended without a message."""
    if hasattr(signal, "SIGXCPU") and code == -signal.SIGXCPU:
        return "the table takes more time than is allowed here; take fewer rows or columns"
    if hasattr(signal, "SIGXFSZ") and code == -signal.SIGXFSZ:
        return "the results take more room than is allowed here; take fewer rows or columns"
    return (
        "the work was ended by the system, as it is when memory runs out; take fewer rows or columns, or end "
        "other programs"
    )
