"""Pure loops from a state to a better one: ``state -> (state, info)``."""

from ...selection.variables import SelectionResult, select_variables
from .em import EMInfo, em
from .restarts import RestartsInfo, fit_mixture
from .starts import STARTS, StartName

__all__ = [
    "STARTS",
    "EMInfo",
    "RestartsInfo",
    "SelectionResult",
    "StartName",
    "em",
    "fit_mixture",
    "select_variables",
]
