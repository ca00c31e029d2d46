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
equivalent sample size shared out evenly. What was learned before is a prior too: counts of earlier cases and
:class:`codelength.naive_bayes.naive_distribution.NaiveDistribution`, or what a fitted model knows
(:class:`codelength.naive_bayes.posterior.Posterior`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

from ..counts import Counts
from ..errors import InvalidParameter
from ..table import Schema
from ..table._messages import shown
from ..table.checks import check_number, is_number, reading
from ..typing import FloatArray

Nested: TypeAlias = "float | tuple[Nested, ...]"

SMALLEST, LARGEST = 1e-310, 1e300
"""Pseudocounts beyond these would leave the range of a float in sums and quotients."""


@dataclass(frozen=True, eq=False, slots=True)
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
        Pseudocounts of the values: a single number, or one entry per variable, which is a number, a
        sequence of shape (n_values,), or one of shape (n_classes, n_values).

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
                "give one entry per variable"
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
    @reading("a Prior")
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """The prior that :meth:`to_json` wrote."""
        return cls(document["class_pseudocounts"], document["value_pseudocounts"])


class Knowledge:
    """Prior knowledge: what was learned from earlier cases, or is put in the form of cases.

    Attributes
    ----------
    schema : Schema, optional
        The variables and values of the cases, where they have some.
    """

    __slots__ = ()

    @property
    def schema(self) -> Schema | None:
        """The variables and values of the cases, where they have some."""
        raise NotImplementedError

    @property
    def depends_on_variables(self) -> bool:
        """Whether the pseudocounts of the classes depend on which of the variables there are."""
        raise NotImplementedError

    def bound(self, schema: Schema) -> "Knowledge":
        """The same, bound to the variables of a schema where it went by their positions so far."""
        return self

    def spread(self, schema: Schema) -> Pseudocounts:
        """The pseudocounts in the layout of the counts; ``schema`` may have some of the variables only."""
        raise NotImplementedError

    def unclassed(self, schema: Schema) -> FloatArray:
        """Pseudocounts of the values where the class plays no part, shape (n_cells,)."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """The knowledge as JSON types."""
        raise NotImplementedError


PriorLike: TypeAlias = str | float | Prior | Pseudocounts | Counts | Knowledge
"""A prior by name, by equivalent sample size, explicitly, spelled out for a schema already, as counts of
earlier cases, or as other prior knowledge."""


def _uniform(schema: Schema) -> Prior:
    return Prior(1.0, 1.0)


def _indifferent(schema: Schema) -> Prior:
    return Prior(_indifferent_class(schema), 1.0)


def _jeffreys(schema: Schema) -> Prior:
    return Prior(_indifferent_class(schema) / 2, 0.5)


PRIORS: dict[str, Callable[[Schema], Prior]] = {
    "uniform": _uniform,
    "jeffreys": _jeffreys,
    "indifferent": _indifferent,
}
"""The priors that have names."""


def pseudocounts(prior: PriorLike, schema: Schema) -> Pseudocounts:
    """A prior of any form, spelled out for a schema.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> pseudocounts("indifferent", Schema.from_sizes([2, 3], n_classes=2)).class_pseudocounts
    array([4., 4.])
    >>> pseudocounts(6.0, Schema.from_sizes([3], n_classes=2)).value_pseudocounts
    array([[1., 1., 1., 0.],
           [1., 1., 1., 0.]])
    """
    if isinstance(prior, Pseudocounts):
        return _fitting(prior, schema)
    if isinstance(prior, Prior):
        return prior.spread(schema)
    knowledge = as_knowledge(prior)
    if knowledge is not None:
        return knowledge.spread(schema)
    if isinstance(prior, str) and prior in PRIORS:
        return PRIORS[prior](schema).spread(schema)
    if is_number(prior):
        return _equivalent_sample_size(prior, schema)
    raise InvalidParameter(
        f"prior={shown(prior)}: expected one of {', '.join(map(repr, PRIORS))}, an equivalent sample size "
        "(a number above 0), a Prior, or earlier cases (Counts, a NaiveDistribution or a fitted NaiveBayes)"
    )


def as_knowledge(prior: Any) -> Knowledge | None:
    """The prior knowledge that a prior is: counts are earlier cases; None for any other prior."""
    from .naive_distribution import NaiveDistribution

    if isinstance(prior, Counts):
        return NaiveDistribution(prior)
    return prior if isinstance(prior, Knowledge) else None


def bound_prior(prior: PriorLike, schema: Schema) -> PriorLike:
    """A prior of which the variables of the schema may be chosen from."""
    knowledge = as_knowledge(prior)
    return prior if knowledge is None else knowledge.bound(schema)


def depends_on_variables(prior: PriorLike) -> bool:
    """Whether the pseudocounts of the classes depend on which variables there are."""
    knowledge = as_knowledge(prior)
    if knowledge is not None:
        return knowledge.depends_on_variables
    return isinstance(prior, str) and prior != "uniform"


def unclassed_pseudocounts(prior: PriorLike, schema: Schema) -> FloatArray:
    """Pseudocounts of the values where the class plays no part, shape (n_cells,)."""
    knowledge = as_knowledge(prior)
    if knowledge is not None:
        return knowledge.unclassed(schema)
    if isinstance(prior, (Prior, Pseudocounts)):
        return np.asarray(pseudocounts(prior, schema).value_pseudocounts.mean(axis=0))
    return np.asarray(pseudocounts(prior, schema.without_target()).value_pseudocounts[0])


def _indifferent_class(schema: Schema) -> float:
    return 1.0 + float((schema.n_values - 1).sum())


def _fitting(prior: Pseudocounts, schema: Schema) -> Pseudocounts:
    shape = (schema.n_classes, schema.n_cells)
    if prior.value_pseudocounts.shape != shape or prior.class_pseudocounts.shape != shape[:1]:
        raise InvalidParameter(
            f"prior: pseudocounts of shape {prior.value_pseudocounts.shape} do not fit {shape} "
            "(classes, cells); spell the prior out for this schema"
        )
    return prior


def _equivalent_sample_size(prior: Any, schema: Schema) -> Pseudocounts:
    size = check_number("prior", prior, SMALLEST, LARGEST)
    shares = tuple(size / (schema.n_classes * n_values) for n_values in schema.n_values.tolist())
    return Prior(size / schema.n_classes, shares).spread(schema)


def _nested(numbers: Any) -> Nested:
    if isinstance(numbers, np.ndarray):
        numbers = numbers.tolist()
    if isinstance(numbers, Sequence) and not isinstance(numbers, str):
        return tuple(_nested(number) for number in numbers)
    plain = numbers.item() if isinstance(numbers, np.generic) else numbers
    return check_number("a pseudocount", plain, SMALLEST, LARGEST)


def _broadcast(numbers: Any, shape: tuple[int, ...], what: str) -> FloatArray:
    """Numbers in some shape; one number, or one row for all classes, is repeated, and nothing else is."""
    try:
        array = np.array(numbers, dtype=np.float64)
    except ValueError:
        raise InvalidParameter(f"{what}: the rows have different lengths; expected shape {shape}") from None
    if array.shape not in ((), shape, shape[1:]):
        raise InvalidParameter(f"{what}: shape {array.shape} does not fit {shape}")
    return np.array(np.broadcast_to(array, shape))
