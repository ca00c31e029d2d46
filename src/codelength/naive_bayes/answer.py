"""Joint distributions of several variables, row by row."""

import itertools
import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._display import MAX_ROWS, Shown, counted
from ..blocks import Block, Grid
from ..decisions import first_best_of_rows
from ..errors import InvalidParameter
from ..table._messages import listed, shown
from ..typing import BoolArray, FloatArray, IntArray, Scalar


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
