"""Comparison of two models, on one table and over many."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from codelength.typing import FloatArray

from .findings import Versus
from .summary import SCORES, ScoreName, Summary, mean_of


def versus(
    summary: Summary, names: Iterable[str], shares: Iterable[float], model: str, others: Sequence[str]
) -> list[Versus]:
    """Return the gains of one model over others, table by table, with paired t tests over repetitions.

    Parameters
    ----------
    summary : Summary
        Results.
    names : iterable of str
        Tables.
    shares : iterable of float
        Shares of the training rows.
    model : str
        The model whose gains are reported.
    others : sequence of str
        Models to compare it with.
    """
    return [
        _versus(summary, name, share, model, other, score)
        for share in shares
        for other in others
        for score in SCORES
        for name in names
    ]


def _versus(summary: Summary, name: str, share: float, model: str, other: str, score: ScoreName) -> Versus:
    gains = gains_of(summary, name, share, model, other, score)
    value, standard_error = mean_of(gains)
    return Versus(
        name, share, score, model, other, value, standard_error, _t_test(value, standard_error, len(gains))
    )


def gains_of(
    summary: Summary, name: str, share: float, model: str, other: str, score: ScoreName
) -> FloatArray:
    """Return the lead of one model over another in each cross-validation.

    Parameters
    ----------
    summary : Summary
        Results.
    name : str
        Table.
    share : float
        Share of the training rows.
    model, other : str
        The two models; positive leads are those of the first.
    score : {"log_score", "accuracy"}
        Score.
    """
    return summary.difference(summary.group(name, "cross-validation", share), model, other, score)


class Tests(NamedTuple):
    """Paired tests over tables: two-sided p-values."""

    wilcoxon: float
    sign: float


def tests_over_tables(gains: Sequence[float]) -> Tests:
    """Return p-values of Wilcoxon's signed rank test and the sign test of mean gains, without ties.

    Examples
    --------
    >>> tests = tests_over_tables([0.1, 0.2, 0.3, 0.4, 0.5, 0.0])
    >>> tests.sign
    0.0625
    """
    from scipy.stats import binomtest, wilcoxon

    # Ties carry no information about a direction, and the exact test does not allow them.
    decided = np.array([gain for gain in gains if gain != 0])
    if not len(decided):
        return Tests(1.0, 1.0)
    sign = binomtest(int((decided > 0).sum()), len(decided)).pvalue
    return Tests(
        # The exact distribution is quick for few tables; beyond, the normal approximation is accurate.
        float(wilcoxon(decided, method="exact" if len(decided) <= 25 else "approx").pvalue),
        float(sign),
    )


def _t_test(value: float, standard_error: float, n: int) -> float:
    """Return the two-sided p-value of a mean under the hypothesis that it is zero."""
    from scipy.stats import t

    if math.isnan(standard_error):
        return math.nan
    if standard_error == 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * t.sf(abs(value) / standard_error, n - 1))
