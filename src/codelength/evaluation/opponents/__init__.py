"""Classifiers of other libraries to compare with, under the same rules for all.

An opponent is a class in a module here and a line in ``OPPONENTS``. Opponents whose library is not installed
are left out of comparisons and listed as absent.
"""

from .boosting import CatBoost, GradientBoosting, LightGBM
from .categorical_nb import CategoricalNB
from .logistic_regression import LogisticRegression
from .opponent import FittedOpponent, Opponent
from .random_forest import RandomForest

OPPONENTS: dict[str, type[Opponent]] = {
    opponent.kind: opponent
    for opponent in (CategoricalNB, LogisticRegression, RandomForest, GradientBoosting, CatBoost, LightGBM)
}
"""The opponents by kind."""

__all__ = ["OPPONENTS", "FittedOpponent", "Opponent"]
