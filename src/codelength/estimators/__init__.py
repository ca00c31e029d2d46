"""scikit-learn faces with one contract; the only objects with mutable state."""

from ._fitted_average import HeldOut
from .contract import MODELS, Capability, TableClassifier, TableEstimator, load, model_of, register
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
    "FiniteMixture",
    "ForestsClassifier",
    "HeldOut",
    "ImputedCells",
    "KernelClassifier",
    "LogRatiosClassifier",
    "MixtureClassifier",
    "MixturesClassifier",
    "ModelAverage",
    "NaiveBayes",
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
