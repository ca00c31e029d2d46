"""Compact, exact JSON representation of arrays, checked on reading."""

import base64
import binascii
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import DataError

TYPES = ("<f8", "<f4", "<i8", "<i4", "<i2", "|u1")
"""Types of numbers that are written."""

MAX_BYTES = 1 << 30
"""An array larger than this is not written, and not read."""


def packed(array: NDArray[Any]) -> dict[str, Any]:
    """Return an array as JSON types, exact to the last bit.

    Parameters
    ----------
    array : array
        Numbers of one of :data:`TYPES`, in any byte order.

    Returns
    -------
    dict
        Type, shape, and the compressed bytes in base64.

    Examples
    --------
    >>> document = packed(np.array([[0.1, 0.2]]))
    >>> document["type"], document["shape"]
    ('<f8', [1, 2])
    >>> unpacked(document, shape=(None, 2))
    array([[0.1, 0.2]])
    """
    kind = array.dtype.newbyteorder("<").str
    if kind not in TYPES:
        raise TypeError(f"arrays of {array.dtype} are not written")
    # Always little-endian, so that a model file is the same on every machine.
    data = zlib.compress(np.ascontiguousarray(array, dtype=kind).tobytes(), 6)
    return {"type": kind, "shape": list(array.shape), "data": base64.b64encode(data).decode("ascii")}


def unpacked(
    document: Any, shape: Sequence[int | None], *, low: float | None = None, high: float | None = None
) -> NDArray[Any]:
    """Return the array that :func:`packed` wrote.

    Parameters
    ----------
    document
        Document to read; it may come from an untrusted file.
    shape
        Shape that the array must have; None for an axis of any length.
    low, high
        Smallest and largest number that the array may hold.

    Raises
    ------
    DataError
        If the document is damaged, or has another shape, numbers that are not finite or numbers outside the
        bounds.
    """
    kind, lengths, data = document["type"], document["shape"], document["data"]
    if kind not in TYPES or not isinstance(data, str) or not isinstance(lengths, list):
        raise DataError("an array is not what was written")
    sound = all(type(length) is int and 0 <= length <= MAX_BYTES for length in lengths)
    if not sound or len(lengths) != len(shape):
        raise DataError("an array has another shape than its model")
    # Checked before anything is unpacked, and before numpy would allocate the array.
    if any(wanted not in (None, length) for wanted, length in zip(shape, lengths, strict=True)):
        raise DataError(f"an array of shape {tuple(lengths)} does not fit its model")
    n_bytes = np.dtype(kind).itemsize
    # In Python integers: a product of lengths from a forged file would overflow in numpy.
    for length in lengths:
        n_bytes *= length
    if n_bytes > MAX_BYTES:
        raise DataError(f"an array of {n_bytes:,} bytes is more than the {MAX_BYTES:,} that are read")
    try:
        # No more is unpacked than the shape says, whatever the file holds.
        raw = zlib.decompressobj().decompress(base64.b64decode(data, validate=True), n_bytes + 1)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise DataError("an array is not what was written") from error
    if len(raw) != n_bytes:
        raise DataError("an array is shorter or longer than its shape says")
    array = np.frombuffer(raw, dtype=kind).reshape(lengths).astype(np.dtype(kind).newbyteorder("="))
    if array.size and array.dtype.kind == "f" and not np.isfinite(array).all():
        raise DataError("an array holds numbers that are not finite")
    if array.size and ((low is not None and array.min() < low) or (high is not None and array.max() > high)):
        raise DataError("an array holds numbers that its model cannot have")
    return array
