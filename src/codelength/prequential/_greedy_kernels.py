"""Greedy orderings. Arrays in, arrays out, nothing checked.

Equal rows are one *pattern*, which is placed as often as it has rows. ``sums`` holds the log weight of each
pattern in each group. Placing a row changes the counts, and so the log weights, of its own group only.

A choice compares the odds of a pattern's class, so weights are kept as exponentials relative to a reference
group of each pattern; logarithms are taken only if odds leave the range of a float64. Two tables are cheap to
keep: placing a row renews the log weights of one group, in O(n_patterns n_columns), and the odds of all
patterns are sums over groups.

Order of reading: :class:`Patterns`, :func:`place_rows` (the loop), ``_set_sums`` (log weights of a group),
``_choose`` (the next pattern), then its parts. :func:`codelength.prequential.orderings.greedy_ordering` drops
patterns that are used up and calls again.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ..decisions import TOLERANCE
from ..naive_bayes._kernels import exp_of_negative
from ..typing import BoolArray, CodeArray, FloatArray, IntArray
from ._kernels import shift, shift_all, start
from .layout import SequenceLayout


class Patterns(NamedTuple):
    """The patterns still to be placed.

    Attributes
    ----------
    rows : array of shape (2 + n_columns, n_patterns)
        Label, class and cells, as in the layout.
    blocks : array of shape (n_blocks + 1,)
        Boundaries of runs of patterns with the same label and class.
    members : array of shape (n_rows,)
        The rows, those of one pattern side by side and in increasing order.
    nexts, ends : arrays of shape (n_patterns,)
        Positions of the next member, and of the end of the members.
    gone : array of shape (n_patterns,)
        Zero, or infinity for a pattern that is used up.
    """

    rows: CodeArray
    blocks: IntArray
    members: IntArray
    nexts: IntArray
    ends: IntArray
    gone: FloatArray


@njit(cache=True, nogil=True)
def place_rows(
    layout: SequenceLayout,
    has_gaps: BoolArray,
    patterns: Patterns,
    order: IntArray,
    n_placed: int,
    less: int,
    worst: bool,
) -> int:
    """Place one row after the other, until half of the patterns are used up.

    Parameters
    ----------
    layout : SequenceLayout
        The rows and the rule.
    has_gaps : array of shape (n_columns,)
        Columns with missing cells.
    patterns : Patterns
        The patterns to place; ``nexts`` and ``gone`` are updated.
    order : array of shape (n_rows,)
        Rows in the order placed; filled from ``n_placed`` on.
    n_placed : int
        Number of rows placed so far.
    less : int
        1 to fill the last place first, by rows predicted from all the others left; 0 to fill the first.
    worst : bool
        Place the row that is predicted worst next, rather than the one predicted best.

    Returns
    -------
    int
        Number of rows placed.
    """
    state, n_patterns, n_groups = start(layout), len(patterns.nexts), layout.starts.shape[1]
    if less:
        shift_all(layout, state, np.arange(len(order)), 1)
    shift_all(layout, state, order[:n_placed], 1 - 2 * less)
    sums, weights = np.empty((n_groups, n_patterns)), np.empty((n_groups, n_patterns))
    references, keys, n_gone = np.zeros(n_patterns), np.empty(n_patterns), 0
    for k in range(n_groups):
        _set_sums(layout, state.counts, has_gaps, patterns, k, less, sums[k])
    _refer(sums, references, weights, 0, n_patterns)
    while n_gone * 2 <= n_patterns and n_placed < len(order):
        p = _choose(
            layout.class_offsets, state.counts, patterns, sums, references, weights, less, worst, keys
        )
        n, k = patterns.members[patterns.nexts[p]], patterns.rows[0, p]
        order[n_placed] = n
        n_placed += 1
        patterns.nexts[p] += 1
        if patterns.nexts[p] == patterns.ends[p]:
            patterns.gone[p] = np.inf
            n_gone += 1
        shift(layout, state, n, 1 - 2 * less)
        _set_sums(layout, state.counts, has_gaps, patterns, k, less, sums[k])
        # Weights this large are renewed before they are used; the bound keeps the exponent in its range.
        logs = np.minimum(sums[k] - references, 690.0)
        exp_of_negative(logs, np.empty_like(logs), weights[k])
    return n_placed


@njit(cache=True, nogil=True)
def _set_sums(
    layout: SequenceLayout,
    counts: IntArray,
    has_gaps: BoolArray,
    patterns: Patterns,
    k: int,
    less: int,
    sums: FloatArray,
) -> None:
    """Compute the log weights of all patterns in a group."""
    rows, blocks = patterns.rows, patterns.blocks
    columns, size = np.zeros((2, len(layout.starts))), counts[len(counts) - 1, k]
    # Line 0 for patterns that are not counted in the group, line 1 for those that are.
    for own in range(2 if less and size else 1):
        _set_column(layout, counts, has_gaps, k, own, columns[own])
    for b in range(len(blocks) - 1):
        low, high = blocks[b], blocks[b + 1]
        column, of_block = columns[1 if less and rows[0, low] == k else 0], sums[low:high]
        of_block[:] = column[len(column) - 1]
        # Two columns at once: half as many loads and stores of the sums.
        for i in range(0, len(has_gaps) - 1, 2):
            cells, others = rows[2 + i, low:high], rows[3 + i, low:high]
            for p in range(high - low):
                of_block[p] += column[cells[p]] + column[others[p]]
        if len(has_gaps) % 2:
            cells = rows[len(rows) - 1, low:high]
            for p in range(high - low):
                of_block[p] += column[cells[p]]


@njit(cache=True, nogil=True)
def _set_column(
    layout: SequenceLayout, counts: IntArray, has_gaps: BoolArray, k: int, less: int, column: FloatArray
) -> None:
    """Set the entries of a group, for a row that is (``less`` 1) or is not counted there; last its front."""
    first_cells, starts, entries, alike = layout.first_cells, layout.starts, layout.entries, layout.alike
    size = counts[len(counts) - 1, k] - less
    column[len(column) - 1] = entries[starts[len(starts) - 1, k] + size]
    for i in range(len(has_gaps)):
        spare = first_cells[i + 1] - 1
        observed = size - counts[spare, k]
        # Totals of complete columns are part of the front; those of the others count for observed cells only.
        total = entries[starts[spare, k] + observed] if has_gaps[i] and observed >= 0 else 0.0
        # A column without observations under a rule that adds nothing predicts all values alike; the number
        # of values is in the total already.
        unseen = observed == 0 and len(alike) > 0 and alike[min(i, len(alike) - 1), k]
        for cell in range(first_cells[i], spare):
            count = counts[cell, k] - less
            # With ``less`` 1 a count of zero means that no row of this label has the value: nothing reads it.
            if count >= 0:
                column[cell] = (0.0 if unseen else entries[starts[cell, k] + count]) - total


@njit(cache=True, nogil=True)
def _refer(sums: FloatArray, references: FloatArray, weights: FloatArray, low: int, high: int) -> None:
    """Make the heaviest group of each pattern its reference, and compute its weights anew."""
    for p in range(low, high):
        highest = sums[:, p].max()
        # If no group has weight, any finite reference will do.
        references[p] = highest if highest > -np.inf else 0.0
        for k in range(len(sums)):
            weights[k, p] = math.exp(max(sums[k, p] - references[p], -690.0))


@njit(cache=True, nogil=True)
def _choose(
    class_offsets: FloatArray,
    counts: IntArray,
    patterns: Patterns,
    sums: FloatArray,
    references: FloatArray,
    weights: FloatArray,
    less: int,
    worst: bool,
    keys: FloatArray,
) -> int:
    r"""Return the pattern to place next: least odds against its class (``worst``: in its favour).

    The odds against a class are compared instead of its probability, of which they are a monotone function:

    .. math:: \frac{\sum_k W_k s_k^{\text{against}}}{\sum_k W_k s_k^{\text{favour}}}

    with :math:`W_k` the weight of group *k* and the shares of :func:`_set_shares`. Odds keep all their digits
    near certainty.
    """
    rows, blocks, n_blocks = patterns.rows, patterns.blocks, len(patterns.blocks) - 1
    shares, odds, leasts = np.empty((2, len(sums))), np.empty((2, len(keys))), np.empty(n_blocks)
    is_exact = True
    # Label and class are constant in a block, so the shares of the groups are computed once for its patterns.
    for b in range(n_blocks):
        low, high = blocks[b], blocks[b + 1]
        _set_shares(class_offsets, counts, rows[0, low], rows[1, low], less, shares)
        _set_odds(weights, low, high, shares, odds)
        # Weights are relative to a reference that does not follow every step; it is renewed before odds leave
        # the range of a float64.
        if _n_beyond(odds[0, low:high], odds[1, low:high]):
            _refer(sums, references, weights, low, high)
            _set_odds(weights, low, high, shares, odds)
            is_exact = is_exact and not _n_beyond(odds[0, low:high], odds[1, low:high])
        leasts[b] = _set_keys(odds, low, high, worst, patterns.gone, keys)
    least = leasts.min()
    if is_exact and 1e-250 < least < 1e250:
        # Odds are quotients, so a tolerance on log odds is a factor.
        return _lowest(patterns, keys, leasts, least * (1 + TOLERANCE))
    # Weights and odds as small or as large as this are not exact: all patterns are compared on logs.
    for b in range(n_blocks):
        _set_shares(class_offsets, counts, rows[0, blocks[b]], rows[1, blocks[b]], less, shares)
        leasts[b] = np.inf
        for p in range(blocks[b], blocks[b + 1]):
            against, favour = _log_total(sums[:, p], shares[0]), _log_total(sums[:, p], shares[1])
            if against == -np.inf and favour == -np.inf and len(sums) > 1:
                # No group has weight: all classes are alike.
                against, favour = math.log(len(sums) - 1), 0.0
            elif against == -np.inf:
                favour = 0.0
            keys[p] = favour - against if worst else against - favour
            if patterns.nexts[p] < patterns.ends[p]:
                leasts[b] = min(leasts[b], keys[p])
    return _lowest(patterns, keys, leasts, leasts.min() + TOLERANCE)


@njit(cache=True, nogil=True)
def _set_shares(
    class_offsets: FloatArray, counts: IntArray, label: int, value: int, less: int, shares: FloatArray
) -> None:
    """Set the factors of the group weights in the odds against and in favour of a class."""
    size, n_class_values = len(counts) - 1, class_offsets.shape[1]
    for k in range(shares.shape[1]):
        # In a mixture the class is a column: a group predicts it by its counts of that class, equation (6) of
        # the 2001 paper. In naive Bayes the group is the class, and the factors are zeros and ones.
        if n_class_values:
            count = counts[size - n_class_values + value, k]
            shares[0, k] = counts[size, k] - count + class_offsets[1, value, k]
            shares[1, k] = count - (less if k == label else 0) + class_offsets[0, value, k]
        else:
            shares[0, k] = 0.0 if k == value else 1.0
            shares[1, k] = 1.0 - shares[0, k]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _set_odds(weights: FloatArray, low: int, high: int, shares: FloatArray, odds: FloatArray) -> None:
    """Set the summed weights against the class of each pattern, and those in favour of it."""
    # Groups outside, patterns inside: the inner loop runs over contiguous memory and vectorises. Products may
    # be contracted to fused ones, whose error is far below the tolerance.
    for side in range(2):
        sums = odds[side, low:high]
        sums[:] = 0.0
        for k in range(len(weights)):
            share, of_group = shares[side, k], weights[k, low:high]
            if share != 0.0:
                for p in range(len(sums)):
                    sums[p] += share * of_group[p]


@njit(cache=True, nogil=True)
def _n_beyond(against: FloatArray, favour: FloatArray) -> int:
    """Count the patterns whose odds are about to leave the range of a float64."""
    n_beyond = 0
    for p in range(len(favour)):
        total = against[p] + favour[p]
        n_beyond += (total < 1e-100) | (total > 1e100)
    return n_beyond


# Comparisons of numbers that cannot be NaN vectorise.
@njit(cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz"})
def _set_keys(
    odds: FloatArray, low: int, high: int, worst: bool, gone: FloatArray, keys: FloatArray
) -> float:
    """Set the odds against the class (``worst``: in its favour); return the least."""
    top, bottom, of_block = (
        odds[1 if worst else 0, low:high],
        odds[0 if worst else 1, low:high],
        keys[low:high],
    )
    is_gone, least = gone[low:high], np.inf
    for p in range(high - low):
        # Division by zero gives infinity, which is right for an impossible class.
        of_block[p] = top[p] / bottom[p] + is_gone[p]
    for p in range(high - low):
        least = min(least, of_block[p])
    return least


@njit(cache=True, nogil=True)
def _lowest(patterns: Patterns, keys: FloatArray, leasts: FloatArray, limit: float) -> int:
    """Return the pattern with the lowest row number among those up to the limit."""
    lowest, found = len(patterns.members), -1
    for b in range(len(leasts)):
        # Blocks whose least key is beyond the limit are skipped as a whole.
        for p in range(patterns.blocks[b], patterns.blocks[b + 1] if leasts[b] <= limit else 0):
            if keys[p] <= limit and patterns.nexts[p] < patterns.ends[p]:
                row = patterns.members[patterns.nexts[p]]
                if row < lowest:
                    lowest, found = row, p
    return found


@njit(cache=True, nogil=True)
def _log_total(logs: FloatArray, shares: FloatArray) -> float:
    """Return the log of a weighted sum of exponentials."""
    highest, total = -np.inf, 0.0
    for k in range(len(logs)):
        if shares[k] > 0:
            highest = max(highest, logs[k])
    for k in range(len(logs)):
        if shares[k] > 0 and logs[k] > -np.inf:
            total += shares[k] * math.exp(logs[k] - highest)
    return highest + math.log(total) if total > 0 else -np.inf
