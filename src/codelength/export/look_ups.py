"""Models whose predictions are sums of look-ups, as the tables that are looked up."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..rules import Predictor
from ..table import Variable
from ..typing import FloatArray, Scalar


@dataclass(frozen=True, eq=False, slots=True)
class LookUps:
    """Tables of log weights: their sum over the cells of a row is the log weight of each class.

    Attributes
    ----------
    classes : tuple
        The classes.
    class_table : array of shape (n_classes,)
        Log weight of each class before any variable is seen.
    variables : tuple of Variable
        The variables that say something.
    value_tables : tuple of arrays of shape (n_values + 1, n_classes)
        What each value of these adds. The last row is for cells without a value that is listed.
    """

    classes: tuple[Scalar, ...]
    class_table: FloatArray
    variables: tuple[Variable, ...]
    value_tables: tuple[FloatArray, ...]

    @classmethod
    def of(cls, predictor: Predictor) -> Self:
        """The look-ups of naive Bayes under any rule."""
        schema, tables = predictor.counts.schema, predictor.tables
        used = [i for i, variable in enumerate(schema.variables) if variable.kind != "ignored"]
        starts = schema.offsets
        return cls(
            schema.classes,
            tables.class_table,
            tuple(schema.variables[i] for i in used),
            tuple(np.ascontiguousarray(tables.value_table[:, starts[i] : starts[i + 1]].T) for i in used),
        )
