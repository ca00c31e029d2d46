"""Findings of a reproduction: our figures and the printed ones, and verdicts on claims."""

import math
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from codelength.typing import FloatArray, IntArray

from .claims import Claim
from .verdicts import VERDICTS, Verdict

ScoreName = Literal["accuracy", "log_score"]
SCORES: tuple[ScoreName, ...] = ("accuracy", "log_score")


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
        return (
            # A single repetition has no standard error, and then noise cannot be allowed for.
            tolerance + self.noise * self.standard_error if math.isfinite(self.standard_error) else tolerance
        )

    @property
    def matches(self) -> bool:
        """True if the difference is within the tolerance."""
        return abs(self.difference) <= self.tolerance

    @property
    def is_exact(self) -> bool:
        """True if rounding and noise alone explain the difference."""
        return abs(self.difference) <= self.tolerance - self.slack


@dataclass(frozen=True, slots=True)
class Score:
    """Scores of one model in one experiment: a row of the result table.

    Units are rows under leave-one-out, and whole cross-validations otherwise; standard errors are those of a
    mean over units.

    Attributes
    ----------
    fraction : float
        Share of the training rows that is used.
    accuracy_se, log_score_se : float
        Standard errors of the mean scores; log scores are in nats.
    n_zero, n_undefined : int
        Predictions with probability zero for the true class, and undefined ones.
    """

    dataset: str
    protocol: str
    folds: int
    fraction: float
    model: str
    n_units: int
    accuracy: float
    accuracy_se: float
    log_score: float
    log_score_se: float
    n_zero: int
    n_undefined: int


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
    score: ScoreName
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
class Versus:
    """Comparison of two models on one table under one score, paired by repetition.

    Attributes
    ----------
    fraction : float
        Share of the training rows that is used.
    gain, standard_error : float
        Mean lead of ``model``, in accuracy or in nats per row; positive is better.
    probability : float
        Two-sided p-value of a paired t test over repetitions. It is about the random splits of this table,
        not about other tables.
    """

    dataset: str
    fraction: float
    score: str
    model: str
    other: str
    gain: float
    standard_error: float
    probability: float


Value: TypeAlias = str | int | float | None


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Table of results that is specific to an experiment, as rows of named values.

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
    rows: list[dict[str, Value]]
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
    scores: list[Score] = field(default_factory=list)
    versus: list[Versus] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    tables: list[ResultTable] = field(default_factory=list)

    def table(self, name: str) -> list[dict[str, Any]]:
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
