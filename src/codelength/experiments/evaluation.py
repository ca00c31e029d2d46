"""How well models predict the classes of one table."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import DataError, InvalidParameter
from ..scores import Predictions
from ..table import Coded, Table, as_table, encode, infer_schema
from ..table._messages import listed
from ..table.checks import check_instance, seed_of
from ..table.infer import Identifiers, Missing, Numeric, with_intervals_of
from .splits import cross_validation

if TYPE_CHECKING:
    from ..estimators.contract import TableClassifier

FOLDS = 10
"""Folds of cross-validation where none are asked for."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores of one model, over all predictions made.

    Attributes
    ----------
    model : str
        Name of the model.
    protocol : str
        How rows to learn from and rows to predict were chosen.
    n_predictions : int
        How many predictions there are.
    accuracy : float
        Share of rows whose most probable class occurred.
    log_score : float
        Mean log probability of the class that occurred, in nats; minus infinity where a class that occurred
        was given probability zero.
    brier_score : float
        Mean squared distance from the class that occurred: 0 at best, 2 at worst.
    n_zero : int
        Predictions that gave probability zero to the class that occurred.
    n_undefined : int
        Predictions whose definition gives 0/0; the uniform distribution stands in.
    """

    model: str
    protocol: str
    n_predictions: int
    accuracy: float
    log_score: float
    brier_score: float
    n_zero: int
    n_undefined: int

    @property
    def log_score_bits(self) -> float:
        """The log score in bits."""
        return self.log_score / math.log(2)

    @classmethod
    def of(cls, model: str, protocol: str, predictions: Predictions) -> "Evaluation":
        """The scores of some predictions."""
        return cls(
            model,
            protocol,
            predictions.n_rows,
            predictions.accuracy,
            predictions.log_score,
            predictions.brier_score,
            predictions.n_zero,
            predictions.n_undefined,
        )


def evaluate(
    table: Any,
    models: "Mapping[str, TableClassifier]",
    *,
    n_folds: int | None = None,
    repeats: int = 1,
    train_fraction: float = 1.0,
    random_state: Any = 0,
    missing: Missing | None = None,
    numeric: Numeric | None = None,
    identifiers: Identifiers | None = None,
) -> list[Evaluation]:
    """Score models on one table, all of them on the same predictions.

    By leave-one-out where every model has it in closed form and no folds are asked for; by cross-validation
    otherwise. The values of categorical variables are those of the whole table, so that every fold predicts
    over the same alphabet. Intervals of numeric variables are learned from the training rows of each fold;
    leave-one-out, being closed form, keeps the intervals of the whole table.

    Parameters
    ----------
    table : Table
        The rows, with a target; see :func:`codelength.table.as_table`.
    models : mapping of str to classifier
        The models by the names that they get in the result. They are cloned, and stay as they are.
    n_folds : int, optional
        Folds of cross-validation; by default leave-one-out where every model has it in closed form, and 10
        folds otherwise.
    repeats : int
        How often the cross-validation is repeated, with new folds.
    train_fraction : float
        Share of the training rows of each fold that is used.
    random_state : int, generator or None
        Seed of the folds.
    missing, numeric, identifiers : str, optional
        What becomes of missing cells, of columns of numbers and of identifiers, for all models alike; see
        :func:`codelength.table.infer_schema`. By default what the models say, which must be the same.

    Returns
    -------
    list of Evaluation
        One per model, in the order given.

    Raises
    ------
    DataError
        Where the table has no target.
    InvalidParameter
        Where there is no model, or one that predicts no classes or has a schema of its own; where an option
        does not fit the others, or the models differ about one of the last three.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> table = as_table({"size": ["s", "m", "l", "s", "l", "l"]}, [0, 0, 1, 0, 1, 1])
    >>> [result] = evaluate(table, {"averaged": NaiveBayes()})
    >>> result.protocol, round(result.accuracy, 2)
    ('leave-one-out', 0.83)
    """
    rows = as_table(table).counted()
    _check(rows, models)
    given = {"missing": missing, "numeric": numeric, "identifiers": identifiers}
    cells: dict[str, Any] = {
        name: _agreed(name, models) if value is None else value for name, value in given.items()
    }
    coded = encode(infer_schema(rows, **cells), rows)
    if n_folds is None and all("leave_one_out" in model.capabilities for model in models.values()):
        if repeats != 1 or train_fraction != 1.0:
            raise InvalidParameter(
                "repeats and train_fraction go with cross-validation; pass n_folds, or leave them out"
            )
        return [
            Evaluation.of(name, "leave-one-out", _cloned(model).fit_coded(coded).leave_one_out_of(coded))
            for name, model in models.items()
        ]
    folds = FOLDS if n_folds is None else n_folds
    parts: dict[str, list[Predictions]] = {name: [] for name in models}
    for split in cross_validation(
        coded.n_rows,
        folds,
        repeats=repeats,
        train_fraction=train_fraction,
        random_state=seed_of(random_state),
    ):
        learned = with_intervals_of(coded, rows, split.train)
        train, test = learned.take(split.train), learned.take(split.test)
        for name, model in models.items():
            parts[name].append(_predicted(model, train, test))
    share = "" if train_fraction == 1 else f", {train_fraction:.0%} of the training rows"
    protocol = f"{repeats} x {folds}-fold cross-validation{share}"
    return [Evaluation.of(name, protocol, Predictions.joined(made)) for name, made in parts.items()]


def _check(table: Table, models: "Mapping[str, TableClassifier]") -> None:
    if table.target is None:
        raise DataError("the table has no target, so there is nothing to predict; name one with as_table")
    check_instance("models", models, Mapping, "classifiers by name")
    if not models:
        raise InvalidParameter("models: there is none; give at least one")
    for name, model in models.items():
        if "classes" not in getattr(model, "capabilities", ()):
            raise InvalidParameter(f"model {name!r}: predicts no classes; leave it out")
        if model.schema is not None:
            raise InvalidParameter(
                f"model {name!r}: has a schema of its own, and all models are scored on the values of the "
                "table; leave schema= out"
            )


def _agreed(option: str, models: "Mapping[str, TableClassifier]") -> Any:
    """What all models say about cells of a kind."""
    said = [getattr(model, option) for model in models.values()]
    if any(value != said[0] for value in said):
        raise InvalidParameter(
            f"{option}: the models differ {listed(list(dict.fromkeys(said)))}, and all are scored on the "
            f"same cells; pass {option}= to evaluate"
        )
    return said[0]


def _predicted(model: "TableClassifier", train: Coded, test: Coded) -> Predictions:
    return Predictions(*_cloned(model).fit_coded(train).log_probs_of(test), test.class_codes, test.weights)


def _cloned(model: "TableClassifier") -> "TableClassifier":
    from sklearn.base import clone

    copy: TableClassifier = clone(model)
    return copy
