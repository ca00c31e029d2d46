"""What sources of rows leave behind: nothing."""

import tempfile
import threading

import pytest


@pytest.fixture
def clean(tmp_path, monkeypatch):
    """Whatever happens, no temporary file and no thread stays."""
    own = tmp_path / "temporary"
    own.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    yield
    assert list(own.iterdir()) == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("codelength")]
