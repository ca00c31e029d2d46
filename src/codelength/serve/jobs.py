"""Queue of jobs in processes of their own, each of which can be cancelled.

A job is ``"waiting"``, then ``"running"``, and ends as ``"done"``, ``"failed"`` or ``"cancelled"``. A thread
of the queue starts its process, sends it the task as one line of JSON, reads its messages, and kills it with
all that it started after the last one. Pages read the fields of a :class:`Job` while the thread writes them;
the lock of the queue guards only what has to happen together: a change of state and the start or the end of
the process.

Order of reading: :class:`Job`, :class:`JobQueue` with ``_run``, ``_started`` and ``_listen`` (one job), then
``cancel``. The other side of the conversation is :mod:`codelength.serve.worker`.
"""

import json
import logging
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .limits import Limits

__all__ = ["COMMAND", "Job", "JobQueue"]

COMMAND = (sys.executable, "-P", "-m", "codelength.serve.worker")
"""Command that starts a process for one job; ``-P`` keeps modules of the current directory out."""

_MAX_LINE = 1 << 26

_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Job:
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
        Called once when the job has ended, to remove its temporary files.
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
        """True if the job is done, failed or cancelled."""
        return self.state in ("done", "failed", "cancelled")

    def shown(self) -> dict[str, Any]:
        """Return the progress in JSON types."""
        names = ("state", "stage", "done", "total", "message")
        return {name: getattr(self, name) for name in names} | {"ready": list(self.ready)}

    def update(self, message: dict[str, Any]) -> None:
        """Update the progress from a message of the process."""
        # Messages come from a process that read an untrusted file: every field is converted, never trusted.
        self.stage = _valid(message.get("stage", self.stage))
        done, total = (float(message.get(name, getattr(self, name))) for name in ("done", "total"))
        # JSON cannot express numbers that are not finite.
        self.done, self.total = (number if math.isfinite(number) else 0.0 for number in (done, total))
        self.answer = dict(message.get("answer", self.answer))
        self._is_complete |= bool(message.get("end", False))
        if "ready" in message:
            self.ready.append(str(message["ready"]))
        if "error" in message:
            self.message = _valid(message["error"])
        if "details" in message:
            _log.error("%s", message["details"])


class JobQueue:
    """Queue that runs jobs in the order of their submission.

    Parameters
    ----------
    n_running : int
        Jobs that run at a time.
    limits : Limits
        Limits of each process.
    command : sequence of str
        Command that starts a process.
    """

    def __init__(self, n_running: int, limits: Limits, command: Sequence[str] = COMMAND) -> None:
        self._limits, self._command = asdict(limits), tuple(command)
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(n_running)
        self._futures: dict[Job, Future[None]] = {}

    def submit(self, job: Job) -> None:
        """Queue a job."""
        with self._lock:
            self._futures[job] = self._threads.submit(self._run, job)

    def ahead_of(self, job: Job) -> int:
        """Return the number of jobs that will start before this one."""
        with self._lock:
            waiting = [one for one in self._futures if one.state == "waiting"]
        return waiting.index(job) if job in waiting else 0

    def cancel(self, job: Job) -> None:
        """Remove a job from the queue or kill its process, and wait until its files are accounted for."""
        with self._lock:
            future = self._futures[job]
            is_new = not job.is_over
            if is_new:
                job.state = "cancelled"
                if job._process is not None:
                    _kill(job._process)
        if is_new and future.cancel():
            _end(job)
        # Outside the lock, which the thread of the job needs in order to finish.
        elif not future.cancelled():
            wait([future])

    def close(self) -> None:
        """Cancel all jobs and accept no more."""
        self._threads.shutdown(wait=False)
        for job in list(self._futures):
            self.cancel(job)
        self._threads.shutdown()

    def _run(self, job: Job) -> None:
        """Run one job from its start to its end, in a thread of its own."""
        try:
            process = self._started(job)
            if process is not None:
                self._listen(job, process)
        except OSError as error:
            job.message = f"no process could be started ({error.strerror}); end other programs and try again"
        finally:
            # The state changes only after the files are accounted for, so that nobody removes them before.
            _end(job)
            with self._lock:
                if job.state != "cancelled":
                    job.state = "failed" if job.message else "done"

    def _started(self, job: Job) -> "subprocess.Popen[bytes] | None":
        """Start the process of a job; None if it was cancelled meanwhile."""
        # Temporary files of libraries go where they are removed with the job.
        environment = {**os.environ, "TMPDIR": str(job.scratch), "TEMP": str(job.scratch)}
        with self._lock:
            if job.state == "cancelled":
                return None
            # In a session of its own, so that Ctrl-C in the terminal reaches only the server, and the process
            # can be killed together with all that it started.
            job._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
            job.state, job.stage = "running", "starting"
            return job._process

    def _listen(self, job: Job, process: "subprocess.Popen[bytes]") -> None:
        """Send the task to its process, read messages until the end, and wait for the exit."""
        assert process.stdin is not None
        assert process.stdout is not None
        # A process that has died is noticed below. Its standard input stays open until it should end.
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps({**job.task, "limits": self._limits}).encode() + b"\n")
            process.stdin.flush()
        # A limit, because a process gone wrong could write one endless line.
        while line := process.stdout.readline(_MAX_LINE):
            with suppress(ValueError, TypeError):  # half a line of a process that was killed
                job.update(json.loads(line))
            if job._is_complete:
                break
        with self._lock:
            _kill(process)
            # Under the lock, so that nobody kills a process identifier that the system has given to another
            # process.
            code = process.wait()
            job._process = None
        with suppress(OSError):
            process.stdin.close()
        process.stdout.close()
        if job.state == "running" and not job._is_complete and not job.message:
            job.message = _ended(code)


def _valid(text: object) -> str:
    """Return a text that can be encoded: without lone surrogates."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


def _end(job: Job) -> None:
    if job.on_end is not None:
        with suppress(OSError):  # somebody else removed the files
            job.on_end()


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process and all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _ended(code: int) -> str:
    """Explain the exit code of a process that ended without a message."""
    for name, what in (("SIGXCPU", "the table takes more time"), ("SIGXFSZ", "the results take more room")):
        if code == -getattr(signal, name, 0) != 0:
            return f"{what} than is allowed here; take fewer rows or columns"
    return (
        "the work was ended by the system, as it is when memory runs out; take fewer rows or columns, or end "
        "other programs"
    )
