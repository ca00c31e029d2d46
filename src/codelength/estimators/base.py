"""The base class of all estimators: parameters, encoding of tables, predictions of tables, files.

An estimator checks its parameters and turns tables into codes. Everything that ``fit`` learned is one
immutable object, a subclass of :class:`Fitted`, kept apart from the parameters: a fit that fails leaves the
model as it was, and a changed parameter changes nothing until the next fit.

Order of reading: :func:`offered`; :class:`TableEstimator` (public methods, state for scikit-learn, steps that
models share); :func:`load`. Depends on ``_fitted`` (what a fit learned), ``documents`` (files) and
``reading``, and on :mod:`codelength.sources` and :mod:`codelength.table`.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, get_origin

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from ..blocks import Block, Facts
from ..errors import DataError, InvalidParameter
from ..naive_bayes.query import Answer
from ..sources import BATCH_ROWS, as_table, known_rows
from ..table import Coded, Schema, Table
from ..table._messages import tell
from ..table.checks import check_choice, check_flag, check_instance, check_random_state, reading
from ..table.encode import HandleUnknown
from ..table.infer import Identifiers, Missing, Numeric
from ..table.schema import variables_grid
from . import documents
from ._fitted import Fitted
from .reading import known_in, tell_unanswered

if TYPE_CHECKING:
    import pyarrow

    from ..counts.stream import Progress

M = TypeVar("M", bound=Callable[..., Any])


def offered(member: str) -> Callable[[M], M]:
    """Decorate a method that exists only if the fitted type has a member; otherwise ``hasattr`` is False."""
    # The type, not the fitted object: a method must not appear or vanish with fit, because scikit-learn asks
    # for methods of models that are not fitted.
    decorate: Callable[[M], M] = available_if(lambda model: hasattr(model._fitted_type, member))
    return decorate


@dataclass(eq=False, repr=False, kw_only=True)
class TableEstimator(BaseEstimator):
    """A model on tables, with the options of :class:`codelength.NaiveBayes` about columns and cells.

    Parameters are fields of a dataclass, whose constructor has the form that scikit-learn asks for.
    """

    # Subclasses also annotate ``_fitted`` by their fitted type, as a ClassVar: else it would be a parameter.
    _fitted_type: ClassVar[type[Fitted]]
    _state: Any = field(init=False)

    missing: Missing = "ignore"
    handle_unknown: HandleUnknown = "ignore"
    numeric: Numeric = "auto"
    identifiers: Identifiers = "ignore"
    strict: bool = False
    schema: Schema | None = None

    def predict_table(
        self,
        source: Any,
        *,
        keep: Iterable[str] = (),
        name: str | None = None,
        na: Iterable[str] | None = None,
        batch_rows: int = BATCH_ROWS,
        progress: "Progress | None" = None,
    ) -> "Iterator[pyarrow.RecordBatch]":
        """Predict the rows of a table of any size, batch after batch.

        Columns are matched by name. For a Dask or Spark data frame the result is a lazy data frame of the
        same kind, and rows are predicted on the machines that hold them.

        Parameters
        ----------
        source : table of any kind
            Files, queries, or frames of any library; see :func:`codelength.as_batches`.
        keep : list of str
            Columns of the table to keep in the output.
        name : str, optional
            Name of the column of the outcome; by default ``"class"`` or ``"component"``.
        na : list of str, optional
            Texts that mean missing in files.
        batch_rows : int
            Most rows per batch.
        progress : function, optional
            Called with the number of rows of each batch.

        Returns
        -------
        iterator of pyarrow.RecordBatch
            The columns that were kept, the most probable outcome, and the probability of each outcome. For a
            Dask or Spark data frame, a data frame with these columns.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> model = NaiveBayes().fit({"colour": ["red", "blue"]}, ["ripe", "raw"])
        >>> [rows] = model.predict_table({"id": [7], "colour": ["red"]}, keep=["id"])
        >>> rows.schema.names, rows.column("class").to_pylist()
        (['id', 'class', 'p_raw', 'p_ripe'], ['ripe'])
        """
        from ._batches import predict_batches

        return predict_batches(self._fitted, source, keep, name, na, batch_rows, progress)

    @offered("answer")
    def query(self, X: Any, variables: Any, y: Any = None) -> Answer:
        """Return the joint distribution of a few variables, given the known cells of each row.

        Other missing cells are summed out.

        Parameters
        ----------
        X : Table, data frame, array, or mapping of names to columns
            The known cells. Columns of the variables asked about are optional, and ignored.
        variables : name or names
            The variables of the distribution, in this order; the class may be one of them.
        y : series, array or name of a column of X, optional
            The classes as far as they are known, None if they are not. By default the target of a
            :class:`codelength.Table`, or the column of ``X`` that has the name of the class, if there is one.

        Returns
        -------
        Answer
            ``probs``, one axis per variable after that of the rows; ``marginals``; ``most_probable``.

        Raises
        ------
        Infeasible
            If there are more than 100,000 combinations of values.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> table = {"outlook": ["sun", "sun", "rain"], "wind": ["low", "high", "high"]}
        >>> model = NaiveBayes().fit(table, ["out", "out", "in"])
        >>> answer = model.query({"wind": ["low"]}, ["y", "outlook"])
        >>> answer.probs.round(3), answer.most_probable
        (array([[[0.205, 0.103],
                [0.173, 0.519]]]), [('out', 'sun')])
        """
        fitted = self._fitted
        question = fitted.question(variables)
        answer: Answer = fitted.answer(question, known_in(fitted, self._coded, question, X, y))
        tell_unanswered(answer)
        return answer

    def summary(self) -> list[Block]:
        """Return the settings, the outcomes and the variables of the model as blocks.

        Blocks are rendered to text, HTML or Markdown by :mod:`codelength.render`.
        """
        fitted = self._fitted
        options = [(name, str(value)) for name, value in fitted.settings().items() if value is not None]
        variables = variables_grid("variables", fitted.schema.variables)
        facts = Facts([("model", fitted.name(fitted.params)), *options])
        return [facts, *fitted.findings(), variables]

    def _summary_document(self) -> dict[str, Any]:
        """Return the summary as JSON types."""
        fitted = self._fitted
        return {
            "kind": fitted.name(fitted.params),
            "params": fitted.shown_params(),
            "schema": fitted.schema.to_json(),
            **fitted.findings_document(),
        }

    def unseen(self, X: Any) -> dict[str, int]:
        """Count the cells of each column with values that the model does not know.

        A prediction treats such cells as missing, or refuses them (``handle_unknown="error"``), and it warns
        if they are most of the cells of a column.

        Parameters
        ----------
        X : Table, data frame, array, or mapping of names to columns
            The rows.

        Returns
        -------
        dict of str to int
            Number of such cells by column; columns without any are left out.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> model = NaiveBayes().fit({"size": ["s", "m", "l"]}, ["no", "yes", "yes"])
        >>> model.unseen({"size": ["s", "xl", "xxl", None]})
        {'size': 2}
        """
        # All columns as told, so that a count does not warn.
        quietly = {"handle_unknown": "ignore", "told": self.schema_.names}
        return dict(self._encoded(X, None, **quietly).unseen)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as JSON; :func:`codelength.load` reads it back to the last bit.

        A random generator given as ``random_state`` is not kept: its state is not part of what was learned.

        Parameters
        ----------
        path : str or path
            File to write; an existing file is replaced as a whole.
        """
        documents.write(self._fitted.to_document(), path)

    @classmethod
    @reading("a model", "to_document")
    def _from_document(cls, document: Mapping[str, Any]) -> Self:
        """Return the model of a document that :meth:`Fitted.to_document` wrote, checked."""
        fitted_type = cls._fitted_type
        model = cls(**fitted_type.restored_params(document))
        # Read back from the model, which adds defaults of parameters that the document does not name: they
        # were introduced after it was written.
        params = model._checked_params()
        schema = Schema.from_json(document["schema"])
        if (schema.target is None) == (fitted_type.outcome == "class"):
            raise DataError("the schema has no classes, or has some although no class is predicted")
        known = {"params": params, "schema": schema, "named": bool(document["named"])}
        model._state = fitted_type.restored(document["fitted"], **known)
        return model

    # State, as scikit-learn expects to find it.

    @property
    def _fitted(self) -> Any:
        """The fitted model; raise NotFittedError before the first fit."""
        # One look at the state: methods take it into a local name, so that a refit in another thread cannot
        # mix two fits in one result. __dict__, because the annotation alone creates no attribute.
        state = self.__dict__.get("_state")
        if state is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
                "arguments before using this estimator."
            )
        return state

    def __sklearn_is_fitted__(self) -> bool:
        # Without this, scikit-learn looks for attributes that end in "_"; ours are properties of the class.
        return self.__dict__.get("_state") is not None

    @property
    def schema_(self) -> Schema:
        """The variables, their values, and how they were settled."""
        schema: Schema = self._fitted.schema
        return schema

    @property
    def n_features_in_(self) -> int:
        """Number of variables."""
        return int(self._fitted.schema.n_variables)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the variables, if the training table had names."""
        if not self._fitted.named:
            # AttributeError makes hasattr False, as scikit-learn requires of models fitted without names.
            raise AttributeError("feature_names_in_: the training table had no names for its columns")
        return np.array(self._fitted.schema.names, dtype=object)

    # Steps that models share.

    def _check_params(self) -> None:
        """Raise InvalidParameter for invalid parameters or combinations of them."""
        # Called by fit, not by the constructor: scikit-learn sets parameters one by one, so intermediate
        # combinations may be invalid.
        params = self.get_params(deep=False)
        for parameter in fields(self):
            if get_origin(parameter.type) is Literal:
                check_choice(parameter.name, params[parameter.name], parameter.type)
            elif parameter.type is bool:
                check_flag(parameter.name, params[parameter.name])
        if self.numeric == "average" and not self._fitted_type.averages_intervals:
            raise InvalidParameter(
                f'numeric="average": {self._fitted_type.name(params)} does not average over intervals; pass '
                'numeric="discretize", or use NaiveBayes'
            )
        if self.schema is not None:
            check_instance("schema", self.schema, Schema, "a Schema, or None to infer it")
        if "random_state" in params:
            check_random_state(params["random_state"])

    def _checked_params(self) -> dict[str, Any]:
        """Return the checked parameters, as a copy that later changes of the estimator do not reach."""
        self._check_params()
        # deep=False: a model as a parameter (a prior, a model to average) stays one value.
        return dict(self.get_params(deep=False))

    def _encoded(self, X: Any, sample_weight: Any = None, **options: Any) -> Coded:
        """Encode new rows under the options of the fit, or others, without their classes."""
        table = as_table(known_rows(self._fitted.schema, X), None, sample_weight)
        # Without the target, whose classes may be others than those of the fit.
        return self._coded(replace(table, target=None), **options)

    def _coded(self, table: Table, **options: Any) -> Coded:
        """Encode a table under the options of the fit; ``options`` take precedence."""
        fitted = self._fitted
        self._warn_about_names(table, fitted.named)
        coded: Coded = fitted.encode(table, **options)
        return coded

    def _warn_about_names(self, table: Table, fitted_named: bool) -> None:
        """Warn if names are known on one side only, so that columns can be matched by position alone."""
        # The sentences are those of scikit-learn, whose check_estimator compares them.
        own = type(self).__name__
        if table.named == fitted_named or not table.columns:
            return
        if table.named:
            message = f"X has feature names, but {own} was fitted without feature names"
        else:
            message = f"X does not have valid feature names, but {own} was fitted with feature names"
        tell(f"{message}; columns are matched by position", UserWarning)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Tools that read tags, such as check_estimator, otherwise assume numbers without NaN.
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that ``save`` wrote.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    TableEstimator
        The fitted model, an instance of the class that wrote the file.

    Raises
    ------
    InvalidModelFile
        If the file is absent, truncated, changed, not a model, or in another version of the format.

    Examples
    --------
    >>> import tempfile
    >>> from codelength import NaiveBayes, load
    >>> model = NaiveBayes().fit({"outlook": ["sun", "rain"]}, ["out", "in"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model.json")
    ...     loaded = load(f"{folder}/model.json")
    >>> loaded.counts_ == model.counts_
    True
    """
    from .registry import model_of

    # The kind is a key of the registry, never a path of a class: a file cannot name code to run.
    return documents.read(path, lambda document: model_of(document["kind"])._from_document(document))
