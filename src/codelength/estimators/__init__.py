"""scikit-learn faces with one contract; the only objects with mutable state."""

from .contract import MODELS, Capability, TableClassifier, TableEstimator, load, model_of, register
from .mixture import FiniteMixture, ImputedCells
from .mixture_classifier import MixtureClassifier
from .naive_bayes import NaiveBayes

__all__ = [
    "MODELS",
    "Capability",
    "FiniteMixture",
    "ImputedCells",
    "MixtureClassifier",
    "NaiveBayes",
    "TableClassifier",
    "TableEstimator",
    "load",
    "model_of",
    "register",
]
