"""Choosing by a code length: variables, clusterings, and numbers of components."""

from ._criteria import VARIABLE_CRITERIA
from .variables import Move, SelectionResult, select_variables

__all__ = ["VARIABLE_CRITERIA", "Move", "SelectionResult", "select_variables"]
