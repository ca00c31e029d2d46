"""``codelength cluster``, run as a user would run it."""

import csv
import io
import json

import numpy as np
import pytest

from codelength import datasets, load

TEXT = "name,cover,eggs\n" + "".join(
    f"{i},{'fur' if i % 2 else 'feathers'},{'no' if i % 2 else 'yes'}\n" for i in range(12)
)


@pytest.fixture
def animals(tmp_path):
    path = tmp_path / "animals.csv"
    path.write_text(TEXT)
    return path


def memberships(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_memberships_are_written_and_profiles_printed(run, animals, tmp_path):
    out, saved = tmp_path / "clusters.csv", tmp_path / "model.json"
    code, shown, _ = run(
        "cluster", animals, "--drop", "name", "--memberships", out, "-o", saved, "--starts", 3, "--seed", 1
    )
    assert code == 0
    rows = memberships(out)
    assert len(rows) == 12
    assert {row["component"] for row in rows[::2]} != {row["component"] for row in rows[1::2]}
    for row in rows:
        probs = [float(row[f"p_{k + 1}"]) for k in range(len(row) - 1)]
        assert sum(probs) == pytest.approx(1)
        assert int(row["component"]) == np.argmax(probs) + 1
    for text in ("Fit of all models", "share of rows", "feathers", "cover", f"Wrote {saved}, {out}."):
        assert text in " ".join(shown.split())
    model = load(saved)
    assert model.n_components_ == 2
    np.testing.assert_array_equal(
        model.predict({"cover": ["fur"], "eggs": ["no"]}) + 1, [int(rows[1]["component"])]
    )


def test_json_has_the_path_and_the_profiles(run, animals):
    code, shown, _ = run("cluster", animals, "--drop", "name", "--components", 2, "--json")
    document = json.loads(shown)
    assert code == 0
    assert (document["components"], document["rows"]) == (2, 12)
    assert document["params"]["criterion"] == "cheeseman_stutz"
    assert document["code_lengths_nats"].keys() == {"2"}
    assert sum(document["component_probs"]) == pytest.approx(1)
    for values in document["profiles"].values():
        np.testing.assert_allclose(np.sum(list(values.values()), axis=0), 1)


def test_a_table_may_come_from_standard_input_and_go_to_standard_output(run):
    call = ["cluster", "-", "--drop", "name", "--components", 2]
    code, shown, _ = run(*call, "--memberships", "-", stdin=TEXT)
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(shown)))
    assert len(rows) == 12
    assert set(rows[0]) == {"component", "p_1", "p_2"}
    code, shown, _ = run(*call, "-o", "-", stdin=TEXT)
    assert code == 0
    assert json.loads(shown)["model"]["kind"] == "finite-mixture"


@pytest.mark.parametrize(
    "arguments", [["-o", "-", "--json"], ["-o", "-", "--memberships", "-"], ["--memberships", "-", "--json"]]
)
def test_standard_output_takes_one_thing(run, animals, arguments):
    code, shown, told = run("cluster", animals, *arguments)
    assert (code, shown) == (2, "")
    assert "both write to standard output" in told


def test_a_bundled_table_is_clustered_without_its_class(run):
    code, shown, _ = run("cluster", "zoo", "--components", 2, "--starts", 2, "--json")
    assert code == 0
    assert set(json.loads(shown)["profiles"]) == set(datasets.load("zoo", backend="columns").frame)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--components", "0"], "components=0: expected a whole number of at least 1, or auto"),
        (["--components", "few"], "components='few'"),
        (["--criterion", "mdl"], "criterion='mdl': expected one of"),
        (["--drop", "nam"], "has no column 'nam' among its 3; did you mean 'name'?"),
        (["--starts", "0"], "starts=0: expected a whole number of at least 1"),
        (["--figure", "clusters.txt"], "a figure is an .svg, .png or .pdf file"),
        (["--figure", "residuals=clusters.txt"], "clusters.txt: a figure is an .svg, .png or .pdf file"),
        (["--figure", "residuals="], "an empty file name"),
        (["--figure", "a.svg", "--figure", "profiles=b.svg"], "profiles are drawn twice"),
        (["--profiles", "profiles.doc"], "a table is a .csv"),
        (["--comparison", "-"], "a table is a .csv"),
        (["--carry", "name"], "name a --memberships file"),
        (
            ["--carry", "nam", "--memberships", "m.csv"],
            "has no column 'nam' to carry over; did you mean 'name'?",
        ),
        (["--criteria", "mdl"], "criteria='mdl': expected one of 'all'"),
        (["--interval-kind", "wide"], "interval-kind='wide': expected one of"),
        (["--reached", "0"], "reached=0: expected a whole number of at least 1"),
        (["--param", "select=evidence"], "finite-mixture has no such parameter"),
    ],
)
def test_bad_calls_are_told_in_one_line(run, animals, arguments, message):
    code, _, told = run("cluster", animals, *arguments)
    assert code != 0
    assert message in told
    assert "Traceback" not in told


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_picture_of_the_profiles(run, animals, tmp_path, kind):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"clusters.{kind}"
    call = ("cluster", animals, "--drop", "name", "--components", 2, "--starts", 2, "--figure", path)
    assert run(*call)[0] == 0
    content = path.read_bytes()
    assert run(*call)[0] == 0
    assert path.read_bytes() == content
    if kind == "svg":
        for text in (b"<svg", b"cover", b"eggs"):
            assert text in content


def test_identifiers_are_carried_over_as_they_stand(run, tmp_path):
    path, out = tmp_path / "people.csv", tmp_path / "classes.csv"
    path.write_text("id,a,b\n" + "".join(f"{i:03},{'xy'[i % 2]},{'uv'[i % 2]}\n" for i in range(12)))
    call = ("cluster", path, "--carry", "id", "--components", 2, "--starts", 2, "--memberships", out)
    code, shown, told = run(*call)
    assert (code, told) == (0, "")
    rows = memberships(out)
    assert [row["id"] for row in rows] == [f"{i:03}" for i in range(12)]
    assert list(rows[0]) == ["id", "component", "p_1", "p_2"]
    assert "\nid " not in shown
    for more in (["--keep", "a", "--keep", "b"], ["--drop", "id"]):
        assert run(*call, *more)[0] == 0
        assert memberships(out) == rows


def test_the_class_of_a_bundled_table_is_carried_over_and_takes_no_part(run, tmp_path):
    out = tmp_path / "zoo.csv"
    call = ("cluster", "zoo", "--components", 2, "--starts", 2, "--json")
    code, shown, _ = run(*call, "--carry", "class", "--memberships", out)
    assert code == 0
    assert json.loads(shown)["profiles"] == json.loads(run(*call)[1])["profiles"]
    assert {row["class"] for row in memberships(out)} == set(datasets.load("zoo", backend="columns").target)


def test_what_a_paper_needs_is_printed_in_order(run, animals):
    code, shown, _ = run(
        "cluster", animals, "--drop", "name", "--starts", 3, "--intervals", "--criteria", "all"
    )
    assert code == 0
    places = [
        shown.index(text)
        for text in (
            "rows used",
            "missing cells",
            "starts that reached the best",
            "settings",
            "numbers of classes compared",
            "bivariate residuals",
            "rows by assigned class",
            "share of rows",
            "95 % intervals",
        )
    ]
    assert places == sorted(places)
    for word in ("annealed", "exact", "took"):
        assert word in shown


def test_json_has_criteria_and_intervals(run, animals):
    call = ("cluster", animals, "--drop", "name", "--components", 2, "--json")
    code, shown, _ = run(*call, "--criteria", "annealed", "--intervals")
    document = json.loads(shown)
    assert code == 0
    assert [row["components"] for row in document["comparison"]["rows"]] == [1, 2]
    assert all(row["annealed"] > 0 for row in document["comparison"]["rows"])
    assert document["trust"]["n_reached"] >= 5
    assert document["observed"]["rows_used"] == 12
    assert document["intervals"]["level"] == 0.95
    assert {"variable", "class", "low", "high", "at_boundary"} <= document["intervals"]["estimates"][0].keys()
    assert run(*call, "--criteria", "annealed", "--intervals")[1] == shown


def test_tables_and_several_figures_are_written(run, animals, tmp_path):
    pytest.importorskip("matplotlib")
    files = [tmp_path / name for name in ("p.csv", "c.tex", "f.svg", "g.svg", "h.png")]
    call = ["cluster", animals, "--drop", "name", "--components", 2, "--starts", 2]
    call += ["--profiles", files[0], "--comparison", files[1], "--figure", files[2]]
    call += ["--figure", f"residuals={files[3]}", "--figure", f"memberships={files[4]}"]
    code, shown, _ = run(*call, "--interval-kind", "observed")
    assert code == 0
    assert all(file.stat().st_size > 50 for file in files)
    assert "class_1_low" in files[0].read_text()
    for file in files:
        assert str(file) in shown
