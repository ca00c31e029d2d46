"""Naive Bayes that learns, forgets and predicts one row at a time."""

import math
from collections import deque
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from .._display import Shown, counted
from ..blocks import Block, Facts
from ..counts import Counts
from ..errors import DataError, InvalidParameter
from ..estimators import NaiveBayes
from ..rules import Prior, rule_of
from ..rules.log_tables import value_entries
from ..table import Schema
from ..table._messages import listed, shown
from ..table.checks import check_choice, check_instance, check_number, check_size
from ..table.encode import HandleUnknown, code_of
from ..table.one_row import RowReader
from ..typing import FloatArray, Scalar

LARGEST_WEIGHT = 1e100
"""Weights of rows grow while older ones are forgotten; from here on all are made smaller."""


class OnlineNaiveBayes(Shown):
    """Naive Bayes on a stream, with mutable counts.

    Predictions are those of :class:`codelength.NaiveBayes` fitted to the same rows, under any rule. A row is
    a mapping of names to cells. Cells that are absent, missing or not in the schema say nothing.

    Parameters
    ----------
    schema : Schema
        The variables, their values and the classes.
    rule, prior
        As in :class:`codelength.NaiveBayes`.
    half_life : float, optional
        After so many rows a row counts half. By default rows are never forgotten.
    window : int, optional
        Only the last so many rows count.
    handle_unknown : {"ignore", "error"}
        Whether a value that the schema does not list is passed over, or refused.

    Examples
    --------
    >>> from codelength import Schema, Variable
    >>> schema = Schema([Variable("outlook", ("rain", "sun"))], Variable("play", ("no", "yes")))
    >>> model = OnlineNaiveBayes(schema)
    >>> for outlook, play in [("sun", "yes"), ("rain", "no"), ("sun", "yes")]:
    ...     _ = model.learn_one({"outlook": outlook}, play)
    >>> {play: round(p, 3) for play, p in model.predict_proba_one({"outlook": "sun"}).items()}
    {'no': 0.229, 'yes': 0.771}
    """

    def __init__(
        self,
        schema: Schema,
        *,
        rule: str = "evidence",
        prior: Prior | str = "uniform",
        half_life: float | None = None,
        window: int | None = None,
        handle_unknown: HandleUnknown = "ignore",
    ) -> None:
        check_instance("schema", schema, Schema, "a Schema")
        if schema.target is None:
            raise DataError("the schema has no target; name the classes there are")
        check_choice("handle_unknown", handle_unknown, HandleUnknown)
        if half_life is not None and window is not None:
            raise InvalidParameter("half_life= and window= are two ways to forget; choose one")
        self.schema = schema
        self._decay = 1.0
        if half_life is not None:
            self._decay = 0.5 ** (1 / check_number("half_life", half_life, above=True))
        self._window: deque[tuple[list[int], list[int], int]] | None = None
        if window is not None:
            self._most = check_size("window", window)
            self._window = deque()
        self._rule = rule_of(rule)
        self._prior = prior
        offsets = self._rule.offsets_under(prior, schema)
        spare = schema.offsets[1:] - 1
        value_offsets = offsets.value_offsets.copy()
        value_offsets[:, spare] = 0.0
        self._class_offsets = offsets.class_offsets
        # One row per cell, so that those of one row of the table are taken together.
        self._value_offsets = np.ascontiguousarray(value_offsets.T)
        self._total_offsets = _totals(value_offsets, schema)
        self._n_values = schema.n_values[:, None]
        self._row = RowReader(schema, refuse_values=handle_unknown == "error")
        self._classes: dict[Any, int] = {}
        self._class_counts = np.zeros(schema.n_classes)
        self._value_counts = np.zeros((int(schema.offsets[-1]), schema.n_classes))
        self._totals = np.zeros((schema.n_variables, schema.n_classes))
        self._weight = 1.0
        self._n_scored, self._log_loss, self._hits = 0, 0.0, 0

    @classmethod
    def of(cls, model: NaiveBayes, **options: Any) -> Self:
        """What goes on where a fitted model stands; ``options`` are the ways to forget."""
        check_instance("model", model, NaiveBayes, "a fitted NaiveBayes")
        fitted = model._fitted
        if fitted.chosen is not None or fitted.params["numeric"] == "average":
            raise InvalidParameter(
                "the model chose among its variables or averages over intervals, which takes all rows at "
                'once; fit it with select=None and numeric="discretize"'
            )
        usual = {name: fitted.params[name] for name in ("rule", "prior", "handle_unknown")}
        found = cls(fitted.schema, **usual, **options)
        if found._window is not None:
            raise InvalidParameter(
                "window=: rows that were counted before cannot be told apart to forget them"
            )
        found._class_counts[:] = fitted.counts.class_counts
        found._value_counts[:] = fitted.counts.value_counts.T
        without_missing = fitted.counts.value_counts.copy()
        without_missing[:, fitted.schema.offsets[1:] - 1] = 0.0
        found._totals[:] = _totals(without_missing, fitted.schema)
        return found

    def learn_one(self, x: Mapping[str, Any], y: Scalar) -> Self:
        """Count a row.

        Parameters
        ----------
        x : mapping of str to cell
            The row.
        y : class
            Its class.
        """
        code = self._class_code(y)
        cells, positions = self._row.cells(x)
        if self._decay < 1.0:
            self._weight /= self._decay
        weight = self._weight
        self._class_counts[code] += weight
        self._value_counts[cells, code] += weight
        self._totals[positions, code] += weight
        if weight > LARGEST_WEIGHT:
            self._shrink()
        if self._window is not None:
            self._window.append((cells, positions, code))
            if len(self._window) > self._most:
                self._take_off(*self._window.popleft())
        return self

    def unlearn_one(self, x: Mapping[str, Any], y: Scalar) -> Self:
        """Take back a row that was learned.

        Parameters
        ----------
        x, y
            As they were learned.
        """
        if self._decay < 1.0 or self._window is not None:
            raise InvalidParameter("unlearn_one: rows are forgotten by half_life= or window= already")
        code = self._class_code(y)
        cells, positions = self._row.cells(x)
        if self._class_counts[code] < 1.0 or (self._value_counts[cells, code] < 1.0).any():
            raise DataError("unlearn_one: there is no such row left to take back; give one that was learned")
        self._take_off(cells, positions, code)
        return self

    def predict_proba_one(self, x: Mapping[str, Any]) -> dict[Scalar, float]:
        """Probability of each class of a row.

        Where every class is impossible the uniform distribution stands in.
        """
        return dict(zip(self.schema.classes, self._probs(x).tolist(), strict=True))

    def predict_one(self, x: Mapping[str, Any]) -> Scalar:
        """The most probable class of a row; the first of several equally probable ones."""
        return self.schema.classes[int(self._probs(x).argmax())]

    def score_one(self, x: Mapping[str, Any], y: Scalar) -> float:
        """Predict a row, keep how well that went, and learn it.

        Returns
        -------
        float
            Log probability that was given to the class, in nats.
        """
        code, probs = self._class_code(y), self._probs(x)
        found = math.log(probs[code]) if probs[code] > 0 else -math.inf
        self._n_scored += 1
        self._log_loss -= found
        self._hits += int(probs.argmax()) == code
        self.learn_one(x, y)
        return found

    @property
    def n_scored(self) -> int:
        """How many rows were predicted before they were learned."""
        return self._n_scored

    @property
    def code_length(self) -> float:
        """What the classes of these rows cost, each predicted from the rows before it, in nats."""
        return self._log_loss

    @property
    def log_score(self) -> float:
        """Their mean log probability, in nats; NaN before the first."""
        return -self._log_loss / self._n_scored if self._n_scored else math.nan

    @property
    def accuracy(self) -> float:
        """The share whose most probable class occurred; NaN before the first."""
        return self._hits / self._n_scored if self._n_scored else math.nan

    @property
    def counts(self) -> Counts:
        """A copy of the counts, with what was forgotten taken off. Missing cells are not counted."""
        return Counts(
            self.schema,
            self._class_counts / self._weight,
            np.ascontiguousarray(self._value_counts.T) / self._weight,
        )

    def _probs(self, x: Mapping[str, Any]) -> FloatArray:
        cells, positions = self._row.cells(x)
        weight = self._weight
        classes, counts, totals = self._class_counts, self._value_counts[cells], self._totals[positions]
        if weight != 1.0:
            classes, counts, totals = classes / weight, counts / weight, totals / weight
        log_weights = self._rule.growth(classes + self._class_offsets)
        if cells:
            entries = value_entries(
                self._rule,
                counts + self._value_offsets[cells],
                totals + self._total_offsets[positions],
                self._n_values[positions],
            )
            log_weights = log_weights + entries.sum(axis=0)
        top = log_weights.max()
        if top == -math.inf:
            return np.full(len(log_weights), 1 / len(log_weights))
        powers = np.exp(log_weights - top)
        return np.asarray(powers / powers.sum())

    def _class_code(self, y: Scalar) -> int:
        key = (type(y), y)
        try:
            return self._classes[key]
        except Exception:  # not met before, or an object that cannot be looked up
            pass
        assert self.schema.target is not None
        code = code_of(self.schema.target, y)
        if code is None or code < 0:
            raise DataError(
                f"class {shown(y)} is not in the schema {listed(self.schema.classes)}; name all classes "
                "beforehand"
            )
        self._classes[key] = code
        return code

    def _take_off(self, cells: list[int], positions: list[int], code: int) -> None:
        self._class_counts[code] -= 1.0
        self._value_counts[cells, code] -= 1.0
        self._totals[positions, code] -= 1.0

    def _shrink(self) -> None:
        for counts in (self._class_counts, self._value_counts, self._totals):
            counts /= self._weight
        self._weight = 1.0

    def _title(self) -> str:
        rows = counted(float(np.round(self._class_counts.sum() / self._weight, 1)), "row")
        return f"OnlineNaiveBayes: {rows}, {counted(self.schema.n_variables, 'variable')}"

    def _blocks(self) -> list[Block]:
        facts = [("rule", self._rule.name), ("classes", f"{self.schema.n_classes}")]
        if self._n_scored:
            facts += [
                ("rows predicted before they were learned", f"{self._n_scored:,}"),
                ("their log score", f"{self.log_score:.4f} nats"),
                ("their code length", f"{self.code_length / math.log(2):.1f} bits"),
                ("their accuracy", f"{self.accuracy:.4f}"),
            ]
        return [Facts(facts)]


def _totals(counts: FloatArray, schema: Schema) -> FloatArray:
    """Sums over the values of each variable, shape (n_variables, n_classes), from (n_classes, n_cells)."""
    if not schema.n_variables:
        return np.zeros((0, schema.n_classes))
    return np.ascontiguousarray(np.add.reduceat(counts, schema.offsets[:-1], axis=1).T)
