"""Models compared on one table, by predictions of rows that they have not seen."""

from .evaluate import Evaluation, evaluate
from .opponents import OPPONENTS
from .splits import Split, cross_validation

__all__ = ["OPPONENTS", "Evaluation", "Split", "cross_validation", "evaluate"]
