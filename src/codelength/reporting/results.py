"""Results of an analysis: plain figures, texts and arrays, from which a page is made.

Texts are as they are in the table; renderers escape them. Scores are in bits.

Order of reading: :class:`Estimate`, the parts (one class per section), then :class:`Analysis` (a table with a
class) and :class:`LatentAnalysis` (hidden classes), which :mod:`codelength.reporting.analyse` and the section
on hidden classes fill in. There are no computations here.

Depends on types of the estimators and of :mod:`codelength.selection.comparison` only.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..typing import FloatArray, IntArray

if TYPE_CHECKING:
    from ..estimators import FiniteMixture
    from ..selection.comparison import Comparison


@dataclass(frozen=True, eq=False, slots=True)
class Estimate:
    """An estimate with its standard error and a 95 % interval.

    Attributes
    ----------
    value : float
        The estimate.
    standard_error : float
        Its standard error; NaN if there are too few rows.
    low, high : float
        Ends of a 95 % interval.
    """

    value: float
    standard_error: float
    low: float
    high: float

    @property
    def has_interval(self) -> bool:
        """True if both ends of the interval are finite."""
        return math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True, eq=False, slots=True)
class ModelScores:
    """Scores of one model: a row of the comparison.

    Attributes
    ----------
    name : str
        Name of the model, such as ``"model average"`` or ``"naive Bayes, evidence"``.
    protocol : str
        Choice of training and test rows.
    log_score_bits : float
        Mean log probability of the class that occurred, in bits; higher is better, 0 at best, and minus
        infinity if a class that occurred had probability zero.
    accuracy : float
        Share of rows whose most probable class occurred.
    brier_score : float
        Mean squared distance from the class that occurred: 0 at best, 2 at worst.
    calibration_error : float
        Mean distance between predicted and observed frequencies.
    log_score_bits_se, accuracy_se, brier_score_se : float
        Standard errors over rows; NaN if there are too few rows, and for an infinite score.
    behind_best : Estimate
        Bits per row behind the best model, paired over rows; 0 for the best.
    is_tied : bool
        Whether it is within two standard errors of the best model, as the best itself is.
    n_zero : int
        Rows whose class was given probability zero.
    fit_seconds : float
        Time of one fit.
    is_baseline : bool
        Whether the model is included for comparison only.
    """

    name: str
    protocol: str
    log_score_bits: float
    log_score_bits_se: float
    accuracy: float
    accuracy_se: float
    brier_score: float
    brier_score_se: float
    calibration_error: float
    behind_best: Estimate
    is_tied: bool
    n_zero: int
    fit_seconds: float
    is_baseline: bool


@dataclass(frozen=True, eq=False, slots=True)
class Reliability:
    """Reliability diagram of the best model: predicted and observed frequencies per bin.

    Attributes
    ----------
    promised : array of shape (n_bins,)
        Mean predicted probability, increasing.
    observed : array of shape (n_bins,)
        Share of rows in which the event occurred.
    low, high : array of shape (n_bins,)
        Ends of a 95 % interval of that share.
    n_rows : array of shape (n_bins,)
        Rows of each bin.
    of : str
        The event predicted: the second class of two, or ``"the most probable class"``.
    """

    promised: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    n_rows: FloatArray
    of: str


@dataclass(frozen=True, eq=False, slots=True)
class LearningCurve:
    """Learning curve: log loss by the number of training rows.

    Attributes
    ----------
    n_rows : array of shape (n_sizes,)
        Training rows, increasing.
    loss_bits : array of shape (n_sizes,)
        Mean of minus the log probability of the class that occurred, in bits; lower is better.
    low, high : array of shape (n_sizes,)
        Ends of a 95 % band: over repeated splits, or over the rows of one split if the model is slow.
    model : str
        Name of the model.
    sentence : str
        Expected gain from more rows, in words.
    """

    n_rows: IntArray
    loss_bits: FloatArray
    low: FloatArray
    high: FloatArray
    model: str
    sentence: str


@dataclass(frozen=True, eq=False, slots=True)
class ValueProfile:
    """Class probabilities given one value of a variable.

    Attributes
    ----------
    label : str
        The value as shown.
    n_rows : float
        Rows that have it.
    class_probs : array of shape (n_classes,)
        Predictive probability of each class given this value alone.
    """

    label: str
    n_rows: float
    class_probs: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class VariableFacts:
    """One variable, with its information about the class.

    Attributes
    ----------
    name : str
        Name of the column.
    kind : str
        ``"categories"``, ``"numbers in intervals"``, ``"dates in intervals"``, or ``"ignored"``.
    n_values : int
        Number of values, or of intervals.
    n_missing : int
        Missing cells.
    how : str
        Rule by which it was cut, or the reason for which it is ignored.
    bits_alone : Estimate, optional
        Bits per row that it gains on its own over the class prior, each row predicted from all the others;
        may be negative. None if not measured.
    bits_given_others : Estimate, optional
        Bits per row that are lost when it is left out of the model. None if not measured.
    profile : tuple of ValueProfile
        Its values in order; the 50 most frequent ones if there are more.
    """

    name: str
    kind: str
    n_values: int
    n_missing: int
    how: str
    bits_alone: Estimate | None
    bits_given_others: Estimate | None
    profile: tuple[ValueProfile, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Surprise:
    """A row whose class was improbable under the model.

    Attributes
    ----------
    row : int
        Number of the row, from 1.
    probability : float
        Probability of the class that occurred under the best model, fitted without the row.
    occurred, expected : str
        The class that occurred, and the most probable one.
    cells : tuple of (str, str)
        Names and contents of the row's cells; empty unless rows were requested.
    """

    row: int
    probability: float
    occurred: str
    expected: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False, slots=True)
class TableFacts:
    """Size and content of the table.

    Attributes
    ----------
    name : str
        Name of the table.
    n_rows, n_columns, n_missing : int
        Rows, columns (the target not counted) and missing cells in them.
    target : str, optional
        Name of the column to predict.
    classes : tuple of str
        The classes.
    class_counts : array of shape (n_classes,)
        Rows of each class.
    ignored : tuple of (str, str)
        Columns that were left out, and the reasons.
    notes : tuple of str
        Warnings given while the table was read and models were fitted.
    """

    name: str
    n_rows: int
    n_columns: int
    n_missing: int
    target: str | None
    classes: tuple[str, ...]
    class_counts: FloatArray
    ignored: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Provenance:
    """Common part of all analyses: the table, and the settings of the run.

    Attributes
    ----------
    table : TableFacts
        Size and content of the table.
    settings : tuple of (str, str)
        Steps of the analysis with their settings.
    command : str
        The command that repeats the analysis; empty if there is none.
    version : str
        Version of the library.
    seed : int, optional
        Seed of all random choices.
    seconds : float
        Duration.
    """

    table: TableFacts
    settings: tuple[tuple[str, str], ...]
    command: str
    version: str
    seed: int | None
    seconds: float


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Analysis(Provenance):
    """Analysis of a table with a target: models, reliability, learning curve, variables and surprising rows.

    Attributes
    ----------
    models : tuple of ModelScores
        The models compared, best first.
    best : str
        Name of the best model.
    prior_bits : float
        Cost of the class in bits per row under the class prior alone.
    gain : Estimate
        Bits per row of the best model over the class prior.
    accuracy, calibration : Estimate
        Accuracy and calibration error of the best model.
    reliability : Reliability
        Reliability diagram of the best model.
    learning_curve : LearningCurve, optional
        Log loss by training rows; None if there are too few rows.
    variables : tuple of VariableFacts
        The variables, most bits alone first.
    surprises : tuple of Surprise
        The rows that surprised the best model, most surprising first.
    scorers : dict of str to dict
        Scorer documents (:mod:`codelength.export.scorer`) by rule.
    latent : LatentAnalysis, optional
        A first look at latent classes in the other columns; None if there are too few rows, or too many
        columns for a quick fit.
    """

    models: tuple[ModelScores, ...]
    best: str
    prior_bits: float
    gain: Estimate
    accuracy: Estimate
    calibration: Estimate
    reliability: Reliability
    learning_curve: LearningCurve | None
    variables: tuple[VariableFacts, ...]
    surprises: tuple[Surprise, ...]
    scorers: dict[str, dict[str, Any]]
    latent: "LatentAnalysis | None" = None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class LatentAnalysis(Provenance):
    """Latent classes of a table, its target left out.

    Attributes
    ----------
    model : FiniteMixture
        The mixture with the number of classes that was chosen.
    comparison : Comparison
        The numbers of classes compared.
    """

    model: "FiniteMixture"
    comparison: "Comparison"
