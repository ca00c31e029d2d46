"""Compiled loops that average over the prunings of decision trees, and predict, without checks.

The layout of all arrays is described in ``_tree_kernels``, which grows the trees.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ...typing import FloatArray, IntArray
from ._tree_evidence_kernels import log_rising, log_table

_BLOCK = 1024
"""Rows predicted by one tree before the next tree, so that their codes stay in the cache."""


class Averaged(NamedTuple):
    """The exact average over all prunings of a tree.

    Attributes
    ----------
    log_evidence : array of shape (n_nodes,)
        Log evidence of the classes at each node, averaged over the prunings of what is below it.
    masses : array of shape (n_nodes,)
        Posterior probability that a pruning has the node.
    distributions : array of shape (n_nodes, n_classes)
        At leaves of the grown tree the posterior mean of the class distribution; at other nodes the part of
        it that is due to prunings that end there or above.
    """

    log_evidence: FloatArray
    masses: FloatArray
    distributions: FloatArray


def average_prunings(
    features: NDArray[np.int32], leaf_counts: FloatArray, pseudocounts: FloatArray, split_prob: float
) -> Averaged:
    r"""Return the exact average over all prunings of a tree.

    A split node ends a pruning with prior probability 1 - s; else its children are pruned in the same way.
    With D the evidence of the classes at a node if it were a leaf, and l, r its children, the evidence of all
    prunings is

    .. math:: E = (1 - s) D + s E_l E_r .

    Parameters
    ----------
    features : array of shape (n_nodes,)
        The variable that each node is split on, -1 at leaves.
    leaf_counts : array of shape (n_leaves, n_classes)
        Weights of the classes at the leaves, in the order of their nodes.
    pseudocounts : array of shape (n_classes,)
        Dirichlet pseudocounts of the classes.
    split_prob : float
        Prior probability s that a pruning continues at a split node.
    """
    n_nodes, n_classes = len(features), len(pseudocounts)
    counts = np.zeros((n_nodes, n_classes))
    counts[features < 0] = leaf_counts
    heads, logs = log_table(leaf_counts.sum(axis=0), pseudocounts)
    found = Averaged(np.zeros(n_nodes), np.ones(n_nodes), np.zeros((n_nodes, n_classes)))
    _average_prunings(features, counts, heads, logs, split_prob, np.ones(n_nodes), *found)
    return found


@njit(cache=True, nogil=True)
def _average_prunings(
    features: NDArray[np.int32],
    counts: FloatArray,
    heads: FloatArray,
    logs: FloatArray,
    split_prob: float,
    ends: FloatArray,
    log_evidence: FloatArray,
    masses: FloatArray,
    distributions: FloatArray,
) -> None:
    """Write the average; ``ends`` are the posterior probabilities that a pruning with a node ends there."""
    n_nodes, n_classes = counts.shape
    # Upwards: children have larger numbers than their parent. In this direction the split nodes meet their
    # children in pairs from the end, so that no links are needed. Afterwards ``left`` is 1, the left child
    # of the root, where the second loop starts.
    left = n_nodes
    for node in range(n_nodes - 1, -1, -1):
        is_split = features[node] >= 0
        if is_split:
            left -= 2
            for c in range(n_classes):
                counts[node, c] = counts[left, c] + counts[left + 1, c]
        total, evidence = 0.0, 0.0
        for c in range(n_classes):
            if counts[node, c] > 0.0:
                total += counts[node, c]
                evidence += log_rising(heads, logs, c, counts[node, c])
        log_evidence[node] = evidence - log_rising(heads, logs, n_classes, total)
        if is_split:
            # log-sum-exp of the two terms of E; evidences of thousands of rows are far below the smallest
            # float64.
            ending = math.log(1.0 - split_prob) + log_evidence[node]
            going_on = math.log(split_prob) + log_evidence[left] + log_evidence[left + 1]
            ratio = math.exp(-abs(ending - going_on))
            ends[node] = (1.0 if ending > going_on else ratio) / (1.0 + ratio)
            log_evidence[node] = max(ending, going_on) + math.log1p(ratio)
    # Downwards: a child inherits the sum over prunings that end above it, so a leaf ends up with the
    # posterior mean over all prunings. A pruning has the child if it has the parent and does not end there.
    for node in range(n_nodes):
        total = heads[n_classes, 2]
        for c in range(n_classes):
            total += counts[node, c]
        share = masses[node] * ends[node] / total
        for c in range(n_classes):
            distributions[node, c] += share * (counts[node, c] + heads[c, 2])
        if features[node] >= 0:
            for child in range(left, left + 2):
                masses[child] = masses[node] * (1.0 - ends[node])
                for c in range(n_classes):
                    distributions[child, c] = distributions[node, c]
            left += 2


@njit(cache=True, nogil=True)
def send_down(
    codes: NDArray[np.uint8],
    shares: FloatArray,
    features: NDArray[np.int32],
    masks: IntArray,
    lefts: NDArray[np.int32],
    leaves: NDArray[np.float32],
    totals: FloatArray,
) -> None:
    """Add to the total of each row its share times the class distribution at its leaf of one tree.

    Parameters
    ----------
    codes : array of shape (n_variables, n_rows)
        Codes of the cells.
    shares : array of shape (n_rows,)
        Factor of each row; rows with share 0 are skipped.
    features, masks : array of shape (n_nodes,)
        The variable that each node is split on, -1 at leaves, and the codes of its left child.
    lefts : array of shape (n_nodes,)
        The left child of a split node; at a leaf, its row in ``leaves``.
    leaves : array of shape (n_leaves, n_classes)
        Class distributions.
    totals : array of shape (n_rows, n_classes)
        Output.
    """
    for row in range(len(shares)):
        if shares[row] > 0.0:
            _add_leaf(codes, row, shares[row], 0, features, masks, lefts, leaves, totals)


@njit(cache=True, nogil=True)
def send_down_all(
    codes: NDArray[np.uint8],
    roots: IntArray,
    features: NDArray[np.int32],
    masks: IntArray,
    lefts: NDArray[np.int32],
    leaves: NDArray[np.float32],
    totals: FloatArray,
) -> None:
    """Add to the total of each row its class distributions in all trees; see :func:`send_down`."""
    n_rows = len(totals)
    for first in range(0, n_rows, _BLOCK):
        for root in roots:
            for row in range(first, min(first + _BLOCK, n_rows)):
                _add_leaf(codes, row, 1.0, root, features, masks, lefts, leaves, totals)


@njit(cache=True, nogil=True)
def _add_leaf(
    codes: NDArray[np.uint8],
    row: int,
    share: float,
    node: int,
    features: NDArray[np.int32],
    masks: IntArray,
    lefts: NDArray[np.int32],
    leaves: NDArray[np.float32],
    totals: FloatArray,
) -> None:
    """Add the class distribution at the leaf of one row to its total."""
    # The right child is next to the left one, so a step down is an addition instead of a branch.
    while features[node] >= 0:
        goes_left = (masks[node] >> np.int64(codes[features[node], row])) & 1
        node = lefts[node] + 1 - goes_left
    for c in range(totals.shape[1]):
        totals[row, c] += share * leaves[lefts[node], c]
