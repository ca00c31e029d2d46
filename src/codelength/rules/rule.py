"""What the four predictive rules have in common.

Every rule weighs class ``k`` of a row ``x`` by

.. math:: g(h_k + a_k) + \\sum_i \\bigl[ g(f_{kix_i} + a_{kix_i}) - g(\\sum_l (f_{kil} + a_{kil})) \\bigr]

on the log scale; the rules differ only in the offsets ``a`` and in the function ``g``, which is the
logarithm or, for stochastic complexity, the growth of ``n log n``.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..typing import FloatArray


@dataclass(frozen=True, slots=True)
class Rule:
    """A predictive rule spelled out for one schema.

    Attributes
    ----------
    name : str
        Name of the rule.
    class_offsets : array of shape (n_classes,)
        What is added to the class counts.
    value_offsets : array of shape (n_classes, n_cells)
        What is added to the value counts.
    growth : function
        ``g`` above, applied to arrays.
    """

    name: str
    class_offsets: FloatArray
    value_offsets: FloatArray
    growth: Callable[[FloatArray], FloatArray]

    @property
    def is_complexity(self) -> bool:
        """Whether ``g`` is the growth of n log n rather than the logarithm."""
        return self.growth is growth_of_complexity


def logarithm(numbers: FloatArray) -> FloatArray:
    """Natural logarithm, minus infinity at zero."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(numbers))


def growth_of_complexity(numbers: FloatArray) -> FloatArray:
    """``(n + 1) log(n + 1) - n log n``, for whole and for fractional n, without cancellation.

    Examples
    --------
    >>> growth_of_complexity(np.array([0.0, 1.0])) / np.log(2)
    array([0., 2.])
    """
    positive = np.where(numbers > 0, numbers, 1.0)
    return np.asarray(np.where(numbers > 0, np.log1p(numbers) + positive * np.log1p(1 / positive), 0.0))
