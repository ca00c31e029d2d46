"""scikit-learn faces; the only objects with mutable state."""

from ..rules.explanation import Explanation
from .mixture import FiniteMixture, ImputedCells
from .mixture_classifier import MixtureClassifier
from .naive_bayes import NaiveBayes
from .persistence import load

MODELS = {
    "FiniteMixture": FiniteMixture,
    "MixtureClassifier": MixtureClassifier,
    "NaiveBayes": NaiveBayes,
}
"""What a model file may hold, by the name it is kept under."""

__all__ = [
    "MODELS",
    "Explanation",
    "FiniteMixture",
    "ImputedCells",
    "MixtureClassifier",
    "NaiveBayes",
    "load",
]
