"""Fitted models: one frozen object for everything that an estimator learned.

Order of reading: :class:`Fitted`, in the order of its parts: class methods that need no fit, predictions of
new rows, summaries and files. ``OFFERED`` connects its members with the public methods of estimators.
Depends on ``reading`` (tables to codes) and ``documents`` (parameters as JSON).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from ..blocks import Block, Facts
from ..errors import InvalidParameter
from ..naive_bayes import normalised
from ..naive_bayes.query import Answer, Known, Question
from ..table import Coded, Schema, Table, encode
from ..table.schema import classes_grid
from ..typing import FloatArray, Scalar
from . import documents
from .reading import Reading

if TYPE_CHECKING:
    from ..naive_bayes import Distributions
    from ..networks.queries import JointRows

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
        """Return the capabilities of a model; a subclass removes those that its parameters exclude."""
        usual: tuple[Capability, ...] = ("weights", "classes" if cls.outcome == "class" else "components")
        # Looked up as members, so that a capability cannot be declared without its implementation.
        found = {*usual, *(name for name, member in OFFERED.items() if hasattr(cls, member))}
        # No other program can refuse values that were not seen.
        return frozenset(found - {"export"} if params.get("handle_unknown") == "error" else found)

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
        """
        raise NotImplementedError

    @classmethod
    def check_describes(cls, params: Mapping[str, Any]) -> None:
        """Raise InvalidParameter if the model does not describe whole rows with these parameters.

        Only fitted types with ``described`` are asked; most have no restriction.
        """

    @classmethod
    def spec(cls, params: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
        """Return the unfitted model as JSON types: its kind, and its parameters under the schema."""
        return {"kind": cls.kind, "params": documents.plain_params(params)}

    # New rows.

    @property
    def outcomes(self) -> tuple[Scalar, ...]:
        """The columns of ``predict_proba``."""
        return self.schema.classes

    def encode(self, table: Table, **options: Any) -> Coded:
        """Encode a table; ``options`` of :func:`codelength.table.encode` precede those of the fit."""
        usual = {name: self.params[name] for name in ("handle_unknown", "strict")}
        # Names match columns only if both sides have them; otherwise columns are matched by position.
        return encode(self.schema, table, by_name=table.named and self.named, **(usual | options))

    def question(self, variables: Any) -> Question:
        """Return a checked question about variables, with the values that the model distinguishes."""
        return Question.of(self.schema, variables)

    def log_probs(self, coded: Coded) -> "Distributions":
        """Return the log probability of each class for coded rows, in nats, and the undefined rows (0/0)."""
        raise NotImplementedError

    def probs(self, coded: Coded) -> tuple[FloatArray, int]:
        """Return the probability of each outcome for coded rows, and the number of undefined rows (0/0)."""
        log_probs, undefined = self.log_probs(coded)
        return np.exp(log_probs), int(np.count_nonzero(undefined))

    def tell_undefined(self, n_undefined: int, n_rows: int) -> None:
        """Warn of rows in which the definition gives 0/0; most models have none."""

    def check_left_out(self, *, weighted: bool) -> None:
        """Raise InvalidParameter if one pass over rows, weighted or not, cannot leave each of them out."""
        if not hasattr(self, "left_out_of_batch"):
            raise InvalidParameter(
                f"leave_one_out=True: {self.name(self.params)} does not leave rows out one batch after the "
                "other; pass leave_one_out=False to score rows that it has not seen"
            )

    # Summaries and files.

    def shown_params(self) -> dict[str, Any]:
        """Return the parameters as JSON types, without the schema, which summaries show as a table."""
        return documents.plain_params(self.params, without=("schema",))

    def settings(self) -> dict[str, Any]:
        """Return the parameters that summaries show."""
        return self.shown_params()

    def findings(self) -> list[Block]:
        """Return the part of the summary between the settings and the variables."""
        raise NotImplementedError

    def findings_document(self) -> dict[str, Any]:
        """Return the findings as JSON types."""
        raise NotImplementedError

    def row_blocks(self, class_counts: FloatArray, *facts: tuple[str, str]) -> list[Block]:
        """Return the number of training rows, further facts, and the number of rows of each class."""
        rows = ("rows", f"{class_counts.sum():,.10g}")
        return [Facts([rows, *facts]), classes_grid(self.schema.target, class_counts)]

    def to_document(self) -> dict[str, Any]:
        """Return all that is needed to predict the same again, as JSON types."""
        return {
            "kind": self.kind,
            "params": documents.plain_params(self.params),
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
        return documents.restored_params(document["params"])

    @classmethod
    def restored(cls, content: Mapping[str, Any], **known: Any) -> Self:
        """Return the fitted model of a file; the inverse of :meth:`content`.

        Parameters
        ----------
        content : mapping
            The learned part, as :meth:`content` wrote it.
        known
            The fields of :class:`Fitted`, checked.

        Raises
        ------
        DataError
            If the content is not consistent. The caller turns lookup, type and value errors into the same.
        """
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class FittedJoint(Fitted):
    """A fitted model that gives each row a probability together with each class."""

    def log_joint(self, coded: Coded) -> FloatArray:
        """Return the log probability of coded rows together with each class, (n_rows, n_classes), in nats."""
        raise NotImplementedError

    def log_probs(self, coded: Coded) -> "Distributions":
        return normalised(self.log_joint(coded))

    @property
    def joint_rows(self) -> "JointRows":
        """The states of the variables, to sum over those that are not known."""
        raise NotImplementedError

    def question(self, variables: Any) -> Question:
        return self.joint_rows.question(variables)

    def answer(self, question: Question, known: Known) -> Answer:
        """Answer a question about several variables."""
        return self.joint_rows.answer(question, known)


def scaled(params: Mapping[str, Any], coded: Coded) -> Coded:
    """Return training rows with the weights that count: relative ones then add up to the number of rows."""
    # Not every model has weighting=: mixture classifiers take whole weights only.
    return coded.relative() if params.get("weighting") == "relative" else coded
