"""The short list of tests for contributors covers every folder."""

from .blocks import ROOT

LISTED = (ROOT / "tests" / "quick.txt").read_text(encoding="utf-8").split()

NOT_QUICK = {"tests/browser", "tests/clusters"}
"""Folders whose tests start browsers or clusters."""


def test_every_listed_file_exists_once():
    assert [name for name in LISTED if not (ROOT / name).is_file()] == []
    assert sorted(set(LISTED)) == sorted(LISTED)


def test_every_folder_has_a_listed_file():
    folders = {path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    covered = {name.rpartition("/")[0] for name in LISTED}
    # A folder of folders may leave the choice to these.
    uncovered = [
        folder
        for folder in folders - NOT_QUICK
        if not any(f"{name}/".startswith(f"{folder}/") for name in covered)
    ]
    assert uncovered == []
