"""Arrays as JSON types: back to the last bit, and nothing else gets through."""

import base64
import json
import zlib

import numpy as np
import pytest

from codelength._packing import packed, unpacked
from codelength.errors import DataError


@pytest.mark.parametrize(
    "array",
    [
        np.array([[0.1, -2.5e300], [5e-324, 0.0]]),
        np.arange(7, dtype=np.float32),
        np.array([-1, 2**62]),
        np.zeros((0, 3), dtype=np.int32),
        np.array([[[255, 0]]], dtype=np.uint8),
    ],
    ids=lambda array: str(array.dtype),
)
def test_arrays_come_back_to_the_last_bit(array):
    document = json.loads(json.dumps(packed(array)))
    found = unpacked(document, array.shape)
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


def test_other_types_are_not_written():
    with pytest.raises(TypeError, match="object"):
        packed(np.array(["text"], dtype=object))


def damaged(**changes):
    return packed(np.array([1.0, 2.0])) | changes


@pytest.mark.parametrize(
    "document",
    [
        damaged(type="|O"),
        damaged(shape=[3]),
        damaged(shape=[1]),
        damaged(shape=[2, 1]),
        damaged(shape=[-2]),
        damaged(shape=[True]),
        damaged(shape="2"),
        damaged(shape=[10**12]),
        damaged(data="no base64!"),
        damaged(data=base64.b64encode(b"no zlib").decode()),
        damaged(data=base64.b64encode(zlib.compress(bytes(10**6))).decode()),
        damaged(data=7),
        packed(np.array([np.nan, 1.0])),
        packed(np.array([np.inf, 1.0])),
    ],
    ids=range(14),
)
def test_damage_is_refused(document):
    with pytest.raises(DataError):
        unpacked(document, (None,))


def test_bounds_are_kept():
    document = packed(np.array([0.0, 1.0]))
    np.testing.assert_array_equal(unpacked(document, (2,), low=0, high=1), [0, 1])
    for bounds in ({"low": 0.5}, {"high": 0.5}):
        with pytest.raises(DataError, match="cannot have"):
            unpacked(document, (2,), **bounds)


def test_no_more_is_unpacked_than_the_shape_says():
    """A short text that would unpack to a gigabyte costs nothing."""
    bomb = damaged(data=base64.b64encode(zlib.compress(bytes(10**9), 9)).decode())
    with pytest.raises(DataError, match="shorter or longer"):
        unpacked(bomb, (2,))
