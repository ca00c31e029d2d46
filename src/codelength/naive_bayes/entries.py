"""Entries of log tables, computed once and looked up by count.

Every entry of a log table is ``g(n + offset)`` with the growth function ``g`` of the rule. A kernel that adds
rows one at a time raises whole counts by one, so all entries it needs can be listed in advance, one list per
distinct offset. The kernel is then independent of the rule.
"""

import numpy as np

from ..typing import FloatArray, IntArray
from .rules.rule import Rule


def growth_lists(
    rule: Rule, offsets: FloatArray, most: IntArray, *, first: FloatArray | None = None
) -> tuple[FloatArray, IntArray]:
    """List ``rule.growth(offset + n)`` for n = 0, 1, ..., once per distinct offset.

    Parameters
    ----------
    rule : Rule
        Rule with the growth function.
    offsets : array of any shape
        Offset of each count.
    most : array of the same shape
        Largest count to look up for each of them.
    first : array of the same shape, optional
        Argument of the entry for n = 0, instead of ``offset + 0``. A rule that normalises gives a variable
        without counts and offsets the uniform distribution: the list of its total begins with
        ``rule.growth(n_values)``.

    Returns
    -------
    entries : array of shape (n_entries,)
        All lists, one after the other.
    starts : array of the shape of ``offsets``
        Start of each list: ``entries[starts[...] + n]`` is the entry of ``n``, which is at most ``most``.

    Examples
    --------
    >>> from codelength.naive_bayes import RULES
    >>> offsets, most = np.array([[0.5, 1.0], [1.0, 0.5]]), np.array([[1, 0], [2, 0]])
    >>> entries, starts = growth_lists(RULES["evidence"], offsets, most)
    >>> np.exp(entries).round(9).tolist(), starts.tolist()
    ([0.5, 1.5, 1.0, 2.0, 3.0], [[0, 2], [2, 0]])
    """
    # One complex number per list, because np.unique sorts them much faster than rows of pairs.
    keys = offsets + 1j * (offsets if first is None else first)
    distinct, which = np.unique(keys, return_inverse=True)
    which = which.reshape(keys.shape)
    lengths = np.ones(len(distinct), dtype=np.int64)
    # Offsets that are equal share a list, which is as long as the largest count of any of them.
    np.maximum.at(lengths, which, most + 1)
    ends = np.cumsum(lengths)
    begins = ends - lengths
    numbers = np.arange(ends[-1] if len(ends) else 0) - np.repeat(begins, lengths)
    raised = np.repeat(distinct.real, lengths) + numbers
    raised[begins] = distinct.imag
    return rule.growth(raised), begins[which]
