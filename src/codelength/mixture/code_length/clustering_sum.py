"""A table and a prior, prepared for sums over clusterings."""

import math
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ...counts import Counts
from ...naive_bayes import Knowledge, PriorLike, Pseudocounts, pseudocounts
from ...sources import as_coded
from ...table import Coded
from ...table.checks import check_whole, check_whole_weights
from ...typing import FloatArray, IntArray
from ..costs import MAX_BYTES, check_components, check_memory
from ..parameters import MixtureParameters, rows_under

_BYTES_OF_SIZE = 400
"""Memory of the result for one number of components, without the prior."""


class DistinctRows(NamedTuple):
    """Cells of the distinct rows, shape (n_distinct, n_variables), and the copies of each."""

    cells: IntArray
    copies: IntArray


@dataclass(frozen=True, eq=False)
class ClusteringSum:
    """Rows whose components are summed out, under a prior; made by :meth:`of`.

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
        what = f"the sum over clusterings of {coded.total_weight:g} rows"
        check_memory(what, problem.table_bytes, "take a sample of the rows", MAX_BYTES)
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
    def distinct(self) -> DistinctRows:
        """The distinct rows, and the number of copies of each."""
        merged = self.coded.distinct()
        copies = merged.row_weights
        return DistinctRows(cells_of(merged), copies.astype(np.int64))

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

    def step_tables(self, component: int = 0) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Compute logs of count plus pseudocount in one component, for counts from 0 to the number of rows.

        Returns
        -------
        size_logs : array of shape (n_rows + 1,)
            Of the rows of the component.
        value_logs : array of shape (n_cells, n_rows + 1)
            Of the rows with a value; not used in the cells for missing.
        total_logs : array of shape (n_variables, n_rows + 1)
            Of the rows in which a variable was observed.
        """
        n, values = np.arange(self.n_rows + 1), self.prior.value_pseudocounts[component]
        # A total has a single rounding error, however many values there are; cells for missing have
        # pseudocount 0.
        blocks = np.split(values, self.coded.schema.offsets[1:-1])[: self.n_variables]
        totals = np.array([math.fsum(block) for block in blocks])
        # Cells for missing are never read; log 0 would only warn.
        raised = np.where(values > 0, values, 1.0)[:, None] + n
        sizes = self.prior.class_pseudocounts[component] + n
        return np.log(sizes), np.log(raised), np.log(totals[:, None] + n)

    @property
    def table_bytes(self) -> float:
        """Memory of :meth:`step_tables`, in bytes."""
        n_entries = self.coded.schema.n_cells + self.n_variables + 1
        return 8.0 * n_entries * (self.coded.total_weight + 1)

    def log_norm(self, n_components: int) -> float:
        """Compute the log of the product of the denominators when the rows are assigned one by one.

        For fewer components than the prior has, the same pseudocount is taken for each.
        """
        classes = self.prior.class_pseudocounts
        # Fewer components than the prior was given for: only for symmetric priors, where all are equal.
        total = math.fsum(classes) if n_components == len(classes) else n_components * classes[0]
        return math.fsum(np.log(total + np.arange(self.n_rows)))

    def __str__(self) -> str:
        unequal = "" if self.is_symmetric else " with unequal priors"
        rows = f"{self.n_rows} rows ({len(self.distinct.copies)} distinct)"
        return f"{rows}, {self.n_components} components{unequal}"


def cells_of(coded: Coded) -> IntArray:
    """Return the position of each cell in the flat table of counts, shape (n_rows, n_variables)."""
    return np.ascontiguousarray(coded.schema.offsets[:-1] + coded.codes.astype(np.int64))
