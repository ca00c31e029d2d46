"""Runs that are killed, shared out and resumed come to the same bytes."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from codelength.errors import DataError, Infeasible, InvalidParameter
from codelength_lab import pages as reports
from codelength_lab import run as running
from codelength_lab.experiment import Spec
from codelength_lab.registry import find, specify
from codelength_lab.run import run
from codelength_lab.settings import Settings
from codelength_lab.store import FILE_NAME, Store
from codelength_lab.task import Task

SETTINGS = ["repeats=2"]
SPEC = specify("predictive-inference", quick=True, settings=SETTINGS)


def written(directory, outcome):
    """The bytes of the result files."""
    reports.write(find(SPEC, outcome.results), directory)
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name != FILE_NAME}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    directory = tmp_path_factory.mktemp("uninterrupted")
    return written(directory, run(SPEC, directory, jobs=1))


SLOW_RUN = f"""
import sys, time
from codelength_lab.registry import specify
from codelength_lab.run import run
spec = specify("predictive-inference", quick=True, settings={SETTINGS!r})
finished = []


def wait_after_two(done, total):
    finished.append(done)
    if len(finished) == 2:
        print("two tasks are finished", flush=True)
        time.sleep(60)


run(spec, sys.argv[1], jobs=1, progress=wait_after_two)
"""


def test_a_run_killed_and_resumed_ends_in_the_same_bytes(tmp_path, uninterrupted):
    process = subprocess.Popen([sys.executable, "-c", SLOW_RUN, str(tmp_path)], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"two tasks are finished\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    outcome = run(SPEC, tmp_path, jobs=1)
    assert 0 < outcome.n_run < len(SPEC.tasks)
    assert written(tmp_path, outcome) == uninterrupted
    assert run(SPEC, tmp_path, jobs=1).n_run == 0


WORKERS = """
import os, sys, time
from dataclasses import dataclass
from codelength_lab import run as running
from codelength_lab.settings import Settings
from codelength_lab.experiment import Spec

@dataclass(frozen=True)
class Long:
    number: int
    place: str
    group = "long"
    work = 1.0

    @property
    def key(self):
        return str(self.number)

    def run(self):
        open(os.path.join(self.place, str(os.getpid())), "w").close()
        time.sleep(120)
        return {}

if __name__ == "__main__":
    tasks = tuple(Long(number, sys.argv[2]) for number in range(2))
    running.run(Spec("made up", False, Settings(), tasks), sys.argv[1], jobs=2)
"""


def is_running(pid):
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        # What has ended stays in the list until somebody asks how.
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes")
def test_workers_end_when_the_run_is_killed(tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    script = tmp_path / "script.py"
    script.write_text(WORKERS)
    process = subprocess.Popen([sys.executable, script, tmp_path / "run", marks])
    deadline = time.monotonic() + 90
    while len(list(marks.iterdir())) < 2 and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.1)
    workers = [int(path.name) for path in marks.iterdir()]
    assert len(workers) == 2
    assert process.pid not in workers
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + 30
    while any(is_running(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [pid for pid in workers if is_running(pid)] == []


def test_too_many_processes_are_refused_at_once(tmp_path):
    with pytest.raises(Infeasible, match="jobs=99999999: too many"):
        run(SPEC, tmp_path / "run", jobs=99999999)
    assert not (tmp_path / "run").exists()


def test_two_workers_come_to_the_same_bytes(tmp_path, uninterrupted):
    told = []
    outcome = run(SPEC, tmp_path, jobs=2, progress=lambda done, total: told.append(done / total))
    assert written(tmp_path, outcome) == uninterrupted
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1)


def test_without_dask_its_installation_is_advised(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InvalidParameter, match=r"codelength\[dask\]"):
        run(SPEC, tmp_path, dask="tcp://127.0.0.1:1")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere", "x://127.0.0.1:1"])
def test_a_cluster_that_does_not_answer_is_reported_and_leaves_no_thread(address, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(running, "ANSWERS_WITHIN", "0.5s")
    before = set(threading.enumerate())
    with pytest.raises(DataError, match="no Dask scheduler answers"):
        run(SPEC, tmp_path, dask=address)
    assert set(threading.enumerate()) <= before


def test_a_failing_task_leaves_the_others(tmp_path, monkeypatch):
    real, calls = Task.run, []

    def fail_at_third(task):
        calls.append(task.key)
        if len(calls) == 3:
            raise DataError("no")
        return real(task)

    monkeypatch.setattr(Task, "run", fail_at_third)
    with pytest.raises(DataError, match="no"):
        run(SPEC, tmp_path, jobs=1)
    with Store(tmp_path, SPEC) as store:
        assert list(store.results) == calls[:2]


@dataclass(frozen=True)
class Squares:
    """A kind of task that no paper has."""

    number: int

    @property
    def group(self):
        return "squares"

    @property
    def key(self):
        return f"squares/{self.number}"

    @property
    def work(self):
        return 1.0 + self.number

    def run(self):
        return {"square": self.number**2}


def test_tasks_may_be_of_any_kind(tmp_path):
    spec = Spec("made up", False, Settings(), tuple(Squares(number) for number in range(4)))
    done = []
    outcome = run(spec, tmp_path, jobs=1, progress=lambda done_now, _: done.append(done_now))
    assert [result["square"] for result in outcome.results.values()] == [0, 1, 4, 9]
    assert outcome.n_run == 4
    # Long ones first.
    assert done == [4, 7, 9, 10]
    assert run(spec, tmp_path, jobs=1).n_run == 0
    other = Spec("made up", False, Settings(), tuple(Squares(number) for number in range(1, 5)))
    with pytest.raises(DataError, match="other tasks"):
        run(other, tmp_path, jobs=1)
