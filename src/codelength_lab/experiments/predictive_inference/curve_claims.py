"""Claims of the 1997 paper about learning curves, tested on ours."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from codelength.scores.means import Mean
from codelength.typing import FloatArray

from ...claims import Claim, Leads, apart
from ...findings import Curve
from ...protocols import TRAIN_SHARE
from ...published import claim_of
from ...verdicts import Verdict, all_of, by_lead, by_sample

KEY = "predictive-inference"

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

Curves = dict[tuple[str, str, str], Curve]


def curve_claims(series: Sequence[Sequence[Curve]]) -> list[Claim]:
    """Return the claims of section 4.1 and Figures 1 to 3; those on Glass first, then on all tables."""
    by_series: list[Curves] = [
        {(curve.dataset, curve.model, curve.score): curve for curve in curves} for curves in series
    ]
    tables = list(dict.fromkeys(curve.dataset for curve in series[0]))
    others = [name for name in tables if name != "glass"]
    curves = by_series[0]
    # A tenth of the whole table, of which the training rows are a share.
    n_train = {name: len(curves[name, "EV", "log_score"].mean) for name in tables}
    small = {name: max(1, round(SMALL * n / TRAIN_SHARE)) for name, n in n_train.items()}
    return [
        *_lead_claims(curves, small),
        *_distance_claims(curves, small),
        *_jump_claims(by_series),
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
    return [
        *_on_glass_and_all(
            "early",
            {name: leads.every() for name, leads in early.items()},
            f"least sure lead in nats: {least.text(2)}",
        ),
        *_on_glass_and_all(
            "late",
            {name: leads.changed(lambda value: value - NEAR).every() for name, leads in late.items()},
            "nats behind: " + ", ".join(f"{name} {leads.text(2)}" for name, leads in late.items()),
        ),
    ]


def _distance_claims(curves: Curves, small: dict[str, int]) -> list[Claim]:
    """Return the claims on distances with few rows: from the full size, and from evidence in hits."""
    rest = Leads({name: _rest(curves[name, "EV", "log_score"], n) for name, n in small.items()})
    near = {
        name: [_distance(curves[name, pair, "accuracy"], n) for pair in ("MAP - EV", "EV - SC")]
        for name, n in small.items()
    }
    told = [f"{name} {of_map.value:.3f} and {of_sc.value:.3f}" for name, (of_map, of_sc) in near.items()]
    return [
        *_on_glass_and_all(
            "optimal",
            {name: by_lead(NEAR - gap.value, gap.standard_error) for name, gap in rest.items()},
            f"nats short of full size: {rest.text(2)}",
        ),
        *_on_glass_and_all(
            "alike",
            {name: by_lead(*apart(of_sc, of_map)) for name, (of_map, of_sc) in near.items()},
            f"mean distance of MAP and of SC: {', '.join(told)}",
        ),
    ]


def _on_glass_and_all(name: str, verdicts: dict[str, Verdict], figures: str) -> list[Claim]:
    """Return a claim on Glass, which Figure 1 shows, and the same claim on all four tables."""
    claim, joined = partial(claim_of, KEY, name, figures=figures, near=NEAR), all_of(verdicts.values())
    return [
        claim(verdicts["glass"], where="section 4.1, Figure 1", on="on Glass"),
        claim(joined, where="section 4.1", on="on all four tables"),
    ]


def _leads_when_small(curves: Curves, name: str, n_small: int) -> Leads[tuple[str, int]]:
    """Return the leads of evidence in the mean log score, by the other model and the number of rows."""
    leads: Leads[tuple[str, int]] = Leads()
    # Curves of pairs are stored once, in the order of the models of the task.
    for model, pair, sign in (("MAP", "MAP - EV", -1), ("SC", "EV - SC", 1)):
        curve = curves[name, pair, "log_score"]
        for n in range(1, n_small + 1):
            leads[model, n] = Mean(sign * float(curve.mean[n - 1]), float(curve.standard_error[n - 1]))
    return leads


def _rest(curve: Curve, n_rows: int) -> Mean:
    """Return the remaining rise of a score; the error assumes that both ends of the curve are independent."""
    value = float(curve.mean[-1] - curve.mean[n_rows - 1])
    return Mean(value, math.hypot(curve.standard_error[-1], curve.standard_error[n_rows - 1]))


def _distance(curve: Curve, n_small: int) -> Mean:
    """Return the mean distance of two models with few rows; the error assumes fully correlated sizes."""
    return Mean(
        float(np.abs(curve.mean[:n_small]).mean()), float(np.abs(curve.standard_error[:n_small]).mean())
    )


def _jump_claims(series: Sequence[Curves]) -> list[Claim]:
    """Return the claims of Figure 3: the worst case rises suddenly, and at the stated number of rows."""
    made = []
    for model, (about, first, last) in ABOUT.items():
        worst = [own["glass", model, "log_score"] for own in series]
        jumps = [_jump(curve.lowest) for curve in worst]
        # One value per series: the extremes of one series are a single observation without a standard error.
        shares, starts = (np.array(values, dtype=np.float64) for values in zip(*jumps, strict=True))
        made.append(
            claim_of(
                KEY,
                "jump",
                all_of([by_sample(shares - JUMP), by_sample(starts - first), by_sample(last - starts)]),
                f"{len(jumps)} series of {worst[0].n_partitions} training sets; largest share of the rise "
                f"within {WINDOW} rows (and where it begins): "
                + ", ".join(f"{share:.0%} ({n})" for share, n in jumps),
                rule={"EV": "evidence", "SC": "SC"}[model],
                about=about,
                share=JUMP,
                window=WINDOW,
                first=first,
                last=last,
            )
        )
    return made


def _like_glass(where: str, series: Sequence[Curves], tables: list[str], score: str) -> list[Claim]:
    """Return the claims on graphs like Figure 3 that are not printed: sudden rises, earlier for evidence."""
    sudden, in_order, figures = [], [], []
    for name in tables:
        jumps = {model: [_jump(own[name, model, score].lowest) for own in series] for model in ABOUT}
        shares, starts = (
            {model: np.array([jump[part] for jump in own]) for model, own in jumps.items()} for part in (0, 1)
        )
        sudden += [by_sample(shares[model] - JUMP) for model in ABOUT]
        in_order.append(by_sample(starts["SC"] - starts["EV"]))
        said = " and ".join(f"{shares[model].mean():.0%} ({starts[model].mean():.0f})" for model in ABOUT)
        figures.append(f"{name} {said}")
    said = (
        f"mean over {len(series)} series of the largest share of the rise within {WINDOW} rows (and where it "
        f"begins), for evidence and SC: {', '.join(figures)}"
    )
    return [
        claim_of(KEY, "sudden_elsewhere", all_of(sudden), said, where=where),
        claim_of(KEY, "order_elsewhere", all_of(in_order), said, where=where),
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
