"""Comparison of models, fitted to the same rows and scored on the same others.

Order of reading: :class:`Candidates` (the models), :func:`compare` (their predictions over the splits of a
plan), :class:`Compared` (the best model and all scores), then :func:`section` (sentence, chart and grid).
Depends on :mod:`codelength.evaluation.fits` for predictions, on ``bits`` to screen the columns of wide
tables, and on ``estimates`` for standard errors.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...counts import count
from ...decisions import first_best, ranked
from ...estimators import ModelAverage, NaiveBayes, TableClassifier
from ...evaluation import OPPONENTS, Split
from ...evaluation.fits import Fits, Progress, check_progress, predictions_over
from ...evaluation.opponents import Opponent
from ...naive_bayes import RULES
from ...render.templates import rendered
from ...scores import Predictions
from ...scores.means import is_tied
from ...scores.totals import differences
from ...table import Coded, Table
from ...typing import BoolArray, FloatArray, IntArray
from ..bits import bits_alone
from ..charts import ticks
from ..estimates import around, mean_of
from ..page import Section
from ..plan import MAX_COLUMNS, Plan
from ..results import Analysis, ModelScores
from ..words import capital, give_or_take, number, percent

PRIOR = "class prior"
AVERAGE = "model average"
OWN = "your {}"
LOGISTIC = "logistic regression"
NAIVE_BAYES = {rule: f"naive Bayes, {rule.replace('_', ' ')}" for rule in RULES}
"""Name of naive Bayes under each rule."""

BASELINES = (LOGISTIC, PRIOR)

BITS = 1 / math.log(2)
"""Bits in a nat."""


@dataclass(frozen=True, eq=False, slots=True)
class Compared:
    """Predictions of all models for the same rows.

    Attributes
    ----------
    plan : Plan
        Training and test rows.
    fits : dict of str to Fits
        Predictions by the name of the model.
    """

    plan: Plan
    fits: dict[str, Fits]

    @property
    def best(self) -> str:
        """Name of the model with the best log score on all rows."""
        return self._best_on(np.ones(len(self.plan.rows), dtype=np.bool_))

    @property
    def ranking(self) -> list[str]:
        """Names of the models: the best, then the others by log score."""
        best = self.best
        others = [name for name in self.fits if name != best]
        order = ranked([self.of(name).log_score for name in others], scale=1.0)
        return [best, *(others[place] for place in order)]

    def of(self, name: str) -> Predictions:
        """Return the predictions of a model."""
        return self.fits[name].predictions

    def bits(self, name: str) -> FloatArray:
        """Return the log probability of the class that occurred, row by row, in bits."""
        return np.asarray(self.of(name).true_log_probs * BITS)

    def chosen(self) -> Predictions:
        """Return predictions by the model that is best on the other parts of the rows.

        The best of several models looks better than it is on the rows that chose it. So the rows of each part
        are predicted by the model that is best without them.
        """
        best = self.of(self.best)
        log_probs, undefined = best.log_probs.copy(), best.undefined.copy()
        for part in np.unique(self.plan.parts):
            own = self.plan.parts == part
            # With a single part there are no other rows to choose on.
            if own.all():
                break
            winner = self.of(self._best_on(~own))
            log_probs[own], undefined[own] = winner.log_probs[own], winner.undefined[own]
        return replace(best, log_probs=log_probs, undefined=undefined)

    def scores(self) -> tuple[ModelScores, ...]:
        """Return the scores of all models, best first."""
        best = self.bits(self.best)
        return tuple(self._score(name, best) for name in self.ranking)

    def _best_on(self, rows: BoolArray) -> str:
        """Return the model with the best log score on some rows; the class prior in a tie.

        A model with an undefined prediction (0/0), or with probability zero for a class that occurred, is
        never the best, whatever its score on these rows.
        """
        able = [name for name in self.fits if not self.of(name).n_undefined and not self.of(name).n_zero]
        # first_best gives ties to the first: a model must beat the class prior by more than rounding.
        names = sorted(able, key=lambda name: name != PRIOR)
        return names[first_best([self.bits(name)[rows].mean() for name in names], scale=1.0)]

    def _score(self, name: str, best: FloatArray) -> ModelScores:
        """Return the scores of one model, with its paired difference from the best."""
        made = self.of(name)
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
class Candidates:
    """Models to compare.

    Attributes
    ----------
    seed : int
        Seed of their random numbers.
    own : TableClassifier, optional
        Model of the user.
    """

    seed: int
    own: TableClassifier | None = None

    @property
    def naive(self) -> dict[str, TableClassifier]:
        """Naive Bayes under each rule."""
        return {name: NaiveBayes(rule) for rule, name in NAIVE_BAYES.items()}

    @property
    def slow(self) -> dict[str, TableClassifier | Opponent]:
        """Models that take seconds, among them the model of the user."""
        models: dict[str, TableClassifier | Opponent] = {
            AVERAGE: ModelAverage(random_state=self.seed, n_jobs=-1),
            LOGISTIC: OPPONENTS["logistic-regression"](random_state=self.seed),
        }
        return models if self.own is None else {OWN.format(type(self.own).__name__): self.own} | models


def compare(table: Table, coded: Coded, plan: Plan, candidates: Candidates, progress: Progress) -> Compared:
    """Compare all models on one table.

    Parameters
    ----------
    table, coded : Table, Coded
        The rows, with their codes.
    plan : Plan
        Training and test rows.
    candidates : Candidates
        The models.
    progress : function
        Called with the work done and the work in all.
    """
    naive = candidates.naive
    if not plan.splits:
        # At most one row, which the models predict from no others.
        inputs = {name: (model, coded) for name, model in naive.items()}
        inputs[PRIOR] = NaiveBayes(), coded.select([])
        left_out = {
            name: model._fit_coded(own)._fitted.left_out(own) for name, (model, own) in inputs.items()
        }
        return Compared(plan, {name: Fits(made, 0.0, plan.rows) for name, made in left_out.items()})
    fits = predictions_over(table, naive, plan.splits)
    # Only the slow models report progress: naive Bayes takes a moment.
    slow = predict_with_refits(table, coded, plan.splits, candidates.slow, progress)
    logistic = {LOGISTIC: slow.pop(LOGISTIC)}
    # Naive Bayes without variables predicts by the smoothed class shares.
    prior = predictions_over(replace(table, columns=()), {PRIOR: NaiveBayes()}, plan.splits)
    return Compared(plan, slow | fits | logistic | prior)


def predict_with_refits(
    table: Table,
    coded: Coded,
    splits: Sequence[Split],
    models: Mapping[str, TableClassifier | Opponent],
    progress: Progress | None = None,
) -> dict[str, Fits]:
    """Return the predictions of slow models.

    With many columns, the models use only those that are strongest among the training rows of the split.
    """
    if table.n_columns <= MAX_COLUMNS:
        return predictions_over(table, models, splits, progress=progress)
    parts, told = [], check_progress(progress)
    for place, split in enumerate(splits, 1):
        # Chosen within each split: a choice on all rows would let the test rows influence the model.
        kept = table.keep(strongest(coded, split.train, MAX_COLUMNS))
        parts.append(predictions_over(kept, models, [split]))
        told(place, len(splits))
    return {name: Fits.joined([part[name] for part in parts]) for name in models}


def strongest(coded: Coded, rows: IntArray, most: int) -> list[str]:
    """Return the names of the variables with most bits alone on some rows, in column order."""
    bits, _ = bits_alone(count(coded.take(rows)))
    best = np.sort(ranked(bits, scale=1.0)[:most])
    return [coded.schema.variables[i].name for i in best]


def section(analysis: Analysis) -> Section:
    """Return the section: the distance of each model from the best, and all scores."""
    limit = _limit(analysis)

    def place(value: float) -> float:
        # Room for half a dot on the left, and for an arrow on the right.
        return 0.02 + 0.94 * min(max(value / limit, 0.0), 1.0)

    body = rendered(
        "reporting/sections/models",
        analysis=analysis,
        sentence=_tied(analysis),
        limit=limit,
        place=place,
        marks=[mark for mark in ticks(0.0, limit, 5) if mark < limit],
        rows=[_row(model, analysis.models[0]) for model in analysis.models],
    )
    return Section("models", "Models compared", body, short="Models")


def _tied(analysis: Analysis) -> str:
    """Name the models that are tied with the best."""
    best, *others = analysis.models
    near = [model.name for model in others if model.is_tied]
    if not others:
        return f"Only {best.name} was tried."
    first = f"{capital(best.name)} predicts best"
    if best.name == PRIOR:
        first = "No model predicts better than the class prior"
    if not near:
        return f"{first}; all others are more than two standard errors behind it."
    if len(near) == len(others):
        return f"{first}; all others are tied with it, less than two standard errors behind."
    words = f"{near[0]} is" if len(near) == 1 else f"{', '.join(near[:-1])} and {near[-1]} are"
    return f"{first}; {words} tied with it, less than two standard errors behind."


def _limit(analysis: Analysis) -> float:
    """Return the end of the axis, without the class prior, which is often far behind all others."""
    behind = [(model.name, model.behind_best) for model in analysis.models]
    ends = [one.high if math.isfinite(one.high) else one.value for name, one in behind if name != PRIOR]
    found = max((end for end in ends if math.isfinite(end)), default=0.0)
    # Only the class prior and ties are left: its distance then sets the scale.
    if found <= 0:
        found = max((one.value for _, one in behind if math.isfinite(one.value)), default=0)
    # Some room to the right of the last interval; any scale will do if all models tie.
    return 1.08 * found if found > 0 else 1.0


def _row(model: ModelScores, best: ModelScores) -> list[str]:
    """Return the scores of a model as text."""
    tied = ", tied" if model.is_tied else ""
    error = model.accuracy_se
    accuracy = f"{number(100 * model.accuracy, 1)} ± {percent(error)}"
    return [
        model.name,
        give_or_take(around(-model.log_score_bits, model.log_score_bits_se)),
        "best" if model is best else f"{give_or_take(model.behind_best)}{tied}",
        accuracy if math.isfinite(error) else percent(model.accuracy),
        give_or_take(around(model.brier_score, model.brier_score_se)),
        number(model.calibration_error),
        f"{number(model.fit_seconds, 2)} s",
    ]
