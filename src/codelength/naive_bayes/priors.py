"""Dirichlet priors and their pseudocounts.

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
equivalent sample size, divided evenly. Earlier data can be a prior too: counts of earlier cases
(:class:`codelength.naive_bayes.naive_distribution.NaiveDistribution`), or the posterior of a fitted model
(:class:`codelength.naive_bayes.naive_distribution.Posterior`).

Order of reading: :func:`pseudocounts`, which takes a prior of any form, then the forms: :class:`Prior`,
:data:`PRIORS`, :class:`Knowledge`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

from ..counts import Counts
from ..errors import InvalidParameter
from ..table import Schema
from ..table._messages import shown
from ..table.checks import check_number, reading
from ..table.values import is_number
from ..typing import FloatArray

Nested: TypeAlias = "float | tuple[Nested, ...]"

MIN_PSEUDOCOUNT, MAX_PSEUDOCOUNT = 1e-310, 1e300
"""Range of pseudocounts; beyond it, sums and quotients would leave the range of a float."""


@dataclass(frozen=True, eq=False, slots=True)
class Pseudocounts:
    """Pseudocounts of a prior for one schema.

    Attributes
    ----------
    class_pseudocounts : array of shape (n_classes,)
        Pseudocount of each class.
    value_pseudocounts : array of shape (n_classes, n_cells)
        Pseudocount of each value, in the layout of the value counts; 0 in the cell for missing.
    """

    class_pseudocounts: FloatArray
    value_pseudocounts: FloatArray


@dataclass(frozen=True, slots=True)
class Prior:
    """Explicit Dirichlet pseudocounts.

    Parameters
    ----------
    class_pseudocounts : float or sequence of shape (n_classes,)
        Pseudocounts of the classes; one number is used for all.
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
        """Return the pseudocounts in the layout of the counts."""
        classes = _broadcast(self.class_pseudocounts, (schema.n_classes,), "class_pseudocounts")
        values = np.zeros((schema.n_classes, schema.n_cells))
        given = self.value_pseudocounts
        if isinstance(given, tuple) and len(given) != schema.n_variables:
            raise InvalidParameter(
                f"value_pseudocounts: {len(given)} entries for {schema.n_variables} variables; "
                "give one entry per variable"
            )
        for i, variable in enumerate(schema.variables):
            own = given[i] if isinstance(given, tuple) else given
            shape = (schema.n_classes, variable.n_values)
            values[:, schema.cells(i)] = _broadcast(own, shape, f"value_pseudocounts of {variable.name!r}")
        return Pseudocounts(classes, values)

    def to_json(self) -> dict[str, Any]:
        """Return the prior as JSON types."""
        return {"class_pseudocounts": self.class_pseudocounts, "value_pseudocounts": self.value_pseudocounts}

    @classmethod
    @reading("a Prior")
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Restore the prior that :meth:`to_json` wrote."""
        return cls(document["class_pseudocounts"], document["value_pseudocounts"])


class Knowledge:
    """Base class of prior knowledge in the form of earlier cases, observed or virtual."""

    __slots__ = ()

    @property
    def schema(self) -> Schema | None:
        """Schema of the cases, if they have one."""
        raise NotImplementedError

    def bound(self, schema: Schema) -> "Knowledge":
        """Return the same knowledge with variables identified by name instead of position."""
        return self

    def spread(self, schema: Schema) -> Pseudocounts:
        """Return the pseudocounts in the layout of the counts, for all or some of the variables."""
        raise NotImplementedError

    def unclassed(self, schema: Schema) -> FloatArray:
        """Return pseudocounts of the values without classes, shape (n_cells,)."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """Return the knowledge as JSON types."""
        raise NotImplementedError


PriorLike: TypeAlias = str | float | Prior | Pseudocounts | Counts | Knowledge
"""A prior by name, by equivalent sample size, as explicit pseudocounts with or without a schema, as counts of
earlier cases, or as other prior knowledge."""


PRIORS: dict[str, Callable[[Schema], Prior]] = {
    "uniform": lambda schema: Prior(1.0, 1.0),
    "jeffreys": lambda schema: Prior(_indifferent_class(schema) / 2, 0.5),
    "indifferent": lambda schema: Prior(_indifferent_class(schema), 1.0),
}
"""Registry of named priors."""


def pseudocounts(prior: PriorLike, schema: Schema) -> Pseudocounts:
    """Return the pseudocounts of a prior for a schema.

    The prior is a name, an equivalent sample size, explicit pseudocounts, or earlier cases. Raise
    InvalidParameter if it has none of these forms or does not fit the schema.

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
        size = check_number("prior", prior, MIN_PSEUDOCOUNT, MAX_PSEUDOCOUNT)
        shares = tuple(size / (schema.n_classes * n_values) for n_values in schema.n_values.tolist())
        return Prior(size / schema.n_classes, shares).spread(schema)
    raise InvalidParameter(
        f"prior={shown(prior)}: expected one of {', '.join(map(repr, PRIORS))}, an equivalent sample size "
        "(a number above 0), a Prior, or earlier cases (Counts, a NaiveDistribution or a fitted NaiveBayes)"
    )


def as_knowledge(prior: Any) -> Knowledge | None:
    """Return a prior as prior knowledge, counts as earlier cases; None for any other prior."""
    from .naive_distribution import NaiveDistribution

    if isinstance(prior, Counts):
        return NaiveDistribution(prior)
    return prior if isinstance(prior, Knowledge) else None


def bound_prior(prior: PriorLike, schema: Schema) -> PriorLike:
    """Return a prior with variables identified by name, so that it applies to subsets of the variables."""
    knowledge = as_knowledge(prior)
    return prior if knowledge is None else knowledge.bound(schema)


def depends_on_variables(prior: PriorLike) -> bool:
    """Return True if the pseudocounts of the classes depend on the set of variables."""
    from .naive_distribution import NaiveDistribution

    # With fewer parameters, a case of a naive distribution has more weight for each of them.
    is_named = isinstance(prior, str) and prior != "uniform"
    return is_named or isinstance(as_knowledge(prior), NaiveDistribution)


def unclassed_pseudocounts(prior: PriorLike, schema: Schema) -> FloatArray:
    """Return pseudocounts of the values without classes, shape (n_cells,)."""
    knowledge = as_knowledge(prior)
    if knowledge is not None:
        return knowledge.unclassed(schema)
    # Explicit pseudocounts belong to classes; without classes, their mean is used.
    if isinstance(prior, (Prior, Pseudocounts)):
        return np.asarray(pseudocounts(prior, schema).value_pseudocounts.mean(axis=0))
    return np.asarray(pseudocounts(prior, schema.without_target()).value_pseudocounts[0])


def _indifferent_class(schema: Schema) -> float:
    """Return the class pseudocount of the indifferent prior."""
    return 1.0 + float((schema.n_values - 1).sum())


def _fitting(prior: Pseudocounts, schema: Schema) -> Pseudocounts:
    """Return pseudocounts unchanged; raise InvalidParameter if they do not fit the schema."""
    shape = (schema.n_classes, schema.n_cells)
    if prior.value_pseudocounts.shape != shape or prior.class_pseudocounts.shape != shape[:1]:
        raise InvalidParameter(
            f"prior: pseudocounts of shape {prior.value_pseudocounts.shape} do not fit {shape} "
            "(classes, cells); spell the prior out for this schema"
        )
    return prior


def _nested(numbers: Any) -> Nested:
    """Return numbers as nested tuples of floats, so that priors are immutable."""
    if isinstance(numbers, np.ndarray):
        numbers = numbers.tolist()
    if isinstance(numbers, Sequence) and not isinstance(numbers, str):
        return tuple(_nested(number) for number in numbers)
    # Python numbers only, so that priors compare equal and can be written as JSON.
    plain = numbers.item() if isinstance(numbers, np.generic) else numbers
    return check_number("a pseudocount", plain, MIN_PSEUDOCOUNT, MAX_PSEUDOCOUNT)


def _broadcast(numbers: Any, shape: tuple[int, ...], what: str) -> FloatArray:
    """Return numbers in a shape; only a single number or a single row for all classes is repeated."""
    try:
        array = np.array(numbers, dtype=np.float64)
    except ValueError:
        raise InvalidParameter(f"{what}: the rows have different lengths; expected shape {shape}") from None
    # NumPy would also broadcast one column for all values, which is more likely a mistake.
    if array.shape not in ((), shape, shape[1:]):
        raise InvalidParameter(f"{what}: shape {array.shape} does not fit {shape}")
    return np.array(np.broadcast_to(array, shape))
