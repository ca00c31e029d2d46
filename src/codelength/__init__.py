"""Bayes-optimal and minimum-description-length prediction on tables."""

import importlib
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from codelength_lab import reproduce as reproduce

    from . import code_lengths as code_lengths
    from . import counts as counts
    from . import datasets as datasets
    from . import errors as errors
    from . import evaluation as evaluation
    from . import export as export
    from . import latent as latent
    from . import naive_bayes as naive_bayes
    from . import online as online
    from . import plot as plot
    from . import prequential as prequential
    from . import research as research
    from . import scores as scores
    from . import selection as selection
    from . import sources as sources
    from . import table as table
    from .estimators import EvidenceAverage as EvidenceAverage
    from .estimators import FiniteMixture as FiniteMixture
    from .estimators import IndifferentTrees as IndifferentTrees
    from .estimators import MixtureClassifier as MixtureClassifier
    from .estimators import ModelAverage as ModelAverage
    from .estimators import NaiveBayes as NaiveBayes
    from .estimators import load as load
    from .evaluation import evaluate as evaluate
    from .naive_bayes import Prior as Prior
    from .online import OnlineNaiveBayes as OnlineNaiveBayes
    from .reporting import Report as Report
    from .reporting import report as report
    from .scores import Predictions as Predictions
    from .selection import select_variables as select_variables
    from .sources import SqlQuery as SqlQuery
    from .sources import as_batches as as_batches
    from .sources.readers import read_table as read_table
    from .table import Schema as Schema
    from .table import Table as Table
    from .table import Variable as Variable
    from .table.intervals.discretize import Discretizer as Discretizer

# Modules of the public names. They are loaded when a name is first used, so that the import is light.
_HOMES = {
    "Discretizer": ".table.intervals.discretize",
    "EvidenceAverage": ".estimators",
    "FiniteMixture": ".estimators",
    "IndifferentTrees": ".estimators",
    "MixtureClassifier": ".estimators",
    "ModelAverage": ".estimators",
    "NaiveBayes": ".estimators",
    "OnlineNaiveBayes": ".online",
    "Predictions": ".scores",
    "Prior": ".naive_bayes",
    "Report": ".reporting",
    "Schema": ".table",
    "SqlQuery": ".sources",
    "Table": ".table",
    "Variable": ".table",
    "as_batches": ".sources",
    "evaluate": ".evaluation",
    "load": ".estimators",
    "read_table": ".sources.readers",
    "report": ".reporting",
    "reproduce": "codelength_lab",
    "select_variables": ".selection",
}

# Public modules: ``codelength.plot`` works after ``import codelength``.
_MODULES = (
    "code_lengths",
    "counts",
    "datasets",
    "errors",
    "evaluation",
    "export",
    "latent",
    "naive_bayes",
    "online",
    "plot",
    "prequential",
    "research",
    "scores",
    "selection",
    "sources",
    "table",
)

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 (the names of the table above)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name], __name__), name)
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])
