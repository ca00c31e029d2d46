"""EM for finite mixtures: pure loops from a state to a better one, ``state -> (state, info)``."""

from ._layout import EMLayout
from .em import EMInfo, em
from .restarts import RestartsInfo, check_shared_out, fit_mixture
from .starts import STARTS
from .trust import Trust

__all__ = ["STARTS", "EMInfo", "EMLayout", "RestartsInfo", "Trust", "check_shared_out", "em", "fit_mixture"]
