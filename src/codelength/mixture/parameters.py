"""Finite mixtures: tables whose rows belong to components that nobody has seen.

A component is a class that is hidden, so the counts, priors and log tables of labelled tables serve
here too, under a schema whose target is the component.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from scipy.special import logsumexp

from ..counts import Counts
from ..errors import DataError, InvalidParameter
from ..rules import LogTables, PriorLike, Pseudocounts, Scorer, pseudocounts
from ..table import Schema, Variable
from ..typing import CodeArray, FloatArray

PriorLike: TypeAlias = PriorLike | Pseudocounts
"""A prior by name, by equivalent sample size or explicitly, or one that is spelled out already."""


def with_components(schema: Schema, n_components: int) -> Schema:
    """The schema whose target is a hidden component.

    Examples
    --------
    >>> with_components(Schema.from_sizes([2, 3]), 4).n_classes
    4
    """
    if isinstance(n_components, bool) or not isinstance(n_components, (int, np.integer)) or n_components < 1:
        raise InvalidParameter(f"n_components={n_components!r}: expected a whole number of at least 1")
    component = Variable("component", tuple(range(int(n_components))), "code", origin="hidden")
    return schema if schema.target == component else Schema(schema.variables, component)


def pseudocounts(prior: PriorLike, schema: Schema) -> Pseudocounts:
    """The prior in the layout of the counts, one row a component."""
    if not isinstance(prior, Pseudocounts):
        return pseudocounts(prior, schema)
    shape = (schema.n_classes, schema.n_cells)
    if prior.value_pseudocounts.shape != shape or prior.class_pseudocounts.shape != shape[:1]:
        raise InvalidParameter(
            f"prior: pseudocounts of shape {prior.value_pseudocounts.shape} do not fit {shape} "
            "(components, cells); spell the prior out for this schema and this many components"
        )
    return prior


@dataclass(frozen=True, eq=False, slots=True)
class MixtureParameters:
    """A finite mixture of products of multinomials.

    Attributes
    ----------
    schema : Schema
        What a row may hold; the target is the component.
    class_probs : array of shape (n_components,)
        Probability of each component.
    value_probs : array of shape (n_components, n_cells)
        Probability of each value in each component, laid out like the value counts; 1 in the spare cell
        of each variable, so that a missing cell is no factor.
    """

    schema: Schema
    class_probs: FloatArray
    value_probs: FloatArray

    @property
    def n_components(self) -> int:
        """How many components there are."""
        return len(self.class_probs)

    def of(self, variable: int | str) -> FloatArray:
        """Probabilities of one variable's values, shape (n_components, n_values)."""
        i = self.schema.position(variable) if isinstance(variable, str) else variable
        return self.value_probs[:, self.schema.offsets[i] : self.schema.offsets[i + 1] - 1]

    def permuted(self, order: Any) -> "MixtureParameters":
        """The same mixture with its components in another order."""
        return MixtureParameters(self.schema, self.class_probs[order], self.value_probs[order])

    def log_tables(self) -> LogTables:
        """The mixture as log tables; the log of 0 is minus infinity."""
        with np.errstate(divide="ignore"):
            return LogTables(np.log(self.class_probs), np.log(self.value_probs), 0.0)

    def responsibilities(self, codes: CodeArray, n_threads: int | None = None) -> FloatArray:
        """Probability of each component for each row; uniform for a row that the mixture excludes."""
        return np.exp(Scorer.of(self.schema, self.log_tables()).log_probs(codes, n_threads)[0])

    def log_probs(self, codes: CodeArray, n_threads: int | None = None) -> FloatArray:
        """Log probability of each row, the components summed out, in nats.

        Examples
        --------
        >>> schema = with_components(Schema.from_sizes([2]), 2)
        >>> mixture = MixtureParameters(schema, np.array([0.5, 0.5]), np.array([[1, 0, 1.0], [0.5, 0.5, 1]]))
        >>> np.exp(mixture.log_probs(np.array([[0], [1], [2]], dtype=np.uint8)))
        array([0.75, 0.25, 1.  ])
        """
        weights = Scorer.of(self.schema, self.log_tables()).log_weights(codes, n_threads)
        return np.asarray(logsumexp(weights, axis=1))

    def to_json(self) -> dict[str, Any]:
        """The probabilities as JSON types, without the schema."""
        return {"class_probs": self.class_probs.tolist(), "value_probs": self.value_probs.tolist()}

    @classmethod
    def from_json(cls, document: Mapping[str, Any], schema: Schema) -> Self:
        """The mixture that :meth:`to_json` wrote, checked against the schema."""
        class_probs = np.array(document["class_probs"], dtype=np.float64)
        value_probs = np.array(document["value_probs"], dtype=np.float64)
        if (
            class_probs.ndim != 1
            or value_probs.shape != (len(class_probs), schema.n_cells)
            or not len(class_probs)
        ):
            raise DataError(
                f"the probabilities have shape {value_probs.shape}, which does not fit the schema"
            )
        mixture = cls(with_components(schema, len(class_probs)), class_probs, value_probs)
        mixture._check()
        return mixture

    def _check(self) -> None:
        blocks = [self.class_probs[None, :], *(self.of(i) for i in range(self.schema.n_variables))]
        if not all(
            (block >= 0).all() and np.allclose(block.sum(axis=1), 1, rtol=0, atol=1e-9) for block in blocks
        ):
            raise DataError("the probabilities of a distribution do not add up to 1")
        if not (self.value_probs[:, self.schema.offsets[1:] - 1] == 1).all():
            raise DataError("the spare cell of a variable is not 1")


def posterior_mode(counts: Counts, prior: PriorLike) -> MixtureParameters:
    r"""The most probable mixture when the component of every row is known, or shared out.

    .. math:: \hat\alpha_k \propto h_k + \mu_k - 1, \quad \hat\phi_{kil} \propto f_{kil} + \sigma_{kil} - 1

    A distribution of which nothing was seen is 0/0, and the uniform one stands in.

    Examples
    --------
    >>> counts = Counts.empty(with_components(Schema.from_sizes([2]), 2)).add([1], 0)
    >>> mode = posterior_mode(counts, "uniform")
    >>> mode.class_probs, mode.of(0).tolist()
    (array([1., 0.]), [[0.0, 1.0], [0.5, 0.5]])
    """
    schema, spread = counts.schema, pseudocounts(prior, counts.schema)
    # The 1 is taken from the pseudocount first: a tiny expected count would be lost beside it.
    class_probs = _normalised(counts.class_counts[None, :] + (spread.class_pseudocounts - 1))[0]
    value_probs = np.ones_like(counts.value_counts)
    for i in range(schema.n_variables):
        start, stop = schema.offsets[i], schema.offsets[i + 1] - 1
        value_probs[:, start:stop] = _normalised(
            counts.of(i) + (spread.value_pseudocounts[:, start:stop] - 1)
        )
    return MixtureParameters(schema, class_probs, value_probs)


def _normalised(excess: FloatArray) -> FloatArray:
    if excess.min(initial=0.0) < 0:
        raise InvalidParameter(
            f"a count plus its pseudocount is {excess.min() + 1:g}, below 1, so there is no most probable "
            "mixture; use pseudocounts of at least 1"
        )
    totals = excess.sum(axis=1, keepdims=True)
    return np.asarray(np.where(totals > 0, excess, 1.0) / np.where(totals > 0, totals, excess.shape[1]))
