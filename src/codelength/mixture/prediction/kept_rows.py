"""Training rows in a model file, for models that predict from them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._packing import packed, unpacked
from ...errors import DataError
from ...table import Coded, Schema

LARGEST_WEIGHT = 2.0**53
"""Weights in a file are not larger."""


def packed_rows(coded: Coded) -> dict[str, Any]:
    """The distinct rows and their weights as JSON types.

    Examples
    --------
    >>> schema = Schema.from_sizes([2, 3])
    >>> document = packed_rows(Coded.of(schema, [[0, 2], [1, 3], [0, 2]]))
    >>> restored_rows(document, schema).weights
    array([2., 1.])
    """
    rows = coded.relabelled(coded.schema.without_target()).distinct()
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    kind = np.uint8 if rows.codes.dtype == np.uint8 else np.int32
    return {"codes": packed(rows.codes.astype(kind)), "weights": packed(weights)}


def restored_rows(document: Mapping[str, Any], schema: Schema) -> Coded:
    """The rows that :func:`packed_rows` wrote, checked."""
    codes = unpacked(document["codes"], (None, schema.n_variables), low=0)
    weights = unpacked(document["weights"], (len(codes),), low=0.0, high=LARGEST_WEIGHT)
    if codes.dtype.kind not in "iu" or not (weights > 0).all():
        raise DataError("the training rows of the model are not what a fit leaves behind")
    return Coded.of(schema.without_target(), codes, weights=weights)
