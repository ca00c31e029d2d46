"""An average over a list of models, each weighted by how probable it makes the whole table.

Order of reading: :class:`FittedEvidence`, the models that have seen the table and their weights;
:class:`EvidenceAverage`, its parameters; then names and prior probabilities of models. Depends on
``described``, the models of whole rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from .._display import nats_and_bits
from ..blocks import Block, Grid
from ..decisions import ranked
from ..errors import DataError, InvalidParameter
from ..networks.queries import JointRows, all_states
from ..table import Coded
from ..table._messages import shown
from ..table.checks import check_number, check_sequence
from ..table.copies import check_copies
from ..typing import FloatArray
from . import documents
from ._fitted import FittedJoint, Weighting, scaled
from .classifier import TableClassifier
from .described import (
    Described,
    OnVariables,
    check_describes,
    described,
    restored,
    spec_from_json,
    spec_to_json,
    title_of,
    to_json,
)
from .registry import model_of, register

OWN = ("models", "prior")
"""Parameters that files keep in the learned part."""

MAX_PRIOR = 1e100
"""Largest number in ``prior``."""

LEAST_WEIGHT = 1e-18
"""Smallest weight of a model that takes part in predictions."""


@dataclass(frozen=True, eq=False)
class FittedEvidence(FittedJoint):
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
        rows = scaled(params, coded)
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
        # In logs: probabilities of whole rows underflow with a few hundred variables.
        found = np.full((coded.n_rows, coded.schema.n_classes), -np.inf)
        for log_weight, model in zip(self.log_weights, self.models, strict=True):
            if log_weight >= np.log(LEAST_WEIGHT):
                found = np.logaddexp(found, log_weight + model.log_joint(coded))
        return found

    @property
    def joint_rows(self) -> JointRows:
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
        return documents.plain_params(self.params, without=("models", "schema"))

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
            *self.row_blocks(self.class_counts, ("code length", nats_and_bits(self.code_length))),
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
        return super().to_document() | {"params": documents.plain_params(self.params, without=OWN)}

    def content(self) -> dict[str, Any]:
        given = self.params["models"]
        specs = list(given.values()) if isinstance(given, Mapping) else given
        return {
            "given": None if specs is None else [spec_to_json(model, self.schema) for model in specs],
            "is_named": isinstance(given, Mapping),
            "prior": documents.plain(self.params["prior"]),
            "names": list(self.names),
            "models": [to_json(model) for model in self.models],
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
    def restored(cls, content: Mapping[str, Any], **known: Any) -> Self:
        params, schema = known["params"], known["schema"]
        names = tuple(content["names"])
        # Names follow from the models, so other names mean that one of the two was changed.
        if tuple(named_models(params["models"])) != names:
            raise DataError("the names are not those of the models")
        models = tuple(restored(model, schema) for model in content["models"])
        counts = np.array([float(count) for count in content["class_counts"]])
        if len(models) != len(names) or counts.shape != (schema.n_classes,):
            raise DataError("the models are not what a fit leaves behind")
        prior_probs = prior_probs_of(params["prior"], len(names))
        return cls(**known, names=names, models=models, prior_probs=prior_probs, class_counts=counts)


@register
@dataclass(eq=False, repr=False)
class EvidenceAverage(TableClassifier):
    r"""An average over a list of models, each weighted by how probable it makes the whole table.

    .. math:: P(d \mid D) = \sum_k P(d \mid D, M_k)\, P(M_k \mid D), \quad
              P(M_k \mid D) \propto P(D \mid M_k)\, P(M_k)

    Equation (4) of [1]_ as it stands: d is a whole row, class included, and the class is predicted from it.
    The weights reward the description of everything, not only of the class, and with many rows nearly all
    weight is on one model. :class:`codelength.ModelAverage` weighs its members by how well they predict the
    class instead; ``docs/explanation/theory/averages.md`` compares the two.

    Parameters
    ----------
    models : sequence of models, or mapping of names to models, optional
        The models to average: :class:`codelength.NaiveBayes` under a rule that averages,
        :class:`codelength.IndifferentTrees`, :class:`codelength.FiniteMixture` (the class is one of its
        variables), and :class:`codelength.research.OnVariables` of these. By default naive Bayes,
        the class alone, and trees: the best, and all. Mixtures have no closed form: they are weighted by
        their ``criterion``, and predict with rows shared out over the components. Options about columns and
        cells are those of the average, so that all models describe the same values.
    prior : sequence of float, optional
        Prior probabilities of the models, as relative numbers; by default all are equal.
    missing, handle_unknown, numeric, identifiers, weighting, strict, schema
        As in :class:`codelength.NaiveBayes`.

    Attributes
    ----------
    models_, member_weights_, code_length_
        The models, their weights and the code length of the table; see the properties of these names.
    classes_, schema_, n_features_in_, feature_names_in_
        As in :class:`codelength.NaiveBayes`.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1998). Bayes optimal instance-based learning. ECML.

    Examples
    --------
    >>> from codelength import EvidenceAverage, NaiveBayes
    >>> from codelength.research import OnVariables
    >>> table = {"coin": ["a", "b"] * 10, "sky": ["sun", "sun", "rain", "rain"] * 5}
    >>> models = {
    ...     "sky": OnVariables(NaiveBayes(), ("sky",)),
    ...     "coin": OnVariables(NaiveBayes(), ("coin",)),
    ...     "both": NaiveBayes(),
    ... }
    >>> average = EvidenceAverage(models).fit(table, ["out", "out", "in", "in"] * 5)
    >>> {name: round(weight, 3) for name, weight in average.member_weights_.items()}
    {'sky': 0.664, 'coin': 0.0, 'both': 0.336}
    """

    _fitted_type = FittedEvidence
    _fitted: ClassVar[FittedEvidence]

    models: Sequence[Any] | Mapping[str, Any] | None = None
    _: KW_ONLY
    prior: Sequence[float] | None = None
    weighting: Weighting = "counts"

    @property
    def models_(self) -> list[dict[str, Any]]:
        """Each model: its name, the code length of the training table in nats, and its weight."""
        return self._fitted.model_rows()

    @property
    def member_weights_(self) -> dict[str, float]:
        """Weight of each model by name."""
        return {row["name"]: row["weight"] for row in self.models_}

    @property
    def code_length_(self) -> float:
        """Code length of the training table under the average, in nats."""
        return self._fitted.code_length

    def _check_params(self) -> None:
        super()._check_params()
        if self.models is not None:
            if isinstance(self.models, Mapping):
                # check_sequence rejects mappings, so their values are taken first.
                models: Sequence[Any] = list(self.models.values())
                if not all(isinstance(name, str) and name for name in self.models):
                    raise InvalidParameter("models: expected names that are text, and not empty")
            else:
                models = check_sequence("models", self.models, of="models, or a mapping of names to models")
            if not models:
                raise InvalidParameter("models: there is none; give at least one")
            for model in models:
                check_describes(model)
        # The prior last: the number of models is that of a valid list.
        prior_probs_of(self.prior, len(named_models(self.models)))


def named_models(models: Sequence[Any] | Mapping[str, Any] | None) -> dict[str, Any]:
    """Return models by name; those of a sequence get their titles as names, numbered if they are equal.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> list(named_models([NaiveBayes(), OnVariables(NaiveBayes(), ("age",)), NaiveBayes(prior="jeffreys")]))
    ['naive-bayes', 'naive-bayes on age', 'naive-bayes (2)']
    """
    if isinstance(models, Mapping):
        return dict(models)
    if models is None:
        # By kind, so that the modules of these models are loaded on use.
        naive_bayes: Any = model_of("naive-bayes")
        trees: Any = model_of("indifferent-trees")
        models = [naive_bayes(), OnVariables(naive_bayes()), trees(forest="best"), trees(forest="all")]
    named: dict[str, Any] = {}
    for model in models:
        title, n = title_of(model), 2
        name = title
        while name in named:
            name, n = f"{title} ({n})", n + 1
        named[name] = model
    return named


def prior_probs_of(prior: Any, n_models: int) -> FloatArray:
    """Return the prior probability of each model, from relative numbers; by default all are equal.

    Examples
    --------
    >>> prior_probs_of([1, 3], n_models=2), prior_probs_of(None, n_models=2)
    (array([0.25, 0.75]), array([0.5, 0.5]))
    """
    if prior is None:
        return np.full(n_models, 1.0 / n_models)
    given = check_sequence("prior", prior, of="numbers, one per model")
    numbers = np.array([check_number("prior", number, 0, MAX_PRIOR) for number in given])
    if len(numbers) != n_models or not numbers.any():
        raise InvalidParameter(
            f"prior={shown(prior)}: expected {n_models} numbers, one per model, and not all of them zero"
        )
    return np.asarray(numbers / numbers.sum())
