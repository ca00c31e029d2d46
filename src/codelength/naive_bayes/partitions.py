r"""Distribution of one variable given the class, averaged over all partitions of its values into intervals.

Neighbouring values of an ordered variable are merged into segments. Within class c, a segment with the share
G of a base distribution g has pseudocount s G, and its values keep their proportions under g. A partition and
a strength s predict value v of a segment with :math:`N_c` of the :math:`n_c` rows of the class by

.. math:: \frac{P(v \mid c)}{g(v)} = \frac{N_c + s G}{(n_c + s)\, G}

and the evidence is a product over segments. The sums over all :math:`2^{B - 1}` partitions of B values are
therefore a forward and a backward pass over the :math:`B (B + 1) / 2` possible segments, and the average of
the prediction over partitions and strengths is exact in :math:`O(B^3)`. Removing a row divides the weight of
every segment by the factor of the row. Values without an order are segments of their own; for them the
average is over strengths only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import DataError
from ..typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class PartitionAverage:
    """Average over partitions and strengths, given the counts of one variable.

    Made by :meth:`of`.

    Attributes
    ----------
    counts : array of shape (n_values, n_classes)
        Weight of the rows of each class with each value.
    base : array of shape (n_values,)
        The distribution that shares are compared with.
    n_ordered : int
        Number of ordered values, which are the first.
    strengths : array of shape (n_strengths,)
        Pseudocounts of all values together.
    weights : array of shape (n_strengths, n_ordered, n_ordered)
        Joint posterior probability of each strength and of values i to j as one segment.
    of_strengths : array of shape (n_strengths,)
        Posterior probability of each strength.
    log_evidence : float
        Log probability of the values given the classes, relative to the base, in nats.
    """

    counts: FloatArray
    base: FloatArray
    n_ordered: int
    strengths: FloatArray
    weights: FloatArray
    of_strengths: FloatArray
    log_evidence: float

    @classmethod
    def of(
        cls, counts: FloatArray, base: FloatArray, n_ordered: int, strengths: Sequence[float]
    ) -> "PartitionAverage":
        """Compute the average from counts of shape (n_classes, n_values), and a base that is positive.

        Strengths are equally probable a priori; infinity stands for shares equal to the base in every class.

        Examples
        --------
        Three values, the last two with equal counts: one cut between the first two is enough.

        >>> counts = np.array([[9.0, 1.0, 1.0], [1.0, 9.0, 9.0]])
        >>> average = PartitionAverage.of(counts, np.full(3, 1 / 3), n_ordered=3, strengths=[2.0])
        >>> average.log_ratios().round(2)
        array([[ 0.8 , -1.43],
               [-0.95,  0.32],
               [-0.95,  0.32]])
        >>> average.weights[0].round(2)  # of segments from the row's value to the column's
        array([[1.  , 0.  , 0.  ],
               [0.  , 0.11, 0.88],
               [0.  , 0.  , 0.11]])
        """
        from ._partition_kernels import partition_weights

        # Values first, so that cumulative sums over values read all classes together.
        by_value = np.ascontiguousarray(counts.T, dtype=np.float64)
        grid = np.array(strengths, dtype=np.float64)
        return cls(by_value, base, n_ordered, grid, *partition_weights(by_value, base, n_ordered, grid))

    def log_ratios(self) -> FloatArray:
        """Return log ratios of shares of values in classes to the base, shape (n_values, n_classes)."""
        # Class -1 leaves nothing out, so one kernel serves both cases.
        values = np.arange(len(self.base))
        return self.without(values, np.full(len(values), -1), np.zeros(len(values)))[0]

    def without(
        self, values: IntArray, labels: IntArray, removed: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the average without one row, for each of several values, classes and weights of rows.

        The base does not change.

        Returns
        -------
        log_ratios : array of shape (n_cells, n_classes)
            Log ratio of the share of the row's value in each class to the base.
        log_evidence : array of shape (n_cells,)
            Log probability of the values of all other rows given their classes, relative to the base.
        """
        from ._partition_kernels import average_ratios

        posterior = self.counts, self.base, self.n_ordered, self.strengths, self.weights, self.of_strengths
        cells = np.stack([values, labels]).astype(np.int64)
        try:
            log_ratios, more = average_ratios(
                *posterior, cells[0], cells[1], np.asarray(removed, dtype=np.float64)
            )
        except ZeroDivisionError:
            # No partition is left that is not negligible next to the others.
            raise DataError(
                "the weights of the rows are too large for an average over intervals; divide them by a "
                'constant, or pass numeric="auto"'
            ) from None
        return log_ratios, self.log_evidence + more
