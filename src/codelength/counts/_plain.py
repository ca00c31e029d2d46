"""The counting loops in plain numpy, for calls that are not worth compiling a kernel for: the same sums."""

import numpy as np

from .._threads import FirstCalls
from ..table import Coded
from ..typing import FloatArray

_CALL = 1000
"""What a call costs beside its cells, in cells."""

first_calls = FirstCalls()


def is_plain(coded: Coded) -> bool:
    """Whether these rows are better counted here."""
    return first_calls.are_plain(_CALL + coded.codes.size)


def count_plainly(coded: Coded) -> FloatArray:
    """Rows, or summed weights, of each class and cell, shape (n_classes, n_cells), added up in order."""
    schema = coded.schema
    shape = schema.n_classes, schema.n_cells
    firsts = np.asarray(coded.class_codes, dtype=np.int64)[:, None] * schema.n_cells + schema.offsets[:-1]
    cells = (firsts + coded.codes).ravel()
    weights = None if coded.weights is None else np.repeat(coded.weights, schema.n_variables)
    return np.bincount(cells, weights, shape[0] * shape[1]).reshape(shape).astype(np.float64)
