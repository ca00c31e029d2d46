"""Options drawn at random, in commands and in Python: an exit code and one line, never a traceback."""

import contextlib
import io
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import click
import pytest

from codelength._files import sha256_of
from codelength.cli.app import app, run

from .harness import LONGEST_MESSAGE, Fault, attempts

ROWS = """outlook,wind,degrees,[red]x,play,n
sun,no,24.5,a,yes,1
sun,yes,19.0,b,yes,2
rain,no,11.5,a,no,1
rain,yes,,b,no,0
,no,15.5,a,yes,1
rain,?,12.5,\x1b[2J,no,3
"""


def test_random_options(tmp_path, monkeypatch):
    attempts("options", Calls(tmp_path, monkeypatch), range(200)).check()


@pytest.mark.long
def test_many_random_options(tmp_path, monkeypatch):
    attempts("options", Calls(tmp_path, monkeypatch), range(3500)).check()


def test_random_options_in_processes(tmp_path, monkeypatch):
    """The same through the door that users have."""
    calls = Calls(tmp_path, monkeypatch)
    for seed in range(4):
        arguments = calls.arguments(Random(f"processes {seed}"))
        command = [sys.executable, "-m", "codelength", *arguments]
        done = subprocess.run(command, capture_output=True, input=b"", timeout=100, check=False, cwd=tmp_path)
        streams = (part.decode("utf-8", "replace") for part in (done.stdout, done.stderr))
        check_told(done.returncode, *streams, arguments)


NUMBERS = (
    *[
        "0",
        "1",
        "2",
        "3",
        "-1",
        "²",
        "1.5",
        "1e3",
        "nan",
        "inf",
        "99999999999999999999",
        "1000000000",
        "0x10",
    ],
    "",
)
TEXTS = (
    *["-", "--", "x", "é", "[/b]", "--help", "*"],
    "",
    "\x1b[2J",
    "\ud800",
    "a" * 5000,
    "'; DROP TABLE t; --",
    "\n",
)
COLUMNS = ("outlook", "wind", "degrees", "[red]x", "play", "n", "Play", "absent")
TABLES = ("train.csv", "new.csv", "train.csv")
MODELS = ("model.json", "mixture.json", "clusters.json")
FILES = (
    *(*TABLES, *MODELS, "train.parquet", "empty.csv", "absent.csv", "directory", "broken.json", "fifo", "-"),
    *("/dev/null", "./train.csv", "link.csv", "train.txt.zip"),
)
OUTPUTS = (
    *[
        "out.csv",
        "out.parquet",
        "out.json",
        "out.tsv",
        "out.csv.gz",
        "out",
        "-",
        "train.csv",
        "link.csv",
        "model.json",
        "directory",
    ],
    *("absent/out.csv", "/dev/full", "/dev/null", "o" * 256, "/proc/out.csv", "./new.csv"),
)
PARAMS = (
    *[
        "rule=map",
        "prior=0.5",
        "prior=jeffreys",
        "select=evidence",
        "numeric=category",
        "n_components=2",
        "candidates=2",
    ],
    *[
        "n_components=[1,2]",
        "average=true",
        "n_orderings=1",
        "schema=1",
        "n_init=1",
        "max_iter=1",
        "tol=-1",
        "tol=x",
        "=",
        "x",
    ],
    *[
        "rule",
        "n_components=[",
        "prior=1e400",
        "candidates=1000000000",
        "n_init=99999999999999",
        "missing=",
        "prior=null",
    ],
    *["n_components=1000000000", "random_state=-1", 'random_state="a"', "rule=null", "max_components=2"],
)
SETTINGS = ["bins=x", "bins=0", "bins=99999999", "=", "nothing=1", "seed=-1", "cap=nan", "repeats=²"]


class Calls:
    """Call commands with options and values drawn at random."""

    def __init__(self, directory: Path, monkeypatch: Any) -> None:
        self.directory = directory
        monkeypatch.chdir(directory)
        monkeypatch.setenv("COLUMNS", "80")
        self._make_inputs()
        self.inputs = {path.name: sha256_of(path) for path in directory.iterdir() if path.is_file()}
        self.names = {*os.listdir(directory)}

    def _make_inputs(self) -> None:
        Path("train.csv").write_text(ROWS)
        Path("new.csv").write_text("outlook,wind,degrees,[red]x,extra\nsun,no,1.5,a,1\n,,,,2\n")
        Path("empty.csv").write_text("")
        Path("broken.json").write_text('{"format": "codelength-model"}')
        Path("train.txt.zip").write_bytes(b"PK")
        Path("directory").mkdir()
        Path("link.csv").symlink_to("train.csv")
        os.mkfifo("fifo")
        small = ["--model", "mixture-classifier", "--param", "n_orderings=1", "--param", "candidates=2"]
        for arguments in (
            ["fit", "train.csv", "-t", "play", "--drop", "n", "-o", "model.json"],
            ["fit", "train.csv", "-t", "play", *small, "--drop", "n", "-o", "mixture.json"],
            [
                "cluster",
                "train.csv",
                "--components",
                "2",
                "--starts",
                "2",
                "--drop",
                "n",
                "-o",
                "clusters.json",
            ],
            ["predict", "model.json", "new.csv", "--carry", "extra", "-o", "train.parquet"],
        ):
            code, _, err = called(arguments)
            assert code == 0, err

    def __call__(self, rng: Random) -> None:
        arguments = self.arguments(rng)
        code, out, err = called(arguments)
        check_told(code, out, err, arguments)
        if code == 0 and out and asks_for_json(arguments):
            check_json(out, arguments)
        self.check_inputs(arguments)

    def arguments(self, rng: Random) -> list[str]:
        """A call, most of which makes sense."""
        command = rng.choice(
            ("fit", "fit", "predict", "predict", "evaluate", "cluster", "inspect", "datasets", "other")
        )
        if command == "other":
            return odd_call(rng)
        found = [command]
        for parameter in app.commands[command].params:
            if isinstance(parameter, click.Argument):
                usual = MODELS if parameter.name == "model" else TABLES
                value = rng.choice(usual if rng.random() < 0.7 else FILES)
                found += (
                    [value] if rng.random() < 0.97 else rng.choice(([], [value, value], [rng.choice(TEXTS)]))
                )
            elif wanted(rng, parameter, command):
                for _ in range(rng.choice((1, 1, 1, 2)) if parameter.multiple else 1):
                    found += option(rng, parameter)
        # Enough of the quick ones that a call ends soon.
        usual = {"cluster": ["--starts", "2", "--param", "max_components=2"], "datasets": []}
        return found + (usual.get(command, []) if rng.random() < 0.8 else [])

    def check_inputs(self, arguments: list[str]) -> None:
        """No file that is read was written to; nothing is left behind by a call that failed."""
        for name in os.listdir(self.directory):
            if name not in self.names:
                if name.endswith(".tmp") or "codelength-" in name:
                    raise Fault("broken promise", f"left behind: {name}, by {arguments}")
                path = self.directory / name
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        read = [Path(argument).name for argument in arguments[1:3]]
        for name, digest in self.inputs.items():
            if sha256_of(self.directory / name) != digest:
                if name in read:
                    raise Fault("silent difference", f"{name} was written over: {arguments}")
                self._restore()
                return

    def _restore(self) -> None:
        for name in self.names:
            path = self.directory / name
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
        self._make_inputs()
        self.inputs = {name: sha256_of(self.directory / name) for name in self.inputs}


def wanted(rng: Random, parameter: click.Parameter, command: str) -> bool:
    """Whether an option is in a call."""
    if parameter.name == "help":
        return rng.random() < 0.01
    if parameter.required or (parameter.name == "target" and command in ("fit", "evaluate")):
        return rng.random() < 0.95
    return rng.random() < 0.15


def option(rng: Random, parameter: click.Option) -> list[str]:
    """An option with a value, which may be any."""
    name = rng.choice(parameter.opts)
    if parameter.is_flag:
        return [name]
    if rng.random() < 0.05:
        return rng.choice(
            ([name], [name, rng.choice(TEXTS)], [f"{name}={rng.choice(TEXTS)}"], [f"{name}x", "1"])
        )
    return [name, rng.choice(values(parameter))]


def values(parameter: click.Option) -> tuple[str, ...]:
    """Values that an option might have."""
    pools = {
        "params": PARAMS,
        "settings": SETTINGS,
        "na": ("?", "a", "", "\x00"),
        "prior": ("jeffreys", "0.5", *NUMBERS),
    }
    if parameter.name in pools:
        return pools[parameter.name]
    if parameter.name == "target":
        return ("play",) * 12 + COLUMNS
    if hasattr(parameter.type, "names"):
        return (*parameter.type.names(), *parameter.type.names(), "x", "")
    if parameter.metavar == "COLUMN":
        return COLUMNS
    if parameter.metavar == "FILE":
        return OUTPUTS
    if parameter.name == "repeats":
        return tuple(number for number in NUMBERS if len(number) < 6)
    return NUMBERS if "NUMBER" in (parameter.metavar or "") else TEXTS


def odd_call(rng: Random) -> list[str]:
    """Calls that do little or nothing."""
    return rng.choice(
        (
            [],
            [rng.choice(TEXTS)],
            ["--version"],
            ["completion", rng.choice(("bash", "zsh", "fish", "x", ""))],
            ["datasets", "show", rng.choice(("vote", "Vote", "x", "", "adult", "\x1b[2J"))],
            ["reproduce", rng.choice(("x", "", "all papers"))],
            ["reproduce", "predictive-inference", "--quick", "--settings", rng.choice(SETTINGS)],
            ["reproduce", "sc-approximations", "--jobs", rng.choice(("0", "-1", "²", "x"))],
            ["fit", "--target"],
            ["predict", "model.json"],
            [rng.choice(tuple(app.commands)), "--help"],
        )
    )


def called(arguments: list[str]) -> tuple[int, str, str]:
    """Run a command in this process: its exit code, standard output and standard error."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace") for _ in range(2))
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO())
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(arguments)
            out.flush()
            err.flush()
    finally:
        sys.stdin = before
    return code, *(stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err))


def check_told(code: int, out: str, err: str, arguments: list[str]) -> None:
    """An exit code that means something, and at most one line for each thing to say."""
    told = f"{arguments!r:.300} -> {code}, {err[-500:]!r}"
    if code not in (0, 1, 2):
        raise Fault("broken promise", told)
    if "Traceback" in err or "Traceback" in out:
        raise Fault("foreign exception", told)
    is_data = bool(arguments) and (arguments[0] == "predict" or "--memberships" in arguments)
    if "\x1b" in err or ("\x1b" in out and not is_data):
        raise Fault("silent difference", f"an escape sequence is passed on: {told}")
    if err.startswith("Usage: "):
        return
    lines = err.splitlines()
    if any(not line.startswith(("error: ", "warning: ", "note: ")) for line in lines):
        raise Fault("bad message", told)
    if any(len(line) > LONGEST_MESSAGE + 100 for line in lines):
        raise Fault("bad message", f"{max(map(len, lines)):,} characters: {told}")
    if sum(line.startswith("error: ") for line in lines) != (code != 0):
        raise Fault("bad message", told)


def asks_for_json(arguments: list[str]) -> bool:
    """Whether --json is an option of a call, rather than the value of the one before it."""
    if "--json" not in arguments or {"--help", "-h"} & set(arguments):
        return False
    return not arguments[arguments.index("--json") - 1].startswith("-")


def check_json(out: str, arguments: list[str]) -> None:
    """What is printed for machines can be read by one."""
    try:
        json.loads(out, parse_constant=lambda name: math.inf)
    except ValueError as error:
        raise Fault("broken promise", f"{arguments}: not JSON ({error}): {out[:200]!r}") from error
