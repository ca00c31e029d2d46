"""Processes of this machine that run tasks, each connected by a pipe of its own.

A process that dies closes its pipe, which the reader notices at once. With one queue for all, as in most
pools, a process that is killed in the middle of an answer leaves the others and the reader waiting for ever.
"""

import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar, cast

from codelength._threads import n_threads_or_default
from codelength.errors import CodelengthError

T = TypeVar("T")
R = TypeVar("R")

WATCH_SECONDS = 0.5
"""Interval at which a process checks that its parent is still running."""

LEFT_TO_THE_STARTER = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that reach all processes of a terminal; only the parent handles them."""

THREAD_LIMITS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
    *("BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS", "CODELENGTH_THREADS"),
)
"""Environment variables by which libraries limit their threads."""


def spread(work: Callable[[T], R], tasks: Iterable[T], n_processes: int) -> Generator[R, None, None]:
    """Yield ``work(task)`` of all tasks, in the order in which they finish.

    A script that calls this must do so under ``if __name__ == "__main__":``, like every script that starts
    processes.

    Parameters
    ----------
    work : function
        Picklable function of a task. An error that it raises is raised here.
    tasks : iterable
        Picklable tasks, started in this order.
    n_processes : int
        Tasks that run at a time, at least 1.

    Raises
    ------
    CodelengthError
        If a process ends before it has answered.
    """
    left = iter(tasks)
    context = get_context("spawn")  # a copy of this process would have its locks without its threads
    processes: dict[Connection, Any] = {}
    try:
        with _started_alike(n_processes):
            # The range first: zip would otherwise take one task too many from the iterator and lose it.
            for _, task in zip(range(n_processes), left, strict=False):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(theirs, os.getpid()), daemon=True)
                process.start()
                theirs.close()  # or its end would not be seen
                processes[ours] = process
                _send(ours, pickle.dumps((work, task)))
        while processes:
            for pipe in cast(list[Connection], wait(list(processes))):
                # Before the next task is sent: an error ends the run without starting more.
                yield _answer(pipe)
                for task in left:
                    _send(pipe, pickle.dumps((work, task)))
                    break
                else:
                    _end(pipe, processes.pop(pipe))
    finally:
        for pipe, process in processes.items():
            _end(pipe, process)


def _send(pipe: Connection, message: bytes) -> None:
    """Send a message to a process; raise if it has ended."""
    try:
        pipe.send_bytes(message)
    except OSError:
        raise _ended() from None


def _answer(pipe: Connection) -> Any:
    """Return the answer of a process; raise its error, or an error if it has ended."""
    try:
        is_result, answer = pickle.loads(pipe.recv_bytes())
    except (EOFError, OSError):
        raise _ended() from None
    if not is_result:
        raise answer
    return answer


def _ended() -> CodelengthError:
    return CodelengthError(
        "a process of this run was ended from outside, as systems do when memory runs out; "
        "take fewer jobs and repeat the command to resume"
    )


def _end(pipe: Connection, process: Any) -> None:
    """Kill a process and wait for its end."""
    process.kill()
    process.join()
    pipe.close()


@contextmanager
def _started_alike(n_processes: int) -> Iterator[None]:
    """Start processes that share the processors and leave signals to their parent."""
    before = {name: os.environ.get(name) for name in THREAD_LIMITS}
    share = str(max(1, n_threads_or_default(None) // n_processes))
    signals = [getattr(signal, name) for name in LEFT_TO_THE_STARTER if hasattr(signal, name)]
    masks = hasattr(signal, "pthread_sigmask")
    if masks:
        # Children inherit the mask. A signal that arrives now is delivered at the end of the block.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    # Set before the start of the processes, because libraries read these variables on import. Values of the
    # user stay.
    os.environ.update({name: share for name, value in before.items() if value is None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _serve(pipe: Connection, starter: int) -> None:
    """Answer tasks until the pipe is closed; runs in a process of its own."""
    threading.Thread(target=_end_with, args=(starter,), daemon=True).start()
    while True:
        try:
            message = pipe.recv_bytes()
        except EOFError:
            return
        pipe.send_bytes(_outcome(message))


def _outcome(message: bytes) -> bytes:
    """Run a task, and return its pickled result or error."""
    try:
        work, task = pickle.loads(message)
        return pickle.dumps((True, work(task)))
    except Exception as error:
        error.add_note(traceback.format_exc())
        try:
            answer = pickle.dumps((False, error))
            # An exception can be picklable and yet fail to be rebuilt, in the parent, from its arguments.
            pickle.loads(answer)
        except Exception:
            # Some exceptions cannot be sent, or not be made again.
            answer = pickle.dumps((False, RuntimeError("".join(traceback.format_exception(error)))))
        return answer


def _end_with(starter: int) -> None:
    """End the process when its parent has ended."""
    # The system gives an orphan another parent.
    while os.getppid() == starter:
        time.sleep(WATCH_SECONDS)
    os._exit(1)
