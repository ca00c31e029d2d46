"""EM iterations. Arrays in, arrays out, nothing checked; ``_problem`` gives the shapes.

Order of reading: :func:`run` (one run), :func:`share_out` (the E step), :func:`maximise` (the M step).

Small functions are inlined before compilation; otherwise they would be compiled twice, by themselves and
within their caller. This saves a third of the time of the first call.
"""

import math

import numpy as np
from numba import njit

from ...typing import CodeArray, FloatArray, IntArray
from ._problem import JointRows

_ROWS_AT_ONCE = 256
_SAFE = 2.0**-800
"""Above this sum of probabilities no component that counts can have been lost to underflow."""


@njit(cache=True, nogil=True, inline="always")
def expand(table: FloatArray, members: IntArray, joint: FloatArray) -> None:
    """Compute the probabilities of joint cells: products of the rows of the table they are made of."""
    # A joint cell is multiplied once per iteration and then used by all rows: with few joint cells and many
    # rows this replaces most multiplications of the E step.
    for j in range(members.shape[0]):
        for k in range(table.shape[1]):
            joint[j, k] = table[members[j, 0], k]
        for c in range(1, members.shape[1]):
            member = members[j, c]
            for k in range(table.shape[1]):
                joint[j, k] *= table[member, k]


@njit(cache=True, nogil=True)
def share_out(
    rows: JointRows,
    table: FloatArray,
    joint: FloatArray,
    n_components: int,
    start: int,
    stop: int,
    log_likelihood: float,
    counts: FloatArray,
) -> float:
    """Share rows ``start .. stop - 1`` out over the components: the E step.

    A block gives the same sums in one piece or in several. Probabilities are multiplied directly; a row for
    which that might underflow is computed in logs.

    Parameters
    ----------
    rows : JointRows
        The rows.
    table : array of shape (n_cells + 2, n_lanes)
        Probabilities of the mixture.
    joint : array of shape (n_joint, n_lanes)
        Probabilities of joint cells, from :func:`expand`.
    n_components : int
        Lanes that are components.
    start, stop : int
        The range of rows.
    log_likelihood : float
        Log-likelihood of the rows before ``start``.
    counts : array of shape (n_joint, n_lanes)
        Expected counts, to which those of the rows are added.

    Returns
    -------
    float
        ``log_likelihood`` plus that of the rows.
    """
    keys, weights = rows.keys, rows.weights
    n_groups, n_lanes = keys.shape[0], joint.shape[1]
    shares = np.empty((_ROWS_AT_ONCE, n_lanes))
    logs = np.empty((0, 0))
    # A few hundred rows at a time: their shares stay in the first-level cache between the three passes,
    # products, normalisation and counts.
    for low in range(start, stop, _ROWS_AT_ONCE):
        n_rows = min(_ROWS_AT_ONCE, stop - low)
        _multiply(keys, joint, low, n_rows, shares)
        for t in range(n_rows):
            total = 0.0
            for k in range(n_lanes):
                total += shares[t, k]
            if total >= _SAFE:
                log_likelihood += weights[low + t] * math.log(total)
            else:
                if logs.shape[0] == 0:
                    logs = _log_joint(table, rows.members)
                log_total = _share_in_logs(keys, logs, n_components, low + t, shares[t])
                log_likelihood += weights[low + t] * log_total
                total = 1.0
            # Weight and normaliser in one factor per row.
            scale = weights[low + t] / total
            for k in range(n_lanes):
                shares[t, k] *= scale
        # Group outside, rows inside: counts of one group of columns are a small table that stays in the
        # cache.
        for g in range(n_groups):
            for t in range(n_rows):
                # Unsigned, so that numba omits the check for negative indices.
                key = np.uint64(keys[g, low + t])
                for k in range(n_lanes):
                    counts[key, k] += shares[t, k]
    return log_likelihood


@njit(cache=True, nogil=True, inline="always")
def _multiply(keys: CodeArray, joint: FloatArray, low: int, n_rows: int, shares: FloatArray) -> None:
    # Four components at a time stay in registers from the first group of columns to the last.
    for k in range(0, joint.shape[1], 4):
        for t in range(n_rows):
            key = np.uint64(keys[0, low + t])
            p0, p1, p2, p3 = joint[key, k], joint[key, k + 1], joint[key, k + 2], joint[key, k + 3]
            for g in range(1, keys.shape[0]):
                key = np.uint64(keys[g, low + t])
                p0 *= joint[key, k]
                p1 *= joint[key, k + 1]
                p2 *= joint[key, k + 2]
                p3 *= joint[key, k + 3]
            shares[t, k], shares[t, k + 1], shares[t, k + 2], shares[t, k + 3] = p0, p1, p2, p3


@njit(cache=True, nogil=True)
def _log_joint(table: FloatArray, members: IntArray) -> FloatArray:
    # Logs of single cells are added up, because the product of a joint cell may have underflowed already.
    logs = np.empty(table.shape)
    for cell in range(table.shape[0]):
        for k in range(table.shape[1]):
            logs[cell, k] = math.log(table[cell, k]) if table[cell, k] > 0 else -np.inf
    joint = np.zeros((members.shape[0], table.shape[1]))
    for j in range(members.shape[0]):
        for c in range(members.shape[1]):
            for k in range(table.shape[1]):
                joint[j, k] += logs[members[j, c], k]
    return joint


@njit(cache=True, nogil=True)
def _share_in_logs(keys: CodeArray, logs: FloatArray, n_components: int, n: int, shares: FloatArray) -> float:
    """Compute the shares of one row and the log of its probability; equal shares if that is zero."""
    highest = -np.inf
    for k in range(n_components):
        shares[k] = 0.0
        for g in range(keys.shape[0]):
            shares[k] += logs[np.uint64(keys[g, n]), k]
        highest = max(highest, shares[k])
    # The mixture excludes the row. Equal shares let the M step admit it; its log-likelihood is minus
    # infinity.
    if highest == -np.inf:
        for k in range(n_components):
            shares[k] = 1 / n_components
        return -np.inf
    total = 0.0
    for k in range(n_components):
        shares[k] = math.exp(shares[k] - highest)
        total += shares[k]
    for k in range(n_components):
        shares[k] /= total
    return highest + math.log(total)


@njit(cache=True, nogil=True, inline="always")
def maximise(
    counts: FloatArray,
    members: IntArray,
    excess: FloatArray,
    offsets: IntArray,
    n_components: int,
    table: FloatArray,
) -> None:
    """Compute the most probable table given expected counts of joint cells and a prior: the M step.

    Parameters
    ----------
    counts : array of shape (n_joint, n_lanes)
        Expected counts of joint cells.
    members : array of shape (n_joint, n_members)
        Rows of the table that each joint cell is made of.
    excess : array of shape (n_cells + 2, n_lanes)
        Pseudocounts less one.
    offsets : array of shape (n_variables + 1,)
        First cell of each variable.
    n_components : int
        Lanes that are components.
    table : array of shape (n_cells + 2, n_lanes)
        Receives the probabilities.
    """
    n_lanes, of_components = table.shape[1], offsets[len(offsets) - 1]
    for cell in range(table.shape[0]):
        for k in range(n_lanes):
            table[cell, k] = excess[cell, k]
    # Expected counts of joint cells are added to all their members: cells of the columns and the component
    # alike. The row of ones receives counts too, and is reset in the end.
    for j in range(members.shape[0]):
        for c in range(members.shape[1]):
            member = members[j, c]
            for k in range(n_lanes):
                table[member, k] += counts[j, k]
    total = 0.0
    for k in range(n_components):
        total += table[of_components, k]
    for k in range(n_components):
        table[of_components, k] = table[of_components, k] / total if total > 0 else 1 / n_components
    # A distribution without counts is 0/0 and becomes uniform.
    totals = np.empty(n_lanes)
    for i in range(len(offsets) - 1):
        first, spare = offsets[i], offsets[i + 1] - 1
        for k in range(n_lanes):
            totals[k] = 0.0
            table[spare, k] = 1.0
        for cell in range(first, spare):
            for k in range(n_lanes):
                totals[k] += table[cell, k]
        for cell in range(first, spare):
            for k in range(n_lanes):
                table[cell, k] = table[cell, k] / totals[k] if totals[k] > 0 else 1 / (spare - first)
    for k in range(n_lanes):
        table[of_components + 1, k] = 1.0


@njit(cache=True, nogil=True, inline="always")
def log_prior(table: FloatArray, excess: FloatArray) -> float:
    """Compute the log density of the table under the prior, up to a constant."""
    total = 0.0
    for cell in range(table.shape[0]):
        for k in range(table.shape[1]):
            # With an excess of 0 the factor is 1, also for a probability of zero.
            if excess[cell, k] > 0:
                total += excess[cell, k] * (math.log(table[cell, k]) if table[cell, k] > 0 else -np.inf)
    return total


@njit(cache=True, nogil=True)
def run(
    rows: JointRows,
    bounds: IntArray,
    excess: FloatArray,
    offsets: IntArray,
    n_components: int,
    least_gain: float,
    table: FloatArray,
    trace: FloatArray,
) -> int:
    """Run EM on one thread.

    Parameters
    ----------
    rows : JointRows
        The rows.
    bounds : array of shape (n_blocks + 1,)
        Bounds of the blocks of rows that are summed separately.
    excess, offsets, n_components
        As in :func:`maximise`.
    least_gain : float
        Gain of the objective, in nats, below which EM has converged; 0 for all iterations.
    table : array of shape (n_cells + 2, n_lanes)
        Holds the start and receives the end.
    trace : array of shape (2, max_iter)
        Receives the objective (row 0) and the log-likelihood (row 1) of each iteration.

    Returns
    -------
    int
        Iterations made.
    """
    members = rows.members
    joint = np.empty((members.shape[0], table.shape[1]))
    counts, of_block = np.empty(joint.shape), np.empty(joint.shape)
    for iteration in range(trace.shape[1]):
        expand(table, members, joint)
        counts.fill(0.0)
        log_likelihood = 0.0
        for b in range(len(bounds) - 1):
            start, stop = bounds[b], bounds[b + 1]
            # Blocks are summed separately and then added in order, exactly as on several threads: the result
            # does not depend on the number of threads.
            of_block.fill(0.0)
            log_likelihood += share_out(rows, table, joint, n_components, start, stop, 0.0, of_block)
            for j in range(counts.shape[0]):
                for k in range(counts.shape[1]):
                    counts[j, k] += of_block[j, k]
        trace[0, iteration] = log_likelihood + log_prior(table, excess)
        trace[1, iteration] = log_likelihood
        # The table is scored before it is improved, so the last table returned is the one scored last.
        if iteration + 1 == trace.shape[1] or has_converged(trace[0], iteration, least_gain):
            return iteration + 1
        maximise(counts, members, excess, offsets, n_components, table)
    return 0


@njit(cache=True, nogil=True, inline="always")
def has_converged(objective: FloatArray, iteration: int, least_gain: float) -> bool:
    """Return whether the last iteration gained too little; never if ``least_gain`` is zero."""
    return iteration > 0 and least_gain > 0 and objective[iteration] - objective[iteration - 1] < least_gain
