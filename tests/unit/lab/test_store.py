"""Finished tasks on disk: torn lines, other specifications, full disks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from codelength.errors import DataError
from codelength_lab.settings import Settings
from codelength_lab.spec import Model, Source, Spec
from codelength_lab.store import FILE_NAME, Store
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
            store.append(task, RESULT, 0.25)
    return directory / FILE_NAME


def test_what_was_appended_is_found_again_to_the_last_bit(tmp_path):
    filled(tmp_path / "new" / "directory")
    with Store(tmp_path / "new" / "directory", SPEC) as store:
        assert store.results == {task.key: RESULT for task in TASKS[:2]}
        assert store.seconds[TASKS[0].key] == 0.25


def test_a_line_torn_anywhere_costs_that_line_only(tmp_path):
    path = filled(tmp_path)
    content = path.read_bytes()
    last = content[:-1].rfind(b"\n") + 1
    for cut in range(last, len(content)):
        path.write_bytes(content[:cut])
        with Store(tmp_path, SPEC) as store:
            assert list(store.results) == [TASKS[0].key]
            store.append(TASKS[1], RESULT, 0.25)
        assert path.read_bytes() == content


def test_a_torn_first_line_starts_afresh(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b'{"codelength": "0')
    with Store(tmp_path, SPEC) as store:
        assert store.results == {}


def refused(directory, lines, number=2):
    """The store is not opened, and says which line is to be deleted; without it the others are kept."""
    path = directory / FILE_NAME
    path.write_bytes(b"\n".join([*lines, b""]))
    with pytest.raises(DataError, match=rf"tasks\.jsonl, line {number}: is damaged.*delete the line"):
        Store(directory, SPEC)
    path.write_bytes(b"\n".join([*lines[: number - 1], *lines[number:], b""]))
    Store(directory, SPEC).close()


DAMAGED = [b"garbage", b"", b"\x00" * 40, b"\xff", b"[1, 2]", b'{"key": "x"}', b"[" * 100_000, b"1" * 5000]


@pytest.mark.parametrize("line", DAMAGED, ids=lambda line: line[:12])
def test_damage_in_the_middle_is_told(tmp_path, line):
    lines = filled(tmp_path).read_bytes().splitlines()
    refused(tmp_path, [lines[0], line, lines[2]])


@pytest.mark.parametrize("name", ["key", "seconds", "result"])
@pytest.mark.parametrize(
    "value", [None, [], {}, "text", ["list"], True, {"EV": {"log_score": [-0.2, 1 / 3]}}], ids=str
)
def test_parts_of_a_line_that_no_task_left_are_told(tmp_path, name, value):
    lines = filled(tmp_path).read_bytes().splitlines()
    changed = json.dumps(json.loads(lines[1]) | {name: value}).encode()
    refused(tmp_path, [lines[0], changed, lines[2]])


def test_no_digit_can_be_changed_unnoticed(tmp_path):
    lines = filled(tmp_path).read_bytes().splitlines()
    for at in [i for i, byte in enumerate(lines[2]) if chr(byte).isdigit()]:
        digit = b"1" if lines[2][at : at + 1] != b"1" else b"2"
        refused(tmp_path, [*lines[:2], lines[2][:at] + digit + lines[2][at + 1 :]], number=3)


def test_results_cannot_be_exchanged_between_tasks(tmp_path):
    with Store(tmp_path, SPEC) as store:
        store.append(TASKS[0], RESULT, 0.25)
        store.append(TASKS[1], {"EV": {"log_score": [-0.3, 0.5], "n_zero": 0}}, 0.25)
    header, first, second = (tmp_path / FILE_NAME).read_bytes().splitlines()
    one, two = json.loads(first), json.loads(second)
    one["result"], two["result"] = two["result"], one["result"]
    refused(tmp_path, [header, json.dumps(one).encode(), second])


@pytest.mark.parametrize("line", DAMAGED, ids=lambda line: line[:12])
def test_a_damaged_first_line_is_told(tmp_path, line):
    path = filled(tmp_path)
    path.write_bytes(b"\n".join([line, *path.read_bytes().splitlines()[1:], b""]))
    with pytest.raises(DataError, match=r"line 1: is damaged|another run"):
        Store(tmp_path, SPEC)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Spec("another", False, Settings(), TASKS), "paper is 'made up' there and 'another' here"),
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
    pytest.importorskip("fcntl")
    with Store(tmp_path, SPEC), pytest.raises(DataError, match="another run is writing here"):
        Store(tmp_path, SPEC)
    filled(tmp_path)


FULL_DISK = """
import resource, sys
sys.path[:0] = {path!r}
from unit_store import TASKS, RESULT, SPEC, Store
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
with Store({directory!r}, SPEC) as store:
    for task in TASKS:
        store.append(task, RESULT, 0.0)
"""


def test_a_full_disk_is_told_and_earlier_tasks_are_kept(tmp_path):
    pytest.importorskip("resource")
    whole = filled(tmp_path / "whole", n_tasks=4).stat().st_size
    module = tmp_path / "unit_store.py"
    module.write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
    code = FULL_DISK.format(path=[str(tmp_path)], limit=whole - 20, directory=str(tmp_path / "full"))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert ended.returncode == 1
    assert "cannot be written: File too large; finished tasks are kept" in ended.stderr
    with Store(tmp_path / "full", SPEC) as store:
        assert list(store.results) == [task.key for task in TASKS[:3]]


def test_the_header_names_the_version(tmp_path):
    path = filled(tmp_path)
    lines = path.read_text().splitlines()
    header = json.loads(lines[0])
    assert header["paper"] == "made up"
    header["codelength"] = "0.0.1"
    path.write_text("\n".join([json.dumps(header), *lines[1:], ""]))
    with pytest.raises(DataError, match=r"codelength is '0\.0\.1' there"):
        Store(tmp_path, SPEC)
