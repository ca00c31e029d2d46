"""Explanations: contributions of variables to the log-odds of a prediction."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from .._display import Shown, counted
from ..blocks import Block, Grid
from ..decisions import ranked
from ..errors import InvalidParameter
from ..table._messages import listed, shown
from ..typing import FloatArray, Scalar

MAX_CLASSES = 6
"""Largest number of classes that the display of an explanation shows."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Explanation(Shown):
    """Log-odds of every class against a reference class, split over the variables.

    For each row and class, ``intercept[k]`` plus the sum of ``contributions[row, :, k]`` is the log-odds
    of class ``k`` against the reference class, in nats; a missing cell contributes 0.

    Attributes
    ----------
    feature_names : tuple of str
        The variables.
    classes : tuple
        The classes.
    reference : str, int, float or bool
        The class that the others are compared with.
    intercept : array of shape (n_classes,)
        Log-odds of each class before any variable is seen.
    contributions : array of shape (n_rows, n_variables, n_classes)
        Contribution of each variable to the log-odds of each class. A cell that is impossible under both the
        class and the reference (rule ``"map"`` only) contributes 0.
    """

    feature_names: tuple[str, ...]
    classes: tuple[Scalar, ...]
    reference: Scalar
    intercept: FloatArray
    contributions: FloatArray

    @property
    def log_odds(self) -> FloatArray:
        """Log-odds of each class against the reference, shape (n_rows, n_classes).

        Minus infinity for a class that one cell rules out, plus infinity if the reference is ruled out, and 0
        if both are.
        """
        terms = np.insert(self.contributions, 0, self.intercept, axis=1)
        ruled_out, certain = np.isneginf(terms).any(axis=1), np.isposinf(terms).any(axis=1)
        # Infinite terms are handled apart, because inf - inf is NaN.
        finite = np.where(np.isfinite(terms), terms, 0.0).sum(axis=1)
        infinite = np.where(ruled_out, -np.inf, np.where(certain, np.inf, finite))
        return np.asarray(np.where(ruled_out & certain, 0.0, infinite))

    def among(self, names: tuple[str, ...]) -> "Explanation":
        """Return the same explanation with further variables, whose contributions are 0."""
        if names == self.feature_names:
            return self
        wider = np.zeros((len(self.contributions), len(names), len(self.classes)))
        wider[:, [names.index(name) for name in self.feature_names]] = self.contributions
        return Explanation(names, self.classes, self.reference, self.intercept, wider)

    def ranked(self, row: int, of: Scalar) -> list[tuple[str, float]]:
        """Return the variables of one row with their contributions to class ``of``, the strongest first.

        Parameters
        ----------
        row : int
            Position of the row; negative numbers count from the end.
        of : str, int, float or bool
            Class whose log-odds are explained.

        Returns
        -------
        list of (str, float)
            Names and contributions in nats, ordered by absolute value.
        """
        check_class("of", of, self.classes)
        n_rows = len(self.contributions)
        if not isinstance(row, Integral) or isinstance(row, bool) or not -n_rows <= row < n_rows:
            raise InvalidParameter(f"row {shown(row)}: there are {n_rows} rows, counted from 0")
        column = self.contributions[int(row), :, self.classes.index(of)]
        return [(self.feature_names[i], float(column[i])) for i in ranked(np.abs(column))]

    def _title(self) -> str:
        n_rows, n_variables, _ = self.contributions.shape
        size = f"{counted(n_rows, 'row')}, {counted(n_variables, 'variable')}"
        return f"Explanation: {size}, log-odds against class {shown(self.reference)} in nats"

    def _blocks(self) -> list[Block]:
        """Return the first row as a grid, the strongest variables first."""
        if not len(self.contributions):
            return []
        others = [k for k, label in enumerate(self.classes) if label != self.reference][:MAX_CLASSES]
        first = self.contributions[0]
        order = ranked(np.abs(first).max(axis=1, initial=0))
        parts = [("before any variable", self.intercept), *((self.feature_names[i], first[i]) for i in order)]
        rows = [[name, *(f"{terms[k]:+.2f}" for k in others)] for name, terms in parts]
        return [Grid("the first row", ["variable", *(str(self.classes[k]) for k in others)], rows)]


def check_class(name: str, label: Any, classes: tuple[Scalar, ...]) -> None:
    """Raise InvalidParameter if a label is not one of the classes."""
    if not isinstance(label, (str, int, float, np.generic)) or label not in classes:
        raise InvalidParameter(f"{name}={shown(label)}: expected one of the classes {listed(classes)}")


def log_odds_against(log_terms: FloatArray, reference: int) -> FloatArray:
    """Return differences from the reference class along the last axis; 0 if both are minus infinity."""
    against = log_terms[..., reference, None]
    impossible = np.isneginf(log_terms) & np.isneginf(against)
    with np.errstate(invalid="ignore"):
        return np.where(impossible, 0.0, log_terms - against)
