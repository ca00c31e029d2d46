"""Predictive distributions as weighted sums of products, the form of every average over clusterings.

Given a clustering, the cells of a new row are independent within each component, so each clustering adds
one product per component. All rows and all queried values share these products.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...naive_bayes.query import Question
from ...table import Coded, Schema
from ...table.coded import unchecked
from ...typing import FloatArray, IntArray
from ..clusterings import ClusteringState, ObservedCells

BLOCK_CELLS = 1 << 21
"""Maximum number of entries in the tables of a block of products: they fit into a cache."""


@dataclass(frozen=True, eq=False, slots=True)
class ProductMixture:
    """Weighted products of distributions over the values of the variables.

    Attributes
    ----------
    log_weights : array of shape (n_products,)
        Log weight of each; they need not add up to one.
    log_values : array of shape (n_cells, n_products)
        Log probability of each value in each product; 0 in the cells for missing.
    """

    log_weights: FloatArray
    log_values: FloatArray

    @classmethod
    def of_state(cls, schema: Schema, state: ClusteringState, log_weight: float = 0.0) -> "ProductMixture":
        """Build one product per component of a clustering: the evidence rule on its counts."""
        # Cells for missing have neither counts nor pseudocounts; their logs are set to 0 below.
        raised = np.where(state.raised > 0, state.raised, 1.0)
        totals = np.repeat(state.totals, schema.n_values + 1, axis=0)
        log_values = np.log(raised) - np.log(np.where(totals > 0, totals, 1.0))
        log_values[schema.offsets[1:] - 1] = 0.0
        return cls(log_weight + np.log(state.sizes / state.sizes.sum()), log_values)

    @classmethod
    def joined(cls, parts: Iterable["ProductMixture"]) -> "ProductMixture":
        """Join the products of several parts."""
        given = list(parts)
        return cls(
            np.concatenate([part.log_weights for part in given]),
            np.concatenate([part.log_values for part in given], axis=1),
        )


class ProductSums:
    """Weights of the queried combinations, summed over products.

    Attributes
    ----------
    sums : array of shape (n_rows, n_combinations)
        The sums so far, relative to ``exp(highest)``.
    highest : array of shape (n_rows,)
        Log of the largest weight of a single product so far.
    """

    def __init__(self, schema: Schema, question: Question, coded: Coded) -> None:
        self.schema, self.question = schema, question
        self.observed = ObservedCells.of(question.blanked(coded))
        self.sums = np.zeros((coded.n_rows, question.n_combinations))
        self.highest = np.full(coded.n_rows, -np.inf)

    def add(self, products: ProductMixture) -> None:
        """Add products, some at a time."""
        from ._kernels import add_products

        rows_of_table = self.schema.n_cells + self.question.n_combinations
        step = max(1, BLOCK_CELLS // rows_of_table)
        for start in range(0, len(products.log_weights), step):
            log_weights = products.log_weights[start : start + step]
            log_values = np.ascontiguousarray(products.log_values[:, start : start + step])
            probs = np.ascontiguousarray(np.exp(self.question.combined(self.schema, log_values.T)).T)
            add_products(self.observed, log_weights, log_values, probs, self.highest, self.sums)


def joined_sums(groups: list[ProductSums]) -> tuple[FloatArray, FloatArray]:
    """Add up several groups on one scale per row, with standard errors as shares of the whole.

    Parameters
    ----------
    groups : list of ProductSums
        ProductSums over independent draws, weighted so that they may be added up.

    Returns
    -------
    sums : array of shape (n_rows, n_combinations)
    errors : array of shape (n_rows, n_combinations)
        Standard errors of the sums over their total: those of a ratio of means over groups, by the delta
        method. Infinite for a single group.
    """
    # A product of one group may underflow on the scale of another; then it does not matter in the sum.
    highest = np.max([group.highest for group in groups], axis=0)
    scales = [np.exp(group.highest - np.where(np.isfinite(highest), highest, 0.0)) for group in groups]
    parts = np.stack([group.sums * scale[:, None] for group, scale in zip(groups, scales, strict=True)])
    sums = parts.sum(axis=0)
    if len(groups) < 2:
        return sums, np.full(sums.shape, np.inf)
    totals = sums.sum(axis=1, keepdims=True)
    safe = np.where(totals > 0, totals, 1.0)
    # Deviation of each group from the ratio of means: the linear term of the delta method.
    away = parts - sums / safe * parts.sum(axis=2, keepdims=True)
    spread = (away**2).sum(axis=0) * len(groups) / (len(groups) - 1)
    return sums, np.sqrt(spread) / safe


def distinct_rows(question: Question, coded: Coded) -> tuple[Coded, IntArray]:
    """Return the distinct rows once queried cells are blank, and the distinct row of each row."""
    blank = question.blanked(coded)
    first, places = unchecked(blank.schema.without_target(), blank.codes, blank.class_codes).groups()
    return blank.take(first), places
