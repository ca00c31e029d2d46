"""Fitted models: one frozen object for everything that an estimator learned.

Order of reading: :class:`Fitted`, in the order of its parts: class methods that need no fit, predictions of
new rows, summaries and files. ``OFFERED`` connects its members with the public methods of estimators.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from ..blocks import Block
from ..errors import InvalidParameter
from ..naive_bayes.query import Question
from ..table import Coded, Schema, Table, encode
from ..typing import FloatArray, Scalar
from . import documents
from .reading import Reading

if TYPE_CHECKING:
    from ..naive_bayes import Distributions

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
"""Abilities of models: predict classes, or find components; leave one row out in closed form; explain
predictions; take row weights; learn from one batch after the other; predict in other programs; be a Bayesian
network in them; answer questions about several variables at once; learn from tables of any size."""

OFFERED: dict[Capability, str] = {
    "leave_one_out": "left_out",
    "explain": "explain",
    "partial_fit": "merged",
    "export": "look_ups",
    "network": "network",
    "query": "answer",
    "fit_table": "streamed",
}
"""Member of a fitted type that implements each further capability."""

Weighting: TypeAlias = Literal["counts", "relative"]
"""Meaning of row weights: numbers of rows, or no more than the relation between rows."""


# Frozen, so that an estimator changes its state by a single assignment: threads that predict during a refit
# use the old state or the new one, and copies can share it.
@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model with all operations on coded rows.

    A subclass adds fields, :meth:`learn`, the findings and the content of files. A public method of the
    estimator exists if the fitted type has its counterpart: ``explain``, ``left_out``, ``answer``,
    ``log_joint``, ``look_ups``, ``network``, ``merged``.

    Attributes
    ----------
    params : dict
        The parameters of the estimator at the time of the fit.
    schema : Schema
        The variables, their values, and the classes.
    named : bool
        True if the training table had names for its columns.
    """

    params: dict[str, Any]
    schema: Schema
    named: bool

    kind: ClassVar[str]
    outcome: ClassVar[str] = "class"
    averages_intervals: ClassVar[bool] = False

    # Class methods with parameters, because commands and checks ask before there is a fit.

    @classmethod
    def name(cls, params: Mapping[str, Any]) -> str:
        """Return the name of the model on the command line."""
        return cls.kind

    @classmethod
    def title(cls, params: Mapping[str, Any]) -> str:
        """Return the name of a model among others."""
        return cls.name(params)

    @classmethod
    def capabilities(cls, params: Mapping[str, Any]) -> frozenset[Capability]:
        """Return the capabilities of a model with these parameters.

        A subclass removes those that some of its parameters exclude.
        """
        usual: tuple[Capability, ...] = ("weights", "classes" if cls.outcome == "class" else "components")
        # Looked up as members, so that a capability cannot be declared without its implementation.
        return frozenset({*usual, *(name for name, member in OFFERED.items() if hasattr(cls, member))})

    @classmethod
    def reading(cls, params: Mapping[str, Any]) -> Reading:
        """Return the encoding of training tables under these parameters."""
        return Reading(params, params["schema"])

    @classmethod
    def learn(cls, params: dict[str, Any], coded: Coded, named: bool) -> Self:
        """Learn from coded rows.

        Parameters
        ----------
        params : dict
            Checked parameters of the estimator.
        coded : Coded
            The training rows; weights are not scaled yet.
        named : bool
            True if the training table had names for its columns.

        Returns
        -------
        Fitted
            The new state of the estimator.
        """
        raise NotImplementedError

    @classmethod
    def check_describes(cls, params: Mapping[str, Any]) -> None:
        """Raise InvalidParameter if the model does not describe whole rows with these parameters.

        Only fitted types with ``described`` are asked; most have no restriction.
        """

    @classmethod
    def spec(cls, params: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
        """Return the unfitted model as JSON types.

        Parameters
        ----------
        params : mapping
            Parameters of the estimator.
        schema : Schema
            The schema of the table to learn from; a prior may depend on it.

        Returns
        -------
        dict
            The kind and the parameters.
        """
        return {"kind": cls.kind, "params": {name: documents.plain(value) for name, value in params.items()}}

    # New rows.

    @property
    def outcomes(self) -> tuple[Scalar, ...]:
        """The columns of ``predict_proba``."""
        return self.schema.classes

    def encode(self, table: Table, **options: Any) -> Coded:
        """Encode a table under the options of the fit, unless others are given.

        Parameters
        ----------
        table : Table
            New rows.
        options
            Options of :func:`codelength.table.encode`, which take precedence.
        """
        usual = {name: self.params[name] for name in ("handle_unknown", "strict")}
        # Names match columns only if both sides have them; otherwise columns are matched by position.
        return encode(self.schema, table, by_name=table.named and self.named, **(usual | options))

    def weighed(self, coded: Coded) -> Coded:
        """Return coded rows with weights on the scale of the model.

        Relative weights are scaled to add up to the number of rows. Predictions of new rows do not depend on
        their weights, so only methods that take training rows again call this.
        """
        # Not every model has weighting=: mixture classifiers take whole weights only.
        return coded.relative() if self.params.get("weighting") == "relative" else coded

    def question(self, variables: Any) -> Question:
        """Return a checked question about variables, with the values that the model distinguishes.

        Parameters
        ----------
        variables : name or names
            The variables, in the order of the axes of the answer.
        """
        return Question.of(self.schema, variables)

    def log_probs(self, coded: Coded) -> "Distributions":
        """Return the log probability of each class for coded rows, in nats.

        Returns
        -------
        Distributions
            ``log_probs`` of shape (n_rows, n_classes), and ``undefined``: True for rows that are 0/0.
        """
        raise NotImplementedError

    def probs(self, coded: Coded) -> tuple[FloatArray, int]:
        """Return the probability of each outcome for coded rows, and the number of undefined rows (0/0).

        Returns
        -------
        probs : array of shape (n_rows, n_outcomes)
            In the order of :attr:`outcomes`.
        n_undefined : int
            Number of rows to warn about. Batches add it up, so that a table gets one warning.
        """
        log_probs, undefined = self.log_probs(coded)
        return np.exp(log_probs), int(np.count_nonzero(undefined))

    def tell_undefined(self, n_undefined: int, n_rows: int) -> None:
        """Warn of rows in which the definition gives 0/0; most models have none."""

    def check_left_out(self, *, weighted: bool) -> None:
        """Raise InvalidParameter if one pass over the rows is not enough to leave each out.

        Parameters
        ----------
        weighted : bool
            True if the rows to leave out have weights.
        """
        if not hasattr(self, "left_out_of_batch"):
            raise InvalidParameter(
                f"leave_one_out=True: {self.name(self.params)} does not leave rows out one batch after the "
                "other; pass leave_one_out=False to score rows that it has not seen"
            )

    # Summaries and files.

    def shown_params(self) -> dict[str, Any]:
        """Return the parameters as JSON types, without the schema, which summaries show as a table."""
        return {name: documents.plain(value) for name, value in self.params.items() if name != "schema"}

    def settings(self) -> dict[str, Any]:
        """Return the parameters that summaries show."""
        return self.shown_params()

    def findings(self) -> list[Block]:
        """Return the part of the summary between the settings and the variables."""
        raise NotImplementedError

    def findings_document(self) -> dict[str, Any]:
        """Return the findings as JSON types."""
        raise NotImplementedError

    def to_document(self) -> dict[str, Any]:
        """Return all that is needed to predict the same again, as JSON types."""
        return {
            "kind": self.kind,
            "params": {name: documents.plain(value) for name, value in self.params.items()},
            "named": self.named,
            "schema": self.schema.to_json(),
            "fitted": self.content(),
        }

    def content(self) -> dict[str, Any]:
        """Return the learned part of a model file, as JSON types; parameters and schema are kept apart."""
        raise NotImplementedError

    @classmethod
    def restored_params(cls, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of the estimator in a document."""
        return {name: documents.restored(value) for name, value in document["params"].items()}

    @classmethod
    def restored(
        cls, params: dict[str, Any], schema: Schema, named: bool, content: Mapping[str, Any]
    ) -> Self:
        """Return the fitted model of a file; the inverse of :meth:`content`.

        Parameters
        ----------
        params : dict
            Checked parameters of the estimator.
        schema : Schema
            The schema of the file.
        named : bool
            True if the training table had names for its columns.
        content : mapping
            The learned part, as :meth:`content` wrote it.

        Raises
        ------
        DataError
            If the content is not consistent. Lookup, type and value errors are turned into the same by the
            caller.
        """
        raise NotImplementedError
