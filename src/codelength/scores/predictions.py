"""Predicted class distributions with observed classes, and their scores.

Order of reading: :class:`Predictions` (one property per score), then the functions :func:`log_score`,
:func:`accuracy` and :func:`brier_score` for probabilities from anywhere, which :func:`predictions_of` checks.

Depends on :mod:`codelength.table`, :mod:`codelength.decisions` (ties) and ``calibration``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .._display import Shown, counted, nats_and_bits
from ..blocks import Block, Facts
from ..decisions import first_best_of_rows
from ..errors import DataError
from ..naive_bayes import normalised
from ..table import Schema, Table, Variable, encode, infer_schema
from ..table.checks import (
    as_array,
    check_cap,
    check_instance,
    check_number,
    check_same_rows,
    check_sequence,
    check_weights,
)
from ..table.target import target_column
from ..typing import BoolArray, CodeArray, FloatArray, IntArray
from .calibration import calibration

NOTHING = "there are no predictions to score; give at least one row"


class Scored(Shown):
    """Base class of predictions, and of sums over them: their scores, and these as text."""

    __slots__ = ()
    _heading: ClassVar[str] = "Predictions"
    n_rows: Any
    n_undefined: Any
    n_zero: Any
    optimistic: Any
    calibration_error: Any
    _is_scored: Any
    _sizes: Any

    def _mean(self, figure: str) -> float:
        """Return the weighted mean of one of the figures of rows, which are named like properties."""
        raise NotImplementedError

    @property
    def log_score(self) -> float:
        """Mean log probability of the observed class, in nats; higher is better.

        Minus infinity if an observed class has probability zero.
        """
        return self._mean("true_log_probs")

    @property
    def accuracy(self) -> float:
        """Share of rows whose most probable class occurred."""
        return self._mean("hits")

    @property
    def brier_score(self) -> float:
        """Mean squared distance from the observed class, summed over classes: 0 at best, 2 at worst."""
        return self._mean("distances")

    def _title(self) -> str:
        words = [f"{name} {figure}" for name, figure in self._figures()[:2]]
        return ", ".join([f"{self._heading}: {counted(self.n_rows, 'row')}", *words])

    def _blocks(self) -> list[Block]:
        facts = [*self._sizes, *self._figures()]
        facts += [("undefined rows (0/0)", f"{self.n_undefined:,}")] if self.n_undefined else []
        facts += [("rows given probability zero", f"{self.n_zero:,}")] if self.n_zero else []
        if self.optimistic:
            facts.append(("optimistic", "the rows took part in choosing the model"))
        return [Facts(facts)]

    def _figures(self) -> list[tuple[str, str]]:
        """Return names and formatted values of the scores; empty without rows."""
        if not self._is_scored:
            return []
        return [
            ("log score", nats_and_bits(self.log_score, 4)),
            ("accuracy", f"{self.accuracy:.4f}"),
            ("Brier score", f"{self.brier_score:.4f}"),
            ("calibration error", f"{self.calibration_error:.4f}"),
        ]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Predictions(Scored):
    """Predicted distributions and observed classes.

    Attributes
    ----------
    log_probs : array of shape (n_rows, n_classes)
        Predicted log probabilities in nats, uniform if undefined.
    undefined : array of shape (n_rows,)
        True for rows in which the definition gives 0/0.
    class_codes : array of shape (n_rows,)
        Codes of the observed classes.
    weights : array of shape (n_rows,), optional
        Weights of the rows.
    optimistic : bool
        True if the rows were used to select the model, so that scores on them are optimistic.
    """

    log_probs: FloatArray
    undefined: BoolArray
    class_codes: CodeArray
    weights: FloatArray | None = None
    optimistic: bool = False

    @classmethod
    def joined(cls, parts: "Sequence[Predictions]") -> "Predictions":
        """Concatenate several sets of predictions."""
        parts = check_sequence("parts", parts, of="predictions")
        for part in parts:
            check_instance("parts", part, Predictions, "a list of Predictions")
        if len({part.log_probs.shape[1] for part in parts}) != 1:
            raise DataError(f"{len(parts)} predictions over different classes; give some over the same ones")
        names = ["log_probs", "undefined", "class_codes"] + ["weights"] * (parts[0].weights is not None)
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cls(**joined, optimistic=any(part.optimistic for part in parts))

    @property
    def n_rows(self) -> int:
        """Number of predictions."""
        return len(self.class_codes)

    @property
    def true_log_probs(self) -> FloatArray:
        """Log probability of the observed class of each row."""
        return self.log_probs[np.arange(self.n_rows), self._labels]

    @property
    def hits(self) -> FloatArray:
        """1 for rows whose most probable class occurred, else 0; 1 / n_classes for undefined rows.

        The first of several equally probable classes counts.
        """
        # Ties are decided on probabilities, with the tolerance of all other decisions.
        hits: FloatArray = (first_best_of_rows(np.exp(self.log_probs)) == self._labels).astype(np.float64)
        # Undefined predictions are uniform; counting the first class would favour it.
        hits[self.undefined] = 1 / self.log_probs.shape[1]
        return hits

    @property
    def distances(self) -> FloatArray:
        """Squared distance from the observed class, summed over classes, of each row."""
        differences = np.exp(self.log_probs)
        # The observed class has indicator 1, all others 0.
        differences[np.arange(self.n_rows), self._labels] -= 1
        return np.asarray((differences**2).sum(axis=1))

    def capped_log_probs(self, cap: float | None) -> FloatArray:
        """Return the log probability of the observed class of each row, at least minus ``cap``."""
        limit = check_cap(cap)
        return np.maximum(self.true_log_probs, -math.inf if limit is None else -limit)

    @property
    def calibration_error(self) -> float:
        """Mean absolute difference of predicted and observed frequencies, over ten bins of the rows.

        Rows are binned by the probability of their most probable class; see
        :func:`codelength.scores.calibration.calibration`. 0 at best; not reliable for a few rows.
        """
        weights = self.row_weights
        counted = weights > 0
        promised = np.exp(self.log_probs[counted].max(axis=1))
        return calibration(promised, self.hits[counted], weights[counted]).error

    @property
    def n_undefined(self) -> int:
        """Number of rows in which the definition gives 0/0."""
        return int(np.count_nonzero(self.undefined))

    @property
    def n_zero(self) -> int:
        """Number of rows whose observed class has probability zero."""
        return int(np.count_nonzero(np.isneginf(self.true_log_probs)))

    def tempered(self, power: float) -> "Predictions":
        """Return the predictions with probabilities raised to a power and normalised again."""
        number = check_number("power", power, above=True)
        return self if number == 1 else replace(self, log_probs=normalised(number * self.log_probs).log_probs)

    @property
    def _is_scored(self) -> bool:
        return bool(self.n_rows if self.weights is None else self.weights.any())

    @property
    def _sizes(self) -> list[tuple[str, str]]:
        return [("rows", f"{self.n_rows:,}"), ("classes", f"{self.log_probs.shape[1]}")]

    @property
    def _labels(self) -> IntArray:
        return np.asarray(self.class_codes, dtype=np.int64)

    @property
    def row_weights(self) -> FloatArray:
        """Weight of each row, 1 by default; raise DataError if there is nothing to score."""
        if not self._is_scored:
            raise DataError(NOTHING)
        return np.ones(self.n_rows) if self.weights is None else self.weights

    def _mean(self, figure: str) -> float:
        return self._average(getattr(self, figure))

    def _average(self, numbers: FloatArray) -> float:
        # Rows of weight zero are dropped, because 0 times an infinite log probability is NaN.
        weights = self.row_weights
        counted = weights > 0
        return float(np.average(numbers[counted], weights=None if self.weights is None else weights[counted]))


def log_score(
    probabilities: Any,
    y: Any,
    *,
    classes: Sequence[Any] | None = None,
    cap: float | None = None,
    sample_weight: Any = None,
) -> float:
    """Return the mean natural log of the probability of the observed class; higher is better.

    Parameters
    ----------
    probabilities : array of shape (n_rows, n_classes)
        Predicted probabilities, as ``predict_proba`` returns them.
    y : series or array of shape (n_rows,)
        Observed classes.
    classes : sequence, optional
        The class of each column, such as ``model.classes_``; by default the distinct classes of ``y`` in
        order.
    cap : float, optional
        Largest loss of one row, in nats. By default, the score is minus infinity if an observed class has
        probability zero.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.

    Examples
    --------
    >>> round(log_score([[0.5, 0.5], [0.25, 0.75]], ["no", "yes"]), 4)
    -0.4904
    >>> log_score([[1.0, 0.0]], ["yes"], classes=["no", "yes"], cap=100)
    -100.0
    """
    limit = check_cap(cap)
    made = predictions_of(probabilities, y, classes, sample_weight)
    return made._average(made.capped_log_probs(limit))


def accuracy(
    probabilities: Any, y: Any, *, classes: Sequence[Any] | None = None, sample_weight: Any = None
) -> float:
    """Return the share of rows whose most probable class occurred; the first of equally probable ones counts.

    Parameters are those of :func:`log_score`.

    Examples
    --------
    >>> accuracy([[0.9, 0.1], [0.6, 0.4]], ["no", "yes"])
    0.5
    """
    return predictions_of(probabilities, y, classes, sample_weight).accuracy


def brier_score(
    probabilities: Any, y: Any, *, classes: Sequence[Any] | None = None, sample_weight: Any = None
) -> float:
    """Return the mean squared distance from the observed class, summed over classes: 0 at best, 2 at worst.

    Parameters are those of :func:`log_score`.

    Examples
    --------
    >>> brier_score([[0.5, 0.5]], ["yes"], classes=["no", "yes"])
    0.5
    """
    return predictions_of(probabilities, y, classes, sample_weight).brier_score


def predictions_of(
    probabilities: Any, y: Any, classes: Sequence[Any] | None = None, sample_weight: Any = None
) -> Predictions:
    """Return checked predictions from probabilities and observed classes.

    Parameters are those of :func:`log_score`.

    Raises
    ------
    DataError
        If probabilities are not distributions or do not fit the classes.
    """
    probs = as_array(probabilities, np.float64)
    if probs.ndim != 2:
        raise DataError(
            "probabilities: expected an array of numbers with one row per row and one column per class"
        )
    column = target_column(y)
    check_same_rows(len(probs), len(column.missing))
    table = Table((), len(probs), target=column)
    if classes is None:
        schema = infer_schema(table)
    else:
        schema = Schema((), Variable("y", check_sequence("classes", classes)))
    if schema.n_classes != probs.shape[1]:
        raise DataError(
            f"probabilities have {probs.shape[1]} columns for {schema.n_classes} classes; name the class of "
            "each column with classes="
        )
    # Written as a negation, so that NaN is rejected.
    wrong = ~((probs >= 0).all(axis=1) & np.isclose(probs.sum(axis=1), 1.0, rtol=0, atol=1e-6))
    if wrong.any():
        raise DataError(
            f"probabilities, row {int(np.argmax(wrong))}: not a distribution; expected numbers of at least 0 "
            "that add up to 1"
        )
    with np.errstate(divide="ignore"):
        log_probs = np.log(probs)
    weights = check_weights(sample_weight, len(probs))
    return Predictions(log_probs, np.zeros(len(probs), np.bool_), encode(schema, table).class_codes, weights)
