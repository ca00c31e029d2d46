"""Single members of the model average, and models of some of the variables, for studies of their own."""

from .estimators import (
    ForestsClassifier,
    KernelClassifier,
    LogRatiosClassifier,
    OnVariables,
    SubsetsClassifier,
    TreeAugmentedClassifier,
    TreesClassifier,
)

__all__ = [
    "ForestsClassifier",
    "KernelClassifier",
    "LogRatiosClassifier",
    "OnVariables",
    "SubsetsClassifier",
    "TreeAugmentedClassifier",
    "TreesClassifier",
]
