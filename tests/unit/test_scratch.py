"""Temporary directories, and those that killed processes left behind."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time

import pytest

from codelength import _scratch
from codelength._scratch import Scratch, remove_abandoned

fcntl = pytest.importorskip("fcntl")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A directory for temporary ones."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def aged(directory):
    """Let a directory look as if it had been made long ago."""
    long_ago = time.time() - 10 * _scratch._NEW_SECONDS
    os.utime(directory, (long_ago, long_ago))


def test_is_private_and_goes_away(place):
    with Scratch() as directory:
        assert stat.S_IMODE(os.stat(directory).st_mode) == 0o700
        aged(directory)
        remove_abandoned(str(place))
        assert os.path.isdir(directory), "it is in use"
    assert os.listdir(place) == []


def test_what_a_killed_process_leaves_is_removed(place):
    code = "import time; from codelength._scratch import Scratch; made = Scratch(); "
    code += "print(made.name, flush=True); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(place)},
    ) as process:
        directory = process.stdout.readline().strip()
        aged(directory)
        remove_abandoned(str(place))
        assert os.path.isdir(directory)
        process.send_signal(signal.SIGKILL)
    remove_abandoned(str(place))
    assert os.listdir(place) == []


def test_nothing_else_is_removed(place):
    """Directories of other programs, new ones, and whatever a link leads to."""
    others = [place / "codelength-notes", place / "codelength-serve-12345678"]
    for other in others:
        other.mkdir()
        (other / "lock").write_text("")
        aged(other)
    new = place / "codelength-abcdefgh"
    new.mkdir()
    (new / _scratch._LOCK).write_text("")
    (place / "codelength-link").symlink_to(new)
    before = sorted(os.listdir(place))
    remove_abandoned(str(place))
    assert sorted(os.listdir(place)) == before
