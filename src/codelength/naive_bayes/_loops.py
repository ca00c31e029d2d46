"""Choice of scoring loops: plain numpy for the first few small calls, else compiled ones.

Importing and loading compiled loops takes longer than a few small calls in numpy.
"""

from typing import Any

from .._threads import FirstCalls
from . import _plain

_CALL = 1000
"""Fixed cost of a call, in elements."""

first_calls = FirstCalls()


def loops_for(n_elements: int) -> Any:
    """Return the module of loops for so many elements; both have the same functions and equal results."""
    if first_calls.are_plain(_CALL + n_elements):
        return _plain
    from . import _kernels

    return _kernels
