"""Loops that grow decision trees, average over their prunings and send rows down. Nothing is checked.

Codes of cells are between 0 and 62, and 0 is a cell that says nothing. A split is a set of codes, kept as
the bits of one whole number: rows whose code is in the set go to the left child, all others to the right.
Nodes are numbered level by level: the children of the k-th node that is split are nodes 2k + 1 and 2k + 2.

Rounding decides nothing: scores that differ by no more tie, and the first split that was tried is kept (see
:mod:`codelength.decisions`). What is drawn at a node depends on the tree and on the way from its root to the
node, and on nothing that happens elsewhere in the tree.

Compiled functions are given all the arrays they write to, because allocating arrays in them would double the
time to compile.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ...decisions import TOLERANCE
from ...typing import FloatArray, IntArray

MOST_CODES = 63
"""A set of codes has so many bits."""

_LEFT, _OWN, _LOGS_OWN, _LOGS = range(MOST_CODES, MOST_CODES + 4)
"""Rows of a table of weights by code and class, behind those of the codes: weights left of a split, weights
at the node, and what each class adds to the log evidence of the node and of its two children."""

_MOST_LOGS = 1 << 14
"""Logs of gamma functions are looked up for so many counts; those of larger ones are computed."""

_BLOCK = 1024
"""Rows that are sent down one tree before the next, so that their codes stay in the cache."""


class Columns(NamedTuple):
    """What trees look at.

    Attributes
    ----------
    codes : array of shape (n_variables, n_rows)
        Codes of the cells.
    draws : array of shape (n_variables,)
        The variables, in the order in which they are drawn from.
    scans : array of shape (n_variables, most_values)
        The codes of each variable, in the order in which they are looked at; ordered ones ascend.
    n_values : array of shape (n_variables,)
        How many codes each variable has.
    n_ordered : array of shape (n_variables,)
        Codes 1 up to this are ordered, and one behind them is that of missing cells; 0 if none is ordered.
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
        The codes that go left.
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
    """A tree on the rows that have a weight, grown until each leaf has one class or nothing varies in it.

    A node is split by the evidence of its children, on the best of ``n_tried`` variables that vary in it;
    with ``one_cut`` one random split of each is tried, else all.
    """
    rows, n_classes = np.flatnonzero(weights), len(pseudocounts)
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
    heads, logs = _logs(np.bincount(labels, weights, n_classes).astype(np.float64), pseudocounts)
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
        np.zeros((_LOGS + 1, n_classes + 1)),
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


def _logs(counts: FloatArray, pseudocounts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Log rising factorials of the pseudocount of each class, and of their sum, at whole counts.

    The first array has, for each of them, where its logs start in the second, how many there are, the
    pseudocount, and the log of its gamma function.
    """
    sizes = np.minimum(np.append(counts, counts.sum()), _MOST_LOGS).astype(np.int64) + 1
    each = np.append(pseudocounts, pseudocounts.sum())
    heads = np.array([np.cumsum(sizes) - sizes, sizes, each, each]).T.copy()
    logs = np.zeros(sizes.sum())
    _fill_logs(heads, logs)
    return heads, logs


@njit(cache=True, nogil=True)
def _fill_logs(heads: FloatArray, logs: FloatArray) -> None:
    for c in range(len(heads)):
        start, pseudocount = int(heads[c, 0]), heads[c, 2]
        heads[c, 3] = math.lgamma(pseudocount)
        for k in range(1, int(heads[c, 1])):
            logs[start + k] = logs[start + k - 1] + math.log(k - 1 + pseudocount)


@njit(cache=True, nogil=True)
def _log_rising(heads: FloatArray, logs: FloatArray, c: int, count: float) -> float:
    if count < heads[c, 1]:
        whole = int(count)
        if whole == count:
            return float(logs[int(heads[c, 0]) + whole])
    return float(math.lgamma(heads[c, 2] + count) - heads[c, 3])


@njit(cache=True, nogil=True)
def _mixed(key: np.uint64) -> np.uint64:
    """A key with its bits well mixed, and never 0 (the finaliser of splitmix64)."""
    bits = key + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (bits ^ (bits >> np.uint64(31))) | np.uint64(1)


@njit(cache=True, nogil=True)
def _below(state: NDArray[np.uint64], n: int) -> int:
    """A random whole number below n (Marsaglia's xorshift)."""
    bits = state[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    state[0] = bits
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
    """Grow a tree level by level; how many nodes it has.

    ``rows`` are kept so that those of a node are next to each other: ``ends`` are the first of each node, the
    one behind its last, and how deep the node is. ``keys`` are where the draws at each node start, and
    ``swaps`` how to put ``draws`` back in order. ``codes`` and ``classes`` are those at the node.
    """
    cells, features, masks, counts = columns.codes, tree.features, tree.masks, tree.counts
    n_nodes = 1
    node = 0
    while node < n_nodes:
        first, last, depth = ends[node, 0], ends[node, 1], ends[node, 2]
        for j in range(first, last):
            counts[node, labels[rows[j]]] += weights[rows[j]]
        n_present = _look_at(counts, node, table, classes, heads, logs)
        best, feature, mask = -np.inf, -1, 0
        room = TOLERANCE * (1.0 + table[_OWN, len(classes)])
        state[0] = _mixed(keys[node])
        drawn = 0
        tried = 0 if n_present > 1 and depth < most_depth else n_tried
        while drawn < len(draws) and tried < n_tried:
            other = drawn + _below(state, len(draws) - drawn)
            i = draws[other]
            draws[other] = draws[drawn]
            draws[drawn] = i
            swaps[drawn] = other
            drawn += 1
            n_values, n_ordered = columns.n_values[i], columns.n_ordered[i]
            for j in range(first, last):
                code, row = cells[i, rows[j]], rows[j]
                table[code, labels[row]] += weights[row]
                table[code, len(classes)] += weights[row]
            n_codes = _scan(columns.scans, i, n_values, table, codes)
            if n_codes > 1:
                tried += 1
                for attempt in range(2):
                    if attempt == 1 and not _rearranged(
                        n_ordered, one_cut, table, codes, n_codes, classes, n_present, state
                    ):
                        break
                    is_nested = n_ordered > 0 or attempt == 1
                    score, found = _best_set(
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
                        mask = _completed(found, codes, n_codes, n_values, n_ordered)
            codes[n_codes] = 0
            for k in range(n_codes + 1):
                table[codes[k], len(classes)] = 0.0
                for a in range(n_present):
                    table[codes[k], classes[a]] = 0.0
        for k in range(drawn - 1, -1, -1):
            i = draws[k]
            draws[k] = draws[swaps[k]]
            draws[swaps[k]] = i
        if feature >= 0:
            features[node] = feature
            masks[node] = mask
            middle = _divide(cells, feature, mask, rows, first, last, spare)
            ends[n_nodes, 0], ends[n_nodes, 1], ends[n_nodes, 2] = first, middle, depth + 1
            ends[n_nodes + 1, 0], ends[n_nodes + 1, 1], ends[n_nodes + 1, 2] = middle, last, depth + 1
            keys[n_nodes] = _mixed(keys[node]) << np.uint64(1)
            keys[n_nodes + 1] = keys[n_nodes] + np.uint64(1)
            n_nodes += 2
        node += 1
    return n_nodes


@njit(cache=True, nogil=True)
def _look_at(
    counts: FloatArray, node: int, table: FloatArray, classes: IntArray, heads: FloatArray, logs: FloatArray
) -> int:
    """Write down weights and log evidence of a node and the classes that are there; how many these are."""
    n_classes = len(classes)
    n_present = 0
    total = 0.0
    evidence = 0.0
    for c in range(n_classes):
        if counts[node, c] > 0.0:
            classes[n_present] = c
            n_present += 1
            total += counts[node, c]
            table[_OWN, c] = counts[node, c]
            table[_LOGS_OWN, c] = _log_rising(heads, logs, c, counts[node, c])
            evidence += table[_LOGS_OWN, c]
    table[_OWN, n_classes] = total
    table[_LOGS_OWN, n_classes] = evidence - _log_rising(heads, logs, n_classes, total)
    return n_present


@njit(cache=True, nogil=True)
def _scan(scans: IntArray, i: int, n_values: int, table: FloatArray, codes: IntArray) -> int:
    """Write down the codes that are at a node, in the order of the scan; how many they are."""
    n_codes = 0
    for k in range(n_values):
        if table[scans[i, k], table.shape[1] - 1] > 0.0:
            codes[n_codes] = scans[i, k]
            n_codes += 1
    return n_codes


@njit(cache=True, nogil=True)
def _rearranged(
    n_ordered: int,
    one_cut: bool,
    table: FloatArray,
    codes: IntArray,
    n_codes: int,
    classes: IntArray,
    n_present: int,
    state: NDArray[np.uint64],
) -> bool:
    """Whether there is a second order to look at the codes in, which is then made.

    Missing cells come before all ordered codes instead of behind them. Codes without order are sorted by the
    share of one class, drawn at random from those that are there.
    """
    last = codes[n_codes - 1]
    if n_ordered > 0:
        if last <= n_ordered or n_codes < 3:
            return False
        for k in range(n_codes - 1, 0, -1):
            codes[k] = codes[k - 1]
        codes[0] = last
        return True
    if one_cut or n_codes < 4:
        return False
    c, all_classes = classes[_below(state, n_present)], len(classes)
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
def _best_set(
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
    """The best of the sets of the first 1, 2, ... codes, or of single codes, or one of them at random.

    The score is the log evidence of both children; it is better only by more than ``room``. Cells that say
    nothing go to the heavier child.
    """
    all_classes = len(classes)
    total, unknown = table[_OWN, all_classes], table[0, all_classes]
    of_whole = table[_LOGS_OWN, all_classes] + _log_rising(heads, logs, all_classes, total)
    n_sets = n_codes - 1 if is_nested or n_codes == 2 else n_codes
    only = _below(state, n_sets) if one_cut else -1
    best, best_mask = -np.inf, 0
    weight, summed, mask = 0.0, 0.0, 0
    for k in range(n_sets):
        code = codes[k]
        if k == 0 or not is_nested:
            weight = 0.0
            summed = of_whole
            mask = 0
            for a in range(n_present):
                table[_LEFT, classes[a]] = 0.0
                table[_LOGS, classes[a]] = table[_LOGS_OWN, classes[a]]
        mask |= 1 << code
        weight += table[code, all_classes]
        for a in range(n_present):
            table[_LEFT, classes[a]] += table[code, classes[a]]
        if only >= 0 and k != only:
            continue
        is_heavier = 2.0 * weight >= (total - unknown) * (1.0 - TOLERANCE)
        for a in range(n_present):
            c = classes[a]
            # Classes that do not have this code keep what they added before.
            if table[code, c] > 0.0 or only >= 0 or unknown > 0.0:
                count = table[_LEFT, c] + table[0, c] if is_heavier else table[_LEFT, c]
                added = _log_rising(heads, logs, c, count) + _log_rising(
                    heads, logs, c, max(table[_OWN, c] - count, 0.0)
                )
                summed += added - table[_LOGS, c]
                table[_LOGS, c] = added
        count = weight + unknown if is_heavier else weight
        score = summed - _log_rising(heads, logs, all_classes, count)
        score -= _log_rising(heads, logs, all_classes, max(total - count, 0.0))
        if score > best + room:
            best = score
            best_mask = mask | is_heavier
    return best, best_mask


@njit(cache=True, nogil=True)
def _completed(mask: int, codes: IntArray, n_codes: int, n_values: int, n_ordered: int) -> int:
    """A set together with codes that are not at the node.

    A cut is in the middle of the gap between ordered codes. Other codes say nothing here and go to the
    heavier child.
    """
    low = 0
    high = n_ordered + 1
    present = 0
    for k in range(n_codes):
        code = codes[k]
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
    """Put the rows of a node that go left before the others; where the others begin."""
    middle = first
    n_right = 0
    for j in range(first, last):
        if (mask >> np.int64(cells[feature, rows[j]])) & 1:
            rows[middle] = rows[j]
            middle += 1
        else:
            spare[n_right] = rows[j]
            n_right += 1
    for j in range(n_right):
        rows[middle + j] = spare[j]
    return middle


def average_prunings(
    features: NDArray[np.int32], leaf_counts: FloatArray, pseudocounts: FloatArray, split_prob: float
) -> Averaged:
    r"""The exact average over all prunings of a tree, from the weights of the classes at its leaves.

    A node that is split ends a pruning with probability 1 - s; else its children are pruned in the same way.
    With D the evidence of the classes at a node were it a leaf, and l, r its children,

    .. math:: E = (1 - s) D + s E_l E_r .
    """
    n_nodes, n_classes = len(features), len(pseudocounts)
    counts = np.zeros((n_nodes, n_classes))
    counts[features < 0] = leaf_counts
    heads, logs = _logs(leaf_counts.sum(axis=0), pseudocounts)
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
    """Write the average; ``ends`` are the probabilities that a pruning which has a node ends there."""
    n_nodes, n_classes = counts.shape
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
                evidence += _log_rising(heads, logs, c, counts[node, c])
        log_evidence[node] = evidence - _log_rising(heads, logs, n_classes, total)
        if is_split:
            ending = math.log(1.0 - split_prob) + log_evidence[node]
            going_on = math.log(split_prob) + log_evidence[left] + log_evidence[left + 1]
            ratio = math.exp(-abs(ending - going_on))
            ends[node] = (1.0 if ending > going_on else ratio) / (1.0 + ratio)
            log_evidence[node] = max(ending, going_on) + math.log1p(ratio)
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
    """Add to the total of each row its share times the distribution at its leaf of one tree.

    At leaves ``lefts`` has the number of the leaf.
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
    """Add to the total of each row the distributions at its leaves of all trees."""
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
    while features[node] >= 0:
        goes_left = (masks[node] >> np.int64(codes[features[node], row])) & 1
        node = lefts[node] + 1 - goes_left
    for c in range(totals.shape[1]):
        totals[row, c] += share * leaves[lefts[node], c]
