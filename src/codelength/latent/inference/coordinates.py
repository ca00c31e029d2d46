r"""Free parameters of a mixture on the logit scale, and estimates on the boundary.

In each distribution the most probable value is the reference: the free parameters are :math:`\log(p_l /
p_{\text{ref}})`. A probability that is estimated as zero has no logit. It is fixed and flagged; so is every
probability of a component without rows.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...decisions import first_best
from ...mixture.parameters import MixtureParameters
from ...typing import BoolArray, FloatArray, IntArray

LEAST_ROWS = 0.01
"""A value with fewer expected rows in a component counts as estimated to be impossible."""


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The free parameters of a mixture.

    Attributes
    ----------
    mixture : MixtureParameters
        The probabilities.
    class_boundary : array of shape (n_components,)
        Components without rows.
    value_boundary : array of shape (n_components, n_cells)
        Values that are estimated as impossible, or as certain.
    """

    mixture: MixtureParameters
    class_boundary: BoolArray
    value_boundary: BoolArray

    @classmethod
    def of(cls, mixture: MixtureParameters, n_rows: float) -> "Coordinates":
        """Determine the free parameters of a mixture fitted to a number of rows."""
        schema, sizes = mixture.schema, n_rows * mixture.class_probs
        class_boundary = sizes < LEAST_ROWS
        impossible = sizes[:, None] * mixture.value_probs < LEAST_ROWS
        value_boundary = np.zeros_like(impossible)
        for i in range(schema.n_variables):
            own = np.s_[schema.offsets[i] : schema.offsets[i + 1] - 1]
            n_possible = (~impossible[:, own]).sum(axis=1, keepdims=True)
            # If all other values are impossible, the remaining one is certain and on the boundary too.
            value_boundary[:, own] = impossible[:, own] | (n_possible == 1)
        value_boundary[class_boundary] = True
        value_boundary[:, schema.offsets[1:] - 1] = False
        return cls(mixture, class_boundary, value_boundary)

    @cached_property
    def free_cells(self) -> tuple[IntArray, ...]:
        """Cells with free logits, for each component."""
        schema = self.mixture.schema
        found = []
        for r, probs in enumerate(self.mixture.value_probs):
            free = ~self.value_boundary[r]
            free[schema.offsets[1:] - 1] = False
            for i in range(schema.n_variables):
                own = probs[schema.offsets[i] : schema.offsets[i + 1] - 1]
                # The most probable value is farthest from the boundary, so its log is the most stable
                # reference.
                free[schema.offsets[i] + first_best(own)] = False
            found.append(np.flatnonzero(free))
        return tuple(found)

    @cached_property
    def free_classes(self) -> IntArray:
        """Components with free logits: all with rows except the largest."""
        free = ~self.class_boundary
        free[first_best(self.mixture.class_probs)] = False
        return np.flatnonzero(free)

    @cached_property
    def starts(self) -> IntArray:
        """First free value of each component among all parameters, and the number of parameters.

        The logits of the components precede those of the values.
        """
        sizes = [len(cells) for cells in self.free_cells]
        return np.cumsum([len(self.free_classes), *sizes]).astype(np.int64)

    @property
    def n_free(self) -> int:
        """Number of free parameters."""
        return int(self.starts[-1])

    @cached_property
    def variables(self) -> IntArray:
        """Variable of each cell."""
        schema = self.mixture.schema
        return np.repeat(np.arange(schema.n_variables), schema.n_values + 1)

    def of_values(self, r: int) -> FloatArray:
        r"""Return the matrix from cells to scores in component *r*, shape (n_free, n_cells + 1).

        The score of a free value *l* is :math:`[x_i = l] - p_{ril}`, and zero if :math:`x_i` is missing.
        """
        cells, probs = self.free_cells[r], self.mixture.value_probs[r]
        linear = np.zeros((len(cells), self.mixture.schema.n_cells + 1))
        # Derivative of a log probability by a logit: indicator minus probability, within the variable only.
        same = self.variables[cells][:, None] == self.variables[None, :]
        linear[:, :-1] = np.where(same, -probs[cells][:, None], 0.0)
        linear[:, self.mixture.schema.offsets[1:] - 1] = 0.0
        linear[np.arange(len(cells)), cells] += 1.0
        return linear

    def joined(self, scores: list[FloatArray], shares: FloatArray, total: FloatArray) -> FloatArray:
        """Join the scores of class shares with those of values."""
        free = self.free_classes
        return np.concatenate(
            [shares[:, free] - total[:, None] * self.mixture.class_probs[free], *scores], axis=1
        )

    def variances(self, covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
        r"""Compute the variances of all probabilities from the covariance of the logits; NaN on the boundary.

        The delta method with :math:`\partial p_l / \partial \theta_m = p_l ([l = m] - p_m)`.
        """
        mixture, schema = self.mixture, self.mixture.schema
        free = self.free_classes
        slopes = -np.outer(mixture.class_probs, mixture.class_probs[free])
        slopes[free, np.arange(len(free))] += mixture.class_probs[free]
        of_classes = _quadratic(slopes, covariance[: len(free), : len(free)])
        of_classes[self.class_boundary] = np.nan
        # Values of one variable in one component depend on their own logits only: small blocks.
        of_values = np.full(mixture.value_probs.shape, np.nan)
        for r, cells in enumerate(self.free_cells):
            for i in np.unique(self.variables[cells]):
                own = np.flatnonzero(self.variables[cells] == i)
                start, stop = schema.offsets[i], schema.offsets[i + 1] - 1
                probs = mixture.value_probs[r, start:stop]
                slopes = -np.outer(probs, probs[cells[own] - start])
                slopes[cells[own] - start, np.arange(len(own))] += probs[cells[own] - start]
                at = self.starts[r] + own
                of_values[r, start:stop] = _quadratic(slopes, covariance[np.ix_(at, at)])
        of_values[self.value_boundary] = np.nan
        return of_classes, of_values


def _quadratic(slopes: FloatArray, covariance: FloatArray) -> FloatArray:
    """Compute the diagonal of ``slopes @ covariance @ slopes.T``; NaN if unknown or below zero."""
    if not covariance.size:
        return np.full(len(slopes), np.nan)
    # A parameter of unknown variance affects only the probabilities that depend on it.
    unknown = np.isnan(np.diagonal(covariance))
    known = np.where(unknown[:, None] | unknown[None, :], 0.0, covariance)
    found = np.einsum("lf,fg,lg->l", slopes, known, slopes)
    touched = (np.abs(slopes[:, unknown]) > 0).any(axis=1)
    return np.where(touched | (found < 0), np.nan, found)
