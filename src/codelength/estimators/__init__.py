"""scikit-learn estimators with one interface; the only objects with mutable state.

``README.md`` in this folder has the order of reading. Names are loaded on use, so that a command with one
model does not import the others.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._fitted import Capability as Capability
    from ._fitted import Fitted as Fitted
    from .base import TableEstimator as TableEstimator
    from .base import load as load
    from .classifier import TableClassifier as TableClassifier
    from .described import OnVariables as OnVariables
    from .evidence_average import EvidenceAverage as EvidenceAverage
    from .indifferent_trees import IndifferentTrees as IndifferentTrees
    from .mixture import FiniteMixture as FiniteMixture
    from .mixture_classifier import MixtureClassifier as MixtureClassifier
    from .model_average import MemberClassifier as MemberClassifier
    from .model_average import ModelAverage as ModelAverage
    from .naive_bayes import NaiveBayes as NaiveBayes
    from .registry import MODELS as MODELS
    from .registry import capabilities_of as capabilities_of
    from .registry import constructor_of as constructor_of
    from .registry import model_names as model_names
    from .registry import model_of as model_of
    from .registry import name_of as name_of
    from .registry import register as register

# Modules are loaded when a name is first used: one model does not need the code of the others.
_HOMES = {
    "Capability": "_fitted",
    "EvidenceAverage": "evidence_average",
    "FiniteMixture": "mixture",
    "Fitted": "_fitted",
    "IndifferentTrees": "indifferent_trees",
    "MODELS": "registry",
    "MemberClassifier": "model_average",
    "MixtureClassifier": "mixture_classifier",
    "ModelAverage": "model_average",
    "NaiveBayes": "naive_bayes",
    "OnVariables": "described",
    "TableClassifier": "classifier",
    "TableEstimator": "base",
    "capabilities_of": "registry",
    "constructor_of": "registry",
    "load": "base",
    "model_names": "registry",
    "model_of": "registry",
    "name_of": "registry",
    "register": "registry",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
