"""Predictions by many products. Arrays in, arrays out, nothing checked."""

import math

import numpy as np
from numba import njit

from ...typing import FloatArray, IntArray
from ..clusterings import ObservedCells


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def add_products(
    observed: ObservedCells,
    log_weights: FloatArray,
    log_values: FloatArray,
    probs: FloatArray,
    highest: FloatArray,
    sums: FloatArray,
) -> None:
    """Add the products of all rows to their sums, each row on its own scale.

    Parameters
    ----------
    observed : ObservedCells
        The new rows.
    log_weights : array of shape (n_products,)
        Log weight of each product.
    log_values : array of shape (n_cells, n_products)
        Log probability of each value in each product.
    probs : array of shape (n_combinations, n_products)
        Probability of each queried combination.
    highest : array of shape (n_rows,)
        Log scale of each row; raised if a larger product occurs.
    sums : array of shape (n_rows, n_combinations)
        Sums relative to ``exp(highest)``; overwritten.
    """
    starts, cells = observed.starts, observed.cells
    n_products = len(log_weights)
    weights = np.empty(n_products)
    for n in range(len(starts) - 1):
        for p in range(n_products):
            weights[p] = log_weights[p]
        # Products are contiguous in memory, so the inner loop over them vectorises.
        for j in range(starts[n], starts[n + 1]):
            cell = cells[j]
            for p in range(n_products):
                weights[p] += log_values[cell, p]
        largest = -np.inf
        for p in range(n_products):
            largest = max(largest, weights[p])
        # Blocks of products arrive one after the other, so the scale of a row is not known in advance:
        # earlier sums are rescaled.
        if largest > highest[n]:
            scale = math.exp(highest[n] - largest) if highest[n] > -np.inf else 0.0
            for c in range(sums.shape[1]):
                sums[n, c] *= scale
            highest[n] = largest
        if highest[n] == -np.inf:
            continue
        for p in range(n_products):
            weights[p] = math.exp(weights[p] - highest[n])
        for c in range(sums.shape[1]):
            total = 0.0
            for p in range(n_products):
                total += weights[p] * probs[c, p]
            sums[n, c] += total


@njit(cache=True, nogil=True)
def state_products(
    states: IntArray,
    cells: IntArray,
    copies: IntArray,
    spares: IntArray,
    size_logs: FloatArray,
    value_logs: FloatArray,
    total_logs: FloatArray,
    log_sizes: FloatArray,
    log_values: FloatArray,
) -> None:
    """Compute the log predictive probabilities of a component that holds the rows of a state.

    Parameters
    ----------
    states : array of shape (n_states,)
        Numbers of the states.
    cells : array of shape (n_distinct, n_variables)
        Cells of the distinct rows.
    copies : array of shape (n_distinct,)
        Number of copies of each.
    spares : array of shape (n_variables,)
        Cells for missing.
    size_logs, value_logs, total_logs : arrays
        Logs of counts plus pseudocounts, from :meth:`ClusteringSum.step_tables`.
    log_sizes : array of shape (n_states,)
        Receives the log of the size plus pseudocount.
    log_values : array of shape (n_cells, n_states)
        Receives the log probability of each value.
    """
    counts = np.zeros(len(value_logs), dtype=np.int64)
    for s in range(len(states)):
        left, size = states[s], 0
        counts.fill(0)
        for d in range(len(copies)):
            held = left % (copies[d] + 1)
            left //= copies[d] + 1
            if held > 0:
                size += held
                for i in range(len(spares)):
                    counts[cells[d, i]] += held
        log_sizes[s] = size_logs[size]
        first = 0
        for i in range(len(spares)):
            of_variable = total_logs[i, size - counts[spares[i]]]
            for cell in range(first, spares[i]):
                log_values[cell, s] = value_logs[cell, counts[cell]] - of_variable
            log_values[spares[i], s] = 0.0
            first = spares[i] + 1
