"""Counting loops in plain numpy, for small calls; results are equal to those of ``_kernels``."""

import numpy as np

from .._threads import FirstCalls
from ..table import Coded
from ..typing import FloatArray

_CALL = 1000
"""Fixed cost of a call, in cells."""

_ROWS_AT_ONCE = 1 << 16

first_calls = FirstCalls()


def is_plain(coded: Coded) -> bool:
    """Return True if these rows are counted faster here than by a kernel that has to be loaded."""
    # Weights must be added in row order, so all rows are counted at once, which takes more memory and time.
    cost = 1 if coded.weights is None else 8
    return first_calls.are_plain(_CALL + cost * coded.codes.size)


def count_plainly(coded: Coded) -> FloatArray:
    """Return rows, or summed weights, of each class and cell, shape (n_classes, n_cells)."""
    schema = coded.schema
    shape = schema.n_classes, schema.n_cells
    counts, step = np.zeros(shape), coded.n_rows if coded.weights is not None else _ROWS_AT_ONCE
    for start in range(0, coded.n_rows, max(step, 1)):
        codes, classes = (part[start : start + step] for part in (coded.codes, coded.class_codes))
        # One flat index per cell, so that a single bincount counts all variables.
        firsts = np.asarray(classes, dtype=np.int64)[:, None] * schema.n_cells + schema.offsets[:-1]
        weights = None if coded.weights is None else np.repeat(coded.weights, schema.n_variables)
        counts += np.bincount((firsts + codes).ravel(), weights, counts.size).reshape(shape)
    return counts
