"""The stochastic complexity rule: the model of maximum likelihood with the new row included."""

import numpy as np
from scipy.special import xlogy

from ...counts import Counts
from ...table import Schema
from ...typing import FloatArray
from ..priors import Pseudocounts
from .rule import Offsets, Rule


class StochasticComplexity(Rule):
    r"""Predict with the maximised likelihood of the data together with the new row.

    .. math:: P(Y = k \mid x, D) \propto \max_\Theta P(D, (x, k) \mid \Theta)

    Equation (8) of [1]_, after Rissanen (1996). The normaliser of the normalised maximum likelihood is
    the same for every class and cancels. Adding a row to class k multiplies the maximised likelihood
    by powers ``(n + 1)^(n + 1) / n^n`` of the counts it changes, whose logarithm is :meth:`growth`. The rule
    does not use a prior.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander, Tirri and Grünwald (1997). Comparing predictive inference
           methods for discrete domains. AISTATS.
    """

    name = "stochastic_complexity"
    maximises = True
    needs_prior = False
    normalises = False

    def offsets(self, prior: Pseudocounts, schema: Schema) -> Offsets:
        """Return zero offsets."""
        return Offsets(np.zeros_like(prior.class_pseudocounts), np.zeros_like(prior.value_pseudocounts))

    def growth(self, numbers: FloatArray) -> FloatArray:
        """Return ``(n + 1) log(n + 1) - n log n``, for integers and fractions, without cancellation.

        Examples
        --------
        >>> StochasticComplexity().growth(np.array([0.0, 1.0])) / np.log(2)
        array([0., 2.])
        """
        # For small n, 1 / n may overflow; for large n, the two logarithms are nearly equal and would cancel.
        small, large = np.minimum(numbers, 1.0), np.maximum(numbers, 1.0)
        few = (1 + small) * np.log1p(small) - xlogy(small, small)
        many = np.log1p(large) + large * np.log1p(1 / large)
        return np.asarray(np.where(numbers >= 1, many, few))

    def constant(self, counts: Counts, offsets: Offsets) -> float:
        """Return the maximised log-likelihood of the rows, normalised for one more row."""
        n_after = counts.n_rows + 1
        fit = float(xlogy(counts.class_counts, counts.class_counts).sum() - xlogy(n_after, n_after))
        for i in range(counts.schema.n_variables):
            seen = counts.of(i)
            totals = seen.sum(axis=1)
            fit += float(xlogy(seen, seen).sum() - xlogy(totals, totals).sum())
        return fit
