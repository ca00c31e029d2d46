"""Models of hostile tables, exported: something that other programs take, or an error of ours."""

import json
import sqlite3
from contextlib import closing
from random import Random
from typing import Any

import numpy as np
import pytest

from codelength import ModelAverage, NaiveBayes
from codelength.estimators import capabilities_of
from codelength.export.reader import score
from codelength.export.sql import DIALECTS, quoted
from codelength.research import MemberClassifier
from unit.export.networks import read_bif, read_xmlbif

from . import tables
from .harness import Fault, attempts


def test_hostile_exports():
    attempts("exports", exported, range(150)).check()


@pytest.mark.long
def test_many_hostile_exports():
    attempts("exports", exported, range(5_000)).check()


def exported(rng: Random) -> None:
    """Fit a model to a table, and have another program take one of its exports."""
    is_tame = rng.random() < 0.5
    table = tables.made(rng, tame=is_tame)
    X = {str(name): cells for name, cells in table.columns.items()} if is_tame else table.X
    model = model_of(rng).fit(X, tables.target(rng, table.n_rows))
    kinds = ["scorer", "sql", "onnx", *(["bif", "xmlbif"] if "network" in capabilities_of(model) else [])]
    kind = rng.choice(kinds)
    if kind == "scorer":
        check_scorer(model, X if is_tame else None)
    elif kind == "sql":
        check_sql(rng, model)
    elif kind == "onnx":
        pytest.importorskip("onnx")
        model.to_onnx().SerializeToString()
    else:
        text, read = (model.to_bif(), read_bif) if kind == "bif" else (model.to_xmlbif(), read_xmlbif)
        check_network(read(text.encode().decode()))


def model_of(rng: Random) -> Any:
    options: dict[str, Any] = {
        "missing": rng.choice(("ignore", "value")),
        "numeric": rng.choice(("auto", "discretize", "category")),
    }
    if rng.random() < 0.6:
        rule = rng.choice(("evidence", "map", "stochastic_complexity", "indifferent"))
        return NaiveBayes(rule, rng.choice(("uniform", "jeffreys", 1.0)), **options)
    member = rng.choice(("best_tree", "subsets", None))
    if member is None:
        return ModelAverage(["subsets", "best_tree"], **options)
    return MemberClassifier(member, **options)


def check_scorer(model: Any, X: Any) -> None:
    """A case is scored as the model scores a row of the same cells."""
    document = json.loads(json.dumps(model.to_scorer(), allow_nan=False))
    check_sum(score(document, {}).probabilities)
    if not X:
        return
    expected = model.predict_proba(X)
    for row, probs in enumerate(expected):
        found = score(document, {name: cells[row] for name, cells in X.items()}).probabilities
        if np.abs(found - probs).max() > 1e-12:
            raise Fault("silent difference", f"row {row}: the document says {found}, the model {probs}")


def check_sql(rng: Random, model: Any) -> None:
    """A statement can be written to a file; one for SQLite predicts a row without cells."""
    dialect = rng.choice(DIALECTS)
    statement = model.to_sql("rows", dialect=dialect)
    statement.encode()
    names = [variable.name for variable in model.schema_.variables]
    if dialect != "sqlite" or not names or len({name.lower() for name in names}) < len(names):
        return  # SQLite does not tell names apart that differ in case
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE rows ({', '.join(map(quoted, names))})")
        connection.execute(f"INSERT INTO rows VALUES ({', '.join(['NULL'] * len(names))})")
        ((_, *probs),) = connection.execute(statement).fetchall()
    check_sum(probs)


def check_network(variables: Any) -> None:
    for variable in variables.values():
        for row in variable.probs.values():
            check_sum(list(row.values()))


def check_sum(probs: list[float]) -> None:
    if abs(sum(probs) - 1.0) > 1e-9:
        raise Fault("broken promise", f"probabilities {probs} do not add up to 1")
