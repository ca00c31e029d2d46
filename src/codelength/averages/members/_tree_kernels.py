"""Compiled loops that grow decision trees, average over their prunings and predict, without checks.

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
    ``heads`` and ``logs`` tabulate log rising factorials; see :func:`log_table`.

Order of reading: :func:`grow`, ``_grow`` (one node after the other), ``best_set`` (scores of splits), then
:func:`average_prunings` and :func:`send_down`.

Rounding does not decide: scores that differ by no more than rounding tie, and the first split tried is kept
(see :mod:`codelength.decisions`). Draws at a node depend on the seed of the tree and on the path from the
root to the node only, not on other parts of the tree.

Compiled functions receive all the arrays they write to; allocating arrays in them would double the time to
compile.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ...decisions import TOLERANCE
from ...typing import FloatArray, IntArray

MOST_CODES = 63
"""Number of codes: a set of codes has so many bits and fits a signed 64-bit integer."""

LEFT, OWN, LOGS_OWN, LOGS = range(MOST_CODES, MOST_CODES + 4)
"""Rows of the table behind those of the codes: weights left of a split, weights at the node, and the term of
each class in the log evidence of the node and of its two children."""

_MOST_LOGS = 1 << 14
"""Log rising factorials are tabulated up to this count and computed beyond it."""

_BLOCK = 1024
"""Rows predicted by one tree before the next tree, so that their codes stay in the cache."""


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
        np.zeros(MOST_CODES, dtype=np.int64),
        np.zeros(n_classes, dtype=np.int64),
        heads,
        logs,
        n_tried,
        one_cut,
        most_depth,
        np.zeros(1, dtype=np.uint64),
    )
    return Grown(tree.features[:n_nodes], tree.masks[:n_nodes], tree.counts[:n_nodes])


def log_table(counts: FloatArray, pseudocounts: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Tabulate log rising factorials of the pseudocounts of the classes, and of their sum.

    The evidence of weights :math:`n_c` at a node under pseudocounts :math:`a_c` is Dirichlet-multinomial:

    .. math:: \log D = \sum_c \log (a_c)_{n_c} - \log \Bigl(\sum_c a_c\Bigr)_{\sum_c n_c} , \qquad
        (a)_n = \Gamma(a + n) / \Gamma(a) .

    Returns
    -------
    heads : array of shape (n_classes + 1, 4)
        For each class, and last for their sum: where its logs start, how many there are, the pseudocount, and
        its log gamma function.
    logs : array
        Log rising factorials at counts 0, 1, ..., one class after the other.
    """
    sizes = np.minimum(np.append(counts, counts.sum()), _MOST_LOGS).astype(np.int64) + 1
    each = np.append(pseudocounts, pseudocounts.sum())
    heads = np.array([np.cumsum(sizes) - sizes, sizes, each, each]).T.copy()
    logs = np.zeros(sizes.sum())
    _fill_logs(heads, logs)
    return heads, logs


@njit(cache=True, nogil=True)
def _fill_logs(heads: FloatArray, logs: FloatArray) -> None:
    """Write the tables of :func:`log_table`."""
    for c in range(len(heads)):
        start, pseudocount = int(heads[c, 0]), heads[c, 2]
        heads[c, 3] = math.lgamma(pseudocount)
        for k in range(1, int(heads[c, 1])):
            # (a)_k = (a)_{k-1} (a + k - 1): one logarithm per count instead of two log gamma functions.
            logs[start + k] = logs[start + k - 1] + math.log(k - 1 + pseudocount)


@njit(cache=True, nogil=True)
def log_rising(heads: FloatArray, logs: FloatArray, c: int, count: float) -> float:
    """Return the log rising factorial of class ``c``, or of the sum of all if ``c`` is their number."""
    if count < heads[c, 1]:
        whole = int(count)
        if whole == count:
            return float(logs[int(heads[c, 0]) + whole])
    # Weights of rows may be fractions, and their sums may be larger than the table.
    return float(math.lgamma(heads[c, 2] + count) - heads[c, 3])


@njit(cache=True, nogil=True)
def mixed(key: np.uint64) -> np.uint64:
    """Return a key with its bits well mixed, and never 0 (the finaliser of splitmix64)."""
    bits = key + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    # An odd number, because xorshift stays at 0 once it is there.
    return (bits ^ (bits >> np.uint64(31))) | np.uint64(1)


@njit(cache=True, nogil=True)
def below(state: NDArray[np.uint64], n: int) -> int:
    """Return a random integer below n (Marsaglia's xorshift)."""
    bits = state[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    state[0] = bits
    # The upper 53 bits make a float64 in [0, 1) without rounding; the lower bits of xorshift are weaker.
    return int((bits >> np.uint64(11)) * 2.0**-53 * n)


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
        Log rising factorials; see :func:`log_table`.
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
def look_at(
    counts: FloatArray, node: int, table: FloatArray, classes: IntArray, heads: FloatArray, logs: FloatArray
) -> int:
    """Write weights, log evidence and present classes of a node; return the number of present classes."""
    n_classes = len(classes)
    n_present = 0
    total = 0.0
    evidence = 0.0
    for c in range(n_classes):
        if counts[node, c] > 0.0:
            classes[n_present] = c
            n_present += 1
            total += counts[node, c]
            table[OWN, c] = counts[node, c]
            table[LOGS_OWN, c] = log_rising(heads, logs, c, counts[node, c])
            evidence += table[LOGS_OWN, c]
    table[OWN, n_classes] = total
    table[LOGS_OWN, n_classes] = evidence - log_rising(heads, logs, n_classes, total)
    return n_present


@njit(cache=True, nogil=True)
def scan(scans: IntArray, i: int, n_values: int, table: FloatArray, codes: IntArray) -> int:
    """Write the known codes that are present at a node, in the order of the scan; return their number."""
    n_codes = 0
    for k in range(n_values):
        if table[scans[i, k], table.shape[1] - 1] > 0.0:
            codes[n_codes] = scans[i, k]
            n_codes += 1
    return n_codes


@njit(cache=True, nogil=True)
def rearranged(
    n_ordered: int,
    one_cut: bool,
    table: FloatArray,
    codes: IntArray,
    n_codes: int,
    classes: IntArray,
    n_present: int,
    state: NDArray[np.uint64],
) -> bool:
    """Rearrange the codes into the second order in which splits are tried; return False if there is none.

    For ordered codes, the code of missing cells moves from the last place to the first. Codes without order
    are sorted by the share of one class, drawn at random from the present ones.
    """
    last = codes[n_codes - 1]
    if n_ordered > 0:
        # Without missing cells there is nothing to move. With a single ordered code the only split, ordered
        # against missing, was tried in the first order.
        if last <= n_ordered or n_codes < 3:
            return False
        for k in range(n_codes - 1, 0, -1):
            codes[k] = codes[k - 1]
        codes[0] = last
        return True
    # Sets of one code were tried before; with two or three codes, they are all the splits there are.
    if one_cut or n_codes < 4:
        return False
    # For two classes and the usual impurities, the best set has the codes with the smallest shares of one
    # class (Breiman et al. 1984). More than two classes are reduced to one class against all others. The
    # insertion sort is stable, and shares that differ by rounding keep the order of the scan.
    c, all_classes = classes[below(state, n_present)], len(classes)
    for k in range(n_codes):
        code = codes[k]
        share = table[code, c] / table[code, all_classes]
        place = k
        while place > 0:
            before = table[codes[place - 1], c] / table[codes[place - 1], all_classes]
            if before <= share + TOLERANCE:
                break
            codes[place] = codes[place - 1]
            place -= 1
        codes[place] = code
    return True


@njit(cache=True, nogil=True)
def best_set(
    is_nested: bool,
    one_cut: bool,
    table: FloatArray,
    codes: IntArray,
    n_codes: int,
    classes: IntArray,
    n_present: int,
    heads: FloatArray,
    logs: FloatArray,
    room: float,
    state: NDArray[np.uint64],
) -> tuple[float, int]:
    """Return the best set of codes and its score, the sum of the log evidence of both children.

    Candidates are the sets of the first 1, 2, ... codes if ``is_nested``, else the sets of one code; with
    ``one_cut`` one random candidate. A score is better only by more than ``room``. Unknown cells go to the
    heavier child.
    """
    all_classes = len(classes)
    total, unknown = table[OWN, all_classes], table[0, all_classes]
    # Terms of the classes without the term of the total: the start of every sum, with all rows on the
    # right.
    of_whole = table[LOGS_OWN, all_classes] + log_rising(heads, logs, all_classes, total)
    # All codes together are not a split, and of two codes each makes the same split.
    n_sets = n_codes - 1 if is_nested or n_codes == 2 else n_codes
    only = below(state, n_sets) if one_cut else -1
    best, best_mask = -np.inf, 0
    weight, summed, mask = 0.0, 0.0, 0
    for k in range(n_sets):
        code = codes[k]
        # Nested sets grow by one code and keep their sums; a set of one code starts with an empty left
        # child.
        if k == 0 or not is_nested:
            weight = 0.0
            summed = of_whole
            mask = 0
            for a in range(n_present):
                table[LEFT, classes[a]] = 0.0
                table[LOGS, classes[a]] = table[LOGS_OWN, classes[a]]
        mask |= 1 << code
        weight += table[code, all_classes]
        for a in range(n_present):
            table[LEFT, classes[a]] += table[code, classes[a]]
        # A random set needs the weights of the sets before it, but not their scores.
        if only >= 0 and k != only:
            continue
        # Known cells decide which child is heavier; equal weights, up to rounding, go left.
        is_heavier = 2.0 * weight >= (total - unknown) * (1.0 - TOLERANCE)
        for a in range(n_present):
            c = classes[a]
            # The terms of a class change only if the class has this code. All have to be computed if earlier
            # sets were not scored, or if unknown cells may have changed sides.
            if table[code, c] > 0.0 or only >= 0 or unknown > 0.0:
                count = table[LEFT, c] + table[0, c] if is_heavier else table[LEFT, c]
                # A difference of sums of fractional weights may be negative by rounding.
                added = log_rising(heads, logs, c, count) + log_rising(
                    heads, logs, c, max(table[OWN, c] - count, 0.0)
                )
                summed += added - table[LOGS, c]
                table[LOGS, c] = added
        count = weight + unknown if is_heavier else weight
        score = summed - log_rising(heads, logs, all_classes, count)
        score -= log_rising(heads, logs, all_classes, max(total - count, 0.0))
        if score > best + room:
            best = score
            # Bit 0 is the code of unknown cells.
            best_mask = mask | is_heavier
    return best, best_mask


@njit(cache=True, nogil=True)
def completed(mask: int, codes: IntArray, n_codes: int, n_values: int, n_ordered: int) -> int:
    """Return a set of codes, completed by codes that are absent at the node.

    The cut between ordered codes is in the middle of the gap. Other absent codes carry no information here
    and go to the heavier child, as unknown cells do.
    """
    low = 0
    high = n_ordered + 1
    present = 0
    for k in range(n_codes):
        code = codes[k]
        # Ordered codes in the set are below all ordered codes outside it, also if missing cells were put
        # first.
        present |= 1 << code
        if code <= n_ordered and (mask >> code) & 1:
            low = max(low, code)
        elif code <= n_ordered:
            high = min(high, code)
    for code in range(1, n_values + 1):
        if not (present >> code) & 1:
            goes_left = 2 * code <= low + high if code <= n_ordered else (mask & 1) == 1
            mask |= goes_left << code
    return mask


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
