"""The principle of indifference for tree-augmented naive Bayes, on the tables of the 2003 paper.

The paper leaves it to future work. Its BIBL and IndifferentNB are compared with tree-augmented naive Bayes,
with the best forest and averaged over all, under a Dirichlet prior of 10 pseudocounts in all and under the
principle of indifference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from codelength.counts import count
from codelength.evaluation.splits import Split
from codelength.naive_bayes import Predictor
from codelength.networks.all_forests import AllForests
from codelength.networks.forest import ForestCounts
from codelength.networks.one_forest import OneForest, best_forest
from codelength.scores import Predictions

from ..findings import Findings
from ..model_task import ModelTask, cross_validations, experiment, parts, predictions_of
from ..overview import by_table, claim, overall
from ..paper import source
from ..prepared import Prepared
from ..published import published
from ..settings import Settings
from ..spec import Model, Result
from ..summary import Summary
from .indifferent_naive_bayes import BINS, FOLDS, LARGE

KEY = "indifferent-trees"
SHARES = (1.0, 0.1)
REPEATS, REPEATS_LARGE = 30, 5
QUICK_TABLES = ("cleve", "glass", "iris", "vote")
STRENGTH = 10.0
"""Pseudocounts of the whole table in the Dirichlet form, as in Cerquides and López de Màntaras (2005)."""

NAIVE, INDIFFERENT_NAIVE = "BIBL", "IndifferentNB"
BEST, AVERAGE = "TAN", "TAN averaged"
INDIFFERENT_BEST, INDIFFERENT_AVERAGE = "IndifferentTAN", "IndifferentTAN averaged"
UNIFORM_BEST = "IndifferentTAN uniform"
MODELS = (NAIVE, INDIFFERENT_NAIVE, BEST, AVERAGE, INDIFFERENT_BEST, UNIFORM_BEST, INDIFFERENT_AVERAGE)

DEFAULTS = Settings(discretization="frequency", learned="train", missing="value", cap=None)


def predictions(prepared: Prepared, models: Sequence[Model], split: Split) -> Mapping[str, Predictions]:
    """Return the predictions of the models for the test rows of a split."""
    train, test = parts(prepared, split)
    rules = {NAIVE: "evidence", INDIFFERENT_NAIVE: "indifferent"}
    counted = count(train)
    made = {
        name: Predictions(*Predictor.of(counted, rule).log_probs(test), test.class_codes)
        for name, rule in rules.items()
    }
    # Counted once: the five forests differ only in the prior and in averaging.
    counts = ForestCounts.of(train)
    per_class = STRENGTH / train.schema.n_classes
    forests: dict[str, OneForest | AllForests] = {
        BEST: best_forest(counts, per_class),
        AVERAGE: AllForests(counts, per_class),
        INDIFFERENT_BEST: best_forest(counts, "pairs"),
        UNIFORM_BEST: best_forest(counts, "uniform"),
        INDIFFERENT_AVERAGE: AllForests(counts),
    }
    codes = counts.codes(test)
    made |= {name: predictions_of(forest.log_joint(codes), test) for name, forest in forests.items()}
    return {model.name: made[model.name] for model in models}


def _tasks(quick: bool, settings: Settings) -> list[ModelTask]:
    tasks = []
    for name in _names(quick):
        table = source(name, settings, BINS, categories=False)
        repeats = 1 if quick else REPEATS_LARGE if name in LARGE else REPEATS
        for share in SHARES:
            tasks += cross_validations(
                "indifferent_trees", table, MODELS, settings, folds=FOLDS, fraction=share, repeats=repeats
            )
    return tasks


def _names(quick: bool) -> list[str]:
    every = list(published("indifferent-naive-bayes")["datasets"].values())
    return [name for name in every if name in QUICK_TABLES] if quick else every


def _find(opened: Findings, summary: Summary, results: Mapping[str, Result]) -> Findings:
    """Return the findings: claims on pairs of models, and tables."""
    names = _names(summary.spec.quick)
    pairs = (
        (INDIFFERENT_BEST, BEST),
        (INDIFFERENT_AVERAGE, AVERAGE),
        (INDIFFERENT_AVERAGE, INDIFFERENT_NAIVE),
        (INDIFFERENT_AVERAGE, INDIFFERENT_BEST),
        (UNIFORM_BEST, INDIFFERENT_BEST),
    )
    return replace(
        opened,
        claims=[claim(summary, names, share, *pair) for share in (0.1, 1.0) for pair in pairs],
        tables=[overall(summary, names, SHARES, MODELS), by_table(summary, names, SHARES, MODELS)],
        notes=_notes(summary),
    )


def _notes(summary: Summary) -> list[str]:
    folds = summary.spec.tasks[0].folds
    return [
        f"Scores are means over repeated cross-validations of {folds} folds; {REPEATS_LARGE} repetitions on "
        f"{', '.join(LARGE)}, {REPEATS} on the other tables. DCREDITS is not available.",
        f"{BEST} and {AVERAGE} have a Dirichlet prior: {STRENGTH:g} pseudocounts of the whole table, shared "
        "evenly by the pairs of values of any two variables in each class.",
        f"{INDIFFERENT_BEST} and {INDIFFERENT_AVERAGE} take the joint parameters of any two variables to be "
        f"equally probable, {UNIFORM_BEST} those of the whole forest, which is approximate for deep trees.",
    ]


EXPERIMENT = experiment(
    KEY,
    "The principle of indifference for tree-augmented naive Bayes",
    "Our own comparison, on the tables of Cerquides and López de Mántaras (2003), who leave it to others.",
    DEFAULTS,
    _tasks,
    _find,
)
