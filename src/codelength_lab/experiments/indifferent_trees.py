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

from ..experiment import Experiment, Model, Result, Spec
from ..findings import Findings
from ..predictions import SHARES, compared_models, parts, predictions_of
from ..published import notes_of
from ..settings import Settings
from ..tables import Prepared, source
from ..task import Task, cross_validations
from .indifferent_naive_bayes import BINS, FOLDS, LARGE, names_of_tables

KEY = "indifferent-trees"
REPEATS, REPEATS_LARGE = 30, 5
QUICK_TABLES = ("cleve", "glass", "iris", "vote")
STRENGTH = 10.0
"""Pseudocounts of the whole table in the Dirichlet form, as in Cerquides and López de Màntaras (2005)."""

NAIVE, INDIFFERENT_NAIVE = "BIBL", "IndifferentNB"
BEST, AVERAGE = "TAN", "TAN averaged"
INDIFFERENT_BEST, INDIFFERENT_AVERAGE = "IndifferentTAN", "IndifferentTAN averaged"
UNIFORM_BEST = "IndifferentTAN uniform"
MODELS = (NAIVE, INDIFFERENT_NAIVE, BEST, AVERAGE, INDIFFERENT_BEST, UNIFORM_BEST, INDIFFERENT_AVERAGE)
PAIRS = (
    (INDIFFERENT_BEST, BEST),
    (INDIFFERENT_AVERAGE, AVERAGE),
    (INDIFFERENT_AVERAGE, INDIFFERENT_NAIVE),
    (INDIFFERENT_AVERAGE, INDIFFERENT_BEST),
    (UNIFORM_BEST, INDIFFERENT_BEST),
)

DEFAULTS = Settings(discretization="frequency", learned="train", missing="value", cap=None)


def predictions(prepared: Prepared, models: Sequence[Model], split: Split) -> Mapping[str, Predictions]:
    """Return the predictions of the models for the test rows of a split."""
    train, test = parts(prepared, split)
    counted = count(train)
    made = {
        name: Predictions(*Predictor.of(counted, rule).log_probs(test), test.class_codes)
        for name, rule in {NAIVE: "evidence", INDIFFERENT_NAIVE: "indifferent"}.items()
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
    return made | {name: predictions_of(forest.log_joint(codes), test) for name, forest in forests.items()}


def _tasks(quick: bool, settings: Settings) -> list[Task]:
    models = [Model(name, KEY) for name in MODELS]
    return [
        task
        for name in names_of_tables()
        if not quick or name in QUICK_TABLES
        for share in SHARES
        for task in cross_validations(
            source(name, settings, BINS, categories=False),
            models,
            settings,
            FOLDS,
            share,
            1 if quick else REPEATS_LARGE if name in LARGE else REPEATS,
            experiment="indifferent_trees",
        )
    ]


def _find(opened: Findings, spec: Spec[Task], results: Mapping[str, Result]) -> Findings:
    """Return the findings: claims on pairs of models, and tables."""
    notes = notes_of(
        KEY,
        folds=spec.tasks[0].folds,
        repeats=REPEATS,
        repeats_large=REPEATS_LARGE,
        large=", ".join(LARGE),
        strength=STRENGTH,
    )
    found, _ = compared_models(opened, spec, results, MODELS, PAIRS)
    return replace(found, notes=notes)


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find, is_published=False)
