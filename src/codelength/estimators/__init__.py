"""scikit-learn faces with one contract; the only objects with mutable state."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._described import OnVariables as OnVariables
    from ._fitted_average import HeldOut as HeldOut
    from .contract import Capability as Capability
    from .contract import TableClassifier as TableClassifier
    from .contract import TableEstimator as TableEstimator
    from .contract import load as load
    from .evidence_average import EvidenceAverage as EvidenceAverage
    from .indifferent_trees import IndifferentTrees as IndifferentTrees
    from .members import ForestsClassifier as ForestsClassifier
    from .members import KernelClassifier as KernelClassifier
    from .members import LogRatiosClassifier as LogRatiosClassifier
    from .members import SubsetsClassifier as SubsetsClassifier
    from .members import TreeAugmentedClassifier as TreeAugmentedClassifier
    from .members import TreesClassifier as TreesClassifier
    from .mixture import FiniteMixture as FiniteMixture
    from .mixture import ImputedCells as ImputedCells
    from .mixture_classifier import MixtureClassifier as MixtureClassifier
    from .model_average import ModelAverage as ModelAverage
    from .naive_bayes import NaiveBayes as NaiveBayes
    from .registry import MODELS as MODELS
    from .registry import model_of as model_of
    from .registry import register as register

# Modules are loaded when a name is first used: one model does not need the code of the others.
_HOMES = {
    "Capability": "contract",
    "EvidenceAverage": "evidence_average",
    "FiniteMixture": "mixture",
    "ForestsClassifier": "members",
    "HeldOut": "_fitted_average",
    "ImputedCells": "mixture",
    "IndifferentTrees": "indifferent_trees",
    "KernelClassifier": "members",
    "LogRatiosClassifier": "members",
    "MODELS": "registry",
    "MixtureClassifier": "mixture_classifier",
    "ModelAverage": "model_average",
    "NaiveBayes": "naive_bayes",
    "OnVariables": "_described",
    "SubsetsClassifier": "members",
    "TableClassifier": "contract",
    "TableEstimator": "contract",
    "TreeAugmentedClassifier": "members",
    "TreesClassifier": "members",
    "load": "contract",
    "model_of": "registry",
    "register": "registry",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
