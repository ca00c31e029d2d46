"""What the machine may do to a command: full disks, closed streams, odd terminals, signals.

Each is one line on standard error and the right exit code, never a traceback. Processes of their own are
needed, and cost time, so there are few.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress

import pytest

from codelength import NaiveBayes
from codelength.cli.source import TableArgument

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


def test_a_device_without_end_as_standard_input(process):
    done = process("fit", "-", "-t", "y", "-o", "-", shell="< /dev/zero")
    assert done.returncode == 1
    assert told(done) == "error: standard input: is a device, not a table; redirect a file or a pipe to it\n"


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


@pytest.mark.parametrize(("blocks", "n_rows"), [(4, 10), (600, 60_000)])
def test_no_room_for_a_temporary_database(process, model, tmp_path, blocks, n_rows):
    """At its start, or when what was read of a JSON file is to be kept."""
    table = tmp_path / "new.jsonl"
    row = '{{"outlook": "sun", "wind": "no", "degrees": {0}, "id": "{0:040}"}}\n'
    table.write_text("".join(row.format(i) for i in range(n_rows)))
    arguments = ["predict", model, table, "--carry", "id", "-o", tmp_path / "out.csv"]
    done = process(
        *arguments,
        shell=">&2",
        limit=f"trap '' XFSZ; ulimit -f {blocks};",
        env={"TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 1
    assert told(done) == (
        f"error: {tmp_path}: has no room for temporary files (File too large); set TMPDIR to a directory "
        "with more room\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "new.jsonl", "train.csv"]


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


def started(*arguments, **options):
    """A command in a session of its own, so that signals reach nothing else."""
    return subprocess.Popen(
        [sys.executable, "-m", "codelength", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        **options,
    )


def appeared(directory):
    """Wait until something is in a directory."""
    for _ in range(600):
        if list(directory.iterdir()):
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing appeared in {directory}")


@pytest.mark.parametrize(
    ("number", "message"),
    [(signal.SIGTERM, b"error: terminated\n"), (signal.SIGHUP, b"error: the terminal was closed\n")],
)
def test_a_signal_to_end_leaves_no_temporary_files(tmp_path, model, number, message):
    """Once while standard input is being spooled, once while predictions are being written."""
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the tests run where this signal is ignored, and so does the command")
    spool, out = tmp_path / "spool", tmp_path / "out"
    spool.mkdir()
    out.mkdir()
    environment = {**os.environ, "TMPDIR": str(spool)}
    with started("predict", model, "-", stdin=subprocess.PIPE, env=environment) as reading:
        appeared(spool)
        reading.send_signal(number)
        assert (reading.wait(timeout=60), reading.stderr.read()) == (128 + number, message)
    assert list(spool.iterdir()) == []

    rows = "".join(f"sun,no,{i}\n" for i in range(30_000))
    (tmp_path / "new.csv").write_text(f"outlook,wind,degrees\n{rows}")
    arguments = ["predict", model, tmp_path / "new.csv", "-o", out / "p.csv", "--batch-rows", 1]
    writing = started(*arguments, env=environment)
    appeared(out)
    writing.send_signal(number)
    _, err = writing.communicate(timeout=60)
    assert (writing.returncode, err) == (128 + number, message)
    assert [*out.iterdir(), *spool.iterdir()] == []


def test_a_library_may_report_a_signal_in_its_own_words(run, train, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        raise RuntimeError("Query interrupted")

    def broken(*_, **__):
        raise RuntimeError("a defect")

    call = ["fit", train, "-t", "play", "-o", tmp_path / "m.json"]
    monkeypatch.setattr(TableArgument, "read", interrupted)
    assert run(*call) == (143, "", "error: terminated\n")
    monkeypatch.setattr(TableArgument, "read", broken)
    with pytest.raises(RuntimeError, match="a defect"):
        run(*call)


def n_stored(store):
    """Number of finished tasks, read past the lock of the run; 0 before there are any."""
    try:
        with closing(sqlite3.connect(f"file:{store}?immutable=1", uri=True)) as database:
            return database.execute("SELECT count(*) FROM task").fetchone()[0]
    except sqlite3.Error:
        return 0


def test_a_reproduction_that_is_told_to_end_can_be_resumed(tmp_path):
    running = started("reproduce", "predictive-inference", "--quick", "--jobs", 2, "-o", tmp_path)
    store = tmp_path / "predictive-inference-quick" / "tasks.sqlite"
    for _ in range(600):
        if n_stored(store):
            break
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGTERM)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (143, b"")
    assert err == b"error: terminated; repeat the command to resume\n"


def test_interruptions_that_are_ignored_stay_ignored(tmp_path):
    command = f"trap '' INT; exec {sys.executable} -m codelength datasets --json"
    running = subprocess.Popen(
        ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    time.sleep(0.1)
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (0, b"")
