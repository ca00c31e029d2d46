"""Dirichlet pseudocounts: what is believed before the first row.

================  ======================================================  ========================
name              class pseudocount                                       value pseudocount
================  ======================================================  ========================
``"uniform"``     1                                                       1
``"indifferent"`` 1 + sum over variables of (n_values - 1)                1
``"jeffreys"``    half of the indifferent one                             1/2
a number s        s / n_classes                                           s / (n_classes n_values)
================  ======================================================  ========================

``"indifferent"`` gives every naive Bayes model the same density (Cerquides and López de Mántaras,
2003), ``"jeffreys"`` is Jeffreys' prior of the joint naive Bayes model, and a number is an
equivalent sample size shared out evenly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self, TypeAlias

import numpy as np

from ..errors import InvalidParameter
from ..table import Schema
from ..typing import FloatArray

Nested: TypeAlias = "float | tuple[Nested, ...]"


@dataclass(frozen=True, slots=True)
class Pseudocounts:
    """A prior spelled out for one schema.

    Attributes
    ----------
    class_pseudocounts : array of shape (n_classes,)
    value_pseudocounts : array of shape (n_classes, n_cells)
        Laid out like the value counts; 0 in the spare cell of each variable.
    """

    class_pseudocounts: FloatArray
    value_pseudocounts: FloatArray


@dataclass(frozen=True, slots=True)
class Prior:
    """Explicit Dirichlet pseudocounts.

    Parameters
    ----------
    class_pseudocounts : float or sequence of shape (n_classes,)
        Pseudocounts of the classes; one number stands for all.
    value_pseudocounts : float or sequence over variables
        Pseudocounts of the values: one number for all, or for each variable a number, a sequence of
        shape (n_values,), or one of shape (n_classes, n_values).

    Examples
    --------
    >>> from codelength.table import Schema
    >>> Prior(1, [[1, 2], 0.5]).spread(Schema.from_sizes([2, 3], n_classes=2)).value_pseudocounts
    array([[1. , 2. , 0. , 0.5, 0.5, 0.5, 0. ],
           [1. , 2. , 0. , 0.5, 0.5, 0.5, 0. ]])
    """

    class_pseudocounts: Any = 1.0
    value_pseudocounts: Any = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "class_pseudocounts", _nested(self.class_pseudocounts))
        object.__setattr__(self, "value_pseudocounts", _nested(self.value_pseudocounts))

    def spread(self, schema: Schema) -> Pseudocounts:
        """The pseudocounts in the layout of the counts."""
        classes = _broadcast(self.class_pseudocounts, (schema.n_classes,), "class_pseudocounts")
        values = np.zeros((schema.n_classes, schema.n_cells))
        given = self.value_pseudocounts
        if isinstance(given, tuple) and len(given) != schema.n_variables:
            raise InvalidParameter(
                f"value_pseudocounts: {len(given)} entries for {schema.n_variables} variables; "
                "give one entry a variable"
            )
        for i, variable in enumerate(schema.variables):
            start, stop = schema.offsets[i], schema.offsets[i + 1] - 1
            own = given[i] if isinstance(given, tuple) else given
            shape = (schema.n_classes, variable.n_values)
            values[:, start:stop] = _broadcast(own, shape, f"value_pseudocounts of {variable.name!r}")
        return Pseudocounts(classes, values)

    def to_json(self) -> dict[str, Any]:
        """The prior as JSON types."""
        return {"class_pseudocounts": self.class_pseudocounts, "value_pseudocounts": self.value_pseudocounts}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """The prior that :meth:`to_json` wrote."""
        return cls(document["class_pseudocounts"], document["value_pseudocounts"])


PriorLike: TypeAlias = str | float | Prior


def pseudocounts(prior: PriorLike, schema: Schema) -> Pseudocounts:
    """A prior, given by name, by equivalent sample size or explicitly, spelled out for a schema.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> pseudocounts("indifferent", Schema.from_sizes([2, 3], n_classes=2)).class_pseudocounts
    array([4., 4.])
    >>> pseudocounts(6.0, Schema.from_sizes([3], n_classes=2)).value_pseudocounts
    array([[1., 1., 1., 0.],
           [1., 1., 1., 0.]])
    """
    if isinstance(prior, Prior):
        return prior.spread(schema)
    if isinstance(prior, str):
        indifferent = 1.0 + float((schema.n_values - 1).sum())
        by_name = {
            "uniform": Prior(1.0, 1.0),
            "indifferent": Prior(indifferent, 1.0),
            "jeffreys": Prior(indifferent / 2, 0.5),
        }
        if prior in by_name:
            return by_name[prior].spread(schema)
    elif isinstance(prior, Real) and not isinstance(prior, bool):
        return _equivalent_sample_size(float(prior), schema)
    raise InvalidParameter(
        f'prior={prior!r}: expected "uniform", "jeffreys", "indifferent", an equivalent sample size '
        "(a number above 0), or a Prior"
    )


def _equivalent_sample_size(size: float, schema: Schema) -> Pseudocounts:
    if not 0 < size < np.inf:
        raise InvalidParameter(f"prior={size}: an equivalent sample size is a finite number above 0")
    shares = tuple(size / (schema.n_classes * n_values) for n_values in schema.n_values.tolist())
    return Prior(size / schema.n_classes, shares).spread(schema)


def _nested(numbers: Any) -> Nested:
    if isinstance(numbers, np.ndarray):
        numbers = numbers.tolist()
    if isinstance(numbers, Sequence) and not isinstance(numbers, str):
        return tuple(_nested(number) for number in numbers)
    try:
        plain = float(numbers)
    except (TypeError, ValueError):
        raise InvalidParameter(f"a pseudocount is {numbers!r}; expected a number above 0") from None
    if not 0 < plain < np.inf:
        raise InvalidParameter(f"a pseudocount is {plain}; expected a finite number above 0")
    return plain


def _broadcast(numbers: Any, shape: tuple[int, ...], what: str) -> FloatArray:
    """Numbers in some shape; one number, or one row for all classes, is repeated, and nothing else is."""
    try:
        array = np.array(numbers, dtype=np.float64)
    except ValueError:
        raise InvalidParameter(f"{what}: the rows have different lengths; expected shape {shape}") from None
    if array.shape not in ((), shape, shape[1:]):
        raise InvalidParameter(f"{what}: shape {array.shape} does not fit {shape}")
    return np.array(np.broadcast_to(array, shape))
