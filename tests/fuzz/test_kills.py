"""Signal 9 at random moments: files are whole, runs are resumed, and nothing is left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes to fork")

VICTIMS = Path(__file__).with_name("victims.py")
CALL = ["reproduce", "predictive-inference", "--quick", "--settings", "repeats=1", "--jobs", "2", "-o"]


def killed(what, directory, n_kills):
    """What came of killing some work that often."""
    command = [sys.executable, str(VICTIMS), what, str(directory), str(n_kills), "kills"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    print(f"{what}: {found}")
    return found


@pytest.mark.parametrize("n_kills", [5, pytest.param(100, marks=pytest.mark.long)])
def test_a_killed_save_leaves_the_old_file_or_the_new_one(tmp_path, n_kills):
    found = killed("save", tmp_path, n_kills)
    assert found["kills"] == n_kills
    assert found["other content"] == 0
    assert found["left"] == []


@pytest.mark.parametrize("n_kills", [1, pytest.param(100, marks=pytest.mark.long)])
def test_a_killed_reproduction_is_resumed_with_the_same_result(tmp_path, n_kills):
    pytest.importorskip("matplotlib")
    found = killed("reproduce", tmp_path, n_kills)
    assert found["kills"] >= n_kills
    assert found["other content"] == []
    assert found["left"] == []


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_workers_end_with_the_process_that_started_them(tmp_path):
    """A command with two workers is killed alone; its process group is empty soon after."""
    rng = Random("workers")
    for i in range(5):
        command = [sys.executable, "-m", "codelength", *CALL, str(tmp_path / str(i))]
        running = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(rng.uniform(2, 8))
        running.kill()
        running.wait()
        until = time.monotonic() + 30
        while members(running.pid) and time.monotonic() < until:
            time.sleep(0.2)
        left = members(running.pid)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        assert left == []


def members(group):
    """Processes of a group that are alive."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name in brackets may hold anything; what follows it does not.
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found
