"""Summaries that a fitted mixture keeps: of the rows and missing cells, and of the search for the best.

Order of reading: :class:`DataSummary` and :class:`DataTally`, which makes it; :class:`SearchSummary`.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import numpy as np

from .._display import counted
from ..table import Coded, Schema
from ..table.checks import check_flag, check_names, check_number, check_whole, reading

_NAMES = {
    "rows": "n_rows",
    "rows_used": "n_used",
    "total_weight": "total_weight",
    "distinct_rows": "n_distinct",
    "rows_with_missing_cells": "n_incomplete",
    "rows_without_a_value": "n_blank",
    "missing_share": "missing_share",
    "missing_share_by_variable": "by_variable",
    "constant_variables": "constant",
}
"""Names of the figures of a :class:`DataSummary` in JSON."""


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
        document = {name: getattr(self, own) for name, own in _NAMES.items()}
        return document | {"constant_variables": list(self.constant)}

    @classmethod
    @reading("DataSummary")
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read a summary that :meth:`to_json` wrote, and check it."""
        given = {own: document[name] for name, own in _NAMES.items()}
        for own, value in given.items():
            if own.startswith("n_"):
                check_whole(own, value, 0)
        check_number("total_weight", given["total_weight"])
        for share in (given["missing_share"], *given["by_variable"].values()):
            check_number("missing_share", share, 0.0, 1.0)
        return cls(**given | {"constant": check_names("constant_variables", given["constant"])})


class DataTally:
    """Summary of rows that arrive in batches."""

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
        # Without the cells for missing.
        n_seen = [own[:-1].sum() for own in np.split(self._seen, schema.offsets[1:-1])]
        return DataSummary(
            self.n_rows,
            self.n_used,
            scale * self.total_weight,
            n_distinct,
            self._n_incomplete,
            self._n_blank,
            int(self._n_missing.sum()) / n_cells if n_cells else 0.0,
            {name: float(share) for name, share in zip(schema.names, shares, strict=True) if share > 0},
            # Ignored columns, such as identifiers, have a single code, but many values in the table.
            tuple(
                variable.name
                for variable, n in zip(schema.variables, n_seen, strict=False)
                if n == 1 and variable.kind != "ignored"
            ),
        )


def observed(coded: Coded, n_distinct: int) -> DataSummary:
    """Summarise the observed data of a table, given its number of distinct rows of positive weight.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> seen = observed(Coded.of(Schema.from_sizes([2, 2]), [[0, 1], [2, 1], [0, 1]]), n_distinct=2)
    >>> seen.n_incomplete, round(seen.missing_share, 3), seen.constant
    (1, 0.167, ('x0', 'x1'))
    """
    tally = DataTally(coded.schema)
    tally.add(coded)
    return tally.observed(n_distinct)


@dataclass(frozen=True, slots=True)
class SearchSummary:
    """Summary of the restarts: how often the best solution was found.

    Attributes
    ----------
    n_starts : int
        Number of starts.
    n_reached : int
        Starts that ended at the best solution: within ``tolerance`` of its log posterior.
    reached : int
        Requested number of them; starts were added until then, or up to ``max_init``.
    max_init : int
        Maximum number of starts.
    tolerance : float
        Difference, in nats, up to which two ends are the same solution.
    log_likelihood : float
        Log-likelihood of the best solution.
    next_best : float or None
        Log-likelihood of the best other solution; None if all starts ended at the best.
    n_iter : int
        Iterations of the best run.
    n_unconverged : int
        Runs that used up their iterations.
    converged : bool
        Whether the best run converged.
    """

    n_starts: int
    n_reached: int
    reached: int
    max_init: int
    tolerance: float
    log_likelihood: float
    next_best: float | None
    n_iter: int
    n_unconverged: int
    converged: bool

    @property
    def is_enough(self) -> bool:
        """True if the best solution was found as often as requested, or by all of fewer starts."""
        return self.n_reached >= min(self.reached, self.n_starts)

    def facts(self) -> list[tuple[str, str]]:
        """Return the summary for printing."""
        within = f"(log posterior within {self.tolerance:g})"
        why = f"asked for at least {self.reached}"
        if not self.is_enough:
            why += f", stopped at {counted(self.n_starts, 'start')}: raise max_init, or take fewer classes"
        found = f"{self.n_reached} of {self.n_starts} {within}; {why}"
        if self.n_starts == 1:
            found = "one start, which is enough for one class; several tell how far to trust more"
        other = "none: all starts ended at the best" if self.next_best is None else f"{self.next_best:.4f}"
        converged = "all runs" if not self.n_unconverged else f"all but {self.n_unconverged} runs"
        if not self.converged:
            converged = (
                f"not the best run; {self.n_unconverged} of {self.n_starts} runs did not: raise max_iter"
            )
        return [
            ("starts that reached the best", found),
            ("log-likelihood", f"{self.log_likelihood:.4f}"),
            ("next best log-likelihood", other),
            ("iterations of the best run", str(self.n_iter)),
            ("converged", converged),
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the summary as JSON types."""
        return asdict(self)

    @classmethod
    @reading("SearchSummary")
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read a summary that :meth:`to_json` wrote, and check it."""
        given = {item.name: document[item.name] for item in fields(cls)}
        for name in ("n_starts", "n_reached", "reached", "max_init", "n_iter", "n_unconverged"):
            check_whole(name, given[name], 0)
        for number in (given["log_likelihood"], given["next_best"] or 0.0):
            check_number("log_likelihood", number, -math.inf)
        check_number("tolerance", given["tolerance"])
        check_flag("converged", given["converged"])
        return cls(**given)
