"""Classes that tie exactly: every door of a model names the first of them, whatever order it adds up in.

The rows of the second class are those of the first with their columns in reverse. A row that reads the same
both ways is then as probable under both, by the same factors in another order.
"""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from codelength import NaiveBayes, OnlineNaiveBayes, Schema, Variable, load
from codelength.estimators import MemberClassifier, ModelAverage
from codelength.export import score
from unit.export.engines import ENGINES, in_onnx

VALUES = ("u", "v", "w")
MODELS = {
    "naive-bayes": NaiveBayes,
    "map": lambda: NaiveBayes(rule="map"),
    "average": lambda: ModelAverage(members=["log_ratios", "subsets"]),
    "subsets": lambda: MemberClassifier("subsets"),
}


def mirrored(seed):
    """A table and its mirror image under another class; and rows that read the same both ways."""
    rng = np.random.default_rng(seed)
    n_variables = int(rng.integers(5, 12))
    own = rng.choice(VALUES, (int(rng.integers(6, 30)), n_variables), p=rng.dirichlet([2.0] * 3))
    rows = np.vstack([own, own[:, ::-1]])
    half = rng.choice(VALUES, (40, n_variables - n_variables // 2))
    same = np.hstack([half, half[:, : n_variables // 2][:, ::-1]])
    names = [f"x{i}" for i in range(n_variables)]
    schema = Schema([Variable(name, VALUES) for name in names], Variable("y", ("first", "second")))
    return (
        pd.DataFrame(rows, columns=names),
        np.repeat(["first", "second"], len(own)),
        pd.DataFrame(same, columns=names),
        schema,
    )


def test_these_tie_exactly():
    frame, y, same, _ = mirrored(0)
    for row in same.to_numpy()[:5]:
        weights = []
        for label in ("first", "second"):
            own = frame.to_numpy()[y == label]
            weights.append(np.prod([Fraction(int(n) + 1, len(own) + 3) for n in (own == row).sum(axis=0)]))
        assert weights[0] == weights[1]


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("seed", range(3))
def test_every_door_names_the_first(kind, seed, tmp_path, javascript):
    frame, y, same, schema = mirrored(seed)
    model = MODELS[kind]().set_params(schema=schema).fit(frame, y)
    model.save(tmp_path / "model.json")
    if kind == "map":
        same = same[~model.is_undefined(same)]
    numbered = same.assign(n=range(len(same)))
    cases, document = same.to_dict("records"), model.to_scorer()
    doors = {
        "predict": model.predict(same),
        "loaded": load(tmp_path / "model.json").predict(same),
        "predict_table": np.concatenate([part.column(0).to_pylist() for part in model.predict_table(same)]),
        "onnx": in_onnx(model.to_onnx(), same)[0],
    }
    for engine, run in ENGINES.items():
        found = run(model.to_sql("my rows", dialect=engine, keep=["n"]), numbered)
        doors[engine] = [label for _, label, *_ in sorted(found)]
    if isinstance(model, NaiveBayes):
        stream = OnlineNaiveBayes.of(model)
        doors["argmax"] = model.classes_[model.predict_proba(same).argmax(axis=1)]
        by_row = [[*model.one(case).values()] for case in cases]
        doors["one row"] = model.classes_[np.argmax(by_row, axis=1)]
        doors["stream"] = [stream.predict_one(case) for case in cases]
    scorers = {
        "reader": [score(document, case).probabilities for case in cases],
        "javascript": [found["probabilities"] for found in javascript([[document, case] for case in cases])],
    }
    doors |= {name: model.classes_[np.argmax(probs, axis=1)] for name, probs in scorers.items()}
    others = {name: int((np.array(labels) != "first").sum()) for name, labels in doors.items()}
    assert others == dict.fromkeys(doors, 0)
