"""Specifications to rows of results."""

from .evaluation import Evaluation, evaluate
from .splits import Split, cross_validation

__all__ = ["Evaluation", "Split", "cross_validation", "evaluate"]
