"""Comparing Predictive Inference Methods for Discrete Domains (1997).

Table 1: leave-one-out with MAP, evidence (EV) and stochastic complexity (SC). Figures 1 to 3: learning
curves over random partitions. The Bernoulli example of section 4.1. Tasks and findings come first, then the
claims of section 4.2, and then those on learning curves.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from codelength.counts import Counts
from codelength.naive_bayes import Predictor
from codelength.scores.means import Mean
from codelength.table import Coded, Schema
from codelength.typing import FloatArray

from ..claims import Claim, Leads, Verdict, all_of, any_of, apart, by_lead, by_sample
from ..experiment import Experiment, Model, Result, Spec, bins_of, chunks
from ..findings import Comparison, Curve, Findings
from ..predictions import curves_of, results_of, scores_of
from ..published import claim_of, compare, compared, notes_of, printed_rows, printed_table
from ..results import Results
from ..settings import Settings
from ..tables import source
from ..task import CHUNK, TRAIN_SHARE, Task

KEY = "predictive-inference"
TABLES = {"australian": 5, "glass": 5, "heart-statlog": 3, "hepatitis": 5}
"""The tables, with the number of intervals that fits the printed figures best."""

PARTITIONS, QUICK_PARTITIONS = 100, 20
SERIES, QUICK_SERIES = 5, 2
"""Independent series of partitions for Figure 3, because worst cases vary between series."""

DEFAULTS = Settings(discretization="kmeans", learned="whole", missing="value", map_pseudocount=0.002)

SMALL = 0.1
"""Largest share of the rows of a table that counts as a small training set."""
NEAR = 0.1
"""Largest difference of nearly equal log scores, in nats."""
WINDOW = 10
"""Rows within which a sudden rise must happen."""
JUMP = 0.5
"""Smallest share of the whole rise of a curve that counts as sudden."""
ABOUT = {"EV": (20, 10, 40), "SC": (80, 60, 120)}
"""Rows after which the worst case rises according to the paper, and our range for its "about"."""

Curves = Mapping[tuple[str, str, str], Curve]


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
            bins=bins_of(spec),
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
    rules = {name: meaning["rule"] for name, meaning in printed_table(KEY, table)["columns"].items()}
    return [
        compared(KEY, table, row, column, printed, bernoulli(Model(column, rules[column])), 0.0)
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
    on_average = [leads.on_average() for leads in by_hits.values()]
    told = "; ".join(f"MAP less {other}: {leads.over_tables()}" for other, leads in by_hits.items())
    both = f"EV less MAP: {ev_map.text()}; SC less MAP: {sc_map.text()}"
    return [
        claim_of(KEY, "sc_leads", sc_ev.every(), f"SC less EV: {sc_ev.text()}"),
        claim_of(KEY, "evidence_beats_map", ev_map.on_average(), f"EV less MAP: {ev_map.over_tables()}"),
        claim_of(KEY, "map_never_best", all_of(beaten), both),
        claim_of(KEY, "map_hits", all_of(on_average), told),
    ]


def curve_claims(series: Sequence[Sequence[Curve]]) -> list[Claim]:
    """Return the claims of section 4.1 and Figures 1 to 3; those on Glass first, then on all tables."""
    by_series = [{(curve.dataset, curve.model, curve.score): curve for curve in own} for own in series]
    curves, tables = by_series[0], list(dict.fromkeys(curve.dataset for curve in series[0]))
    # A tenth of the whole table, of which the training rows are a share.
    n_train = {name: len(curves[name, "EV", "log_score"].mean) for name in tables}
    small = {name: max(1, round(SMALL * n / TRAIN_SHARE)) for name, n in n_train.items()}
    others = [name for name in tables if name != "glass"]
    return [
        *_lead_claims(curves, small),
        *_distance_claims(curves, small),
        *(_jump_claim(by_series, model) for model in ABOUT),
        *_like_glass("for the other three tables", by_series, others, "log_score"),
        *_like_glass("for the 0/1-score", by_series, tables, "accuracy"),
    ]


def _lead_claims(curves: Curves, small: dict[str, int]) -> list[Claim]:
    """Return the claims that evidence leads from few rows, up to a number for each table."""
    early = {name: _leads_when_small(curves, name, n) for name, n in small.items()}
    least = Leads({name: lead for name, leads in early.items() for lead in leads.least_sure().values()})
    # With the largest of the small sizes.
    late = {
        name: Leads({model: leads[model, small[name]] for model in ("MAP", "SC")})
        for name, leads in early.items()
    }
    near = {name: leads.changed(lambda value: value - NEAR).every() for name, leads in late.items()}
    behind = ", ".join(f"{name} {leads.text(2)}" for name, leads in late.items())
    first = {name: leads.every() for name, leads in early.items()}
    return [
        *_on_glass_and_all("early", first, f"least sure lead in nats: {least.text(2)}"),
        *_on_glass_and_all("late", near, f"nats behind: {behind}"),
    ]


def _leads_when_small(curves: Curves, name: str, n_small: int) -> Leads[tuple[str, int]]:
    """Return the leads of evidence in the mean log score, by the other model and the number of rows."""
    # Curves of pairs are stored once, in the order of the models of the task.
    pairs = {"MAP": ("MAP - EV", -1), "SC": ("EV - SC", 1)}
    return Leads(
        {
            (model, n): Mean(sign * float(curve.mean[n - 1]), float(curve.standard_error[n - 1]))
            for model, (pair, sign) in pairs.items()
            for curve in [curves[name, pair, "log_score"]]
            for n in range(1, n_small + 1)
        }
    )


def _distance_claims(curves: Curves, small: dict[str, int]) -> list[Claim]:
    """Return the claims on distances with few rows: from the full size, and from evidence in hits."""
    rest = Leads({name: _rest(curves[name, "EV", "log_score"], n) for name, n in small.items()})
    near = {
        name: [_distance(curves[name, pair, "accuracy"], n) for pair in ("MAP - EV", "EV - SC")]
        for name, n in small.items()
    }
    told = [f"{name} {of_map.value:.3f} and {of_sc.value:.3f}" for name, (of_map, of_sc) in near.items()]
    optimal = {name: by_lead(NEAR - gap.value, gap.standard_error) for name, gap in rest.items()}
    alike = {name: by_lead(*apart(of_sc, of_map)) for name, (of_map, of_sc) in near.items()}
    return [
        *_on_glass_and_all("optimal", optimal, f"nats short of full size: {rest.text(2)}"),
        *_on_glass_and_all("alike", alike, f"mean distance of MAP and of SC: {', '.join(told)}"),
    ]


def _on_glass_and_all(name: str, verdicts: dict[str, Verdict], figures: str) -> list[Claim]:
    """Return a claim on Glass, which Figure 1 shows, and the same claim on all four tables."""
    claim, joined = partial(claim_of, KEY, name, figures=figures, near=NEAR), all_of(verdicts.values())
    return [
        claim(verdicts["glass"], where="section 4.1, Figure 1", on="on Glass"),
        claim(joined, where="section 4.1", on="on all four tables"),
    ]


def _rest(curve: Curve, n_rows: int) -> Mean:
    """Return the remaining rise of a score; the error assumes that both ends of the curve are independent."""
    value = float(curve.mean[-1] - curve.mean[n_rows - 1])
    return Mean(value, math.hypot(curve.standard_error[-1], curve.standard_error[n_rows - 1]))


def _distance(curve: Curve, n_small: int) -> Mean:
    """Return the mean distance of two models with few rows; the error assumes fully correlated sizes."""
    return Mean(*(float(np.abs(values[:n_small]).mean()) for values in (curve.mean, curve.standard_error)))


def _jump_claim(series: Sequence[Curves], model: str) -> Claim:
    """Return the claim of Figure 3: the worst case rises suddenly, and at the stated number of rows."""
    about, first, last = ABOUT[model]
    jumps = [_jump(own["glass", model, "log_score"].lowest) for own in series]
    # One value per series: the extremes of one series are a single observation without a standard error.
    shares, starts = (np.array(values, dtype=np.float64) for values in zip(*jumps, strict=True))
    return claim_of(
        KEY,
        "jump",
        all_of([by_sample(shares - JUMP), by_sample(starts - first), by_sample(last - starts)]),
        f"{len(jumps)} series of {series[0]['glass', model, 'log_score'].n_partitions} training sets; "
        f"largest share of the rise within {WINDOW} rows (and where it begins): "
        + ", ".join(f"{share:.0%} ({n})" for share, n in jumps),
        rule={"EV": "evidence", "SC": "SC"}[model],
        about=about,
        share=JUMP,
        window=WINDOW,
        first=first,
        last=last,
    )


def _like_glass(where: str, series: Sequence[Curves], tables: list[str], score: str) -> list[Claim]:
    """Return the claims on graphs like Figure 3 that are not printed: sudden rises, earlier for evidence."""
    sudden, in_order, figures = [], [], []
    for name in tables:
        # Shares and starts by model: arrays over the series.
        jumps = {
            model: np.array([_jump(own[name, model, score].lowest) for own in series]).T for model in ABOUT
        }
        sudden += [by_sample(shares - JUMP) for shares, _ in jumps.values()]
        in_order.append(by_sample(jumps["SC"][1] - jumps["EV"][1]))
        said = [f"{shares.mean():.0%} ({starts.mean():.0f})" for shares, starts in jumps.values()]
        figures.append(f"{name} {' and '.join(said)}")
    text = (
        f"mean over {len(series)} series of the largest share of the rise within {WINDOW} rows (and where it "
        f"begins), for evidence and SC: {', '.join(figures)}"
    )
    return [
        claim_of(KEY, "sudden_elsewhere", all_of(sudden), text, where=where),
        claim_of(KEY, "order_elsewhere", all_of(in_order), text, where=where),
    ]


def _jump(lowest: FloatArray) -> tuple[float, int]:
    """Return the largest share of the rise of a curve within a window, and the rows at its start."""
    whole = float(lowest[-1] - lowest.min())
    width = min(WINDOW, len(lowest) - 1)
    # A curve that never rises, or that starts at minus infinity, has no shares of its rise.
    if not (0 < whole < math.inf) or width < 1:
        return math.nan, 1
    rises = lowest[width:] - lowest[:-width]
    start = int(np.argmax(rises))
    return float(rises[start]) / whole, start + 1


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find)
