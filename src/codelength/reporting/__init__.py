"""One table, or the papers, as one HTML file: results in, a page out. Never fits anything itself."""

from .making import Report as Report
from .making import report as report

__all__ = ["Report", "report"]
