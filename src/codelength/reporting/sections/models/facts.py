"""Models compared: all of them learn from the same rows and predict the same others."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....counts import count
from ....decisions import first_best, ranked
from ....estimators import ModelAverage, NaiveBayes
from ....estimators.contract import TableClassifier
from ....evaluation import OPPONENTS, Split
from ....evaluation.evaluate import Fits, predictions_over
from ....evaluation.opponents import Opponent
from ....evaluation.progress import Progress
from ....naive_bayes import RULES
from ....scores import Predictions
from ....scores.means import is_tied
from ....scores.totals import differences
from ....table import Coded, Table
from ....typing import BoolArray, FloatArray, IntArray
from ...bits import bits_alone
from ...estimates import mean_of
from ...plan import MOST_COLUMNS, Plan
from ...results import ModelScores

PRIOR = "class prior"
AVERAGE = "model average"
OWN = "your {}"
LOGISTIC = "logistic regression"
NAIVE_BAYES = {rule: f"naive Bayes, {rule.replace('_', ' ')}" for rule in RULES}
"""Names of naive Bayes under each rule."""

BASELINES = (LOGISTIC, PRIOR)

BITS = 1 / math.log(2)
"""Bits in a nat."""


@dataclass(frozen=True, eq=False, slots=True)
class Compared:
    """Predictions of all models for the same rows.

    Attributes
    ----------
    plan : Plan
        Which rows were predicted from which.
    fits : dict of str to Fits
        Predictions by the name of the model.
    """

    plan: Plan
    fits: dict[str, Fits]

    @property
    def best(self) -> str:
        """The model with the best log score on all rows."""
        return self._best_on(np.ones(len(self.plan.rows), dtype=np.bool_))

    @property
    def ranking(self) -> list[str]:
        """Names of the models, the best first, and then by log score."""
        best = self.best
        others = [name for name in self.fits if name != best]
        order = ranked([self.fits[name].predictions.log_score for name in others], scale=1.0)
        return [best, *(others[place] for place in order)]

    def bits(self, name: str) -> FloatArray:
        """Log probability that a model gave to the class that occurred, row by row, in bits."""
        return np.asarray(self.fits[name].predictions.true_log_probs * BITS)

    def chosen(self) -> Predictions:
        """Predictions of whatever model is best on the other parts of the rows.

        The best of several models looks better than it is on the very rows that chose it; so the rows of each
        part are predicted by the model that is best without them.
        """
        log_probs = self.fits[self.best].predictions.log_probs.copy()
        undefined = self.fits[self.best].predictions.undefined.copy()
        for part in np.unique(self.plan.parts):
            own = self.plan.parts == part
            if own.all():
                break
            winner = self._best_on(~own)
            log_probs[own] = self.fits[winner].predictions.log_probs[own]
            undefined[own] = self.fits[winner].predictions.undefined[own]
        return replace(self.fits[self.best].predictions, log_probs=log_probs, undefined=undefined)

    def scores(self) -> tuple[ModelScores, ...]:
        """One row per model, best first."""
        best = self.bits(self.best)
        return tuple(self._score(name, best) for name in self.ranking)

    def _best_on(self, rows: BoolArray) -> str:
        """The model with the best log score on some rows; the class prior where nothing is better.

        A model that gave probability zero to what occurred, or had no prediction for some row (0/0), is not
        the best one, whatever it says about these rows.
        """
        made = {name: fits.predictions for name, fits in self.fits.items()}
        able = [name for name, one in made.items() if not one.n_undefined and not one.n_zero]
        names = sorted(able, key=lambda name: name != PRIOR)
        return names[first_best([self.bits(name)[rows].mean() for name in names], scale=1.0)]

    def _score(self, name: str, best: FloatArray) -> ModelScores:
        made = self.fits[name].predictions
        behind = mean_of(differences(best, self.bits(name)))
        return ModelScores(
            name=name,
            protocol=self.plan.protocol,
            log_score_bits=made.log_score * BITS,
            log_score_bits_se=mean_of(self.bits(name)).standard_error,
            accuracy=made.accuracy,
            accuracy_se=mean_of(made.hits).standard_error,
            brier_score=made.brier_score,
            brier_score_se=mean_of(made.distances).standard_error,
            calibration_error=made.calibration_error,
            behind_best=behind,
            is_tied=is_tied(behind.value, behind.standard_error),
            n_zero=made.n_zero,
            fit_seconds=self.fits[name].seconds,
            is_baseline=name in BASELINES,
        )


@dataclass(frozen=True, slots=True)
class Entrants:
    """The models that are compared.

    Attributes
    ----------
    seed : int
        Where random numbers start.
    own : TableClassifier, optional
        A model of the user's.
    """

    seed: int
    own: TableClassifier | None = None

    @property
    def naive(self) -> dict[str, TableClassifier]:
        """Naive Bayes under each rule."""
        return {name: NaiveBayes(rule) for rule, name in NAIVE_BAYES.items()}

    @property
    def slow(self) -> dict[str, TableClassifier | Opponent]:
        """The models that take their time; that of the user may be one of them."""
        models: dict[str, TableClassifier | Opponent] = {
            AVERAGE: ModelAverage(random_state=self.seed, n_jobs=-1),
            LOGISTIC: OPPONENTS["logistic-regression"](random_state=self.seed),
        }
        return models if self.own is None else {OWN.format(type(self.own).__name__): self.own} | models


def compare(
    table: Table, coded: Coded, plan: Plan, entrants: Entrants, progress: Progress | None = None
) -> Compared:
    """All models on one table, under a plan.

    Parameters
    ----------
    table : Table
        The rows, with a target.
    coded : Coded
        The same rows as naive Bayes reads them.
    plan : Plan
        Which rows are predicted from which.
    entrants : Entrants
        The models.
    progress : function, optional
        Told how much is done, and how much there is.
    """
    naive = entrants.naive
    prior = Fits(_prior_predictions(coded, plan), 0.0, plan.rows)
    if not plan.splits:
        left_out = {name: model.fit_coded(coded).leave_one_out_of(coded) for name, model in naive.items()}
        fits = {name: Fits(made, 0.0, plan.rows) for name, made in left_out.items()}
        return Compared(plan, fits | {PRIOR: prior})
    fits = predictions_over(table, naive, plan.splits)
    slow = predict_slowly(table, coded, plan.splits, entrants.slow, progress=progress)
    baselines = {LOGISTIC: slow.pop(LOGISTIC), PRIOR: prior}
    return Compared(plan, slow | fits | baselines)


def predict_slowly(
    table: Table,
    coded: Coded,
    splits: Sequence[Split],
    models: Mapping[str, TableClassifier | Opponent],
    progress: Progress | None = None,
) -> dict[str, Fits]:
    """Predictions of the models that take their time.

    Where there are many columns, those that the training rows of a split call the strongest are all that the
    models look at.
    """
    if table.n_columns <= MOST_COLUMNS:
        return predictions_over(table, models, splits, progress=progress)
    parts = []
    for number, split in enumerate(splits, 1):
        kept = table.keep(strongest(coded, split.train, MOST_COLUMNS))
        parts.append(predictions_over(kept, models, [split]))
        if progress is not None:
            progress(number, len(splits))
    return {name: _joined([part[name] for part in parts]) for name in models}


def strongest(coded: Coded, rows: IntArray, most: int) -> list[str]:
    """Names of the variables with most bits alone on some rows, in column order."""
    bits, _ = bits_alone(count(coded.take(rows)))
    best = np.sort(ranked(bits, scale=1.0)[:most])
    return [coded.schema.variables[i].name for i in best]


def _joined(fits: list[Fits]) -> Fits:
    return Fits(
        Predictions.joined([fit.predictions for fit in fits]),
        float(np.median([fit.seconds for fit in fits])),
        np.concatenate([fit.rows for fit in fits]),
    )


def _prior_predictions(coded: Coded, plan: Plan) -> Predictions:
    """What naive Bayes would say without any variable."""
    labels, n_classes = np.asarray(coded.class_codes, dtype=np.int64), coded.schema.n_classes
    counts = [np.bincount(labels[split.train], minlength=n_classes) + 1.0 for split in plan.splits]
    sizes = [len(split.test) for split in plan.splits]
    if not plan.splits:
        counts, sizes = [np.ones(n_classes)], [coded.n_rows]
    log_probs = np.repeat(np.array([np.log(row / row.sum()) for row in counts]), sizes, axis=0)
    return Predictions(log_probs, np.zeros(len(log_probs), np.bool_), coded.class_codes[plan.rows])
