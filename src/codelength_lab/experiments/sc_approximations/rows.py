"""Result tables of the experiment."""

import numpy as np

from ...findings import ResultTable, Row
from .collected import Collected
from .methods import METHODS
from .tasks import LEVELS, SHARES, needed_share

COMPONENTS = 3
FOCUS = "hepatitis"
ROWS_OF_FIGURE_1 = 7
LIMITS = (1, 3, 10, 30)
"""Errors in nats."""

Rows = list[Row]


def tables_of(collected: Collected) -> list[ResultTable]:
    """Return all tables; those with a row for every case are in files only."""
    return [
        ResultTable(
            "peaks",
            "Figure 1: terms that make up 90 and 99 % of the sum, 7 rows, K = 3",
            _peaks(collected),
            1,
        ),
        ResultTable(
            "errors-10-rows", "Mean absolute error in nats, 10 rows, K = 3", _by_table(collected, 10)
        ),
        ResultTable(
            "errors-by-rows",
            "Mean absolute error in nats by the number of rows, K = 3, mean over tables",
            _by_size(collected, absolute=True),
        ),
        ResultTable(
            "bias-by-rows",
            "Mean error in nats by the number of rows, K = 3, mean over tables",
            _by_size(collected, absolute=False),
        ),
        ResultTable(
            "selection",
            "Samples in which a method chooses the same number of components as the reference, %",
            _selection(collected),
            0,
        ),
        ResultTable(
            "breaks",
            "Where methods break: rows up to which the mean absolute error (K = 3) stays within 1 to 30 nats",
            _breaks(collected),
        ),
        ResultTable("errors", "Errors of all methods", _everything(collected), shown=False),
        ResultTable("terms", "Terms needed for each share of the sum", _terms(collected), shown=False),
        ResultTable("cumulative", "Share of the sum by share of the terms", _curves(collected), shown=False),
        ResultTable("solutions", "The methods at many clusterings", _solutions(collected), shown=False),
        ResultTable("classes", "Code lengths by the number of components", _classes(collected), shown=False),
    ]


def _peaks(collected: Collected) -> Rows:
    """Return the terms that make up 90 and 99 % of the sum, by table."""
    rows: Rows = []
    for name in collected.names:
        row: Row = {"table": name}
        for level in (0.90, 0.99):
            needed = collected.needed(name, ROWS_OF_FIGURE_1, level)
            row[f"terms for {level:.0%}"] = float(needed.mean())
            row[f"% of terms for {level:.0%}"] = (
                100 * needed_share(1, ROWS_OF_FIGURE_1) * float(needed.mean())
            )
        rows.append(row | {"samples": len(needed)})
    return rows


def _by_table(collected: Collected, n_rows: int) -> Rows:
    """Return mean absolute errors by table, and their means."""
    names = collected.tables_with(n_rows, COMPONENTS)
    return [
        {"table": title}
        | {method: collected.mean_error(own, n_rows, COMPONENTS, method) for method in METHODS}
        for title, own in [*((name, [name]) for name in names), ("mean", names)]
    ]


def _by_size(collected: Collected, *, absolute: bool) -> Rows:
    """Return mean errors by the number of rows, absolute or signed."""
    rows: Rows = []
    for n_rows in collected.sizes(COMPONENTS):
        names = collected.tables_with(n_rows, COMPONENTS)
        row: Row = {
            "reference": collected.references[n_rows],
            "rows": n_rows,
            "tables": len(names),
        }
        for method in METHODS:
            parts = [collected.errors(name, n_rows, COMPONENTS, method) for name in names]
            row[method] = float(np.mean([(np.abs(part) if absolute else part).mean() for part in parts]))
        rows.append(row)
    return rows


def _breaks(collected: Collected) -> Rows:
    """Return the largest number of rows up to which each method stays within each limit."""
    errors = {row["rows"]: row for row in _by_size(collected, absolute=True) if _is_of_most(row)}
    rows: Rows = []
    for method in METHODS:
        row: Row = {"method": method}
        for limit in LIMITS:
            held = None
            for n_rows, found in errors.items():
                error = found[method]
                # The first size beyond the limit ends the search, even if the error falls again later.
                if not (isinstance(error, float) and error <= limit):
                    break
                held = n_rows
            row[f"within {limit}"] = "never" if held is None else f"{held} rows"
        rows.append(row)
    return rows


def _is_of_most(row: Row) -> bool:
    """Return whether a mean is over more than a few of the tables."""
    tables = row["tables"]
    return isinstance(tables, int) and tables > 4


def _selection(collected: Collected) -> Rows:
    """Return the share of samples in which each method chooses as many components as the reference."""
    rows: Rows = []
    for n_rows in collected.sizes():
        names = [name for name in collected.names if len(collected.components(name, n_rows)) > 1]
        if not names:
            continue
        right = {name: collected.chosen(name, n_rows, "reference") for name in names}
        row: Row = {
            "reference": collected.references[n_rows],
            "rows": n_rows,
            "samples": sum(len(sizes) for sizes in right.values()),
            # As text, because the other columns have no decimals.
            "mean K": f"{np.concatenate(list(right.values())).mean():.1f}",
        }
        for method in METHODS:
            agree = [collected.chosen(name, n_rows, method) == right[name] for name in names]
            row[method] = 100 * float(np.concatenate(agree).mean())
        rows.append(row)
    return rows


def _everything(collected: Collected) -> Rows:
    """Return the errors of all methods in all cases."""
    rows: Rows = []
    for name, n_rows, k in collected.cases:
        row: Row = {"dataset": name, "n_rows": n_rows, "n_components": k}
        row["reference"] = collected.references[n_rows]
        own = collected.lengths.at(table=name, rows=n_rows, components=k)
        row["n_samples"] = len(own.units(model="reference"))
        row["mean_code_length"] = _short(own.units(model="reference").mean())
        row["mean_standard_error"] = _short(own.units(model="standard_error").mean())
        for method in METHODS:
            errors = collected.errors(name, n_rows, k, method)
            row[f"{method} mean"] = _short(errors.mean())
            row[f"{method} mean absolute"] = _short(np.abs(errors).mean())
        rows.append(row)
    return rows


def _terms(collected: Collected) -> Rows:
    return [
        {
            "dataset": name,
            "n_rows": n_rows,
            "n_clusterings": COMPONENTS**n_rows,
            "n_samples": len(collected.needed(name, n_rows, LEVELS[0])),
            **{f"{level:.0%}": float(collected.needed(name, n_rows, level).mean()) for level in LEVELS},
        }
        for name in collected.names
        for n_rows in collected.term_sizes(name)
    ]


def _curves(collected: Collected) -> Rows:
    curves = {name: collected.mass(name, ROWS_OF_FIGURE_1) for name in collected.names}
    return [
        {"share_of_terms": share, **{name: _short(curve[i]) for name, curve in curves.items()}}
        for i, share in enumerate(SHARES)
    ]


def _solutions(collected: Collected) -> Rows:
    """Return the first sample of the table of Figure 3; ends of EM have no code lengths."""
    sample = collected.solutions[FOCUS][0]
    methods = list(sample["lengths"])
    rows: Rows = [
        {
            "kind": "clustering",
            "log_posterior": _short(x),
            "exact": _short(sample["exact"]),
            **{name: _short(sample["lengths"][name][i]) for name in methods},
        }
        for i, x in enumerate(sample["log_posterior"])
    ]
    # All rows of a table must have the same columns.
    nothing: Row = dict.fromkeys(methods)
    ends: Rows = [
        {"kind": "end of EM", "log_posterior": _short(x), "exact": _short(sample["exact"]), **nothing}
        for x in sample["em"]
    ]
    return rows + ends


def _classes(collected: Collected) -> Rows:
    """Return the first sample of the table of Figure 4."""
    own = collected.lengths.at(table=FOCUS, rows=6)
    methods = {"exact": "reference"} | {method: method for method in METHODS}
    return [
        {
            "n_components": k,
            **{name: _short(own.units(components=k, model=m)[0]) for name, m in methods.items()},
        }
        for k in collected.components(FOCUS, 6)
    ]


def _short(value: float) -> float:
    return float(f"{value:.6g}")
