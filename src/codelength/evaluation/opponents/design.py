"""Numeric design matrix of mixed columns, for classifiers that take nothing else."""

from dataclasses import dataclass

import numpy as np

from ...typing import BoolArray, FloatArray, IntArray
from .rows import Rows


@dataclass(frozen=True, eq=False, slots=True)
class Design:
    """Standardised numbers and indicators of levels, as determined by the training rows.

    A missing number is replaced by the median, and an indicator marks it as missing. A level that was not
    seen in training has no indicator.

    Attributes
    ----------
    medians, means, spreads : array of shape (n_numbers,)
        Median, mean and standard deviation of each numeric column.
    gaps : array of int
        Numeric columns whose missing cells have indicators.
    levels : list of array of int
        Levels of each categorical column that have indicators.
    kept : array of bool
        Columns of the full matrix that vary; a single True keeps all.
    """

    medians: FloatArray
    means: FloatArray
    spreads: FloatArray
    gaps: IntArray
    levels: list[IntArray]
    kept: BoolArray

    @classmethod
    def of(cls, rows: Rows) -> "Design":
        """Return the design for some training rows."""
        present = ~np.isnan(rows.numbers)
        medians = np.array(
            [
                # The median of a column without a single number is not defined; its cells are constant and
                # left out below.
                np.median(column[known]) if known.any() else 0.0
                for column, known in zip(rows.numbers.T, present.T, strict=True)
            ]
        )
        filled = np.where(present, rows.numbers, medians)
        weights = rows.row_weights / rows.row_weights.sum()
        means = weights @ filled
        spreads = np.sqrt(weights @ (filled - means) ** 2)
        # An indicator for a column without gaps would be constant.
        gaps = np.flatnonzero(rows.have_gaps & ~present.all(axis=0))
        levels = [np.unique(column[column >= 0]) for column in rows.levels.T]
        # Built twice: the full matrix shows which of its columns are constant, and those are left out.
        everything = cls(medians, means, np.where(spreads > 0, spreads, 1.0), gaps, levels, np.array(True))
        matrix = everything.matrix(rows)
        return cls(medians, means, everything.spreads, gaps, levels, (matrix != matrix[:1]).any(axis=0))

    def matrix(self, rows: Rows) -> FloatArray:
        """Return standardised numbers, indicators of missing numbers, and indicators of levels."""
        missing = np.isnan(rows.numbers)
        scores = (np.where(missing, self.medians, rows.numbers) - self.means) / self.spreads
        indicators = [
            column[:, None] == levels for column, levels in zip(rows.levels.T, self.levels, strict=True)
        ]
        everything = np.hstack([scores, missing[:, self.gaps], *indicators])
        return np.ascontiguousarray(everything[:, self.kept] if self.kept.ndim else everything)
