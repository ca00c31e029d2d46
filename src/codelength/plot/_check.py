"""Checks of the arguments of displays."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import DataError, InvalidParameter
from ..typing import FloatArray


def check_classifier(estimator: Any, able_to: str = "classes") -> None:
    """Raise ``InvalidParameter`` unless the estimator is a classifier of codelength with a capability.

    Parameters
    ----------
    estimator : object
        Argument to check.
    able_to : str
        Capability that the display needs: ``"classes"``, ``"explain"`` or ``"leave_one_out"``.
    """
    from ..estimators.contract import TableClassifier
    from ..table.checks import check_instance

    check_instance("estimator", estimator, TableClassifier, "a classifier of codelength")
    if able_to not in estimator.capabilities:
        what = {"explain": "does not explain its predictions", "leave_one_out": "has no leave-one-out"}
        raise InvalidParameter(
            f"estimator: {type(estimator).__name__} {what[able_to]}; use NaiveBayes or ModelAverage"
        )


def columns(**given: Sequence[float] | FloatArray | None) -> list[FloatArray]:
    """Return arrays of one length from lists of numbers; arrays of NaN for those that are None."""
    arrays = {
        name: None if numbers is None else np.asarray(numbers, float) for name, numbers in given.items()
    }
    # Compared by shape, which also rejects matrices.
    lengths = {array.shape for array in arrays.values() if array is not None}
    if len(lengths) != 1 or len(next(iter(lengths))) != 1:
        raise DataError(f"{', '.join(arrays)}: expected lists of numbers of the same length")
    n = next(iter(lengths))
    return [np.full(n, np.nan) if array is None else array for array in arrays.values()]
