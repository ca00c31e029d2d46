"""A table and a prior, made ready for sums over clusterings."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ....errors import Infeasible
from ....rules import PriorLike, Pseudocounts
from ....table import Schema, encode, infer_schema
from ....typing import FloatArray, IntArray
from ...parameters import with_components
from .costs import MAX_BYTES, amount


@dataclass(frozen=True, slots=True)
class Mixture:
    """Rows whose components are to be summed out.

    Attributes
    ----------
    schema : Schema
        What a row may hold; the target is the component.
    cells : array of shape (n_rows, n_variables)
        Position of each cell in the flat table of counts; the spare cell of its variable where missing.
    prior : Pseudocounts
        The prior, one row a component.
    is_prior_of_any_size : bool
        Whether the prior of one component does not depend on how many components there are.
    """

    schema: Schema
    cells: IntArray
    prior: Pseudocounts
    is_prior_of_any_size: bool

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.cells)

    @property
    def n_variables(self) -> int:
        """How many variables there are."""
        return self.schema.n_variables

    @property
    def n_components(self) -> int:
        """How many components there are."""
        return self.schema.n_classes

    @property
    def spares(self) -> IntArray:
        """Position of the spare cell of each variable."""
        return np.asarray(self.schema.offsets[1:] - 1)

    @property
    def is_symmetric(self) -> bool:
        """Whether all components have the same prior."""
        classes, values = self.prior.class_pseudocounts, self.prior.value_pseudocounts
        return bool((classes == classes[0]).all() and (values == values[0]).all())

    @property
    def largest_log(self) -> float:
        """Bound on the absolute value of the log of any count plus pseudocount."""
        values = self.prior.value_pseudocounts
        given = np.concatenate((self.prior.class_pseudocounts, values[values > 0]))
        highest = max(float(given.max()), float(values.sum(axis=1).max(initial=0.0))) + self.n_rows
        return max(abs(math.log(given.min())), abs(math.log(highest)))


@dataclass(frozen=True, slots=True)
class StepTables:
    """Logs of count plus pseudocount, for whole counts from 0 to the number of rows.

    Attributes
    ----------
    size_logs : array of shape (n_components, n_rows + 1)
        Of the rows of a component.
    value_logs : array of shape (n_components, n_cells, n_rows + 1)
        Of the rows with a value; not used in spare cells.
    total_logs : array of shape (n_components, n_variables, n_rows + 1)
        Of the rows in which a variable was observed.
    """

    size_logs: FloatArray
    value_logs: FloatArray
    total_logs: FloatArray


@dataclass(frozen=True, slots=True)
class DistinctRows:
    """The distinct rows of a table and how often each occurs.

    Attributes
    ----------
    cells : array of shape (n_distinct, n_variables)
    copies : array of shape (n_distinct,)
    """

    cells: IntArray
    copies: IntArray


def mixture_of(X: Any, n_components: int, prior: PriorLike, schema: Schema | None) -> Mixture:
    """The rows coded, and the prior spelled out for so many components."""
    if schema is None:
        columns = as_columns(X)
        schema = infer_schema(columns) if columns.n_rows else Schema(())
        X = columns if columns.n_rows else np.empty((0, 0), dtype=np.int64)
    n_bytes = 16 * _at_least_one(n_components) * max(schema.n_cells, 1)
    if n_bytes > MAX_BYTES:
        raise Infeasible(
            f"n_components={n_components}: its prior alone would take {amount(n_bytes)}; ask for fewer "
            "components"
        )
    schema = with_components(schema, n_components)
    codes = encode(schema, X, handle_unknown="error").codes
    cells = np.ascontiguousarray(schema.offsets[:-1] + codes.astype(np.int64))
    return Mixture(schema, cells, pseudocounts(prior, schema), not isinstance(prior, Real))


def distinct_rows(mixture: Mixture) -> DistinctRows:
    """The rows with their copies merged, in order of their cells."""
    if not mixture.n_variables:
        return DistinctRows(mixture.cells[:1], np.array([mixture.n_rows]))
    cells, copies = np.unique(mixture.cells, axis=0, return_counts=True)
    return DistinctRows(cells, copies.astype(np.int64))


def step_tables(mixture: Mixture, n_components: int) -> StepTables:
    """The tables of the first ``n_components`` components."""
    n = np.arange(mixture.n_rows + 1)
    classes = mixture.prior.class_pseudocounts[:n_components]
    values = mixture.prior.value_pseudocounts[:n_components]
    totals = np.empty((n_components, mixture.n_variables))
    for i in range(mixture.n_variables):
        start, stop = mixture.schema.offsets[i], mixture.schema.offsets[i + 1] - 1
        totals[:, i] = [math.fsum(row) for row in values[:, start:stop]]
    spares_filled = np.where(values > 0, values, 1.0)
    return StepTables(
        np.log(classes[:, None] + n), np.log(spares_filled[..., None] + n), np.log(totals[..., None] + n)
    )


def table_bytes(mixture: Mixture, n_components: int) -> float:
    """Memory that :func:`step_tables` takes."""
    n_entries = mixture.schema.n_cells + mixture.n_variables + 1
    return 8.0 * n_components * n_entries * (mixture.n_rows + 1)


def class_norm_logs(mixture: Mixture, n_components: int) -> FloatArray:
    """Logs of the denominators with which the component of each row in turn is predicted.

    For fewer components than the prior was spelled out for, the same pseudocount is taken for each.
    """
    classes = mixture.prior.class_pseudocounts
    total = math.fsum(classes) if n_components == len(classes) else n_components * classes[0]
    logs: FloatArray = np.log(total + np.arange(mixture.n_rows))
    return logs


def _at_least_one(n_components: Any) -> int:
    """The number of components, or 1 where it is not a number: that is refused later."""
    return max(int(n_components), 1) if isinstance(n_components, (int, np.integer)) else 1
