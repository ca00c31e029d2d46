"""Names of the array types that layers exchange."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Scalar: TypeAlias = str | int | float | bool
"""A value of a categorical variable, as it is written to JSON."""

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
CodeArray: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Codes of values: the smallest unsigned integer type that fits."""
