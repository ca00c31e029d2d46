"""The tables of the guide and the README: ``python docs/_ext/guide_tables.py [--run]``.

They are written from the results of our own runs, and stand between comments that name them. ``--run`` first
predicts every bundled table by leave-one-out under every rule and several priors, which takes half a minute,
and writes ``guide-priors.csv``.
"""

import math
import sys
import warnings
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev

from codelength_lab.findings import Row
from codelength_lab.pages import fill, read_rows, write_rows

DOCS = Path(__file__).parents[1]
RUN = DOCS / "results" / "guide-priors.csv"
CHOICES = {
    "evidence, uniform prior": ("evidence", "uniform"),
    "evidence, Jeffreys' prior": ("evidence", "jeffreys"),
    "evidence, indifferent prior": ("evidence", "indifferent"),
    "evidence, equivalent sample size 10": ("evidence", 10.0),
    "evidence, equivalent sample size 1": ("evidence", 1.0),
    "stochastic complexity": ("stochastic_complexity", "uniform"),
    "MAP": ("map", "uniform"),
}
TWICE = ("breast-w-with-id", "glass-with-id", "soybean")
"""Copies of other tables."""


def left_out(name: str) -> list[Row]:
    """Return the scores of a table under every choice, each row predicted from all others."""
    from codelength import NaiveBayes, datasets

    table, rows = datasets.load(name).table, []
    for choice, (rule, prior) in CHOICES.items():
        made = NaiveBayes(rule=rule, prior=prior).fit(table).leave_one_out(table)
        rows.append(
            {
                "table": name,
                "choice": choice,
                "log_score": f"{made.log_score:.6g}",
                "accuracy": f"{made.accuracy:.6g}",
                "zero": made.n_zero,
            }
        )
    return rows


def run() -> None:
    """Predict every bundled table, and keep the scores."""
    from codelength import datasets

    names = [name for name in datasets.names() if name not in TWICE]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [row for name in names for row in left_out(name)]
    write_rows(RUN, rows)


def tables() -> dict[str, str]:
    """Return the tables as Markdown, by name."""
    return {
        "models": _models(),
        "priors": _priors(),
        "rules": _rules(),
        "criteria": _criteria(),
        "agreement": _agreement(),
        "selection": _selection(),
    }


def _models() -> str:
    place = DOCS / "results" / "averages"
    other = {row["model"]: row for row in read_rows(place / "other-scores.csv")}
    compared = [
        row for row in read_rows(place / "overall.csv") if row["rank"] or row["model"].startswith("NaiveB")
    ]
    lines = [
        [
            row["model"],
            *(f"{row[share]:.3f}" for share in ("10%", "25%", "66%")),
            "" if row["wins"] is None else str(row["wins"]),
            f"{other[row['model']]['accuracy']:.3f}",
            f"{other[row['model']]['calibration']:.3f}",
            f"{other[row['model']]['fit']:.2g}",
        ]
        for row in compared
    ]
    names = ["model", "log loss, 10 % of the rows", "25 %", "66 %", "best in", "accuracy"]
    return _grid([*names, "calibration error", "fit, s"], lines)


def _priors() -> str:
    by_choice: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in read_rows(RUN):
        by_choice[row["choice"]][row["table"]] = row
    usual = by_choice["evidence, uniform prior"]
    lines = []
    for choice, rows in by_choice.items():
        gains = [row["log_score"] - usual[name]["log_score"] for name, row in rows.items()]
        n_infinite = sum(math.isinf(gain) for gain in gains)
        if choice == "evidence, uniform prior":
            against = "0"
        elif n_infinite:
            against = f"infinite on {n_infinite} tables"
        else:
            against = f"{mean(gains):+.3f} ± {stdev(gains) / math.sqrt(len(gains)):.3f}"
        better = "" if choice == "evidence, uniform prior" else str(sum(gain > 0 for gain in gains))
        hits = mean(row["accuracy"] for row in rows.values())
        lines.append([choice, against, better, f"{hits:.3f}"])
    names = ["rule and prior", "log score against the first line, nats", f"better on, of {len(usual)}"]
    return _grid([*names, "mean accuracy"], lines)


def _rules() -> str:
    names = {"MAPNB": "MAP", "BIBL": "evidence", "IndifferentNB": "indifferent"}
    scores = [
        row
        for row in read_rows(DOCS / "results" / "indifferent-naive-bayes" / "scores.csv")
        if not row["dataset"].endswith("-with-id")
    ]
    lines = []
    for model, name in names.items():
        cells = [name]
        for fraction in (1, 0.1):
            own = [row for row in scores if (row["model"], row["fraction"]) == (model, fraction)]
            cells += [f"{mean(row[score] for row in own):.3f}" for score in ("log_score", "accuracy")]
        lines.append(cells)
    shares = [f"{score}, {share}" for share in ("all rows", "a tenth") for score in ("log score", "accuracy")]
    return _grid(["rule", *shares], lines)


METHODS = {
    "C-S": "`cheeseman_stutz`",
    "LN": "`neighbourhood`",
    "LN+": "`neighbourhoods`",
    "BIC": "`bic`",
    "AIC": "`aic`",
}


def _criteria() -> str:
    rows = read_rows(DOCS / "results" / "sc-approximations" / "errors-by-rows.csv")
    chosen = [row for row in rows if row["rows"] in (10, 20, 50, 100)]
    lines = [
        [code, *(f"{row[method]:.1f}" for row in chosen)]
        for method, code in METHODS.items()
        if all(row[method] is not None for row in chosen)
    ]
    return _grid(["criterion", *(f"{row['rows']} rows" for row in chosen)], lines)


def _agreement() -> str:
    rows = read_rows(DOCS / "results" / "sc-approximations" / "selection.csv")
    lines = [[code, *(f"{row[method]:.0f} %" for row in rows)] for method, code in METHODS.items()]
    return _grid(["criterion", *(f"{row['rows']} rows" for row in rows)], lines)


def _selection() -> str:
    names = {
        "MARGINAL": "`evidence`: marginal likelihood of the table",
        "MARGINAL(D,Z)": "`evidence_with_clustering`: that of table and clustering",
        "L-O-O": "`leave_one_out`",
        "PREQ-RAND(30)": "`prequential`, 30 random orderings",
        "PREQ-MAX(30)": "`prequential_best`, the best of 30",
        "BEST-FIRST": "`best_first`",
        "WORST-LAST": "`worst_last`",
    }
    rows = {
        row["criterion"]: row
        for row in read_rows(DOCS / "results" / "prequential-selection" / "gains-with-class.csv")
    }
    lines = [
        [
            words,
            f"{rows[name]['log gain, %']:+.1f} ± {rows[name]['log s.e.']:.1f} %",
            f"{rows[name]['error gain, %']:+.1f} ± {rows[name]['error s.e.']:.1f} %",
        ]
        for name, words in names.items()
    ]
    return _grid(["criterion", "gain in log loss", "gain in error"], lines)


def _grid(names: list[str], rows: list[list[str]]) -> str:
    head = [f"| {' | '.join(names)} |", f"|---|{'---:|' * (len(names) - 1)}"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)])


if __name__ == "__main__":
    if "--run" in sys.argv:
        run()
    for path in (DOCS / "how-to" / "choose.md", DOCS.parent / "README.md"):
        fill(path, tables())
