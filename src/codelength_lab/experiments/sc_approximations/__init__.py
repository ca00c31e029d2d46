"""On the Accuracy of Stochastic Complexity Approximations (1997).

Figures 1 and 2: the number of terms that make up most of the sum over all clusterings. Figures 3 and 4: the
approximations compared with the exact sum, by the clustering they start from and by the number of components.
Each is computed on many random samples of all nine tables, then with more rows than could be summed in 1997.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from codelength import datasets

from ...experiment import Experiment, Result, Spec, chunks
from ...findings import Findings
from ...published import notes_of, published
from ...settings import Settings
from ...tables import Source, source
from ..bayes_optimal_ibl import BINS
from .claims import claims_of
from .collected import Collected
from .methods import MAX_SEARCHED, N_CHAINS, N_CLIMBS, N_STARTS, N_TEMPERATURES
from .rows import tables_of
from .tasks import ApproximationsTask, PaperTask, Reference, SolutionsTask, TermsTask

__all__ = ["EXPERIMENT"]

KEY = "sc-approximations"
FOCUS = "hepatitis"
"""The table of Figures 2 to 4."""

ALL = (1, 2, 3, 4, 5, 6)
THREE = (3,)
CHUNK_MILLISECONDS = 6000.0

DEFAULTS = Settings(discretization="kmeans", learned="whole", missing="value")

Plan = tuple[int, tuple[int, ...], Reference, int]
"""Rows, numbers of components, reference and samples per table."""

PLANS: tuple[Plan, ...] = (
    (6, ALL, "exact", 20),
    (10, ALL, "exact", 20),
    (12, THREE, "exact", 10),
    (14, THREE, "exact", 10),
    (16, THREE, "exact", 10),
    (18, THREE, "exact", 10),
    (20, ALL, "exact", 6),
    (30, THREE, "annealed", 6),
    (50, ALL, "annealed", 4),
    (100, ALL, "annealed", 2),
    (200, THREE, "annealed", 4),
)
QUICK_PLANS: tuple[Plan, ...] = (
    (6, ALL, "exact", 1),
    (10, THREE, "exact", 2),
    (20, THREE, "exact", 1),
    (50, THREE, "annealed", 1),
)
LARGEST = (24, ("hepatitis", "diabetes"), 1)
"""Rows, tables and samples of the largest exact sums."""


def _tasks(quick: bool, settings: Settings) -> list[PaperTask]:
    """Return the tasks of all figures, and of larger samples than in the paper."""
    tables = [source(name, settings, BINS.get(name, 5)) for name in _names()]
    tasks: list[PaperTask] = [*_terms(quick, settings, tables), *_solutions(quick, settings, tables)]
    for n_rows, components, reference, usual in QUICK_PLANS if quick else PLANS:
        samples = settings.repeats or usual
        for table in tables:
            if n_rows <= datasets.describe(table.name).rows:
                # The largest exact sums of all tables also test the annealed reference that larger samples
                # rely on.
                checked = reference == "exact" and n_rows == 20
                whole = ApproximationsTask(
                    table, n_rows, settings.seed, 0, samples, components, reference, checked
                )
                tasks += _cut(whole)
    if not quick:
        n_rows, names, samples = LARGEST
        tasks += [
            ApproximationsTask(table, n_rows, settings.seed, number, number + 1, THREE)
            for table in tables
            if table.name in names
            for number in range(samples)
        ]
    return tasks


def _names() -> list[str]:
    return [row["dataset"] for row in published(KEY)["table"][0]["rows"].values()]


def _terms(quick: bool, settings: Settings, tables: Iterable[Source]) -> Iterator[TermsTask]:
    """Yield the tasks of Figures 1 and 2; the table of Figure 2 has more sizes."""
    samples = settings.repeats or (5 if quick else 20)
    for table in tables:
        if table.name == FOCUS:
            sizes = range(2, 10 if quick else 13)
        else:
            sizes = range(7, 8) if quick else range(2, 11)
        for n_rows in sizes:
            yield TermsTask(table, n_rows, settings.seed, 0, samples)


def _solutions(quick: bool, settings: Settings, tables: Iterable[Source]) -> Iterator[SolutionsTask]:
    for table in tables:
        if table.name == FOCUS or not quick:
            yield SolutionsTask(table, 10, settings.seed, 0, settings.repeats or (1 if quick else 2))


def _cut(whole: ApproximationsTask) -> list[ApproximationsTask]:
    """Divide the samples into tasks of a few seconds each."""
    size = max(1, int(CHUNK_MILLISECONDS / (whole.work / whole.n_samples)))
    return [replace(whole, first=first, last=last) for first, last in chunks(whole.n_samples, size)]


def _find(opened: Findings, spec: Spec[PaperTask], results: dict[str, Result]) -> Findings:
    """Return the findings: claims and tables."""
    collected = Collected(spec, results)
    bins = {task.source.name: task.source.bins for task in spec.tasks}
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
            bins=", ".join(f"{name} {number}" for name, number in bins.items()),
        ),
        tables=tables_of(collected),
    )


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find)
