"""Atomic writing and checksums."""

import errno
import hashlib
import os
import stat

import pytest

from codelength._files import atomic_write, sha256_of
from codelength.errors import DataError


def test_the_target_appears_only_when_the_block_has_ended(tmp_path):
    target = tmp_path / "model.json"
    with atomic_write(target) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".json"
        temporary.write_text("new")
        assert not target.exists()
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["model.json"]


@pytest.mark.parametrize("failure", [RuntimeError("no"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_no_other(tmp_path, failure):
    target = tmp_path / "model.json"
    target.write_text("old")

    def write_half():
        with atomic_write(target) as temporary:
            temporary.write_text("half")
            raise failure

    with pytest.raises(type(failure)):
        write_half()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["model.json"]


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "plain").write_text("")
    with atomic_write(tmp_path / "atomic") as temporary:
        temporary.write_text("")
    modes = {stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in ("plain", "atomic")}
    assert len(modes) == 1


def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with atomic_write(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_an_absent_directory_is_named(tmp_path):
    target = tmp_path / "absent" / "x"
    with pytest.raises(DataError, match=r"x: the directory .*absent does not exist"), atomic_write(target):
        pytest.fail("nothing to write to")


def test_a_directory_and_a_device_are_no_targets(tmp_path):
    with pytest.raises(DataError, match="is a directory"), atomic_write(tmp_path):
        pytest.fail("nothing to write to")
    with pytest.raises(DataError, match="not a regular file"), atomic_write(os.devnull):
        pytest.fail("nothing to write to")


def test_a_directory_that_cannot_be_written_is_reported(tmp_path, monkeypatch):
    def refuse(path, *_):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "open", refuse)
    with (
        pytest.raises(DataError, match="x: cannot be written: Permission denied"),
        atomic_write(tmp_path / "x"),
    ):
        pytest.fail("nothing to write to")


def test_a_full_disk_is_reported_with_the_path(tmp_path):
    with pytest.raises(DataError, match="x: cannot be written: No space left"), atomic_write(tmp_path / "x"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_never_loses_the_former_file(tmp_path, monkeypatch, failing):
    """Whatever its names: at any time one whole copy is there."""
    target = tmp_path / "model.json"
    target.write_text("old")
    os.link(target, tmp_path / "other.json")

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DataError, match="No space left"), atomic_write(target) as temporary:  # noqa: PT012
        temporary.write_text("new")
        monkeypatch.setattr(os, failing, fail)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "model.json": "old",
        "other.json": "old",
    }


def test_a_file_that_cannot_be_closed_leaves_nothing(tmp_path, monkeypatch):
    close = os.close

    def fail(number):
        close(number)
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(os, "close", fail)
    with (
        pytest.raises(DataError, match="x: cannot be written: Disk quota exceeded"),
        atomic_write(tmp_path / "x"),
    ):
        pytest.fail("nothing to write to")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == []


def test_an_error_of_another_file_is_left_alone(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "x"):
        (tmp_path / "other").read_bytes()
    assert os.listdir(tmp_path) == []


def test_the_checksum_is_that_of_the_bytes(tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(bytes(range(256)) * 5000)
    assert sha256_of(path) == hashlib.sha256(path.read_bytes()).hexdigest()
