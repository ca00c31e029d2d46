"""Processes that die, fail or are interrupted while they work on a task."""

import os
import signal
import sys
import time
from contextlib import closing
from dataclasses import dataclass

import cloudpickle
import pytest

from codelength.errors import CodelengthError
from codelength_lab.run import _finished

# Processes cannot import a module of tests by its name.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@dataclass(frozen=True)
class Call:
    """A task that calls a function of its number."""

    work_on: object
    number: int

    def run(self):
        return self.work_on(self.number)


def results(work_on, n_tasks, n_processes):
    tasks = [Call(work_on, number) for number in range(n_tasks)]
    with closing(_finished(tasks, n_processes, None)) as finished:
        return [result for _, result in finished]


def double(number):
    return 2 * number


def environment(_):
    return os.environ.get("OMP_NUM_THREADS"), os.environ["CODELENGTH_THREADS"]


def interrupted(number):
    """Signals to all processes of a terminal are for the one that started them."""
    for name in (signal.SIGINT, signal.SIGTERM):
        os.kill(os.getpid(), name)
    return number


def refused(number):
    if number == 3:
        raise ValueError("three")
    return number


def killed(number):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def pid_of_one_that_goes_on(number):
    if number > 0:
        time.sleep(600)
    return os.getpid()


@pytest.mark.parametrize("n_processes", [1, 2, 3])
def test_every_task_is_done_once(n_processes):
    assert sorted(results(double, 7, n_processes)) == [0, 2, 4, 6, 8, 10, 12]


def test_no_tasks():
    assert results(double, 0, 2) == []


def test_processes_share_the_processors(monkeypatch):
    for name in ("OMP_NUM_THREADS", "CODELENGTH_THREADS"):
        monkeypatch.delenv(name, raising=False)
    assert set(results(environment, 8, 8)) == {("1", "1")}
    monkeypatch.setenv("CODELENGTH_THREADS", "5")
    assert results(environment, 2, 2) == [("1", "5"), ("1", "5")]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal masks")
def test_signals_are_left_to_the_starter():
    assert sorted(results(interrupted, 2, 2)) == [0, 1]


def test_an_error_is_raised_where_the_results_are_read():
    with pytest.raises(ValueError, match=r"^three"):
        results(refused, 9, 2)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_process_that_is_killed():
    with pytest.raises(CodelengthError, match=r"ended from outside.*fewer jobs"):
        results(killed, 9, 2)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes")
def test_results_that_nobody_wants_any_more_end_the_processes():
    with closing(_finished([Call(pid_of_one_that_goes_on, n) for n in range(3)], 2, None)) as finished:
        _, pid = next(finished)
        assert os.path.exists(f"/proc/{pid}")
    assert not os.path.exists(f"/proc/{pid}")
