"""Parameters of a finite mixture.

A component is a hidden class, so the counts, priors and log tables of labelled tables are used here too,
under a schema whose target is the component. Order of reading: :func:`with_components`,
:class:`MixtureParameters`, :func:`posterior_mode`. Depends on ``cache`` for rows on disk.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from scipy.special import logsumexp

from ..counts import Counts
from ..decisions import first_best_of_rows
from ..errors import DataError, Infeasible, InvalidParameter, SchemaMismatch
from ..naive_bayes import LogTables, PriorLike, Scorer, logarithm, pseudocounts, rule_of
from ..sources import as_coded, known_rows
from ..table import Coded, Schema, Variable, encode
from ..table.checks import check_whole, reading
from ..table.coded import changed
from ..typing import FloatArray, IntArray
from .cache import CachedRows, RowBlocks, Rows
from .costs import check_components

Labelled = TypeVar("Labelled", Schema, Coded)

_BYTES_OF_VALUE = 200
"""Memory of the name of one component in a schema, roughly."""


def with_components(rows: Labelled, n_components: int) -> Labelled:
    """Return a schema, or coded rows, whose target is a hidden component.

    Parameters
    ----------
    rows : Schema or Coded
        The schema or the rows. An existing target is replaced.
    n_components : int
        Number of components.

    Raises
    ------
    Infeasible
        If a prior of so many components would not fit into memory.

    Examples
    --------
    >>> with_components(Schema.from_sizes([2, 3]), 4).n_classes
    4
    """
    n_components = check_whole("n_components", n_components)
    schema = rows if isinstance(rows, Schema) else rows.schema
    # Checked before the names of the components are made, which alone could exhaust the memory.
    check_components(n_components, _BYTES_OF_VALUE + 16 * schema.n_cells, "its prior")
    if schema.target is None or schema.target.origin != "hidden" or schema.n_classes != n_components:
        component = Variable("component", tuple(range(n_components)), "code", origin="hidden")
        schema = Schema(schema.variables, component)
    if isinstance(rows, Schema):
        return schema
    # Rows that are distinct without their classes stay distinct.
    is_distinct = rows.is_distinct and not rows.class_codes.any()
    return changed(rows.relabelled(schema), is_distinct=is_distinct)


@dataclass(frozen=True, eq=False, slots=True)
class MixtureParameters:
    """A finite mixture of products of multinomials.

    Attributes
    ----------
    schema : Schema
        The schema of the rows; the target is the component.
    class_probs : array of shape (n_components,)
        Probability of each component.
    value_probs : array of shape (n_components, n_cells)
        Probability of each value in each component, laid out like the value counts; 1 in the cell for
        missing of each variable, so that a missing cell is not a factor.
    """

    schema: Schema
    class_probs: FloatArray
    value_probs: FloatArray

    @property
    def n_components(self) -> int:
        """Number of components."""
        return len(self.class_probs)

    def of(self, variable: int | str) -> FloatArray:
        """Return the probabilities of one variable's values, shape (n_components, n_values)."""
        return self.value_probs[:, self.schema.cells(self.schema.position(variable))]

    def permuted(self, order: Any) -> "MixtureParameters":
        """Return the same mixture with its components in another order."""
        return MixtureParameters(self.schema, self.class_probs[order], self.value_probs[order])

    def coded(self, rows: Any) -> Coded:
        """Encode rows of any kind under the schema of this mixture; coded rows are checked against it."""
        if isinstance(rows, CachedRows):
            raise Infeasible(
                f"this needs all rows in memory, and {rows.n_rows:,} distinct rows are kept on disk; take a "
                "sample of the rows, or raise memory="
            )
        schema = self.schema.without_target()
        coded = rows if isinstance(rows, Coded) else encode(schema, known_rows(schema, rows))
        self._check_fit(coded)
        return with_components(coded, self.n_components)

    def checked(self, rows: Any) -> Rows:
        """Return rows on disk as they are, and others encoded under the schema of this mixture."""
        return rows if isinstance(rows, CachedRows) else self.coded(rows)

    def distinct(self, rows: Rows) -> Rows:
        """Return the distinct rows, in memory or on disk."""
        return self.checked(rows).distinct()

    def blocks(self, rows: Any) -> Iterator[Coded]:
        """Yield the coded rows, in memory or on disk, one block after the other."""
        for block in RowBlocks(self.checked(rows)):
            yield self.coded(block)

    def log_tables(self) -> LogTables:
        """Return the mixture as log tables; the log of 0 is minus infinity."""
        return LogTables(logarithm(self.class_probs), logarithm(self.value_probs), 0.0)

    def responsibilities(self, coded: Coded, n_threads: int | None = None) -> FloatArray:
        """Compute the probability of each component for each row, shape (n_rows, n_components).

        It is uniform if the mixture excludes the row. The result is the same for any number of threads.
        """
        return np.asarray(np.exp(self._scorer(coded).log_probs(coded, n_threads).log_probs))

    def labels(self, coded: Coded, n_threads: int | None = None) -> IntArray:
        """Return the most probable component of each row; the first of equally probable ones."""
        return first_best_of_rows(self.responsibilities(coded, n_threads))

    def log_probs(self, coded: Coded, n_threads: int | None = None) -> FloatArray:
        """Compute the log probability of each row, the components summed out, in nats.

        Examples
        --------
        >>> schema = with_components(Schema.from_sizes([2]), 2)
        >>> mixture = MixtureParameters(schema, np.array([0.5, 0.5]), np.array([[1, 0, 1.0], [0.5, 0.5, 1]]))
        >>> np.exp(mixture.log_probs(Coded.of(schema, [[0], [1], [2]])))
        array([0.75, 0.25, 1.  ])
        """
        return np.asarray(logsumexp(self._scorer(coded).log_weights(coded, n_threads), axis=1))

    def to_json(self) -> dict[str, Any]:
        """Return the probabilities as JSON types, without the schema."""
        return {"class_probs": self.class_probs.tolist(), "value_probs": self.value_probs.tolist()}

    @classmethod
    @reading("MixtureParameters")
    def from_json(cls, document: Mapping[str, Any], schema: Schema) -> Self:
        """Read a mixture that :meth:`to_json` wrote, and check it against the schema."""
        class_probs = np.array(document["class_probs"], dtype=np.float64)
        value_probs = np.array(document["value_probs"], dtype=np.float64)
        shape = (len(class_probs), schema.n_cells)
        if class_probs.ndim != 1 or value_probs.shape != shape or not len(class_probs):
            raise DataError(f"shape {value_probs.shape} does not fit the schema; pass what to_json gave")
        mixture = cls(with_components(schema, len(class_probs)), class_probs, value_probs)
        blocks = [class_probs[None, :], *(mixture.of(i) for i in range(schema.n_variables))]
        if not all((own >= 0).all() and np.allclose(own.sum(axis=1), 1, rtol=0, atol=1e-9) for own in blocks):
            raise DataError("the probabilities of a distribution do not add up to 1; pass what to_json gave")
        if not (value_probs[:, schema.offsets[1:] - 1] == 1).all():
            raise DataError("the cell for missing of a variable is not 1; pass what to_json gave")
        return mixture

    def _scorer(self, coded: Coded) -> Scorer:
        self._check_fit(coded)
        return Scorer.of(self.schema, self.log_tables())

    def _check_fit(self, coded: Coded) -> None:
        """Raise if the codes do not fit: they would be looked up out of bounds."""
        if not np.array_equal(coded.schema.n_values, self.schema.n_values):
            given, own = coded.schema.n_values.tolist(), self.schema.n_values.tolist()
            raise SchemaMismatch(
                f"the rows have {len(given)} variables of sizes {given[:6]}, and the mixture has {len(own)} "
                f"of sizes {own[:6]}; encode the rows with the schema of the mixture"
            )


def rows_under(rows: Any, mixture: MixtureParameters | int) -> Coded:
    """Encode rows with the hidden component of a mixture, or one of so many values, as target."""
    if isinstance(mixture, MixtureParameters):
        return mixture.coded(rows)
    return with_components(as_coded(rows), mixture)


def mode_prior(prior: PriorLike, schema: Schema) -> PriorLike:
    """Return the prior, or the uniform one if a pseudocount is below 1 and there may be no mode.

    Rules that average over mixtures need a mixture only to start from.

    Examples
    --------
    >>> schema = with_components(Schema.from_sizes([2]), 2)
    >>> mode_prior("jeffreys", schema), mode_prior(8.0, schema)
    ('uniform', 8.0)
    """
    spread = pseudocounts(prior, schema)
    # Cells for missing have no pseudocount and do not count.
    spare = np.isin(np.arange(schema.n_cells), schema.offsets[1:] - 1)
    lowest = min(spread.class_pseudocounts.min(), spread.value_pseudocounts[:, ~spare].min(initial=1.0))
    return prior if lowest >= 1 else "uniform"


def posterior_mode(counts: Counts, prior: PriorLike = "uniform") -> MixtureParameters:
    r"""Return the most probable mixture if the component of every row is known, or shared out.

    .. math:: \hat\alpha_k \propto h_k + \mu_k - 1, \quad \hat\phi_{kil} \propto f_{kil} + \sigma_{kil} - 1

    A distribution without observations is 0/0, and becomes uniform.

    Parameters
    ----------
    counts : Counts
        Counts of the completed rows; the target of their schema is the component.
    prior : prior or its name
        Dirichlet pseudocounts.

    Raises
    ------
    InvalidParameter
        If a count plus its pseudocount is below 1: then the posterior has no mode.

    Examples
    --------
    >>> counts = Counts.empty(with_components(Schema.from_sizes([2]), 2)).add([1], 0)
    >>> mode = posterior_mode(counts)
    >>> mode.class_probs, mode.of(0).tolist()
    (array([1., 0.]), [[0.0, 1.0], [0.5, 0.5]])
    """
    schema = counts.schema
    # The rule subtracts the 1 from the pseudocount: next to it a tiny expected count would be lost.
    offsets = rule_of("map").offsets_under(prior, schema)
    class_probs = _normalised((counts.class_counts + offsets.class_offsets)[None, :])[0]
    value_probs = np.ones_like(counts.value_counts)
    for i in range(schema.n_variables):
        own = schema.cells(i)
        value_probs[:, own] = _normalised(counts.of(i) + offsets.value_offsets[:, own])
    return MixtureParameters(schema, class_probs, value_probs)


def _normalised(excess: FloatArray) -> FloatArray:
    if excess.min(initial=0.0) < 0:
        raise InvalidParameter(
            f"a count plus its pseudocount is {excess.min() + 1:g}, below 1, so there is no most probable "
            "mixture; use pseudocounts of at least 1"
        )
    totals = excess.sum(axis=1, keepdims=True)
    return np.asarray(np.where(totals > 0, excess, 1.0) / np.where(totals > 0, totals, excess.shape[1]))
