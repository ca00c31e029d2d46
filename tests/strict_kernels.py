"""A pytest plugin for kernels: every index is checked, and small tables are not spared.

``make kernels`` loads it with NUMBA_BOUNDSCHECK=1 and an empty cache of compiled code. Numba's own check lets
negative indices wrap around; here they are out of bounds, too.
"""

import gc

import numpy as np
import pytest


def pytest_configure():
    """Let no index wrap around, and see that it holds. Numba is imported after each worker has its cache."""
    import numba
    from numba.core import types
    from numba.np import arrayobj

    def without_wrapping(context, builder, index_type, index, size):
        return context.cast(builder, index, index_type, types.intp if index_type.signed else types.uintp)

    arrayobj.fix_integer_index = without_wrapping
    read = numba.njit(lambda numbers, place: numbers[place])
    assert read(np.zeros(2), 1) == 0
    for place in (2, -1):
        with pytest.raises(IndexError):
            read(np.zeros(2), place)


def pytest_collection_modifyitems():
    """Send every call to the kernels, however small its table."""
    from codelength._threads import FirstCalls

    switches = [found for found in gc.get_objects() if type(found) is FirstCalls]
    assert switches
    for switch in switches:
        switch.left = 0
