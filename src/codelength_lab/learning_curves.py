"""Claims of the 1997 paper about learning curves, tested on ours."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from codelength.typing import FloatArray

from .findings import Claim, signed
from .protocols import TRAIN_SHARE
from .summary import Curve, Mean
from .verdicts import Verdict, all_of, by_lead, by_sample

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


def curve_claims(curves: Iterable[Curve], series: Sequence[Iterable[Curve]]) -> list[Claim]:
    """Return the claims of section 4.1 and Figures 1 to 3; those on Glass first, then on all tables.

    Parameters
    ----------
    curves : iterable of Curve
        Curves of the main series.
    series : sequence of iterables of Curve
        Curves of several independent series of partitions.
    """
    found, by_series = _by_name(curves), [_by_name(own) for own in series]
    tables = list(dict.fromkeys(dataset for dataset, _, _ in found))
    return [
        *_lead_claims(found, tables),
        *_late_claims(found, tables),
        *_optimal_claims(found, tables),
        *_alike_claims(found, tables),
        *_jump_claims(by_series),
        *_like_glass_claims(by_series, tables),
    ]


def _by_name(curves: Iterable[Curve]) -> Curves:
    return {(curve.dataset, curve.model, curve.score): curve for curve in curves}


def _on_glass_and_all(text: str, verdicts: dict[str, Verdict], figures: str) -> list[Claim]:
    """Return a claim on Glass, which Figure 1 shows, and the same claim on all four tables."""
    return [
        Claim("section 4.1, Figure 1", f"{text}: on Glass.", verdicts["glass"], figures),
        Claim("section 4.1", f"{text}: on all four tables.", all_of(verdicts.values()), figures),
    ]


def _lead_claims(curves: Curves, tables: list[str]) -> list[Claim]:
    """Return the claims that evidence predicts best from few rows."""
    leads = {name: _leads_when_small(curves, name) for name in tables}
    least = {name: min(own, key=_in_errors) for name, own in leads.items()}
    return _on_glass_and_all(
        "With up to a tenth of the table to learn from, evidence has the best mean log-score at every size",
        {name: all_of(by_lead(*lead) for lead in own) for name, own in leads.items()},
        "least sure lead in nats: " + ", ".join(f"{name} {signed(*lead, 2)}" for name, lead in least.items()),
    )


def _late_claims(curves: Curves, tables: list[str]) -> list[Claim]:
    """Return the claims that MAP and SC need more rows than evidence."""
    behind = {
        name: {model: _lead(curves, name, model, _n_small(curves, name)) for model in ("MAP", "SC")}
        for name in tables
    }
    return _on_glass_and_all(
        f"With a tenth of the table, MAP and SC are still more than {NEAR} nats behind evidence",
        {
            name: all_of(by_lead(lead.value - NEAR, lead.standard_error) for lead in own.values())
            for name, own in behind.items()
        },
        "nats behind: "
        + ", ".join(
            f"{name} MAP {signed(*own['MAP'], 2)}, SC {signed(*own['SC'], 2)}" for name, own in behind.items()
        ),
    )


def _optimal_claims(curves: Curves, tables: list[str]) -> list[Claim]:
    """Return the claims that evidence is close to its final score with a tenth of the table."""
    short = {name: _short(curves[name, "EV", "log_score"], _n_small(curves, name)) for name in tables}
    return _on_glass_and_all(
        f"With a tenth of the table, evidence is already within {NEAR} nats of its log-score at full size",
        {name: by_lead(NEAR - gap.value, gap.standard_error) for name, gap in short.items()},
        "nats short of full size: " + ", ".join(f"{name} {signed(*gap, 2)}" for name, gap in short.items()),
    )


def _alike_claims(curves: Curves, tables: list[str]) -> list[Claim]:
    """Return the claims on the 0/1-score with few rows."""
    apart = {name: {pair: _apart(curves, name, pair) for pair in ("MAP - EV", "EV - SC")} for name in tables}
    verdicts = {
        name: by_lead(
            own["EV - SC"].value - own["MAP - EV"].value,
            math.hypot(own["EV - SC"].standard_error, own["MAP - EV"].standard_error),
        )
        for name, own in apart.items()
    }
    return _on_glass_and_all(
        "In the 0/1-score on small training sets, MAP stays nearer to evidence than SC does",
        verdicts,
        "mean distance of MAP and of SC: "
        + ", ".join(
            f"{name} {own['MAP - EV'].value:.3f} and {own['EV - SC'].value:.3f}"
            for name, own in apart.items()
        ),
    )


def _jump_claims(series: Sequence[Curves]) -> list[Claim]:
    """Return the claims of Figure 3: the worst case rises suddenly, and at the stated number of rows."""
    made = []
    for model, (about, first, last) in ABOUT.items():
        worst = [own["glass", model, "log_score"] for own in series]
        jumps = [_jump(curve.lowest) for curve in worst]
        # One value per series: the extremes of one series are a single observation without a standard error.
        shares, starts = (np.array(values, dtype=np.float64) for values in zip(*jumps, strict=True))
        name = {"EV": "evidence", "SC": "SC"}[model]
        made.append(
            Claim(
                "section 4.1, Figure 3",
                f"On Glass the worst training set for {name} turns good suddenly after about {about} rows: "
                f"at least {JUMP:.0%} of the rise from its lowest score to its last falls within {WINDOW} "
                f"rows, which begin between {first} and {last}.",
                all_of([by_sample(shares - JUMP), by_sample(starts - first), by_sample(last - starts)]),
                f"{len(jumps)} series of {worst[0].n_partitions} training sets; largest share of the rise "
                f"within {WINDOW} rows (and where it begins): "
                + ", ".join(f"{share:.0%} ({n})" for share, n in jumps),
            )
        )
    return made


def _like_glass_claims(series: Sequence[Curves], tables: list[str]) -> list[Claim]:
    """Return the claims on graphs like Figure 3 that are not printed: they look very similar."""
    others = [name for name in tables if name != "glass"]
    return [
        *_like_glass("for the other three tables", series, others, "log_score"),
        *_like_glass("for the 0/1-score", series, tables, "accuracy"),
    ]


def _like_glass(where: str, series: Sequence[Curves], tables: list[str], score: str) -> list[Claim]:
    """Return the claims that worst cases rise suddenly, and earlier for evidence than for SC."""
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
    texts = {
        "the worst training sets for evidence and SC turn good suddenly, as said of Glass.": sudden,
        "the worst training set turns good after fewer rows for evidence than for SC.": in_order,
    }
    return [
        Claim("section 4.1", f"Graphs like Figure 3 look very similar {where}: {text}", all_of(own), said)
        for text, own in texts.items()
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


def _lead(curves: Curves, name: str, model: str, n_rows: int) -> Mean:
    """Return the lead of evidence over another model in the mean log score after some rows."""
    # Curves of pairs are stored once, in the order of the models of the task.
    pair, sign = ("MAP - EV", -1) if model == "MAP" else ("EV - SC", 1)
    curve = curves[name, pair, "log_score"]
    return Mean(sign * float(curve.mean[n_rows - 1]), float(curve.standard_error[n_rows - 1]))


def _leads_when_small(curves: Curves, name: str) -> list[Mean]:
    sizes = range(1, _n_small(curves, name) + 1)
    return [_lead(curves, name, model, n) for model in ("MAP", "SC") for n in sizes]


def _in_errors(lead: Mean) -> float:
    """Return a lead in standard errors."""
    if not lead.standard_error > 0:
        # Without noise a lead is as sure as can be, in the direction of its sign.
        return math.copysign(math.inf, lead.value)
    return lead.value / lead.standard_error


def _short(curve: Curve, n_rows: int) -> Mean:
    """Return the remaining rise of a score; the error assumes that both ends of the curve are independent."""
    value = float(curve.mean[-1] - curve.mean[n_rows - 1])
    return Mean(value, math.hypot(curve.standard_error[-1], curve.standard_error[n_rows - 1]))


def _apart(curves: Curves, name: str, pair: str) -> Mean:
    """Return the mean distance of two models with few rows; the error assumes fully correlated sizes."""
    curve, n_small = curves[name, pair, "accuracy"], _n_small(curves, name)
    return Mean(
        float(np.abs(curve.mean[:n_small]).mean()), float(np.abs(curve.standard_error[:n_small]).mean())
    )


def _n_small(curves: Curves, name: str) -> int:
    n_train = len(curves[name, "EV", "log_score"].mean)
    # A tenth of the whole table, of which the training rows are a share.
    return max(1, round(SMALL * n_train / TRAIN_SHARE))
