"""Compiled loops that grow decision trees, without checks.

Data layout
-----------
Codes
    Cells are codes between 0 and 62, stored variable by variable, because a node reads one variable of many
    rows. Code 0 is an unknown cell: it carries no information.
Splits
    A split is a set of codes, stored as the bits of one integer (a mask). Rows whose code is in the set go to
    the left child, all others to the right one. Bit 0 says where unknown cells go.
Nodes
    Nodes are numbered level by level: the children of the k-th split node (k = 0, 1, ...) are nodes 2k + 1
    and 2k + 2. A tree is therefore stored without pointers, and a loop over the node numbers, upwards or
    downwards, meets parents before children or children before parents.
Rows
    ``rows`` is a permutation in which the rows of a node are contiguous; ``ends`` has its bounds.
Table
    ``table[code, c]`` is the weight of class c in rows with a code, at the current node and for the current
    variable. The last column has the sums over classes. Four more rows, ``LEFT`` to ``LOGS``, are work
    space for the node and for the split that is scored.
Log gamma functions
    ``heads`` and ``logs`` tabulate log rising factorials; see ``log_table`` in ``_tree_evidence_kernels``.

Order of reading: :func:`grow`, ``_grow`` (one node after the other), then ``_tree_split_kernels`` (scores of
splits) and ``_tree_pruning_kernels`` (averages over prunings, and predictions).

Draws at a node depend on the seed of the tree and on the path from the root to the node only, not on other
parts of the tree.

Compiled functions receive all the arrays they write to; allocating arrays in them would double the time to
compile.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ...decisions import TOLERANCE
from ...typing import FloatArray, IntArray
from ._tree_evidence_kernels import log_table
from ._tree_split_kernels import (
    LOGS,
    MAX_CODES,
    OWN,
    below,
    best_set,
    completed,
    look_at,
    mixed,
    rearranged,
    scan,
)


class Columns(NamedTuple):
    """Coded table that trees are grown on.

    Attributes
    ----------
    codes : array of shape (n_variables, n_rows)
        Codes of the cells.
    draws : array of shape (n_variables,)
        The variables in the order that random draws start from.
    scans : array of shape (n_variables, most_values)
        The codes of each variable in the order in which splits are tried; ordered codes ascend.
    n_values : array of shape (n_variables,)
        Number of codes of each variable.
    n_ordered : array of shape (n_variables,)
        Codes 1 up to this are ordered, and the next one is the code of missing cells; 0 if none is ordered.
    """

    codes: NDArray[np.uint8]
    draws: IntArray
    scans: IntArray
    n_values: IntArray
    n_ordered: IntArray


class Grown(NamedTuple):
    """A tree before it is averaged over its prunings.

    Attributes
    ----------
    features : array of shape (n_nodes,)
        The variable that each node is split on, -1 at leaves.
    masks : array of shape (n_nodes,)
        Codes of the rows in the left child, as bits.
    counts : array of shape (n_nodes, n_classes)
        Weights of the classes.
    """

    features: NDArray[np.int32]
    masks: IntArray
    counts: FloatArray


def grow(
    columns: Columns,
    labels: IntArray,
    weights: FloatArray,
    pseudocounts: FloatArray,
    n_tried: int,
    one_cut: bool,
    most_depth: int,
    seed: int,
) -> Grown:
    """Grow a tree on rows of positive weight until every leaf has one class or no variable varies in it.

    A node is split by the set of codes whose children have the largest evidence.

    Parameters
    ----------
    columns : Columns
        Coded table.
    labels, weights : array of shape (n_rows,)
        Class and weight of each row.
    pseudocounts : array of shape (n_classes,)
        Dirichlet pseudocounts of the classes at every node.
    n_tried : int
        Number of variables tried at a node; only variables that vary in it count.
    one_cut : bool
        Try one random split per variable instead of all of them.
    most_depth : int
        Depth at which nodes are not split any more.
    seed : int
        Seed of all draws in the tree.

    Returns
    -------
    Grown
        Splits and class weights of all nodes.
    """
    rows, n_classes = np.flatnonzero(weights), len(pseudocounts)
    # A split leaves at least one row on each side, so there are at most as many leaves as rows.
    most = 2 * len(rows) - 1
    tree = Grown(
        np.full(most, -1, dtype=np.int32),
        np.zeros(most, dtype=np.int64),
        np.zeros((most, n_classes)),
    )
    ends = np.zeros((most, 3), dtype=np.int64)
    ends[0, 1] = len(rows)
    keys = np.zeros(most, dtype=np.uint64)
    keys[0] = seed
    heads, logs = log_table(np.bincount(labels, weights, n_classes).astype(np.float64), pseudocounts)
    n_nodes = _grow(
        columns,
        labels,
        weights,
        tree,
        rows,
        np.zeros_like(rows),
        ends,
        keys,
        columns.draws.copy(),
        np.zeros_like(columns.draws),
        np.zeros((LOGS + 1, n_classes + 1)),
        np.zeros(MAX_CODES, dtype=np.int64),
        np.zeros(n_classes, dtype=np.int64),
        heads,
        logs,
        n_tried,
        one_cut,
        most_depth,
        np.zeros(1, dtype=np.uint64),
    )
    return Grown(tree.features[:n_nodes], tree.masks[:n_nodes], tree.counts[:n_nodes])


@njit(cache=True, nogil=True)
def _grow(
    columns: Columns,
    labels: IntArray,
    weights: FloatArray,
    tree: Grown,
    rows: IntArray,
    spare: IntArray,
    ends: IntArray,
    keys: NDArray[np.uint64],
    draws: IntArray,
    swaps: IntArray,
    table: FloatArray,
    codes: IntArray,
    classes: IntArray,
    heads: FloatArray,
    logs: FloatArray,
    n_tried: int,
    one_cut: bool,
    most_depth: int,
    state: NDArray[np.uint64],
) -> int:
    """Grow a tree level by level and return its number of nodes.

    Parameters
    ----------
    columns, labels, weights, n_tried, one_cut, most_depth
        As in :func:`grow`.
    tree : Grown
        Output, with room for the largest possible tree.
    rows : array of shape (n_rows,)
        Rows of positive weight; permuted so that the rows of every node are contiguous.
    spare : array of shape (n_rows,)
        Work space of the permutation.
    ends : array of shape (n_nodes, 3)
        For each node its first place in ``rows``, the place behind its last, and its depth.
    keys : array of shape (n_nodes,)
        Seed of the draws at each node.
    draws, swaps : array of shape (n_variables,)
        Variables in the order of drawing, and the swaps that restore this order.
    table : array of shape (n_codes + 4, n_classes + 1)
        Weights by code and class; see the top of the module. Zero for codes between two variables.
    codes, classes : array
        Codes of the current variable and classes that are present at the node.
    heads, logs : array
        Log rising factorials; see ``log_table``.
    state : array of shape (1,)
        State of the random number generator.
    """
    cells, features, masks, counts = columns.codes, tree.features, tree.masks, tree.counts
    n_nodes = 1
    node = 0
    # Nodes are a queue: children are appended behind all nodes that wait, which numbers them level by
    # level.
    while node < n_nodes:
        # Phase 1: class weights and log evidence of the node.
        first, last, depth = ends[node, 0], ends[node, 1], ends[node, 2]
        for j in range(first, last):
            counts[node, labels[rows[j]]] += weights[rows[j]]
        n_present = look_at(counts, node, table, classes, heads, logs)
        # Phase 2: state of the search. Rounding errors of a log evidence grow with the weight of its rows,
        # and so does the margin by which a split has to be better. The generator starts anew from the key
        # of the node, so that draws do not depend on how many were made at other nodes.
        best, feature, mask = -np.inf, -1, 0
        room = TOLERANCE * (1.0 + table[OWN, len(classes)])
        state[0] = mixed(keys[node])
        drawn = 0
        # A pure node or one at the largest depth skips the search and remains a leaf.
        tried = 0 if n_present > 1 and depth < most_depth else n_tried
        # Phase 3: draw variables without replacement (a Fisher-Yates shuffle, one step per variable) until
        # enough of them vary at the node. Constant variables are not counted as tried; otherwise deep
        # nodes, at which most variables are constant, would not be split.
        while drawn < len(draws) and tried < n_tried:
            other = drawn + below(state, len(draws) - drawn)
            i = draws[other]
            draws[other] = draws[drawn]
            draws[drawn] = i
            swaps[drawn] = other
            drawn += 1
            # Phase 4: weights of the rows of the node by code and class.
            n_values, n_ordered = columns.n_values[i], columns.n_ordered[i]
            for j in range(first, last):
                code, row = cells[i, rows[j]], rows[j]
                table[code, labels[row]] += weights[row]
                table[code, len(classes)] += weights[row]
            n_codes = scan(columns.scans, i, n_values, table, codes)
            # Phase 5: score splits in one or two orders of the codes. A later split has to be better by
            # more than rounding, so ties go to the variable and the order tried first.
            if n_codes > 1:
                tried += 1
                for attempt in range(2):
                    if attempt == 1 and not rearranged(
                        n_ordered, one_cut, table, codes, n_codes, classes, n_present, state
                    ):
                        break
                    is_nested = n_ordered > 0 or attempt == 1
                    score, found = best_set(
                        is_nested,
                        one_cut,
                        table,
                        codes,
                        n_codes,
                        classes,
                        n_present,
                        heads,
                        logs,
                        room,
                        state,
                    )
                    if score > best + room:
                        best = score
                        feature = i
                        mask = completed(found, codes, n_codes, n_values, n_ordered)
            # Phase 6: reset the table for the next variable. Only codes and classes that are present were
            # written; code 0 is not part of the scan and is appended for this purpose.
            codes[n_codes] = 0
            for k in range(n_codes + 1):
                table[codes[k], len(classes)] = 0.0
                for a in range(n_present):
                    table[codes[k], classes[a]] = 0.0
        # Phase 7: undo the swaps, last one first. The next node then draws from the original order,
        # whatever was drawn here.
        for k in range(drawn - 1, -1, -1):
            i = draws[k]
            draws[k] = draws[swaps[k]]
            draws[swaps[k]] = i
        # Phase 8: append the children. Their keys depend on the key of the parent and on the side only: the
        # shift frees the lowest bit for the side.
        if feature >= 0:
            features[node] = feature
            masks[node] = mask
            middle = _divide(cells, feature, mask, rows, first, last, spare)
            ends[n_nodes, 0], ends[n_nodes, 1], ends[n_nodes, 2] = first, middle, depth + 1
            ends[n_nodes + 1, 0], ends[n_nodes + 1, 1], ends[n_nodes + 1, 2] = middle, last, depth + 1
            keys[n_nodes] = mixed(keys[node]) << np.uint64(1)
            keys[n_nodes + 1] = keys[n_nodes] + np.uint64(1)
            n_nodes += 2
        node += 1
    return n_nodes


@njit(cache=True, nogil=True)
def _divide(
    cells: NDArray[np.uint8], feature: int, mask: int, rows: IntArray, first: int, last: int, spare: IntArray
) -> int:
    """Move the rows of the left child before the others; return the place where the others begin."""
    middle = first
    n_right = 0
    for j in range(first, last):
        if (mask >> np.int64(cells[feature, rows[j]])) & 1:
            rows[middle] = rows[j]
            middle += 1
        else:
            spare[n_right] = rows[j]
            n_right += 1
    # A stable partition: rows keep their order within nodes, and weights are added in the same order in any
    # tree.
    for j in range(n_right):
        rows[middle + j] = spare[j]
    return middle
