"""Every public function and every method of a model, called with one wrong argument after the other.

A call may work, or be refused by an error of ours. Nothing else may come out: neither what numpy or a library
underneath raises, nor a message that nobody can read.
"""

import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

import codelength
from codelength import (
    EvidenceAverage,
    FiniteMixture,
    IndifferentTrees,
    MixtureClassifier,
    ModelAverage,
    NaiveBayes,
    OnlineNaiveBayes,
    Schema,
    Variable,
    datasets,
)
from codelength.averages.members import MEMBERS
from codelength.errors import CodelengthError, CodelengthWarning, DoubtfulFit
from codelength.reporting.sections.hidden_classes import analyse_classes
from codelength.research import MemberClassifier
from codelength.sources import as_coded, as_table
from public_names import PUBLIC

from .harness import Hang, in_time

MODULES = (
    *("codelength", "codelength.code_lengths", "codelength.counts", "codelength.naive_bayes"),
    *("codelength.online", "codelength.research", "codelength.scores", "codelength.sources"),
    "codelength.table",
)
"""Modules whose public names are all tried here."""

SECONDS = 20
"""Processor time that one call may take."""

ROWS = {"colour": ["red", "blue", "red", None], "size": [1, 2, 2, 3]}
CLASSES = ["yes", "no", "no", "yes"]


class Spiteful:
    """An object that fails at whatever it is asked."""

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no array")

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("no parts")

    def __repr__(self) -> str:
        raise RuntimeError("no name")


def hostile() -> list[Any]:
    """Arguments that are hardly ever right, made afresh: a generator is used up by one call."""
    return [
        *(None, True, -1, 0, 2**70, 10**400, -(10**5000), 0.5, float("nan"), float("inf"), 1j),
        *("", "text", "x\x00y", "\ud800", b"bytes", bytearray(b"x"), [], (), {}, set(), {1, 2}, {"a": [1]}),
        *([None], [[]], [[1, 2], [3]], ["a", 1, None], [object()], {1: 2}, range(3), iter([1, 2])),
        *((n for n in "ab"), object(), Spiteful(), int, len, Decimal("NaN"), Fraction(1, 3), slice(1)),
        *(np.int8(-1), np.float32("nan"), np.str_("text"), np.datetime64("NaT"), np.bool_(True), np.array(3)),
        *(np.empty((0, 0)), np.zeros((2, 2, 2)), np.array([1.5, np.nan]), np.array([1j]), np.array([b"x"])),
        *(np.array([{}, 1], dtype=object), np.array(["2020-01-01"], dtype="datetime64[D]")),
        *(np.ma.masked_all(3), np.random.default_rng(0), Path("absent.csv"), pd.NA, pd.Timestamp("2020")),
        *(pd.DataFrame({"a": [1]}), pd.Series([1, 2], name=3)),
    ]


def model() -> NaiveBayes:
    return NaiveBayes().fit(ROWS, CLASSES)


def mixture() -> FiniteMixture:
    with warnings.catch_warnings():
        # Two variables do not identify two classes.
        warnings.simplefilter("ignore", DoubtfulFit)
        return FiniteMixture(2, n_init=2, random_state=0).fit(ROWS)


def average() -> ModelAverage:
    return ModelAverage(["forests", "log_ratios"]).fit(ROWS, CLASSES)


def _fitted(kind: Any, **options: Any) -> Any:
    return kind(**options).fit(ROWS, CLASSES)


def classifier() -> MixtureClassifier:
    return MixtureClassifier(candidates=2, n_components=2, n_orderings=2, random_state=0).fit(ROWS, CLASSES)


def calls(directory: Path) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """What is called, by its name, with arguments that are right."""
    table, coded, plain = as_table(ROWS, CLASSES, [1, 2, 1, 1]), as_coded(ROWS, CLASSES), as_coded(ROWS)
    schema, variable = coded.schema, coded.schema.variables[0]
    fitted, of_rows, counts = model(), mixture(), model().counts_
    left_out, explained = fitted.leave_one_out(ROWS, CLASSES), fitted.explain(ROWS)
    fitted.save(directory / "model.json")
    (directory / "table.csv").write_text("a,b,y\n1,x,p\n2,z,q\n")
    scored = {"probabilities": [[0.5, 0.5]] * 4, "y": CLASSES, "classes": ["no", "yes"]}
    scored |= {"sample_weight": None}
    hidden = {"rows": plain, "prior": "uniform", "random_state": 0}
    settings = {"missing": "ignore", "numeric": "auto"}
    weighted = {"X": ROWS, "y": CLASSES, "sample_weight": None}
    numbers = [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]
    row = {name: cells[0] for name, cells in ROWS.items()}
    made = analyse_classes(as_table(ROWS))
    return {
        "accuracy": (codelength.scores.accuracy, scored),
        "brier_score": (codelength.scores.brier_score, scored),
        "log_score": (codelength.scores.log_score, scored | {"cap": 3.0}),
        "as_table": (as_table, {"data": ROWS, "target": CLASSES, "sample_weight": None}),
        "as_coded": (
            as_coded,
            {"data": ROWS, "target": CLASSES, "identifiers": "keep", "cutting": None, "categories": ()}
            | {"sample_weight": None}
            | settings,
        ),
        "as_batches": (codelength.as_batches, {"source": ROWS, "batch_rows": 2, "na": None, "kinds": None}),
        "SqlQuery": (codelength.SqlQuery, {"sql": "SELECT 1 AS a", "database": None}),
        "read_table": (
            codelength.read_table,
            {"source": directory / "table.csv", "target": "y", "weights": "a", "drop": [], "keep": None}
            | {"na": [], "kinds": None},
        ),
        "load": (codelength.load, {"path": directory / "model.json"}),
        "datasets.load": (datasets.load, {"name_or_path": "lenses", "target": "age", "backend": "columns"}),
        "count": (codelength.counts.count, {"coded": coded, "n_threads": 1}),
        "Counts.empty": (codelength.counts.Counts.empty, {"schema": schema}),
        "Counts.from_json": (
            codelength.counts.Counts.from_json,
            {"document": counts.to_json(), "schema": schema},
        ),
        "Counts.of": (counts.of, {"variable": 0}),
        "Counts.select": (counts.select, {"variables": [0]}),
        "Counts.merge": (counts.merge, {"other": counts}),
        "Counts.add": (counts.add, {"row": [0, 0], "class_code": 0, "weight": 1.0}),
        "Counts.remove": (counts.remove, {"row": [1, 0], "class_code": 1, "weight": 1.0}),
        "Coded": (_counted, {name: getattr(coded, name) for name in _PARTS}),
        "Coded.of": (codelength.table.Coded.of, {name: getattr(coded, name) for name in _PARTS[:4]}),
        "Coded.relabelled": (coded.relabelled, {"schema": schema, "class_codes": coded.class_codes}),
        "Coded.select": (coded.select, {"variables": [0]}),
        "Coded.take": (coded.take, {"rows": [0]}),
        "Table.take": (table.take, {"rows": np.array([0, 1])}),
        "Table.drop": (table.drop, {"names": ["size"]}),
        "Table.keep": (table.keep, {"names": ["size"]}),
        "Table.column": (table.column, {"name": "size"}),
        "Table.with_target": (table.with_target, {"target": "size"}),
        "Table.with_weights": (table.with_weights, {"sample_weight": [1, 1, 1, 1]}),
        "Schema": (Schema, {"variables": [variable], "target": schema.target}),
        "Schema.from_sizes": (Schema.from_sizes, {"n_values": [2, 3], "n_classes": 2}),
        "Schema.from_json": (Schema.from_json, {"document": schema.to_json()}),
        "Schema.position": (schema.position, {"variable": 0}),
        "Schema.select": (schema.select, {"variables": [0]}),
        "Schema.named_after": (schema.named_after, {"names": ["p", "q"]}),
        "Variable": (
            Variable,
            {"name": "age", "values": ("< 9", ">= 9"), "kind": "interval", "cuts": [9], "origin": ""}
            | {"scale": "number"},
        ),
        "Prior": (codelength.Prior, {"class_pseudocounts": 1.0, "value_pseudocounts": [[1, 2], 1]}),
        "NaiveDistribution": (codelength.naive_bayes.NaiveDistribution, {"cases": [[[1, 2], [0, 3]]]}),
        "NaiveDistribution.learn": (codelength.naive_bayes.NaiveDistribution(2).learn, {"counts": counts}),
        "NaiveDistribution.predictor": (
            codelength.naive_bayes.NaiveDistribution(2).predictor,
            {"schema": schema},
        ),
        "Explanation.ranked": (explained.ranked, {"row": 0, "of": "yes"}),
        "Predictions.tempered": (left_out.tempered, {"power": 2}),
        "Predictions.capped_log_probs": (left_out.capped_log_probs, {"cap": 2}),
        "Scores.of": (codelength.scores.Scores.of, {"predictions": left_out}),
        "Scores.merge": (
            codelength.scores.Scores.of(left_out).merge,
            {"other": codelength.scores.Scores.of(left_out)},
        ),
        "Predictions.joined": (codelength.Predictions.joined, {"parts": [left_out, left_out]}),
        "Discretizer": (
            lambda **options: codelength.Discretizer(**options).fit(numbers, [0, 1, 0]),
            {"strategy": "frequency", "n_bins": 2, "output": "label"},
        ),
        "Discretizer.fit": (
            codelength.Discretizer("mdl").fit,
            {"X": numbers, "y": [0, 1, 0], "sample_weight": None},
        ),
        "Discretizer.transform": (codelength.Discretizer().fit(numbers).transform, {"X": numbers}),
        "select_variables": (
            codelength.select_variables,
            {"coded": coded, "criterion": "prequential", "direction": "both", "rule": "evidence", "cap": None}
            | {"prior": "uniform", "max_variables": 2, "n_orderings": 2, "scheme": "antithetic"}
            | {"random_state": 0, "price_choice": True},
        ),
        "naive_bayes_sequence": (
            codelength.prequential.naive_bayes_sequence,
            {"coded": coded, "rule": "evidence", "prior": "uniform", "cap": None},
        ),
        "compare_models": (
            codelength.prequential.compare_models,
            {
                "models": [
                    codelength.prequential.naive_bayes_sequence(coded, rule)
                    for rule in ("evidence", "indifferent")
                ]
            }
            | {"confidence": 0.9, "margin": 0.0, "max_orderings": 4, "scheme": "antithetic"}
            | {"random_state": 0, "n_threads": 1},
        ),
        "evidence_code_length": (
            codelength.code_lengths.evidence_code_length,
            {"counts": codelength.counts.count(coded), "prior": "uniform", "given_classes": True},
        ),
        "nml_code_length": (
            codelength.code_lengths.nml_code_length,
            {"counts": codelength.counts.count(coded), "given_classes": True, "method": "fft"},
        ),
        "nml_code_length, of one variable": (codelength.code_lengths.nml_code_length, {"counts": [1, 2]}),
        "network_code_length": (
            codelength.code_lengths.network_code_length,
            {"rows": plain, "parents": {}, "code": "fnml"},
        ),
        "exact_code_length": (
            codelength.code_lengths.exact_code_length,
            hidden | {"mixture": 2, "method": "auto"},
        ),
        "annealed_code_length": (
            codelength.code_lengths.annealed_code_length,
            hidden | {"mixture": 2, "n_chains": 2, "n_temperatures": 3, "start": "auto", "n_threads": 1},
        ),
        "best_clustering": (
            codelength.code_lengths.best_clustering,
            hidden | {"n_components": 2, "method": "auto", "n_starts": 2},
        ),
        "cheeseman_stutz_code_length": (
            codelength.code_lengths.cheeseman_stutz_code_length,
            hidden | {"mixture": of_rows.parameters_, "completion": "hard", "parameters": None},
        ),
        "neighbourhood_code_length": (
            codelength.code_lengths.neighbourhood_code_length,
            hidden | {"mixture": of_rows.parameters_, "with_centre": True},
        ),
        "neighbourhood_code_length, of several": (
            codelength.code_lengths.neighbourhood_code_length,
            hidden | {"mixture": of_rows.parameters_, "n_neighbourhoods": 2, "random_state": 0},
        ),
        "evaluate": (
            _evaluated,
            {"table": table, "models": {"a": NaiveBayes()}, "n_folds": 2, "repeats": 1, "train_fraction": 1.0}
            | {"random_state": 0, "progress": None}
            | settings,
        ),
        "report": (_reported, {"data": made, "target": None, "title": "text"}),
        "report, of a table": (
            _reported,
            {"data": table, "target": None, "rows": False, "random_state": 0, "progress": None},
        ),
        "Report.save": (codelength.report(made).save, {"path": directory / "report.html"}),
        "OnlineNaiveBayes": (
            OnlineNaiveBayes,
            {"schema": schema, "rule": "map", "prior": "uniform", "half_life": 3, "window": None}
            | {"handle_unknown": "error"},
        ),
        "OnlineNaiveBayes, growing": (
            OnlineNaiveBayes,
            {"schema": None, "domains": "growing", "prior": codelength.Prior(1, 2), "half_life": None}
            | {"window": 3},
        ),
        "OnlineNaiveBayes.score_one, growing": (
            lambda **given: OnlineNaiveBayes(domains="growing").learn_one(row, "no").score_one(**given),
            {"x": row, "y": "no"},
        ),
        "OnlineNaiveBayes.score_one, a cell": (
            lambda cell: OnlineNaiveBayes(domains="growing").score_one({"colour": cell}, "no"),
            {"cell": "red"},
        ),
        "OnlineNaiveBayes.joint_log_prob_one": (
            OnlineNaiveBayes(schema, domains="growing").joint_log_prob_one,
            {"x": row, "y": "no"},
        ),
        "OnlineNaiveBayes.save": (OnlineNaiveBayes(schema).save, {"path": directory / "stream.json"}),
        "OnlineNaiveBayes.load": (OnlineNaiveBayes.load, {"path": directory / "stream.json"}),
        "RiverNaiveBayes": (
            codelength.online.RiverNaiveBayes,
            {"schema": schema, "rule": "evidence", "prior": "uniform", "domains": "growing"}
            | {"half_life": 3, "window": None, "keep_score": True},
        ),
        "RiverNaiveBayes.learn_one": (codelength.online.RiverNaiveBayes().learn_one, {"x": row, "y": "no"}),
        "NaiveBayes.one": (fitted.one, {"row": row}),
        "OnlineNaiveBayes.of": (OnlineNaiveBayes.of, {"model": fitted, "half_life": 2.0}),
        "OnlineNaiveBayes.learn_one": (OnlineNaiveBayes(schema).learn_one, {"x": row, "y": "no"}),
        "OnlineNaiveBayes.unlearn_one": (
            lambda **given: OnlineNaiveBayes(schema).learn_one(row, "no").unlearn_one(**given),
            {"x": row, "y": "no"},
        ),
        "OnlineNaiveBayes.predict_proba_one": (OnlineNaiveBayes(schema).predict_proba_one, {"x": row}),
        "OnlineNaiveBayes.predict_proba_one, a cell": (
            lambda cell: OnlineNaiveBayes(schema).predict_proba_one({variable.name: cell}),
            {"cell": "red"},
        ),
        "NaiveBayes.to_sql": (
            fitted.to_sql,
            {"table": "rows", "dialect": "sqlite", "keep": ["colour"], "name": "class"},
        ),
        "reproduce": (
            codelength.reproduce,
            {"experiment": "bayes-optimal-ibl", "quick": True, "settings": ["repeats=1"]}
            | {"directory": directory, "jobs": 1, "dask": None, "progress": None},
        ),
        "NaiveBayes": (lambda **options: NaiveBayes(**options).fit(ROWS, CLASSES), NaiveBayes().get_params()),
        "NaiveBayes.fit": (lambda **rows: NaiveBayes().fit(**rows), weighted),
        "NaiveBayes.partial_fit": (lambda **rows: model().partial_fit(**rows), weighted | {"classes": None}),
        "NaiveBayes.partial_fit, first": (
            lambda **rows: NaiveBayes().partial_fit(**rows),
            weighted | {"classes": ["no", "yes"]},
        ),
        "NaiveBayes.merge": (fitted.merge, {"other": model()}),
        "NaiveBayes.explain": (fitted.explain, {"X": ROWS, "against": "no"}),
        "NaiveBayes.query": (fitted.query, {"X": ROWS, "variables": ("size", "colour"), "y": CLASSES}),
        "Answer.marginal": (fitted.query(ROWS, ("size",)).marginal, {"variable": "size"}),
        "NaiveBayes.leave_one_out": (fitted.leave_one_out, weighted | {"optimistic": True}),
        "FiniteMixture": (
            lambda **options: FiniteMixture(**options).fit(ROWS),
            of_rows.get_params() | {"max_iter": 10, "max_components": 2, "tol": 0.01},
        ),
        "FiniteMixture.fit": (
            lambda **rows: FiniteMixture(2, n_init=1, random_state=0).fit(**rows),
            weighted,
        ),
        "FiniteMixture.fit_table": (
            FiniteMixture(2, n_init=1, random_state=0).fit_table,
            {"source": ROWS, "weights": "size", "drop": [], "keep": None, "na": [], "batch_rows": 2}
            | {"memory": 10**6},
        ),
        "FiniteMixture.sample": (of_rows.sample, {"n_samples": 2, "random_state": 0}),
        "FiniteMixture.code_length": (
            of_rows.code_length,
            {"criterion": "bic", "X": ROWS, "sample_weight": None},
        ),
        "FiniteMixture.query": (of_rows.query, {"X": ROWS, "variables": "size", "y": None}),
        "FiniteMixture.predict_values": (
            of_rows.predict_values,
            {"X": ROWS, "query": "size", "rule": "evidence", "method": "gibbs", "n_chains": 2, "n_draws": 3},
        ),
        "FiniteMixture.compare": (of_rows.compare, {"criteria": "neighbourhoods"}),
        "FiniteMixture.score": (of_rows.score, weighted),
        "FiniteMixture.bic": (of_rows.bic, {"X": ROWS, "sample_weight": None}),
        "FiniteMixture.aic": (of_rows.aic, {"X": ROWS, "sample_weight": None}),
        "MixtureClassifier": (
            lambda **options: MixtureClassifier(**options).fit(ROWS, CLASSES),
            classifier().get_params(),
        ),
        "ModelAverage": (
            lambda **options: ModelAverage(**({"members": ["forests"]} | options)).fit(ROWS, CLASSES),
            ModelAverage().get_params(),
        ),
        "ModelAverage.fit": (lambda **rows: ModelAverage(["forests"]).fit(**rows), weighted),
        "ModelAverage.explain": (average().explain, {"X": ROWS, "against": "no"}),
        "ModelAverage.leave_one_out": (average().leave_one_out, {"X": ROWS, "y": CLASSES}),
        **{
            model.__name__: (partial(_fitted, model), model().get_params())
            for model in (MemberClassifier, IndifferentTrees, EvidenceAverage)
        },
        **{
            f"MemberClassifier {member}": (
                partial(_fitted, partial(MemberClassifier, member=member)),
                {name: value for name, value in MemberClassifier().get_params().items() if name != "member"},
            )
            for member in MEMBERS
        },
        "OnVariables": (
            lambda **options: EvidenceAverage([codelength.research.OnVariables(**options)]).fit(
                ROWS, CLASSES
            ),
            {"model": NaiveBayes(), "variables": ("size",)},
        ),
        "MixtureClassifier.fit": (
            lambda **rows: MixtureClassifier(candidates=1, n_components=2, n_orderings=1).fit(**rows),
            {"X": ROWS, "y": CLASSES},
        ),
        **{
            f"{type(estimator).__name__}.{name}": (getattr(estimator, name), {argument: value})
            for estimator in (fitted, of_rows, classifier())
            for name, argument, value in (
                *((method, "X", ROWS) for method in _OF_ROWS if hasattr(estimator, method)),
                ("save", "path", directory / "saved.json"),
            )
        },
    }


def _reported(progress: Any = None, **others: Any) -> Any:
    told = (lambda *_: None) if callable(progress) else progress
    return codelength.report(progress=told, **others)


def _counted(**parts: Any) -> Any:
    """Count the rows of codes that come from anywhere: that is where codes out of range did harm."""
    return codelength.counts.count(codelength.table.Coded(**parts))


def _evaluated(progress: Any, **others: Any) -> Any:
    """What a caller's own function raises is the caller's, so one that can be called is not called here."""
    told = (lambda *_: None) if callable(progress) else progress
    return codelength.evaluate(progress=told, **others)


_OF_ROWS = (
    *("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "is_undefined", "unseen"),
    *("score_samples", "impute"),
)
_PARTS = tuple(part.name for part in fields(codelength.table.Coded))


@pytest.fixture(scope="module")
def known(tmp_path_factory) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    return calls(tmp_path_factory.mktemp("arguments"))


def fault(function: Callable[..., Any], arguments: dict[str, Any]) -> str:
    """What is wrong with the way a call ended; nothing if it worked or was refused by an error of ours."""
    with warnings.catch_warnings(), np.errstate(all="warn"), in_time(SECONDS):
        warnings.simplefilter("error")
        for own in (CodelengthWarning, ConvergenceWarning, DataConversionWarning, UserWarning):
            warnings.simplefilter("ignore", own)
        try:
            function(**arguments)
        except CodelengthError as error:
            text = str(error)
            return f"message {text[:200]!r}" if len(text) > 2000 or "\n" in text or not text else ""
        except (Exception, Hang) as error:
            return f"{type(error).__name__}: {str(error)[:200]}"
    return ""


def attempts(name: str, valid: dict[str, Any], most: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls with one wrong argument each, at most so many of them per argument, the same in every run."""
    for argument in valid:
        wrong = hostile()
        for place in random.Random(f"{name} {argument}").sample(range(len(wrong)), min(most, len(wrong))):
            yield f"{argument} #{place}: {_shown(wrong[place])}", valid | {argument: wrong[place]}


def _shown(value: Any) -> str:
    try:
        return repr(value)[:60]
    except Exception:
        return f"<{type(value).__name__}>"


@pytest.fixture(autouse=True)
def in_an_empty_directory(tmp_path, monkeypatch):
    """Some wrong arguments are names of files."""
    monkeypatch.chdir(tmp_path)


def test_every_public_name_is_tried(known):
    """Those made by the package alone are tried through what makes them, and by their methods."""
    tried = {name.partition(".")[0] for name in known}
    public = {name for module in MODULES for name in PUBLIC[module]}
    assert public - tried == set()
    made_by_others = {"Answer", "Counts", "Explanation", "Predictions", "Report", "Scores", "Table"}
    assert public - {*known} == made_by_others


def check(known: dict[str, tuple[Callable[..., Any], dict[str, Any]]], most: int) -> None:
    for name, (function, valid) in known.items():
        assert not fault(function, dict(valid)), name
    faults = [
        f"{name}({what}) -> {found}"
        for name, (function, valid) in known.items()
        for what, arguments in attempts(name, valid, most)
        if (found := fault(function, arguments))
    ]
    assert not faults, f"{len(faults)} of them:\n" + ascii("\n".join(faults[:50]))


def test_whatever_is_passed_only_our_own_errors_come_out(known):
    check(known, most=6)


@pytest.mark.long
def test_whatever_is_passed_only_our_own_errors_come_out_at_length(known):
    check(known, most=1000)
