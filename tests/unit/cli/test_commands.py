"""What all commands have in common: help, versions, bad tables and bad calls."""

import subprocess
import sys

import pytest

from codelength import __version__
from codelength.sources.files.formats import SUFFIXES, WRITTEN

from .conftest import is_one_line

COMMANDS = [
    "fit",
    "predict",
    "explain",
    "query",
    "inspect",
    "evaluate",
    "cluster",
    "report",
    "datasets",
    "reproduce",
    "serve",
    "completion",
]


def test_version_and_help(run):
    assert run("--version")[1] == f"codelength {__version__}\n"
    code, out, _ = run("--help")
    assert code == 0
    assert "Examples" in out
    for command in COMMANDS:
        assert f"  {command} " in out
    assert subprocess.run([sys.executable, "-m", "codelength", "--version"], check=True).returncode == 0


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_help_fits_the_terminal_and_says_what_values_are_for(run, monkeypatch, command, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, _ = run(command, "--help")
    assert code == 0
    assert "<" not in out
    lines = [line for line in out.splitlines() if "codelength" not in line]
    assert max(map(len, lines)) <= columns
    for line in out.splitlines():
        if line.startswith("    codelength "):
            assert len(line) <= 80


def test_the_help_names_the_formats_that_are_read_and_written(run):
    out = run("predict", "--help")[1].replace(",", " ").split()
    assert {ending for ending in SUFFIXES if not ending.endswith(".gz")} | set(WRITTEN) <= set(out)


def test_the_help_of_the_whole_loads_nothing_heavy():
    code = (
        "import sys; sys.argv = ['codelength', '--help']\n"
        "from codelength.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numpy', 'numba', 'sklearn', 'duckdb', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"outlook,play\n", "no rows"),
        (b"outlook,play\nsun,yes\nrain\n", "line 3"),
        (b"outlook,play\nsun,yes\nrain,no,maybe\n", "line 3"),
        (b"outlook,play\nsun,yes\nr\xe9gen,no\n", "UTF-8"),
        (b"outlook,outlook,play\nsun,sun,yes\nrain,rain,no\n", "outlook"),
        (b"outlook,game\nsun,yes\nrain,no\n", "has no column 'play'"),
        (b"outlook,play\nsun,yes\nrain,\n", "the class is missing"),
    ],
)
def test_bad_tables_end_in_one_line_and_no_file(run, tmp_path, content, words):
    (tmp_path / "bad.csv").write_bytes(content)
    code, out, err = run("fit", tmp_path / "bad.csv", "--target", "play", "-o", tmp_path / "model.json")
    assert code == 1
    assert out == ""
    assert is_one_line(err), err
    assert words in err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


@pytest.mark.filterwarnings("always::codelength.errors.OneClass")
def test_one_class_is_learned_with_a_warning(run, tmp_path):
    table, model = tmp_path / "one.csv", tmp_path / "model.json"
    table.write_bytes(b"outlook,play\nsun,yes\nrain,yes\n")
    for rule in ([], ["--rule", "map"]):
        code, _, err = run("fit", table, "--target", "play", "-o", model, *rule)
        assert code == 0
        assert err.startswith("warning: target 'play': only one class, 'yes', which gets probability 1")
        assert err.count("\n") == 1
        assert run("predict", model, table)[1] == "class,p_yes\nyes,1.0\nyes,1.0\n"


def test_a_file_that_is_no_model(run, train):
    code, _, err = run("inspect", train)
    assert code == 1
    assert is_one_line(err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "{train}"],
        ["evaluate", "{train}", "-t", "play", "--rule", "guess"],
        ["evaluate", "{train}", "-t", "play", "--model", "finite-mixture"],
        ["evaluate", "{train}", "-t", "play", "--cv", "99"],
        ["evaluate", "{train}", "-t", "play", "--cv", "2", "--seed", "-1"],
        ["evaluate", "{train}", "-t", "play", "--cv", "2", "--train-fraction", "2"],
        ["evaluate", "{train}", "-t", "play", "--rule", "map", "--repeats", "3"],
        ["fit", "{train}", "-t", "play", "-o", "m.json", "--prior", "flat"],
        ["fit", "{train}", "-t", "play", "-o", "m.json", "--prior", "-1"],
        ["fit", "{train}", "-t", "play", "-o", "m.json", "--missing", "drop"],
        ["fit", "{train}", "-t", "play", "-o", "m.json", "--model", "tree"],
        ["fit", "{train}", "-t", "play", "-o", ""],
        ["fit", "{train}", "-t", "play"],
        ["cluster", "{train}", "--components", "²"],
        ["cluster", "{train}", "--seed", "-1"],
        ["cluster", "{train}", "--starts", "0"],
        ["reproduce", "moby-dick"],
        ["completion", "csh"],
        ["nonsense"],
        ["fit", "--nonsense"],
        ["inspect"],
    ],
)
def test_bad_calls_are_told_in_one_line_and_end_in_two(run, train, arguments):
    code, out, err = run(*[argument.format(train=train) for argument in arguments])
    assert (code, out) == (2, "")
    assert is_one_line(err), err


def test_messages_are_short_and_on_one_line_whatever_the_call_holds(run):
    code, _, err = run("fit", "x" * 200_000 + "\n\x1b[2J", "-t", "a", "-o", "model.json")
    assert code == 1
    assert is_one_line(err)
    assert len(err) <= 1001
    assert "\x1b" not in err


def test_without_a_command_the_help_is_shown(run):
    code, out, err = run()
    assert (code, out) == (2, "")
    assert err.startswith("Usage: codelength")
