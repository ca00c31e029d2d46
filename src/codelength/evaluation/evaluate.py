"""Scores of models on one table, by leave-one-out or cross-validation.

Order of reading: :class:`Evaluation` (the scores of one model); :func:`evaluate` checks models and chooses
splits, on which ``fits`` runs all models; ``_compared`` turns their predictions into scores with standard
errors. :func:`evaluate_batches` scores models that have counted a table of any size.

Depends on ``fits``, on :mod:`codelength.evaluation.splits` and on :mod:`codelength.scores`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..decisions import first_best
from ..errors import DataError, InvalidParameter
from ..scores import Predictions, Scores
from ..scores.means import Mean, is_tied, mean_of
from ..scores.totals import differences
from ..sources import as_table
from ..table.checks import check_number, check_size, seed_of
from ..table.infer import Identifiers, Missing, Numeric
from ..typing import FloatArray
from .fits import Fits, Progress, check_models, check_progress, entrants_of, predicted
from .opponents import Opponent
from .splits import Split, cross_validation

if TYPE_CHECKING:
    from ..estimators import NaiveBayes, TableClassifier

FOLDS = 10
"""Folds of cross-validation if no number is given."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores of one model, over all predictions made.

    Two evaluations are equal if their scores are; times and comparisons with other models do not count.

    Attributes
    ----------
    model : str
        Name of the model.
    protocol : str
        How rows to learn from and rows to predict were chosen.
    n_predictions : int
        Number of predictions.
    accuracy : float
        Share of rows whose most probable class occurred.
    log_score : float
        Mean log probability of the class that occurred, in nats; minus infinity if a class that occurred had
        probability zero.
    brier_score : float
        Mean squared distance from the class that occurred: 0 at best, 2 at worst.
    accuracy_se, log_score_se, brier_score_se : float
        Standard errors over rows; if rows were predicted several times, over their means. NaN for a single
        row, and for an infinite score.
    calibration_error : float
        Mean distance between predicted and observed frequencies; see
        :attr:`codelength.Predictions.calibration_error`.
    n_zero : int
        Predictions that gave probability zero to the class that occurred.
    n_undefined : int
        Predictions whose definition gives 0/0; the uniform distribution is used instead.
    fit_seconds : float
        Time of one fit: the median over folds.
    behind_best, behind_best_se : float
        Difference from the log score of the best model, in nats, and its standard error, paired over rows;
        0 for the best model.
    is_tied : bool
        Whether the model is within two standard errors, or 0.0005, of the best, as the best itself is.
    """

    model: str
    protocol: str
    n_predictions: int
    accuracy: float
    accuracy_se: float
    log_score: float
    log_score_se: float
    brier_score: float
    brier_score_se: float
    calibration_error: float
    n_zero: int
    n_undefined: int
    fit_seconds: float = field(compare=False)
    behind_best: float = field(compare=False)
    behind_best_se: float = field(compare=False)
    is_tied: bool = field(compare=False)

    @property
    def log_score_bits(self) -> float:
        """The log score in bits."""
        return self.log_score / math.log(2)


def evaluate(
    table: Any,
    models: "Mapping[str, TableClassifier | Opponent]",
    *,
    n_folds: int | None = None,
    repeats: int = 1,
    train_fraction: float = 1.0,
    random_state: Any = 0,
    missing: Missing | None = None,
    numeric: Numeric | None = None,
    identifiers: Identifiers | None = None,
    progress: Progress | None = None,
) -> list[Evaluation]:
    """Score models on one table: all of them learn from the same rows and predict the same others.

    By leave-one-out if every model has it without refitting and no number of folds is given; by
    cross-validation otherwise. Each model reads the columns in its own way. The values of categorical
    variables are those of the whole table, so that every fold predicts over the same alphabet. Intervals of
    numeric variables are learned from the training rows of each fold; leave-one-out keeps the intervals of
    the whole table.

    Parameters
    ----------
    table : Table
        The rows, with a target; see :func:`codelength.sources.as_table`.
    models : mapping of str to classifier
        The models by the names that they get in the result. They are cloned, and stay as they are. Those of
        ``codelength.evaluation.OPPONENTS`` are classifiers of other libraries.
    n_folds : int, optional
        Folds of cross-validation; by default leave-one-out if every model has it without refitting, and 10
        folds otherwise (fewer if there are fewer rows).
    repeats : int
        How often the cross-validation is repeated, with new folds.
    train_fraction : float
        Share of the training rows of each fold that is used.
    random_state : int, generator or None
        Seed of the folds.
    missing, numeric, identifiers : str, optional
        Treatment of missing cells, of numeric columns and of identifiers, for all models alike; see
        :func:`codelength.table.infer_schema`. By default the option of each model.
    progress : function, optional
        Called after every fit with the number of fits done and the number there is.

    Returns
    -------
    list of Evaluation
        One per model, in the order given.

    Raises
    ------
    DataError
        If the table has no target.
    InvalidParameter
        If there is no model, if a model does not predict classes, has a schema of its own or needs a library
        that is not installed, or if an option does not fit the others.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> from codelength.evaluation import OPPONENTS
    >>> table = as_table({"size": ["s", "m", "l", "s", "l", "l"]}, [0, 0, 1, 0, 1, 1])
    >>> [result] = evaluate(table, {"averaged": NaiveBayes()})
    >>> result.protocol, round(result.accuracy, 2)
    ('leave-one-out', 0.83)
    >>> both = {"averaged": NaiveBayes(), "logistic": OPPONENTS["logistic-regression"]()}
    >>> [result.protocol for result in evaluate(table, both, n_folds=2)]
    ['1 x 2-fold cross-validation', '1 x 2-fold cross-validation']
    """
    from ..estimators import capabilities_of

    rows = as_table(table).counted()
    check_models(rows, models)
    told = check_progress(progress)
    check_size("repeats", repeats)
    train_fraction = check_number("train_fraction", train_fraction, 0, 1, above=True)
    cells = {"missing": missing, "numeric": numeric, "identifiers": identifiers}
    entrants = entrants_of(rows, models, {name: value for name, value in cells.items() if value is not None})
    # None stands for leave-one-out: one fit per model, from which all rows are predicted in closed form.
    splits: list[Split | None] = [None]
    protocol = "leave-one-out"
    if n_folds is None and all("leave_one_out" in capabilities_of(model) for model in models.values()):
        if repeats != 1 or train_fraction != 1.0:
            raise InvalidParameter(
                "repeats and train_fraction go with cross-validation; pass n_folds, or leave them out"
            )
    else:
        folds = max(min(FOLDS, rows.n_rows), 2) if n_folds is None else n_folds
        splits = [
            *cross_validation(
                rows.n_rows,
                folds,
                repeats=repeats,
                train_fraction=train_fraction,
                random_state=seed_of(random_state),
            )
        ]
        # Named only now, because cross_validation has checked that the folds are a number.
        share = "" if train_fraction == 1 else f", {train_fraction:.0%} of the training rows"
        protocol = f"{repeats} x {folds}-fold cross-validation{share}"
    return _compared(predicted(entrants, splits, told), protocol)


def evaluate_batches(
    models: "Mapping[str, NaiveBayes]",
    source: Any,
    target: str,
    seconds: Mapping[str, float],
    **options: Any,
) -> list[Evaluation]:
    """Score models that have counted a table of any size, each row predicted from all the others.

    Parameters
    ----------
    models : mapping of str to NaiveBayes
        Models fitted to the counts of the table.
    source, target
        The table, and the column that holds the class of each row.
    seconds : mapping of str to float
        Time of counting, by model.
    **options
        Options of :meth:`codelength.NaiveBayes.evaluate_table`.

    Returns
    -------
    list of Evaluation
        One per model, in the order given.

    Raises
    ------
    DataError
        If there are no rows.
    """
    from ..estimators._batches import evaluate_together

    found = evaluate_together(
        [model._fitted for model in models.values()], source, target, leave_one_out=True, **options
    )
    if found is None:
        raise DataError("there are no rows to predict; give at least one")
    best = first_best([scores.log_score for scores in found.scores])
    return [
        _evaluation(
            (name, "leave-one-out", seconds[name]),
            scores,
            (scores.accuracy_se, scores.log_score_se, scores.brier_score_se),
            found.behind(place, best),
        )
        for place, (name, scores) in enumerate(zip(models, found.scores, strict=True))
    ]


def _compared(fits: Mapping[str, Fits], protocol: str) -> list[Evaluation]:
    """Return the scores of all models with standard errors, and the difference of each from the best."""
    # Averaged per row first: predictions of one row in several repeats are not independent, so that standard
    # errors over predictions would be too small.
    logs = {name: made.by_row(made.predictions.true_log_probs) for name, made in fits.items()}
    # Ties are decided up to rounding, in the order given by the user.
    best = list(fits)[first_best([made.predictions.log_score for made in fits.values()])]
    results = []
    for name, made in fits.items():
        predictions = made.predictions
        weights = None if predictions.weights is None else made.by_row(predictions.weights)
        units = made.by_row(predictions.hits), logs[name], made.by_row(predictions.distances)
        errors = [_mean_of(numbers, weights).standard_error for numbers in units]
        # A model that left out trailing rows has a shorter array; differences are paired over rows that both
        # have.
        n_both = min(len(logs[name]), len(logs[best]))
        apart = differences(logs[best][:n_both], logs[name][:n_both])
        behind = _mean_of(apart, None if weights is None else weights[:n_both])
        results.append(_evaluation((name, protocol, made.seconds), predictions, errors, behind))
    return results


def _mean_of(numbers: FloatArray, weights: FloatArray | None) -> Mean:
    """Return the mean over the rows that have a number."""
    known = ~np.isnan(numbers)
    return mean_of(numbers[known], None if weights is None else weights[known])


def _evaluation(
    about: tuple[str, str, float],
    made: Predictions | Scores,
    errors: Sequence[float],
    behind: Mean,
) -> Evaluation:
    """Return the evaluation of a model.

    Parameters
    ----------
    about : tuple
        Name of the model, protocol, and seconds of a fit.
    made : Predictions or Scores
        Predictions of all rows, or their scores.
    errors : sequence of float
        Standard errors of the accuracy, the log score and the Brier score.
    behind : Mean
        Difference from the log score of the best model, paired over rows.
    """
    name, protocol, seconds = about
    accuracy_se, log_score_se, brier_score_se = errors
    return Evaluation(
        model=name,
        protocol=protocol,
        n_predictions=made.n_rows,
        accuracy=made.accuracy,
        accuracy_se=accuracy_se,
        log_score=made.log_score,
        log_score_se=log_score_se,
        brier_score=made.brier_score,
        brier_score_se=brier_score_se,
        calibration_error=made.calibration_error,
        n_zero=made.n_zero,
        n_undefined=made.n_undefined,
        fit_seconds=seconds,
        behind_best=behind.value,
        behind_best_se=behind.standard_error,
        is_tied=is_tied(*behind),
    )
