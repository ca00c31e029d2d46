"""Choice of variables, clusterings and numbers of components by code length.

Variables are chosen here (:func:`select_variables`), clusterings in ``codelength.selection.clusterings``, and
numbers of components in ``codelength.selection.components``.
"""

from ._criteria import VARIABLE_CRITERIA
from .variables import Move, SelectionResult, select_variables

__all__ = ["VARIABLE_CRITERIA", "Move", "SelectionResult", "select_variables"]
