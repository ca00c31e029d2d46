"""Summary of the observed data: rows used and missing cells."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._display import counted
from ..table import Coded, Schema
from ..table.checks import check_names, check_number, check_whole, reading


@dataclass(frozen=True, slots=True)
class DataSummary:
    """Summary of the observed data. No row is dropped: a missing cell is marginalised.

    Attributes
    ----------
    n_rows : int
        Number of rows given.
    n_used : int
        Number of rows with a weight above zero, all of which are used.
    total_weight : float
        Sum of their weights.
    n_distinct : int
        Number of distinct rows among those used.
    n_incomplete, n_blank : int
        Number of rows used with a missing cell, and of those without an observed cell.
    missing_share : float
        Share of the cells of the rows used that are missing.
    by_variable : dict of str to float
        The same share by variable; variables without missing cells are left out.
    constant : tuple of str
        Variables with a single value in all rows used, which do not distinguish classes.
    """

    n_rows: int
    n_used: int
    total_weight: float
    n_distinct: int
    n_incomplete: int
    n_blank: int
    missing_share: float
    by_variable: dict[str, float]
    constant: tuple[str, ...]

    def remarks(self) -> list[str]:
        """Return remarks on the rows, in sentences."""
        told = []
        if self.n_rows > self.n_used:
            n_left = counted(self.n_rows - self.n_used, "row")
            told.append(f"{n_left} of weight zero: predicted, but not learned from.")
        if self.n_blank:
            told.append(
                f"{counted(self.n_blank, 'row')} without a single value: kept, with the class shares as "
                "membership; drop them to have the shares speak of the others only."
            )
        if self.constant:
            names = ", ".join(self.constant[:5]) + (", ..." if len(self.constant) > 5 else "")
            told.append(
                f"Only one value in {names}: such a column tells no classes apart; it may be left out."
            )
        return told

    def to_json(self) -> dict[str, Any]:
        """Return the summary as JSON types."""
        return {
            "rows": self.n_rows,
            "rows_used": self.n_used,
            "total_weight": self.total_weight,
            "distinct_rows": self.n_distinct,
            "rows_with_missing_cells": self.n_incomplete,
            "rows_without_a_value": self.n_blank,
            "missing_share": self.missing_share,
            "missing_share_by_variable": dict(self.by_variable),
            "constant_variables": list(self.constant),
        }

    @classmethod
    @reading("DataSummary")
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read a summary that :meth:`to_json` wrote, and check it."""
        n_rows, n_used, n_distinct, n_incomplete, n_blank = (
            check_whole(name, document[name], 0)
            for name in (
                "rows",
                "rows_used",
                "distinct_rows",
                "rows_with_missing_cells",
                "rows_without_a_value",
            )
        )
        return cls(
            n_rows,
            n_used,
            check_number("total_weight", document["total_weight"]),
            n_distinct,
            n_incomplete,
            n_blank,
            check_number("missing_share", document["missing_share"], 0.0, 1.0),
            {
                str(name): check_number("missing_share", share, 0.0, 1.0)
                for name, share in document["missing_share_by_variable"].items()
            },
            check_names("constant_variables", document["constant_variables"]),
        )


class DataTally:
    """Summary of rows that arrive in batches.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> schema, sightings = Schema.from_sizes([2]), DataTally(Schema.from_sizes([2]))
    >>> for code in (0, 2, 0):
    ...     sightings.add(Coded.of(schema, [[code]]))
    >>> sightings.observed(n_distinct=2).missing_share
    0.3333333333333333
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self.n_rows = self.n_used = self._n_incomplete = self._n_blank = 0
        self._n_missing = np.zeros(schema.n_variables, dtype=np.int64)
        self._seen = np.zeros(schema.n_cells, dtype=np.bool_)
        self._weights: list[float] = []

    @property
    def total_weight(self) -> float:
        """Sum of the weights so far."""
        return math.fsum(self._weights)

    def add(self, coded: Coded) -> None:
        """Add some rows to the summary."""
        used = coded if coded.weights is None else coded.take(coded.weights > 0)
        schema = self._schema
        self.n_rows += coded.n_rows
        self.n_used += used.n_rows
        # One number per batch, added without intermediate rounding at the end.
        self._weights.append(used.total_weight)
        in_row = np.zeros(used.n_rows, dtype=np.int64)
        for i, n_values in enumerate(schema.n_values.tolist()):
            found = np.bincount(used.codes[:, i], minlength=n_values + 1)
            self._seen[schema.offsets[i] : schema.offsets[i + 1]] |= found > 0
            self._n_missing[i] += found[n_values]
            # Most columns have no missing cells, and need no pass over their rows.
            if found[n_values]:
                in_row += used.codes[:, i] == n_values
        self._n_incomplete += int((in_row > 0).sum())
        self._n_blank += int((in_row == schema.n_variables).sum()) if schema.n_variables else 0

    def observed(self, n_distinct: int, scale: float = 1.0) -> DataSummary:
        """Return the summary, given the number of distinct rows; weights are multiplied by ``scale``."""
        schema, n_cells = self._schema, self.n_used * self._schema.n_variables
        shares = self._n_missing / max(self.n_used, 1)
        n_seen = [
            int(self._seen[schema.offsets[i] : schema.offsets[i + 1] - 1].sum())
            for i in range(schema.n_variables)
        ]
        return DataSummary(
            self.n_rows,
            self.n_used,
            scale * self.total_weight,
            n_distinct,
            self._n_incomplete,
            self._n_blank,
            int(self._n_missing.sum()) / n_cells if n_cells else 0.0,
            {name: float(share) for name, share in zip(schema.names, shares, strict=True) if share > 0},
            tuple(name for name, n in zip(schema.names, n_seen, strict=True) if n == 1),
        )


def observed(coded: Coded, n_distinct: int | None = None) -> DataSummary:
    """Summarise the observed data of a table; distinct rows are counted unless their number is given.

    Parameters
    ----------
    coded : Coded
        The rows.
    n_distinct : int, optional
        Number of distinct rows of positive weight, if known.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> seen = observed(Coded.of(Schema.from_sizes([2, 2]), [[0, 1], [2, 1], [0, 1]]))
    >>> seen.n_incomplete, round(seen.missing_share, 3), seen.constant
    (1, 0.167, ('x0', 'x1'))
    """
    sightings = DataTally(coded.schema)
    sightings.add(coded)
    return sightings.observed(coded.distinct().n_rows if n_distinct is None else n_distinct)
