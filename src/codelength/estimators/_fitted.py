"""Fitted models: one frozen object for everything that an estimator learned."""

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
"""The member of a fitted type that stands for each further capability."""

Weighting: TypeAlias = Literal["counts", "relative"]
"""Meaning of row weights: numbers of rows, or no more than the relation between rows."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model, and everything that is done with it on coded rows.

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

    # Before the fit.

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
        """Return what a model with these parameters can do."""
        usual: tuple[Capability, ...] = ("weights", "classes" if cls.outcome == "class" else "components")
        return frozenset({*usual, *(name for name, member in OFFERED.items() if hasattr(cls, member))})

    @classmethod
    def reading(cls, params: Mapping[str, Any]) -> Reading:
        """Return the way from tables to the codes to learn from."""
        return Reading(params, params["schema"])

    @classmethod
    def learn(cls, params: dict[str, Any], coded: Coded, named: bool) -> Self:
        """Learn from coded rows."""
        raise NotImplementedError

    @classmethod
    def check_describes(cls, params: Mapping[str, Any]) -> None:
        """Raise InvalidParameter if the model does not describe whole rows with these parameters."""

    @classmethod
    def spec(cls, params: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
        """Return the model before it has seen a table of the schema, as JSON types."""
        return {"kind": cls.kind, "params": {name: documents.plain(value) for name, value in params.items()}}

    # New rows.

    @property
    def outcomes(self) -> tuple[Scalar, ...]:
        """The columns of ``predict_proba``."""
        return self.schema.classes

    def encode(self, table: Table, **options: Any) -> Coded:
        """Encode a table under the options of the fit, unless others are given."""
        usual = {name: self.params[name] for name in ("handle_unknown", "strict")}
        return encode(self.schema, table, by_name=table.named and self.named, **(usual | options))

    def weighed(self, coded: Coded) -> Coded:
        """Return coded rows with their weights as the model takes them."""
        return coded.relative() if self.params.get("weighting") == "relative" else coded

    def question(self, variables: Any) -> Question:
        """Return the variables of a question, checked, and the values that the model tells apart."""
        return Question.of(self.schema, variables)

    def log_probs(self, coded: Coded) -> "Distributions":
        """Return the log probability of each class for coded rows, in nats."""
        raise NotImplementedError

    def probs(self, coded: Coded) -> tuple[FloatArray, int]:
        """Return the probability of each outcome for coded rows, and how many rows are undefined (0/0)."""
        log_probs, undefined = self.log_probs(coded)
        return np.exp(log_probs), int(np.count_nonzero(undefined))

    def tell_undefined(self, n_undefined: int, n_rows: int) -> None:
        """Warn that the definition gives 0/0 in some rows."""

    def check_left_out(self, *, weighted: bool) -> None:
        """Raise InvalidParameter if one pass over the rows is not enough to leave each out."""
        if not hasattr(self, "left_out_of_batch"):
            raise InvalidParameter(
                f"leave_one_out=True: {self.name(self.params)} does not leave rows out one batch after the "
                "other; pass leave_one_out=False to score rows that it has not seen"
            )

    # Summaries and files.

    def shown_params(self) -> dict[str, Any]:
        """Return the parameters as JSON types, without the schema."""
        return {name: documents.plain(value) for name, value in self.params.items() if name != "schema"}

    def settings(self) -> dict[str, Any]:
        """Return the parameters that summaries show."""
        return self.shown_params()

    def findings(self) -> list[Block]:
        """Return what a summary shows between the settings and the variables."""
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
        """Return what a file keeps beside parameters and schema."""
        raise NotImplementedError

    @classmethod
    def restored_params(cls, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of the estimator in a document."""
        return {name: documents.restored(value) for name, value in document["params"].items()}

    @classmethod
    def restored(
        cls, params: dict[str, Any], schema: Schema, named: bool, content: Mapping[str, Any]
    ) -> Self:
        """Return what :meth:`content` came from, checked."""
        raise NotImplementedError
