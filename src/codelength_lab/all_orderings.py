r"""The prequential criterion averaged over all orderings, exactly.

There are N! orderings, but the cost of a row depends only on *which* rows precede it. In a random ordering
the rows before place t are a random set of t rows, so the mean cost at place t is one over all sets of t rows
and all rows outside them:

.. math:: \bar S = \sum_t \frac{1}{\binom{N}{t}} \sum_{|A| = t} \frac{1}{N - t} \sum_{j \notin A}
          -\log P(v_j \mid A, u_j).

That is :math:`2^N` sets, and fewer if rows are equal: with :math:`w_d` rows of kind d,
:math:`\prod_d (w_d + 1)`.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from codelength._display import Shown, counted, nats_and_bits
from codelength.blocks import Block, Facts
from codelength.errors import Infeasible
from codelength.prequential import SequentialModel
from codelength.table.checks import check_instance
from codelength.typing import FloatArray

MAX_TERMS = 200_000_000
"""Most predictions: sets of rows, times kinds of rows. Half a minute or so."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class AllOrderings(Shown):
    """Mean of the prequential criterion over all orderings of the rows.

    Attributes
    ----------
    log_losses : array of shape (n_rows,)
        Mean cost of the class at each place, in nats: an exact learning curve.
    errors : array of shape (n_rows,)
        Share of orderings in which the most probable class at each place is another: the mean 0/1 loss.
    n_sets : int
        Sets of rows that were visited.
    """

    log_losses: FloatArray
    errors: FloatArray
    n_sets: int

    @property
    def mean(self) -> float:
        """Mean of the criterion, in nats: the expectation of PREQ-RAND."""
        return math.fsum(self.log_losses)

    @property
    def mean_errors(self) -> float:
        """Mean number of rows whose most probable class is another: the prequential 0/1 loss."""
        return math.fsum(self.errors)

    def _title(self) -> str:
        return f"mean over all orderings of {counted(len(self.errors), 'row')}: {nats_and_bits(self.mean, 3)}"

    def _blocks(self) -> list[Block]:
        wrong = f"{self.mean_errors:.3f} of {len(self.errors):,}"
        return [Facts([("rows predicted wrongly", wrong), ("sets of rows", f"{self.n_sets:,}")])]


def all_orderings(model: SequentialModel) -> AllOrderings:
    """Average the prequential criterion over all orderings, for few rows or few kinds of rows.

    Parameters
    ----------
    model : SequentialModel
        The model and its rows.

    Returns
    -------
    AllOrderings
        Mean log loss and mean 0/1 loss at each position.

    Raises
    ------
    Infeasible
        If there are too many sets of rows: from 24 rows on, unless many are equal.

    Examples
    --------
    >>> from codelength.prequential import naive_bayes_sequence
    >>> from codelength.table import Coded, Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [0], [0]], [0, 1, 0, 1])
    >>> every = all_orderings(naive_bayes_sequence(coded))
    >>> round(every.mean, 4), round(every.mean_errors, 4), every.n_sets
    (3.4205, 2.8333, 12)
    """
    check_instance("model", model, SequentialModel, "a model that predicts row after row")
    # Equal rows are interchangeable, so sets are counted by kind: the sum is over multisets.
    _, kinds, times = np.unique(model.layout.rows, axis=0, return_index=True, return_counts=True)
    n_sets = math.prod(n + 1 for n in times.tolist())
    if n_sets * len(kinds) > MAX_TERMS:
        raise Infeasible(
            f"{model.n_rows:,} rows of {len(kinds):,} kinds: too many sets of rows to average over all "
            "orderings; use sample_orderings, or fewer rows"
        )
    from ._kernels import losses_over_all_orderings

    cap = np.inf if model.cap is None else float(model.cap)
    sizes = np.arange(model.n_rows + 1.0)
    # Entries with k > n are not numbers, and are never read.
    with np.errstate(invalid="ignore"):
        log_binomials = gammaln(sizes[:, None] + 1) - gammaln(sizes + 1) - gammaln(sizes[:, None] - sizes + 1)
    log_losses, errors = losses_over_all_orderings(
        model.layout, kinds.astype(np.int64), times.astype(np.int64), cap, log_binomials
    )
    return AllOrderings(log_losses, errors, n_sets)
