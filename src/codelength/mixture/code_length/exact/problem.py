"""A table and a prior, prepared for sums over clusterings."""

import math
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ....counts import Counts
from ....naive_bayes import Knowledge, PriorLike, Pseudocounts, pseudocounts
from ....sources import as_coded
from ....table import Coded
from ....table.checks import check_whole, check_whole_weights
from ....typing import FloatArray, IntArray
from ...costs import MAX_BYTES, check_components, check_memory
from ...parameters import MixtureParameters, rows_under

_BYTES_OF_SIZE = 400
"""Memory of the result for one number of components, without the prior."""


@dataclass(frozen=True, eq=False)
class ClusteringSum:
    """Rows whose components are summed out, under a prior.

    Made by :meth:`of`.

    Attributes
    ----------
    coded : Coded
        The rows; the target of their schema is the component.
    prior : Pseudocounts
        The prior, one row per component.
    is_prior_of_any_size : bool
        Whether the prior of one component does not depend on the number of components.
    """

    coded: Coded
    prior: Pseudocounts
    is_prior_of_any_size: bool

    @classmethod
    def of(cls, rows: Any, mixture: MixtureParameters | int, prior: PriorLike) -> "ClusteringSum":
        """Encode the rows, and expand the prior for the number of components.

        Raises if memory would not suffice, before any of it is allocated.
        """
        if not isinstance(mixture, MixtureParameters):
            rows = as_coded(rows)
            bytes_each = _BYTES_OF_SIZE + 16 * rows.schema.n_cells
            check_components(check_whole("n_components", mixture), bytes_each, "the sum", MAX_BYTES)
        coded = rows_under(rows, mixture)
        check_whole_weights(coded.weights, "the exact code length")
        depends_on_size = isinstance(prior, (Real, Pseudocounts, Counts, Knowledge))
        problem = cls(coded, pseudocounts(prior, coded.schema), not depends_on_size)
        what, n_bytes = f"the sum over clusterings of {coded.total_weight:g} rows", problem.table_bytes(1)
        check_memory(what, n_bytes, "take a sample of the rows", MAX_BYTES)
        return problem

    @property
    def n_rows(self) -> int:
        """Number of rows, with equal rows counted separately."""
        return int(self.coded.total_weight)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return self.coded.schema.n_variables

    @property
    def n_components(self) -> int:
        """Number of components."""
        return self.coded.schema.n_classes

    @cached_property
    def cells(self) -> IntArray:
        """Position of each cell in the flat table of counts, row by row; each copy of a row is a row."""
        return _cells(self.coded.repeated())

    @cached_property
    def distinct(self) -> "DistinctRows":
        """The distinct rows, and the number of copies of each."""
        merged = self.coded.distinct()
        copies = np.ones(merged.n_rows) if merged.weights is None else merged.weights
        return DistinctRows(_cells(merged), copies.astype(np.int64))

    @property
    def spares(self) -> IntArray:
        """Position of the cell for missing of each variable."""
        return np.asarray(self.coded.schema.offsets[1:] - 1)

    @cached_property
    def is_symmetric(self) -> bool:
        """True if all components have the same prior."""
        classes, values = self.prior.class_pseudocounts, self.prior.value_pseudocounts
        return bool((classes == classes[0]).all() and (values == values[0]).all())

    @cached_property
    def largest_log(self) -> float:
        """Bound on the absolute value of the log of any count plus pseudocount."""
        values = self.prior.value_pseudocounts
        given = np.concatenate((self.prior.class_pseudocounts, values[values > 0]))
        highest = max(float(given.max()), float(values.sum(axis=1).max(initial=0.0))) + self.n_rows
        return max(abs(math.log(given.min())), abs(math.log(highest)))

    def step_tables(self, n_components: int) -> "StepTables":
        """Compute the logs that the first ``n_components`` components need."""
        n, offsets = np.arange(self.n_rows + 1), self.coded.schema.offsets
        classes = self.prior.class_pseudocounts[:n_components]
        values = self.prior.value_pseudocounts[:n_components]
        totals = np.empty((n_components, self.n_variables))
        for i in range(self.n_variables):
            # A total has a single rounding error, however many values there are.
            totals[:, i] = [math.fsum(row) for row in values[:, offsets[i] : offsets[i + 1] - 1]]
        # Cells for missing have pseudocount 0 and are never read; log 0 would only warn.
        spares_filled = np.where(values > 0, values, 1.0)
        return StepTables(
            np.log(classes[:, None] + n), np.log(spares_filled[..., None] + n), np.log(totals[..., None] + n)
        )

    def table_bytes(self, n_components: int) -> float:
        """Return the memory of :meth:`step_tables`, in bytes."""
        n_entries = self.coded.schema.n_cells + self.n_variables + 1
        return 8.0 * n_components * n_entries * (self.coded.total_weight + 1)

    def class_norm_logs(self, n_components: int) -> FloatArray:
        """Compute the logs of the denominators in the prediction of the component of each row in turn.

        For fewer components than the prior has, the same pseudocount is taken for each.
        """
        classes = self.prior.class_pseudocounts
        # Fewer components than the prior was given for: only for symmetric priors, where all are equal.
        total = math.fsum(classes) if n_components == len(classes) else n_components * classes[0]
        logs: FloatArray = np.log(total + np.arange(self.n_rows))
        return logs

    def __str__(self) -> str:
        unequal = "" if self.is_symmetric else " with unequal priors"
        rows = f"{self.n_rows} rows ({len(self.distinct.copies)} distinct)"
        return f"{rows}, {self.n_components} components{unequal}"


class DistinctRows(NamedTuple):
    """Cells of the distinct rows, shape (n_distinct, n_variables), and the copies of each."""

    cells: IntArray
    copies: IntArray


class StepTables(NamedTuple):
    """Logs of count plus pseudocount, for whole counts from 0 to the number of rows.

    Attributes
    ----------
    size_logs : array of shape (n_components, n_rows + 1)
        Of the rows of a component.
    value_logs : array of shape (n_components, n_cells, n_rows + 1)
        Of the rows with a value; not used in the cells for missing.
    total_logs : array of shape (n_components, n_variables, n_rows + 1)
        Of the rows in which a variable was observed.
    """

    size_logs: FloatArray
    value_logs: FloatArray
    total_logs: FloatArray


def _cells(coded: Coded) -> IntArray:
    return np.ascontiguousarray(coded.schema.offsets[:-1] + coded.codes.astype(np.int64))
