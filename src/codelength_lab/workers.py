"""Tasks over processes of this machine, each at the end of a pipe of its own.

A process that dies, whenever it does, closes its pipe: what waits for its answer is told so. With one queue
for all, as in most pools, a process that is killed in the middle of an answer leaves the others and the
reader waiting for ever.
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
"""How often a process looks whether the one that started it is still there."""

LEFT_TO_THE_STARTER = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that reach all processes of a terminal; the one that shares the tasks out decides."""

THREAD_LIMITS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
    *("BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS", "CODELENGTH_THREADS"),
)
"""What libraries read before they share one task out over threads."""


def spread(work: Callable[[T], R], tasks: Iterable[T], n_processes: int) -> Generator[R, None, None]:
    """``work(task)`` of all tasks, as they are finished.

    A script that calls this guards its own calls by ``if __name__ == "__main__":``, as Python asks of every
    script that starts processes.

    Parameters
    ----------
    work : function
        What to do with a task. An error that it raises is raised here.
    tasks : iterable
        Started in this order.
    n_processes : int
        How many at a time, at least 1.

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
            for _, task in zip(range(n_processes), left, strict=False):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(theirs, os.getpid()), daemon=True)
                process.start()
                theirs.close()  # or its end would not be seen
                processes[ours] = process
                _send(ours, pickle.dumps((work, task)))
        while processes:
            for pipe in cast(list[Connection], wait(list(processes))):
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
    try:
        pipe.send_bytes(message)
    except OSError:
        raise _ended() from None


def _answer(pipe: Connection) -> Any:
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
    process.kill()
    process.join()
    pipe.close()


@contextmanager
def _started_alike(n_processes: int) -> Iterator[None]:
    """Processes that are started in this block share the processors and leave signals to this one."""
    before = {name: os.environ.get(name) for name in THREAD_LIMITS}
    share = str(max(1, n_threads_or_default(None) // n_processes))
    signals = [getattr(signal, name) for name in LEFT_TO_THE_STARTER if hasattr(signal, name)]
    masks = hasattr(signal, "pthread_sigmask")
    if masks:
        # A signal that comes now waits for the end of the block.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
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
    """Answer tasks until the pipe is closed. Runs in a process of its own."""
    threading.Thread(target=_end_with, args=(starter,), daemon=True).start()
    while True:
        try:
            message = pipe.recv_bytes()
        except EOFError:
            return
        pipe.send_bytes(_outcome(message))


def _outcome(message: bytes) -> bytes:
    try:
        work, task = pickle.loads(message)
        return pickle.dumps((True, work(task)))
    except Exception as error:
        error.add_note(traceback.format_exc())
        try:
            answer = pickle.dumps((False, error))
            pickle.loads(answer)
        except Exception:
            # Some exceptions cannot be sent, or not be made again.
            answer = pickle.dumps((False, RuntimeError("".join(traceback.format_exception(error)))))
        return answer


def _end_with(starter: int) -> None:
    # An orphan gets another parent.
    while os.getppid() == starter:
        time.sleep(WATCH_SECONDS)
    os._exit(1)
