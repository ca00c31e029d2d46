"""The experiment of the 1997 paper on predictive inference, repeated for finite mixtures.

The paper compares MAP, evidence (EV) and stochastic complexity (SC) by naive Bayes, and leaves to future work
whether its results hold for finite mixtures, in which the component of every row is latent. Here they are
tested on mixtures over all columns, the class among them, on the four tables of the paper.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from codelength import datasets

from ...experiment import Experiment
from ...findings import Findings
from ...paper import general_notes, source
from ...settings import Settings, differences
from ...spec import Result, Spec, chunks
from .. import predictive_inference
from .claims import claims_of
from .collected import Collected
from .rows import tables_of
from .task import ANNEALED, LOCAL, MOST_EXACT, ONE_OPTIMUM, STARTS, HiddenTask

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


def _find(spec: Spec[Any], results: dict[str, Result]) -> Findings:
    """Return the findings: conclusions, claims and tables."""
    found = Collected(spec, results)
    tables = tables_of(found)
    rankings = next(table.rows for table in tables if table.name == "rankings")
    return Findings(
        spec.paper,
        "Three predictive rules when the class is hidden",
        "Our own experiment: the future work of Kontkanen, Myllymäki, Silander, Tirri and Grünwald (1997).",
        spec.quick,
        spec.settings.to_json(),
        differences(DEFAULTS, spec.settings),
        notes=[
            *_notes(spec, found),
            _agreement(found, rankings),
            *general_notes(spec, DEFAULTS, (task.source for task in spec.tasks)),
        ],
        claims=claims_of(found),
        tables=tables,
    )


def _agreement(found: Collected, rankings: list[dict[str, Any]]) -> str:
    """Describe the share of tables and sizes on which the order of the rules carries over."""
    titles = [f"hidden, {n} components" for n in found.components]
    shares = [float(np.mean([row[title] == row["observed"] for row in rankings])) for title in titles]
    told = ", ".join(
        f"{share:.0%} of tables and sizes ({title})" for title, share in zip(titles, shares, strict=True)
    )
    return (
        "The order of the three rules by mean log-score along the learning curves is the same with the class "
        f"hidden as with it observed for {told}."
    )


def _notes(spec: Spec[HiddenTask], found: Collected) -> list[str]:
    """Return remarks on the mixtures, the protocols and the approximations."""
    annealed, local = ANNEALED, LOCAL
    n_left_out = sum(t.last - t.first for t in spec.tasks if t.protocol == "leave-one-out")
    error = np.mean(
        [found.mean(table, n, "EV", "error").value for table in found.tables for n in found.components]
    )
    counts = " and ".join(map(str, found.components))
    return [
        f"Mixtures of {counts} components over all columns, the class among them. The class is asked about; "
        "the component of every row is hidden. Naive Bayes on the same rows stands beside, as “class "
        "observed”.",
        f"Learning curves: {found.n_partitions(found.tables[0])} random partitions, 70 % training and 30 % "
        "test rows, the first of those in the paper's own experiment. Mixtures are fitted anew to the first "
        "1, 2, 5, 10, 20, 40, ... training rows, not to every number of them.",
        f"Leave-one-out: {n_left_out // len(found.components):,} rows, for each of which mixtures are fitted "
        "anew to all others.",
        f"MAP: the best of {STARTS} runs of EM, with {spec.settings.map_pseudocount:g} added to every count, "
        "as in the paper's own experiment, without which its log score is minus infinity.",
        f"EV: the uniform prior. Up to {MOST_EXACT} rows, the exact sum over all clusterings. Beyond, "
        f"{annealed.n_chains} annealed chains that start at several optima, {annealed.n_temperatures} "
        f"temperatures and {annealed.n_draws} draws each, weighted by importance. Under leave-one-out the "
        f"mean standard error of a log probability is {error:.3f} nats; chains differ from repetition to "
        "repetition, so the standard errors of scores contain it.",
        f"{ONE_OPTIMUM}: {local.n_chains} Gibbs chains that start at the fitted mixture, {local.n_draws} "
        f"draws each after {local.n_warmup} that do not count: what an average over clusterings near one "
        "optimum gives.",
        "SC: EM without a prior from the fitted mixture, with the test row among the rows, once per class; "
        "also started with the test row wholly in each component.",
        "Standard errors are over partitions, over rows under leave-one-out, and over tables for means "
        "over tables. Those on one table speak of that table only.",
    ]


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find, page=KEY)
