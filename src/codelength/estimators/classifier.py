"""The base class of all classifiers.

Every public method is defined once. A model has it if its fitted type has the member that the decorator
names; see :func:`codelength.estimators.base.offered`.

Order of reading: :class:`TableClassifier` (fitting, predictions, explanations, evaluation, exports, then fits
to codes for comparisons); :func:`class_array`. Depends on ``base``, on :mod:`codelength.scores` and on
``reading`` (checks of the classes); an export is imported when it is asked for.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from ..decisions import first_best_of_rows
from ..errors import InvalidParameter
from ..naive_bayes import Distributions, Explanation
from ..naive_bayes.explanation import check_class
from ..scores import Predictions, Scores
from ..sources import BATCH_ROWS, as_table, is_lazy, known_rows
from ..table import Coded, Table
from ..table.checks import check_sequence
from ..table.target import target_column
from ..typing import FloatArray, Scalar
from .base import TableEstimator, offered
from .reading import check_classes

if TYPE_CHECKING:
    from onnx import ModelProto

    from ..counts.stream import Progress
    from ..export.sql import Dialect
    from ..networks.look_ups import LookUps


class TableClassifier(ClassifierMixin, TableEstimator):
    """A model that predicts classes."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` and their classes ``y``.

        The result does not depend on the order of the rows.

        Parameters
        ----------
        X : Table, data frame, array, mapping of names to columns, or path of a file
            The rows; see :func:`codelength.sources.as_table`.
        y : series, array, or name of a column of X
            The class of each row; by default the target of a :class:`codelength.Table`.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; a weight of 2 counts as two equal rows, 0 as none. So the weights of a
            survey, whose sum is a population, count for that many rows in every criterion; pass
            ``weighting="relative"`` for those.

        Models with ``fit_table`` learn the rows of a lazy frame, a query, a Dask or a Spark data frame batch
        after batch if ``y`` is the name of a column.
        """
        # select= needs all rows in memory, so there is nothing to gain from batches.
        takes_batches = hasattr(self, "fit_table") and getattr(self, "select", None) is None
        if takes_batches and isinstance(y, str) and sample_weight is None and is_lazy(X):
            learned: Self = self.fit_table(X, y)
            return learned
        # Parameters first: they are cheap to check, and their errors do not depend on the rows.
        params = self._checked_params()
        reading = self._fitted_type.reading(params)
        table = reading.table(X, y, sample_weight)
        coded = reading.labelled(table)
        # One assignment at the end: a fit that fails leaves the previous state.
        self._state = self._fitted_type.learn(params, coded, table.named)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row; the first of several equally probable ones.

        Parameters
        ----------
        X : Table, data frame, array, or mapping of names to columns
            The rows.
        """
        # Not argmax: probabilities that differ by rounding only are ties.
        return np.asarray(self.classes_[first_best_of_rows(self.predict_proba(X))])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class for each row, (n_rows, n_classes); see :meth:`predict`."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the log probability of each class for each row, in nats.

        If the definition gives 0/0 (rule ``"map"`` only), the uniform distribution is used instead, and a
        warning gives the number of such rows; ``is_undefined`` returns which they are.
        """
        fitted = self._fitted
        made: Distributions = fitted.log_probs(self._encoded(X))
        if made.undefined.any():
            fitted.tell_undefined(int(np.count_nonzero(made.undefined)), len(made.undefined))
        return made.log_probs

    @offered("log_joint")
    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Return the log probability of each row together with each class, in nats.

        For naive Bayes under rule ``"stochastic_complexity"``, which gives no distribution over rows, it is
        the maximised log-likelihood of the training table together with the row and the class.
        """
        fitted = self._fitted
        return np.asarray(fitted.log_joint(self._encoded(X)))

    @offered("explain")
    def explain(self, X: Any, against: Scalar | None = None) -> Explanation:
        """Return the contribution of each variable to the log-odds of each class, row by row.

        Contributions add up to the log-odds less those of a row in which nothing is known. They are exact if
        the log-odds are sums over variables, as for naive Bayes. For averages they are Shapley values
        otherwise: the effect of knowing a variable, averaged over all orders in which variables could become
        known (over 16 orders beyond 8 variables).

        Parameters
        ----------
        X : Table, data frame, array, or mapping of names to columns
            The rows.
        against : class, optional
            The class that the others are compared with; by default the first.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> table = {"outlook": ["sun", "sun", "rain"], "wind": ["low", "high", "high"]}
        >>> model = NaiveBayes().fit(table, ["out", "out", "in"])
        >>> found = model.explain({"outlook": ["sun"], "wind": ["low"]})
        >>> found.contributions[0, :, 1].round(2)  # of "out" against "in", variable by variable
        array([0.81, 0.41])
        """
        fitted = self._fitted
        coded, classes = self._encoded(X), fitted.schema.classes
        # Before index, whose ValueError would not list the classes.
        if against is not None:
            check_class("against", against, classes)
        found: Explanation = fitted.explain(coded, 0 if against is None else classes.index(against))
        return found

    @offered("left_out")
    def leave_one_out(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> Predictions:
        """Return predictions of the training rows, each without itself.

        :meth:`fit` computes them, so this costs nothing more. Of equal rows one is left out at a time. If
        there are more than 20,000 distinct rows, the predictions are those of a random sample of them.

        Parameters
        ----------
        X, y, sample_weight
            Optional: the training rows with their weights, to be checked; other rows are refused.

        Returns
        -------
        HeldOut
            Scores (``log_score``, ``accuracy``, ``brier_score``, ``calibration_error``), distributions row by
            row, and in ``against`` the same for the class prior and for each member alone.

        Examples
        --------
        >>> from codelength import ModelAverage
        >>> table = {"left": ["on", "on", "off", "off"] * 5}
        >>> model = ModelAverage(members=["subsets"]).fit(table, ["same", "same", "differ", "differ"] * 5)
        >>> model.leave_one_out().accuracy
        1.0
        """
        fitted = self._fitted
        if X is None and (y is not None or sample_weight is not None):
            raise InvalidParameter("y and sample_weight belong to rows; pass X as well, or leave them out")
        # The predictions exist already; rows are compared so that nobody reads them as those of other rows.
        coded = None
        if X is not None:
            table = as_table(known_rows(fitted.schema, X), y, sample_weight)
            target_column(table.target)
            coded = self._coded(table.counted())
        left_out: Predictions = fitted.left_out(coded)
        return left_out

    def evaluate_table(
        self,
        source: Any,
        target: str | None = None,
        *,
        leave_one_out: bool,
        weights: str | None = None,
        na: Iterable[str] | None = None,
        batch_rows: int = BATCH_ROWS,
        progress: "Progress | None" = None,
    ) -> Scores:
        """Score predictions for a table of any size, in one pass.

        Parameters
        ----------
        source : table of any kind
            See :func:`codelength.as_batches`.
        target : str, optional
            The column that holds the class of each row; by default the one that was learned.
        leave_one_out : bool
            True for the training rows, each of which is predicted from all the others; False for new rows.
        weights : str, optional
            Name of the column of row weights.
        na, batch_rows, progress
            As in :meth:`predict_table`.

        Returns
        -------
        Scores
            Log score, accuracy, Brier score and calibration error.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> table = {"colour": ["red", "red", "blue", "blue"], "state": ["ripe", "ripe", "raw", "raw"]}
        >>> NaiveBayes().fit_table(table, "state").evaluate_table(table, leave_one_out=True).accuracy
        1.0
        """
        # Imported on use: tables in memory are predicted without it.
        from ._batches import evaluate_together

        read: dict[str, Any] = {"weights": weights, "na": na, "batch_rows": batch_rows, "progress": progress}
        found = evaluate_together((self._fitted,), source, target, leave_one_out=leave_one_out, **read)
        return Scores.empty() if found is None else found.scores[0]

    @offered("look_ups")
    def to_sql(
        self,
        table: str | Sequence[str],
        *,
        dialect: "Dialect" = "duckdb",
        keep: Sequence[str] = (),
        name: str | None = None,
    ) -> str:
        """Return one SQL statement that predicts the rows of a table, from its raw columns.

        Missing and unseen values, intervals and rows that no class can have are treated as by
        ``predict_proba``, with which it agrees to about fifteen digits. Models with
        ``handle_unknown="error"`` cannot be exported. Columns must have the types that they had in training:
        text that an engine has read as truth values is other text.

        Parameters
        ----------
        table : str or sequence of str
            Name of the table, or the parts of its name: ``("shop", "orders")`` for ``shop.orders``.
        dialect : {"duckdb", "postgres", "sqlite"}
            The engine.
        keep : sequence of str
            Columns of the table to copy to the output, before the predictions.
        name : str, optional
            Name of the predicted column; by default ``"class"``.

        Examples
        --------
        >>> import duckdb
        >>> from codelength import NaiveBayes
        >>> model = NaiveBayes().fit({"x": ["a", "a", "b"]}, ["k", "k", "l"])
        >>> rows = duckdb.sql("SELECT unnest(['a', 'b']) AS x")
        >>> found = duckdb.sql(model.to_sql("rows", keep=["x"])).fetchall()
        >>> [(x, label, round(p, 3)) for x, label, p, _ in sorted(found)]
        [('a', 'k', 0.771), ('b', 'l', 0.36)]
        """
        # Imported on use, as all exports: most models are never exported.
        from ..export.sql import to_sql
        from ._batches import outcome_columns

        kept = check_sequence("keep", keep, of="names")
        names = outcome_columns(self._fitted, kept, name)
        return to_sql(self._look_ups("SQL"), table, names, dialect=dialect, keep=kept)

    @offered("look_ups")
    def to_onnx(self) -> "ModelProto":
        """Return the model as a graph for ONNX runtimes; see :mod:`codelength.export.onnx`."""
        from ..export.onnx import to_onnx

        return to_onnx(self._look_ups("ONNX"))

    @offered("look_ups")
    def to_scorer(self) -> dict[str, Any]:
        """Return the model as a JSON document to score with; see :mod:`codelength.export.scorer`."""
        from ..export.scorer import scorer

        return scorer(self._look_ups("a scorer"))

    @offered("network")
    def to_bif(self) -> str:
        """Return the model as a Bayesian network in the interchange format BIF.

        The class is the parent of all variables; in a tree, some have another parent too. Parameters are
        conditional probabilities under the model. Given all variables, the class has the probability that
        ``predict_proba`` gives it. :mod:`codelength.networks.network` says what holds if some are missing,
        and :mod:`codelength.export.bif` how names are written.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> print(NaiveBayes().fit({"x": ["a", "a", "b"]}, ["k", "k", "l"]).to_bif())
        network classifier {
        }
        variable y {
          type discrete [ 2 ] { k, l };
        }
        variable x {
          type discrete [ 2 ] { a, b };
        }
        probability ( y ) {
          table 0.6, 0.4;
        }
        probability ( x | y ) {
          (k) 0.75, 0.25;
          (l) 0.333333333333333, 0.666666666666667;
        }
        <BLANKLINE>
        """
        from ..export.bif import to_bif

        return to_bif(self._fitted.network())

    @offered("network")
    def to_xmlbif(self) -> str:
        """Return the network as XMLBIF 0.3."""
        from ..export.bif import to_xmlbif

        return to_xmlbif(self._fitted.network())

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes."""
        return class_array(self._fitted.schema.classes)

    # Comparisons of models on the same splits encode a table once and fit many models to parts of the codes.

    def _coded_for(self, table: Table) -> Coded:
        """Encode the rows of a table with classes as this model would to learn from them."""
        return self._fitted_type.reading(self._checked_params()).labelled(table)

    def _fit_coded(self, coded: Coded) -> Self:
        """Learn from encoded rows with classes, under their own schema."""
        params = self._checked_params()
        check_classes(coded.schema)
        self._state = self._fitted_type.learn(params, coded, True)
        return self

    def _look_ups(self, program: str) -> "LookUps":
        """Return the look-up tables, unless other programs would predict rows that the model refuses."""
        fitted = self._fitted
        # A program that predicted such rows would disagree with the model without a sign of it.
        if fitted.params["handle_unknown"] == "error":
            raise InvalidParameter(
                f'handle_unknown="error": {program} cannot refuse values that the model has not seen; fit it '
                'with handle_unknown="ignore", which gives them no say'
            )
        found: LookUps = fitted.look_ups()
        return found


def class_array(classes: tuple[Scalar, ...]) -> NDArray[Any]:
    """Return classes as an array in which text stays text and numbers stay numbers.

    Examples
    --------
    >>> class_array((1, 2)), class_array((1, "two"))
    (array([1, 2]), array([1, 'two'], dtype=object))
    """
    # numpy turns mixed labels into one type: [1, "a"] into text, 2**63 and -1 into floats. Such labels would
    # not be equal to those of the training table any more.
    plain = np.array(classes)
    if plain.dtype.kind == "f" and any(isinstance(label, int) for label in classes):
        plain = np.array(classes, dtype=object)  # whole numbers that no integer type holds together
    kinds = {type(label) for label in classes}
    return np.array(classes, dtype=object) if str in kinds and len(kinds) > 1 else plain
