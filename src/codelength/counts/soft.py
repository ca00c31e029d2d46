"""Expected counts of a table whose rows are divided among the classes."""

from typing import Any

import numpy as np

from ..errors import DataError
from ..table import Coded
from .counts import Counts


def expected_counts(coded: Coded, shares: Any) -> Counts:
    """Return the counts of a table in which each row is divided among the classes of the schema.

    Parameters
    ----------
    coded : Coded
        Rows to count; their own classes are ignored.
    shares : array of shape (n_rows, n_classes)
        Share of each class in each row, such as the probability of each component.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1]])
    >>> expected_counts(coded, [[0.25, 0.75], [1, 0]]).of(0)
    array([[0.25, 1.  ],
           [0.75, 0.  ]])
    """
    from ._kernels import add_soft_counts

    schema = coded.schema
    try:
        given = np.ascontiguousarray(shares, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("shares: expected an array of numbers, one row per row of the table") from None
    if given.shape != (coded.n_rows, schema.n_classes):
        raise DataError(
            f"shares of shape {given.shape}: expected {(coded.n_rows, schema.n_classes)}, one share for each "
            "row and each class of the schema"
        )
    if not ((given >= 0) & (given < np.inf)).all():
        raise DataError("shares: one of them is negative or not a finite number")
    if coded.weights is not None:
        given = given * coded.weights[:, None]
    # Cells first, so that the shares of all classes are added to contiguous memory.
    value_counts = np.zeros((schema.n_cells, schema.n_classes))
    add_soft_counts(coded.codes.T, schema.offsets, given, value_counts)
    return Counts(schema, given.sum(axis=0), np.ascontiguousarray(value_counts.T))
