"""Directories, patterns of files, queries and large files on the command line."""

import io
import json
import resource
import signal
import subprocess
import sys

import duckdb
import numpy as np
import polars as pl
import pytest

from codelength import NaiveBayes, load
from codelength.cli import source
from codelength.cli.app import main


@pytest.fixture
def sales(tmp_path):
    """A table in three files, in one, and in a database."""
    rng = np.random.default_rng(5)
    paid = rng.random(300) < 0.4
    frame = pl.DataFrame(
        {
            "id": np.arange(300),
            "shop": [None if n % 17 == 0 else f"s{k}" for n, k in enumerate(rng.integers(0, 4, 300))],
            "price": np.round(rng.normal(10 + 3 * paid, 2), 2),
            "paid": ["yes" if one else "no" for one in paid],
        }
    )
    (tmp_path / "parts").mkdir()
    for n, part in enumerate(frame.iter_slices(100)):
        part.write_parquet(tmp_path / "parts" / f"{n}.parquet")
    frame.write_parquet(tmp_path / "whole.parquet")
    with duckdb.connect(tmp_path / "shop.duckdb") as database:
        database.execute(f"CREATE TABLE sales AS SELECT * FROM '{tmp_path}/whole.parquet'")
    return tmp_path


def sources_of(place):
    return {
        "directory": [place / "parts"],
        "pattern": [f"{place}/parts/*.parquet"],
        "query": ["--sql", "select * from sales", "--database", place / "shop.duckdb"],
        "files in a query": ["--sql", f"select * from '{place}/parts/*.parquet' order by id"],
    }


@pytest.mark.parametrize("kind", ["directory", "pattern", "query", "files in a query"])
def test_one_table_in_many_places_gives_one_model(run, sales, kind):
    where = sources_of(sales)[kind]
    expected = NaiveBayes().fit(pl.read_parquet(sales / "whole.parquet").drop("id"), "paid")
    code, _, err = run(
        "fit", *where, "-t", "paid", "--drop", "id", "--model", "naive-bayes", "-o", sales / "m.json"
    )
    assert code == 0, err
    assert load(sales / "m.json").counts_ == expected.counts_
    code, _, err = run("predict", sales / "m.json", *where, "--carry", "id", "-o", sales / "p.parquet")
    assert code == 0, err
    made = pl.read_parquet(sales / "p.parquet")
    assert made["id"].to_list() == list(range(300))
    probs = expected.predict_proba(pl.read_parquet(sales / "whole.parquet"))
    assert np.array_equal(made.select("p_no", "p_yes").to_numpy(), probs)
    arguments = ["-t", "paid", "--drop", "id", "--json"]
    code, out, err = run("evaluate", *where, *arguments, "--rule", "evidence", "--rule", "map")
    assert code == 0, err
    found = json.loads(out)
    code, out, _ = run("evaluate", sales / "whole.parquet", *arguments, "--rule", "evidence", "--rule", "map")
    in_memory = json.loads(out)
    assert found["protocol"] == in_memory["protocol"] == "leave-one-out"
    for one, other in zip(found["results"], in_memory["results"], strict=True):
        for name in ("model", "n_predictions", "n_zero", "n_undefined"):
            assert one[name] == other[name]
        for name in ("log_score", "accuracy", "brier_score", "calibration_error"):
            assert one[name] == pytest.approx(other[name], rel=1e-12)


def test_models_that_take_all_rows_at_once_get_them(run, sales):
    where = sources_of(sales)["query"]
    code, _, err = run(
        "fit", *where, "-t", "paid", "--drop", "id", "--model", "subsets", "-o", sales / "average.json"
    )
    assert code == 0, err
    code, _, err = run(
        "fit",
        sales / "whole.parquet",
        "-t",
        "paid",
        "--drop",
        "id",
        "--model",
        "subsets",
        "-o",
        sales / "b.json",
    )
    assert code == 0, err
    probs = [
        load(sales / name).predict_proba({"shop": ["s1"], "price": [9.0]})
        for name in ("average.json", "b.json")
    ]
    assert np.array_equal(*probs)


def test_a_large_file_is_streamed_and_gives_the_same_bytes(run, sales, monkeypatch):
    arguments = ["-t", "paid", "--drop", "id", "--model", "naive-bayes", "-o"]
    for name in ("whole.parquet", "rows.csv"):
        if name == "rows.csv":
            pl.read_parquet(sales / "whole.parquet").write_csv(sales / name)
        monkeypatch.setattr(source, "LARGE", 10**9)
        assert run("fit", sales / name, *arguments, sales / "small.json")[0] == 0
        assert (
            run("predict", sales / "small.json", sales / name, "--carry", "id", "-o", sales / "small.csv")[0]
            == 0
        )
        monkeypatch.setattr(source, "LARGE", 0)
        assert run("fit", sales / name, *arguments, sales / "large.json")[0] == 0
        assert (
            run(
                "predict",
                sales / "large.json",
                sales / name,
                "--carry",
                "id",
                "--batch-rows",
                77,
                "-o",
                sales / "large.csv",
            )[0]
            == 0
        )
        assert (sales / "small.json").read_bytes() == (sales / "large.json").read_bytes()
        assert (sales / "small.csv").read_bytes() == (sales / "large.csv").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--database", "shop.duckdb"], 2, "--database goes with --sql"),
        (["vote", "--sql", "select 1 as a"], 2, "both name a table"),
        ([], 2, "DATA is missing"),
        (["--sql", "select 1 as a", "--na", "x"], 2, "nullif"),
        (["--sql", "select 1 as a"], 2, "--target is missing"),
        (["--sql", "select 1 as a", "-t", "b"], 1, "no column 'b'"),
        (["--sql", "selekt 1", "-t", "b"], 1, "selekt"),
        (["--sql", "select * from sales", "--database", "none.duckdb", "-t", "b"], 1, "none.duckdb"),
        (["none/*.parquet", "-t", "b"], 1, "no file has such a name"),
        (["empty", "-t", "b"], 1, "holds no files that can be read"),
        (["--sql", "select 1 as a", "--database", "t.csv", "-t", "b"], 1, "FROM 'sales.csv'"),
    ],
)
def test_what_cannot_be_done_is_told_on_one_line(run, tmp_path, monkeypatch, arguments, code, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    found, out, err = run("fit", *arguments, "--model", "naive-bayes", "-o", "model.json")
    assert (found, out) == (code, "")
    assert words in err
    assert err.count("\n") == 1
    assert not (tmp_path / "model.json").exists()


@pytest.mark.parametrize("kind", ["directory", "pattern", "query", "files in a query", "a function in it"])
def test_no_file_of_the_table_is_written_over(run, sales, kind):
    functions = {"a function in it": ["--sql", f"from read_parquet(['{sales}/parts/1.parquet'])"]}
    where = (sources_of(sales) | functions)[kind]
    NaiveBayes().fit_table(str(sales / "parts"), "paid", drop=["id"]).save(sales / "m.json")
    part = sales / ("shop.duckdb" if kind == "query" else "parts/1.parquet")
    before = part.read_bytes()
    output = part.parent / ".." / part.parent.name / part.name
    for arguments in (
        ["predict", sales / "m.json", *where],
        ["fit", *where, "-t", "paid", "--model", "naive-bayes"],
    ):
        code, _, err = run(*arguments, "-o", output)
        assert code == 2
        assert f"would write over {part}; name another file" in err
        assert part.read_bytes() == before
    assert run("predict", sales / "m.json", *where, "-o", sales / "parts" / "new.csv")[0] == 0


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_only_missing_texts_are_told_of(run, sales, monkeypatch, capsys, suffix):
    """The cells of Parquet files have types: nothing but a null is missing there."""
    if suffix == "csv":
        for path in (sales / "parts").iterdir():
            pl.read_parquet(path).write_csv(path.with_suffix(".csv"))
            path.unlink()
    options = ["-t", "paid", "--model", "subsets", "-o", sales / "m.json"]
    code, _, err = run("fit", sales / "parts", *options)
    assert code == 0
    assert ("use --na to set other markers" in err) == (suffix == "csv")
    with open(sales / "parts" / f"1.{suffix}", "rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        monkeypatch.setattr(sys, "argv", ["codelength", "fit", "-", *map(str, options)])
        with pytest.raises(SystemExit):
            main()
    assert ("use --na to set other markers" in capsys.readouterr().err) == (suffix == "csv")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_disk_that_fills_leaves_nothing_behind(sales, suffix):
    """A limit on the size of files stands in for a full disk: writing fails in the same way."""
    NaiveBayes().fit_table(str(sales / "parts"), "paid", drop=["id"]).save(sales / "m.json")
    frame = pl.read_parquet(sales / "whole.parquet")
    pl.concat([frame] * 100).write_parquet(sales / "parts" / "long.parquet")

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        most = {"csv": 60_000, "parquet": 4_000}[suffix]
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    before = sorted(path.name for path in sales.iterdir())
    done = subprocess.run(
        [sys.executable, "-m", "codelength", "predict", "m.json", "parts", "-o", f"p.{suffix}"],
        cwd=sales,
        capture_output=True,
        text=True,
        preexec_fn=limited,
        timeout=120,
    )
    assert done.returncode == 1, done.stderr
    assert f"p.{suffix}" in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in sales.iterdir()) == before


def test_explain_and_query_read_what_predict_reads(run, sales):
    NaiveBayes(strict=True).fit_table(str(sales / "parts"), "paid", drop=["id"]).save(sales / "m.json")
    for command in (["explain", "--row", 250], ["query", "--ask", "shop", "--carry", "id"], ["predict"]):
        made = [
            run(command[0], sales / "m.json", data, *command[1:])
            for data in (sales / "parts", sales / "whole.parquet")
        ]
        assert made[0] == made[1]
        assert made[0][0] == 0, made[0]
