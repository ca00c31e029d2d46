"""Greedy orderings. Arrays in, arrays out, nothing checked.

Equal rows are one *pattern*, which is placed as often as it has rows. For every group and pattern ``sums`` holds
the log weight that the cells of the pattern have in the group. Placing a row moves the sums of its own group
only, and only by the differences of the entries its cells touch. The entries are whole multiples of a power of
two, so adding and taking off differences is exact, and patterns that tie by definition tie here.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ...rules._kernels import _exp_of_negative
from ...typing import BoolArray, CodeArray, FloatArray, IntArray
from ._kernels import shift, start
from .tables import SequenceTables

_AT_ONCE = 1024
_TOO_SMALL, _TOO_LARGE = 1e-250, 1e250


class Patterns(NamedTuple):
    """Distinct rows, sorted by label and then by class.

    ``codes`` has shape (n_columns, n_patterns); pattern ``p`` stands for the rows
    ``members[bounds[p] : bounds[p + 1]]``, in increasing order.
    """

    codes: CodeArray
    labels: IntArray
    classes: IntArray
    members: IntArray
    bounds: IntArray


class Field(NamedTuple):
    """The patterns still to be placed, in the first ``size[0]`` places of each array.

    ``sums`` and ``weights`` have shape (n_groups, n_patterns): log weights of the cells, and weights relative
    to the reference of the pattern. ``nexts`` and ``ends`` are positions among the members. ``blocks`` are
    runs of patterns with the same label and class.
    """

    size: IntArray
    codes: CodeArray
    labels: IntArray
    classes: IntArray
    nexts: IntArray
    ends: IntArray
    sums: FloatArray
    weights: FloatArray
    references: FloatArray
    blocks: IntArray


class Moves(NamedTuple):
    """By how much the sums of a group move, column by column, for patterns of other labels and of the same.

    ``match`` is for patterns with the placed row's value, ``rest`` for those with another; both have shape
    (2, n_columns).
    """

    match: FloatArray
    rest: FloatArray
