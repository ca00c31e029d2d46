r"""Exact predictive distribution of a mixture: the ratio of two sums over all clusterings.

One component of a clustering holds the new row. Summed over the rows of the other components, the posterior
probability that this one holds exactly the rows S is, under a prior that is the same for all components,

.. math:: P(S \mid D) \propto w(S)\, R_{K-1}(D \setminus S),

with w the weight of a cluster and :math:`R_j` the summed weight of all ways to share rows out over j
components. The predictive distribution is then a sum over sets of rows, :math:`2^N` of them in place of
:math:`K^N` clusterings,

.. math:: P(d \mid D) = \sum_S P(S \mid D)\, K \frac{|S| + \mu}{N + K \mu} \prod_i P(d_i \mid S),

and all rows and all queried values share the weights. :math:`R_{K-1}` takes K - 2 sums over pairs of
disjoint sets, :math:`3^N` products each. Identical rows are counted, not distinguished.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...typing import FloatArray
from ..code_length.clustering_sum import ClusteringSum
from ..code_length.exact import MAX_ERROR
from ..code_length.subsets import (
    ROUNDING,
    SMALLEST,
    DigitOrder,
    Weights,
    digit_order,
    rounding_of_terms,
    scaled_weights,
)
from ..costs import Cost, count_of
from .products import ProductMixture

BLOCK_STATES = 4096
"""States whose products are computed at a time."""

_PRODUCTS_PER_SECOND = {True: 3e9, False: 5e8}


@dataclass(frozen=True, eq=False)
class ExactPosterior:
    """Posterior distribution of the rows in one component, summed over all clusterings.

    Attributes
    ----------
    problem : ClusteringSum
        The rows, at least one, and the prior, the same for all components.
    """

    problem: ClusteringSum

    def cost(self, n_rows: int, n_combinations: int) -> Cost:
        """Estimate the cost of predicting a number of new rows."""
        problem = self.problem
        per_product = problem.n_variables + n_combinations + 8
        copies = self.order.copies + 1.0
        n_products = count_of(float(np.log(copies).sum()))
        n_pairs = count_of(float(np.log(copies * (copies + 1) / 2).sum()))
        n_times = max(0, problem.n_components - 2)
        weighing = n_times * n_pairs / _PRODUCTS_PER_SECOND[self.order.by_bits]
        seconds = weighing + n_products * (n_rows * per_product + problem.n_variables) / 1e9
        return Cost(seconds, 40 * n_products + problem.table_bytes)

    @cached_property
    def order(self) -> DigitOrder:
        """Order of distinct rows as digits."""
        return digit_order(self.problem.distinct.copies)

    def blocks(self) -> Iterator[ProductMixture]:
        """Yield the products, some at a time."""
        from ._kernels import state_products

        problem, order, log_masses = self.problem, self.order, self.log_masses
        tables = problem.step_tables()
        cells = np.ascontiguousarray(problem.distinct.cells[order.rows])
        # Sets of rows whose weight underflowed contribute nothing; ``error_bound`` accounts for them.
        held = np.flatnonzero(np.isfinite(log_masses))
        for start in range(0, len(held), BLOCK_STATES):
            states = held[start : start + BLOCK_STATES].astype(np.int64)
            log_sizes = np.empty(len(states))
            log_values = np.empty((problem.coded.schema.n_cells, len(states)))
            state_products(states, cells, order.copies, problem.spares, *tables, log_sizes, log_values)
            yield ProductMixture(log_masses[states] + log_sizes, log_values)

    @cached_property
    def weights(self) -> Weights:
        """Weight of every set of rows as one component."""
        order = self.order
        cells = np.ascontiguousarray(self.problem.distinct.cells[order.rows])
        return scaled_weights(self.problem, cells, order.copies, self.problem.n_components)

    @cached_property
    def log_masses(self) -> FloatArray:
        """Log weight of every set of rows in one given component, over all ways to fill the others."""
        others = self._shared_out()
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.weights.scaled) + np.log(others))

    @property
    def code_length(self) -> float:
        """The exact code length of the rows, in nats, by these weights."""
        log_masses, weights = self.log_masses, self.weights
        highest = float(log_masses.max())
        log_sum = highest + math.log(math.fsum(np.exp(log_masses - highest)))
        n_components = self.problem.n_components
        # The masses leave out the denominators of the components, which are the same for all clusterings.
        norm = self.problem.log_norm(n_components)
        return norm - log_sum - weights.rows_log - n_components * weights.cluster_log

    @cached_property
    def error_bound(self) -> float:
        """Bound on the relative error of each predicted probability."""
        problem, n_components = self.problem, self.problem.n_components
        # That of the rows and one more, at most.
        length = self.code_length + (problem.n_variables + 1) * 2 * problem.largest_log
        of_terms = rounding_of_terms(problem, self.weights.log_magnitude, n_components, length)
        n_tiles = len(self.weights.scaled) / self.order.n_tile
        of_sums = ROUNDING * (n_components * (2 * self.order.n_tile + n_tiles + 8) + 2 * BLOCK_STATES)
        # Each clustering may lose one product below the smallest number.
        log_sum = float(np.logaddexp.reduce(self.log_masses))
        n_clusterings = problem.n_rows * math.log(max(n_components, 2)) + math.log(4 * n_components)
        lost = math.exp(min(math.log(SMALLEST) + n_clusterings - log_sum, 700.0))
        return 2 * (of_terms + of_sums + lost)

    @property
    def is_sound(self) -> bool:
        """True if floats held all terms that matter."""
        return self.error_bound <= MAX_ERROR

    def _shared_out(self) -> FloatArray:
        """Sum the weights of all ways to share the rows that a set leaves out over the other components."""
        from ..code_length._subset_kernels import add_cluster

        order, scaled = self.order, self.weights.scaled
        n_others = self.problem.n_components - 1
        if n_others == 0:
            nobody = np.zeros(len(scaled))
            nobody[-1] = 1.0
            return nobody
        n_low = math.prod((order.low + 1).tolist())
        upper, middle = order.left(0), order.middle
        # One other component holds exactly the complement, and complements are in reverse order.
        remainders = np.ascontiguousarray(scaled[::-1])
        for _ in range(n_others - 1):
            out = np.empty_like(remainders)
            # Components are labelled and may be empty: any of the rows left, or none.
            add_cluster(remainders, scaled, upper, middle, n_low, order.by_bits, False, out)
            remainders = out
        return remainders
