"""The naive Bayes classifier, under any predictive rule.

Order of reading: :class:`NaiveBayes` (fitting tables of any size, counts or batches; single rows;
leave-one-out and merging; then what a fit found, and checks of parameters). Predictions, queries and exports
are those of ``classifier`` and ``base``. Depends on these, on ``_fitted_naive_bayes``, which learns and
predicts, and on :mod:`codelength.naive_bayes` (rules and priors).
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..counts import Counts
from ..errors import InvalidParameter
from ..naive_bayes import PriorLike, rule_of
from ..naive_bayes.interval_average import check_averages
from ..scores import Predictions
from ..sources import BATCH_ROWS, as_table, known_rows
from ..table.checks import check_choice, check_flag, check_instance
from ..table.target import target_column
from ..typing import BoolArray, Scalar
from ._fitted import Weighting
from ._fitted_naive_bayes import FittedNaiveBayes
from .classifier import TableClassifier
from .reading import check_same_classes
from .registry import register

if TYPE_CHECKING:
    from ..counts.stream import Progress
    from ..selection import SelectionResult


@register
@dataclass(eq=False, repr=False)
class NaiveBayes(TableClassifier):
    """Naive Bayes on categorical tables, with honest class probabilities.

    Parameters
    ----------
    rule : {"evidence", "map", "stochastic_complexity", "indifferent"}
        The prediction from counts: the average over all models, the most probable model, the best fit to the
        data and the new row, or the average under a prior that favours no model.
    prior : {"uniform", "jeffreys", "indifferent"}, float, Prior, Counts, NaiveDistribution or NaiveBayes
        Dirichlet pseudocounts; a number is an equivalent sample size. Or knowledge from earlier cases: their
        counts, a :class:`codelength.naive_bayes.NaiveDistribution`, or a fitted model, whose posterior is the
        prior. The schema is then that of the earlier cases unless another is given.
        The rules ``"stochastic_complexity"`` and ``"indifferent"`` need no prior, and refuse earlier cases.
    missing : {"ignore", "value"}
        Marginalise missing cells (None, NaN, pd.NA) exactly, or treat them as a value of their own in the
        variables that have missing cells in training.
    handle_unknown : {"ignore", "error"}
        Marginalise a value that was not in training like a missing cell, or raise an error.
    numeric : {"auto", "discretize", "average", "category", "error"}
        Treatment of columns of numbers, dates and times. ``"auto"`` keeps at most 20 distinct whole
        numbers or dates as categories and cuts every other column into five intervals of about equal
        frequency, learned from the training rows. ``"average"`` cuts into up to 20 intervals and predicts by
        the exact average over all ways to merge neighbouring ones, each weighted by its evidence; for rules
        that average over models, without ``select``. ``print(schema_)`` shows the result.
    identifiers : {"ignore", "error", "keep"}
        Treatment of columns of text in which nearly every value is distinct (more than 20 values, more than
        half of the cells): leave them out with a warning, raise an error, or keep them as categories. Columns
        with declared domains are always kept.
    select : {"leave_one_out", "prequential", "evidence"}, optional
        The criterion by which :meth:`fit` chooses the variables to predict from, by greedy moves forward:
        the ``criterion`` of :func:`codelength.select_variables`. By default all variables predict.
    weighting : {"counts", "relative"}
        Meaning of ``sample_weight``: the number of rows that each row stands for, in all counts and criteria,
        or its importance relative to other rows, as in surveys: weights are then scaled to add up to the
        number of rows that have one.
    strict : bool
        Raise an error at prediction if there are columns that the model does not know; otherwise ignore them.
    schema : Schema, optional
        The variables and their values, if they are known beforehand. Otherwise they are taken from
        the first rows seen; declared domains (``pd.Categorical``, ``pl.Enum``) are honoured.

    Attributes
    ----------
    classes_, schema_, counts_, code_length_, evidence_code_length_, selection_
        Classes, variables, counts, code lengths and the chosen variables; see the properties of these names.
    n_features_in_, feature_names_in_
        As in scikit-learn.

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

    _fitted_type = FittedNaiveBayes
    _fitted: ClassVar[FittedNaiveBayes]

    rule: str = "evidence"
    prior: "PriorLike | NaiveBayes" = "uniform"
    _: KW_ONLY
    select: str | None = None
    weighting: Weighting = "counts"

    def fit_table(
        self,
        source: Any,
        target: str | None = None,
        *,
        weights: str | None = None,
        drop: Iterable[str] = (),
        keep: Sequence[str] | None = None,
        na: Iterable[str] | None = None,
        batch_rows: int = BATCH_ROWS,
        progress: "Progress | None" = None,
    ) -> Self:
        """Learn from a table of any size, batch after batch.

        The model is that of ``fit`` on the same rows, to the last bit for whole weights. The first of two
        passes infers the schema, the second counts; with a given schema one pass is enough.

        Parameters
        ----------
        source : table of any kind
            Files, queries, or frames of any library; see :func:`codelength.as_batches`. The rows of a Dask or
            Spark data frame are counted on their machines, and only counts are sent.
        target : str, optional
            The column that holds the class of each row; by default the target of a :class:`codelength.Table`
            or of ``schema``.
        weights : str, optional
            Name of the column of row weights.
        drop, keep : list of str
            Columns to leave out, or the only ones to take.
        na, batch_rows, progress
            As in :meth:`predict_table`.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> table = {"colour": ["red", "red", "blue"], "state": ["ripe", "ripe", "raw"]}
        >>> NaiveBayes().fit_table(table, "state").counts_.of("colour")
        array([[1., 0.],
               [0., 2.]])
        """
        self._state = FittedNaiveBayes.streamed(
            self._checked_params(),
            source,
            target,
            keep,
            weights=weights,
            drop=drop,
            na=na,
            batch_rows=batch_rows,
            progress=progress,
        )
        return self

    def fit_counts(self, counts: Counts, *, weighted: bool = False) -> Self:
        """Learn from counts that were made elsewhere: by an engine, on a cluster, or by another model.

        Parameters
        ----------
        counts : Counts
            Counts of values in classes; see :meth:`codelength.counts.Counts.from_cells`.
        weighted : bool
            True if rows were counted with weights.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> model = NaiveBayes("map").fit({"colour": ["red", "blue", "red"]}, ["ripe", "raw", "ripe"])
        >>> averaged = NaiveBayes("evidence").fit_counts(model.counts_)
        >>> averaged.predict_proba({"colour": ["red"]}).round(2)
        array([[0.23, 0.77]])
        """
        params = self._checked_params()
        check_instance("counts", counts, Counts, "Counts")
        counts.check()
        check_flag("weighted", weighted)
        self._state = FittedNaiveBayes.of_counts(params, counts, weighted=weighted)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count more rows; the schema is the one given, or settled by the first rows.

        May be called from several threads; each batch is counted once.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.
        classes : array, optional
            All classes; by default those of the first rows. Required if later rows have others.
        """
        params = self._checked_params()
        reading = FittedNaiveBayes.reading(params)
        if self.select is not None:
            raise InvalidParameter(
                f"select={self.select!r}: choosing variables takes all rows at once; call fit instead"
            )
        # Reading needs no lock: it depends on the rows alone.
        table = reading.table(X, y, sample_weight)
        if self.weighting == "relative" and table.weights is not None:
            raise InvalidParameter(
                'weighting="relative": the weights of different batches cannot be compared; call fit '
                'instead, or pass weighting="counts"'
            )
        # Encoding and merging under one lock: the first batch decides the schema of the others. The lock is
        # made on use, because a pickled model leaves its lock behind.
        with self.__dict__.setdefault("_lock", threading.Lock()):
            before: FittedNaiveBayes | None = self.__dict__.get("_state")
            schema = reading.schema_of(table, classes) if before is None else before.schema
            if before is not None:
                check_same_classes(classes, schema, "as on the first call to partial_fit")
                self._warn_about_names(table, before.named)
            # As in the first batch: names that appear later do not decide how columns are matched.
            named = table.named if before is None else before.named
            told = frozenset() if before is None else before.told
            coded = reading.coded(table, schema, by_name=table.named and named, told=told)
            state = FittedNaiveBayes.learn(params, coded, named)
            self._state = state if before is None else state.merged(before)
        return self

    def one(self, row: Mapping[str, Any]) -> dict[Scalar, float]:
        """Return the probability of each class of a single row, in some ten microseconds.

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
            fitted.tell_undefined(1, 1)
        return dict(zip(fitted.schema.classes, probs, strict=True))

    def is_undefined(self, X: Any) -> BoolArray:
        """Return True for each row in which every class has weight zero, so that the prediction is 0/0."""
        return self._fitted.log_probs(self._encoded(X)).undefined

    def leave_one_out(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: Any = None, *, optimistic: bool = False
    ) -> Predictions:
        """Predict each training row from all the others, in closed form.

        Of a row of weight 2 or more one copy is left out, as if the row were repeated. A weight that is not
        whole is spread evenly over as many copies as it has whole parts, and over one if it has none.

        If the variables were chosen (``select``), they are chosen again without each of ten folds in turn,
        and the rows of a fold are predicted with the variables chosen without them: scores with variables
        that were chosen on the very same rows are far too good.

        Parameters
        ----------
        X, y, sample_weight
            The training rows with their weights. Intervals of numeric columns do not depend on the classes,
            and remain those of all rows. If columns were cut before the fit by ``Discretizer("mdl")``, which
            depends on the classes, the scores are optimistic: cross-validate the pipeline instead.
        optimistic : bool
            Predict with the variables that were chosen on these rows all the same; the predictions are then
            marked as optimistic.

        Returns
        -------
        Predictions
            Per-row log probabilities (``log_probs``, ``true_log_probs``), ``log_score``, ``accuracy``,
            ``brier_score``, and the numbers of rows that are undefined or were given probability zero.
        """
        check_flag("optimistic", optimistic)
        table = as_table(known_rows(self._fitted.schema, X), y, sample_weight)
        target_column(table.target)
        coded = self._coded(table)
        self._fitted.check_weighted(coded.weights is not None)
        return self._fitted.left_out(coded, optimistic=optimistic)

    def merge(self, other: "NaiveBayes") -> "NaiveBayes":
        """Return the model of both training tables, counted under one schema.

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
        # Parameters of the fit, not of now: they are those under which the rows were counted.
        merged = type(self)(**self._fitted.params)
        merged._state = self._fitted.merged(other._fitted)
        return merged

    @property
    def counts_(self) -> Counts:
        """Number of times that each value was seen in each class; all that the model knows."""
        return self._fitted.counts

    @property
    def selection_(self) -> "SelectionResult":
        """The variables chosen and the steps of the search, if ``select`` is given."""
        selection = self._fitted.selection
        if selection is None:
            raise AttributeError("selection_: the variables were not chosen; pass select= and fit")
        return selection

    @property
    def code_length_(self) -> float:
        """Code length of the classes and predicting variables by the code of the rule, in nats.

        It is minus the log evidence, or under rule ``"stochastic_complexity"`` normalised maximum likelihood
        (:func:`codelength.code_lengths.nml_code_length`, which says for which tables it is defined). The rule
        ``"map"`` has no code.
        """
        rule = self._fitted.predictor.rule
        if rule.settles:
            raise AttributeError(
                f'code_length_: rule="{rule.name}" settles on one model and has no code for a table; '
                "evidence_code_length_ is the one of its prior"
            )
        return self._fitted.code_length

    @property
    def evidence_code_length_(self) -> float:
        """Minus the log evidence of the training table under the prior, in nats, under any rule.

        Equation (8) of the 1998 paper.
        """
        return self._fitted.evidence_code_length

    def _check_params(self) -> None:
        # The rule first: checks of other parameters ask it.
        rule = rule_of(self.rule)
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

    def __sklearn_clone__(self) -> Self:
        """Return a model without what it has learned; a model that is the prior keeps it."""
        # scikit-learn clones models that are parameters, which would forget the knowledge of the prior.
        cloned: Self = super().__sklearn_clone__()
        cloned.prior = self.prior
        return cloned

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the lock, which belongs to this process and cannot be pickled."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_lock"}
