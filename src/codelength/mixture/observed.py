"""What there was to see of a table: rows used, and the cells that are missing in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._display import counted
from ..table import Coded
from ..table.checks import check_names, check_number, check_whole


@dataclass(frozen=True, slots=True)
class Observed:
    """How much of a table was observed. Nothing is dropped: a missing cell is marginalised.

    Attributes
    ----------
    n_rows : int
        Rows given.
    n_used : int
        Rows with a weight above zero, all of which are used.
    total_weight : float
        Rows that they stand for.
    n_distinct : int
        Distinct rows among those used.
    n_incomplete, n_blank : int
        Rows used with a missing cell, and those in which all cells are missing: these say nothing.
    missing_share : float
        Share of the cells of the rows used that are missing.
    by_variable : dict of str to float
        The same share, variable by variable; variables without missing cells are not there.
    constant : tuple of str
        Variables that have one value in all rows used, and so tell no classes apart.
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
        """What a reader must know about the rows, in sentences."""
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
        """The figures as JSON types."""
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
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """What :meth:`to_json` wrote, checked."""
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


def observed(coded: Coded) -> Observed:
    """How much of a table was observed.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> seen = observed(Coded.of(Schema.from_sizes([2, 2]), [[0, 1], [2, 1], [0, 1]]))
    >>> seen.n_incomplete, round(seen.missing_share, 3), seen.constant
    (1, 0.167, ('x0', 'x1'))
    """
    used = coded if coded.weights is None else coded.take(coded.weights > 0)
    missing = used.codes == used.schema.n_values
    in_row = missing.sum(axis=1)
    by_variable = missing.mean(axis=0) if used.n_rows else np.zeros(used.schema.n_variables)
    names = used.schema.names
    return Observed(
        coded.n_rows,
        used.n_rows,
        used.total_weight,
        used.distinct().n_rows,
        int((in_row > 0).sum()),
        int((in_row == used.schema.n_variables).sum()) if used.schema.n_variables else 0,
        float(missing.mean()) if missing.size else 0.0,
        {name: float(share) for name, share in zip(names, by_variable, strict=True) if share > 0},
        tuple(name for i, name in enumerate(names) if _is_constant(used, i)),
    )


def _is_constant(coded: Coded, i: int) -> bool:
    seen = coded.codes[coded.codes[:, i] < coded.schema.n_values[i], i]
    return bool(len(seen)) and bool((seen == seen[0]).all())
