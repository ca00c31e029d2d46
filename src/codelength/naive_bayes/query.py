r"""Joint queries: the joint distribution of several variables, given the known cells of a row.

If the cells of a row are independent given a class, observed or latent, the joint distribution of some of
them is a sum over classes of products,

.. math:: P(q \mid u) = \sum_k P(k \mid u) \prod_{i \in q} P(q_i \mid k).

Cells that are neither known nor in the query are marginalised.

Order of reading: :class:`Question` (checked variables), :class:`Known` (rows), :func:`answer_by_tables`, then
:class:`Answer`, which other models make too.
"""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .._display import MAX_ROWS, Shown, counted
from ..blocks import Block, Grid
from ..decisions import first_best_of_rows
from ..errors import Infeasible, InvalidParameter, SchemaMismatch
from ..table import Coded, Schema
from ..table._messages import listed, shown, suggestion
from ..table.checks import check_names
from ..table.coded import changed
from ..typing import BoolArray, FloatArray, IntArray, Scalar

MAX_COMBINATIONS = 100_000
"""Largest number of combinations of values in a query."""

MAX_PROBABILITIES = 1 << 28
"""Largest number of probabilities of all rows together, 2 GB."""


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Shown):
    """Joint distribution of several variables in each row, given its known cells.

    Attributes
    ----------
    variables : tuple of str
        Query variables.
    values : tuple of tuples
        Values of each query variable.
    probs : array of shape (n_rows, n_values of the first, n_values of the second, ...)
        Probability of each combination of values.
    undefined : array of shape (n_rows,)
        True for rows in which the definition gives 0/0; their distribution is uniform.
    method : str
        Method of computation: ``"exact"``, or the name of an approximation.
    errors : array of the shape of ``probs``, or None
        Error of each probability: a bound for ``"exact"``, otherwise a standard error. None if an
        approximation has neither.
    """

    variables: tuple[str, ...]
    values: tuple[tuple[Scalar | None, ...], ...]
    probs: FloatArray
    undefined: BoolArray
    method: str = "exact"
    errors: FloatArray | None = None

    @property
    def combinations(self) -> list[tuple[Scalar | None, ...]]:
        """All combinations of values, in the order of ``probs.reshape(n_rows, -1)``."""
        return list(itertools.product(*self.values))

    def marginal(self, variable: str) -> FloatArray:
        """Return the probability of each value of one of the variables, shape (n_rows, n_values)."""
        if not isinstance(variable, str) or variable not in self.variables:
            raise InvalidParameter(
                f"variable {shown(variable)}: was not asked about; choose from {listed(self.variables)}"
            )
        kept = 1 + self.variables.index(variable)
        others = tuple(axis for axis in range(1, self.probs.ndim) if axis != kept)
        return np.asarray(self.probs.sum(axis=others))

    @property
    def marginals(self) -> dict[str, FloatArray]:
        """Probability of each value of each variable by itself."""
        return {name: self.marginal(name) for name in self.variables}

    @cached_property
    def best(self) -> IntArray:
        """Codes of the most probable combination of each row, shape (n_rows, n_variables).

        The first of equally probable ones. It may differ from the combination of the most probable values of
        the single variables.
        """
        flat = first_best_of_rows(self.probs.reshape(len(self.probs), -1))
        return np.stack(np.unravel_index(flat, self.probs.shape[1:]), axis=1).astype(np.int64)

    @property
    def best_probs(self) -> FloatArray:
        """Probability of the most probable combination of each row."""
        return np.asarray(self.probs.reshape(len(self.probs), -1).max(axis=1))

    @property
    def most_probable(self) -> list[tuple[Scalar | None, ...]]:
        """The most probable combination of each row."""
        return [
            tuple(values[code] for values, code in zip(self.values, codes, strict=True))
            for codes in self.best.tolist()
        ]

    def take(self, rows: IntArray) -> "Answer":
        """Return the answer at some rows, given by position."""
        errors = None if self.errors is None else self.errors[rows]
        return replace(self, probs=self.probs[rows], undefined=self.undefined[rows], errors=errors)

    def _title(self) -> str:
        rows, sizes = counted(len(self.probs), "row"), math.prod(map(len, self.values))
        by = "" if self.method == "exact" else f", by {self.method.replace('_', ' ')}"
        return f"Answer about {', '.join(self.variables)}: {rows}, {counted(sizes, 'combination')}{by}"

    def _blocks(self) -> list[Block]:
        first = self.take(np.arange(min(len(self.probs), MAX_ROWS + 1)))
        rows = [
            [str(row), *("missing" if value is None else str(value) for value in best), f"{prob:.3f}"]
            for row, (best, prob) in enumerate(zip(first.most_probable, first.best_probs, strict=True))
        ]
        return [Grid("most probable combination", ["row", *self.variables, "probability"], rows)]


class Known(NamedTuple):
    """Cells and classes that are known in some rows.

    Attributes
    ----------
    coded : Coded
        The rows, with missing cells where a variable is asked about.
    classes : array of shape (n_rows,)
        Codes of the classes; -1 where a class is not known, or asked about.
    """

    coded: Coded
    classes: IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Question:
    """The variables of a query.

    Made by :meth:`of`.

    Attributes
    ----------
    names : tuple of str
        Names of the variables, in the order of the query.
    positions : tuple of int
        Positions in the schema; that of the class is the number of variables.
    values : tuple of tuples
        Values of each variable.
    class_axis : int or None
        Place of the class among them.
    """

    names: tuple[str, ...]
    positions: tuple[int, ...]
    values: tuple[tuple[Scalar | None, ...], ...]
    class_axis: int | None

    @classmethod
    def of(
        cls, schema: Schema, variables: Any, values: Mapping[str, tuple[Scalar | None, ...]] | None = None
    ) -> "Question":
        """Build a query of variables of a schema, by name, including the class if the schema has one.

        The values that the model distinguishes may be given by name, if they are not those of the schema.

        Examples
        --------
        >>> question = Question.of(Schema.from_sizes([2, 3], n_classes=2), ("class", "x1"))
        >>> question.positions, question.sizes, question.class_axis
        ((2, 1), (2, 3), 0)
        """
        wide = schema if schema.target is None else schema.with_class_as_variable()
        names = check_names("variables", [variables] if isinstance(variables, str) else variables)
        if not names:
            raise InvalidParameter("variables: none is named; ask about at least one")
        for name in names:
            if name not in wide.names:
                near = suggestion(name, wide.names) or f"; it has {listed(wide.names)}"
                raise SchemaMismatch(f"variables: the model has no variable {shown(name)}{near}")
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidParameter(f"variables: {shown(twice)} is asked about twice; name it once")
        positions = tuple(wide.position(name) for name in names)
        told_apart = values or {}
        of_each = tuple(
            told_apart.get(name, wide.variables[i].values) for name, i in zip(names, positions, strict=True)
        )
        asked = [axis for axis, i in enumerate(positions) if i == schema.n_variables]
        question = cls(names, positions, of_each, asked[0] if asked else None)
        if question.n_combinations > MAX_COMBINATIONS:
            raise Infeasible(
                f"variables: {question.n_combinations:,} combinations of values, more than the "
                f"{MAX_COMBINATIONS:,} that can be asked about at once; ask about fewer variables"
            )
        return question

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each variable."""
        return tuple(len(values) for values in self.values)

    @property
    def n_combinations(self) -> int:
        """Number of combinations of values."""
        return math.prod(self.sizes)

    @property
    def columns(self) -> tuple[int, ...]:
        """Positions of the query variables without the class."""
        return tuple(i for axis, i in enumerate(self.positions) if axis != self.class_axis)

    def check_rows(self, n_rows: int) -> None:
        """Raise Infeasible if the answer does not fit in memory."""
        if n_rows * self.n_combinations > MAX_PROBABILITIES:
            most = MAX_PROBABILITIES // self.n_combinations
            raise Infeasible(
                f"{n_rows:,} rows and {self.n_combinations:,} combinations of values: too many "
                f"probabilities at once; pass at most {most:,} rows at a time"
            )

    def blanked(self, coded: Coded) -> Coded:
        """Return rows with the query cells set to missing, so that their values are not used."""
        # Fortran order, because kernels read codes column by column.
        codes = coded.codes.copy(order="F")
        codes[:, self.columns] = coded.schema.n_values[list(self.columns)]
        return changed(coded, codes=codes, is_distinct=False, unseen={})

    def combined(self, schema: Schema, value_table: FloatArray) -> FloatArray:
        """Return sums of entries of a table of classes and cells for all combinations of query values.

        The shape is (n_classes, n_combinations of the variables other than the class).
        """
        total = np.zeros((len(value_table), 1))
        for i in self.columns:
            own = value_table[:, schema.cells(i)]
            # The last variable varies fastest, as in np.ndindex and itertools.product.
            total = (total[:, :, None] + own[:, None, :]).reshape(len(value_table), -1)
        return total

    def answer(self, weights: FloatArray, **about: Any) -> Answer:
        """Build the answer, with further attributes, from weights of combinations, which are normalised.

        Weights are those of the combinations of the variables other than the class, shape (n_rows,
        n_combinations), or (n_rows, n_classes, n_combinations) if the class is in the query.
        """
        n_rows, sizes = len(weights), self.sizes
        if self.class_axis is not None:
            others = tuple(size for axis, size in enumerate(sizes) if axis != self.class_axis)
            # The class is the first axis of the weights; move it to its place in the query.
            weights = np.moveaxis(
                weights.reshape(n_rows, sizes[self.class_axis], *others), 1, 1 + self.class_axis
            )
        flat = weights.reshape(n_rows, -1)
        totals = flat.sum(axis=1, keepdims=True)
        undefined = ~(totals[:, 0] > 0)
        probs = np.where(
            undefined[:, None], 1 / self.n_combinations, flat / np.where(totals > 0, totals, 1.0)
        )
        return Answer(self.names, self.values, probs.reshape(n_rows, *sizes), undefined, **about)


def answer_by_tables(
    question: Question, schema: Schema, log_weights: FloatArray, value_table: FloatArray
) -> Answer:
    """Return the answer of a model in which cells are independent given the class.

    Parameters
    ----------
    question, schema
        Variables of the query, and the schema of the model.
    log_weights : array of shape (n_rows, n_classes)
        Log weight of each class together with the known cells of each row; minus infinity for a class that
        is ruled out.
    value_table : array of shape (n_classes, n_cells)
        Log weight of each value in each class.

    Examples
    --------
    >>> schema = Schema.from_sizes([2, 2], n_classes=2)
    >>> table = np.log([[0.9, 0.1, 1, 0.8, 0.2, 1], [0.2, 0.8, 1, 0.5, 0.5, 1]])
    >>> question = Question.of(schema, ("x0", "x1"))
    >>> answer_by_tables(question, schema, np.log([[0.5, 0.5]]), table).probs.round(3)
    array([[[0.41, 0.14],
            [0.24, 0.21]]])
    """
    combined = question.combined(schema, value_table)
    # Relative to the largest product, so that products over many variables do not all underflow.
    probs = np.exp(_below_highest(combined, None))
    shares = np.exp(_below_highest(log_weights, 1))
    if question.class_axis is not None:
        return question.answer(shares[:, :, None] * probs)
    weights = np.zeros((len(shares), probs.shape[1]))
    # Class by class instead of a matrix product, whose order of addition may depend on the number of rows.
    for share, of_class in zip(shares.T, probs, strict=True):
        weights += share[:, None] * of_class
    return question.answer(weights)


def _below_highest(logs: FloatArray, axis: int | None) -> FloatArray:
    """Return logs less the largest along an axis; unchanged where all are minus infinity."""
    highest = logs.max(axis=axis, keepdims=True, initial=-np.inf)
    return np.asarray(logs - np.where(np.isfinite(highest), highest, 0.0))


def with_known_classes(log_weights: FloatArray, classes: IntArray) -> FloatArray:
    """Return log weights of rows and classes, restricted to the class if its code is known."""
    codes = np.arange(log_weights.shape[1])
    others = np.isin(classes, codes)[:, None] & (codes != classes[:, None])
    return np.where(others, -np.inf, log_weights)
