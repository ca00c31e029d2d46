"""An average over a list of models, each weighted by how probable it makes the whole table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from .._display import nats_and_bits
from ..blocks import Block, Facts, Grid
from ..decisions import ranked
from ..errors import DataError, InvalidParameter
from ..naive_bayes import Distributions, normalised
from ..table import Coded, Schema
from ..table._messages import shown
from ..table.checks import check_choice, check_number, check_sequence
from ..table.copies import check_copies
from ..table.encode import HandleUnknown
from ..table.infer import Identifiers, Missing, Numeric
from ..table.schema import classes_grid
from ..typing import FloatArray
from . import documents
from ._described import (
    Described,
    OnVariables,
    check_describes,
    described,
    restored,
    spec_from_json,
    spec_to_json,
    title_of,
)
from ._enumerated_queries import EnumeratedJoint
from .contract import Fitted, TableClassifier, Weighting
from .indifferent_trees import IndifferentTrees
from .naive_bayes import NaiveBayes
from .registry import register
from .validation import check_coded

LARGEST = 1e100
"""No model can be asked to be more probable beforehand, relative to others."""

LEAST_WEIGHT = 1e-18
"""Models that weigh less are not asked."""


@dataclass(frozen=True, eq=False)
class FittedAverageOfModels(Fitted):
    """Models that have seen a table, and how probable they are after it.

    Attributes
    ----------
    names : tuple of str
        What the models are called.
    models : tuple of Described
        The models.
    prior_probs : array of shape (n_models,)
        How probable each was before the table was seen.
    class_counts : array of shape (n_classes,)
        Weight of each class.
    """

    names: tuple[str, ...]
    models: tuple[Described, ...]
    prior_probs: FloatArray
    class_counts: FloatArray

    @property
    def code_lengths(self) -> FloatArray:
        """Code length of the table under each model, in nats."""
        return np.array([model.code_length for model in self.models])

    @property
    def log_weights(self) -> FloatArray:
        """Log posterior probability of each model."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.prior_probs) - self.code_lengths
        return np.asarray(logs - np.logaddexp.reduce(logs))

    @property
    def code_length(self) -> float:
        """Code length of the table under the average, in nats."""
        with np.errstate(divide="ignore"):
            return -float(np.logaddexp.reduce(np.log(self.prior_probs) - self.code_lengths))

    def log_joint(self, coded: Coded) -> FloatArray:
        """Log probability of rows together with each class, in nats."""
        found = np.full((coded.n_rows, coded.schema.n_classes), -np.inf)
        for log_weight, model in zip(self.log_weights, self.models, strict=True):
            if log_weight >= np.log(LEAST_WEIGHT):
                found = np.logaddexp(found, log_weight + model.log_joint(coded))
        return found


@register
class EvidenceAverage(ClassifierMixin, EnumeratedJoint, TableClassifier):
    r"""An average over a list of models, each weighted by how probable it makes the whole table.

    .. math:: P(d \mid D) = \sum_k P(d \mid D, M_k)\, P(M_k \mid D), \quad
              P(M_k \mid D) \propto P(D \mid M_k)\, P(M_k)

    Equation (4) of [1]_ as it stands: d is a whole row, class included, and the class is predicted from it.
    The weights reward the description of everything, not only of the class, and with many rows nearly all
    weight is on one model. :class:`codelength.ModelAverage` weighs its members by how well they predict the
    class instead; ``docs/theory/averages.md`` compares the two.

    Parameters
    ----------
    models : sequence of models, or mapping of names to models, optional
        What to average over: :class:`codelength.NaiveBayes` under a rule that averages,
        :class:`codelength.IndifferentTrees`, :class:`codelength.FiniteMixture` (the class is one of its
        variables), and :class:`codelength.research.OnVariables` of these. By default naive Bayes,
        the class alone, and trees: the best, and all. Mixtures have no closed form: they are weighted by
        their ``criterion``, and predict with rows shared out over the components. How the table is read is
        not up to the models: all of them see the same values.
    prior : sequence of float, optional
        How probable the models are before the table is seen; by default all alike. Numbers are relative.
    missing, handle_unknown, numeric, identifiers, weighting, strict, schema
        As in :class:`codelength.NaiveBayes`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes.
    models_ : list of dict
        Each model: its ``name``, the ``code_length`` of the training table in nats, and its ``weight``.
    member_weights_ : dict
        Weight of each model by name.
    code_length_ : float
        Code length of the training table under the average, in nats.
    schema_, n_features_in_, feature_names_in_
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

    kind = "evidence-average"
    capabilities = frozenset({"classes", "weights", "query"})

    def __init__(
        self,
        models: Sequence[Any] | Mapping[str, Any] | None = None,
        *,
        prior: Sequence[float] | None = None,
        missing: Missing = "ignore",
        handle_unknown: HandleUnknown = "ignore",
        numeric: Numeric = "auto",
        identifiers: Identifiers = "ignore",
        weighting: Weighting = "counts",
        strict: bool = False,
        schema: Schema | None = None,
    ) -> None:
        super().__init__(missing, handle_unknown, numeric, identifiers, strict, schema)
        self.models = models
        self.prior = prior
        self.weighting = weighting

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Show all models the rows of ``X`` and their classes ``y``.

        Parameters
        ----------
        X, y, sample_weight
            As in :class:`codelength.NaiveBayes`.
        """
        return self._fit(X, y, sample_weight)

    def log_probs_of(self, coded: Coded) -> Distributions:
        """Log probability of each class for coded rows, in nats."""
        return normalised(self.log_joint_of(coded))

    def log_joint_of(self, coded: Coded) -> FloatArray:
        """Log probability of coded rows together with each class, in nats, shape (n_rows, n_classes)."""
        check_coded(coded, self._fitted.schema)
        return self._fitted.log_joint(coded)

    def _taking_part(self) -> list[int]:
        return list(range(self.schema_.n_variables))

    def _sums_out(self) -> bool:
        # Some of the models may not.
        return False

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Log probability of each row together with each class, in nats."""
        return self.log_joint_of(self._encoded(X))

    @property
    def models_(self) -> list[dict[str, Any]]:
        """Each model: its name, the code length of the training table in nats, and its weight."""
        fitted = self._fitted
        rows = zip(fitted.names, fitted.code_lengths.tolist(), fitted.log_weights, strict=True)
        return [
            {"name": name, "code_length": length, "weight": float(np.exp(log_weight))}
            for name, length, log_weight in rows
        ]

    @property
    def member_weights_(self) -> dict[str, float]:
        """Weight of each model by name."""
        return {row["name"]: row["weight"] for row in self.models_}

    @property
    def code_length_(self) -> float:
        """Code length of the training table under the average, in nats."""
        return self._fitted.code_length

    @property
    def _fitted(self) -> FittedAverageOfModels:
        state: FittedAverageOfModels = super()._fitted
        return state

    def _named(self) -> dict[str, Any]:
        """The models by name."""
        if isinstance(self.models, Mapping):
            return dict(self.models)
        models = _default_models() if self.models is None else self.models
        named: dict[str, Any] = {}
        for model in models:
            title, n = title_of(model), 2
            name = title
            while name in named:
                name, n = f"{title} ({n})", n + 1
            named[name] = model
        return named

    def _learned(self, coded: Coded, fitted: Fitted) -> FittedAverageOfModels:
        rows, named = fitted.weighed(coded), self._named()
        check_copies(rows.weights)
        return FittedAverageOfModels(
            **vars(fitted),
            names=tuple(named),
            models=tuple(described(model, rows) for model in named.values()),
            prior_probs=_prior_probs(self.prior, len(named)),
            class_counts=np.bincount(rows.class_codes, rows.weights, rows.schema.n_classes).astype(
                np.float64
            ),
        )

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("weighting", self.weighting, Weighting)
        if self.models is not None:
            if isinstance(self.models, Mapping):
                models: Sequence[Any] = list(self.models.values())
                if not all(isinstance(name, str) and name for name in self.models):
                    raise InvalidParameter("models: expected names that are text, and not empty")
            else:
                models = check_sequence("models", self.models, of="models, or a mapping of names to models")
            if not models:
                raise InvalidParameter("models: there is none; give at least one")
            for model in models:
                check_describes(model)
        _prior_probs(self.prior, len(self._named()))

    def _shown_params(self) -> dict[str, Any]:
        params = {name: value for name, value in self._fitted.params.items() if name != "models"}
        shown_params = {name: documents.plain(value) for name, value in params.items()}
        return {name: value for name, value in shown_params.items() if name != "schema"}

    def _findings(self) -> list[Block]:
        fitted, models = self._fitted, self.models_
        rows = [
            [
                row["name"],
                f"{row['code_length']:.1f}",
                f"{row['code_length'] / np.log(2):.1f}",
                f"{row['weight']:.4f}",
            ]
            for row in (models[k] for k in ranked(-fitted.code_lengths))
        ]
        return [
            Facts(
                [
                    ("rows", f"{fitted.class_counts.sum():,.10g}"),
                    ("code length", nats_and_bits(self.code_length_)),
                ]
            ),
            classes_grid(fitted.schema.target, fitted.class_counts),
            Grid("models", ["model", "code length, nats", "bits", "weight"], rows),
        ]

    def _findings_document(self) -> dict[str, Any]:
        return {
            "rows": float(self._fitted.class_counts.sum()),
            "code_length_nats": self.code_length_,
            "class_counts": self._fitted.class_counts.tolist(),
            "models": self.models_,
        }

    def to_document(self) -> dict[str, Any]:
        """All that is needed to predict the same again, as JSON types."""
        fitted = self._fitted
        own = ("models", "prior")  # which make sense together alone
        params = {name: documents.plain(value) for name, value in fitted.params.items() if name not in own}
        return {
            "kind": self.kind,
            "params": params,
            "named": fitted.named,
            "schema": fitted.schema.to_json(),
            "fitted": self._content(),
        }

    def _content(self) -> dict[str, Any]:
        fitted, given = self._fitted, self._fitted.params["models"]
        specs = list(given.values()) if isinstance(given, Mapping) else given
        return {
            "given": None if specs is None else [spec_to_json(model, fitted.schema) for model in specs],
            "is_named": isinstance(given, Mapping),
            "prior": documents.plain(fitted.params["prior"]),
            "names": list(fitted.names),
            "models": [model.to_json() for model in fitted.models],
            "class_counts": fitted.class_counts.tolist(),
        }

    def _restored(self, fitted: Fitted, content: Mapping[str, Any]) -> FittedAverageOfModels:
        if fitted.schema.target is None:
            raise DataError("the schema has no classes")
        names, given = tuple(content["names"]), content["given"]
        if given is not None:
            specs = [spec_from_json(model) for model in given]
            self.models = dict(zip(names, specs, strict=True)) if content["is_named"] else specs
        self.prior = documents.restored(content["prior"])
        self._check_params()
        if tuple(self._named()) != names:
            raise DataError("the names are not those of the models")
        models = tuple(restored(model, fitted.schema) for model in content["models"])
        counts = np.array([float(count) for count in content["class_counts"]])
        if len(models) != len(names) or counts.shape != (fitted.schema.n_classes,):
            raise DataError("the models are not what a fit leaves behind")
        return FittedAverageOfModels(
            **vars(replace(fitted, params=self._params())),
            names=names,
            models=models,
            prior_probs=_prior_probs(self.prior, len(names)),
            class_counts=counts,
        )


def _default_models() -> list[Any]:
    return [NaiveBayes(), OnVariables(NaiveBayes()), IndifferentTrees("best"), IndifferentTrees("all")]


def _prior_probs(prior: Any, n_models: int) -> FloatArray:
    """How probable each model is beforehand; what is no such list is refused."""
    if prior is None:
        return np.full(n_models, 1.0 / n_models)
    given = check_sequence("prior", prior, of="numbers, one per model")
    numbers = np.array([check_number("prior", number, 0, LARGEST) for number in given])
    if len(numbers) != n_models or not numbers.any():
        raise InvalidParameter(
            f"prior={shown(prior)}: expected {n_models} numbers, one per model, and not all of them zero"
        )
    return np.asarray(numbers / numbers.sum())
