"""Rows of a table as other libraries take them: numbers, levels of categories, and class codes."""

from dataclasses import dataclass, replace

import numpy as np

from ...table import Schema, Table, encode
from ...table.cutting import measured
from ...typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """Rows under a schema, in arrays.

    Attributes
    ----------
    numbers : array of shape (n_rows, n_numbers)
        Columns of numbers and of times as they are, NaN where missing.
    have_gaps : array of shape (n_numbers,)
        Which of them have missing cells that mean something.
    levels : array of shape (n_rows, n_categories)
        Codes of categories; -1 where a cell says nothing, and the last level where it is missing and the
        schema makes a value of that.
    n_levels : array of shape (n_categories,)
        How many levels each category has, the one for missing cells not counted.
    labels : array of shape (n_rows,)
        Class codes.
    n_classes : int
        How many classes there are, seen or not.
    weights : array of shape (n_rows,), optional
        Weights of the rows.
    """

    numbers: FloatArray
    have_gaps: BoolArray
    levels: IntArray
    n_levels: IntArray
    labels: IntArray
    n_classes: int
    weights: FloatArray | None = None

    @classmethod
    def of(cls, schema: Schema, table: Table) -> "Rows":
        """The rows of a table whose columns are those of the schema, in the same order."""
        coded = encode(schema, table, strict=False, told=schema.names)
        numbers, gaps, levels, sizes = [], [], [], []
        for i, (variable, column) in enumerate(zip(schema.variables, table.columns, strict=True)):
            if variable.kind == "interval":
                found = measured(column, variable.scale)
                numbers.append(np.full(table.n_rows, np.nan) if found is None else found)
                gaps.append(variable.missing_is_value)
            elif variable.kind != "ignored":
                codes = coded.codes[:, i].astype(np.int64)
                levels.append(np.where(codes < variable.n_values, codes, -1))
                sizes.append(variable.n_values - variable.missing_is_value)
        return cls(
            np.array(numbers, dtype=np.float64).reshape(len(numbers), table.n_rows).T,
            np.array(gaps, dtype=np.bool_),
            np.array(levels, dtype=np.int64).reshape(len(levels), table.n_rows).T,
            np.array(sizes, dtype=np.int64),
            coded.class_codes.astype(np.int64),
            schema.n_classes,
            table.weights,
        )

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.labels)

    @property
    def row_weights(self) -> FloatArray:
        """Weights of the rows, 1 where none are given."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    @property
    def class_weights(self) -> FloatArray:
        """Weight of each class."""
        return np.bincount(self.labels, self.row_weights, self.n_classes).astype(np.float64)

    @property
    def vary(self) -> bool:
        """Whether there is a column with two different cells, so that there is something to learn from."""
        cells = np.nan_to_num(self.matrix, nan=np.inf)
        return bool((cells != cells[:1]).any())

    @property
    def matrix(self) -> FloatArray:
        """Numbers and then levels, NaN where a cell is missing or says nothing."""
        known = (self.levels >= 0) & (self.levels < self.n_levels)
        return np.hstack([self.numbers, np.where(known, self.levels, np.nan)])

    def take(self, rows: IntArray) -> "Rows":
        """Some of the rows."""
        return replace(
            self,
            numbers=self.numbers[rows],
            levels=self.levels[rows],
            labels=self.labels[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    def folds(self, n_folds: int, seed: int) -> list[tuple[IntArray, IntArray]]:
        """Rows to learn from and rows to predict, for choices that are made within the training rows."""
        fold = np.random.default_rng(seed).permutation(self.n_rows) % min(n_folds, self.n_rows)
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(fold.max()) + 1)]
