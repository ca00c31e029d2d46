"""Compiled loops that score the splits of one node of a decision tree, without checks.

The layout of all arrays is described in ``_tree_kernels``, which grows trees by these functions.

Order of reading: :func:`log_table` (evidence), :func:`look_at` (the node), :func:`scan` and
:func:`rearranged` (the orders of the codes in which splits are tried), :func:`best_set` (scores),
:func:`completed` (codes that are absent at the node).

Rounding does not decide: scores that differ by no more than rounding tie, and the first split tried is kept
(see :mod:`codelength.decisions`).
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ...decisions import TOLERANCE
from ...typing import FloatArray, IntArray

MAX_CODES = 63
"""Number of codes: a set of codes has so many bits and fits a signed 64-bit integer."""


LEFT, OWN, LOGS_OWN, LOGS = range(MAX_CODES, MAX_CODES + 4)
"""Rows of the table behind those of the codes: weights left of a split, weights at the node, and the term of
each class in the log evidence of the node and of its two children."""

_MAX_LOGS = 1 << 14
"""Log rising factorials are tabulated up to this count and computed beyond it."""

LIMIT, PSEUDOCOUNT, LOG_GAMMA, FIRST = range(4)
"""Columns of :func:`log_table`: the number of logs of a class, its pseudocount, the log gamma function of the
pseudocount, and the log of count 0."""


@njit(cache=True, nogil=True)
def log_table(counts: FloatArray, pseudocounts: FloatArray) -> FloatArray:
    r"""Tabulate log rising factorials of the pseudocounts of the classes, and of their sum.

    The evidence of weights :math:`n_c` at a node under pseudocounts :math:`a_c` is Dirichlet-multinomial:

    .. math:: \log D = \sum_c \log (a_c)_{n_c} - \log \Bigl(\sum_c a_c\Bigr)_{\sum_c n_c} , \qquad
        (a)_n = \Gamma(a + n) / \Gamma(a) .

    Parameters
    ----------
    counts, pseudocounts : array of shape (n_classes + 1,)
        Largest weight and pseudocount of each class, and last their sums.

    Returns
    -------
    array of shape (n_classes + 1, FIRST + n_logs)
        See :data:`LIMIT`.
    """
    logs = np.zeros((len(counts), FIRST + 1 + int(min(counts[len(counts) - 1], _MAX_LOGS))))
    for c in range(len(counts)):
        limit = 1 + int(min(counts[c], _MAX_LOGS))
        logs[c, LIMIT], logs[c, PSEUDOCOUNT] = limit, pseudocounts[c]
        logs[c, LOG_GAMMA] = math.lgamma(pseudocounts[c])
        for k in range(1, limit):
            # (a)_k = (a)_{k-1} (a + k - 1): one logarithm per count instead of two log gamma functions.
            logs[c, FIRST + k] = logs[c, FIRST + k - 1] + math.log(k - 1 + pseudocounts[c])
    return logs


@njit(cache=True, nogil=True)
def log_rising(logs: FloatArray, c: int, count: float) -> float:
    """Return the log rising factorial of class ``c``, or of the sum of all if ``c`` is their number."""
    if count < logs[c, LIMIT]:
        whole = int(count)
        if whole == count:
            return float(logs[c, FIRST + whole])
    # Weights of rows may be fractions, and their sums may be larger than the table.
    return float(math.lgamma(logs[c, PSEUDOCOUNT] + count) - logs[c, LOG_GAMMA])


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
def look_at(counts: FloatArray, table: FloatArray, classes: IntArray, logs: FloatArray) -> int:
    """Write weights, log evidence and present classes of a node; return the number of present classes."""
    n_classes, n_present = len(classes), 0
    total, evidence = 0.0, 0.0
    for c in range(n_classes):
        if counts[c] > 0.0:
            classes[n_present] = c
            n_present += 1
            total += counts[c]
            table[OWN, c] = counts[c]
            table[LOGS_OWN, c] = log_rising(logs, c, counts[c])
            evidence += table[LOGS_OWN, c]
    table[OWN, n_classes] = total
    table[LOGS_OWN, n_classes] = evidence - log_rising(logs, n_classes, total)
    return n_present


@njit(cache=True, nogil=True)
def scan(order: IntArray, table: FloatArray, codes: IntArray) -> IntArray:
    """Write the known codes that are present at a node, in the given order; return the part written."""
    n_codes = 0
    for k in range(len(order)):
        code = order[k]
        if table[code, table.shape[1] - 1] > 0.0:
            codes[n_codes] = code
            n_codes += 1
    return codes[:n_codes]


@njit(cache=True, nogil=True)
def rearranged(
    n_ordered: int,
    one_cut: bool,
    table: FloatArray,
    codes: IntArray,
    classes: IntArray,
    state: NDArray[np.uint64],
) -> bool:
    """Rearrange the codes into the second order in which splits are tried; return False if there is none.

    For ordered codes, the code of missing cells moves from the last place to the first. Codes without order
    are sorted by the share of one class, drawn at random from the present ones.
    """
    last = codes[len(codes) - 1]
    if n_ordered > 0:
        # Without missing cells there is nothing to move. With a single ordered code the only split, ordered
        # against missing, was tried in the first order.
        if last <= n_ordered or len(codes) < 3:
            return False
        for k in range(len(codes) - 1, 0, -1):
            codes[k] = codes[k - 1]
        codes[0] = last
        return True
    # Sets of one code were tried before; with two or three codes, they are all the splits there are.
    if one_cut or len(codes) < 4:
        return False
    # For two classes and the usual impurities, the best set has the codes with the smallest shares of one
    # class (Breiman et al. 1984). More than two classes are reduced to one class against all others. The
    # insertion sort is stable, and shares that differ by rounding keep the order of the scan.
    c, all_classes = classes[below(state, len(classes))], table.shape[1] - 1
    for k in range(len(codes)):
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
    classes: IntArray,
    logs: FloatArray,
    room: float,
    state: NDArray[np.uint64],
) -> tuple[float, int]:
    """Return the best set of codes and its score, the sum of the log evidence of both children.

    Candidates are the sets of the first 1, 2, ... codes if ``is_nested``, else the sets of one code; with
    ``one_cut`` one random candidate. A score is better only by more than ``room``. Unknown cells go to the
    heavier child.
    """
    all_classes = table.shape[1] - 1
    total, unknown = table[OWN, all_classes], table[0, all_classes]
    # Terms of the classes without the term of the total: the start of every sum, with all rows on the
    # right.
    of_whole = table[LOGS_OWN, all_classes] + log_rising(logs, all_classes, total)
    # All codes together are not a split, and of two codes each makes the same split.
    n_sets = len(codes) - 1 if is_nested or len(codes) == 2 else len(codes)
    only = below(state, n_sets) if one_cut else -1
    best, best_mask = -np.inf, 0
    weight, summed, mask = 0.0, 0.0, 0
    for k in range(n_sets):
        code = codes[k]
        # Nested sets grow by one code and keep their sums; a set of one code starts with an empty left
        # child.
        if k == 0 or not is_nested:
            weight, summed, mask = 0.0, of_whole, 0
            for a in range(len(classes)):
                c = classes[a]
                table[LEFT, c] = 0.0
                table[LOGS, c] = table[LOGS_OWN, c]
        mask |= 1 << code
        weight += table[code, all_classes]
        for a in range(len(classes)):
            c = classes[a]
            table[LEFT, c] += table[code, c]
        # A random set needs the weights of the sets before it, but not their scores.
        if only >= 0 and k != only:
            continue
        # Known cells decide which child is heavier; equal weights, up to rounding, go left.
        is_heavier = 2.0 * weight >= (total - unknown) * (1.0 - TOLERANCE)
        for a in range(len(classes)):
            c = classes[a]
            # The terms of a class change only if the class has this code. All have to be computed if earlier
            # sets were not scored, or if unknown cells may have changed sides.
            if table[code, c] > 0.0 or only >= 0 or unknown > 0.0:
                count = table[LEFT, c] + table[0, c] if is_heavier else table[LEFT, c]
                # A difference of sums of fractional weights may be negative by rounding.
                right = max(table[OWN, c] - count, 0.0)
                added = log_rising(logs, c, count) + log_rising(logs, c, right)
                summed += added - table[LOGS, c]
                table[LOGS, c] = added
        count = weight + unknown if is_heavier else weight
        score = summed - log_rising(logs, all_classes, count)
        score -= log_rising(logs, all_classes, max(total - count, 0.0))
        if score > best + room:
            # Bit 0 is the code of unknown cells.
            best, best_mask = score, mask | is_heavier
    return best, best_mask


@njit(cache=True, nogil=True)
def completed(mask: int, codes: IntArray, n_values: int, n_ordered: int) -> int:
    """Return a set of codes, completed by codes that are absent at the node.

    The cut between ordered codes is in the middle of the gap. Other absent codes carry no information here
    and go to the heavier child, as unknown cells do.
    """
    low, high, present = 0, n_ordered + 1, 0
    for k in range(len(codes)):
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
