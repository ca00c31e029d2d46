"""``codelength cluster``, run as a user would run it."""

import contextlib
import csv
import io
import json

import numpy as np
import pytest

from codelength import datasets, load

TEXT = "name,cover,eggs,milk\n" + "".join(
    f"{i},{'fur,no,yes' if i % 2 else 'feathers,yes,no'}\n" for i in range(12)
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
        model.predict({"cover": ["fur"], "eggs": ["no"], "milk": ["yes"]}) + 1, [int(rows[1]["component"])]
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
        (["--drop", "nam"], "has no column 'nam' among its 4; did you mean 'name'?"),
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
        (["--replications", "0"], "replications=0: expected a whole number of at least 1"),
        (["--test", "--components", "1"], "--test: there is no smaller number of classes than one"),
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
    path.write_text("id,a,b,c\n" + "".join(f"{i:03},{'x,u,p' if i % 2 else 'y,v,q'}\n" for i in range(12)))
    call = ("cluster", path, "--carry", "id", "--components", 2, "--starts", 2, "--memberships", out)
    code, shown, told = run(*call)
    assert (code, told) == (0, "")
    rows = memberships(out)
    assert [row["id"] for row in rows] == [f"{i:03}" for i in range(12)]
    assert list(rows[0]) == ["id", "component", "p_1", "p_2"]
    assert "\nid " not in shown
    for more in (["--keep", "a", "--keep", "b", "--keep", "c"], ["--drop", "id"]):
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


def test_the_number_of_classes_is_tested_on_request(run, animals):
    call = ("cluster", animals, "--drop", "name", "--components", 2, "--starts", 2)
    code, shown, _ = run(*call, "--test", "--replications", 19)
    assert code == 0
    told = " ".join(shown.split())
    assert "bootstrap test 2 classes against 1: p = 0.05 (twice the gain" in told
    assert "19 replications" in told
    found = json.loads(run(*call, "--test", "--replications", 19, "--json")[1])["test"]
    assert found["p_value"] == 0.05
    assert (found["classes"], found["replications"]) == (2, 19)
    assert found["statistic"] == 2 * (found["log_likelihoods"][1] - found["log_likelihoods"][0])
    assert "test" not in json.loads(run(*call, "--json")[1])


def test_one_class_that_was_found_is_tested_against_none(run, tmp_path):
    path = tmp_path / "noise.csv"
    path.write_text("a,b,c\n" + "x,u,p\nx,v,q\ny,u,q\ny,v,p\n" * 10)
    code, shown, _ = run("cluster", path, "--starts", 2, "--test")
    assert code == 0
    assert "one class was found, and there is no smaller number to test against" in " ".join(shown.split())


@pytest.mark.filterwarnings("always::codelength.errors.DoubtfulFit")
def test_profiles_that_are_not_identified_are_told_on_standard_error_too(run, tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("a,b\n" + "x,u\ny,v\nx,v\n" * 10)
    code, shown, told = run("cluster", path, "--components", 2, "--starts", 2)
    assert code == 0
    assert "Warning: this model is not identified." in " ".join(shown.split())
    assert told.startswith("warning: 2 classes: the profiles are not identified: 5 parameters")
    assert told.count("\n") == 1


TRIPLES = {"x": "x,u,p", "y": "y,v,q", "z": "z,w,r", "": ",,"}


@pytest.mark.filterwarnings("always::codelength.errors.DoubtfulFit")
@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ("xy" * 9, ["--components", 3], "n_components=3: there are only 2 distinct rows, which 2 classes"),
        ("xy" * 9 + "z", ["--weights", "n"], "Class 3: less than half a row, so its profile means nothing"),
        ("x" * 9, [], "Only one value in a, b, c"),
        ("xyx" * 5 + " ", [], "1 row without a single value: kept"),
        ("xyx" * 5 + "0", ["--weights", "n"], "1 row of weight zero: predicted, but not learned from"),
    ],
)
def test_what_is_odd_about_a_table_is_told(run, tmp_path, rows, options, message):
    path, weights = tmp_path / "odd.csv", {"z": "0.3", "0": "0"}
    lines = [f"{TRIPLES.get(row.strip(), 'x,u,p')},{weights.get(row, '1')}\n" for row in rows]
    path.write_text("a,b,c,n\n" + "".join(lines))
    classes = [] if "--components" in options else ["--components", len(set(rows) & set("xyz"))]
    unused = [] if "--weights" in options else ["--drop", "n"]
    code, shown, _ = run("cluster", path, "--starts", 5, *classes, *options, *unused)
    assert code == 0
    assert message in " ".join(shown.split())


def test_weights_that_are_all_zero_are_refused(run, tmp_path):
    path = tmp_path / "none.csv"
    path.write_text("a,b,n\n" + "x,u,0\ny,v,0\n" * 4)
    code, shown, told = run("cluster", path, "--weights", "n")
    assert (code, shown) == (1, "")
    assert told == "error: sample_weight: all weights are zero; at least one row must count\n"


def test_bootstraps_and_tests_say_how_far_they_are(run, animals, monkeypatch):
    told = {}

    @contextlib.contextmanager
    def working(what):
        yield lambda done, total: told.setdefault(what, []).append((done, total))

    monkeypatch.setattr("codelength.cli.cluster.working", working)
    call = ("cluster", animals, "--drop", "name", "--components", 2, "--starts", 2)
    assert run(*call, "--test", "--interval-kind", "parametric", "--replications", 3)[0] == 0
    assert told == {"intervals": [(1, 3), (2, 3), (3, 3)], "bootstrap test": [(1, 3), (2, 3), (3, 3)]}


@pytest.mark.parametrize("more", [[], ["--intervals"], ["--interval-kind", "observed"]])
def test_replications_of_nothing_are_refused(run, more):
    code, _, err = run("cluster", "zoo", "--replications", 7, *more)
    assert code == 2
    assert "--replications: nothing is replicated; leave it out, or ask for --test" in err
