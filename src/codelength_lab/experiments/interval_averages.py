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

from ..findings import Claim, Findings, ResultTable, Value, signed
from ..model_task import ModelTask, cross_validations, experiment
from ..overview import by_table, claim, overall
from ..paper import source
from ..prepared import Prepared
from ..published import published
from ..settings import Settings
from ..spec import Model, Result
from ..summary import Summary, mean_of
from ..verdicts import all_of, by_lead
from .bayes_optimal_ibl import BINS
from .bayes_optimal_ibl import SHARES as IRIS_SHARES

KEY = "interval-averages"
SHARES = (1.0, 0.1)
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
    for model in models:
        kind, coded = ways[model.name]
        test = coded.take(split.test)
        predictor = kind.of(count(coded.take(split.train)), "evidence")
        made[model.name] = Predictions(*predictor.log_probs(test), test.class_codes)
    return made


def _rows() -> list[tuple[str, int]]:
    """Return the names of the tables that have numbers, and their folds."""
    rows = published("bayes-optimal-ibl")["table"][0]["rows"].values()
    return [(row["dataset"], row["folds"]) for row in rows if row["dataset"] not in WITHOUT_NUMBERS]


def _tasks(quick: bool, settings: Settings) -> list[ModelTask]:
    repeats = QUICK_REPEATS if quick else REPEATS
    return [
        task
        for name, folds in _rows()
        for share in (IRIS_SHARES if name == "iris" else SHARES)
        for task in cross_validations(
            "interval_averages",
            source(name, settings, BINS.get(name, 5)),
            MODELS,
            settings,
            folds=folds,
            fraction=share,
            repeats=repeats,
        )
    ]


def _find(opened: Findings, summary: Summary, results: Mapping[str, Result]) -> Findings:
    """Return the findings: claims on the average over cut points, and tables."""
    names = [name for name, _ in _rows()]
    return replace(
        opened,
        claims=[
            *(
                claim(summary, names, share, AVERAGE, other)
                for share in (0.1, 1.0)
                for other in (FIXED, WHOLE)
            ),
            _iris_claim(summary),
        ],
        tables=[
            overall(summary, names, SHARES, MODELS),
            by_table(summary, names, SHARES, MODELS),
            _iris_table(summary),
        ],
        notes=[
            f"{AVERAGE}: up to {AVERAGED.n_bins} intervals of equal frequency, learned from the training "
            "rows; all ways to merge neighbouring ones are averaged, each weighted by its evidence.",
            f"Fixed cut points are those of our reproduction of the paper. In “{WHOLE}” they are computed "
            "from the test rows too (but not from their classes), as the paper seems to have done.",
            f"Without {', '.join(WITHOUT_NUMBERS)}, which have no numbers.",
        ],
    )


def _iris(summary: Summary, share: float) -> str:
    return summary.group("iris", "cross-validation", share)


def _iris_claim(summary: Summary) -> Claim:
    """Return the claim on Iris, by the share of the training rows."""
    leads = {
        share: mean_of(summary.difference(_iris(summary, share), AVERAGE, FIXED, "log_score"))
        for share in IRIS_SHARES
    }
    return Claim(
        "log loss on iris, as in Figure 1 of the paper",
        f"{AVERAGE} is ahead of {FIXED}, whatever share of the training rows is used.",
        all_of(by_lead(*lead) for lead in leads.values()),
        "lead in nats: " + ", ".join(f"{share:.0%} {signed(*lead)}" for share, lead in leads.items()),
        is_beyond=True,
    )


def _iris_table(summary: Summary) -> ResultTable:
    rows: list[dict[str, Value]] = []
    for share in IRIS_SHARES:
        row: dict[str, Value] = {"share of the training rows": f"{share:.0%}"}
        for model in MODELS:
            row[f"log loss, {model}"] = -summary.mean(_iris(summary, share), model, "log_score").value
        for model in MODELS:
            row[f"accuracy, {model}"] = summary.mean(_iris(summary, share), model, "accuracy").value
        rows.append(row)
    return ResultTable("iris", "Iris, by the share of the training rows", rows, decimals=3)


EXPERIMENT = experiment(
    KEY,
    "Averages over cut points",
    "Our own comparison, on the tables of Kontkanen, Myllymäki, Silander and Tirri (1998).",
    DEFAULTS,
    _tasks,
    _find,
)
