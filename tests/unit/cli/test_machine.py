"""What the machine may do to a command: full disks, closed streams, odd terminals, signals.

Each is one line on standard error and the right exit code, never a traceback. Processes of their own are
needed, and cost time, so there are few.
"""

import os
import signal
import subprocess
import sys
import time

import pytest

from codelength import NaiveBayes

from .conftest import is_one_line

COLOURS = ["grün", "blau", "\ud83d"]
"""The last is half of a surrogate pair, which no encoding has."""


@pytest.fixture(scope="module")
def odd_model(tmp_path_factory):
    """A model whose names and values no terminal can show as they are."""
    path = tmp_path_factory.mktemp("odd") / "odd.json"
    table = {"größe": COLOURS * 4, "x": list("ab") * 6}
    NaiveBayes().fit(table, ["né", "\udcff", "né"] * 4).save(path)
    return path


def told(done):
    message = done.stderr.decode("utf-8", "replace")
    assert is_one_line(message), message
    return message


@pytest.mark.parametrize("arguments", [["datasets", "--json"], ["datasets"], ["--help"]])
def test_a_full_disk(process, arguments):
    done = process(*arguments, shell="> /dev/full")
    assert done.returncode == 1
    assert told(done) == "error: standard output: No space left on device\n"


def test_predictions_on_a_full_disk(process, model, train):
    done = process("predict", model, train, shell="> /dev/full")
    assert done.returncode == 1
    assert told(done) == "error: standard output: No space left on device\n"


def test_a_closed_pipe_ends_the_command_in_silence(process):
    done = process("datasets", shell="| head -n 0; exit ${PIPESTATUS[0]}")
    assert done.returncode in (0, 141)  # it may have been quicker than the reader's end
    assert done.stderr == b""


def test_closed_streams(process, train):
    done = process("datasets", shell=">&-")
    assert done.returncode == 1
    assert told(done) == "error: standard output: Bad file descriptor\n"
    done = process("fit", "-", "-t", "play", "-o", train.with_suffix(".json"), shell="<&-")
    assert done.returncode == 1
    assert told(done) == "error: standard input: Bad file descriptor\n"
    assert process("datasets", "show", "nothing", shell="2>&-").returncode == 1


def test_no_room_for_temporary_files(process, tmp_path):
    """A limit on the size of files stands for a disk that is full."""
    table = tmp_path / "large.csv"
    table.write_text("x,y\n" + "a,k\nb,l\n" * 500)
    done = process(
        "fit", "-", "-t", "y", "-o", tmp_path / "m.json", shell=f"< '{table}'", limit="ulimit -f 1;"
    )
    assert done.returncode == 1
    assert "set TMPDIR to a directory with more room" in told(done)


@pytest.mark.parametrize("arguments", [["inspect", "{model}"], ["datasets", "show", "vote"]])
def test_a_terminal_in_ascii(process, odd_model, arguments):
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = process(*[argument.format(model=odd_model) for argument in arguments], env=plain)
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert done.stderr == b""


def test_halves_of_surrogate_pairs(run, odd_model, tmp_path):
    assert run("inspect", odd_model)[0] == 0
    (tmp_path / "new.csv").write_text("größe,x\ngrün,a\nblau,b\n")
    code, _, err = run("predict", odd_model, tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    assert code == 1
    assert is_one_line(err)
    assert "cannot be written" in err
    assert not (tmp_path / "out.csv").exists()


def test_a_directory_that_was_deleted(process, train, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    command = [sys.executable, "-m", "codelength", "fit", train, "-t", "play", "-o", "model.json"]
    done = subprocess.run(
        ["bash", "-c", 'cd "$0" && rmdir "$0" && "$@"', gone, *map(str, command)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert "directory" in told(done)


@pytest.mark.parametrize("seconds", [0.3, 1.5])
def test_an_interruption_is_one_line_and_130(tmp_path, seconds):
    """Once while modules are being loaded, once while it works."""
    command = [
        *(sys.executable, "-m", "codelength", "cluster", "adult", "--starts", "500", "--param", "patience=99")
    ]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, start_new_session=True
    )
    time.sleep(seconds)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    # Python ends itself by the signal where it came while a class was being made; a shell calls that 130 too.
    assert running.returncode in (130, -signal.SIGINT)
    assert (out, err) == (b"", b"error: interrupted\n")


def test_interruptions_that_are_ignored_stay_ignored(tmp_path):
    command = f"trap '' INT; exec {sys.executable} -m codelength datasets --json"
    running = subprocess.Popen(
        ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    time.sleep(0.1)
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (0, b"")
