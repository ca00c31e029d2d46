"""The naive Bayes classifier, under any predictive rule."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from ..blocks import Block, Facts
from ..counts import Counts, count
from ..errors import DataError, InvalidParameter, UndefinedPrediction
from ..naive_bayes import (
    Distributions,
    Explanation,
    PriorLike,
    bound_prior,
    rule_of,
)
from ..naive_bayes.answer import Answer
from ..naive_bayes.explanation import check_class
from ..naive_bayes.interval_average import check_averages
from ..naive_bayes.query import Question
from ..scores import Predictions
from ..sources import as_table, is_lazy, known_rows
from ..table import Coded, Schema
from ..table._messages import tell
from ..table.checks import check_choice, check_flag, check_instance, check_number
from ..table.cutting import AVERAGED, Cutting
from ..table.encode import HandleUnknown
from ..table.infer import Identifiers, Missing, Numeric
from ..table.schema import classes_grid
from ..table.target import target_column
from ..typing import BoolArray, FloatArray, Scalar
from ._counted_tables import CountsTables
from ._exports import ExportedNetwork
from ._fitted_naive_bayes import FittedNaiveBayes, chosen_variables
from ._queries import JointModel, Known
from .contract import Fitted, Weighting
from .registry import register
from .validation import check_coded, check_labelled, check_same_classes, warn_about_names

if TYPE_CHECKING:
    from ..networks.look_ups import LookUps
    from ..selection import SelectionResult


@register
class NaiveBayes(ClassifierMixin, CountsTables, JointModel, ExportedNetwork):
    """Naive Bayes on categorical tables, with honest class probabilities.

    Parameters
    ----------
    rule : {"evidence", "map", "stochastic_complexity", "indifferent"}
        How counts become a prediction: by averaging over all models, by the most probable model, by
        the best fit to the data and the new row, or by averaging under a prior that favours no model.
    prior : {"uniform", "jeffreys", "indifferent"}, float, Prior, Counts, NaiveDistribution or NaiveBayes
        Dirichlet pseudocounts; a number is an equivalent sample size. Or what is known from earlier cases:
        their counts, a :class:`codelength.naive_bayes.NaiveDistribution`, or a fitted model,
        which goes on from where it was. The schema is then that of the earlier cases unless another is given.
        The rules ``"stochastic_complexity"`` and ``"indifferent"`` need no prior, and refuse earlier cases.
    missing : {"ignore", "value"}
        Whether missing cells (None, NaN, pd.NA) are marginalised exactly, or are a value of their own in
        the variables that have missing cells in training.
    handle_unknown : {"ignore", "error"}
        Whether a value that was not in training is marginalised like a missing cell, or refused.
    numeric : {"auto", "discretize", "average", "category", "error"}
        What becomes of columns of numbers, dates and times. ``"auto"`` keeps at most 20 distinct whole
        numbers or dates as categories and cuts every other column into five intervals of about equal
        frequency, learned from the training rows. ``"average"`` cuts into up to 20 intervals and predicts by
        the exact average over all ways to merge neighbouring ones, each weighted by its evidence; for rules
        that average over models, without ``select``. ``print(schema_)`` tells what was decided.
    identifiers : {"ignore", "error", "keep"}
        What becomes of columns of text in which nearly every value is distinct (more than 20 values, more
        than half of the cells): they are left out with a warning, refused, or kept as categories. Columns
        with declared domains are always kept.
    select : {"leave_one_out", "prequential", "evidence"}, optional
        The criterion by which :meth:`fit` chooses the variables to predict from, by greedy moves forward:
        the ``criterion`` of :func:`codelength.select_variables`. By default all variables predict.
    weighting : {"counts", "relative"}
        Whether ``sample_weight`` says how many rows each row stands for, in all counts and criteria, or how
        much it matters beside the others, as the weights of a survey do: then weights are scaled to add up
        to the number of rows that have one.
    strict : bool
        Whether columns that the model does not know are refused at prediction, or passed over.
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
        Code length of the training table (the classes and the variables that predict) by the code of the
        rule, in nats: minus the log evidence, or under rule ``"stochastic_complexity"`` normalised maximum
        likelihood (:func:`codelength.code_lengths.nml_code_length`, which says for which tables it is
        defined). The rule ``"map"`` has no code.
    evidence_code_length_ : float
        Minus the log evidence of the same under the prior, in nats, whatever the rule.
    posterior_ : Posterior
        What the model knows, which is a ``prior`` for another: the prior it had, and the rows it has counted.
    selection_ : SelectionResult
        The variables chosen and the way there, where ``select`` is given.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : array of shape (n_variables,)
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

    kind = "naive-bayes"
    capabilities = frozenset(
        {
            "classes",
            "leave_one_out",
            "explain",
            "weights",
            "partial_fit",
            "export",
            "network",
            "query",
            "fit_table",
        }
    )
    averages_intervals = True

    def __init__(
        self,
        rule: str = "evidence",
        prior: "PriorLike | NaiveBayes" = "uniform",
        *,
        missing: Missing = "ignore",
        handle_unknown: HandleUnknown = "ignore",
        numeric: Numeric = "auto",
        identifiers: Identifiers = "ignore",
        select: str | None = None,
        weighting: Weighting = "counts",
        strict: bool = False,
        schema: Schema | None = None,
    ) -> None:
        super().__init__(missing, handle_unknown, numeric, identifiers, strict, schema)
        self.rule = rule
        self.prior = prior
        self.select = select
        self.weighting = weighting

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count the rows of ``X`` within the classes of ``y``.

        Parameters
        ----------
        X : Table, data frame, array, mapping of names to columns, or path of a file
            The rows; see :func:`codelength.sources.as_table`.
        y : series, array, or name of a column of X
            The class of each row; a Table brings its own.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; a weight of 2 counts as two equal rows, 0 as none. So the weights of a
            survey, whose sum is a population, count for that many rows in every criterion; pass
            ``weighting="relative"`` for those.

        The rows of a lazy frame, a query, a Dask or a Spark data frame are counted batch after batch where
        ``y`` is the name of a column; see :meth:`fit_table`.
        """
        if isinstance(y, str) and sample_weight is None and self.select is None and is_lazy(X):
            return self.fit_table(X, y)
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count more rows; the schema is the one given, or settled by the first rows.

        Batches may come from several threads: each is counted once.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.
        classes : array, optional
            All classes there are; by default those of the first rows. Needed when some come later.
        """
        self._check_params()
        if self.select is not None:
            raise InvalidParameter(
                f"select={self.select!r}: choosing variables takes all rows at once; call fit instead"
            )
        table = self._training_table(X, y, sample_weight)
        if self.weighting == "relative" and table.weights is not None:
            raise InvalidParameter(
                'weighting="relative": the weights of different batches cannot be compared; call fit '
                'instead, or pass weighting="counts"'
            )
        with self.__dict__.setdefault("_lock", threading.Lock()):
            before = self.__dict__.get("_state")
            schema = self._settled_schema(table, classes) if before is None else before.schema
            if before is not None:
                check_same_classes(classes, schema, "as on the first call to partial_fit")
                warn_about_names(self, table, before.named)
            named = table.named if before is None else before.named
            told = frozenset() if before is None else before.told
            coded = self._training_codes(table, schema, by_name=table.named and named, told=told)
            state = self._learned(coded, Fitted(self._params(), schema, named))
            self._state = state if before is None else state.merged(before)
        return self

    def log_probs_of(self, coded: Coded) -> Distributions:
        """Log probability of each class for coded rows, in nats."""
        fitted = self._fitted
        check_coded(coded, fitted.schema)
        return fitted.predictor.log_probs(fitted.predicting(coded))

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Log probability of each class for each row, in nats.

        Where the definition gives 0/0 (rule ``"map"`` only) the uniform distribution stands in, and a
        warning says for how many rows; :meth:`is_undefined` tells which.
        """
        log_probs, undefined = self.log_probs_of(self._encoded(X))
        if undefined.any():
            self._tell_undefined(int(np.count_nonzero(undefined)), len(undefined))
        return log_probs

    def one(self, row: Mapping[str, Any]) -> dict[Scalar, float]:
        """Probability of each class of a single row, in some ten microseconds.

        The probabilities are those of :meth:`predict_proba`, to 15 digits, under the same options.

        Parameters
        ----------
        row : mapping of names to cells
            The row. Names that are absent count as missing cells.

        Examples
        --------
        >>> model = NaiveBayes().fit({"outlook": ["sun", "sun", "rain"]}, ["out", "out", "in"])
        >>> {label: round(p, 3) for label, p in model.one({"outlook": "sun"}).items()}
        {'in': 0.229, 'out': 0.771}
        """
        fitted = self._fitted
        probs, undefined = fitted.one_row.probs(row)
        if undefined:
            self._tell_undefined(1, 1)
        return dict(zip(fitted.schema.classes, probs, strict=True))

    def _tell_undefined(self, n_undefined: int, n_rows: int) -> None:
        tell(
            f"{n_undefined} of {n_rows} rows: every class has weight zero under "
            f'rule="{self._fitted.params["rule"]}" (0/0); the uniform distribution stands in, '
            "is_undefined(X) tells where",
            UndefinedPrediction,
        )

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Log weight of each row together with each class, in nats.

        For rules that give a distribution over rows this is the log of the joint predictive probability of
        the row and the class. For ``"stochastic_complexity"`` it is the maximised log-likelihood of the
        training table together with the row and the class.
        """
        coded = self._fitted.predicting(self._encoded(X))
        return np.asarray(self._fitted.predictor.log_weights(coded))

    def is_undefined(self, X: Any) -> BoolArray:
        """In which rows every class has weight zero, so that the prediction is 0/0."""
        return self.log_probs_of(self._encoded(X)).undefined

    def leave_one_out(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, optimistic: bool = False
    ) -> Predictions:
        """Predict each training row from all the others, in closed form.

        Of a row of weight 2 or more one copy is left out, as if the row were repeated. A weight that is not
        whole is spread evenly over as many copies as it has whole parts, and over one if it has none.

        Where the variables were chosen (``select``), they are chosen again without each of ten folds in turn,
        and the rows of a fold are predicted with the variables chosen without them: scores with variables
        that were chosen on the very same rows are far too good.

        Parameters
        ----------
        X, y, sample_weight
            The rows the model was fitted on, with their weights. Intervals of numeric columns, which do not
            look at the classes, stay as they were learned from all rows. Where columns were cut before the
            fit by ``Discretizer("mdl")``, which does look at the classes, the scores are optimistic:
            cross-validate the pipeline instead.
        optimistic : bool
            Whether to predict with the variables that were chosen on these rows all the same; the
            predictions are then marked as optimistic.

        Returns
        -------
        Predictions
            Per-row log probabilities (``log_probs``, ``true_log_probs``), ``log_score``, ``accuracy``,
            ``brier_score``, and how many rows are undefined or were given probability zero.
        """
        check_flag("optimistic", optimistic)
        table = as_table(known_rows(self._fitted.schema, X), y, sample_weight)
        target_column(table.target)
        coded = self._coded(table)
        self._fitted.check_weighted(coded.weights is not None)
        return self.leave_one_out_of(coded, optimistic=optimistic)

    def leave_one_out_of(self, coded: Coded, *, optimistic: bool = False) -> Predictions:
        """Predict each coded training row from all the others; see :meth:`leave_one_out`."""
        check_labelled(coded, self._fitted.schema)
        return self._fitted.left_out(self._fitted.weighed(coded), optimistic=optimistic)

    def explain(self, X: Any, against: Scalar | None = None) -> Explanation:
        """What each variable contributes to the log-odds of each class, row by row.

        Parameters
        ----------
        X : Table, data frame, array, or mapping of names to columns
            The rows.
        against : class, optional
            The class that the others are set against; by default the first.
        """
        fitted, coded = self._fitted, self._encoded(X)
        classes = fitted.schema.classes
        if against is not None:
            check_class("against", against, classes)
        explanation = fitted.predictor.explain(
            fitted.predicting(coded), 0 if against is None else classes.index(against)
        )
        return explanation.among(fitted.schema.names)

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
        check_instance("merge", other, NaiveBayes, "another NaiveBayes")
        merged = type(self)(**self._fitted.params)
        merged._state = self._fitted.merged(other._fitted)
        return merged

    def _answer(self, question: Question, known: Known) -> Answer:
        return self._fitted.answered(question, known.coded, known.classes)

    @property
    def _fitted(self) -> FittedNaiveBayes:
        state: FittedNaiveBayes = super()._fitted
        return state

    def _look_ups(self) -> "LookUps":
        from ..networks.look_ups import LookUps

        return LookUps.of(self._fitted.predictor)

    @property
    def counts_(self) -> Counts:
        """How often each value was seen in each class."""
        return self._fitted.counts

    @property
    def selection_(self) -> "SelectionResult":
        """The variables chosen and the way there."""
        selection = self._fitted.selection
        if selection is None:
            raise AttributeError("selection_: the variables were not chosen; pass select= and fit")
        return selection

    @property
    def code_length_(self) -> float:
        """Code length of the training table by the code of the rule, in nats."""
        rule = self._fitted.predictor.rule
        if rule.settles:
            raise AttributeError(
                f'code_length_: rule="{rule.name}" settles on one model and has no code for a table; '
                "evidence_code_length_ is the one of its prior"
            )
        return self._fitted.code_length

    @property
    def evidence_code_length_(self) -> float:
        """Minus the log evidence of the training table, in nats; equation (8) of the 1998 paper."""
        return self._fitted.evidence_code_length

    def _learned(self, coded: Coded, fitted: Fitted) -> FittedNaiveBayes:
        rows = fitted.weighed(coded)
        prior = bound_prior(fitted.params["prior"], rows.schema)
        fitted = replace(fitted, params=fitted.params | {"prior": prior})
        selection = chosen_variables(fitted.params, rows)
        state = FittedNaiveBayes(
            **vars(fitted),
            counts=count(rows),
            weighted=coded.weights is not None,
            unit=coded.mean_weight if fitted.params["weighting"] == "relative" else 1.0,
            selection=selection,
            chosen=None if selection is None else selection.selected,
            told=frozenset(coded.unseen),
        )
        state.predictor.scorer  # noqa: B018 (a prior under which there is no prediction is refused here)
        return state

    def _batch_left_out(self, coded: Coded) -> Predictions:
        return self._fitted.left_out(self._fitted.in_rows(coded), optimistic=False)

    def _check_left_out(self, *, weighted: bool) -> None:
        super()._check_left_out(weighted=weighted)
        fitted = self._fitted
        fitted.check_weighted(weighted)
        if fitted.chosen is not None:
            raise InvalidParameter(
                "leave_one_out=True: the variables were chosen on these rows, and choosing them again takes "
                "all rows in memory; call leave_one_out(X, y), or score rows that the model has not seen"
            )

    def _counted(self, counts: Counts, *, weighted: bool) -> FittedNaiveBayes:
        params = self._params()
        params["prior"] = bound_prior(params["prior"], counts.schema)
        state = FittedNaiveBayes(params, counts.schema, True, counts=counts, weighted=weighted)
        state.predictor.scorer  # noqa: B018 (as above)
        return state

    @property
    def cutting(self) -> Cutting | None:  # type: ignore[override]
        """How columns of numbers are cut, where that is not the usual way."""
        return AVERAGED if self.numeric == "average" else None

    def _check_params(self) -> None:
        rule = rule_of(self.rule)
        check_choice("weighting", self.weighting, Weighting)
        if self.select is not None:
            from ..selection import VARIABLE_CRITERIA

            check_choice("select", self.select, VARIABLE_CRITERIA)
        super()._check_params()
        if self.numeric == "average":
            check_averages(rule)
            if self.select is not None:
                raise InvalidParameter(
                    f'numeric="average": variables are not chosen by select={self.select!r} while intervals '
                    'are averaged over; leave select out, or pass numeric="discretize"'
                )

    def _findings(self) -> list[Block]:
        fitted = self._fitted
        facts = [("rows", f"{fitted.counts.n_rows:,.10g}"), *fitted.code_lengths_told()]
        if fitted.chosen is not None:
            names = [fitted.schema.names[i] for i in fitted.chosen]
            facts.append(
                (f"predict, {len(names)} of {fitted.schema.n_variables}", ", ".join(names) or "none")
            )
        return [Facts(facts), classes_grid(fitted.schema.target, fitted.counts.class_counts)]

    def _findings_document(self) -> dict[str, Any]:
        fitted = self._fitted
        return {
            "rows": fitted.counts.n_rows,
            "code_length_nats": fitted.code_length if fitted.why_no_code is None else None,
            "evidence_code_length_nats": fitted.evidence_code_length,
            "class_counts": fitted.counts.class_counts.tolist(),
            "predicting": None if fitted.chosen is None else [fitted.schema.names[i] for i in fitted.chosen],
        }

    def _content(self) -> dict[str, Any]:
        fitted = self._fitted
        chosen = None if fitted.chosen is None else list(fitted.chosen)
        counts = {"counts": fitted.counts.to_json(), "weighted": fitted.weighted, "unit": fitted.unit}
        return counts | {"chosen": chosen}

    def _restored(self, fitted: Fitted, content: Mapping[str, Any]) -> FittedNaiveBayes:
        if fitted.schema.target is None:
            raise DataError("the schema has no classes")
        chosen = content["chosen"]
        if chosen is not None and not set(chosen) <= set(range(fitted.schema.n_variables)):
            raise DataError(f"the variables chosen, {chosen!r:.60}, are not positions of variables")
        state = FittedNaiveBayes(
            **vars(fitted),
            counts=Counts.from_json(content["counts"], fitted.schema),
            weighted=bool(content["weighted"]),
            unit=check_number("unit", content.get("unit", 1.0), 0.0, above=True),
            chosen=None if chosen is None else tuple(map(int, chosen)),
        )
        state.predictor.scorer  # noqa: B018
        return state

    def __getstate__(self) -> dict[str, Any]:
        """Without the lock, which belongs to this process."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_lock"}
