"""Specifications to rows of results: models compared on one table, and the experiments of the papers."""

from .evaluation import Evaluation, evaluate
from .opponents import OPPONENTS
from .registry import EXPERIMENTS, PAPERS
from .reproduction import Reproduction, reproduce
from .splits import Split, cross_validation

__all__ = [
    "EXPERIMENTS",
    "OPPONENTS",
    "PAPERS",
    "Evaluation",
    "Reproduction",
    "Split",
    "cross_validation",
    "evaluate",
    "reproduce",
]
