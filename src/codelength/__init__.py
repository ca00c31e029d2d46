"""Bayes-optimal and minimum-description-length prediction on tables."""

import importlib
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from codelength_lab import reproduce as reproduce

    from .counts import Counts as Counts
    from .counts import count as count
    from .estimators import EvidenceAverage as EvidenceAverage
    from .estimators import FiniteMixture as FiniteMixture
    from .estimators import ForestsClassifier as ForestsClassifier
    from .estimators import IndifferentTrees as IndifferentTrees
    from .estimators import KernelClassifier as KernelClassifier
    from .estimators import LogRatiosClassifier as LogRatiosClassifier
    from .estimators import MixtureClassifier as MixtureClassifier
    from .estimators import MixturesClassifier as MixturesClassifier
    from .estimators import ModelAverage as ModelAverage
    from .estimators import NaiveBayes as NaiveBayes
    from .estimators import OneDependenceClassifier as OneDependenceClassifier
    from .estimators import OnVariables as OnVariables
    from .estimators import SubsetsClassifier as SubsetsClassifier
    from .estimators import TreeAugmentedClassifier as TreeAugmentedClassifier
    from .estimators import TreesClassifier as TreesClassifier
    from .estimators import load as load
    from .evaluation import evaluate as evaluate
    from .mixture import annealed_code_length as annealed_code_length
    from .mixture import best_clustering as best_clustering
    from .mixture import cheeseman_stutz_code_length as cheeseman_stutz_code_length
    from .mixture import exact_code_length as exact_code_length
    from .mixture import neighbourhood_code_length as neighbourhood_code_length
    from .mixture import neighbourhoods_code_length as neighbourhoods_code_length
    from .naive_bayes import Explanation as Explanation
    from .naive_bayes import NaiveDistribution as NaiveDistribution
    from .naive_bayes import Prior as Prior
    from .naive_bayes.answer import Answer as Answer
    from .online import OnlineNaiveBayes as OnlineNaiveBayes
    from .online.river import RiverNaiveBayes as RiverNaiveBayes
    from .prequential import compare_models as compare_models
    from .prequential import naive_bayes_sequence as naive_bayes_sequence
    from .reporting import Report as Report
    from .reporting import report as report
    from .scores import Predictions as Predictions
    from .scores import Scores as Scores
    from .scores import accuracy as accuracy
    from .scores import brier_score as brier_score
    from .scores import evidence_code_length as evidence_code_length
    from .scores import log_score as log_score
    from .scores import network_code_length as network_code_length
    from .scores import nml_code_length as nml_code_length
    from .selection import select_variables as select_variables
    from .sources import SqlQuery as SqlQuery
    from .sources import as_batches as as_batches
    from .sources import as_coded as as_coded
    from .sources import as_table as as_table
    from .sources.files.readers import read_table as read_table
    from .table import Coded as Coded
    from .table import Schema as Schema
    from .table import Table as Table
    from .table import Variable as Variable
    from .table.intervals.discretize import Discretizer as Discretizer

# Modules of the public names. They are loaded when a name is first used, so that the import is light.
_HOMES = {
    "Answer": ".naive_bayes.answer",
    "Coded": ".table",
    "Counts": ".counts",
    "Discretizer": ".table.intervals.discretize",
    "EvidenceAverage": ".estimators",
    "Explanation": ".naive_bayes",
    "FiniteMixture": ".estimators",
    "ForestsClassifier": ".estimators",
    "IndifferentTrees": ".estimators",
    "KernelClassifier": ".estimators",
    "LogRatiosClassifier": ".estimators",
    "MixtureClassifier": ".estimators",
    "MixturesClassifier": ".estimators",
    "ModelAverage": ".estimators",
    "NaiveBayes": ".estimators",
    "NaiveDistribution": ".naive_bayes",
    "OnVariables": ".estimators",
    "OneDependenceClassifier": ".estimators",
    "OnlineNaiveBayes": ".online",
    "Predictions": ".scores",
    "Prior": ".naive_bayes",
    "Report": ".reporting",
    "RiverNaiveBayes": ".online.river",
    "Schema": ".table",
    "Scores": ".scores",
    "SqlQuery": ".sources",
    "SubsetsClassifier": ".estimators",
    "Table": ".table",
    "TreeAugmentedClassifier": ".estimators",
    "TreesClassifier": ".estimators",
    "Variable": ".table",
    "accuracy": ".scores",
    "annealed_code_length": ".mixture",
    "as_coded": ".sources",
    "as_batches": ".sources",
    "as_table": ".sources",
    "best_clustering": ".mixture",
    "brier_score": ".scores",
    "cheeseman_stutz_code_length": ".mixture",
    "compare_models": ".prequential",
    "count": ".counts",
    "evaluate": ".evaluation",
    "evidence_code_length": ".scores",
    "exact_code_length": ".mixture",
    "load": ".estimators",
    "log_score": ".scores",
    "naive_bayes_sequence": ".prequential",
    "neighbourhood_code_length": ".mixture",
    "neighbourhoods_code_length": ".mixture",
    "network_code_length": ".scores",
    "nml_code_length": ".scores",
    "read_table": ".sources.files.readers",
    "report": ".reporting",
    "reproduce": "codelength_lab",
    "select_variables": ".selection",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 (the names of the table above)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
