"""Bayes-optimal and minimum-description-length prediction on categorical tables."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .counts import Counts, count
    from .estimators import Explanation, FiniteMixture, MixtureClassifier, NaiveBayes, load
    from .rules import Prior
    from .scores import accuracy, brier_score, log_score
    from .table import Schema, Variable
    from .table.intervals.discretize import Discretizer

__version__ = "0.1.0"

# Where each public name lives: modules are loaded when a name is first used, so that the import is light.
_HOMES = {
    "Counts": "counts",
    "Discretizer": "table.discretize",
    "Explanation": "estimators",
    "FiniteMixture": "estimators",
    "MixtureClassifier": "estimators",
    "NaiveBayes": "estimators",
    "Prior": "rules",
    "Schema": "table",
    "Variable": "table",
    "accuracy": "scores",
    "brier_score": "scores",
    "count": "counts",
    "load": "estimators",
    "log_score": "scores",
}

__all__ = [
    "Counts",
    "Discretizer",
    "Explanation",
    "FiniteMixture",
    "MixtureClassifier",
    "NaiveBayes",
    "Prior",
    "Schema",
    "Variable",
    "__version__",
    "accuracy",
    "brier_score",
    "count",
    "load",
    "log_score",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
