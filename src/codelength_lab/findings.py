"""What a reproduction found: our figures beside the printed ones, and the claims held to the figures."""

import math
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .summary import Curve, Score
from .verdicts import VERDICTS, Verdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """A printed figure and ours.

    Attributes
    ----------
    table, row, column : str
        Where it is printed.
    printed, ours : float
        The figures, in the unit of print.
    standard_error : float
        Of ours: over repetitions, or over rows under leave-one-out.
    decimals : int
        How many are shown.
    slack : float
        The part of the tolerance that allows for what the paper leaves open.
    rounding : float
        The part that allows for rounding in print: half a unit of the last printed digit, nothing for counts.
    noise : float
        How many standard errors are allowed for random repetitions; none under leave-one-out.
    reason : str
        Why they differ, where that is known.
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
        """Ours less the printed one."""
        return self.ours - self.printed

    @property
    def tolerance(self) -> float:
        """How far apart the two may be and still match: slack + rounding + noise times the standard error."""
        # A hair more than is said, because a printed figure is not quite a binary number.
        tolerance = self.slack + (1 + 2e-7) * self.rounding
        return (
            tolerance + self.noise * self.standard_error if math.isfinite(self.standard_error) else tolerance
        )

    @property
    def matches(self) -> bool:
        """Whether the difference is within the tolerance."""
        return abs(self.difference) <= self.tolerance

    @property
    def is_exact(self) -> bool:
        """Whether rounding and noise alone explain the difference."""
        return abs(self.difference) <= self.tolerance - self.slack


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a paper says in words, held to our figures.

    Attributes
    ----------
    where : str
        Where the paper says it.
    text : str
        What it says, in our words and made precise.
    verdict : {"held", "not held", "unsettled"}
        Whether our figures agree; see :mod:`codelength_lab.verdicts`.
    figures : str
        The figures.
    is_beyond : bool
        Whether it goes beyond what the paper says; such claims are counted apart.
    """

    where: str
    text: str
    verdict: Verdict
    figures: str
    is_beyond: bool = False


@dataclass(frozen=True, slots=True)
class Versus:
    """Two models on one table under one score, unit by unit.

    ``gain`` is how much better ``model`` did (positive is better), in accuracy or in nats per row.
    ``probability`` is the two-sided p-value of a paired t test over repetitions; it speaks of the random
    splits of this one table, not of other tables.
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
    """Results of a paper's own kind, as rows of named values.

    Attributes
    ----------
    name : str
        Name of its file; not comparison, scores, versus or curves, which are files of every paper.
    title : str
        What it shows.
    rows : list of dict
        The rows; all have the same names.
    decimals : int
        Decimals of numbers that are shown to people.
    shown : bool
        Whether it is short enough for people; otherwise it is in the files only.
    first : bool
        Whether it is shown before the claims.
    """

    name: str
    title: str
    rows: list[dict[str, Value]]
    decimals: int = 2
    shown: bool = True
    first: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """All that one reproduction found.

    Attributes
    ----------
    paper : str
        Key of the paper.
    title, citation : str
        Of the paper.
    quick : bool
        Whether repetitions were cut short.
    settings : dict
        The settings of the run as JSON types.
    changed : list of str
        Those that are not the paper's own, as ``key=value``.
    notes : list of str
        What a reader must know to make sense of the figures.
    comparisons : list of Comparison
        Printed figures and ours.
    claims : list of Claim
        What the paper says in words.
    scores : list of Score
        How each model did in each experiment.
    versus : list of Versus
        Pairs of models side by side.
    curves : list of Curve
        Learning curves.
    tables : list of ResultTable
        Results of the paper's own kind.
    """

    paper: str
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
        """The rows of a table of the paper's own."""
        return next(table.rows for table in self.tables if table.name == name)

    @property
    def n_matching(self) -> int:
        """How many printed figures ours match."""
        return sum(comparison.matches for comparison in self.comparisons)

    @property
    def n_exact(self) -> int:
        """How many do so within rounding and noise alone."""
        return sum(comparison.is_exact for comparison in self.comparisons)

    def verdicts(self, *, is_beyond: bool = False) -> dict[Verdict, int]:
        """How many claims there are of each verdict: those of the paper, or those beyond it."""
        found = [claim.verdict for claim in self.claims if claim.is_beyond == is_beyond]
        return {verdict: found.count(verdict) for verdict in VERDICTS}


def signed(value: float, standard_error: float = math.nan, digits: int = 3) -> str:
    """A difference for people, with its standard error where there is one.

    Examples
    --------
    >>> signed(0.0123, 0.004), signed(-1.5)
    ('+0.012 ± 0.004', '-1.500')
    """
    text = f"{value:+.{digits}f}"
    return text if math.isnan(standard_error) else f"{text} ± {standard_error:.{digits}f}"
