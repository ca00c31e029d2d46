"""Fitted average over models that are weighted by their evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._display import nats_and_bits
from ..blocks import Block, Facts, Grid
from ..decisions import ranked
from ..errors import DataError, InvalidParameter
from ..naive_bayes import Distributions, normalised
from ..naive_bayes.answer import Answer
from ..naive_bayes.query import Known, Question
from ..networks.queries import JointRows, all_states
from ..table import Coded, Schema
from ..table._messages import shown
from ..table.checks import check_number, check_sequence
from ..table.copies import check_copies
from ..table.schema import classes_grid
from ..typing import FloatArray
from . import documents
from ._fitted import Fitted
from .described import (
    Described,
    OnVariables,
    described,
    restored,
    spec_from_json,
    spec_to_json,
    title_of,
)
from .registry import model_of

OWN = ("models", "prior")
"""Parameters that files keep in the learned part."""

LARGEST = 1e100
"""Largest number in ``prior``."""

LEAST_WEIGHT = 1e-18
"""Smallest weight of a model that takes part in predictions."""


@dataclass(frozen=True, eq=False)
class FittedEvidence(Fitted):
    """Models fitted to one table, and their posterior probabilities.

    Attributes
    ----------
    names : tuple of str
        Names of the models.
    models : tuple of Described
        The models.
    prior_probs : array of shape (n_models,)
        Prior probability of each.
    class_counts : array of shape (n_classes,)
        Weight of each class.
    """

    names: tuple[str, ...]
    models: tuple[Described, ...]
    prior_probs: FloatArray
    class_counts: FloatArray

    kind = "evidence-average"

    @classmethod
    def learn(cls, params: dict[str, Any], coded: Coded, named: bool) -> Self:
        # Scaled once for all models: their code lengths must be of the same rows with the same weights.
        rows = coded.relative() if params["weighting"] == "relative" else coded
        models = named_models(params["models"])
        check_copies(rows.weights)
        counts = np.bincount(rows.class_codes, rows.weights, rows.schema.n_classes)
        return cls(
            params,
            coded.schema,
            named,
            names=tuple(models),
            models=tuple(described(model, rows) for model in models.values()),
            prior_probs=prior_probs_of(params["prior"], len(models)),
            class_counts=counts.astype(np.float64),
        )

    @property
    def code_lengths(self) -> FloatArray:
        """Code length of the table under each model, in nats."""
        return np.array([model.code_length for model in self.models])

    @property
    def log_weights(self) -> FloatArray:
        """Log posterior probability of each model; -inf if its prior is zero."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.prior_probs) - self.code_lengths
        return np.asarray(logs - np.logaddexp.reduce(logs))

    @property
    def code_length(self) -> float:
        """Code length of the table under the average, in nats."""
        with np.errstate(divide="ignore"):
            return -float(np.logaddexp.reduce(np.log(self.prior_probs) - self.code_lengths))

    def log_joint(self, coded: Coded) -> FloatArray:
        """Return the joint log probability of rows and each class, in nats, shape (n_rows, n_classes)."""
        # In logs: probabilities of whole rows underflow with a few hundred variables.
        found = np.full((coded.n_rows, coded.schema.n_classes), -np.inf)
        for log_weight, model in zip(self.log_weights, self.models, strict=True):
            if log_weight >= np.log(LEAST_WEIGHT):
                found = np.logaddexp(found, log_weight + model.log_joint(coded))
        return found

    def log_probs(self, coded: Coded) -> Distributions:
        return normalised(self.log_joint(coded))

    def question(self, variables: Any) -> Question:
        return self._rows.question(variables)

    def answer(self, question: Question, known: Known) -> Answer:
        """Answer a question about several variables."""
        return self._rows.answer(question, known)

    @property
    def _rows(self) -> JointRows:
        # Enumerated, because some models may not sum out missing cells (all forests only nearly do).
        return JointRows(self.schema, self.log_joint, all_states(self.schema, range(self.schema.n_variables)))

    def model_rows(self) -> list[dict[str, Any]]:
        """Return the name, the code length in nats and the weight of each model."""
        rows = zip(self.names, self.code_lengths.tolist(), self.log_weights, strict=True)
        return [
            {"name": name, "code_length": length, "weight": float(np.exp(log_weight))}
            for name, length, log_weight in rows
        ]

    def shown_params(self) -> dict[str, Any]:
        # Models have no JSON type in general; the findings name them.
        params = {name: value for name, value in self.params.items() if name not in ("models", "schema")}
        return {name: documents.plain(value) for name, value in params.items()}

    def findings(self) -> list[Block]:
        models = self.model_rows()
        rows = [
            [
                row["name"],
                f"{row['code_length']:.1f}",
                f"{row['code_length'] / np.log(2):.1f}",
                f"{row['weight']:.4f}",
            ]
            # By code length, because the weights of all but a few models may underflow to zero.
            for row in (models[k] for k in ranked(-self.code_lengths))
        ]
        return [
            Facts(
                [
                    ("rows", f"{self.class_counts.sum():,.10g}"),
                    ("code length", nats_and_bits(self.code_length)),
                ]
            ),
            classes_grid(self.schema.target, self.class_counts),
            Grid("models", ["model", "code length, nats", "bits", "weight"], rows),
        ]

    def findings_document(self) -> dict[str, Any]:
        return {
            "rows": float(self.class_counts.sum()),
            "code_length_nats": self.code_length,
            "class_counts": self.class_counts.tolist(),
            "models": self.model_rows(),
        }

    def to_document(self) -> dict[str, Any]:
        # The documents of models depend on the schema, so models and their prior are part of the content.
        params = {name: documents.plain(self.params[name]) for name in self.params if name not in OWN}
        schema = self.schema.to_json()
        content = self.content()
        return {"kind": self.kind, "params": params, "named": self.named, "schema": schema, "fitted": content}

    def content(self) -> dict[str, Any]:
        given = self.params["models"]
        specs = list(given.values()) if isinstance(given, Mapping) else given
        return {
            "given": None if specs is None else [spec_to_json(model, self.schema) for model in specs],
            "is_named": isinstance(given, Mapping),
            "prior": documents.plain(self.params["prior"]),
            "names": list(self.names),
            "models": [model.to_json() for model in self.models],
            "class_counts": self.class_counts.tolist(),
        }

    @classmethod
    def restored_params(cls, document: Mapping[str, Any]) -> dict[str, Any]:
        content = document["fitted"]
        models: Any = None
        if content["given"] is not None:
            models = [spec_from_json(model) for model in content["given"]]
            models = dict(zip(content["names"], models, strict=True)) if content["is_named"] else models
        own = {"models": models, "prior": documents.restored(content["prior"])}
        return super().restored_params(document) | own

    @classmethod
    def restored(
        cls, params: dict[str, Any], schema: Schema, named: bool, content: Mapping[str, Any]
    ) -> Self:
        if schema.target is None:
            raise DataError("the schema has no classes")
        names = tuple(content["names"])
        # Names follow from the models, so other names mean that one of the two was changed.
        if tuple(named_models(params["models"])) != names:
            raise DataError("the names are not those of the models")
        models = tuple(restored(model, schema) for model in content["models"])
        counts = np.array([float(count) for count in content["class_counts"]])
        if len(models) != len(names) or counts.shape != (schema.n_classes,):
            raise DataError("the models are not what a fit leaves behind")
        prior_probs = prior_probs_of(params["prior"], len(names))
        return cls(params, schema, named, names, models, prior_probs, counts)


def named_models(models: Sequence[Any] | Mapping[str, Any] | None) -> dict[str, Any]:
    """Return models by name.

    Parameters
    ----------
    models : sequence or mapping of names to models, optional
        As in :class:`codelength.EvidenceAverage`. Models of a sequence get their titles as names, numbered
        if they are equal.
    """
    if isinstance(models, Mapping):
        return dict(models)
    named: dict[str, Any] = {}
    for model in _default_models() if models is None else models:
        title, n = title_of(model), 2
        name = title
        while name in named:
            name, n = f"{title} ({n})", n + 1
        named[name] = model
    return named


def _default_models() -> list[Any]:
    """Return the models to average by default."""
    # By kind, so that the modules of these models are loaded on use.
    naive_bayes: Any = model_of("naive-bayes")
    trees: Any = model_of("indifferent-trees")
    return [naive_bayes(), OnVariables(naive_bayes()), trees(forest="best"), trees(forest="all")]


def prior_probs_of(prior: Any, n_models: int) -> FloatArray:
    """Return the prior probability of each model.

    Parameters
    ----------
    prior : sequence of float, optional
        Relative numbers; by default all models are equally probable.
    n_models : int
        Number of models.

    Raises
    ------
    InvalidParameter
        If there is not one number per model, or all of them are zero.
    """
    if prior is None:
        return np.full(n_models, 1.0 / n_models)
    given = check_sequence("prior", prior, of="numbers, one per model")
    numbers = np.array([check_number("prior", number, 0, LARGEST) for number in given])
    if len(numbers) != n_models or not numbers.any():
        raise InvalidParameter(
            f"prior={shown(prior)}: expected {n_models} numbers, one per model, and not all of them zero"
        )
    return np.asarray(numbers / numbers.sum())
