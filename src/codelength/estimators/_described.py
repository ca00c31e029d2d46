"""Models of whole rows, class included: what a table costs under each, and how probable new rows are."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, singledispatch
from typing import Any

import numpy as np

from .._packing import packed, unpacked
from ..counts import Counts
from ..counts.soft import expected_counts
from ..errors import DataError, InvalidParameter
from ..mixture.code_length.cheeseman_stutz import soft_shares
from ..mixture.parameters import with_components
from ..naive_bayes import Predictor, rule_of
from ..naive_bayes.dirichlet import dirichlet_log_evidence
from ..naive_bayes.priors import bound_prior
from ..selection.components import Restarts, choose_components
from ..table import Coded, Schema
from ..table._messages import shown
from ..table.checks import check_names, seed_of
from ..typing import FloatArray
from . import documents
from .contract import Fitted, TableEstimator
from .indifferent_trees import IndifferentTrees
from .mixture import FiniteMixture
from .naive_bayes import NaiveBayes
from .registry import model_of

LARGEST_COUNT = 2.0**53
"""Counts in a file are not larger."""


@dataclass(frozen=True)
class OnVariables:
    """A model in which only some of the variables depend on the class.

    The others are described all the same, each by its own shares of values, whatever the class. So the code
    lengths of models on different variables can be compared: all of them describe the whole table.

    Attributes
    ----------
    model : NaiveBayes, IndifferentTrees or FiniteMixture
        What describes the class together with these variables.
    variables : tuple of str
        The names of the variables; there may be none.
    """

    model: Any
    variables: tuple[str, ...] = field(default=())


class Described(ABC):
    """A model of whole rows that has seen a table.

    Attributes
    ----------
    code_length : float
        Code length of the table, classes and variables, in nats: minus the log evidence, or nearly.
    """

    code_length: float

    @abstractmethod
    def log_joint(self, coded: Coded) -> FloatArray:
        """Log probability of rows together with each class, in nats, shape (n_rows, n_classes)."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """What a file keeps, as JSON types."""


@singledispatch
def described(model: Any, coded: Coded) -> Described:
    """A model after it has seen coded rows; other kinds of models are entered with ``described.register``."""
    raise InvalidParameter(f"models: {shown(model)} has no evidence of whole rows; {EXPECTED}")


EXPECTED = (
    "expected NaiveBayes (with a rule that averages), IndifferentTrees, FiniteMixture, or OnVariables of one "
    "of them"
)
"""What can be averaged."""


@dataclass(frozen=True, eq=False)
class _Estimator(Described):
    """A classifier with a closed form."""

    model: NaiveBayes | IndifferentTrees

    @property
    def code_length(self) -> float:  # type: ignore[override]
        return self.model.code_length_

    def log_joint(self, coded: Coded) -> FloatArray:
        if isinstance(self.model, NaiveBayes):
            return self.model._fitted.predictor.log_weights(coded)
        return self.model.log_joint_of(coded)

    def to_json(self) -> dict[str, Any]:
        return {"model": self.model.to_document()}


@described.register(NaiveBayes)
@described.register(IndifferentTrees)
def _(model: NaiveBayes | IndifferentTrees, coded: Coded) -> Described:
    fitted = type(model)(**model.get_params(deep=False))
    # Not by fit_coded, which tells of a single class: that was told already.
    fitted._state = fitted._learned(coded, Fitted(fitted._params(), coded.schema, named=True))
    return _Estimator(fitted)


@dataclass(frozen=True, eq=False)
class _Mixture(Described):
    """A mixture in which the class is one of the variables."""

    code_length: float
    counts: Counts
    prior: Any

    @cached_property
    def predictor(self) -> Predictor:
        """What predicts: rows shared out over the components, averaged over the probabilities in each."""
        return Predictor.of(self.counts, "evidence", self.prior)

    def log_joint(self, coded: Coded) -> FloatArray:
        found = np.empty((coded.n_rows, coded.schema.n_classes))
        for label in range(coded.schema.n_classes):
            rows = coded.relabelled(coded.schema, np.full(coded.n_rows, label)).with_class_as_column()
            weights = self.predictor.log_weights(rows)
            found[:, label] = np.logaddexp.reduce(weights, axis=1)
        return found

    def to_json(self) -> dict[str, Any]:
        return {
            "code_length": self.code_length,
            "components": self.counts.schema.n_classes,
            "counts": self.counts.to_json(),
            "prior": documents.plain(self.prior),
        }


@described.register
def _(model: FiniteMixture, coded: Coded) -> Described:
    model._check_params()
    rows, auto = coded.with_class_as_column(), model.n_components == "auto"
    found = choose_components(
        rows,
        range(1, model.max_components + 1) if auto else [int(model.n_components)],
        model.criterion,
        model.prior,
        patience=model.patience,
        restarts=Restarts(
            n_init=model.n_init,
            reached=model.reached,
            max_init=model.max_init,
            init=model.init,
            max_iter=model.max_iter,
            tol=model.tol,
        ),
        seed=seed_of(model.random_state),
    )
    mixture = found.mixture
    shared = with_components(rows, mixture.n_components)
    counts = expected_counts(shared, soft_shares(shared, mixture))
    return _Mixture(float(found.path[mixture.n_components]), counts, model.prior)


@dataclass(frozen=True, eq=False)
class _OnVariables(Described):
    """A model of some variables, and the others by themselves."""

    of_some: Described
    positions: tuple[int, ...]
    value_counts: tuple[FloatArray, ...]

    @property
    def code_length(self) -> float:  # type: ignore[override]
        alone = (dirichlet_log_evidence(counts, np.array(1.0)) for counts in self.value_counts)
        return self.of_some.code_length - float(sum(alone))

    def log_joint(self, coded: Coded) -> FloatArray:
        found = self.of_some.log_joint(coded.select(self.positions))
        for i, counts in zip(_others(coded.schema, self.positions), self.value_counts, strict=True):
            raised = counts + 1.0
            table = np.append(np.log(raised / raised.sum()), 0.0)  # a cell without a value adds nothing
            found += table[coded.codes[:, i]][:, None]
        return found

    def to_json(self) -> dict[str, Any]:
        counts = np.concatenate([np.empty(0), *self.value_counts])
        return {"on": list(self.positions), "of_some": self.of_some.to_json(), "value_counts": packed(counts)}


@described.register
def _(model: OnVariables, coded: Coded) -> Described:
    schema = coded.schema
    positions = tuple(schema.position(name) for name in model.variables)
    weights = coded.weights
    counts = []
    for i in _others(schema, positions):
        size = int(schema.n_values[i])
        counts.append(np.bincount(coded.codes[:, i], weights, size + 1)[:size].astype(np.float64))
    return _OnVariables(described(model.model, coded.select(positions)), positions, tuple(counts))


def _others(schema: Schema, positions: tuple[int, ...]) -> list[int]:
    return [i for i in range(schema.n_variables) if i not in positions]


def check_describes(model: Any) -> None:
    """Refuse models that do not describe whole rows by their evidence."""
    if isinstance(model, OnVariables):
        names = check_names("variables", model.variables)
        if len(set(names)) < len(names):
            raise InvalidParameter(f"variables={shown(names)}: a name is given twice; leave one out")
        if isinstance(model.model, OnVariables):
            raise InvalidParameter("models: OnVariables of OnVariables; name the variables once")
        check_describes(model.model)
        return
    if not isinstance(model, (NaiveBayes, IndifferentTrees, FiniteMixture)):
        raise InvalidParameter(f"models: {shown(model)} has no evidence of whole rows; {EXPECTED}")
    model._check_params()
    if isinstance(model, NaiveBayes):
        if not rule_of(model.rule).averages:
            raise InvalidParameter(
                f'models: NaiveBayes(rule="{model.rule}") has no evidence; pass rule="evidence" or '
                '"indifferent"'
            )
        if model.select is not None:
            raise InvalidParameter(
                f'models: NaiveBayes(select="{model.select}") leaves variables undescribed; name them with '
                "OnVariables"
            )


def title_of(model: Any) -> str:
    """What a model is called where it has no name.

    Examples
    --------
    >>> title_of(OnVariables(NaiveBayes(), ("age", "income"))), title_of(FiniteMixture(3))
    ('naive-bayes on age, income', 'finite-mixture of 3')
    """
    if isinstance(model, OnVariables):
        return f"{title_of(model.model)} on {', '.join(model.variables) or 'nothing'}"
    kind = str(model.kind)
    if isinstance(model, FiniteMixture):
        return f"{kind} of {model.n_components}"
    if isinstance(model, NaiveBayes) and model.rule != NaiveBayes().rule:
        return f"{kind} {model.rule}"
    if isinstance(model, IndifferentTrees):
        forest = model.forest if isinstance(model.forest, str) else "given"
        return f"{kind} {forest}" + (" uniform" if model.law == "uniform" else "")
    return kind


def spec_to_json(model: Any, schema: Schema) -> dict[str, Any]:
    """A model that has seen nothing, as JSON types; the schema is that of the table to see."""
    if isinstance(model, OnVariables):
        some = schema.select([schema.position(name) for name in model.variables])
        return {"on": list(model.variables), "model": spec_to_json(model.model, some)}
    params = dict(model._params())
    if isinstance(model, NaiveBayes):
        params["prior"] = bound_prior(params["prior"], schema)  # which may have been a model
    return {"kind": model.kind, "params": {name: documents.plain(value) for name, value in params.items()}}


def spec_from_json(document: Mapping[str, Any]) -> Any:
    """The model that :func:`spec_to_json` wrote, checked."""
    if "on" in document:
        model: Any = OnVariables(spec_from_json(document["model"]), tuple(document["on"]))
    else:
        params = {name: documents.restored(value) for name, value in document["params"].items()}
        model = model_of(document["kind"])(**params)
    check_describes(model)
    return model


def restored(document: Mapping[str, Any], schema: Schema) -> Described:
    """What a model was after it had seen a table, checked."""
    if "model" in document:
        model: TableEstimator = model_of(document["model"]["kind"]).from_document(document["model"])
        if not isinstance(model, (NaiveBayes, IndifferentTrees)) or model.schema_ != schema:
            raise DataError("a model in the average is not of the variables of the average")
        return _Estimator(model)
    if "on" in document:
        positions = tuple(schema.position(i) for i in document["on"])
        sizes = schema.n_values[_others(schema, positions)]
        flat = unpacked(document["value_counts"], (int(sizes.sum()),), low=0.0, high=LARGEST_COUNT)
        parts = np.split(flat.astype(np.float64), np.cumsum(sizes))[:-1]
        return _OnVariables(restored(document["of_some"], schema.select(positions)), positions, tuple(parts))
    wide = with_components(schema.with_class_as_variable(), document["components"])
    counts, length = Counts.from_json(document["counts"], wide), document["code_length"]
    if type(length) is not float or not np.isfinite(length):
        raise DataError("a code length in the average is not a number")
    made = _Mixture(length, counts, documents.restored(document["prior"]))
    made.predictor.scorer  # noqa: B018 (a prior under which there is no prediction is refused here)
    return made
