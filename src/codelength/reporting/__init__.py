"""Reports of one table as a single HTML file."""

from .making import Report as Report
from .making import report as report

__all__ = ["Report", "report"]
