"""Equation (4) of the 1998 paper with its own weights and with supervised ones, on the tables of its Table 1.

The models are naive Bayes on all variables, without each of them, and without any; forests; mixtures. The
paper's weights are the probabilities of the models given the whole table. The pool's weights are learned from
predictions of the class of rows that the models were not fitted to.
"""

from collections.abc import Mapping, Sequence
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

from ..findings import Findings, ResultTable, Value
from ..model_task import cross_validations, experiment, parts, predictions_of
from ..overview import by_table, claim, overall
from ..paper import source
from ..prepared import Prepared, prepare
from ..published import published
from ..settings import Settings
from ..spec import Model, Result, Source
from ..summary import Summary
from .bayes_optimal_ibl import BINS

KEY = "evidence-weights"
SHARES = (1.0, 0.1)
REPEATS, QUICK_REPEATS = 10, 1
QUICK_TABLES = ("glass", "hepatitis", "iris", "lymphography")
COMPONENTS = (2, 4, 8)
INNER_FOLDS = 5
"""Folds of the predictions that the pool learns its weights from."""

NAIVE, BEST, EVIDENCE, EQUAL, POOL = "BIBL", "best by evidence", "evidence weights", "equal weights", "pool"
NAMES = (NAIVE, BEST, EVIDENCE, EQUAL, POOL)

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
    """Fitted models with both kinds of weights.

    Attributes
    ----------
    models : dict of str to Described
        The models by name.
    log_prior : array of shape (n_classes,)
        Log class prior of the pool.
    pool : Pool
        The supervised weights.
    """

    models: dict[str, Any]
    log_prior: FloatArray
    pool: Pool

    @classmethod
    def of(cls, train: Coded, seed: int = 0) -> "Weighed":
        """Fit the models to some rows, and learn both kinds of weights.

        Parameters
        ----------
        train : Coded
            Training rows.
        seed : int
            Seed of the inner folds.
        """
        specs, labels = models_for(train), np.asarray(train.class_codes, dtype=np.int64)
        counts = np.bincount(labels, minlength=train.schema.n_classes).astype(np.float64)
        held_outs = np.empty((len(specs), train.n_rows, train.schema.n_classes))
        for split in cross_validation(train.n_rows, min(INNER_FOLDS, train.n_rows), random_state=seed):
            seen, rest = train.take(split.train), train.take(split.test)
            for place, model in enumerate(specs.values()):
                joint = described(model, seen).log_joint(rest)
                held_outs[place, split.test] = normalised(joint).log_probs
        # The class prior must not see the row it predicts either, or the pool would trust it too much.
        left_out = np.tile(counts, (train.n_rows, 1))
        left_out[np.arange(train.n_rows), labels] -= 1.0
        prior_left_out = np.array([log_class_prior(row) for row in left_out])
        pool, _ = Pool.fit(held_outs, prior_left_out, labels, np.ones(train.n_rows))
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
    made = Weighed.of(train).predictions(test)
    return {model.name: made[model.name] for model in models}


@dataclass(frozen=True, slots=True)
class WeightsTask:
    """Both kinds of weights on a whole table.

    Attributes
    ----------
    source : Source
        The table.
    seed : int
        Seed of the folds of the pool.
    """

    source: Source
    seed: int = 0

    @property
    def group(self) -> str:
        """Name shared by the repetitions of one experiment."""
        return f"{self.source.name}/weights"

    @property
    def key(self) -> str:
        """Name of the task."""
        return self.group

    @property
    def n_items(self) -> int:
        """Number of rows."""
        return datasets.describe(self.source.name).rows

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


def _rows(quick: bool) -> list[tuple[str, int]]:
    rows = published("bayes-optimal-ibl")["table"][0]["rows"].values()
    return [(row["dataset"], row["folds"]) for row in rows if not quick or row["dataset"] in QUICK_TABLES]


def _tasks(quick: bool, settings: Settings) -> list[Any]:
    """Return the tasks: weights of whole tables, and cross-validations."""
    tasks: list[Any] = []
    for name, folds in _rows(quick):
        table = source(name, settings, BINS.get(name, 5))
        tasks.append(WeightsTask(table, settings.seed))
        for share in SHARES:
            tasks += cross_validations(
                "evidence_weights",
                table,
                NAMES,
                settings,
                folds=folds,
                fraction=share,
                repeats=QUICK_REPEATS if quick else REPEATS,
                effort=20.0,
            )
    return tasks


def _find(opened: Findings, summary: Summary, results: Mapping[str, Result]) -> Findings:
    """Return the findings: claims on pairs of weightings, and tables."""
    names = [name for name, _ in _rows(summary.spec.quick)]
    pairs = ((EVIDENCE, NAIVE), (EVIDENCE, BEST), (POOL, EVIDENCE), (POOL, NAIVE), (EQUAL, EVIDENCE))
    return replace(
        opened,
        claims=[claim(summary, names, share, *pair) for share in (0.1, 1.0) for pair in pairs],
        tables=[
            overall(summary, names, SHARES, NAMES),
            by_table(summary, names, SHARES, NAMES),
            _weights(names, results),
            _all_weights(names, results),
        ],
        notes=[
            "Models: naive Bayes with the uniform prior (BIBL) on all variables, without each of them in "
            "turn, and on none; forests under the principle of indifference (none, the best, all); mixtures "
            f"of {', '.join(map(str, COMPONENTS))} components with the class as a variable, by "
            "Cheeseman-Stutz. A variable that does not take part is described by its own shares of values.",
            f"{EVIDENCE}: equation (4) as the paper has it, on whole rows. {POOL}: tempered, pooled "
            f"log-linearly, weighted by predictions of the class in {INNER_FOLDS} folds of the training "
            f"rows. {EQUAL}: the mean of the class probabilities.",
        ],
    )


def _weights(names: Sequence[str], results: Mapping[str, Result]) -> ResultTable:
    """Return the model with the largest weight on each table, under both kinds of weights."""
    rows: list[dict[str, Value]] = []
    for name in names:
        result = results[f"{name}/weights"]
        row: dict[str, Value] = {"table": name, "models": len(result["names"])}
        for kind in ("evidence", "pool"):
            weights = np.array(result[kind])
            best = first_best(weights)
            row[f"heaviest by {kind}"] = result["names"][best]
            row[f"weight by {kind}"] = float(weights[best])
        rows.append(row)
    return ResultTable("weights", "Where the weights are, learned from all rows", rows, decimals=3)


def _all_weights(names: Sequence[str], results: Mapping[str, Result]) -> ResultTable:
    rows: list[dict[str, Value]] = [
        {"table": name, "model": model, "code length": length, "evidence": evidence, "pool": pool}
        for name in names
        for result in [results[f"{name}/weights"]]
        for model, length, evidence, pool in zip(
            result["names"], result["code_lengths"], result["evidence"], result["pool"], strict=True
        )
    ]
    return ResultTable("all_weights", "All models and both weights", rows, decimals=4, shown=False)


EXPERIMENT = experiment(
    KEY,
    "Weights of models: evidence or prediction",
    "Our own comparison, on Table 1 of Kontkanen, Myllymäki, Silander and Tirri (1998), by its equation (4).",
    DEFAULTS,
    _tasks,
    _find,
)
