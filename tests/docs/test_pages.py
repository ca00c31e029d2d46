"""Every block of code on every page runs, and prints what it says."""

import re
import shutil
import sys

import click
import duckdb
import numpy as np
import pytest

from codelength.cli.app import app, main

from .blocks import ROOT, blocks_of, commands_of, pages, run_python

PAGES = pages()

SLOW = {"reproduce", "serve", "completion"}
"""Commands that are read but not run here: they have tests of their own."""

SLOW_TABLES = {"lymphography", "survey.csv"}
"""Tables that take a while, or that only the reader has: commands on them are read but not run."""

DATA = ROOT / "tests" / "golden" / "data" / "lca"


def page_id(page):
    return str(page.relative_to(ROOT))


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """A table in a database, and in files."""
    made = tmp_path_factory.mktemp("shop")
    (made / "sales").mkdir()
    with duckdb.connect(made / "shop.duckdb") as database:
        database.execute(
            "CREATE TABLE sales AS SELECT i AS id, i % 4 AS shop, i % 9 < 4 AS paid FROM range(90) AS t(i)"
        )
        for part in range(2):
            database.execute(f"COPY (FROM sales WHERE id // 45 = {part}) TO '{made}/sales/{part}.parquet'")
    return made


@pytest.fixture
def place(tmp_path, monkeypatch, shop):
    """A directory with the files that pages speak of, as a reader would have them."""
    monkeypatch.chdir(tmp_path)
    for path in DATA.glob("*.csv"):
        shutil.copy(path, tmp_path)
    for path in shop.iterdir():
        (tmp_path / path.name).symlink_to(path)
    return tmp_path


def of_the_reader():
    """Columns that a reader of the page on latent classes has beside the table of 118 rows."""
    rng = np.random.default_rng(0)
    age = rng.normal(50, 10, 118)
    return {
        "school": rng.integers(0, 20, 118),
        "region": np.arange(118) % 2,
        "age": age,
        "sex": rng.choice(["f", "m"], 118),
        "income": rng.normal(1000 + age, 100),
        "other_columns": {"smokes": rng.choice(["no", "yes"], 118)},
    }


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_python_blocks_run(page, place):
    blocks = [block for block in blocks_of(page) if block.language == "python"]
    if any("plot" in block.text for block in blocks):
        pytest.importorskip("matplotlib")
    given = of_the_reader() if page.name == "latent-classes.md" else {}
    assert run_python(page, blocks, **given) == len(blocks)


@pytest.mark.filterwarnings("default::codelength.errors.CodelengthWarning")
@pytest.mark.usefixtures("quick_analyses")
@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_commands_run(page, place, monkeypatch, capsys):
    for block in blocks_of(page):
        for command in commands_of(block):
            where = f"{page.name}, line {block.line}: {' '.join(command)}"
            check_options(command, where)
            if command[1] in SLOW or SLOW_TABLES.intersection(command):
                continue
            monkeypatch.setattr(sys, "argv", command)
            with pytest.raises(SystemExit) as ended:
                main()
            assert not ended.value.code, f"{where}: {capsys.readouterr().err}"


def check_options(command, where):
    """Whether the commands, arguments and options are there, without running anything."""
    context = app.make_context("codelength", command[1:], resilient_parsing=False)
    with context:
        name, found, rest = app.resolve_command(context, command[1:])
        try:
            found.make_context(name, rest, parent=context).close()
        except click.UsageError as error:
            pytest.fail(f"{where}: {error.format_message()}")


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs" / "examples").glob("*.py")), ids=lambda path: path.stem
)
def test_examples_of_the_gallery_draw_something(path, place):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    try:
        exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), {"__name__": "__main__"})
        assert all(axes.has_data() for number in pyplot.get_fignums() for axes in pyplot.figure(number).axes)
        assert pyplot.get_fignums()
    finally:
        pyplot.close("all")


def test_there_is_something_to_run():
    blocks = [block for page in PAGES for block in blocks_of(page)]
    assert sum(block.language == "python" for block in blocks) > 20
    assert sum(1 for block in blocks for _ in commands_of(block)) > 10


def test_the_readme_shows_every_command_that_a_newcomer_needs():
    commands = {command[1] for block in blocks_of(ROOT / "README.md") for command in commands_of(block)}
    assert commands >= {"report", "fit", "inspect", "predict", "explain", "evaluate", "cluster", "serve"}


def test_the_demo_and_the_reproduction_call_commands_that_are_there():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"^\t@?\$\(BIN\)/(codelength [^>\n]*)", makefile, re.MULTILINE)
    assert [command.split()[1] for command in commands] == [
        "evaluate",
        "fit",
        "explain",
        "report",
        "reproduce",
    ]
    for command in commands:
        check_options(command.split(), "Makefile")
    assert "demo/report.html" in makefile
    assert "/demo/" in (ROOT / ".gitignore").read_text(encoding="utf-8")
