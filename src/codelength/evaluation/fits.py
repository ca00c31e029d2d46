"""Predictions of models over splits of one table.

Order of reading: :func:`predictions_over`; :class:`Fits` (the predictions of one model); :func:`predicted`
runs all models over all splits; an ``Entrant`` is one model with the table in the form that it reads:
``_own`` fits a model of this library to codes, ``_other`` one of another library to the table itself;
:func:`entrants_of` makes them of models that :func:`check_models` has accepted.

Depends on the contract of the estimators, on :mod:`codelength.evaluation.splits` and on the opponents.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..errors import DataError, InvalidParameter
from ..scores import Predictions
from ..sources import as_table
from ..table import Coded, Table, encode
from ..table._messages import shown
from ..table.checks import check_instance
from ..table.cutting import Cutting, with_intervals_of
from ..table.target import target_column
from ..typing import FloatArray, IntArray
from .opponents import Opponent
from .splits import Split

if TYPE_CHECKING:
    from ..estimators import TableClassifier

Progress = Callable[[float, float], None]
"""Called after every step with the work done and the work there is, in the same unit."""


def check_progress(progress: Progress | None) -> Progress:
    """Return a function of the user, or one that does nothing for None; raise for anything else."""
    if progress is None:
        return lambda done, of: None
    if not callable(progress):
        raise InvalidParameter(f"progress={shown(progress)}: expected a function, or None")
    return progress


def predictions_over(
    table: Any,
    models: "Mapping[str, TableClassifier | Opponent]",
    splits: Sequence[Split],
    *,
    progress: Progress | None = None,
) -> "dict[str, Fits]":
    """Return the predictions of models for the test rows of each split, one split after the other.

    Models read columns as in :func:`evaluate`, which scores such predictions.

    Parameters
    ----------
    table : Table
        The rows, with a target.
    models : mapping of str to classifier
        The models by name.
    splits : sequence of Split
        Rows to learn from and rows to predict.
    progress : function, optional
        Called after every fit with the number of fits done and the number there is.

    Returns
    -------
    dict of str to Fits
        Predictions by the name of the model.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> table = as_table({"size": ["s", "m", "l", "s"]}, [0, 0, 1, 0])
    >>> split = Split(np.array([0, 1, 2]), np.array([3]))
    >>> predictions_over(table, {"averaged": NaiveBayes()}, [split])["averaged"].predictions.accuracy
    1.0
    """
    rows = as_table(table).counted()
    check_models(rows, models)
    return predicted(entrants_of(rows, models, {}), splits, check_progress(progress))


@dataclass(frozen=True, slots=True)
class Fits:
    """Predictions of a model, and the time of a fit.

    Attributes
    ----------
    predictions : Predictions
        The predictions of all splits, one split after the other.
    seconds : float
        Time of one fit: the median over splits.
    rows : array of int
        The row that each prediction is of.
    """

    predictions: Predictions
    seconds: float
    rows: IntArray

    @classmethod
    def joined(cls, fits: "Sequence[Fits]") -> "Fits":
        """Return the predictions of several fits, one after the other."""
        return cls(
            Predictions.joined([fit.predictions for fit in fits]),
            float(np.median([fit.seconds for fit in fits])),
            np.concatenate([fit.rows for fit in fits]),
        )

    def by_row(self, numbers: FloatArray) -> FloatArray:
        """Return the mean of numbers over the predictions of each row; NaN for rows that were not predicted.

        Parameters
        ----------
        numbers : array of shape (n_predictions,)
            One number per prediction.

        Returns
        -------
        array of shape (last predicted row + 1,)
            Mean of each row.
        """
        with np.errstate(invalid="ignore"):
            return np.asarray(np.bincount(self.rows, numbers) / np.bincount(self.rows))


Entrant: TypeAlias = Callable[[Split | None], Fits]
"""Predictions of a model as a function of the split; None stands for leave-one-out."""


def predicted(
    entrants: Mapping[str, Entrant], splits: Sequence[Split | None], progress: Progress
) -> dict[str, Fits]:
    """Return the predictions over all splits; a split of None stands for leave-one-out."""
    parts: dict[str, list[Fits]] = {name: [] for name in entrants}
    for number, split in enumerate(splits):
        # All models of one split before the next split, so that models share the codes of the split.
        for place, (name, entrant) in enumerate(entrants.items(), 1):
            parts[name].append(entrant(split))
            progress(number * len(entrants) + place, len(splits) * len(entrants))
    return {name: Fits.joined(fits) for name, fits in parts.items()}


class _Codes:
    """A coded table, and the parts of its last split, which several models can share."""

    def __init__(self, rows: Table, model: "TableClassifier") -> None:
        coded = model._coded_for(rows)
        # Scaled over all rows at once, so that the rows of one fold weigh as much as those of another.
        self.coded = coded.relative() if getattr(model, "weighting", None) == "relative" else coded
        self._rows, self._cutting = rows, _cutting_of(model)
        self._last: tuple[Split, Coded, Coded] | None = None

    def parts(self, split: Split) -> tuple[Coded, Coded]:
        """Return the training and the test rows of a split, with intervals learned from the training rows."""
        # Only the last split is kept: all models run on one split before the next, and codes of every fold at
        # once would multiply the memory of the table.
        if self._last is None or self._last[0] is not split:
            learned = with_intervals_of(self.coded, self._rows, split.train, self._cutting)
            self._last = split, learned.take(split.train), learned.take(split.test)
        return self._last[1:]


def _own(model: "TableClassifier", codes: _Codes) -> Entrant:
    """Return the predictions of a model of this library, as a function of the split."""
    from sklearn.base import clone

    def predicted(split: Split | None) -> Fits:
        train, test = (codes.coded, codes.coded) if split is None else codes.parts(split)
        fitted, start = clone(model), time.perf_counter()
        fitted._fit_coded(train)
        seconds = time.perf_counter() - start
        if split is None:
            made = fitted._fitted.left_out(train)
            # An average keeps predictions for a part of its training rows and names them; other models have
            # all.
            return Fits(made, seconds, getattr(made, "rows", np.arange(made.n_rows)))
        log_probs, undefined = fitted._fitted.log_probs(test)
        return Fits(Predictions(log_probs, undefined, test.class_codes, test.weights), seconds, split.test)

    return predicted


def _other(opponent: Opponent, rows: Table) -> Entrant:
    """Return the predictions of a classifier of another library, which takes the table as it is."""
    schema = opponent.schema_for(rows)
    # Encoded once for the whole table, so that classes have the same codes in every fold.
    class_codes = encode(schema, rows).class_codes

    def predicted(split: Split | None) -> Fits:
        assert split is not None, "other libraries leave no row out without fitting again"
        # Rows are taken before the clock starts, as they are coded before it for models of this library.
        train, start = rows.take(split.train), time.perf_counter()
        fitted = opponent.fit(train, schema)
        seconds = time.perf_counter() - start
        test = rows.take(split.test)
        log_probs = np.log(fitted.probabilities(test))
        # Opponents always have a prediction; fair() has replaced zeros and unseen classes.
        undefined = np.zeros(test.n_rows, dtype=np.bool_)
        return Fits(
            Predictions(log_probs, undefined, class_codes[split.test], test.weights), seconds, split.test
        )

    return predicted


def entrants_of(
    rows: Table, models: "Mapping[str, TableClassifier | Opponent]", cells: dict[str, Any]
) -> dict[str, Entrant]:
    """Return the models with the options given for all of them; models that code alike share codes.

    Parameters
    ----------
    rows : Table
        The table, with a target.
    models : mapping of str to classifier
        Models that :func:`check_models` has accepted.
    cells : dict
        Values of ``missing``, ``numeric`` and ``identifiers`` that replace those of every model.
    """
    from sklearn.base import clone

    found: dict[str, Entrant] = {}
    codes: dict[Any, _Codes] = {}
    for name, given in models.items():
        if isinstance(given, Opponent):
            # Opponents are frozen dataclasses: options for all models make a changed copy.
            found[name] = _other(replace(given, **cells), rows)
            continue
        model = clone(given).set_params(**cells)
        model._check_params()
        # Everything that decides how a table is coded. A model with another combination needs codes of its
        # own.
        cells_read = model.missing, model.numeric, model.identifiers, model.handle_unknown
        way = (*cells_read, _cutting_of(model), getattr(model, "weighting", None))
        if way not in codes:
            codes[way] = _Codes(rows, model)
        found[name] = _own(model, codes[way])
    return found


def check_models(table: Table, models: "Mapping[str, TableClassifier | Opponent]") -> None:
    """Raise if the table has no target, or a model cannot be evaluated."""
    from ..estimators import capabilities_of

    check_target(table)
    check_instance("models", models, Mapping, "classifiers by name")
    if not models:
        raise InvalidParameter("models: there is none; give at least one")
    for name, model in models.items():
        if isinstance(model, type):
            raise InvalidParameter(f"model {name!r}: is a class, not a model; write {model.__name__}()")
        # By capability, because mixtures are estimators of this library too but do not predict classes.
        if "classes" not in capabilities_of(model):
            raise InvalidParameter(
                f"model {name!r}: is neither a classifier of codelength nor one of "
                "codelength.evaluation.OPPONENTS; leave it out"
            )
        if isinstance(model, Opponent):
            model.check_installed()
        elif model.schema is not None:
            raise InvalidParameter(
                f"model {name!r}: has a schema of its own, and all models are scored on the values of the "
                "table; leave schema= out"
            )


def check_target(table: Table) -> None:
    """Raise if a table has no target, or the class of a row is missing."""
    if table.target is None:
        raise DataError("the table has no target, so there is nothing to predict; name one with as_table")
    target_column(table.target)


def _cutting_of(model: "TableClassifier") -> Cutting | None:
    """Return how a model cuts columns of numbers; None for the usual way."""
    cutting: Cutting | None = model._fitted_type.reading(model.get_params(deep=False)).cutting
    return cutting
