"""Equation (4) of the 1998 paper with its own weights and with supervised ones, on the tables of its Table 1.

The models are naive Bayes on all variables, without each of them, and without any; forests; mixtures. The
paper's weights are the probabilities of the models given the whole table. The pool's weights are learned from
predictions of the class of rows that the models were not fitted to.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from codelength import datasets
from codelength.averages.pool import Pool
from codelength.averages.training import log_class_prior
from codelength.decisions import first_best
from codelength.estimators import FiniteMixture, IndifferentTrees, NaiveBayes, OnVariables
from codelength.estimators.described import described, title_of
from codelength.evaluation.splits import Split, cross_validation
from codelength.naive_bayes import normalised
from codelength.scores import Predictions
from codelength.table import Coded
from codelength.typing import FloatArray

from ..experiment import AnyTask, Experiment, Model, Result, Spec
from ..findings import Findings, ResultTable, Row
from ..predictions import SHARES, compared_models, parts, predictions_of
from ..published import notes_of
from ..settings import Settings
from ..tables import Prepared, Source, prepare, source
from ..task import cross_validations
from .bayes_optimal_ibl import BINS, folds_by_table

KEY = "evidence-weights"
REPEATS, QUICK_REPEATS = 10, 1
QUICK_TABLES = ("glass", "hepatitis", "iris", "lymphography")
COMPONENTS = (2, 4, 8)
INNER_FOLDS = 5
"""Folds of the predictions that the pool learns its weights from."""

NAIVE, BEST, EVIDENCE, EQUAL, POOL = "BIBL", "best by evidence", "evidence weights", "equal weights", "pool"
NAMES = (NAIVE, BEST, EVIDENCE, EQUAL, POOL)
PAIRS = ((EVIDENCE, NAIVE), (EVIDENCE, BEST), (POOL, EVIDENCE), (POOL, NAIVE), (EQUAL, EVIDENCE))

DEFAULTS = Settings(discretization="kmeans", learned="train", missing="value", cap=None)


def models_for(coded: Coded) -> dict[str, Any]:
    """Return the models for some rows, naive Bayes on all variables first."""
    names = coded.schema.names
    models = {NAIVE: NaiveBayes(), "the class alone": OnVariables(NaiveBayes())}
    models |= {
        f"without {name}": OnVariables(NaiveBayes(), tuple(other for other in names if other != name))
        for name in names
    }
    # No edges, the best forest, and the average over all forests.
    trees = (IndifferentTrees(()), IndifferentTrees("best"), IndifferentTrees())
    models |= {title_of(model): model for model in trees}
    # Mixtures with fewer than four rows per component are left out.
    models |= {
        f"mixture of {k}": FiniteMixture(k, n_init=2, reached=1, tol=1e-6, random_state=0)
        for k in COMPONENTS
        if 4 * k <= coded.n_rows
    }
    return models


@dataclass(frozen=True, eq=False)
class Weighed:
    """Fitted models by name with both kinds of weights, and the log class prior of the pool."""

    models: dict[str, Any]
    log_prior: FloatArray
    pool: Pool

    @classmethod
    def of(cls, train: Coded, seed: int = 0) -> "Weighed":
        """Fit the models to some rows, and learn both kinds of weights."""
        specs, labels = models_for(train), np.asarray(train.class_codes, dtype=np.int64)
        counts = np.bincount(labels, minlength=train.schema.n_classes).astype(np.float64)
        held_outs = np.empty((len(specs), train.n_rows, train.schema.n_classes))
        for split in cross_validation(train.n_rows, min(INNER_FOLDS, train.n_rows), random_state=seed):
            seen, rest = train.take(split.train), train.take(split.test)
            for place, model in enumerate(specs.values()):
                joint = described(model, seen).log_joint(rest)
                held_outs[place, split.test] = normalised(joint).log_probs
        # The class prior must not see the row it predicts either, or the pool would trust it too much.
        prior_left_out = np.array([log_class_prior(counts - own) for own in np.eye(len(counts))[labels]])
        ones = np.ones(train.n_rows)
        pool, _ = Pool.fit(held_outs, prior_left_out, labels, ones, ones)
        models = {name: described(model, train) for name, model in specs.items()}
        return cls(models, log_class_prior(counts), pool)

    @property
    def log_weights(self) -> FloatArray:
        """Log probability of each model given the rows: the paper's weights."""
        lengths = np.array([model.code_length for model in self.models.values()])
        return np.asarray(-lengths - np.logaddexp.reduce(-lengths))

    def predictions(self, test: Coded) -> dict[str, Predictions]:
        """Return the predictions under each way to weight the models."""
        joints = np.array([model.log_joint(test) for model in self.models.values()])
        each = np.array([normalised(joint).log_probs for joint in joints])
        log_weights = self.log_weights
        made = {
            NAIVE: joints[0],
            BEST: joints[first_best(log_weights, scale=1.0)],
            # Joint probabilities are averaged, as in the paper; the two below combine class probabilities.
            EVIDENCE: np.logaddexp.reduce(log_weights[:, None, None] + joints, axis=0),
            EQUAL: np.logaddexp.reduce(each, axis=0),
            POOL: self.pool.log_probs(each, self.log_prior),
        }
        return {name: predictions_of(logs, test) for name, logs in made.items()}


def predictions(prepared: Prepared, models: Sequence[Model], split: Split) -> Mapping[str, Predictions]:
    """Return the predictions of the models for the test rows of a split."""
    train, test = parts(prepared, split)
    return Weighed.of(train).predictions(test)


@dataclass(frozen=True, slots=True)
class WeightsTask:
    """Both kinds of weights on a whole table; the seed is that of the folds of the pool."""

    source: Source
    seed: int = 0

    @property
    def key(self) -> str:
        """Name of the task."""
        return f"{self.source.name}/weights"

    @property
    def work(self) -> float:
        """Approximate cost of the task."""
        entry = datasets.describe(self.source.name)
        return float(entry.rows * entry.attributes * entry.classes)

    def run(self) -> Result:
        """Return the names of the models, their code lengths, and both kinds of weights."""
        made = Weighed.of(prepare(self.source).coded, self.seed)
        return {
            "names": list(made.models),
            "code_lengths": [float(model.code_length) for model in made.models.values()],
            "evidence": np.exp(made.log_weights).tolist(),
            # The weights of the pool need not add up to 1, and can all be zero.
            "pool": (made.pool.weights / max(made.pool.weights.sum(), 1e-300)).tolist(),
        }


def _tasks(quick: bool, settings: Settings) -> Iterator[AnyTask]:
    """Yield the tasks: weights of whole tables, and cross-validations."""
    models, repeats = [Model(name, KEY) for name in NAMES], QUICK_REPEATS if quick else REPEATS
    for name, folds in folds_by_table().items():
        if not quick or name in QUICK_TABLES:
            table = source(name, settings, BINS.get(name, 5))
            yield WeightsTask(table, settings.seed)
            for share in SHARES:
                yield from cross_validations(
                    table, models, settings, folds, share, repeats, experiment="evidence_weights", effort=20.0
                )


def _find(opened: Findings, spec: Spec[Any], results: Mapping[str, Result]) -> Findings:
    """Return the findings: claims on pairs of weightings, and tables."""
    found, scores = compared_models(opened, spec, results, NAMES, PAIRS)
    weights = {name: results[f"{name}/weights"] for name in scores.levels("table")}
    notes = notes_of(KEY, components=", ".join(map(str, COMPONENTS)), folds=INNER_FOLDS)
    return replace(found, tables=[*found.tables, *_weights(weights)], notes=notes)


def _weights(results: Mapping[str, Result]) -> list[ResultTable]:
    """Return the model with the largest weight on each table, and all weights, of both kinds."""
    heaviest: list[Row] = []
    every: list[Row] = []
    for name, result in results.items():
        row: Row = {"table": name, "models": len(result["names"])}
        for kind in ("evidence", "pool"):
            best = first_best(np.array(result[kind]))
            row |= {f"heaviest by {kind}": result["names"][best], f"weight by {kind}": result[kind][best]}
        heaviest.append(row)
        columns = (result[kind] for kind in ("names", "code_lengths", "evidence", "pool"))
        titles = ("table", "model", "code length", "evidence", "pool")
        every += [dict(zip(titles, (name, *cells), strict=True)) for cells in zip(*columns, strict=True)]
    title = "Where the weights are, learned from all rows"
    return [
        ResultTable("weights", title, heaviest, decimals=3),
        ResultTable("all_weights", "All models and both weights", every, decimals=4, shown=False),
    ]


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find, is_published=False)
