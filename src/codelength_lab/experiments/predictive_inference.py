"""Comparing Predictive Inference Methods for Discrete Domains (1997).

Table 1: leave-one-out with MAP, evidence (EV) and stochastic complexity (SC). Figures 1 to 3: learning
curves over random partitions. The Bernoulli example of section 4.1.
"""

from dataclasses import replace

import numpy as np

from codelength.counts import Counts
from codelength.naive_bayes import Predictor
from codelength.table import Coded, Schema

from ..findings import Claim, Comparison, Findings, signed
from ..learning_curves import curve_claims
from ..paper import CHUNK, of_predictions, source
from ..published import compare, compared, printed_rows, published
from ..settings import Settings
from ..spec import Model, chunks
from ..summary import Curve, Mean, Summary, mean_of
from ..task import Task
from ..verdicts import all_of, any_of, by_lead, by_sample

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
    tasks += [
        Task("learning-curve", table, models, settings.seed, settings.cap, first, last)
        for table in tables
        for first, last in chunks(repeats, CHUNK)
    ]
    return tasks + [
        # MAP is left out: Figure 3 compares evidence and stochastic complexity.
        replace(task, models=models[1:], series=series)
        for series in range(1, QUICK_SERIES if quick else SERIES)
        for task in tasks
        if task.protocol == "learning-curve"
    ]


def _find(opened: Findings, summary: Summary) -> Findings:
    """Return the findings: Table 1, the Bernoulli example, and claims."""
    return replace(
        opened,
        comparisons=[*compare(KEY, summary), *_bernoulli()],
        claims=[*_leave_one_out_claims(summary), *curve_claims(summary.curves(), _series(summary))],
        notes=_notes(summary),
    )


def _series(summary: Summary) -> list[list[Curve]]:
    return [summary.curves(series) for series in sorted({task.series for task in summary.spec.tasks})]


def _notes(summary: Summary) -> list[str]:
    sources = {task.source.name: task.source for task in summary.spec.tasks}
    bins = ", ".join(f"{name} {table.bins}" for name, table in sources.items())
    settings = summary.spec.settings
    partitions = next(curve.n_partitions for curve in summary.curves())
    notes = [
        f"Learning curves are means over {partitions} random partitions, 70 % training and 30 % test rows. "
        f"Figure 3 shows extremes, so its claims are held to {len(_series(summary))} independent series.",
        f"Intervals per numeric column: {bins}. The paper does not say how it cut them; these settings, and "
        "which columns are categories, were found by fitting its tables, so the agreement is partly of our "
        "making.",
    ]
    if settings.map_pseudocount:
        notes.append(
            f"MAP adds {settings.map_pseudocount:g} to every count, without which its log score is minus "
            "infinity; the paper does not say what it did."
        )
    if settings.sc_power != 1:
        notes.append(f"The weights of SC are raised to the power {settings.sc_power:g}: an experiment.")
    return notes


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


def _leave_one_out_claims(summary: Summary) -> list[Claim]:
    """Return the claims of section 4.2."""
    groups = {name: summary.group(name, "leave-one-out") for name in TABLES}
    leads = {
        pair: [mean_of(summary.difference(group, *pair, "log_score")) for group in groups.values()]
        for pair in (("SC", "EV"), ("EV", "MAP"), ("SC", "MAP"))
    }
    # MAP is not best on a table if any other rule is ahead of it there.
    others_lead = zip(leads["EV", "MAP"], leads["SC", "MAP"], strict=True)
    return [
        Claim(
            "abstract, section 4.2",
            "Predicting each row from all others, SC has a better log-score than evidence on every table.",
            all_of(by_lead(*lead) for lead in leads["SC", "EV"]),
            "SC less EV: " + _listed(leads["SC", "EV"]),
        ),
        Claim(
            "section 4.2",
            "Evidence beats MAP in the log-score on average over the tables.",
            by_sample(lead.value for lead in leads["EV", "MAP"]),
            f"EV less MAP: {_over_tables(leads['EV', 'MAP'])}",
        ),
        Claim(
            "abstract",
            "MAP is never best in the log-score.",
            all_of(any_of(by_lead(*lead) for lead in both) for both in others_lead),
            f"EV less MAP: {_listed(leads['EV', 'MAP'])}; SC less MAP: {_listed(leads['SC', 'MAP'])}",
        ),
        _accuracy_claim(summary, list(groups.values())),
    ]


def _accuracy_claim(summary: Summary, groups: list[str]) -> Claim:
    """Return the claim on the 0/1-score."""
    leads = {
        other: [mean_of(summary.difference(group, "MAP", other, "accuracy")) for group in groups]
        for other in ("EV", "SC")
    }
    return Claim(
        "section 4.2",
        "MAP is slightly better than both others in the 0/1-score, on average over the tables.",
        all_of(by_sample(lead.value for lead in own) for own in leads.values()),
        "; ".join(f"MAP less {other}: {_over_tables(own)}" for other, own in leads.items()),
    )


def _listed(leads: list[Mean]) -> str:
    return ", ".join(f"{name} {signed(*lead)}" for name, lead in zip(TABLES, leads, strict=True))


def _over_tables(leads: list[Mean]) -> str:
    mean = mean_of(np.array([lead.value for lead in leads]))
    return f"{signed(*mean)} over tables ({_listed(leads)})"


EXPERIMENT = of_predictions(KEY, DEFAULTS, _tasks, _find)
