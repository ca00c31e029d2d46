"""EM for finite mixtures: pure loops from a state to a better one, ``state -> (state, info)``."""

from ..summaries import SearchSummary
from ._problem import Layout
from .em import EMInfo, em
from .restarts import RestartsInfo, check_shared_out, fit_mixture
from .starts import STARTS, start_counts

__all__ = [
    "STARTS",
    "EMInfo",
    "Layout",
    "RestartsInfo",
    "SearchSummary",
    "check_shared_out",
    "em",
    "fit_mixture",
    "start_counts",
]
