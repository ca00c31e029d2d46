"""Registry of models by kind; the module of a model is loaded when the model is first used."""

import importlib
from collections import UserDict
from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar

from ..table.checks import check_choice

if TYPE_CHECKING:
    from ._fitted import Capability
    from .base import TableEstimator

M = TypeVar("M", bound="type[TableEstimator]")

_MODULES = {
    "indifferent-trees": "indifferent_trees",
    "finite-mixture": "mixture",
    "naive-bayes": "naive_bayes",
    "evidence-average": "evidence_average",
    "member": "model_average",
    "mixture-classifier": "mixture_classifier",
    "model-average": "model_average",
}
"""Modules of the models of this package, which register themselves when they are loaded."""


class Models(UserDict[str, Any]):
    """Models by kind. A registered model works in every command and in model files."""

    def __getitem__(self, kind: str) -> "type[TableEstimator]":
        # Importing the module registers the model, by the decorator below. The keys exist from the start, so
        # that commands always list models in the same order.
        if self.data[kind] is None:
            importlib.import_module(f".{_MODULES[kind]}", __package__)
        found: type[TableEstimator] = self.data[kind]
        return found


MODELS = Models(dict.fromkeys(_MODULES))


def register(model: M) -> M:
    """Register a model under the kind of its fitted type; a decorator of classes."""
    MODELS[model._fitted_type.kind] = model
    return model


def model_of(kind: str) -> "type[TableEstimator]":
    """Return the model of a kind."""
    check_choice("model", kind, MODELS)
    return MODELS[kind]


def model_names() -> list[str]:
    """Return the names of all models: their kinds, and the members of averages in place of ``"member"``.

    Examples
    --------
    >>> [name for name in model_names() if name.startswith("best")]
    ['best-tree']
    """
    from ..averages.members import MEMBERS

    members = [member.replace("_", "-") for member in MEMBERS]
    return [name for kind in MODELS for name in (members if kind == "member" else [kind])]


def constructor_of(name: str) -> "Callable[..., TableEstimator]":
    """Return the constructor of a model by its name on the command line; it takes parameters by keyword.

    A name is a kind, or a member of averages with hyphens.

    Examples
    --------
    >>> constructor_of("best-tree")(missing="ignore")
    MemberClassifier(missing='ignore')
    """
    from ..averages.members import MEMBERS

    member = name.replace("-", "_")
    if name not in MODELS and member in MEMBERS:
        of_member: Any = MODELS["member"]
        return partial(of_member, member)
    check_choice("model", name, model_names())
    return MODELS[name]


def capabilities_of(model: Any) -> "frozenset[Capability]":
    """Return the capabilities of a model, or of an opponent; a class stands for its default parameters.

    Examples
    --------
    >>> from codelength import ModelAverage
    >>> [("export" in capabilities_of(ModelAverage(members))) for members in (None, ["subsets"])]
    [False, True]
    """
    # Opponents of comparisons are not estimators of this package, and may declare capabilities themselves.
    if not hasattr(model, "_fitted_type"):
        own: frozenset[Capability] = getattr(model, "capabilities", frozenset())
        return own
    found: frozenset[Capability] = model._fitted_type.capabilities(_params_of(model, checked=True))
    return found


def name_of(model: Any) -> str:
    """Return the name of a model on the command line."""
    own = hasattr(model, "_fitted_type")
    return str(model._fitted_type.name(_params_of(model)) if own else model.kind)


def _params_of(model: Any, *, checked: bool = False) -> dict[str, Any]:
    """Return the parameters of a model, or the defaults of a class."""
    if isinstance(model, type):
        return {name: one.default for name, one in signature(model).parameters.items()}
    params: dict[str, Any] = model._checked_params() if checked else model.get_params(deep=False)
    return params
