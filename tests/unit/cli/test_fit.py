"""``codelength fit`` and ``codelength inspect``, run as a user would run them."""

import json

import numpy as np
import pytest

from codelength import FiniteMixture, MixtureClassifier, datasets, load

from .conftest import is_one_line


def test_fit_tells_what_was_decided_and_keeps_the_target_name(run, train, tmp_path):
    code, out, _ = run("fit", train, "-t", "play", "-o", tmp_path / "m.json")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert ["rows", "6"] in lines
    assert ["yes", "3"] in lines
    assert any(line[:2] == ["degrees", "interval"] for line in lines)
    assert f"Wrote {tmp_path / 'm.json'}." in out
    assert load(tmp_path / "m.json").schema_.target.name == "play"


def test_fit_prints_json_for_machines(run, train, tmp_path):
    code, out, _ = run("fit", train, "-t", "play", "-o", tmp_path / "m.json", "--json")
    assert code == 0
    told = json.loads(out)
    assert (told["kind"], told["rows"], told["class_counts"]) == ("model-average", 6, [3, 3])
    assert told["model"] == str(tmp_path / "m.json")
    assert told["held_out"] == load(tmp_path / "m.json").members_
    code, out, _ = run("fit", train, "-t", "play", "-o", tmp_path / "m.json", "--rule", "evidence", "--json")
    told = json.loads(out)
    assert (code, told["kind"], told["rows"], told["class_counts"]) == (0, "naive-bayes", 6, [3, 3])
    assert told["code_length_nats"] == load(tmp_path / "m.json").code_length_


def test_the_model_may_go_to_standard_output(run, train, tmp_path):
    code, out, _ = run("fit", train, "-t", "play", "-o", "-")
    assert code == 0
    (tmp_path / "copy.json").write_text(out)
    assert run("predict", tmp_path / "copy.json", train)[0] == 0
    assert run("fit", train, "-t", "play", "-o", tmp_path / "m.json")[0] == 0
    assert out == (tmp_path / "m.json").read_text()
    code, out, err = run("fit", train, "-t", "play", "-o", "-", "--json")
    assert (code, out) == (2, "")
    assert "both write to standard output" in err


def test_fit_chooses_variables(run, train, tmp_path):
    assert run("fit", train, "-t", "play", "-o", tmp_path / "m.json", "--select", "evidence")[0] == 0
    assert run("predict", tmp_path / "m.json", train)[0] == 0
    assert run("fit", train, "-t", "play", "-o", tmp_path / "m.json", "--select", "luck")[0] == 2


def test_columns_are_dropped_kept_and_weigh(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,a,b,n,y\n1,u,p,2,k\n2,v,q,1,l\n3,u,q,0,l\n4,v,p,3,k\n")
    for options in (["--drop", "id", "--drop", "b"], ["--keep", "a"]):
        call = ["fit", path, "-t", "y", "--weights", "n", "-o", tmp_path / "m.json", "--json", *options]
        for model in ([], ["--model", "naive-bayes"]):
            code, out, err = run(*call, *model)
            assert code == 0, err
            told = json.loads(out)
            assert [variable["name"] for variable in told["schema"]["variables"]] == ["a"]
            assert told["class_counts"] == [5, 1]
    code, _, err = run("fit", path, "-t", "y", "--drop", "idd", "-o", tmp_path / "m.json")
    assert code == 1
    assert "has no column 'idd' among its 5; did you mean 'id'?" in err


def test_the_column_to_predict_is_not_dropped(run, train, tmp_path):
    for data in (["lenses", "--drop", "class"], [train, "-t", "play", "--drop", "play"]):
        code, _, err = run("fit", *data, "-o", tmp_path / "m.json")
        assert code == 2
        assert is_one_line(err)


@pytest.mark.parametrize("markers", [[], ["--na", "NA", "--na", "?"]])
def test_texts_that_mean_missing(run, tmp_path, markers):
    path = tmp_path / "t.csv"
    path.write_text("a,y\nu,k\nNA,l\n?,l\n,k\nv,k\n")
    for missing, values in ((["--missing", "ignore"], ["u", "v"]), ([], ["u", "v", None])):
        call = ["fit", path, "-t", "y", "-o", tmp_path / "m.json", "--json", *missing, *markers]
        code, out, err = run(*call)
        assert code == 0
        assert json.loads(out)["schema"]["variables"][0]["values"] == values
        assert ("NA" in err) == (not markers)


def test_a_declared_domain_is_kept(run, tmp_path):
    (tmp_path / "t.arff").write_text(
        "@relation t\n@attribute a {x,y,z}\n@attribute c {k,l}\n@data\nx,k\ny,l\nx,k\ny,l\n"
    )
    for model in ("model-average", "naive-bayes"):
        call = ["fit", tmp_path / "t.arff", "-t", "c", "-o", tmp_path / "m.json", "--model", model, "--json"]
        code, out, _ = run(*call)
        assert code == 0
        told = json.loads(out)
        assert told["schema"]["variables"][0]["values"] == ["x", "y", "z"]
    assert told["code_length_nats"] == pytest.approx(
        # Classes 2!2!/5!, and in each class 2!2!/4! for three values.
        np.log(30) + 2 * np.log(6)
    )


def mixture(run, tmp_path, *arguments):
    return run(
        "fit",
        "iris",
        "--model",
        "mixture-classifier",
        "--param",
        "candidates=6",
        "--param",
        "n_components=[2, 6]",
        "-o",
        tmp_path / "model.json",
        *arguments,
    )


def test_any_model_can_be_fitted(run, tmp_path):
    code, out, err = mixture(run, tmp_path, "--criterion", "leave_one_out")
    assert code == 0, err
    assert "leave one out" in out
    dataset = datasets.load("iris", backend="columns")
    model = load(tmp_path / "model.json")
    assert model.criterion == "leave_one_out"
    expected = MixtureClassifier("leave_one_out", candidates=6, n_components=(2, 6), random_state=0).fit(
        dataset.frame, dataset.target
    )
    np.testing.assert_array_equal(model.predict_proba(dataset.frame), expected.predict_proba(dataset.frame))


def test_json_holds_every_candidate_and_criterion(run, tmp_path):
    more = ["--param", "average=true", "--param", "with_class=false", "--param", "n_orderings=3"]
    code, out, err = mixture(run, tmp_path, "--json", *more)
    assert code == 0, err
    document = json.loads(out)
    lengths = [row["prequential"] for row in document["candidates"]]
    assert lengths == sorted(lengths)
    assert {"evidence", "leave_one_out", "prequential_se"} <= document["candidates"][0].keys()
    assert sum(row["weight"] for row in document["candidates"]) == pytest.approx(1)


def test_the_best_comes_first_and_weights_are_shown_for_an_average(run, tmp_path):
    lines = mixture(run, tmp_path, "--param", "average=true")[1].splitlines()
    best = next(line for line in lines if "kmeans" in line or " em " in line).split()
    shortest = f"shortest prequential    candidate {best[0]}, {best[3]} nats ("
    assert any(line.startswith(shortest) for line in lines)
    assert any("weight" in line for line in lines)
    assert not any("weight" in line for line in mixture(run, tmp_path)[1].splitlines())


def test_scores_of_the_rows_that_chose_are_called_optimistic(run, tmp_path):
    out = mixture(run, tmp_path)[1]
    assert "optimistic code lengths in nats" in out
    assert "codelength evaluate --model mixture-classifier" in out
    for call in (
        lambda: mixture(run, tmp_path, "--json"),
        lambda: run("inspect", tmp_path / "model.json", "--json"),
    ):
        document = json.loads(call()[1])
        assert all(row["optimistic"] is True for row in document["candidates"])
        assert "codelength.evaluate" in document["note"]


def test_a_model_without_classes_needs_no_target(run, train, tmp_path):
    call = ["fit", train, "--model", "finite-mixture", "--param", "n_components=2", "-o", tmp_path / "m.json"]
    assert run(*call, "--drop", "play")[0] == 0
    assert load(tmp_path / "m.json").n_components_ == 2
    code, _, err = run(*call, "--target", "play")
    assert code == 2
    assert err == "error: --target: finite-mixture predicts no classes; leave the column out with --drop\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--param", "candidtes=6"], "param 'candidtes'"),
        (["--param", "candidates=6"], "model-average has no such parameter"),
        (["--param", "rule=map", "--param", "candidates=6"], "naive-bayes has no such parameter"),
        (["--param", "member=forests"], "did you mean 'members'?"),
        (["--param", 'members=["forest"]'], "members='forest': expected one of"),
        (["--param", "members=[]"], "expected at least one name, each once"),
        (["--param", "members=forests"], "members='forests'"),
        (["--prior", "jeffreys", "--param", "rul=map"], "did you mean 'rule'?"),
        (["--param", "rule"], "expected NAME=VALUE"),
        (["--param", "rule=map", "--param", "rule=map"], "given twice"),
        (["--rule", "map", "--param", "rule=map"], "leave one out"),
        (["--model", "naive-bayes", "--param", "rule=[1"], "rule='[1': expected one of"),
        (["--rule", "map", "--seed", "1"], "--seed: naive-bayes has no such option"),
        (["--model", "model-average", "--rule", "map"], "--rule: model-average has no such option"),
        (["--model", "model-average", "--select", "evidence"], "--select: model-average has no such option"),
        (["--numeric", "average"], "model-average does not average over intervals"),
        (["--model", "kernel", "--rule", "map"], "--rule: kernel has no such option"),
        (["--model", "mixture-classifier", "--param", "n_components=[5,3]"], "n_components"),
        (["--model", "mixture-classifier", "--param", "criterion=bic"], "criterion='bic'"),
        (["--model", "mixture-classifier", "--criterion", "bic"], "criterion='bic'"),
        (["--criterion", "bic"], "--criterion: model-average has no such option"),
        (["--rule", "map", "--criterion", "bic"], "--criterion: naive-bayes has no such option"),
    ],
)
def test_what_a_model_does_not_have_is_refused_by_name(run, train, tmp_path, arguments, message):
    code, out, err = run("fit", train, "-t", "play", "-o", tmp_path / "m.json", *arguments)
    assert (code, out) == (2, "")
    assert is_one_line(err), err
    assert message in err
    assert not (tmp_path / "m.json").exists()


def test_inspect(run, model):
    code, out, _ = run("inspect", model)
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert ["model", "model-average"] in lines
    assert ["yes", "3"] in lines
    assert "outlook" in out
    told = json.loads(run("inspect", model, "--json")[1])
    assert told["class_counts"] == [3, 3]
    assert [variable["name"] for variable in told["schema"]["variables"]] == ["outlook", "wind", "degrees"]


def test_a_model_goes_on_from_where_it_was(run, tmp_path):
    """What was learned in May is the prior of June: as if all rows had come at once."""
    rows = ["wind,play", *(f"{wind},{play}" for wind in ("no", "yes") for play in ("in", "out", "out"))]
    parts = {"may": rows[:5], "june": [rows[0], *rows[5:]], "both": rows}
    for name, lines in parts.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    arguments = {"may": ["--prior", "jeffreys"], "june": ["--prior", tmp_path / "may.json"]}
    arguments["both"] = arguments["may"]
    for name, prior in arguments.items():
        table, file = tmp_path / f"{name}.csv", tmp_path / f"{name}.json"
        code, _, err = run("fit", table, "-t", "play", *prior, "-o", file)
        assert code == 0, err
    assert "Posterior(after 4 rows of 1 variable)" in run("inspect", tmp_path / "june.json")[1]
    june, both = (load(tmp_path / f"{name}.json") for name in ("june", "both"))
    asked = {"wind": ["no", "yes", None]}
    np.testing.assert_allclose(june.predict_proba(asked), both.predict_proba(asked), rtol=1e-12)


def test_a_model_of_another_kind_is_no_prior(run, tmp_path):
    made = FiniteMixture(1, n_init=1, random_state=0).fit({"a": ["x", "y", "y"]})
    made.save(tmp_path / "m.json")
    code, _, err = run("fit", "lenses", "--prior", tmp_path / "m.json", "-o", tmp_path / "n.json")
    assert code == 2
    assert "finite-mixture is not a prior" in err
    code, _, err = run("fit", "lenses", "--prior", tmp_path / "none.json", "-o", tmp_path / "n.json")
    assert code == 1
    assert "none.json: cannot be read" in err


def test_rissanens_code_is_told_in_nats_and_bits_beside_the_evidence(run, tmp_path):
    code, out, _ = run("fit", "lenses", "--rule", "stochastic_complexity", "-o", tmp_path / "m.json")
    assert code == 0
    model = load(tmp_path / "m.json")
    for length in (model.code_length_, model.evidence_code_length_):
        assert f"{length:.1f} nats ({length / np.log(2):.1f} bits)" in out
