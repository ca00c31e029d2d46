"""Which loops score rows: compiled ones, or plain numpy for the first few small calls."""

from typing import Any

from .._threads import FirstCalls
from . import _plain

_CALL = 1000
"""What a call costs beside its elements, in elements."""

first_calls = FirstCalls()


def loops_for(n_elements: int) -> Any:
    """The module whose loops to run on so many elements. Both hold the same functions, to the same bits."""
    if first_calls.are_plain(_CALL + n_elements):
        return _plain
    from . import _kernels

    return _kernels
