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
    ``logs`` tabulates log rising factorials; see ``log_table`` in ``_tree_split_kernels``.

Order of reading: :func:`grow` (one node after the other), ``_best_split`` (variables of a node), then
``_tree_split_kernels`` (scores of splits) and ``_tree_pruning_kernels`` (averages over prunings, and
predictions).

Draws at a node depend on the seed of the tree and on the path from the root to the node only, not on other
parts of the tree.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ...decisions import TOLERANCE
from ...typing import FloatArray, IntArray
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


@njit(cache=True, nogil=True)
def grow(
    columns: Columns,
    labels: IntArray,
    weights: FloatArray,
    logs: FloatArray,
    n_tried: int,
    one_cut: bool,
    max_depth: int,
    seed: int,
) -> tuple[NDArray[np.int32], IntArray, FloatArray]:
    """Grow a tree on rows of positive weight until every leaf has one class or no variable varies in it.

    A node is split by the set of codes whose children have the largest evidence.

    Parameters
    ----------
    columns : Columns
        Coded table.
    labels, weights : array of shape (n_rows,)
        Class and weight of each row.
    logs : array of shape (n_classes + 1, ...)
        Log rising factorials of the pseudocounts of the classes; see ``log_table``.
    n_tried : int
        Number of variables tried at a node; only variables that vary in it count.
    one_cut : bool
        Try one random split per variable instead of all of them.
    max_depth : int
        Depth at which nodes are not split any more.
    seed : int
        Seed of all draws in the tree.

    Returns
    -------
    features, masks : array of shape (n_nodes,)
        The variable that each node is split on, -1 at leaves, and the codes of its left child, as bits.
    counts : array of shape (n_nodes, n_classes)
        Weights of the classes.
    """
    rows, n_classes = np.flatnonzero(weights), len(logs) - 1
    # A split leaves at least one row on each side, so there are at most as many leaves as rows.
    most = 2 * len(rows) - 1
    features, masks = np.full(most, -1, dtype=np.int32), np.zeros(most, dtype=np.int64)
    counts = np.zeros((most, n_classes))
    # For each node its first place in ``rows``, the place behind its last, and its depth; and the seed of its
    # draws.
    ends, keys = np.zeros((most, 3), dtype=np.int64), np.zeros(most, dtype=np.uint64)
    ends[0, 1], keys[0] = len(rows), np.uint64(seed)
    draws = np.empty((2, len(columns.draws)), dtype=np.int64)
    draws[0] = columns.draws
    table, classes = np.zeros((LOGS + 1, n_classes + 1)), np.zeros(n_classes, dtype=np.int64)
    codes, state = np.zeros(MAX_CODES, dtype=np.int64), np.zeros(1, dtype=np.uint64)
    # Nodes are a queue: children are appended behind all nodes that wait, which numbers them level by level.
    node, n_nodes = 0, 1
    while node < n_nodes:
        first, last, depth = ends[node, 0], ends[node, 1], ends[node, 2]
        own = rows[first:last]
        for j in range(first, last):
            counts[node, labels[rows[j]]] += weights[rows[j]]
        n_present = look_at(counts[node], table, classes, logs)
        # A pure node or one at the largest depth remains a leaf.
        if n_present > 1 and depth < max_depth:
            # The generator starts anew at each node, so that draws do not depend on how many were made at
            # others.
            state[0] = mixed(keys[node])
            present = classes[:n_present]
            feature, mask = _best_split(
                columns, labels, weights, own, draws, table, codes, present, logs, n_tried, one_cut, state
            )
            if feature >= 0:
                features[node], masks[node] = feature, mask
                middle = first + _divide(columns.codes[feature], mask, own)
                ends[n_nodes, 0], ends[n_nodes, 1], ends[n_nodes, 2] = first, middle, depth + 1
                ends[n_nodes + 1, 0], ends[n_nodes + 1, 1], ends[n_nodes + 1, 2] = middle, last, depth + 1
                # Keys of children depend on the key of the parent and on the side only: the shift frees the
                # lowest bit for the side.
                keys[n_nodes] = mixed(keys[node]) << np.uint64(1)
                keys[n_nodes + 1] = keys[n_nodes] + np.uint64(1)
                n_nodes += 2
        node += 1
    return features[:n_nodes], masks[:n_nodes], counts[:n_nodes]


@njit(cache=True, nogil=True)
def _best_split(
    columns: Columns,
    labels: IntArray,
    weights: FloatArray,
    rows: IntArray,
    draws: IntArray,
    table: FloatArray,
    codes: IntArray,
    classes: IntArray,
    logs: FloatArray,
    n_tried: int,
    one_cut: bool,
    state: NDArray[np.uint64],
) -> tuple[int, int]:
    """Return variable and mask of the best split of a node; the variable is -1 if there is none.

    Parameters
    ----------
    columns, labels, weights, logs, n_tried, one_cut
        As in :func:`grow`.
    rows : array
        Rows of the node.
    draws : array of shape (2, n_variables)
        Variables in the order of drawing, and work space for the swaps that restore this order.
    table : array of shape (n_codes + 4, n_classes + 1)
        Weights by code and class; see the top of the module. Zero for codes between two variables.
    codes : array of shape (n_codes,)
        Work space for the codes of the current variable that are present at the node.
    classes : array
        Classes that are present at the node.
    state : array of shape (1,)
        State of the random number generator.
    """
    best, feature, mask = -np.inf, -1, 0
    all_classes = table.shape[1] - 1
    # Rounding errors of a log evidence grow with the weight of its rows, and so does the margin by which a
    # split has to be better.
    room = TOLERANCE * (1.0 + table[OWN, all_classes])
    drawn, tried = 0, 0
    # Draw variables without replacement (a Fisher-Yates shuffle, one step per variable) until enough of them
    # vary at the node. Constant variables are not counted as tried; otherwise deep nodes, at which most
    # variables are constant, would not be split.
    while drawn < draws.shape[1] and tried < n_tried:
        other = drawn + below(state, draws.shape[1] - drawn)
        i = draws[0, other]
        draws[0, other], draws[0, drawn], draws[1, drawn] = draws[0, drawn], i, other
        drawn += 1
        n_values, n_ordered, cells = columns.n_values[i], columns.n_ordered[i], columns.codes[i]
        for j in range(len(rows)):
            code, row = cells[rows[j]], rows[j]
            table[code, labels[row]] += weights[row]
            table[code, all_classes] += weights[row]
        present = scan(columns.scans[i, :n_values], table, codes)
        # Score splits in one or two orders of the codes. A later split has to be better by more than
        # rounding, so ties go to the variable and the order tried first.
        if len(present) > 1:
            tried += 1
            for attempt in range(2):
                if attempt == 1 and not rearranged(n_ordered, one_cut, table, present, classes, state):
                    break
                is_nested = n_ordered > 0 or attempt == 1
                score, found = best_set(is_nested, one_cut, table, present, classes, logs, room, state)
                if score > best + room:
                    best, feature, mask = score, i, completed(found, present, n_values, n_ordered)
        # Reset the table for the next variable. Only codes and classes that are present were written.
        for k in range(-1, len(present)):
            code = present[k] if k >= 0 else 0
            table[code, all_classes] = 0.0
            for a in range(len(classes)):
                c = classes[a]
                table[code, c] = 0.0
    # Undo the swaps, last one first. The next node then draws from the original order.
    for k in range(drawn - 1, -1, -1):
        other = draws[1, k]
        draws[0, k], draws[0, other] = draws[0, other], draws[0, k]
    return feature, mask


@njit(cache=True, nogil=True)
def _divide(codes: NDArray[np.uint8], mask: int, rows: IntArray) -> int:
    """Move the rows of the left child before the others; return the place where the others begin.

    The partition is stable: rows keep their order within nodes, and weights are added in the same order in
    any tree.
    """
    spare = np.empty_like(rows)
    middle, n_right = 0, 0
    for j in range(len(rows)):
        if (mask >> np.int64(codes[rows[j]])) & 1:
            rows[middle] = rows[j]
            middle += 1
        else:
            spare[n_right] = rows[j]
            n_right += 1
    for j in range(n_right):
        rows[middle + j] = spare[j]
    return middle
