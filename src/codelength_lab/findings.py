"""Findings of a reproduction: our figures and the printed ones, and verdicts on claims."""

import math
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from codelength.typing import FloatArray, IntArray

from .claims import VERDICTS, Claim, Verdict

SCORES = ("accuracy", "log_score")

Row: TypeAlias = dict[str, Any]
"""Row of a table of results, with named values."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A printed figure and ours.

    Figures are in the unit of the paper. The standard error of ours is over repetitions, or over rows under
    leave-one-out.

    Attributes
    ----------
    slack : float
        Part of the tolerance that allows for choices which the paper does not state.
    rounding : float
        Part for rounding in print: half a unit of the last printed digit, 0 for counts.
    noise : float
        Number of standard errors allowed for random repetitions; 0 under leave-one-out.
    reason : str
        Reason of a difference; empty if unknown.
    """

    table: str
    row: str
    column: str
    printed: float
    ours: float
    standard_error: float
    decimals: int
    slack: float
    rounding: float
    noise: float
    reason: str = ""

    @property
    def difference(self) -> float:
        """Ours less the printed figure."""
        return self.ours - self.printed

    @property
    def tolerance(self) -> float:
        """Largest difference that still matches: slack + rounding + noise times the standard error."""
        # Slightly more than stated, because a printed decimal is not exact in binary.
        tolerance = self.slack + (1 + 2e-7) * self.rounding
        # A single repetition has no standard error, and then noise cannot be allowed for.
        return tolerance + (self.noise * self.standard_error if math.isfinite(self.standard_error) else 0.0)

    @property
    def matches(self) -> bool:
        """True if the difference is within the tolerance."""
        return abs(self.difference) <= self.tolerance

    @property
    def is_exact(self) -> bool:
        """True if rounding and noise alone explain the difference."""
        return abs(self.difference) <= self.tolerance - self.slack


@dataclass(frozen=True, slots=True)
class Curve:
    """Learning curve of one model on one table, over partitions.

    The name of a pair of models, ``"EV - SC"``, stands for the first minus the second.

    Attributes
    ----------
    mean, standard_error, lowest, highest : array of shape (n_train,)
        Statistics over partitions after each training row.
    """

    dataset: str
    model: str
    score: str
    n_partitions: int
    mean: FloatArray
    standard_error: FloatArray
    lowest: FloatArray
    highest: FloatArray

    @property
    def sizes(self) -> IntArray:
        """Numbers of training rows."""
        return np.arange(1, len(self.mean) + 1)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Table of results that is specific to an experiment.

    Attributes
    ----------
    name : str
        Name of its file; not comparison, scores, versus or curves, which are reserved.
    rows : list of dict
        The rows; all have the same names.
    shown : bool
        True if it is short enough for a page; otherwise it is in the files only.
    first : bool
        True if it is shown before the claims.
    """

    name: str
    title: str
    rows: list[Row]
    decimals: int = 2
    shown: bool = True
    first: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings of one reproduction.

    Attributes
    ----------
    quick : bool
        True if the run had few repetitions.
    changed : list of str
        Settings that differ from the paper's own, as ``key=value``.
    notes : list of str
        Remarks that are needed to interpret the figures.
    scores, versus : list of dict
        Scores of each model in each experiment, and gains of one model over others, table by table.
    tables : list of ResultTable
        Tables specific to the experiment.
    """

    experiment: str
    title: str
    citation: str
    quick: bool
    settings: dict[str, Any]
    changed: list[str]
    notes: list[str] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    scores: list[Row] = field(default_factory=list)
    versus: list[Row] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    tables: list[ResultTable] = field(default_factory=list)

    def table(self, name: str) -> list[Row]:
        """Return the rows of a table by its name."""
        return next(table.rows for table in self.tables if table.name == name)

    @property
    def n_matching(self) -> int:
        """Number of printed figures that ours match."""
        return sum(comparison.matches for comparison in self.comparisons)

    @property
    def n_exact(self) -> int:
        """Number of printed figures that ours match within rounding and noise alone."""
        return sum(comparison.is_exact for comparison in self.comparisons)

    def verdicts(self, *, is_beyond: bool = False) -> dict[Verdict, int]:
        """Return the number of claims with each verdict: those of the paper, or those beyond it."""
        found = [claim.verdict for claim in self.claims if claim.is_beyond == is_beyond]
        return {verdict: found.count(verdict) for verdict in VERDICTS}
