"""Commands, run in this process or in one of their own."""

import csv
import io
import os
import subprocess
import sys

import pytest

from codelength.cli.app import main

ROWS = [
    ["sun", "no", "24.5", "yes"],
    ["sun", "yes", "19.0", "yes"],
    ["rain", "no", "11.5", "no"],
    ["rain", "yes", "", "no"],
    ["", "no", "15.5", "yes"],
    ["rain", "no", "12.5", "no"],
]
"""Cells of the table of most tests; an empty one is missing."""


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


@pytest.fixture
def process():
    """Call the command line in a process of its own, through a shell where there are redirections."""

    def call(*arguments, shell="", limit="", **options):
        command = [sys.executable, "-m", "codelength", *map(str, arguments)]
        if shell:
            command = ["bash", "-c", f'{limit} "$@" {shell}', "codelength", *command]
        environment = {**os.environ, "COLUMNS": "80", **options.pop("env", {})}
        return subprocess.run(
            command, capture_output=True, check=False, timeout=120, env=environment, **options
        )

    return call


@pytest.fixture
def train(tmp_path):
    """A CSV file with a class called play."""
    path = tmp_path / "train.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["outlook", "wind", "degrees", "play"], *ROWS])
    return path


@pytest.fixture
def model(run, train, tmp_path):
    """A model file."""
    path = tmp_path / "model.json"
    assert run("fit", train, "--target", "play", "-o", path)[0] == 0
    return path


def is_one_line(message):
    """Whether an error is told as it should be."""
    return message.startswith("error: ") and message.count("\n") == 1 and "Traceback" not in message
