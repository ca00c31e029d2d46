"""What all classifiers on averages share: from a table to members, and from members to predictions."""

from collections.abc import Mapping
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from .._threads import n_threads_or_default
from ..averages.pool import Pool
from ..averages.training import Training
from ..blocks import Block, Facts, Grid
from ..errors import DataError, InvalidParameter
from ..naive_bayes import Distributions, Explanation
from ..naive_bayes.explanation import check_class
from ..scores import Predictions
from ..sources import as_table, known_rows
from ..table import Coded, Schema
from ..table.checks import check_choice, check_random_state, check_size, seed_of
from ..table.cutting import Cutting
from ..table.encode import HandleUnknown
from ..table.infer import Identifiers, Missing, Numeric
from ..table.schema import classes_grid
from ..table.target import target_column
from ..typing import FloatArray, Scalar
from ._fitted_average import SCORES, FittedAverage, HeldOut, learn_average
from .contract import Fitted, TableClassifier, Weighting
from .validation import check_coded, check_labelled

N_BINS = 100
"""Most intervals of a column of numbers: fine enough that members may look at numbers, not at intervals."""


class AveragingClassifier(ClassifierMixin, TableClassifier):
    """A classifier on one member of an average, or on several."""

    capabilities = frozenset({"classes", "leave_one_out", "explain", "weights"})
    cutting: ClassVar[Cutting | None] = Cutting(n_bins=N_BINS)

    def __init__(
        self,
        missing: Missing,
        handle_unknown: HandleUnknown,
        numeric: Numeric,
        identifiers: Identifiers,
        weighting: Weighting,
        strict: bool,
        schema: Schema | None,
        random_state: Any,
        n_jobs: int | None,
    ) -> None:
        super().__init__(missing, handle_unknown, numeric, identifiers, strict, schema)
        self.weighting = weighting
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` and their classes ``y``.

        Parameters
        ----------
        X, y, sample_weight
            As in :class:`codelength.NaiveBayes`. A weight of 2 counts as two equal rows. The result does not
            depend on the order of the rows.
        """
        return self._fit(X, y, sample_weight)

    def log_probs_of(self, coded: Coded) -> Distributions:
        """Log probability of each class for coded rows, in nats."""
        check_coded(coded, self._fitted.schema)
        return Distributions(self._fitted.log_probs(coded), np.zeros(coded.n_rows, dtype=np.bool_))

    def leave_one_out(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> HeldOut:
        """Honest predictions of the training rows, each without itself.

        They were made by :meth:`fit`, and cost nothing more. Of equal rows one is left out at a time. Where
        there are more than 20,000 distinct rows, those of a random part of them are given.

        Parameters
        ----------
        X, y, sample_weight
            The rows that the model was fitted on may be given again with their weights; others are refused.

        Returns
        -------
        HeldOut
            Scores (``log_score``, ``accuracy``, ``brier_score``, ``calibration_error``), distributions row by
            row, and in ``against`` the same for the class prior and for each member alone.
        """
        if X is None and (y is not None or sample_weight is not None):
            raise InvalidParameter("y and sample_weight belong to rows; pass X as well, or leave them out")
        if X is not None:
            table = as_table(known_rows(self._fitted.schema, X), y, sample_weight)
            target_column(table.target)
            self._fitted.check_training_rows(self._coded(table.counted()))
        left_out = self._fitted.left_out
        if left_out is None:
            raise DataError(
                "predictions of the training rows are not kept in model files; fit the model again"
            )
        return left_out

    def leave_one_out_of(self, coded: Coded) -> Predictions:
        """The same for coded rows: those that the model was fitted on."""
        check_labelled(coded, self._fitted.schema)
        self._fitted.check_training_rows(coded)
        return self.leave_one_out()

    def explain(self, X: Any, against: Scalar | None = None) -> Explanation:
        """What each variable contributes to the log-odds of each class, row by row.

        Contributions add up to the log-odds less those of a row in which nothing is known. They are exact if
        a member's log-odds are sums over variables, and Shapley values otherwise: what knowing a variable
        adds, averaged over all orders in which variables could become known (over 16 orders beyond 8
        variables).

        Parameters
        ----------
        X : Table, data frame, array, or mapping of names to columns
            The rows.
        against : class, optional
            The class that the others are set against; by default the first.
        """
        fitted, coded = self._fitted, self._encoded(X)
        if against is not None:
            check_class("against", against, fitted.schema.classes)
        return fitted.explain(coded, 0 if against is None else fitted.schema.classes.index(against))

    @property
    def _fitted(self) -> FittedAverage:
        state: FittedAverage = super()._fitted
        return state

    def _names(self) -> tuple[str, ...]:
        """Members to fit."""
        raise NotImplementedError

    def _pooled(self, training: Training, held_outs: FloatArray) -> tuple[Pool, FloatArray]:
        """How members are made into one, and what that says about rows it has not seen."""
        raise NotImplementedError

    def _learned(self, coded: Coded, fitted: Fitted) -> FittedAverage:
        seed, n_threads = seed_of(self.random_state), self._n_threads()
        return learn_average(coded, fitted, self._names(), seed, n_threads, self._pooled)

    def _n_threads(self) -> int:
        if self.n_jobs is None:
            return 1
        return n_threads_or_default(None if self.n_jobs == -1 else self.n_jobs)

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("weighting", self.weighting, Weighting)
        check_random_state(self.random_state)
        if self.n_jobs is not None and not (type(self.n_jobs) is int and self.n_jobs == -1):
            check_size("n_jobs", self.n_jobs, also=", -1 for all processors, or None for one thread")

    def _settings(self) -> dict[str, Any]:
        """Parameters other than the usual ones; members stand in the table of scores."""
        usual, params = signature(type(self)).parameters, self._shown_params().items()
        return {name: value for name, value in params if name != "members" and value != usual[name].default}

    def _scores(self) -> list[dict[str, Any]]:
        """What is known about each member, the class prior and all together."""
        return [dict(row) for row in self._fitted.scores]

    def _findings(self) -> list[Block]:
        fitted, scores = self._fitted, self._scores()
        titles = {"weight": "weight", **SCORES}
        columns = [name for name in titles if any(name in row for row in scores)]
        rows = [
            [row["name"], *(f"{row[name]:.4f}" if name in row else "" for name in columns)] for row in scores
        ]
        title = "training rows, each predicted without itself"
        return [
            Facts([("rows", f"{fitted.class_counts.sum():,.10g}")]),
            classes_grid(fitted.schema.target, fitted.class_counts),
            Grid(title, ["predicted by", *(titles[name] for name in columns)], rows),
        ]

    def _findings_document(self) -> dict[str, Any]:
        fitted = self._fitted
        return {
            "rows": float(fitted.class_counts.sum()),
            "class_counts": fitted.class_counts.tolist(),
            "held_out": self._scores(),
        }

    def _content(self) -> dict[str, Any]:
        return self._fitted.to_json()

    def _restored(self, fitted: Fitted, content: Mapping[str, Any]) -> FittedAverage:
        return FittedAverage.from_json(fitted, content)
