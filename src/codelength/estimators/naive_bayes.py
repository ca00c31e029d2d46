"""The naive Bayes classifier with four ways to turn counts into a predictive distribution."""

import warnings
from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..counts import Counts, count
from ..errors import DataError, InvalidParameter, SchemaMismatch, UndefinedPrediction
from ..rules import RULES, PriorLike, RuleName, Scorer, log_tables, pseudocounts
from ..rules.explanation import Explanation, log_odds_against
from ..scores import Predictions, evidence_code_length, leave_one_out
from ..selection.variables import CriterionName as Selection
from ..selection.variables import SelectionResult, select_variables
from ..table import Coded, Schema, encode
from ..table.checks import check_choice, check_same_rows
from ..table.target import target_column
from ..typing import BoolArray, CodeArray, FloatArray, Scalar
from .base import TableEstimator, check_same_classes
from .validation import check_not_empty, checked_weights, class_array, warn_about_names

FLOOR = 100.0
"""The most that one row can cost while variables are chosen under rule "map", in nats."""


class NaiveBayes(ClassifierMixin, TableEstimator):
    """Naive Bayes on categorical tables, with honest class probabilities.

    Parameters
    ----------
    rule : {"evidence", "map", "stochastic_complexity", "indifferent"}
        How counts become a prediction: by averaging over all models, by the most probable model, by
        the best fit to the data and the new row, or by averaging when no model is preferred.
    prior : {"uniform", "jeffreys", "indifferent"}, float or Prior
        Dirichlet pseudocounts; a number is an equivalent sample size. The rules
        ``"stochastic_complexity"`` and ``"indifferent"`` do without.
    missing : {"ignore", "value"}
        Whether missing cells (None, NaN, pd.NA) are marginalised exactly, or are a value of their own in
        the variables that have missing cells in training.
    handle_unknown : {"ignore", "error"}
        Whether a value that was not in training is marginalised like a missing cell, or refused.
    numeric : {"auto", "discretize", "category", "error"}
        What becomes of columns of numbers. ``"auto"`` keeps at most 20 distinct whole numbers as
        categories and cuts every other column into five intervals of about equal frequency, learned
        from the training rows. ``schema_.describe()`` tells what was decided.
    select : {"prequential", "leave_one_out", "evidence"}, optional
        The criterion by which :meth:`fit` chooses the variables to predict from, by greedy moves forward;
        see :func:`codelength.fitting.search.select_variables`. By default all variables predict.
    schema : Schema, optional
        The variables and their values, where they are known beforehand. Otherwise they are taken from
        the first rows seen; declared domains (``pd.Categorical``, ``pl.Enum``) are honoured.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes.
    schema_ : Schema
        The variables, their values, and how they were settled.
    counts_ : Counts
        How often each value was seen in each class; all that the model knows.
    code_length_ : float
        Minus the log evidence of the training table (the classes and the variables that predict), in nats.
    selection_ : SelectionResult
        The variables chosen and the way there, where ``select`` is given.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : array of shape (n_features_in_,)
        Names of the variables, where the training table had names.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> table = {"outlook": ["sun", "sun", "rain", "rain"], "wind": ["no", "yes", "no", None]}
    >>> model = NaiveBayes().fit(table, ["out", "out", "in", "in"])
    >>> model.predict_proba({"outlook": ["sun"], "wind": ["no"]}).round(3)
    array([[0.308, 0.692]])
    >>> round(model.code_length_, 3)
    8.083
    """

    classes_: NDArray[Any]
    counts_: Counts

    def __init__(
        self,
        rule: RuleName = "evidence",
        prior: PriorLike = "uniform",
        *,
        missing: Literal["ignore", "value"] = "ignore",
        handle_unknown: Literal["ignore", "error"] = "ignore",
        numeric: Literal["auto", "discretize", "category", "error"] = "auto",
        select: Selection | None = None,
        schema: Schema | None = None,
    ) -> None:
        self.rule = rule
        self.prior = prior
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.numeric = numeric
        self.select = select
        self.schema = schema

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the rows of ``X`` within the classes of ``y``.

        Parameters
        ----------
        X : data frame, array, or mapping of names to columns
            The rows.
        y : series or array
            The class of each row.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; a weight of 2 counts as two equal rows, 0 as none.
        """
        return self._count(X, y, None, sample_weight, None)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count more rows; the schema is the one given, or settled by the first rows.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.
        classes : array, optional
            All classes there are; by default those of the first rows. Needed when some come later.
        """
        if self.select is not None:
            raise InvalidParameter(
                f"select={self.select!r}: choosing variables takes all rows at once; call fit instead"
            )
        return self._count(X, y, classes, sample_weight, getattr(self, "counts_", None))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; the first of several equally probable ones."""
        most_probable = np.argmax(self._log_probs(X), axis=1)
        return np.asarray(self.classes_[most_probable])

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class for each row, shape (n_rows, n_classes).

        Where the definition gives 0/0 (rule ``"map"`` only) the uniform distribution stands in, and a
        warning says for how many rows; :meth:`is_undefined` tells which.
        """
        return np.asarray(np.exp(self._log_probs(X)))

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Log probability of each class for each row, in nats."""
        return self._log_probs(X)

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Log weight of each row together with each class, in nats.

        For the rules ``"map"``, ``"evidence"`` and ``"indifferent"`` this is the log of the joint predictive
        probability of the row and the class. For ``"stochastic_complexity"`` it is the maximised
        log-likelihood of the training table together with the row and the class.
        """
        codes = self._predicting(X)
        return self._scorer.log_weights(codes)

    def is_undefined(self, X: Any) -> BoolArray:
        """In which rows every class has weight zero, so that the prediction is 0/0."""
        codes = self._predicting(X)
        return self._scorer.log_probs(codes)[1]

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> Predictions:
        """Predict each training row from all the others, in closed form.

        Parameters
        ----------
        X, y, sample_weight
            The rows the model was fitted on. Intervals of numeric columns stay as they were learned
            from all rows.

        Returns
        -------
        Predictions
            Per-row log probabilities (``log_probs``, ``true_log_probs``), ``log_score``, ``accuracy``,
            ``brier_score``, and how many rows are undefined or were given probability zero.
        """
        coded = self._encoded(X, target_column(y))
        weights = checked_weights(sample_weight, coded.n_rows)
        if self._chosen is not None:
            coded = Coded(np.asfortranarray(coded.codes[:, list(self._chosen)]), coded.classes)
        return leave_one_out(self._counts, coded, self._rule, sample_weight=weights)

    def explain(self, X: Any, against: Scalar | None = None) -> Explanation:
        """What each variable contributes to the log-odds of each class, row by row.

        Parameters
        ----------
        X : data frame, array, or mapping of names to columns
            The rows.
        against : class, optional
            The class that the others are set against; by default the first.
        """
        codes = self._encoded(X).codes
        classes = self.schema_.classes
        if against is not None and against not in classes:
            raise InvalidParameter(f"against={against!r}: expected one of the classes {classes}")
        reference = 0 if against is None else classes.index(against)
        tables = log_tables(self._counts, self._rule)
        contributions = np.zeros((*codes.shape, len(classes)))
        chosen = list(range(codes.shape[1]) if self._chosen is None else self._chosen)
        cells = codes[:, chosen].astype(np.int64) + self._counts.schema.offsets[:-1]
        contributions[:, chosen] = log_odds_against(tables.value_table.T[cells], reference)
        intercept = log_odds_against(tables.class_table, reference)
        return Explanation(self.schema_.names, classes, classes[reference], intercept, contributions)

    def merge(self, other: "NaiveBayes") -> "NaiveBayes":
        """The model of both training tables, counted under one schema.

        Examples
        --------
        >>> from codelength import NaiveBayes, Schema
        >>> parts = NaiveBayes(schema=Schema.from_sizes([2], n_classes=2))
        >>> from sklearn.base import clone
        >>> one, two = clone(parts).fit([[0], [1]], [0, 1]), clone(parts).fit([[1]], [1])
        >>> one.merge(two).counts_.n_rows
        3.0
        """
        check_is_fitted(self, "counts_")
        check_is_fitted(other, "counts_")
        if self._chosen != other._chosen:
            raise SchemaMismatch(
                "the models chose different variables to predict from; fit them without select="
            )
        merged = type(self)(**self.get_params(deep=False))
        counts = self.counts_.merge(other.counts_)
        return merged._settle(counts, hasattr(self, "feature_names_in_"), self._chosen)

    @property
    def code_length_(self) -> float:
        """Minus the log evidence of the training table, in nats; equation (8) of the 1998 paper."""
        check_is_fitted(self, "counts_")
        return evidence_code_length(self._counts, self._prior)

    def _count(self, X: Any, y: Any, classes: Any, sample_weight: Any, before: Counts | None) -> Self:
        self._check_params()
        columns = as_columns(X)
        check_not_empty(columns)
        target = target_column(y)
        check_same_rows(columns.n_rows, len(target.missing))
        weights = checked_weights(sample_weight, columns.n_rows)
        ready: Any = X if isinstance(X, np.ndarray) else columns
        if weights is not None and not weights.all():
            # A row of weight zero is no row: neither its values nor its class are there.
            rows = weights > 0
            columns, target, weights = columns.take(rows), target.take(rows), weights[rows]
            ready = X[rows] if isinstance(X, np.ndarray) else columns
        if before is None:
            schema = self._settled_schema(columns, target, classes, weights)
        else:
            schema = before.schema
            check_same_classes(classes, schema, "as on the first call to partial_fit")
            warn_about_names(self, columns)
        by_name = columns.named and (before is None or hasattr(self, "feature_names_in_"))
        coded = encode(
            schema, ready, target, handle_unknown=self.handle_unknown, training=True, by_name=by_name
        )
        counts = count(schema, coded, weights)
        chosen = None
        if self.select is not None:
            self.selection_ = self._selection(self.select, schema, coded, weights)
            chosen = self.selection_.selected
        return self._settle(counts if before is None else before.merge(counts), columns.named, chosen)

    def _selection(
        self, criterion: Selection, schema: Schema, coded: Coded, weights: FloatArray | None
    ) -> SelectionResult:
        if weights is not None and not np.array_equal(weights, np.round(weights)):
            raise InvalidParameter(
                "select= scores whole rows, and the weights are not whole numbers; leave them out"
            )
        if weights is not None:
            coded = coded.take(np.repeat(np.arange(coded.n_rows), weights.astype(np.int64)))
        # A floor, because under rule "map" one class of probability zero would make all sets alike.
        floor = FLOOR if self.rule == "map" else None
        return select_variables(schema, coded, criterion, rule=self.rule, prior=self.prior, floor=floor)

    def _check_params(self) -> None:
        check_choice("rule", self.rule, RuleName)
        if self.select is not None:
            check_choice("select", self.select, Selection)
        self._check_table_options()

    def _settle(self, counts: Counts, named: bool, chosen: tuple[int, ...] | None = None) -> Self:
        """Keep counts and all that follows from them, once it is sure that they do."""
        predicting = counts if chosen is None else counts.select(chosen)
        prior = pseudocounts("indifferent" if self.rule == "indifferent" else self.prior, predicting.schema)
        rule = RULES[self.rule](predicting, prior)
        scorer = Scorer.of(predicting.schema, log_tables(predicting, rule))
        self._set_schema(counts.schema, named)
        self.counts_ = counts
        self.classes_ = class_array(counts.schema.classes)
        self._chosen, self._counts = chosen, predicting
        self._prior, self._rule, self._scorer = prior, rule, scorer
        return self

    def _predicting(self, X: Any) -> CodeArray:
        """Codes of the variables that predict."""
        codes = self._encoded(X).codes
        return codes if self._chosen is None else np.asfortranarray(codes[:, list(self._chosen)])

    def _log_probs(self, X: Any) -> FloatArray:
        codes = self._predicting(X)
        log_probs, undefined = self._scorer.log_probs(codes)
        if undefined.any():
            warnings.warn(
                f"{np.count_nonzero(undefined)} of {len(undefined)} rows: every class has weight zero under "
                f'rule="{self.rule}" (0/0); the uniform distribution stands in, is_undefined(X) tells where',
                UndefinedPrediction,
                stacklevel=3,
            )
        return log_probs

    def _content(self) -> dict[str, Any]:
        """What a model file keeps beside the parameters of the estimator."""
        return {"schema": self.schema_.to_json(), "counts": self.counts_.to_json(), "chosen": self._chosen}

    def _restore(self, content: Mapping[str, Any], named: bool) -> Self:
        """Take over what :meth:`_content` kept."""
        self._check_params()
        schema = Schema.from_json(content["schema"])
        chosen = content["chosen"]
        counts = Counts.from_json(content["counts"], schema)
        if chosen is not None and not set(chosen) <= set(range(schema.n_variables)):
            raise DataError(f"the variables chosen, {chosen!r}, are not positions of variables")
        return self._settle(counts, named, None if chosen is None else tuple(map(int, chosen)))
