"""What a person sees: nothing that a terminal would obey, no broken tables, signs of life."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress

import pytest

from codelength import ModelAverage, NaiveBayes, load
from codelength.cli import _compiling, progress

NASTY = ["[red]a", "[/b]", ":smile:", "\x1b[2J\x1b]0;owned\x07", "two\nlines", "\u202eright"]


@pytest.fixture(params=[NaiveBayes, ModelAverage])
def nasty(request, tmp_path):
    """A model and a table full of what must not be obeyed."""
    kind = request.param
    table = dict.fromkeys(NASTY, NASTY * 2)
    path = tmp_path / "nasty.json"
    kind().fit(table, NASTY * 2).save(path)
    header = ",".join('"' + name + '"' for name in NASTY)
    (tmp_path / "nasty.csv").write_text("\n".join([header] * 3) + "\n", encoding="utf-8")
    return path


def shown(arguments, columns=80, seconds=60, **environment):
    """What a command writes to a terminal of some width."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    running = subprocess.Popen(
        [sys.executable, "-m", "codelength", *map(str, arguments)],
        stdin=child,
        stdout=child,
        stderr=subprocess.DEVNULL,
        env={**variables, "TERM": "xterm", "NO_COLOR": "1", **environment},
        close_fds=True,
    )
    os.close(child)
    parts = []
    with suppress(OSError):  # so ends a terminal
        while part := os.read(parent, 4096):
            parts.append(part)
    os.close(parent)
    assert running.wait(seconds) == 0
    return b"".join(parts).decode()


def without_styles(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.filterwarnings("always::codelength.errors.OneClass")
def test_nothing_from_a_table_is_obeyed(run, nasty, tmp_path):
    for call in (
        ["inspect", nasty],
        ["fit", tmp_path / "nasty.csv", "-t", "[/b]", "-o", tmp_path / "m.json"],
        ["evaluate", tmp_path / "nasty.csv", "-t", "[/b]"],
        ["cluster", tmp_path / "nasty.csv", "--components", 1],
        ["fit", tmp_path / "nasty.csv", "-t", "\x1b[2J", "-o", tmp_path / "m.json"],
    ):
        _, out, err = run(*call)
        assert "Traceback" not in err
        for text in (out, err):
            assert "\x1b" not in text
            assert "\x07" not in text
            assert "\u202e" not in text
    assert "[red]a" in run("inspect", nasty)[1]
    assert ":smile:" in run("inspect", nasty)[1]


def test_predictions_on_a_terminal_are_not_obeyed(nasty, tmp_path):
    text = shown(["predict", nasty, tmp_path / "nasty.csv", "--carry", "[/b]"])
    assert "\x1b" not in text
    assert "[red]a" in text


def test_predictions_in_a_pipe_are_as_they_are(run, nasty, tmp_path):
    out = run("predict", nasty, tmp_path / "nasty.csv", "--carry", "[/b]")[1]
    assert "\x1b[2J" in out


@pytest.mark.parametrize("columns", [50, 80])
def test_tables_fit_the_terminal(train, columns):
    text = without_styles(shown(["evaluate", train, "-t", "play"], columns))
    lines = [line for line in text.splitlines() if not line.startswith("note: ")]
    assert max(map(len, lines)) <= columns
    words = text.split()
    assert "accuracy" in words
    assert "stochastic_complexity" in words or columns < 80
    assert len(re.findall(r"-?[0-9]+\.[0-9]{4}", text)) + words.count("-inf") == 24


@pytest.mark.parametrize("columns", [50, 80])
def test_what_a_model_knows_fits_the_terminal(model, columns):
    text = without_styles(shown(["inspect", model], columns))
    assert max(map(len, text.splitlines())) <= columns
    assert {"model-average", "outlook", "calibration", "settled"} <= set(text.split())
    n_predicted_by = len(load(model).members_)
    assert len(re.findall(r"-?[0-9]+\.[0-9]{4}\b", text)) == 5 * n_predicted_by - 1


def test_a_pipe_has_neither_colours_nor_the_width_of_a_terminal(run, train, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    out = run("evaluate", train, "-t", "play", "--rule", "evidence")[1]
    (row,) = (line for line in out.splitlines() if line.startswith("evidence"))
    assert len(row.split()) == 6
    assert "\x1b" not in out


def test_descriptions_and_claims_on_a_pipe_are_not_endless_lines(run):
    text = run("datasets", "show", "hepatitis")[1]
    assert max(map(len, text.splitlines())) <= 100


def test_work_that_takes_a_while_is_shown_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.05)
    monkeypatch.setattr(progress, "_on_terminal", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    shown = ""
    with progress.working("clustering") as report:
        for _ in range(200):
            time.sleep(0.05)
            report(1, 2)
            shown += capsys.readouterr().err
            if "clustering" in shown:
                break
    assert "clustering" in shown
    capsys.readouterr()
    monkeypatch.setattr(progress, "DELAY_SECONDS", 60)
    with progress.working("clustering"):
        pass
    assert capsys.readouterr().err == ""


def test_nothing_is_shown_elsewhere(capsys, monkeypatch):
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    with progress.working("clustering") as report:
        time.sleep(0.05)
        report(1, 2)
    assert capsys.readouterr().err == ""


def test_compilation_is_announced_once_it_takes_a_second(capsys, monkeypatch):
    monkeypatch.setattr(_compiling, "SECONDS", 0.05)
    monkeypatch.setattr(_compiling.Announcement, "is_made", False)
    listener = _compiling.Announcement()
    for _ in range(2):  # neither of them alone takes long enough
        listener.on_start(None)
        listener.on_start(None)
        time.sleep(0.04)
        listener.on_end(None)
        listener.on_end(None)
    listener.on_start(None)
    for _ in range(200):
        time.sleep(0.05)
        if _compiling.Announcement.is_made:
            break
    listener.on_end(None)
    assert capsys.readouterr().err == f"{_compiling.MESSAGE}\n"
