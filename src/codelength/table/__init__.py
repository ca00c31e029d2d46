"""Tables of any kind as codes; the only layer in which data and options are checked."""

from .coded import Coded
from .cutting import Cutting
from .encode import encode
from .infer import infer_schema
from .intervals.cuts import cut_points
from .schema import Schema
from .table import Table, table_of
from .variable import Variable, interval_variable

__all__ = [
    "Coded",
    "Cutting",
    "Schema",
    "Table",
    "Variable",
    "cut_points",
    "encode",
    "infer_schema",
    "interval_variable",
    "table_of",
]
