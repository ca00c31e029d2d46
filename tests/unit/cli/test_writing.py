"""What is written where: no input is lost, permissions and symbolic links stay, nothing is left behind."""

import os
import stat
import time

import pytest

from codelength import datasets, load
from codelength._files import atomic_write, check_not_input
from codelength.errors import DataError, InvalidParameter

from .conftest import is_one_line


@pytest.fixture
def ways(train, tmp_path):
    """Other paths to the training table."""
    (tmp_path / "soft.csv").symlink_to("train.csv")
    os.link(train, tmp_path / "hard.csv")
    return ["train.csv", "./train.csv", str(train), "soft.csv", "hard.csv", f"../{tmp_path.name}/train.csv"]


def test_no_command_writes_over_its_table(run, model, train, tmp_path, ways, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = train.read_bytes()
    for way in ways:
        for call in (
            ["fit", train, "-t", "play", "-o", way],
            ["predict", model, train, "-o", way],
            ["cluster", train, "-o", way],
            ["cluster", train, "--memberships", way],
            ["cluster", train, "--figure", way],
        ):
            code, out, err = run(*call)
            assert (code, out) == (2, ""), call
            assert is_one_line(err)
            assert f"would write over {train}" in err
    assert train.read_bytes() == before


def test_predict_does_not_write_over_its_model_nor_cluster_twice_to_one_file(run, model, train, tmp_path):
    assert run("predict", model, train, "-o", model)[0] == 2
    both = tmp_path / "both.csv"
    code, _, err = run("cluster", train, "-o", both, "--memberships", tmp_path / "." / "both.csv")
    assert code == 2
    assert "would write over" in err
    assert not both.exists()


def test_standard_input_is_not_written_over(process, train):
    before = train.read_bytes()
    done = process("fit", "-", "-t", "play", "-o", train, shell=f"< '{train}'")
    assert done.returncode == 2
    assert b"would write over standard input" in done.stderr
    assert train.read_bytes() == before


def test_a_bundled_table_is_no_file(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("fit", "lenses", "-o", "lenses")[0] == 0
    assert load("lenses").schema_.names == datasets.load("lenses").schema.names


def test_a_table_that_stands_for_a_bundled_one_is_a_file(run, tmp_path, monkeypatch):
    monkeypatch.setenv("CODELENGTH_DATA", str(tmp_path))
    own = tmp_path / "lenses.csv"
    own.write_text("a,y\nu,k\nv,l\nu,k\n")
    assert run("fit", "lenses", "-o", own)[0] == 2
    assert run("fit", "lenses", "-o", tmp_path / "m.json")[0] == 0
    assert load(tmp_path / "m.json").schema_.names == ("a",)


def test_checks_of_names():
    with pytest.raises(InvalidParameter):
        check_not_input("new.json", ["./new.json"])
    check_not_input("-", ["-"])
    check_not_input("new.json", ["other.json", "-"])


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_permissions_stay(tmp_path, mode):
    path = tmp_path / "model.json"
    path.write_text("old")
    path.chmod(mode)
    with atomic_write(path) as temporary:
        # What is private is private while it is written, too.
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
        temporary.write_text("new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_symbolic_links_stay_and_hard_links_keep_what_was_there(tmp_path):
    path, soft, hard = (tmp_path / name for name in ("real", "soft", "hard"))
    path.write_text("old")
    soft.symlink_to("real")
    os.link(path, hard)
    with atomic_write(soft) as temporary:
        temporary.write_text("new")
    assert soft.is_symlink()
    assert path.read_text() == soft.read_text() == "new"
    assert hard.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["hard", "real", "soft"]


def test_a_read_only_file_and_a_link_to_itself_are_not_replaced(run, train, tmp_path):
    path = tmp_path / "model.json"
    path.write_text("mine")
    path.chmod(0o444)
    code, _, err = run("fit", train, "-t", "play", "-o", path)
    assert code == 1
    assert is_one_line(err)
    assert "is read-only" in err
    assert path.read_text() == "mine"
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    with pytest.raises(DataError, match="leads back to itself"), atomic_write(loop):
        pytest.fail("nothing to write to")


def test_what_killed_saves_left_is_removed_after_an_hour(tmp_path):
    stale, fresh, other = (
        tmp_path / name
        for name in (
            ".model.json.codelength-0123abcd.tmp.json",
            ".model.json.codelength-4567cdef.tmp.json",
            ".notes.tmp",
        )
    )
    for path in (stale, fresh, other):
        path.write_text("half")
    long_ago = time.time() - 4000
    for path in (stale, other):
        os.utime(path, (long_ago, long_ago))
    with atomic_write(tmp_path / "model.json") as temporary:
        temporary.write_text("whole")
    assert {path.name for path in tmp_path.iterdir()} == {fresh.name, other.name, "model.json"}


@pytest.mark.parametrize("name", ["x" * 250 + ".json", "ü" * 125 + ".json", "a." + "b" * 250])
def test_names_may_be_as_long_as_the_system_allows(tmp_path, name):
    with atomic_write(tmp_path / name) as temporary:
        temporary.write_text("new")
    assert os.listdir(tmp_path) == [name]


def test_a_name_that_is_too_long_is_told(run, train, tmp_path):
    for name in ("x" * 256, "x" * 252 + ".csv", "y" * 5000):
        code, _, err = run("fit", train, "-t", "play", "-o", tmp_path / name)
        assert code == 1
        assert is_one_line(err)
        assert "File name too long" in err
