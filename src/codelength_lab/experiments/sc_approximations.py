"""On the Accuracy of Stochastic Complexity Approximations (1997).

Figures 1 and 2: the number of terms that make up most of the sum over all clusterings. Figures 3 and 4: the
approximations compared with the exact sum, by the clustering they start from and by the number of components.
Each is computed on many random samples of all nine tables, then with more rows than could be summed in 1997.
This module has tasks, collected results, and tables, in this order. Depends on ``clustering_sums``, which
computes the samples, on ``sc_claims`` and on :mod:`codelength_lab.published` (notes and values of the paper).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from codelength.decisions import first_best_of_rows
from codelength.typing import FloatArray

from ..experiment import Experiment, Result, Spec, bins_of, chunks
from ..findings import Findings, ResultTable, Row
from ..published import notes_of, published, result_tables
from ..results import Results
from ..settings import Settings
from ..tables import source
from .bayes_optimal_ibl import BINS
from .clustering_sums import (
    LEVELS,
    MAX_SEARCHED,
    METHODS,
    N_CHAINS,
    N_CLIMBS,
    N_STARTS,
    N_TEMPERATURES,
    SHARES,
    ApproximationsTask,
    PaperTask,
    Reference,
    SolutionsTask,
    TermsTask,
)

KEY = "sc-approximations"
FOCUS = "hepatitis"
"""The table of Figures 2 to 4."""

ALL = (1, 2, 3, 4, 5, 6)
K = 3
"""Components in most figures."""
CHUNK_MILLISECONDS = 6000.0

DEFAULTS = Settings(discretization="kmeans", learned="whole", missing="value")

Plan = tuple[int, tuple[int, ...], Reference, int]
"""Rows, numbers of components, reference and samples per table."""

PLANS: tuple[Plan, ...] = (
    (6, ALL, "exact", 20),
    (10, ALL, "exact", 20),
    *((n_rows, (K,), "exact", 10) for n_rows in (12, 14, 16, 18)),
    (20, ALL, "exact", 6),
    (30, (K,), "annealed", 6),
    (50, ALL, "annealed", 4),
    (100, ALL, "annealed", 2),
    (200, (K,), "annealed", 4),
)
QUICK_PLANS: tuple[Plan, ...] = (
    (6, ALL, "exact", 1),
    (10, (K,), "exact", 2),
    (20, (K,), "exact", 1),
    (50, (K,), "annealed", 1),
)
MAX_EXACT = (24, ("hepatitis", "diabetes"))
"""Rows and tables of the largest exact sums, of one sample each."""

ROWS_OF_FIGURE_1 = 7
LIMITS = (1, 3, 10, 30)
"""Errors in nats."""


def _tasks(quick: bool, settings: Settings) -> Iterator[PaperTask]:
    """Yield the tasks of all figures, and of larger samples than in the paper."""
    tables = [source(name, settings, BINS.get(name, 5)) for name in _names()]
    for table in tables:
        # The table of Figure 2 has more sizes than those of Figure 1.
        few, all_sizes = (range(2, 10), range(2, 13)) if table.name == FOCUS else (range(7, 8), range(2, 11))
        for n_rows in few if quick else all_sizes:
            yield TermsTask(table, n_rows, settings.seed, 0, settings.repeats or (5 if quick else 20))
    for table in tables:
        if table.name == FOCUS or not quick:
            yield SolutionsTask(table, 10, settings.seed, 0, settings.repeats or (1 if quick else 2))
    for n_rows, components, reference, usual in QUICK_PLANS if quick else PLANS:
        for table in tables:
            if n_rows <= table.n_rows:
                # The largest exact sums of all tables also test the annealed reference of larger samples.
                checked = reference == "exact" and n_rows == 20
                samples = n_rows, settings.seed, 0, settings.repeats or usual
                yield from _cut(ApproximationsTask(table, *samples, components, reference, checked))
    if not quick:
        n_rows, largest = MAX_EXACT
        for table in tables:
            if table.name in largest:
                yield ApproximationsTask(table, n_rows, settings.seed, 0, 1, (K,))


def _names() -> list[str]:
    return [row["dataset"] for row in published(KEY)["table"][0]["rows"].values()]


def _cut(whole: ApproximationsTask) -> list[ApproximationsTask]:
    """Divide the samples into tasks of a few seconds each."""
    size = max(1, int(CHUNK_MILLISECONDS / (whole.work / whole.n_samples)))
    return [replace(whole, first=first, last=last) for first, last in chunks(whole.n_samples, size)]


class Collected:
    """Results of a specification, by table, rows and components.

    Attributes
    ----------
    names : list of str
        The tables.
    lengths : Results
        Code lengths by table, rows, components and method (``model``); units are samples.
    references : dict of int to str
        Method of the reference by the number of rows.
    solutions : dict of str to list
        Code lengths of the methods at many clusterings, by table and sample.
    """

    def __init__(self, spec: Spec[PaperTask], results: Mapping[str, Result]) -> None:
        self.names: list[str] = list(dict.fromkeys(task.source.name for task in spec.tasks))
        compared = [task for task in spec.tasks if isinstance(task, ApproximationsTask)]
        self.references = {task.n_rows: task.reference for task in compared}
        self.lengths = Results(
            ("table", "rows", "components", "model"),
            (
                ((task.source.name, task.n_rows, int(k), method), lengths)
                for task in compared
                for k, columns in results[task.key].items()
                for method, lengths in columns.items()
            ),
        )
        self.cases: list[tuple[str, int, int]] = self.lengths.at(model="reference").keys
        """Table, rows and components of all comparisons with a reference."""
        self._terms = {
            (task.source.name, task.n_rows): results[task.key]
            for task in spec.tasks
            if isinstance(task, TermsTask)
        }
        self.solutions: dict[str, list[Any]] = {
            task.source.name: results[task.key]["samples"]
            for task in spec.tasks
            if isinstance(task, SolutionsTask)
        }

    def sizes(self, n_components: int | None = None) -> list[int]:
        """Return the numbers of rows for which there are references, in ascending order."""
        return sorted({n for _, n, k in self.cases if n_components in (None, k)})

    def tables_with(self, n_rows: int) -> list[str]:
        """Return the tables of which there are samples of a size."""
        return [name for name, n, k in self.cases if (n, k) == (n_rows, K)]

    def components(self, name: str, n_rows: int) -> list[int]:
        """Return the numbers of components of a table and a size."""
        return sorted(k for table, n, k in self.cases if (table, n) == (name, n_rows))

    def errors(self, name: str, n_rows: int, method: str, n_components: int = K) -> FloatArray:
        """Return code lengths of the samples less the reference, in nats."""
        return self.lengths.gains(method, "reference", table=name, rows=n_rows, components=n_components)

    def mean_error(
        self, names: Iterable[str], n_rows: int, method: str, size: Callable[..., FloatArray] = np.abs
    ) -> float:
        """Return the mean error over tables of equal weight: absolute, or signed if ``size`` keeps signs."""
        return float(np.mean([size(self.errors(name, n_rows, method)).mean() for name in names]))

    def chosen(self, name: str, n_rows: int, method: str) -> Any:
        """Return the number of components with the shortest code length in each sample."""
        sizes, own = self.components(name, n_rows), self.lengths.at(table=name, rows=n_rows, model=method)
        stacked = np.array([own.units(components=k) for k in sizes])
        return np.array(sizes)[first_best_of_rows(-stacked.T)]

    def needed(self, name: str, n_rows: int, level: float) -> FloatArray:
        """Return the number of terms needed for a share of the sum, one of ``LEVELS``, in each sample."""
        return np.array(self._terms[name, n_rows]["needed"])[:, LEVELS.index(level)]

    def mass(self, name: str, n_rows: int) -> FloatArray:
        """Return the mean share of the sum by share of the terms, at ``SHARES``."""
        return np.asarray(np.array(self._terms[name, n_rows]["mass"]).mean(axis=0))

    def term_sizes(self, name: str) -> list[int]:
        """Return the numbers of rows for which all terms were computed."""
        return sorted(n_rows for table, n_rows in self._terms if table == name)

    def annealing_note(self) -> str:
        """Describe the accuracy of annealing if the sum is known, and its standard errors otherwise."""

        def units(model: str, cases: Iterable[tuple[str, int, int]]) -> FloatArray:
            own = self.lengths.at(model=model)
            return np.concatenate([own.units(table=name, rows=n, components=k) for name, n, k in cases])

        text = f"its standard errors are {units('standard_error', self.cases).max():.2f} nats at most."
        # With one component the sum has one term, and annealing is exact.
        checked = [case for case in self.lengths.at(model="annealed").keys if case[2] > 1]
        if not checked:
            return text
        distances = np.abs(units("annealed", checked) - units("reference", checked))
        stated = units("annealed_se", checked)
        within = np.mean(distances / np.maximum(stated, 1e-9) <= 3)
        return (
            f"with 20 rows it is {distances.mean():.2f} nats from the exact sum on average, and within three "
            f"of its standard errors in {within:.0%} of {len(distances)} cases; beyond, {text}"
        )


def _find(opened: Findings, spec: Spec[PaperTask], results: dict[str, Result]) -> Findings:
    """Return the findings: claims and tables."""
    from .sc_claims import claims_of

    collected = Collected(spec, results)
    return replace(
        opened,
        claims=claims_of(collected),
        notes=notes_of(
            KEY,
            starts=N_STARTS,
            searched=MAX_SEARCHED,
            climbs=N_CLIMBS,
            chains=N_CHAINS,
            temperatures=N_TEMPERATURES,
            annealing=collected.annealing_note(),
            bins=bins_of(spec),
        ),
        tables=_tables(collected),
    )


def _tables(collected: Collected) -> list[ResultTable]:
    """Return all tables; those with a row for every case are in files only."""
    absolute, signed = (_by_size(collected, size) for size in (np.abs, np.asarray))
    # Sizes that few tables have are left out.
    of_most = [row for row in absolute if row["tables"] > 4]
    rows = {
        "peaks": _peaks(collected),
        "errors-10-rows": _by_table(collected, 10),
        "errors-by-rows": absolute,
        "bias-by-rows": signed,
        "selection": _selection(collected),
        "breaks": [_breaks(method, of_most) for method in METHODS],
        "errors": _everything(collected),
        "terms": _terms(collected),
        "cumulative": _curves(collected),
        "solutions": _solutions(collected),
        "classes": _classes(collected),
    }
    return result_tables(KEY, rows)


def _peaks(collected: Collected) -> list[Row]:
    """Return the terms that make up 90 and 99 % of the sum, by table."""
    rows = []
    for name in collected.names:
        row: Row = {"table": name}
        for level in (0.90, 0.99):
            needed = collected.needed(name, ROWS_OF_FIGURE_1, level)
            mean, share = float(needed.mean()), 100 * (1 / float(K**ROWS_OF_FIGURE_1))
            row |= {f"terms for {level:.0%}": mean, f"% of terms for {level:.0%}": share * mean}
        rows.append(row | {"samples": len(needed)})
    return rows


def _by_table(collected: Collected, n_rows: int) -> list[Row]:
    """Return mean absolute errors by table, and their means."""
    names = collected.tables_with(n_rows)
    return [
        {"table": title} | {method: collected.mean_error(own, n_rows, method) for method in METHODS}
        for title, own in [*((name, [name]) for name in names), ("mean", names)]
    ]


def _by_size(collected: Collected, size: Callable[..., FloatArray]) -> list[Row]:
    """Return mean errors by the number of rows, absolute or signed."""
    return [
        {"reference": collected.references[n_rows], "rows": n_rows, "tables": len(names)}
        | {method: collected.mean_error(names, n_rows, method, size) for method in METHODS}
        for n_rows in collected.sizes(K)
        for names in [collected.tables_with(n_rows)]
    ]


def _breaks(method: str, errors: list[Row]) -> Row:
    """Return the largest number of rows up to which a method stays within each limit."""
    row: Row = {"method": method}
    for limit in LIMITS:
        # The first size beyond the limit ends the search, even if the error falls again later.
        beyond = next((n for n, found in enumerate(errors) if not found[method] <= limit), len(errors))
        row[f"within {limit}"] = f"{errors[beyond - 1]['rows']} rows" if beyond else "never"
    return row


def _selection(collected: Collected) -> Iterator[Row]:
    """Yield the share of samples in which each method chooses as many components as the reference."""
    for n_rows in collected.sizes():
        names = [name for name in collected.names if len(collected.components(name, n_rows)) > 1]
        if names:
            right = np.concatenate([collected.chosen(name, n_rows, "reference") for name in names])
            row: Row = {"reference": collected.references[n_rows], "rows": n_rows, "samples": len(right)}
            # As text, because the other columns have no decimals.
            row["mean K"] = f"{right.mean():.1f}"
            for method in METHODS:
                own = np.concatenate([collected.chosen(name, n_rows, method) for name in names])
                row[method] = 100 * float((own == right).mean())
            yield row


def _everything(collected: Collected) -> list[Row]:
    """Return the errors of all methods in all cases."""
    rows = []
    for name, n_rows, k in collected.cases:
        row: Row = {"dataset": name, "n_rows": n_rows, "n_components": k}
        row["reference"] = collected.references[n_rows]
        own = collected.lengths.at(table=name, rows=n_rows, components=k)
        row["n_samples"] = len(own.units(model="reference"))
        row["mean_code_length"] = _short(own.units(model="reference").mean())
        row["mean_standard_error"] = _short(own.units(model="standard_error").mean())
        for method in METHODS:
            errors = collected.errors(name, n_rows, method, k)
            row[f"{method} mean"] = _short(errors.mean())
            row[f"{method} mean absolute"] = _short(np.abs(errors).mean())
        rows.append(row)
    return rows


def _terms(collected: Collected) -> list[Row]:
    return [
        {"dataset": name, "n_rows": n_rows, "n_clusterings": K**n_rows}
        | {"n_samples": len(collected.needed(name, n_rows, LEVELS[0]))}
        | {f"{level:.0%}": float(collected.needed(name, n_rows, level).mean()) for level in LEVELS}
        for name in collected.names
        for n_rows in collected.term_sizes(name)
    ]


def _curves(collected: Collected) -> list[Row]:
    curves = {name: collected.mass(name, ROWS_OF_FIGURE_1) for name in collected.names}
    return [
        {"share_of_terms": share} | {name: _short(curve[i]) for name, curve in curves.items()}
        for i, share in enumerate(SHARES)
    ]


def _solutions(collected: Collected) -> list[Row]:
    """Return the first sample of the table of Figure 3; ends of EM have no code lengths."""
    sample = collected.solutions[FOCUS][0]
    exact, lengths = {"exact": _short(sample["exact"])}, sample["lengths"]
    return [
        *(
            {"kind": "clustering", "log_posterior": _short(x)}
            | exact
            | {name: _short(own[i]) for name, own in lengths.items()}
            for i, x in enumerate(sample["log_posterior"])
        ),
        # All rows of a table must have the same columns.
        *(
            {"kind": "end of EM", "log_posterior": _short(x)} | exact | dict.fromkeys(lengths)
            for x in sample["em"]
        ),
    ]


def _classes(collected: Collected) -> list[Row]:
    """Return the first sample of the table of Figure 4."""
    own = collected.lengths.at(table=FOCUS, rows=6)
    methods = {"exact": "reference"} | {method: method for method in METHODS}
    return [
        {"n_components": k}
        | {name: _short(own.units(components=k, model=model)[0]) for name, model in methods.items()}
        for k in collected.components(FOCUS, 6)
    ]


def _short(value: float) -> float:
    return float(f"{value:.6g}")


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find)
