"""What the README shows is what happens."""

import doctest
import re
import shlex
import sys
from pathlib import Path

import pytest

from codelength.cli.app import main

README = Path(__file__).parents[2] / "README.md"
COMMANDS = [
    shlex.split(line, comments=True)
    for block in re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    for line in block.splitlines()
    if line.startswith("codelength ")
]


def test_the_example_runs_and_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tried = doctest.testfile(str(README), module_relative=False)
    assert tried.attempted > 5
    assert tried.failed == 0


def test_the_commands_run_as_they_stand(tmp_path, monkeypatch, capsys):
    """On bundled tables, one after the other; what the last one computes has tests of its own."""
    assert {command[1] for command in COMMANDS} >= {"fit", "inspect", "predict", "evaluate", "cluster"}
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS[:-1]:
        monkeypatch.setattr(sys, "argv", command)
        with pytest.raises(SystemExit) as ended:
            main()
        written = capsys.readouterr()
        assert not ended.value.code, (command, written.err)
    assert COMMANDS[-1][1] == "reproduce"
