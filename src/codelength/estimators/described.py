"""Models of whole rows, class included: the code length of a table, and the probability of new rows.

Order of reading: :class:`Described`, a model after it has seen a table; then one class for each kind of them;
:class:`OnVariables`; then the functions that :class:`codelength.EvidenceAverage` uses. A fitted type that can
be averaged has ``described``, ``check_describes`` and ``spec``.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from .._packing import packed, unpacked
from ..counts import Counts
from ..counts.soft import expected_counts
from ..errors import DataError, InvalidParameter
from ..mixture.code_length.cheeseman_stutz import soft_shares
from ..mixture.parameters import with_components
from ..naive_bayes import Predictor
from ..naive_bayes.dirichlet import dirichlet_log_evidence
from ..table import Coded, Schema
from ..table._messages import shown
from ..table.checks import check_names, seed_of
from ..typing import FloatArray
from . import documents
from ._components import found_components
from ._fitted import Fitted
from .registry import model_of

LARGEST_COUNT = 2.0**53
"""Counts in a file are not larger."""

EXPECTED = (
    "expected NaiveBayes (with a rule that averages), IndifferentTrees, FiniteMixture, or OnVariables of one "
    "of them"
)
"""What can be averaged."""


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
        """Return the log probability of rows together with each class, in nats, (n_rows, n_classes)."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return what a file keeps, as JSON types."""


@dataclass(frozen=True, eq=False)
class ClosedForm(Described):
    """A classifier whose evidence has a closed form."""

    fitted: Any

    @property
    def code_length(self) -> float:  # type: ignore[override]
        return float(self.fitted.code_length)

    def log_joint(self, coded: Coded) -> FloatArray:
        found: FloatArray = self.fitted.log_joint(coded)
        return found

    def to_json(self) -> dict[str, Any]:
        return {"model": self.fitted.to_document()}


@dataclass(frozen=True, eq=False)
class MixtureOfRows(Described):
    """A mixture in which the class is one of the variables."""

    code_length: float
    counts: Counts
    prior: Any

    @classmethod
    def learn(cls, params: Mapping[str, Any], coded: Coded) -> Self:
        """Fit mixtures to coded rows with their classes, and keep the one with the shortest code."""
        rows = coded.with_class_as_column()
        found = found_components(rows, params, seed_of(params["random_state"]))
        mixture = found.mixture
        shared = with_components(rows, mixture.n_components)
        counts = expected_counts(shared, soft_shares(shared, mixture))
        return cls(float(found.path[mixture.n_components]), counts, params["prior"])

    @cached_property
    def predictor(self) -> Predictor:
        """Predictor of rows shared out over the components, averaged over the probabilities in each."""
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


@dataclass(frozen=True, eq=False)
class DescribedOnVariables(Described):
    """A model of some variables, and the others by themselves."""

    of_some: Described
    positions: tuple[int, ...]
    value_counts: tuple[FloatArray, ...]

    @classmethod
    def title(cls, params: Mapping[str, Any]) -> str:
        """Return the name of the model among others."""
        return f"{title_of(params['model'])} on {', '.join(params['variables']) or 'nothing'}"

    @classmethod
    def check_describes(cls, params: Mapping[str, Any]) -> None:
        """Raise InvalidParameter unless the model describes whole rows by its evidence."""
        names = check_names("variables", params["variables"])
        if len(set(names)) < len(names):
            raise InvalidParameter(f"variables={shown(names)}: a name is given twice; leave one out")
        if isinstance(params["model"], OnVariables):
            raise InvalidParameter("models: OnVariables of OnVariables; name the variables once")
        check_describes(params["model"])

    @classmethod
    def described(cls, params: Mapping[str, Any], coded: Coded) -> Self:
        """Return the model after it has seen coded rows."""
        schema = coded.schema
        positions = tuple(schema.position(name) for name in params["variables"])
        counts = []
        for i in _others(schema, positions):
            size = int(schema.n_values[i])
            counts.append(np.bincount(coded.codes[:, i], coded.weights, size + 1)[:size].astype(np.float64))
        return cls(described(params["model"], coded.select(positions)), positions, tuple(counts))

    @classmethod
    def spec(cls, params: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
        """Return the model before it has seen anything, as JSON types."""
        some = schema.select([schema.position(name) for name in params["variables"]])
        return {"on": list(params["variables"]), "model": spec_to_json(params["model"], some)}

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

    # Read in the same way as estimators.
    _fitted_type: ClassVar[type[DescribedOnVariables]] = DescribedOnVariables

    def _checked_params(self) -> dict[str, Any]:
        return self.get_params()

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """Return the parameters by name."""
        return {"model": self.model, "variables": self.variables}


def described(model: Any, coded: Coded) -> Described:
    """Return a model after it has seen coded rows."""
    check_describes(model)
    found: Described = model._fitted_type.described(model._checked_params(), coded)
    return found


def check_describes(model: Any) -> None:
    """Raise InvalidParameter for models that do not describe whole rows by their evidence."""
    if isinstance(model, type) or not hasattr(getattr(model, "_fitted_type", None), "described"):
        raise InvalidParameter(f"models: {shown(model)} has no evidence of whole rows; {EXPECTED}")
    model._fitted_type.check_describes(model._checked_params())


def title_of(model: Any) -> str:
    """Return the name of a model that was not given one.

    Examples
    --------
    >>> from codelength import FiniteMixture, NaiveBayes
    >>> title_of(OnVariables(NaiveBayes(), ("age", "income"))), title_of(FiniteMixture(3))
    ('naive-bayes on age, income', 'finite-mixture of 3')
    """
    return str(model._fitted_type.title(model.get_params(deep=False)))


def spec_to_json(model: Any, schema: Schema) -> dict[str, Any]:
    """Return a model that has seen nothing as JSON types; the schema is that of the table to see."""
    found: dict[str, Any] = model._fitted_type.spec(model.get_params(deep=False), schema)
    return found


def spec_from_json(document: Mapping[str, Any]) -> Any:
    """Return the model that :func:`spec_to_json` wrote, checked."""
    if "on" in document:
        model: Any = OnVariables(spec_from_json(document["model"]), tuple(document["on"]))
    else:
        params = {name: documents.restored(value) for name, value in document["params"].items()}
        model = model_of(document["kind"])(**params)
    check_describes(model)
    return model


def restored(document: Mapping[str, Any], schema: Schema) -> Described:
    """Return a model after it has seen a table, checked."""
    if "model" in document:
        fitted: Fitted = model_of(document["model"]["kind"])._from_document(document["model"])._fitted
        if not hasattr(fitted, "log_joint") or fitted.schema != schema:
            raise DataError("a model in the average is not of the variables of the average")
        return ClosedForm(fitted)
    if "on" in document:
        positions = tuple(schema.position(i) for i in document["on"])
        sizes = schema.n_values[_others(schema, positions)]
        flat = unpacked(document["value_counts"], (int(sizes.sum()),), low=0.0, high=LARGEST_COUNT)
        parts = np.split(flat.astype(np.float64), np.cumsum(sizes))[:-1]
        return DescribedOnVariables(
            restored(document["of_some"], schema.select(positions)), positions, tuple(parts)
        )
    wide = with_components(schema.with_class_as_variable(), document["components"])
    counts, length = Counts.from_json(document["counts"], wide), document["code_length"]
    if type(length) is not float or not np.isfinite(length):
        raise DataError("a code length in the average is not a number")
    made = MixtureOfRows(length, counts, documents.restored(document["prior"]))
    made.predictor.scorer  # noqa: B018 (a prior under which there is no prediction is refused here)
    return made


def _others(schema: Schema, positions: tuple[int, ...]) -> list[int]:
    return [i for i in range(schema.n_variables) if i not in positions]
