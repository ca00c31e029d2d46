"""Models of whole rows, class included: the code length of a table, and the probability of new rows.

Order of reading: :class:`Described`, a model after it has seen a table; the two kinds of them that are not
classifiers; :class:`OnVariables`; then the functions that :class:`codelength.EvidenceAverage` uses. A fitted
type that can be averaged has ``described``, ``check_describes`` and ``spec``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from .._packing import packed, unpacked
from ..counts import Counts, expected_counts
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
from ._fitted import Fitted
from ._fitted_mixture import found_components
from .registry import model_of

MAX_COUNT = 2.0**53
"""Largest count in a file: floats hold all whole numbers up to this one."""

EXPECTED = (
    "expected NaiveBayes (with a rule that averages), IndifferentTrees, FiniteMixture, or OnVariables of one "
    "of them"
)
"""Models that can be averaged, for messages."""


class Described(Protocol):
    """A model of whole rows that has seen a table: a fitted classifier, or one of those below.

    Attributes
    ----------
    code_length : float
        Code length of the table, classes and variables, in nats: minus the log evidence, or nearly.
    """

    @property
    def code_length(self) -> float: ...

    def log_joint(self, coded: Coded) -> FloatArray:
        """Return the log probability of rows together with each class, in nats, (n_rows, n_classes)."""


@dataclass(frozen=True, eq=False)
class MixtureOfRows:
    """A mixture in which the class is one of the variables.

    Attributes
    ----------
    code_length : float
        Code length by the criterion of the mixture: its evidence has no closed form.
    counts : Counts
        Expected counts of values in components.
    prior : Any
        The prior of the mixture.
    """

    code_length: float
    counts: Counts
    prior: Any

    @classmethod
    def learn(cls, params: Mapping[str, Any], coded: Coded) -> Self:
        """Fit mixtures to coded rows with their classes, and keep the one with the shortest code.

        Weights are scaled already, once for all models of the average.
        """
        rows = coded.with_class_as_column()
        found = found_components(rows, params, seed_of(params["random_state"]))
        mixture = found.mixture
        shared = with_components(rows, mixture.n_components)
        counts = expected_counts(shared, soft_shares(shared, mixture))
        return cls(float(found.path[mixture.n_components]), counts, params["prior"])

    @cached_property
    def predictor(self) -> Predictor:
        """Predictor given expected counts, averaged over the parameters of each component.

        It is naive Bayes with the component as its class.
        """
        return Predictor.of(self.counts, "evidence", self.prior)

    def log_joint(self, coded: Coded) -> FloatArray:
        """Return the log probability of rows together with each class."""
        found = np.empty((coded.n_rows, coded.schema.n_classes))
        # The class is a variable here, so its joint probability takes one pass per class.
        for label in range(coded.schema.n_classes):
            rows = coded.relabelled(coded.schema, np.full(coded.n_rows, label)).with_class_as_column()
            weights = self.predictor.log_weights(rows)
            found[:, label] = np.logaddexp.reduce(weights, axis=1)
        return found

    def to_json(self) -> dict[str, Any]:
        """Return what a file keeps, as JSON types."""
        return {
            "code_length": self.code_length,
            "components": self.counts.schema.n_classes,
            "counts": self.counts.to_json(),
            "prior": documents.plain(self.prior),
        }


@dataclass(frozen=True, eq=False)
class DescribedOnVariables:
    """A model of some variables; the others are independent of the class and of each other.

    Attributes
    ----------
    of_some : Described
        The model of the class and the chosen variables.
    positions : tuple of int
        Positions of these variables.
    value_counts : tuple of array
        Counts of the values of each other variable, in the order of the schema.
    """

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
        """Return the model fitted to coded rows with all variables."""
        schema = coded.schema
        positions = tuple(schema.position(name) for name in params["variables"])
        counts = []
        for i in _others(schema, positions):
            size = int(schema.n_values[i])
            # The last code is that of missing cells, which the marginal likelihood leaves out.
            counts.append(np.bincount(coded.codes[:, i], coded.weights, size + 1)[:size].astype(np.float64))
        return cls(described(params["model"], coded.select(positions)), positions, tuple(counts))

    @classmethod
    def spec(cls, params: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
        """Return the unfitted model as JSON types; see :meth:`Fitted.spec`."""
        some = schema.select([schema.position(name) for name in params["variables"]])
        return {"on": list(params["variables"]), "model": spec_to_json(params["model"], some)}

    @property
    def code_length(self) -> float:
        """Code length of the table in nats."""
        alone = (dirichlet_log_evidence(counts, np.array(1.0)) for counts in self.value_counts)
        return self.of_some.code_length - float(sum(alone))

    def log_joint(self, coded: Coded) -> FloatArray:
        """Return the log probability of rows together with each class."""
        found = self.of_some.log_joint(coded.select(self.positions))
        for i, counts in zip(_others(coded.schema, self.positions), self.value_counts, strict=True):
            raised = counts + 1.0
            # The last entry is that of missing cells, which are summed out: log 1.
            table = np.append(np.log(raised / raised.sum()), 0.0)
            found += table[coded.codes[:, i]][:, None]
        return found

    def to_json(self) -> dict[str, Any]:
        """Return what a file keeps, as JSON types."""
        counts = np.concatenate([np.empty(0), *self.value_counts])
        return {"on": list(self.positions), "of_some": to_json(self.of_some), "value_counts": packed(counts)}


@dataclass(frozen=True)
class OnVariables:
    """A model in which only some of the variables depend on the class.

    Each other variable is described by its own shares of values, independent of the class. All models thus
    describe the whole table, and code lengths of models on different variables can be compared.

    Attributes
    ----------
    model : NaiveBayes, IndifferentTrees or FiniteMixture
        The model of the class and these variables.
    variables : tuple of str
        Names of the variables, possibly none.
    """

    model: Any
    variables: tuple[str, ...] = field(default=())

    # Not an estimator: it cannot be fitted alone. These members are all that the functions below use.
    _fitted_type: ClassVar[type[DescribedOnVariables]] = DescribedOnVariables

    def _checked_params(self) -> dict[str, Any]:
        return self.get_params()

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """Return the parameters by name."""
        return {"model": self.model, "variables": self.variables}


def described(model: Any, coded: Coded) -> Described:
    """Return an estimator, or :class:`OnVariables` of one, fitted to coded rows; it stays unfitted itself."""
    check_describes(model)
    found: Described = model._fitted_type.described(model._checked_params(), coded)
    return found


def check_describes(model: Any) -> None:
    """Raise InvalidParameter for models that do not describe whole rows by their evidence."""
    # A class is a common slip (NaiveBayes for NaiveBayes()), and would fail later with a worse message.
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
    """Return an unfitted model as JSON types, given the schema of the table to learn from."""
    found: dict[str, Any] = model._fitted_type.spec(model.get_params(deep=False), schema)
    return found


def spec_from_json(document: Mapping[str, Any]) -> Any:
    """Return the model that :func:`spec_to_json` wrote, checked."""
    if "on" in document:
        model: Any = OnVariables(spec_from_json(document["model"]), tuple(document["on"]))
    else:
        model = model_of(document["kind"])(**documents.restored_params(document["params"]))
    check_describes(model)
    return model


def to_json(model: Any) -> dict[str, Any]:
    """Return what a file keeps of a model that has seen a table, as JSON types."""
    own: dict[str, Any] = {"model": model.to_document()} if isinstance(model, Fitted) else model.to_json()
    return own


def restored(document: Mapping[str, Any], schema: Schema) -> Described:
    """Return the model that :func:`to_json` wrote, checked under the schema of the average."""
    # The three kinds of documents differ in their keys, so they need no mark of their kind.
    if "model" in document:
        fitted: Any = model_of(document["model"]["kind"])._from_document(document["model"])._fitted
        if not hasattr(fitted, "log_joint") or fitted.schema != schema:
            raise DataError("a model in the average is not of the variables of the average")
        found: Described = fitted
        return found
    if "on" in document:
        positions = tuple(schema.position(i) for i in document["on"])
        sizes = schema.n_values[_others(schema, positions)]
        flat = unpacked(document["value_counts"], (int(sizes.sum()),), low=0.0, high=MAX_COUNT)
        parts = np.split(flat.astype(np.float64), np.cumsum(sizes))[:-1]
        return DescribedOnVariables(
            restored(document["of_some"], schema.select(positions)), positions, tuple(parts)
        )
    # A mixture: its class is a variable, and the component takes the place of the class.
    wide = with_components(schema.with_class_as_variable(), document["components"])
    counts, length = Counts.from_json(document["counts"], wide), document["code_length"]
    if type(length) is not float or not np.isfinite(length):
        raise DataError("a code length in the average is not a number")
    made = MixtureOfRows(length, counts, documents.restored(document["prior"]))
    made.predictor.scorer  # noqa: B018 (a prior under which there is no prediction is refused here)
    return made


def _others(schema: Schema, positions: tuple[int, ...]) -> list[int]:
    return [i for i in range(schema.n_variables) if i not in positions]
