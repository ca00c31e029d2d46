"""What every model offers, whatever it is: the contract behind the commands, the reports and the model files.

A model is a scikit-learn estimator on tables. ``fit``, ``predict``, ``inspect`` and ``evaluate`` on the
command line, saving and loading, and the reports use nothing but what stands here. A new model subclasses
:class:`TableEstimator`, fills in the contract and enters itself with :func:`register`.

What ``fit`` learned is one immutable object, kept apart from the parameters: a fit that fails leaves the
model as it was, and changing a parameter changes nothing until the next fit.
"""

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from ..blocks import Block, Facts
from ..decisions import first_best_of_rows
from ..errors import InvalidParameter
from ..naive_bayes import Distributions
from ..scores import Predictions
from ..sources import as_table, known_rows
from ..table import Coded, Schema, Table, Variable, encode, infer_schema
from ..table._messages import shown
from ..table.checks import check_choice, check_flag, check_instance, check_names, reading
from ..table.cutting import Cutting
from ..table.encode import HandleUnknown
from ..table.infer import Identifiers, Missing, Numeric
from ..table.schema import variables_grid
from ..table.target import target_column
from ..typing import Scalar
from . import documents
from ._tables import PredictsTables, ScoresTables
from .validation import (
    check_classes,
    check_coded,
    check_not_empty,
    check_same_classes,
    class_array,
    class_labels,
    schema_for,
    warn_about_names,
)

Capability: TypeAlias = Literal[
    "classes",
    "components",
    "leave_one_out",
    "explain",
    "weights",
    "partial_fit",
    "export",
    "network",
    "query",
    "fit_table",
]
"""What a model may be able to do: predict classes, or find components; leave one row out in closed form;
explain predictions; take row weights; learn from one batch after the other; predict in other programs; be a
Bayesian network in them; answer questions about several variables at once; learn from tables of any size."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a model learned, and how it was set when it did.

    Attributes
    ----------
    params : dict
        The parameters of the estimator at the time.
    schema : Schema
        The variables, their values, and the classes.
    named : bool
        Whether the training table had names for its columns.
    """

    params: dict[str, Any]
    schema: Schema
    named: bool

    def weighed(self, coded: Coded) -> Coded:
        """Coded rows with their weights as the model takes them."""
        return coded.relative() if self.params.get("weighting") == "relative" else coded


Weighting: TypeAlias = Literal["counts", "relative"]
"""What weights of rows are: numbers of rows, or no more than the relation between rows."""


class TableEstimator(PredictsTables, BaseEstimator):
    """A model on tables, with the options of :class:`codelength.NaiveBayes` about columns and cells.

    Attributes
    ----------
    kind : str
        Name of the model on the command line and in files.
    capabilities : frozenset of str
        What it can do with its default parameters. Other parameters may allow more.
    outcome : str
        What it predicts, in one word: a class or a component.
    cutting : Cutting, optional
        How it cuts columns of numbers, where that is not the usual way.
    averages_intervals : bool
        Whether it can average over the ways to merge intervals, which ``numeric="average"`` asks for.
    """

    kind: ClassVar[str]
    capabilities: ClassVar[frozenset[Capability]] = frozenset()
    outcome: ClassVar[str] = "class"
    cutting: ClassVar[Cutting | None] = None
    averages_intervals: ClassVar[bool] = False

    _state: Any

    def __init__(
        self,
        missing: Missing,
        handle_unknown: HandleUnknown,
        numeric: Numeric,
        identifiers: Identifiers,
        strict: bool,
        schema: Schema | None,
    ) -> None:
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.numeric = numeric
        self.identifiers = identifiers
        self.strict = strict
        self.schema = schema

    # What a model says about itself.

    @property
    def outcome_names(self) -> tuple[Scalar, ...]:
        """The columns of ``predict_proba``: the classes, or the numbers of the components from 1."""
        return self.schema_.classes

    def outcome_columns(self, carried: Sequence[str] = (), name: str | None = None) -> list[str]:
        """Names of columns for the predicted outcome and the probability of each, beside other columns.

        Parameters
        ----------
        carried : sequence of str
            Names of the columns beside them, none of which is used again.
        name : str, optional
            Name of the column of the outcome; by default :attr:`outcome`.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> model = NaiveBayes().fit({"x": ["a", "b"]}, ["no", "yes"])
        >>> model.outcome_columns(["class"])
        ['predicted_class', 'p_no', 'p_yes']
        """
        carried = check_names("columns", carried)
        if name is not None:
            check_instance("name", name, str, "text, or None")
        outcome = self.outcome if name is None else name
        if name is None and outcome in carried:
            outcome = f"predicted_{outcome}"
        if outcome in carried or not outcome:
            raise InvalidParameter(
                f"name {shown(outcome)}: the output has a column of that name already; choose another"
            )
        names, taken = [outcome], {column.casefold() for column in (*carried, outcome)}
        for label in self.outcome_names:
            # Labels may differ in type or capitals alone, and a file tells columns apart by neither.
            numbers = (f"p_{label}" if n == 1 else f"p_{label}_{n}" for n in itertools.count(1))
            names.append(next(candidate for candidate in numbers if candidate.casefold() not in taken))
            taken.add(names[-1].casefold())
        return names

    def summary(self) -> list[Block]:
        """What the model knows, as blocks for people: its settings, its outcomes and its variables."""
        fitted = self._fitted
        options = [(name, str(value)) for name, value in self._settings().items() if value is not None]
        variables = variables_grid("variables", fitted.schema.variables)
        return [Facts([("model", self.kind), *options]), *self._findings(), variables]

    def unseen(self, X: Any) -> dict[str, int]:
        """How many cells of each column hold values that the model does not know, where there are any.

        A prediction treats such cells as missing, or refuses them (``handle_unknown="error"``), and it warns
        where they are most of the cells of a column.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> model = NaiveBayes().fit({"size": ["s", "m", "l"]}, ["no", "yes", "yes"])
        >>> model.unseen({"size": ["s", "xl", "xxl", None]})
        {'size': 2}
        """
        quietly = {"handle_unknown": "ignore", "told": self.schema_.names}
        return dict(self._encoded(X, None, **quietly).unseen)

    def summary_document(self) -> dict[str, Any]:
        """The same as JSON types, for machines."""
        fitted = self._fitted
        return {
            "kind": self.kind,
            "params": self._shown_params(),
            "schema": fitted.schema.to_json(),
            **self._findings_document(),
        }

    def _settings(self) -> dict[str, Any]:
        """The parameters at the time of the fit that people are shown."""
        return self._shown_params()

    def _findings(self) -> list[Block]:
        """What this kind of model has to say beside its settings and its variables."""
        raise NotImplementedError

    def _findings_document(self) -> dict[str, Any]:
        """The same as JSON types."""
        raise NotImplementedError

    # Files.

    def to_document(self) -> dict[str, Any]:
        """All that is needed to predict the same again, as JSON types."""
        fitted = self._fitted
        return {
            "kind": self.kind,
            "params": {name: documents.plain(value) for name, value in fitted.params.items()},
            "named": fitted.named,
            "schema": fitted.schema.to_json(),
            "fitted": self._content(),
        }

    @classmethod
    @reading("a model", "to_document")
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """The model that :meth:`to_document` wrote, checked."""
        params = {name: documents.restored(value) for name, value in document["params"].items()}
        model = cls(**params)
        model._check_params()
        fitted = Fitted(model._params(), Schema.from_json(document["schema"]), bool(document["named"]))
        model._state = model._restored(fitted, document["fitted"])
        return model

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as JSON; :func:`codelength.load` reads it back to the last bit.

        A random generator given as ``random_state`` is not kept: its state is no part of what was learned.
        """
        documents.write(self.to_document(), path)

    def _content(self) -> dict[str, Any]:
        """What a file keeps beside parameters and schema."""
        raise NotImplementedError

    def _restored(self, fitted: Fitted, content: Mapping[str, Any]) -> Fitted:
        """The state that :meth:`_content` came from, checked."""
        raise NotImplementedError

    # State, as scikit-learn expects to find it.

    @property
    def _fitted(self) -> Any:
        state = self.__dict__.get("_state")
        if state is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
                "arguments before using this estimator."
            )
        return state

    def __sklearn_is_fitted__(self) -> bool:
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
        """Names of the variables, where the training table had names."""
        if not self._fitted.named:
            raise AttributeError("feature_names_in_: the training table had no names for its columns")
        return np.array(self._fitted.schema.names, dtype=object)

    # Steps that models share.

    def _check_params(self) -> None:
        """Refuse parameters that do not exist or do not fit each other."""
        check_choice("missing", self.missing, Missing)
        check_choice("handle_unknown", self.handle_unknown, HandleUnknown)
        check_choice("numeric", self.numeric, Numeric)
        if self.numeric == "average" and not self.averages_intervals:
            raise InvalidParameter(
                f'numeric="average": {self.kind} does not average over intervals; pass numeric="discretize", '
                "or use NaiveBayes"
            )
        check_choice("identifiers", self.identifiers, Identifiers)
        check_flag("strict", self.strict)
        if self.schema is not None:
            check_instance("schema", self.schema, Schema, "a Schema, or None to infer it")

    def _params(self) -> dict[str, Any]:
        return dict(self.get_params(deep=False))

    def _shown_params(self) -> dict[str, Any]:
        """The parameters at the time of the fit as JSON types, without the schema."""
        params = {name: documents.plain(value) for name, value in self._fitted.params.items()}
        return {name: value for name, value in params.items() if name != "schema"}

    @property
    def _known_schema(self) -> Schema | None:
        """The schema that is known before the rows are seen."""
        return self.schema

    def _training_table(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """The rows to learn from: those of weight zero are not there."""
        table = as_table(X)
        if self._known_schema is None:
            check_not_empty(table)
        table = as_table(table, y, sample_weight).counted()
        if self._known_schema is None:
            check_not_empty(table)  # the target was the only column, perhaps
        return table

    def _training_codes(self, table: Table, schema: Schema, **options: Any) -> Coded:
        """Rows to learn from as codes; ``options`` are those of :func:`codelength.table.encode`."""
        usual = {"training": True, "by_name": table.named}
        return encode(schema, table, handle_unknown=self.handle_unknown, **(usual | options))

    def _schema_without_classes(self, table: Table) -> Schema:
        """The schema of a table of which nothing is to be predicted: the one given, or what the rows say."""
        if self.schema is None:
            return self._inferred(replace(table, target=None))
        return schema_for(self.schema, table).without_target()

    def _inferred(self, table: Table) -> Schema:
        return infer_schema(
            table,
            missing=self.missing,
            numeric=self.numeric,
            identifiers=self.identifiers,
            cutting=self.cutting,
        )

    def _encoded(self, X: Any, sample_weight: Any = None, **options: Any) -> Coded:
        """New rows as codes, under the options of the fit; what class they have is not asked."""
        table = as_table(known_rows(self._fitted.schema, X), None, sample_weight)
        return self._coded(replace(table, target=None), **options)

    def _coded(self, table: Table, **options: Any) -> Coded:
        """A table as codes, under the options of the fit unless others are given."""
        fitted = self._fitted
        warn_about_names(self, table, fitted.named)
        usual = {name: fitted.params[name] for name in ("handle_unknown", "strict")}
        return encode(fitted.schema, table, by_name=table.named and fitted.named, **(usual | options))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


class TableClassifier(ScoresTables, TableEstimator):
    """A model that predicts classes."""

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes."""
        return class_array(self._fitted.schema.classes)

    def coded_for(self, table: Table) -> Coded:
        """The rows of a table with classes as this model would code them to learn from them."""
        self._check_params()
        return self._training_codes(table, self._settled_schema(table))

    def fit_coded(self, coded: Coded, *, named: bool = True) -> Self:
        """Learn from rows that are coded already; the schema is theirs."""
        self._check_params()
        check_coded(coded)
        check_classes(coded.schema)
        self._state = self._learned(coded, Fitted(self._params(), coded.schema, named))
        return self

    def log_probs_of(self, coded: Coded) -> Distributions:
        """Log probability of each class for coded rows, in nats."""
        raise NotImplementedError

    def leave_one_out_of(self, coded: Coded) -> Predictions:
        """Predict each coded training row from all the others, for models that can."""
        raise InvalidParameter(f"{self.kind} has no leave-one-out in closed form; use cross-validation")

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; the first of several equally probable ones."""
        return np.asarray(self.classes_[first_best_of_rows(self.predict_proba(X))])

    def predict_proba(self, X: Any) -> Any:
        """Probability of each class for each row, shape (n_rows, n_classes)."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict_log_proba(self, X: Any) -> Any:
        """Log probability of each class for each row, in nats."""
        return self.log_probs_of(self._encoded(X)).log_probs

    def _learned(self, coded: Coded, fitted: Fitted) -> Any:
        """The state after learning from coded rows."""
        raise NotImplementedError

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self._check_params()
        table = self._training_table(X, y, sample_weight)
        coded = self.coded_for(table)
        self._state = self._learned(coded, Fitted(self._params(), coded.schema, table.named))
        return self

    def _settled_schema(self, table: Table, classes: Any = None) -> Schema:
        """The schema of a table with classes: the one given, or what the rows and the classes named say."""
        target = target_column(table.target)
        known = self._known_schema
        if known is None:
            schema = self._inferred(table)
        else:
            schema = schema_for(known, table)
            if schema.target is not None:
                check_same_classes(classes, schema, "as in the schema")
                check_classes(schema)
                return schema
            schema = replace(schema, target=infer_schema(Table((), table.n_rows, target=target)).target)
        if classes is not None:
            values = class_labels(classes)
            schema = replace(schema, target=Variable(target.name, values, origin="named beforehand"))
        check_classes(schema)
        return schema


M = TypeVar("M", bound=type[TableEstimator])


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that ``save`` wrote.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    TableEstimator
        The fitted model.

    Raises
    ------
    InvalidModelFile
        Where the file is absent, truncated, changed, not a model, or in another version of the format.
    """
    from .registry import model_of

    return documents.read(path, lambda document: model_of(document["kind"]).from_document(document))
