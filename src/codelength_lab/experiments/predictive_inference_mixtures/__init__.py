"""The experiment of the 1997 paper on predictive inference, repeated for finite mixtures.

The paper compares MAP, evidence (EV) and stochastic complexity (SC) by naive Bayes, and leaves to future work
whether its results hold for finite mixtures, in which the component of every row is latent. Here they are
tested on mixtures over all columns, the class among them, on the four tables of the paper.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from codelength import datasets

from ...experiment import Experiment
from ...findings import Findings
from ...published import notes_of
from ...settings import Settings
from ...spec import Result, Spec, chunks
from ...task import source
from .. import predictive_inference
from .claims import claims_of
from .rows import tables_of
from .task import ANNEALED, LOCAL, MAX_EXACT, STARTS, HiddenTask
from .ways import results_of

__all__ = ["EXPERIMENT", "HiddenTask"]

KEY = "predictive-inference-mixtures"
TABLES = predictive_inference.TABLES
COMPONENTS, QUICK_COMPONENTS = (4, 10), (4,)
PARTITIONS, QUICK_PARTITIONS = 50, 2
"""Half as many as in the paper, so that a full run takes less than an hour on two processors."""
QUICK_TABLES = ("glass", "hepatitis")
QUICK_ROWS = 10
"""Rows that a quick run leaves out, one at a time."""
CHUNK = 10
"""Rows left out per task."""

DEFAULTS = predictive_inference.DEFAULTS


def _tasks(quick: bool, settings: Settings) -> Iterator[HiddenTask]:
    """Yield the tasks of leave-one-out and of learning curves, for every number of components."""
    partitions = settings.repeats or (QUICK_PARTITIONS if quick else PARTITIONS)
    for name in QUICK_TABLES if quick else TABLES:
        table = source(name, settings, TABLES[name])
        n_rows = QUICK_ROWS if quick else datasets.describe(name).rows
        usual = settings.map_pseudocount, settings.cap, settings.seed
        for n in QUICK_COMPONENTS if quick else COMPONENTS:
            for first, last in chunks(n_rows, CHUNK):
                yield HiddenTask("leave-one-out", table, n, first, last, *usual)
            for first, last in chunks(partitions, 1):
                yield HiddenTask("learning-curve", table, n, first, last, *usual)


def _find(opened: Findings, spec: Spec[Any], results: dict[str, Result]) -> Findings:
    """Return the findings: conclusions, claims and tables."""
    found = results_of(spec, results)
    components, tables = found.levels("components"), tables_of(found)
    first = found.at(table=spec.tasks[0].source.name, components=components[0], model="EV", score="log_score")
    n_left_out = sum(task.last - task.first for task in spec.tasks if task.protocol == "leave-one-out")
    errors = found.at(model="EV", score="error", size=None).means(
        table=found.levels("table"), components=components
    )
    return replace(
        opened,
        notes=notes_of(
            KEY,
            components=" and ".join(map(str, components)),
            partitions=len(first.units(size=first.levels("size")[-1])),
            left_out=n_left_out // len(components),
            starts=STARTS,
            pseudocount=spec.settings.map_pseudocount,
            exact=MAX_EXACT,
            annealed=ANNEALED,
            local=LOCAL,
            error=errors.mean(),
            agreement=_agreement(next(table.rows for table in tables if table.name == "rankings")),
        ),
        claims=claims_of(found),
        tables=tables,
    )


def _agreement(rankings: list[dict[str, Any]]) -> str:
    """Describe the share of tables and sizes on which the order of the rules carries over."""
    titles = [name for name in rankings[0] if name.startswith("hidden")]
    shares = [float(np.mean([row[title] == row["observed"] for row in rankings])) for title in titles]
    return ", ".join(
        f"{share:.0%} of tables and sizes ({title})" for title, share in zip(titles, shares, strict=True)
    )


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find, page=KEY)
