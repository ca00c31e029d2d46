"""``codelength evaluate``, run as a user would run it."""

import json

import numpy as np
import pytest

from codelength import NaiveBayes, datasets
from codelength.cli.evaluate import _blocks
from codelength.evaluation import OPPONENTS, evaluate
from codelength.naive_bayes import RULES
from codelength.render.terminal import lines

from .conftest import ROWS


def timeless(out):
    """What JSON says, without how long it took."""
    document = json.loads(out)
    for result in document["results"]:
        assert result.pop("fit_seconds") >= 0
    return document


def test_evaluate_compares_the_usual_models_best_first(run, train):
    code, out, _ = run("evaluate", train, "-t", "play")
    assert code == 0
    assert "6 rows, predicting play, by 1 x 6-fold cross-validation" in " ".join(out.split())
    table = out.split("\n\n")[0].partition("─\n")[2]
    rows = [row.split("  ", 1) for row in table.splitlines()]
    expected = {*(f"naive-bayes {rule}" for rule in RULES), "logistic-regression", "model-average"}
    assert {row[0] for row in rows} == expected
    scores = [float(row[1].split()[0]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    verdicts = [row[1].split()[-1] for row in rows]
    assert verdicts[0] == "best"
    assert set(verdicts[1:]) <= {"tied", "behind"}


def test_rules_alone_are_compared_by_leave_one_out(run, train):
    code, out, _ = run("evaluate", train, "-t", "play", "--prior", "10")
    assert code == 0
    assert "6 rows, predicting play, by leave-one-out" in " ".join(out.split())
    for rule in RULES:
        assert rule in out


def test_a_classifier_of_another_library_is_compared_on_the_same_folds(run):
    call = ["evaluate", "iris", "--model", "naive-bayes", "--model", "logistic-regression", "--cv", 3]
    code, out, err = run(*call, "--json")
    assert code == 0, err
    ours, other = timeless(out)["results"]
    table = datasets.load("iris").table
    found = evaluate(table, {"m": NaiveBayes()}, n_folds=3)[0]
    assert ours["log_score"] == found.log_score
    assert (
        other["log_score"]
        == evaluate(table, {"m": OPPONENTS["logistic-regression"]()}, n_folds=3)[0].log_score
    )
    assert other["calibration_error"] < 0.1
    code, _, err = run("fit", "iris", "--model", "logistic-regression", "-o", "m.json")
    assert code == 2
    assert "model='logistic-regression'" in err


def test_evaluate_equals_leave_one_out_of_the_library(run, train):
    code, out, _ = run("evaluate", train, "-t", "play", "--rule", "evidence", "--json")
    assert code == 0
    (result,) = json.loads(out)["results"]
    table = {"outlook": [r[0] or None for r in ROWS], "wind": [r[1] for r in ROWS]}
    table["degrees"] = [float(row[2] or "nan") for row in ROWS]
    labels = [row[3] for row in ROWS]
    scores = NaiveBayes().fit(table, labels).leave_one_out(table, labels)
    assert result["log_score"] == scores.log_score
    assert result["accuracy"] == scores.accuracy
    assert result["log_score_bits"] == pytest.approx(scores.log_score / np.log(2))


def test_evaluate_by_cross_validation_counts_every_prediction(run, train):
    arguments = ["--cv", 3, "--repeats", 4, "--train-fraction", 0.5, "--json"]
    code, out, _ = run("evaluate", train, "-t", "play", "--rule", "evidence", *arguments)
    assert code == 0
    told = timeless(out)
    assert told["protocol"] == "4 x 3-fold cross-validation, 50% of the training rows"
    assert {result["n_predictions"] for result in told["results"]} == {24}
    again = ["evaluate", train, "-t", "play", "--rule", "evidence", *arguments]
    assert timeless(run(*again)[1]) == told
    assert timeless(run(*again, "--seed", 1)[1]) != told


def test_evaluate_a_bundled_table_by_name(run):
    code, out, _ = run("evaluate", "zoo", "--rule", "map", "--json")
    assert code == 0
    assert json.loads(out)["results"][0]["n_predictions"] == 101


def test_different_models_are_compared_by_cross_validation(run, train):
    call = [
        "evaluate",
        train,
        "-t",
        "play",
        "--model",
        "naive-bayes",
        "--model",
        "mixture-classifier",
        "--json",
    ]
    small = ["--param", "candidates=2", "--param", "n_components=2", "--cv", 2]
    code, out, err = run(*call, *small)
    assert code == 0, err
    told = json.loads(out)
    assert [result["model"] for result in told["results"]] == ["naive-bayes", "mixture-classifier"]
    assert told["protocol"] == "1 x 2-fold cross-validation"
    code, out, err = run(*call, *small, "--rule", "map", "--rule", "evidence", "--prior", "indifferent")
    assert code == 0, err
    names = [result["model"] for result in json.loads(out)["results"]]
    assert names == [
        f"{kind} {rule}" for kind in ("naive-bayes", "mixture-classifier") for rule in ("map", "evidence")
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "kernel", "--rule", "map"], "--rule: kernel has no such option"),
        (["--param", "candidates=2"], "naive-bayes or logistic-regression has no such parameter"),
        (
            ["--model", "logistic-regression", "--prior", "jeffreys"],
            "logistic-regression has no such",
        ),
        (["--rule", "map", "--repeats", "2"], "--repeats and --train-fraction go with --cv"),
    ],
)
def test_what_no_model_has_is_refused(run, train, arguments, message):
    code, _, err = run("evaluate", train, "-t", "play", *arguments)
    assert code == 2
    assert message in err


def test_a_rule_may_be_given_as_a_parameter(run, train):
    code, out, err = run("evaluate", train, "-t", "play", "--param", "rule=map", "--json")
    assert code == 0, err
    assert [result["model"] for result in json.loads(out)["results"]] == ["naive-bayes"]


def test_a_table_of_80_columns_is_not_broken():
    """Numbers stand in one piece, and names on one line."""
    table = datasets.load("lenses").table
    found = evaluate(table, {f"naive-bayes {rule}": NaiveBayes(rule) for rule in RULES}, n_folds=2)
    page = [text.plain for text in lines(_blocks(found, "lenses", table.n_rows, "lenses"), 80)]
    heads = [line.split() for line in page if line.startswith("model ")]
    assert heads == [
        ["model", "log", "score", "behind", "the", "best", "verdict"],
        ["model", "accuracy", "Brier", "calibration", "fit,", "s"],
    ]
    assert all(len(line) <= 80 for line in page)
    assert any(line.startswith("naive-bayes stochastic_complexity  -") for line in page)


def test_the_document_has_standard_errors_and_ties(run):
    code, out, err = run("evaluate", "iris", "--rule", "evidence", "--rule", "indifferent", "--json")
    assert code == 0, err
    best, other = json.loads(out)["results"]
    table = datasets.load("iris").table
    made = [NaiveBayes(rule).fit(table).leave_one_out(table) for rule in ("evidence", "indifferent")]
    logs = [one.true_log_probs for one in made]
    if logs[1].mean() > logs[0].mean():
        best, other, logs = other, best, logs[::-1]
    lost = logs[0] - logs[1]
    assert best["log_score_se"] == pytest.approx(logs[0].std(ddof=1) / np.sqrt(150))
    assert (best["behind_best"], best["behind_best_se"], best["is_tied"]) == (0, 0, True)
    assert other["behind_best"] == pytest.approx(lost.mean())
    assert other["behind_best_se"] == pytest.approx(lost.std(ddof=1) / np.sqrt(150))
    assert other["is_tied"] == (lost.mean() <= 2 * lost.std(ddof=1) / np.sqrt(150))


def test_a_stream_is_compared_as_in_memory(run, tmp_path):
    """In one pass for all models, of which the differences are paired as well."""
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 2, 60)
    rows = "".join(
        f"{(k + (rng.random() < 0.3)) % 2},{rng.integers(0, 3)},{['no', 'yes'][k]}\n" for k in kinds
    )
    (tmp_path / "parts").mkdir()
    for name in ("whole.csv", "parts/all.csv"):
        (tmp_path / name).write_text(f"a,b,kind\n{rows}")
    rules = [
        part for rule in ("evidence", "indifferent", "stochastic_complexity") for part in ("--rule", rule)
    ]
    call = ["-t", "kind", *rules, "--json"]
    memory, stream = (run("evaluate", tmp_path / name, *call) for name in ("whole.csv", "parts"))
    assert (memory[0], stream[0]) == (0, 0), (memory[2], stream[2])
    for one, other in zip(*(timeless(out)["results"] for _, out, _ in (memory, stream)), strict=True):
        assert one.keys() == other.keys()
        for name, value in one.items():
            assert other[name] == (
                pytest.approx(value, rel=1e-7, abs=1e-9) if type(value) is float else value
            )


def test_a_seed_of_the_models_is_taken_or_refused(run):
    call = ["evaluate", "lenses", "--model", "trees", "--json"]
    usual, other, again = (
        timeless(run(*call, *more)[1]) for more in ([], ["--param", "random_state=7"], ["--seed", "7"])
    )
    assert usual != other
    assert other == again
    code, _, err = run(*call, "--param", "random_state=7", "--seed", "7")
    assert (code, "--seed" in err) == (2, True)
    code, _, err = run("evaluate", "lenses", "--missing", "value", "--param", "missing=ignore")
    assert (code, "there is an option for it" in err) == (2, True)


def test_probability_zero_is_told_in_words(run):
    out = run("evaluate", "glass", "--rule", "map")[1]
    assert "map gave probability zero to the class that occurred in 14 rows." in out


def test_choosing_variables_is_evaluated_without_the_rows_that_are_predicted(run):
    code, out, _ = run("evaluate", "vote", "--rule", "evidence", "--select", "leave_one_out", "--json")
    assert code == 0
    (chosen,) = json.loads(out)["results"]
    vote = datasets.load("vote")
    model = NaiveBayes(select="leave_one_out").fit(vote.table)
    honest, flattering = (model.leave_one_out(vote.table, optimistic=flag) for flag in (False, True))
    assert chosen["log_score"] == pytest.approx(honest.log_score)
    assert chosen["log_score"] < flattering.log_score


@pytest.mark.filterwarnings("ignore::codelength.errors.IgnoredColumn")
def test_identifiers_are_left_out_kept_or_refused(run, tmp_path):
    rows = "".join(f"name {i},{'ab'[i % 2]},{'pq'[i % 2]}\n" for i in range(30))
    (tmp_path / "t.csv").write_text(f"id,v,k\n{rows}")
    call = ["evaluate", tmp_path / "t.csv", "-t", "k", "--rule", "evidence", "--json"]
    ignored, kept, refused = (run(*call, "--identifiers", how) for how in ("ignore", "keep", "error"))
    scores = [json.loads(out)["results"][0]["log_score"] for _, out, _ in (ignored, kept)]
    assert scores[0] != scores[1]
    assert (refused[0], "column 'id'" in refused[2]) == (1, True)
    assert timeless(run(*call, "--param", "identifiers=keep")[1]) == timeless(kept[1])
