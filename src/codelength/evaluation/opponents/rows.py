"""Rows of a table as other libraries read them: numbers, levels of categories and class codes."""

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
        Columns of numbers and of times as they are; NaN if missing.
    have_gaps : array of shape (n_numbers,)
        Numeric columns whose missing cells are informative under the schema.
    levels : array of shape (n_rows, n_categories)
        Codes of categories; -1 for an ignored cell, and the last level for a missing cell if the schema makes
        a value of it.
    n_levels : array of shape (n_categories,)
        Number of levels of each category, the one for missing cells not counted.
    labels : array of shape (n_rows,)
        Class codes.
    n_classes : int
        Number of classes, seen or not.
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
        """Return the rows of a table whose columns are those of the schema, in the same order."""
        coded = encode(schema, table, strict=False, told=schema.names)
        numbers, gaps, levels, sizes = [], [], [], []
        for i, (variable, column) in enumerate(zip(schema.variables, table.columns, strict=True)):
            if variable.kind == "interval":
                found = measured(column, variable.scale)
                # A column that cannot be measured in these rows, such as one of missing cells alone, is all
                # NaN.
                numbers.append(np.full(table.n_rows, np.nan) if found is None else found)
                gaps.append(variable.missing_is_value)
            elif variable.kind != "ignored":
                codes = coded.codes[:, i].astype(np.int64)
                # The code after the last value marks an ignored cell.
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
        """Number of rows."""
        return len(self.labels)

    @property
    def row_weights(self) -> FloatArray:
        """Weights of the rows; 1 if none are given."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    @property
    def class_weights(self) -> FloatArray:
        """Weight of each class."""
        return np.bincount(self.labels, self.row_weights, self.n_classes).astype(np.float64)

    @property
    def vary(self) -> bool:
        """True if a column has two different cells, so that there is something to learn from."""
        # NaN differs from itself; replaced, a column of missing cells alone is constant.
        cells = np.nan_to_num(self.matrix, nan=np.inf)
        return bool((cells != cells[:1]).any())

    @property
    def matrix(self) -> FloatArray:
        """Numbers followed by levels; NaN for a missing or ignored cell."""
        known = (self.levels >= 0) & (self.levels < self.n_levels)
        return np.hstack([self.numbers, np.where(known, self.levels, np.nan)])

    def take(self, rows: IntArray) -> "Rows":
        """Return some of the rows."""
        return replace(
            self,
            numbers=self.numbers[rows],
            levels=self.levels[rows],
            labels=self.labels[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    def folds(self, n_folds: int, seed: int) -> list[tuple[IntArray, IntArray]]:
        """Return training and test rows of an inner cross-validation; no fold is empty."""
        fold = np.random.default_rng(seed).permutation(self.n_rows) % min(n_folds, self.n_rows)
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(fold.max()) + 1)]
