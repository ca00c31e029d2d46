"""Averages over cut points, on the tables of the 1998 paper that have numbers.

The paper cuts numbers into intervals first. Its BIBL, with cut points of the whole table and of the training
rows alone, is compared with BIBL averaged over all ways to merge up to 20 intervals. Iris is run with several
shares of the training rows, as in Figure 1 of the paper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from codelength.counts import count
from codelength.evaluation.splits import Split
from codelength.naive_bayes import Predictor
from codelength.naive_bayes.interval_average import IntervalAverage
from codelength.scores import Predictions
from codelength.table.cutting import AVERAGED, with_intervals_of

from ..experiment import Experiment, Model, Result, Spec
from ..findings import Findings, ResultTable, Row
from ..predictions import SHARES, compared_models
from ..published import claim_of, notes_of
from ..results import Results
from ..settings import Settings
from ..tables import Prepared, source
from ..task import Task, cross_validations
from .bayes_optimal_ibl import BINS, by_share, folds_by_table
from .bayes_optimal_ibl import SHARES as IRIS_SHARES

KEY = "interval-averages"
REPEATS, QUICK_REPEATS = 100, 2
WITHOUT_NUMBERS = ("breast-cancer", "primary-tumor")
"""Tables of the paper without numeric columns."""

WHOLE, FIXED, AVERAGE = "BIBL, cut points of the whole table", "BIBL, fixed cut points", "BIBL, averaged"
MODELS = (WHOLE, FIXED, AVERAGE)

DEFAULTS = Settings(discretization="kmeans", learned="train", missing="value", cap=None)


def predictions(prepared: Prepared, models: Sequence[Model], split: Split) -> Mapping[str, Predictions]:
    """Return the predictions of the models for the test rows of a split."""
    ways = {
        WHOLE: (Predictor, prepared.coded),
        FIXED: (Predictor, prepared.learned_on(split.train)),
        # Intervals to merge are learned from the training rows, whatever the setting for fixed cut points is.
        AVERAGE: (IntervalAverage, with_intervals_of(prepared.coded, prepared.table, split.train, AVERAGED)),
    }
    made = {}
    for name, (kind, coded) in ways.items():
        test = coded.take(split.test)
        predictor = kind.of(count(coded.take(split.train)), "evidence")
        made[name] = Predictions(*predictor.log_probs(test), test.class_codes)
    return made


def _tasks(quick: bool, settings: Settings) -> list[Task]:
    models = [Model(name, KEY) for name in MODELS]
    return [
        task
        for name, folds in folds_by_table().items()
        if name not in WITHOUT_NUMBERS
        for share in (IRIS_SHARES if name == "iris" else SHARES)
        for task in cross_validations(
            source(name, settings, BINS.get(name, 5)),
            models,
            settings,
            folds,
            share,
            QUICK_REPEATS if quick else REPEATS,
            experiment="interval_averages",
        )
    ]


def _find(opened: Findings, spec: Spec[Task], results: Mapping[str, Result]) -> Findings:
    """Return the findings: claims on the average over cut points, and tables."""
    pairs = [(AVERAGE, other) for other in (FIXED, WHOLE)]
    found, scores = compared_models(opened, spec, results, MODELS, pairs)
    on_iris = scores.at(table="iris")
    leads = by_share(on_iris, AVERAGE, FIXED, IRIS_SHARES)
    figures = f"lead in nats: {leads.text()}"
    claim = claim_of(KEY, "iris", leads.every(), figures, is_beyond=True, average=AVERAGE, fixed=FIXED)
    return replace(
        found,
        claims=[*found.claims, claim],
        tables=[*found.tables, _iris_table(on_iris)],
        notes=notes_of(
            KEY, average=AVERAGE, whole=WHOLE, bins=AVERAGED.n_bins, without=", ".join(WITHOUT_NUMBERS)
        ),
    )


def _iris_table(results: Results) -> ResultTable:
    """Return the scores on Iris, by the share of the training rows."""
    rows: list[Row] = [
        {"share of the training rows": f"{share:.0%}"}
        | {
            f"{word}, {model}": sign * results.mean(fraction=share, model=model, score=score).value
            for word, score, sign in (("log loss", "log_score", -1), ("accuracy", "accuracy", 1))
            for model in MODELS
        }
        for share in IRIS_SHARES
    ]
    return ResultTable("iris", "Iris, by the share of the training rows", rows, decimals=3)


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find, is_published=False)
