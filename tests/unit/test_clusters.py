"""Tests on clusters run in processes of their own, because clusters keep threads and draw random numbers."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "clusters"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("test_*.py")), ids=lambda path: path.stem)
def test_on_a_cluster(path):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER.parents[1])
    reasons = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    if reasons and " passed" not in done.stdout and done.returncode in (0, 5):
        pytest.skip(reasons[0])
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert " passed" in done.stdout
