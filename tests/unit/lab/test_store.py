"""Finished tasks on disk: incomplete writes, other specifications, full disks."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from codelength.errors import DataError
from codelength_lab.experiment import Model, Spec
from codelength_lab.settings import Settings
from codelength_lab.store import FILE_NAME, Store
from codelength_lab.tables import Source
from codelength_lab.task import Task

SOURCE = Source("iris", "kmeans", 3, "value", "whole")
TASKS = tuple(
    Task("cross-validation", SOURCE, (Model("EV", "evidence"),), first=n, last=n + 1, folds=2)
    for n in range(4)
)
SPEC = Spec("made up", False, Settings(), TASKS)
RESULT = {"EV": {"log_score": [-0.1, 1 / 3], "n_zero": 0}}


def filled(directory, n_tasks=2):
    with Store(directory, SPEC) as store:
        for task in TASKS[:n_tasks]:
            store.append(task, RESULT)
    return directory / FILE_NAME


def test_what_was_appended_is_found_again_to_the_last_bit(tmp_path):
    filled(tmp_path / "new" / "directory")
    with Store(tmp_path / "new" / "directory", SPEC) as store:
        assert store.results == {task.key: RESULT for task in TASKS[:2]}


def test_a_task_that_was_being_written_costs_that_task_only(tmp_path):
    """A process that is killed in the middle of a write leaves SQLite's journal behind, which undoes it."""
    code = KILLED.format(path=[str(module_in(tmp_path))], directory=str(tmp_path / "run"))
    assert subprocess.run([sys.executable, "-c", code], env=dict(os.environ)).returncode < 0
    assert (tmp_path / "run" / f"{FILE_NAME}-journal").stat().st_size > 0
    with Store(tmp_path / "run", SPEC) as store:
        assert store.results == {TASKS[0].key: RESULT}
        store.append(TASKS[1], RESULT)


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_kept_and_named(tmp_path, content):
    path = tmp_path / FILE_NAME
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"tasks\.sqlite: is damaged; delete the file"):
        Store(tmp_path, SPEC)
    assert path.read_bytes() == content


def test_a_database_with_damaged_pages_is_named(tmp_path):
    path = filled(tmp_path)
    path.write_bytes(path.read_bytes()[:5000] + b"\xff" * 10_000)
    with pytest.raises(DataError, match="is damaged"):
        Store(tmp_path, SPEC)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Spec("another", False, Settings(), TASKS), "experiment is 'made up' there and 'another' here"),
        (Spec("made up", True, Settings(), TASKS), "quick is False there and True here"),
        (Spec("made up", False, Settings(bins=7), TASKS), "bins is None there and 7 here"),
        (Spec("made up", False, Settings(), TASKS[::-1]), "other tasks"),
        (Spec("made up", False, Settings(), TASKS[:1]), "n_tasks is 4 there and 1 here"),
    ],
)
def test_results_of_another_specification_are_refused_and_kept(tmp_path, other, message):
    path = filled(tmp_path)
    before = path.read_bytes()
    with pytest.raises(DataError, match=message):
        Store(tmp_path, other)
    assert path.read_bytes() == before


def test_a_directory_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataError, match="cannot be written"):
        Store(tmp_path / "file", SPEC)
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(DataError, match="cannot be written"):
        Store(tmp_path, SPEC)


def test_a_second_run_in_the_same_directory_is_refused(tmp_path):
    with Store(tmp_path, SPEC), pytest.raises(DataError, match="another run is writing here"):
        Store(tmp_path, SPEC)
    filled(tmp_path)


KILLED = """
import os, signal, sys
sys.path[:0] = {path!r}
from unit_store import TASKS, RESULT, SPEC, Store
with Store({directory!r}, SPEC) as store:
    store.append(TASKS[0], RESULT)
    store._database.execute("PRAGMA cache_size = 1")
    store._database.execute("BEGIN")
    for number in range(2000):
        store._database.execute("INSERT INTO task VALUES (?, ?)", (str(number), "x" * 1000))
    os.kill(os.getpid(), signal.SIGKILL)
"""

FULL_DISK = """
import resource, sys
sys.path[:0] = {path!r}
from unit_store import TASKS, RESULT, SPEC, Store
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
with Store({directory!r}, SPEC) as store:
    for task in TASKS:
        store.append(task, {{**RESULT, "text": "x" * 10_000}})
"""


def module_in(directory):
    """Make this module importable in a child process."""
    (directory / "unit_store.py").write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
    return directory


def test_a_full_disk_is_named_and_earlier_tasks_are_kept(tmp_path):
    pytest.importorskip("resource")
    code = FULL_DISK.format(path=[str(module_in(tmp_path))], limit=40_000, directory=str(tmp_path / "full"))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert ended.returncode == 1
    assert re.search(r"cannot be written: .*; finished tasks are kept", ended.stderr)
    with Store(tmp_path / "full", SPEC) as store:
        assert list(store.results) == [task.key for task in TASKS[: len(store.results)]]
        assert 0 < len(store.results) < len(TASKS)


def test_the_header_names_the_version(tmp_path):
    path = filled(tmp_path)
    with closing(sqlite3.connect(path)) as database, database:
        (document,) = database.execute("SELECT document FROM header").fetchone()
        header = json.loads(document)
        assert header["experiment"] == "made up"
        database.execute("UPDATE header SET document = ?", (json.dumps(header | {"codelength": "0.0.1"}),))
    with pytest.raises(DataError, match=r"codelength is '0\.0\.1' there"):
        Store(tmp_path, SPEC)
