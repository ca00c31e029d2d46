"""Bits about the class in one variable alone: leave-one-out in closed form, from counts.

All rows of a class with the same value have the same prediction when left out, so that the cells of the
counts are enough and no row is read.
"""

import numpy as np

from ..counts import Counts
from ..naive_bayes import Predictor
from ..typing import FloatArray, IntArray

MAX_CELLS = 200_000
"""Cells of counts that are processed at a time, which bounds the memory of intermediate arrays."""


def bits_alone(counts: Counts) -> tuple[FloatArray, FloatArray]:
    r"""Return the mean gain of each variable over the class prior, in bits per row, and its standard error.

    Each row is predicted from all the others by the evidence rule under uniform priors, from this variable
    and from none:

    .. math::
       P(k \mid l) \propto (h_k + 1) \frac{f_{kl} + 1}{\sum_{l'} f_{kl'} + n}, \qquad
       P(k) \propto h_k + 1,

    with the row subtracted from the counts. Rows in which the variable is missing gain nothing.

    Parameters
    ----------
    counts : Counts
        Counts of all rows.

    Returns
    -------
    means, errors : array of shape (n_variables,)
        Mean gain and standard error; the errors are NaN with fewer than two rows.

    Examples
    --------
    >>> from codelength.counts import count
    >>> from codelength.sources import as_coded
    >>> coded = as_coded({"x": ["a", "b"] * 8, "y": ["a"] * 8 + ["b"] * 8}, ["no", "yes"] * 8)
    >>> bits_alone(count(coded))[0].round(2)
    array([ 0.92, -0.09])
    """
    schema = counts.schema
    n_rows = float(counts.class_counts.sum())
    gains, squares = np.zeros(schema.n_variables), np.zeros(schema.n_variables)
    for chosen in blocks_of(counts):
        part = counts.select(chosen.tolist())
        # The last cell of each variable counts its missing cells, which gain nothing but stay in the
        # denominator.
        starts, spare = part.schema.offsets[:-1], part.schema.offsets[1:] - 1
        seen = part.value_counts.copy()
        seen[:, spare] = 0.0
        gain = cell_gains(part)
        gains[chosen] = np.add.reduceat((seen * gain).sum(axis=0), starts)
        squares[chosen] = np.add.reduceat((seen * gain**2).sum(axis=0), starts)
    if n_rows < 2:
        return gains / max(n_rows, 1.0), np.full(len(gains), np.nan)
    means = gains / n_rows
    # Rounding can make the variance of a constant gain slightly negative.
    variances = np.maximum(squares - n_rows * means**2, 0.0) / (n_rows - 1)
    return means, np.sqrt(variances / n_rows)


def blocks_of(counts: Counts) -> list[IntArray]:
    """Return the positions of the variables in blocks of limited size."""
    cells = (counts.schema.n_values + 1) * counts.schema.n_classes
    # A variable is never divided between blocks, so that a block may be larger than the limit.
    blocks = np.cumsum(cells) // MAX_CELLS
    return [np.flatnonzero(blocks == block) for block in np.unique(blocks)]


def class_weights(predictor: Predictor) -> FloatArray:
    """Return the weight of each class given each value alone, shape (n_classes, n_cells).

    Unnormalised posterior: (h_k + 1) times the predictive probability of the value.
    """
    counts = predictor.counts.class_counts
    return np.asarray((counts[:, None] + 1) * np.exp(predictor.tables.value_table))


def cell_gains(counts: Counts) -> FloatArray:
    """Return the bits that a left-out row of each class gains from each value; 0 in cells without a row."""
    predictor = Predictor.of(counts)
    weights = class_weights(predictor)
    # Only the class of the row itself changes when the row is left out; the weights of other classes are
    # shared.
    own = counts.class_counts[:, None] * np.exp(predictor.tables_without_one_row.value_table)
    prior = counts.class_counts / (counts.class_counts.sum() - 1 + counts.schema.n_classes)
    seen = counts.value_counts > 0
    seen[:, counts.schema.offsets[1:] - 1] = False
    gain = np.zeros(weights.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = own / (own + weights.sum(axis=0) - weights) / prior[:, None]
    gain[seen] = np.log2(ratios[seen])
    return gain
