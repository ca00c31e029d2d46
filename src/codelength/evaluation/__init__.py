"""Comparison of models on one table, by predictions of rows they were not fitted to."""

from .evaluate import Evaluation, evaluate
from .opponents import OPPONENTS
from .splits import Split, cross_validation

__all__ = ["OPPONENTS", "Evaluation", "Split", "cross_validation", "evaluate"]
