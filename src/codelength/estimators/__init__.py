"""scikit-learn faces; the only objects with mutable state."""

from .explanation import Explanation
from .naive_bayes import NaiveBayes
from .persistence import load

__all__ = ["Explanation", "NaiveBayes", "load"]
