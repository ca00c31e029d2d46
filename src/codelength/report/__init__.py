"""Results to tables, figures and pages. Reads results, never fits anything."""

from .files import read, write
from .grids import Grid, tables_of
from .validation import validation_page, write_validation

__all__ = ["Grid", "read", "tables_of", "validation_page", "write", "write_validation"]
