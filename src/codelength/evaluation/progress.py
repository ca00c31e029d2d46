"""Progress of long computations, reported to a function of the user."""

from collections.abc import Callable

from ..errors import InvalidParameter
from ..table._messages import shown

Progress = Callable[[float, float], None]
"""Called after every step with the work done and the work there is, in the same unit."""


def check_progress(progress: Progress | None) -> None:
    """Raise if progress is neither a function nor None."""
    if not (progress is None or callable(progress)):
        raise InvalidParameter(f"progress={shown(progress)}: expected a function, or None")
