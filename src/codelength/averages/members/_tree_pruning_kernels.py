"""Compiled loops that average over the prunings of decision trees, and predict, without checks.

The layout of all arrays is described in ``_tree_kernels``, which grows the trees.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ...typing import FloatArray, IntArray
from ._tree_split_kernels import PSEUDOCOUNT, log_rising

_BLOCK = 1024
"""Rows predicted by one tree before the next tree, so that their codes stay in the cache."""


@njit(cache=True, nogil=True)
def average_prunings(
    features: NDArray[np.int32], leaf_counts: FloatArray, logs: FloatArray, split_prob: float
) -> tuple[FloatArray, FloatArray]:
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
    logs : array of shape (n_classes + 1, ...)
        Log rising factorials of the pseudocounts of the classes; see ``log_table``.
    split_prob : float
        Prior probability s that a pruning continues at a split node.

    Returns
    -------
    log_evidence : array of shape (n_nodes,)
        Log evidence of the classes at each node, averaged over the prunings of what is below it.
    distributions : array of shape (n_nodes, n_classes)
        At leaves of the grown tree the posterior mean of the class distribution; at other nodes the part of
        it that is due to prunings that end there or above.
    """
    n_nodes, n_classes = len(features), leaf_counts.shape[1]
    counts, log_evidence = np.zeros((n_nodes, n_classes)), np.zeros(n_nodes)
    # Posterior probabilities that a pruning has a node, and that one with the node ends there.
    masses, ends = np.ones(n_nodes), np.ones(n_nodes)
    distributions = np.zeros((n_nodes, n_classes))
    # Upwards: children have larger numbers than their parent. In this direction the split nodes meet their
    # children in pairs from the end, so that no links are needed. Afterwards ``left`` is 1, the left child
    # of the root, where the second loop starts.
    left, leaf = n_nodes, len(leaf_counts)
    for node in range(n_nodes - 1, -1, -1):
        is_split = features[node] >= 0
        if is_split:
            left -= 2
        else:
            leaf -= 1
        total, evidence = 0.0, 0.0
        for c in range(n_classes):
            counts[node, c] = counts[left, c] + counts[left + 1, c] if is_split else leaf_counts[leaf, c]
            if counts[node, c] > 0.0:
                total += counts[node, c]
                evidence += log_rising(logs, c, counts[node, c])
        log_evidence[node] = evidence - log_rising(logs, n_classes, total)
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
        total = logs[n_classes, PSEUDOCOUNT]
        for c in range(n_classes):
            total += counts[node, c]
        share = masses[node] * ends[node] / total
        for c in range(n_classes):
            distributions[node, c] += share * (counts[node, c] + logs[c, PSEUDOCOUNT])
        if features[node] >= 0:
            for child in range(left, left + 2):
                masses[child] = masses[node] * (1.0 - ends[node])
                distributions[child] = distributions[node]
            left += 2
    return log_evidence, distributions


@njit(cache=True, nogil=True)
def send_down(
    codes: NDArray[np.uint8],
    shares: FloatArray,
    roots: IntArray,
    features: NDArray[np.int32],
    masks: IntArray,
    lefts: NDArray[np.int32],
    leaves: NDArray[np.float32],
    totals: FloatArray,
) -> None:
    """Add to the total of each row its share times its class distributions in all trees.

    Parameters
    ----------
    codes : array of shape (n_variables, n_rows)
        Codes of the cells.
    shares : array of shape (n_rows,)
        Factor of each row; rows with share 0 are skipped.
    roots : array of shape (n_trees,)
        First node of each tree.
    features, masks : array of shape (n_nodes,)
        The variable that each node is split on, -1 at leaves, and the codes of its left child.
    lefts : array of shape (n_nodes,)
        The left child of a split node; at a leaf, its row in ``leaves``.
    leaves : array of shape (n_leaves, n_classes)
        Class distributions.
    totals : array of shape (n_rows, n_classes)
        Output.
    """
    n_rows = len(totals)
    for first in range(0, n_rows, _BLOCK):
        for root in roots:
            for row in range(first, min(first + _BLOCK, n_rows)):
                if shares[row] <= 0.0:
                    continue
                node = root
                # The right child is next to the left one, so a step down is an addition instead of a branch.
                while features[node] >= 0:
                    goes_left = (masks[node] >> np.int64(codes[features[node], row])) & 1
                    node = lefts[node] + 1 - goes_left
                for c in range(totals.shape[1]):
                    totals[row, c] += shares[row] * leaves[lefts[node], c]
