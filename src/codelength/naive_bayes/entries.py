"""Entries of log tables, made once and looked up by count.

Every entry of a log table is ``g(n + offset)``, where ``g`` is the growth function of the rule. A kernel that
takes rows in one at a time raises whole counts by one, so all entries it will ever need can be listed
beforehand, one list per distinct offset. It then knows neither the rule nor its arithmetic.
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
        The rule whose growth function is listed.
    offsets : array of any shape
        What the rule adds to each count.
    most : array of the same shape
        The largest count that will be looked up for each of them.
    first : array of the same shape, optional
        What takes the place of ``offset + 0`` in the entry for n = 0; by default the offset itself. A rule
        that normalises spreads a variable of which nothing was seen, and to which nothing is added, evenly
        over its values: the list of its total begins with ``rule.growth(n_values)``.

    Returns
    -------
    entries : array of shape (n_entries,)
        The lists, one after the other.
    starts : array of the shape of ``offsets``
        Where each list begins: ``entries[starts[...] + n]`` is the entry of ``n``, which is at most ``most``.

    Examples
    --------
    >>> from codelength.naive_bayes import RULES
    >>> offsets, most = np.array([[0.5, 1.0], [1.0, 0.5]]), np.array([[1, 0], [2, 0]])
    >>> entries, starts = growth_lists(RULES["evidence"], offsets, most)
    >>> np.exp(entries).round(9).tolist(), starts.tolist()
    ([0.5, 1.5, 1.0, 2.0, 3.0], [[0, 2], [2, 0]])
    """
    # One complex number per list, because arrays of pairs take long to sort.
    keys = offsets + 1j * (offsets if first is None else first)
    distinct, which = np.unique(keys, return_inverse=True)
    which = which.reshape(keys.shape)
    lengths = np.ones(len(distinct), dtype=np.int64)
    np.maximum.at(lengths, which, most + 1)
    ends = np.cumsum(lengths)
    begins = ends - lengths
    numbers = np.arange(ends[-1] if len(ends) else 0) - np.repeat(begins, lengths)
    raised = np.repeat(distinct.real, lengths) + numbers
    raised[begins] = distinct.imag
    return rule.growth(raised), begins[which]
