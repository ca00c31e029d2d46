"""Processes that die, fail or are interrupted while they work on a task."""

import os
import signal
import sys
from contextlib import closing

import pytest

from codelength.errors import CodelengthError
from codelength_lab.workers import spread


def double(number):
    return 2 * number


def threads(_):
    return os.environ["OMP_NUM_THREADS"]


def interrupted(number):
    """Signals to all processes of a terminal are for the one that started them."""
    for name in (signal.SIGINT, signal.SIGTERM):
        os.kill(os.getpid(), name)
    return number


def refused(number):
    if number == 3:
        raise ValueError("three")
    return number


class Twofold(Exception):
    """Cannot be made again from its text alone."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def odd(number):
    raise Twofold("one", "two")


class Half:
    """Kills its process when it is half written into the pipe."""

    def __reduce__(self):
        pipe = next(frame for frame in _frames() if "pipe" in frame.f_locals).f_locals["pipe"]
        os.write(pipe.fileno(), b"\x00\x10\x00\x00" + b"x" * 1000)
        os.kill(os.getpid(), signal.SIGKILL)


def _frames():
    frame = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


def killed(number):
    return Half() if number == 2 else number


@pytest.mark.parametrize("n_processes", [1, 2, 3])
def test_every_task_is_done_once(n_processes):
    assert sorted(spread(double, range(7), n_processes)) == [0, 2, 4, 6, 8, 10, 12]


def test_no_tasks():
    assert list(spread(double, [], 2)) == []


def test_processes_share_the_processors(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert list(spread(threads, range(1), 64)) == ["1"]
    assert "OMP_NUM_THREADS" not in os.environ
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    assert list(spread(threads, range(1), 64)) == ["5"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal masks")
def test_signals_are_left_to_the_starter():
    assert list(spread(interrupted, range(2), 1)) == [0, 1]


def test_an_error_is_raised_where_the_results_are_read():
    with pytest.raises(ValueError, match=r"^three") as caught:
        list(spread(refused, range(9), 2))
    assert "in refused" in caught.value.__notes__[0]  # where it happened is told too


def test_an_error_that_cannot_be_sent_is_told_in_words():
    with pytest.raises(RuntimeError, match="Twofold: one and two"):
        list(spread(odd, range(2), 2))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("n_processes", [1, 2])
def test_a_process_killed_in_the_middle_of_an_answer(n_processes):
    """The reader must not wait for the other half."""
    with pytest.raises(CodelengthError, match=r"ended from outside.*fewer jobs"):
        list(spread(killed, range(9), n_processes))


def test_results_that_nobody_wants_any_more_end_the_processes():
    with closing(spread(double, range(100), 2)) as results:
        next(results)
        children = results.gi_frame.f_locals["processes"].values()
        assert all(process.is_alive() for process in children)
    assert all(process.exitcode is not None for process in children)
