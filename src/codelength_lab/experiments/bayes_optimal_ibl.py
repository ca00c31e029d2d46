"""Bayes Optimal Instance-Based Learning (1998).

Table 1: repeated cross-validation with maximum likelihood naive Bayes (MLNB) and averaged naive Bayes
(BIBL), from all and from a tenth of the training rows. Figure 1: Iris, by the share of the training
rows used.
"""

from dataclasses import replace

from ..claims import Claim, Leads, apart, by_lead, signed
from ..experiment import Experiment, Model, Result, Spec
from ..findings import Findings
from ..predictions import results_of, scores_of
from ..published import claim_of, compare, notes_of, published
from ..results import Results
from ..settings import Settings
from ..tables import source
from ..task import Task, cross_validations

KEY = "bayes-optimal-ibl"
BINS = {"heart-statlog": 3, "iris": 3, "diabetes": 6}
"""Intervals per numeric column of tables for which 5 do not fit the printed figures best."""

REPEATS, QUICK_REPEATS = 100, 10
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Shares of the training rows in Figure 1."""

DEFAULTS = Settings(discretization="kmeans", learned="whole", missing="value", cap=100.0)


def folds_by_table() -> dict[str, int]:
    """Return the tables of the paper, and the folds of their cross-validation."""
    return {row["dataset"]: row["folds"] for row in published(KEY)["table"][0]["rows"].values()}


def _tasks(quick: bool, settings: Settings) -> list[Task]:
    """Return the tasks; iris is run with all shares of Figure 1, other tables with those of Table 1."""
    models = (Model("MLNB", "map", pseudocount=settings.map_pseudocount), Model("BIBL", "evidence"))
    repeats = QUICK_REPEATS if quick else REPEATS
    return [
        task
        for name, folds in folds_by_table().items()
        for share in (SHARES if name == "iris" else (1.0, 0.1))
        for task in cross_validations(
            source(name, settings, BINS.get(name, 5)), models, settings, folds, share, repeats
        )
    ]


def _find(opened: Findings, spec: Spec[Task], results: dict[str, Result]) -> Findings:
    """Return the findings: Table 1, its claims, and those of Figure 1."""
    scores = results_of(spec, results)
    bins = {task.source.name: task.source.bins for task in spec.tasks}
    of_folds = scores.at(protocol="cross-validation")
    return replace(
        opened,
        comparisons=compare(KEY, scores),
        claims=[*_table_claims(of_folds), *_iris_claims(of_folds.at(table="iris"))],
        notes=notes_of(
            KEY,
            repeats=max(task.last for task in spec.tasks),
            bins=", ".join(f"{name} {number}" for name, number in bins.items()),
        ),
        scores=scores_of(spec, scores),
    )


def _table_claims(results: Results) -> list[Claim]:
    """Return the claims on the tables, with all and with a tenth of the training rows."""
    hits, few_hits, full, few = (
        results.leads("BIBL", "MLNB", "table", score=score, fraction=fraction)
        for score in ("accuracy", "log_score")
        for fraction in (1.0, 0.1)
    )
    return [
        claim_of(KEY, "full_hits", hits.changed(lambda value: 0.03 - abs(value)).most(), _in_points(hits)),
        claim_of(KEY, "full_logs", full.every(), f"BIBL less MLNB in nats: {full.text(2)}"),
        claim_of(KEY, "few_hits", few_hits.every(), _in_points(few_hits)),
        claim_of(KEY, "few_logs", few.every(), f"BIBL less MLNB in nats: {few.text(2)}"),
    ]


def _in_points(leads: Leads[str]) -> str:
    return f"BIBL less MLNB in points: {leads.text(1, scale=100)}"


def _iris_claims(results: Results) -> list[Claim]:
    """Return the claims on Iris, by the share of the training rows."""
    leads = by_share(results, "BIBL", "MLNB", SHARES)
    tenth, whole = (results.mean(fraction=share, model="BIBL", score="accuracy") for share in (0.1, 1.0))
    # Taken as independent: both use the same repetitions, but other training rows.
    gap = apart(whole, tenth)
    return [
        claim_of(KEY, "iris_logs", leads.every(), f"lead in nats: {leads.text(2)}"),
        claim_of(
            KEY,
            "iris_tenth",
            by_lead(0.01 - abs(gap.value), gap.standard_error),
            f"0/1-score {100 * tenth.value:.1f} with a tenth, {100 * whole.value:.1f} with all; "
            f"{signed(100 * gap.value, 100 * gap.standard_error, 2)} points apart",
        ),
    ]


def by_share(results: Results, model: str, other: str, shares: tuple[float, ...]) -> Leads[str]:
    """Return the leads of one model over another in the log score, by the share of the training rows."""
    return Leads(
        {f"{share:.0%}": results.lead(model, other, fraction=share, score="log_score") for share in shares}
    )


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find)
