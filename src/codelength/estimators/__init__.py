"""scikit-learn faces with one contract; the only objects with mutable state."""

from ._described import OnVariables
from ._fitted_average import HeldOut
from .contract import MODELS, Capability, TableClassifier, TableEstimator, load, model_of, register
from .evidence_average import EvidenceAverage
from .indifferent_trees import IndifferentTrees
from .members import (
    ForestsClassifier,
    KernelClassifier,
    LogRatiosClassifier,
    MixturesClassifier,
    OneDependenceClassifier,
    SubsetsClassifier,
    TreeAugmentedClassifier,
    TreesClassifier,
)
from .mixture import FiniteMixture, ImputedCells
from .mixture_classifier import MixtureClassifier
from .model_average import ModelAverage
from .naive_bayes import NaiveBayes

__all__ = [
    "MODELS",
    "Capability",
    "EvidenceAverage",
    "FiniteMixture",
    "ForestsClassifier",
    "HeldOut",
    "ImputedCells",
    "IndifferentTrees",
    "KernelClassifier",
    "LogRatiosClassifier",
    "MixtureClassifier",
    "MixturesClassifier",
    "ModelAverage",
    "NaiveBayes",
    "OnVariables",
    "OneDependenceClassifier",
    "SubsetsClassifier",
    "TableClassifier",
    "TableEstimator",
    "TreeAugmentedClassifier",
    "TreesClassifier",
    "load",
    "model_of",
    "register",
]
