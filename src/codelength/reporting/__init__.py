"""Reports of one table, or of the papers, as a single HTML file."""

from .making import Report as Report
from .making import report as report

__all__ = ["Report", "report"]
