"""A model that nobody has thought of goes through every command by the contract alone."""

import csv
import io
import json
from dataclasses import dataclass

import numpy as np
import pytest

from codelength import load
from codelength.blocks import Facts
from codelength.estimators import Fitted, TableClassifier
from codelength.estimators.registry import MODELS, register
from codelength.naive_bayes import Distributions


@dataclass(frozen=True, eq=False)
class FittedShares(Fitted):
    """How many rows each class has."""

    counts: tuple[float, ...]

    kind = "majority"

    @classmethod
    def learn(cls, params, coded, named):
        counts = np.bincount(coded.class_codes, coded.weights, minlength=coded.schema.n_classes)
        return cls(params, coded.schema, named, tuple(map(float, counts)))

    def log_probs(self, coded):
        raised = np.array(self.counts) + self.params["smoothing"]
        log_probs = np.tile(np.log(raised / raised.sum()), (coded.n_rows, 1))
        return Distributions(log_probs, np.zeros(coded.n_rows, dtype=bool))

    def findings(self):
        return [Facts([("largest class", f"{max(self.counts):g} rows")])]

    def findings_document(self):
        return {"class_counts": list(self.counts)}

    def content(self):
        return {"counts": list(self.counts)}

    @classmethod
    def restored(cls, content, **known):
        return cls(**known, counts=tuple(content["counts"]))


@dataclass(eq=False, repr=False)
class Majority(TableClassifier):
    """Predicts the shares of the classes, whatever the row."""

    _fitted_type = FittedShares

    smoothing: float = 1.0


@pytest.fixture(autouse=True)
def _registered():
    register(Majority)
    yield
    del MODELS["majority"]


def test_it_is_offered(run):
    assert "majority" in run("fit", "--help")[1]
    assert "majority" in run("evaluate", "--help")[1]
    assert "'majority'" in run("fit", "vote", "--model", "minority", "-o", "m.json")[2]


def test_it_is_fitted_saved_loaded_inspected_and_predicts(run, train, tmp_path):
    path = tmp_path / "majority.json"
    call = ["fit", train, "-t", "play", "--model", "majority", "--param", "smoothing=3", "-o", path]
    code, out, err = run(*call)
    assert code == 0, err
    assert "largest class  3 rows" in out
    assert load(path).get_params()["smoothing"] == 3
    assert json.loads(run("inspect", path, "--json")[1])["class_counts"] == [3, 3]
    assert "largest class" in run("inspect", path)[1]
    rows = list(csv.DictReader(io.StringIO(run("predict", path, train)[1])))
    assert [list(row.values()) for row in rows] == [["no", "0.5", "0.5"]] * 6


def test_it_is_evaluated_beside_others(run, train):
    call = ["evaluate", train, "-t", "play", "--model", "naive-bayes", "--model", "majority", "--json"]
    code, out, err = run(*call, "--cv", 3, "--param", "smoothing=2")
    assert code == 0, err
    told = json.loads(out)
    assert told["protocol"] == "1 x 3-fold cross-validation"
    assert [result["model"] for result in told["results"]] == ["naive-bayes", "majority"]


def test_what_it_does_not_have_is_refused_by_name(run, train, tmp_path):
    code, _, err = run(
        "fit", train, "-t", "play", "--model", "majority", "--rule", "map", "-o", tmp_path / "m"
    )
    assert code == 2
    assert err == "error: --rule: majority has no such option; leave it out\n"
