r"""Free parameters of a mixture on the logit scale, and estimates on the boundary.

In each distribution the most probable value is the reference: the free parameters are :math:`\log(p_l /
p_{\text{ref}})`. A probability that is estimated as zero has no logit. It is fixed and flagged; so is every
probability of a component without rows.

Order of reading: :meth:`Coordinates.of` (what is free), ``free_cells``, ``free_classes`` and ``starts`` (the
layout of the parameters), ``linear`` and ``group_scores`` (derivatives of the log-likelihood), ``variances``
(back to probabilities).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...decisions import first_best
from ...mixture.parameters import MixtureParameters
from ...typing import BoolArray, CodeArray, FloatArray, IntArray

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

    Examples
    --------
    Two components of one binary variable; the first never has the second value:

    >>> from codelength.mixture import with_components
    >>> from codelength.table import Schema
    >>> schema = with_components(Schema.from_sizes([2]), 2)
    >>> probs = np.array([[1.0, 0.0, 1.0], [0.2, 0.8, 1.0]])
    >>> coordinates = Coordinates.of(MixtureParameters(schema, np.array([0.4, 0.6]), probs), n_rows=100)
    >>> coordinates.n_free, coordinates.value_boundary[0].tolist()
    (2, [True, True, False])
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
        for own in map(schema.cells, range(schema.n_variables)):
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
            for own in map(schema.cells, range(schema.n_variables)):
                # The most probable value is farthest from the boundary, so its log is the most stable
                # reference.
                free[own.start + first_best(probs[own])] = False
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

    @cached_property
    def linear(self) -> tuple[FloatArray, ...]:
        r"""Matrices from the cells of a row to its scores, of shape (1 + n_free, n_cells + 1) per component.

        Every row holds the last cell. The first score is the share of the component, whose centre
        :meth:`centred` subtracts. That of a free value *l* is :math:`[x_i = l] - p_{ril}`, and zero if
        :math:`x_i` is missing.
        """
        found = []
        for cells, probs in zip(self.free_cells, self.mixture.value_probs, strict=True):
            linear = np.zeros((1 + len(cells), self.mixture.schema.n_cells + 1))
            linear[0, -1] = 1.0
            # Derivative of a log probability by a logit: indicator minus probability, within the variable.
            same = self.variables[cells][:, None] == self.variables[None, :]
            linear[1:, :-1] = np.where(same, -probs[cells][:, None], 0.0)
            linear[1:, self.mixture.schema.offsets[1:] - 1] = 0.0
            linear[1 + np.arange(len(cells)), cells] += 1.0
            found.append(linear)
        return tuple(found)

    def centred(self, scores: FloatArray) -> FloatArray:
        """Return the scores of the free logits from those of :attr:`linear`, one row per row."""
        firsts, free = self.starts[:-1] - self.starts[0] + np.arange(len(self.linear)), self.free_classes
        shares = scores[:, firsts]
        # The score of a component is its share minus its probability; shares of a row add up to its weight.
        of_classes = shares[:, free] - np.outer(shares.sum(axis=1), self.mixture.class_probs[free])
        return np.concatenate((of_classes, np.delete(scores, firsts, axis=1)), axis=1)

    def group_scores(
        self, codes: CodeArray, shares: FloatArray, groups: IntArray, n_groups: int
    ) -> FloatArray:
        """Sum the scores of the rows of each group, shape (n_groups, n_free).

        Parameters
        ----------
        codes : array of shape (n_rows, n_variables)
            The rows.
        shares : array of shape (n_rows, n_components)
            Probability of each component for each row, times the weight of the row.
        groups : array of shape (n_rows,)
            Group of each row.
        n_groups : int
            Number of groups.
        """
        from ._kernels import add_cell_shares

        schema = self.mixture.schema
        sums = np.zeros((n_groups, len(self.linear), schema.n_cells + 1))
        add_cell_shares(codes, schema.offsets, shares, groups, sums)
        np.add.at(sums[:, :, -1], groups, shares)
        # Scores are linear in the cells, so cells are summed first and mapped to scores once per group.
        scores = [sums[:, r] @ linear.T for r, linear in enumerate(self.linear)]
        return self.centred(np.concatenate(scores, axis=1))

    def variances(self, covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute the variances of all probabilities from the covariance of the logits; NaN on the boundary.

        By the delta method, with :func:`softmax_slopes`.
        """
        mixture, n_classes = self.mixture, len(self.free_classes)
        slopes = softmax_slopes(mixture.class_probs)[:, self.free_classes]
        of_classes = _quadratic(slopes, covariance[:n_classes, :n_classes])
        of_classes[self.class_boundary] = np.nan
        # Values of one variable in one component depend on their own logits only: small blocks.
        of_values = np.full(mixture.value_probs.shape, np.nan)
        for r, cells in enumerate(self.free_cells):
            for i in np.unique(self.variables[cells]):
                places, own = mixture.schema.cells(i), np.flatnonzero(self.variables[cells] == i)
                slopes = softmax_slopes(mixture.value_probs[r, places])[:, cells[own] - places.start]
                at = self.starts[r] + own
                of_values[r, places] = _quadratic(slopes, covariance[np.ix_(at, at)])
        of_values[self.value_boundary] = np.nan
        return of_classes, of_values


def softmax_slopes(probs: FloatArray) -> FloatArray:
    r"""Return the derivatives of probabilities by their logits, :math:`p_l ([l = m] - p_m)`."""
    return np.asarray(np.diag(probs) - np.outer(probs, probs))


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
