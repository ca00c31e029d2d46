"""What is known about a table: plain figures, texts and arrays, from which a page can be made.

Texts are as they are in the table: whoever shows them escapes them. Scores are in bits.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..typing import FloatArray, IntArray

if TYPE_CHECKING:
    from ..estimators import FiniteMixture
    from ..selection.comparison import Comparison


@dataclass(frozen=True, eq=False, slots=True)
class Estimate:
    """A figure, and how far it can be trusted.

    Attributes
    ----------
    value : float
        The figure.
    standard_error : float
        Its standard error; NaN where too few rows tell.
    low, high : float
        Ends of a 95 % interval.
    """

    value: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, slots=True)
class ModelScores:
    """How well one model predicts: a row of the comparison.

    Attributes
    ----------
    name : str
        What the model is called, such as ``"model average"`` or ``"naive Bayes, evidence"``.
    protocol : str
        How rows to learn from and rows to predict were chosen.
    log_score_bits : float
        Mean log probability of the class that occurred, in bits; higher is better, 0 at best, and minus
        infinity where a class that occurred was given probability zero.
    accuracy : float
        Share of rows whose most probable class occurred.
    brier_score : float
        Mean squared distance from the class that occurred: 0 at best, 2 at worst.
    calibration_error : float
        Mean distance between what was promised and what came true.
    log_score_bits_se, accuracy_se, brier_score_se : float
        Standard errors over rows; NaN where too few rows tell, and for an infinite score.
    behind_best : Estimate
        Bits per row behind the best model, paired over rows; 0 for the best.
    is_tied : bool
        Whether it is within two standard errors of the best model, as the best itself is.
    n_zero : int
        Rows whose class was given probability zero.
    fit_seconds : float
        What learning once took.
    is_baseline : bool
        Whether it is there for comparison only.
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
    """What the best model promised, and what came true, in bins of the promises.

    Attributes
    ----------
    promised : array of shape (n_bins,)
        Mean probability given, by increasing probability.
    observed : array of shape (n_bins,)
        Share of rows in which it came true.
    low, high : array of shape (n_bins,)
        Ends of a 95 % interval of that share.
    n_rows : array of shape (n_bins,)
        Rows of each bin.
    of : str
        What was promised: the class, where there are two; ``"the most probable class"`` otherwise.
    """

    promised: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    n_rows: FloatArray
    of: str


@dataclass(frozen=True, eq=False, slots=True)
class LearningCurve:
    """How much is lost per row when fewer rows are learned from.

    Attributes
    ----------
    n_rows : array of shape (n_sizes,)
        Rows learned from, increasing.
    loss_bits : array of shape (n_sizes,)
        Mean of minus the log probability of the class that occurred, in bits; lower is better.
    low, high : array of shape (n_sizes,)
        Ends of a 95 % band: over repeated splits, or over the rows of one split where the model is slow.
    model : str
        Name of the model.
    sentence : str
        How much more rows would help, in words.
    """

    n_rows: IntArray
    loss_bits: FloatArray
    low: FloatArray
    high: FloatArray
    model: str
    sentence: str


@dataclass(frozen=True, eq=False, slots=True)
class ValueProfile:
    """What one value of a variable says about the class.

    Attributes
    ----------
    label : str
        The value, for people.
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
    """One variable, and how much it says about the class.

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
        How it was cut, or why it is ignored.
    bits_alone : Estimate, optional
        Bits per row that it gains on its own over the class prior, each row predicted from all the others;
        may be negative. None where that was not measured.
    bits_given_others : Estimate, optional
        Bits per row that are lost when it is left out of the model. None where that was not measured.
    profile : tuple of ValueProfile
        Its values in order; the 50 most frequent ones where there are more.
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
    """A row whose class the model had thought improbable.

    Attributes
    ----------
    row : int
        Number of the row, from 1.
    probability : float
        What the best model gave to the class that occurred, without having seen the row.
    occurred, expected : str
        The class that occurred, and the most probable one.
    cells : tuple of (str, str)
        Names and contents of the row's cells; empty unless rows were asked for.
    """

    row: int
    probability: float
    occurred: str
    expected: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False, slots=True)
class TableFacts:
    """What the table holds.

    Attributes
    ----------
    name : str
        What the table is called.
    n_rows, n_columns, n_missing : int
        Rows, columns (the target not counted) and missing cells in them.
    target : str, optional
        Name of the column to predict.
    classes : tuple of str
        The classes.
    class_counts : array of shape (n_classes,)
        Rows of each class.
    ignored : tuple of (str, str)
        Columns that were left out, and why.
    notes : tuple of str
        What was said while the table was read and models were fitted.
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
class Made:
    """What every analysis tells: the table, and how it was made.

    Attributes
    ----------
    table : TableFacts
        What the table holds.
    settings : tuple of (str, str)
        What was done, and with which settings.
    command : str
        The command that makes the same analysis again; nothing where there is none.
    version : str
        Version of the library.
    seed : int, optional
        Seed of all random choices.
    seconds : float
        How long it took.
    """

    table: TableFacts
    settings: tuple[tuple[str, str], ...]
    command: str
    version: str
    seed: int | None
    seconds: float


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Analysis(Made):
    """How well the class of a table can be predicted, by what, and from what.

    Attributes
    ----------
    models : tuple of ModelScores
        The models compared, best first.
    best : str
        Name of the best model.
    prior_bits : float
        What the class costs in bits per row where nothing but the class prior is known.
    gain : Estimate
        Bits per row of the best model over the class prior.
    accuracy, calibration : Estimate
        Accuracy and calibration error of the best model.
    reliability : Reliability
        What the best model promised, and what came true.
    learning_curve : LearningCurve, optional
        What more rows would gain; None where there are too few to tell.
    variables : tuple of VariableFacts
        The variables, most bits alone first.
    surprises : tuple of Surprise
        The rows that surprised the best model, most surprising first.
    scorers : dict of str to dict
        Scorer documents (:mod:`codelength.export.scorer`) by rule.
    latent : LatentAnalysis, optional
        A first look at hidden classes in the other columns; None where there are too few rows or too many
        columns for a quick one.
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
class LatentAnalysis(Made):
    """The hidden classes of a table, its target left out.

    Attributes
    ----------
    model : FiniteMixture
        The mixture with the number of classes that was chosen.
    comparison : Comparison
        The numbers of classes compared.
    """

    model: "FiniteMixture"
    comparison: "Comparison"
