"""Comparing Predictive Inference Methods for Discrete Domains (1997).

Table 1: leave-one-out with MAP, evidence (EV) and stochastic complexity (SC). Figures 1 to 3: learning
curves over random partitions. The Bernoulli example of section 4.1.
"""

from dataclasses import replace

import numpy as np

from codelength.counts import Counts
from codelength.naive_bayes import Predictor
from codelength.table import Coded, Schema

from ...claims import Claim
from ...experiment import Experiment
from ...findings import Comparison, Findings
from ...predictions import curves_of, results_of, scores_of
from ...published import claim_of, compare, compared, notes_of, printed_rows, published
from ...results import Results
from ...settings import Settings
from ...spec import Model, Result, Spec, chunks
from ...task import CHUNK, Task, source
from ...verdicts import all_of, any_of
from .curve_claims import curve_claims

KEY = "predictive-inference"
TABLES = {"australian": 5, "glass": 5, "heart-statlog": 3, "hepatitis": 5}
"""The tables, with the number of intervals that fits the printed figures best."""

PARTITIONS, QUICK_PARTITIONS = 100, 20
SERIES, QUICK_SERIES = 5, 2
"""Independent series of partitions for Figure 3, because worst cases vary between series."""

DEFAULTS = Settings(discretization="kmeans", learned="whole", missing="value", map_pseudocount=0.002)


def _tasks(quick: bool, settings: Settings) -> list[Task]:
    """Return leave-one-out and learning curves of all tables, and further series for Figure 3."""
    models = (
        Model("MAP", "map", pseudocount=settings.map_pseudocount),
        Model("EV", "evidence"),
        Model("SC", "stochastic_complexity", power=settings.sc_power),
    )
    tables = [source(name, settings, bins) for name, bins in TABLES.items()]
    repeats = settings.repeats or (QUICK_PARTITIONS if quick else PARTITIONS)
    # Leave-one-out has no repetitions: one task per table.
    tasks = [Task("leave-one-out", table, models, settings.seed, settings.cap) for table in tables]
    curves = [
        Task("learning-curve", table, models, settings.seed, settings.cap, first, last)
        for table in tables
        for first, last in chunks(repeats, CHUNK)
    ]
    series = range(1, QUICK_SERIES if quick else SERIES)
    # MAP is left out of further series: Figure 3 compares evidence and stochastic complexity.
    return [*tasks, *curves, *(replace(task, models=models[1:], series=n) for n in series for task in curves)]


def _find(opened: Findings, spec: Spec[Task], results: dict[str, Result]) -> Findings:
    """Return the findings: Table 1, the Bernoulli example, and claims."""
    series = [curves_of(spec, results, number) for number in sorted({task.series for task in spec.tasks})]
    scores, settings = results_of(spec, results), spec.settings
    bins = {task.source.name: task.source.bins for task in spec.tasks}
    return replace(
        opened,
        comparisons=[*compare(KEY, scores), *_bernoulli()],
        claims=[
            *_leave_one_out_claims(scores.at(protocol="leave-one-out", fraction=1.0)),
            *curve_claims(series),
        ],
        notes=notes_of(
            KEY,
            partitions=series[0][0].n_partitions,
            series=len(series),
            bins=", ".join(f"{name} {number}" for name, number in bins.items()),
            pseudocount=settings.map_pseudocount or None,
            power=None if settings.sc_power == 1 else settings.sc_power,
        ),
        scores=scores_of(spec, scores),
        curves=series[0],
    )


def bernoulli(model: Model) -> float:
    """Return the probability that a 1 follows a single 1, for two symbols.

    Examples
    --------
    >>> round(bernoulli(Model("SC", "stochastic_complexity")), 12)
    0.8
    """
    counts = Counts.empty(Schema.from_sizes([], n_classes=2)).add([], 1)
    next_one = Coded.of(counts.schema, np.empty((1, 0), dtype=np.uint8))
    log_probs, _ = Predictor.of(counts, model.rule, model.prior).log_probs(next_one)
    return float(np.exp(log_probs[0, 1]))


def _bernoulli() -> list[Comparison]:
    """Compare the example of section 4.1."""
    table = "Section 4.1"
    columns = next(entry["columns"] for entry in published(KEY)["table"] if entry["name"] == table)
    return [
        compared(KEY, table, row, column, printed, bernoulli(Model(column, columns[column]["rule"])), 0.0)
        for row, _, figures in printed_rows(KEY, table)
        for column, printed in figures.items()
    ]


def _leave_one_out_claims(results: Results) -> list[Claim]:
    """Return the claims of section 4.2."""
    logs, hits = results.at(score="log_score"), results.at(score="accuracy")
    sc_ev, ev_map, sc_map = (
        logs.leads(*pair, "table") for pair in (("SC", "EV"), ("EV", "MAP"), ("SC", "MAP"))
    )
    by_hits = {other: hits.leads("MAP", other, "table") for other in ("EV", "SC")}
    # MAP is not best on a table if any other rule is ahead of it there.
    beaten = [any_of(both) for both in zip(ev_map.verdicts(), sc_map.verdicts(), strict=True)]
    return [
        claim_of(KEY, "sc_leads", sc_ev.every(), f"SC less EV: {sc_ev.text()}"),
        claim_of(KEY, "evidence_beats_map", ev_map.on_average(), f"EV less MAP: {ev_map.over_tables()}"),
        claim_of(
            KEY,
            "map_never_best",
            all_of(beaten),
            f"EV less MAP: {ev_map.text()}; SC less MAP: {sc_map.text()}",
        ),
        claim_of(
            KEY,
            "map_hits",
            all_of(leads.on_average() for leads in by_hits.values()),
            "; ".join(f"MAP less {other}: {leads.over_tables()}" for other, leads in by_hits.items()),
        ),
    ]


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find)
