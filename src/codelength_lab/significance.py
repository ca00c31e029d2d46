"""Tests of differences over tables, and mean ranks of classifiers.

Friedman's test asks whether any two differ at all. Every pair is then compared by Wilcoxon's signed rank test
over tables, with Holm's correction for the number of pairs [1]_. Nemenyi's test, which is often used here,
compares mean ranks, and those of a pair depend on the other models in the comparison [2]_.

References
----------
.. [1] Demšar (2006). Statistical comparisons of classifiers over multiple data sets. JMLR 7, 1-30.
.. [2] Benavoli, Corani and Mangili (2016). Should we really use post-hoc tests based on mean-ranks? JMLR 17,
   1-10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_lowercase
from typing import NamedTuple

import numpy as np

from codelength.typing import BoolArray, FloatArray

LEVEL = 0.05
"""Probability of calling any pair different if none is."""


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
    # The exact distribution is quick for few tables; beyond, the normal approximation is accurate.
    ranked = wilcoxon(decided, method="exact" if len(decided) <= 25 else "approx")
    sign = binomtest(int((decided > 0).sum()), len(decided))
    return Tests(float(ranked.pvalue), float(sign.pvalue))


def p_value(p: float) -> str:
    """Return a probability with its sign of relation.

    Examples
    --------
    >>> p_value(0.0123), p_value(1e-9)
    ('= 0.012', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


@dataclass(frozen=True, eq=False, slots=True)
class Ranking:
    """Ranks of models over tables, and the pairs that differ.

    Attributes
    ----------
    ranks : array of shape (n_tables, n_models)
        Mean rank on each table: 1 is best, and equal losses share their ranks.
    friedman : float
        Probability of differences as large as these among equal models.
    differ : array of shape (n_models, n_models)
        True for pairs that differ.
    """

    ranks: FloatArray
    friedman: float
    differ: BoolArray

    @classmethod
    def of(cls, losses: FloatArray) -> "Ranking":
        """Return the ranking by losses of shape (n_tables, n_shares, n_models).

        Models are ranked for each share of the rows of a table. The tests use means over shares, because the
        shares of one table are not independent.

        Examples
        --------
        >>> ranking = Ranking.of(np.array([[[0.1, 0.3, 0.2]], [[0.2, 0.4, 0.4]]]))
        >>> ranking.mean_ranks
        array([1.  , 2.75, 2.25])
        >>> ranking.differ.any()
        np.False_
        """
        from scipy.stats import friedmanchisquare, rankdata

        means = losses.mean(axis=1)
        n_tables, n_models = means.shape
        pairs = list(combinations(range(n_models), 2))
        p = holm([tests_over_tables((means[:, i] - means[:, j]).tolist()).wilcoxon for i, j in pairs])
        differ = np.zeros((n_models, n_models), dtype=np.bool_)
        for (i, j), adjusted in zip(pairs, p, strict=True):
            differ[i, j] = differ[j, i] = adjusted < LEVEL
        # The test is not defined for two models, for one table, or if all losses are equal.
        is_tested = n_models > 2 and n_tables > 1 and bool((means != means[:, :1]).any())
        friedman = float(friedmanchisquare(*means.T).pvalue) if is_tested else 1.0
        return cls(rankdata(losses, axis=2).mean(axis=1), friedman, differ)

    @property
    def mean_ranks(self) -> FloatArray:
        """Mean ranks over tables."""
        return np.asarray(self.ranks.mean(axis=0))

    @property
    def letters(self) -> list[str]:
        """Groups of each model; models that share a letter do not differ.

        A group is a maximal set of models, consecutive by rank, of which no two differ.
        """
        order = np.argsort(self.mean_ranks, kind="stable")
        differ, n = self.differ[np.ix_(order, order)], len(order)
        stops = [
            max(stop for stop in range(start + 1, n + 1) if not differ[start:stop, start:stop].any())
            for start in range(n)
        ]
        # A group that ends where the one before does is part of it.
        groups = [(start, stop) for start, stop in enumerate(stops) if stop > max(stops[:start], default=0)]
        return [
            "".join(
                letter
                for letter, (start, stop) in zip(ascii_lowercase, groups, strict=False)
                if start <= place < stop
            )
            for place in np.argsort(order).tolist()
        ]


def holm(probabilities: Sequence[float]) -> list[float]:
    """Return p-values adjusted for the number of tests, by Holm's step-down procedure.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(probabilities, kind="stable")
    n = len(order)
    adjusted = np.array([(n - step) * probabilities[i] for step, i in enumerate(order)])
    found = np.empty(n)
    # The running maximum keeps the order of the p-values: a test cannot reject if a stronger one did not.
    found[order] = np.minimum(np.maximum.accumulate(adjusted), 1.0)
    return [float(p) for p in found]
