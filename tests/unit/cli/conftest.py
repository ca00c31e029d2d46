"""Commands, run in this process."""

import io
import sys

import pytest

from codelength.cli.app import main


@pytest.fixture
def run(monkeypatch, capsys):
    """Call the command line: its exit code, and what it wrote to standard output and standard error."""

    def call(*arguments, stdin=""):
        monkeypatch.setattr(sys, "argv", ["codelength", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        written = capsys.readouterr()
        return code, written.out, written.err

    return call
