"""``codelength report``."""

import json

import pytest

from unit.reporting.reading import check

from .conftest import is_one_line


@pytest.fixture
def larger(tmp_path):
    """A table of which something can be learned, with a cell that would like to be a script."""
    path = tmp_path / "larger.csv"
    rows = [
        f"{('sun', 'rain')[n % 2]},{n % 7},{('<script>hit()</script>', 'no')[n % 2 if n % 5 else 0]}"
        for n in range(60)
    ]
    path.write_text("\n".join(["outlook,hours,play", *rows]) + "\n")
    return path


def test_a_page_is_written_and_the_answer_printed(run, larger, tmp_path):
    output = tmp_path / "report.html"
    code, out, err = run("report", larger, "--target", "play", "-o", output)
    assert code == 0, err
    assert "bits per row" in out
    assert f"Wrote {output} (" in out
    page = check(output.read_text(encoding="utf-8"))
    words = page.text
    assert "Predicting play" in words
    assert f"codelength report {larger.name} --target play -o report.html" in words
    assert str(tmp_path) not in output.read_text(encoding="utf-8")
    assert "counts only" not in words
    assert "no rows unless they were asked for" in words
    assert "<script>hit()</script>" in words
    assert "make it with --rows" in words
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".html"] == ["report.html"]


@pytest.mark.usefixtures("quick_analyses")
def test_json_has_the_main_figures_and_the_seed_repeats_them(run, larger, tmp_path):
    found = []
    for _ in range(2):
        code, out, _ = run(
            "report", larger, "-t", "play", "-o", tmp_path / "r.html", "--seed", 3, "--json", "--rows"
        )
        assert code == 0
        found.append(json.loads(out))
    first, second = found
    assert first["rows"] == 60
    assert second["bytes"] == (tmp_path / "r.html").stat().st_size < 1_000_000
    assert {model["name"] for model in first["models"]} >= {
        "class prior",
        "logistic regression",
        "model average",
    }
    assert first["gain_bits"]["low"] <= first["gain_bits"]["value"] <= first["gain_bits"]["high"]
    for document in found:
        del document["seconds"]
        for model in document["models"]:
            del model["fit_seconds"]
        del document["bytes"]
    assert first == second
    assert "Row " in check((tmp_path / "r.html").read_text(encoding="utf-8")).text


def test_without_a_target_the_page_is_of_hidden_classes(run, train, tmp_path):
    output = tmp_path / "classes.html"
    code, out, err = run("report", train, "-o", output)
    assert code == 0, err
    assert "hidden classes" in out
    assert "Hidden classes in" in check(output.read_text(encoding="utf-8")).text
    code, out, err = run("report", train, "-t", "play", "--latent", "--drop", "wind", "-o", output, "--json")
    assert code == 0, err
    assert json.loads(out)["classes"] >= 1
    told = check(output.read_text(encoding="utf-8")).text
    assert "Hidden classes in" in told
    assert "play" not in told.replace("-t play", "")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["report"], 2, "DATA is missing"),
        (["report", "{train}", "-o", "-"], 2, "a page goes into a file"),
        (["report", "{train}", "-t", "game"], 1, "has no column 'game'"),
        (["report", "{train}", "-t", "play", "-o", "{train}"], 2, "would write over"),
        (["report", "{train}", "-t", "play", "-o", "no/such/place.html"], 1, "does not exist"),
        (["report", "no-such-table"], 1, "no-such-table"),
    ],
)
def test_what_cannot_be_done_is_told_on_one_line(run, train, tmp_path, monkeypatch, arguments, code, words):
    monkeypatch.chdir(tmp_path)
    before = train.read_bytes()
    found, out, err = run(*(argument.format(train=train) for argument in arguments))
    assert found == code, err
    assert out == ""
    assert is_one_line(err), err
    assert words in err
    assert train.read_bytes() == before
    assert not list(tmp_path.glob("*.html"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zoo", "--latent", "--rows"], "--rows: a page about hidden classes shows no rows"),
    ],
)
def test_options_that_would_do_nothing_are_refused(run, tmp_path, arguments, message):
    code, _, err = run("report", *arguments, "-o", tmp_path / "page.html")
    assert code == 2
    assert message in err
    assert not (tmp_path / "page.html").exists()
