"""Single members of the model average, and models of some of the variables, for studies of their own."""

from .estimators import (
    ForestsClassifier,
    KernelClassifier,
    LogRatiosClassifier,
    MixturesClassifier,
    OneDependenceClassifier,
    OnVariables,
    SubsetsClassifier,
    TreeAugmentedClassifier,
    TreesClassifier,
)

__all__ = [
    "ForestsClassifier",
    "KernelClassifier",
    "LogRatiosClassifier",
    "MixturesClassifier",
    "OnVariables",
    "OneDependenceClassifier",
    "SubsetsClassifier",
    "TreeAugmentedClassifier",
    "TreesClassifier",
]
