"""Bayes-optimal and minimum-description-length prediction on tables."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .counts import Counts, count
    from .estimators import FiniteMixture, MixtureClassifier, NaiveBayes, load
    from .experiments import evaluate, reproduce
    from .mixture import (
        annealed_code_length,
        best_clustering,
        cheeseman_stutz_code_length,
        exact_code_length,
        neighbourhood_code_length,
        neighbourhoods_code_length,
    )
    from .prequential import compare_models, naive_bayes_sequence
    from .rules import Explanation, Prior
    from .scores import Predictions, accuracy, brier_score, log_score
    from .selection import select_variables
    from .table import Coded, Schema, Table, Variable, as_coded, as_table
    from .table.files.readers import read_table
    from .table.intervals.discretize import Discretizer

__version__ = "0.1.0"

# Where each public name lives: modules are loaded when a name is first used, so that the import is light.
_HOMES = {
    "Coded": "table",
    "Counts": "counts",
    "Discretizer": "table.intervals.discretize",
    "Explanation": "rules",
    "FiniteMixture": "estimators",
    "MixtureClassifier": "estimators",
    "NaiveBayes": "estimators",
    "Predictions": "scores",
    "Prior": "rules",
    "Schema": "table",
    "Table": "table",
    "Variable": "table",
    "accuracy": "scores",
    "annealed_code_length": "mixture",
    "as_coded": "table",
    "as_table": "table",
    "best_clustering": "mixture",
    "brier_score": "scores",
    "cheeseman_stutz_code_length": "mixture",
    "compare_models": "prequential",
    "count": "counts",
    "evaluate": "experiments",
    "exact_code_length": "mixture",
    "load": "estimators",
    "log_score": "scores",
    "naive_bayes_sequence": "prequential",
    "neighbourhood_code_length": "mixture",
    "neighbourhoods_code_length": "mixture",
    "read_table": "table.files.readers",
    "reproduce": "experiments",
    "select_variables": "selection",
}

__all__ = [  # noqa: PLE0604 (the names are those of the table above)
    "__version__",
    *_HOMES,
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
