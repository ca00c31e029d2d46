"""How many bits about the class one variable is worth, alone: leave-one-out in closed form, from counts.

All rows of a class with the same value are predicted alike when left out, so the cells of the counts are
enough, and no row is looked at.
"""

import numpy as np

from ..counts import Counts
from ..typing import FloatArray, IntArray

MOST_CELLS = 200_000
"""Cells that are worked on at a time."""


def bits_alone(counts: Counts) -> tuple[FloatArray, FloatArray]:
    r"""Mean gain of each variable over the class prior, in bits per row, and its standard error.

    Each row is predicted from all the others by the evidence rule under uniform priors, from this variable
    and from none:

    .. math::
       P(k \mid l) \propto (h_k + 1) \frac{f_{kl} + 1}{\sum_{l'} f_{kl'} + n}, \qquad
       P(k) \propto h_k + 1,

    with the row taken off the counts. Rows in which the variable is missing gain nothing.

    Examples
    --------
    >>> from codelength.counts import count
    >>> from codelength import as_coded
    >>> coded = as_coded({"x": ["a", "b"] * 8, "y": ["a"] * 8 + ["b"] * 8}, ["no", "yes"] * 8)
    >>> bits_alone(count(coded))[0].round(2)
    array([ 0.92, -0.09])
    """
    schema = counts.schema
    n_rows = float(counts.class_counts.sum())
    gains, squares = np.zeros(schema.n_variables), np.zeros(schema.n_variables)
    for chosen in blocks_of(counts):
        part = counts.select(chosen.tolist())
        starts, spare = part.schema.offsets[:-1], part.schema.offsets[1:] - 1
        seen = part.value_counts.copy()
        seen[:, spare] = 0.0
        gain = cell_gains(part)
        gains[chosen] = np.add.reduceat((seen * gain).sum(axis=0), starts)
        squares[chosen] = np.add.reduceat((seen * gain**2).sum(axis=0), starts)
    if n_rows < 2:
        return gains / max(n_rows, 1.0), np.full(len(gains), np.nan)
    means = gains / n_rows
    variances = np.maximum(squares - n_rows * means**2, 0.0) / (n_rows - 1)
    return means, np.sqrt(variances / n_rows)


def blocks_of(counts: Counts) -> list[IntArray]:
    """Positions of the variables in blocks that are not too large."""
    cells = (counts.schema.n_values + 1) * counts.schema.n_classes
    blocks = np.cumsum(cells) // MOST_CELLS
    return [np.flatnonzero(blocks == block) for block in np.unique(blocks)]


def class_weights(counts: Counts) -> FloatArray:
    """Weight of each class given each value alone, shape (n_classes, n_cells)."""
    return np.asarray((counts.class_counts[:, None] + 1) * np.exp(log_values(counts)))


def log_values(counts: Counts) -> FloatArray:
    """Log predictive probability of each value in each class; 0 in the cells for missing."""
    raised, totals = _raised(counts)
    spare = counts.schema.offsets[1:] - 1
    found = np.log(raised) - np.log(totals)
    found[:, spare] = 0.0
    return np.asarray(found)


def own_log_values(counts: Counts) -> FloatArray:
    """The same for a row of the class that has the value, without the row; 0 where no row has it."""
    raised, totals = _raised(counts)
    spare = counts.schema.offsets[1:] - 1
    seen = counts.value_counts > 0
    seen[:, spare] = False
    found = np.zeros(raised.shape)
    found[seen] = np.log(raised[seen] - 1) - np.log(totals[seen] - 1)
    return found


def cell_gains(counts: Counts) -> FloatArray:
    """Bits that a row of each class gains from each value when it is left out; 0 where there is no row."""
    weights = class_weights(counts)
    own = counts.class_counts[:, None] * np.exp(own_log_values(counts))
    prior = counts.class_counts / (counts.class_counts.sum() - 1 + counts.schema.n_classes)
    seen = counts.value_counts > 0
    seen[:, counts.schema.offsets[1:] - 1] = False
    gain = np.zeros(weights.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = own / (own + weights.sum(axis=0) - weights) / prior[:, None]
    gain[seen] = np.log2(ratios[seen])
    return gain


def _raised(counts: Counts) -> tuple[FloatArray, FloatArray]:
    """Counts of values plus one, and their sums over the values of each variable in every cell."""
    schema, spare = counts.schema, counts.schema.offsets[1:] - 1
    raised = counts.value_counts + 1.0
    raised[:, spare] = 0.0
    totals = np.add.reduceat(raised, schema.offsets[:-1], axis=1) if schema.n_variables else raised
    raised[:, spare] = 1.0
    return raised, np.repeat(totals, schema.n_values + 1, axis=1)
