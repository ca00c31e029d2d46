"""The outside world to codes; the only place where data is validated."""

from .columns import as_columns
from .cuts import cut_points
from .encode import Coded, check_same_rows, encode
from .infer import infer_schema
from .schema import Schema, Variable, interval_variable

__all__ = [
    "Coded",
    "Schema",
    "Variable",
    "as_columns",
    "check_same_rows",
    "cut_points",
    "encode",
    "infer_schema",
    "interval_variable",
]
