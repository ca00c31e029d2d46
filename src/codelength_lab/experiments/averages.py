"""Our own comparison: ModelAverage, its members, naive Bayes and classifiers of other libraries.

On small tables, models are fitted to a tenth, a quarter or two thirds of the rows and predict others. Tasks
are computed in ``model_comparison``; this module has results and notes, tables, and claims, in this order.
Depends on it, on :mod:`codelength_lab.significance` (tests and ranks) and on :mod:`codelength_lab.claims`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from codelength.averages.members import DEFAULT_MEMBERS
from codelength.evaluation.opponents import OPPONENTS
from codelength.scores.means import Mean, mean_of
from codelength.typing import FloatArray

from ..claims import LEAST, Claim, Leads, all_of, by_sample, signed
from ..experiment import Experiment, Result, Spec
from ..findings import Findings, ResultTable, Row
from ..published import claim_of, notes_of, result_tables
from ..results import Results
from ..settings import Settings
from ..significance import Ranking, holm, p_value, tests_over_tables
from .model_comparison import (
    AVERAGE,
    MAX_ROWS,
    MAX_TEST_ROWS,
    NAIVE_BAYES,
    PRIOR,
    TABLES,
    TWINS,
    ComparisonTask,
    title_of,
)

KEY = "averages"
REPEATS, QUICK_REPEATS = 5, 1

QUICK_TABLES = ("hepatitis", "iris", "lymphography", "zoo")
"""The four smallest tables with at least a hundred rows."""

SHARES, QUICK_SHARES = (0.10, 0.25, 0.66), (0.10, 0.66)
"""Shares of the rows used for training."""

DEFAULTS = Settings()

MUCH = 0.02
"""Nats of log loss; a model that is further behind has lost."""

GOALS = {
    "random-forest": 0.04,
    "logistic-regression": 0.05,
    "catboost": 0.05,
    "gradient-boosting": 0.05,
}
"""Nats by which the average should lead on average over tables; set before it was written."""

RANK_GOAL = 2.0
PRIOR_GOAL = 0.05
"""Nats by which the average may be worse than the class prior on a table."""


def _tasks(quick: bool, settings: Settings) -> Iterator[ComparisonTask]:
    """Yield the tasks; a quick run has the opponents of scikit-learn alone, and every run installed ones."""
    repeats = settings.repeats or (QUICK_REPEATS if quick else REPEATS)
    opponents = [
        kind
        for kind, opponent in OPPONENTS.items()
        if opponent.is_installed() and (opponent.library == "sklearn" or not quick)
    ]
    members = [name.replace("_", "-") for name in DEFAULT_MEMBERS]
    for table in QUICK_TABLES if quick else TABLES:
        for share in QUICK_SHARES if quick else SHARES:
            for kind in (AVERAGE, *opponents, NAIVE_BAYES, *members, PRIOR):
                yield ComparisonTask(kind, table, share, 0, repeats, settings.seed)


class Cell(NamedTuple):
    """A table, and the share of its rows used for training."""

    table: str
    share: float

    def __str__(self) -> str:
        return f"{self.table} at {self.share:.0%}"


class Comparison:
    """Results of a specification, and the models in it.

    Gains are losses of another model less those of the average. A score is the log loss unless another is
    named, and means are over all shares unless some are named.
    """

    def __init__(self, spec: Spec[ComparisonTask], results: dict[str, Result]) -> None:
        self.results = Results(
            ("table", "share", "model", "score"),
            (
                ((task.table, task.share, task.model, score), units)
                for task in spec.tasks
                for score, units in results[task.key].items()
            ),
        )
        self.kinds: list[str] = self.results.levels("model")
        self.tables: list[str] = self.results.levels("table")
        self.shares: list[float] = self.results.levels("share")
        self.opponents = [kind for kind in self.kinds if kind in OPPONENTS]
        others = {AVERAGE, NAIVE_BAYES, PRIOR, *OPPONENTS}
        self.members = [kind for kind in self.kinds if kind not in others]
        self.field = [AVERAGE, *self.opponents]
        """Models that are ranked."""
        self.cells = [Cell(table, share) for table in self.tables for share in self.shares]

    def mean(self, kind: str, cell: Cell, score: str = "log_loss") -> Mean:
        """Return the mean score over repetitions."""
        return self.results.mean(model=kind, score=score, **cell._asdict())

    def means(
        self, kinds: Sequence[str], score: str = "log_loss", shares: Sequence[float] | None = None
    ) -> FloatArray:
        """Return mean scores over repetitions, of shape (n_tables, n_shares, n_models)."""
        own = self.results.at(score=score)
        return own.means(table=self.tables, share=self.shares if shares is None else shares, model=kinds)

    def overall(self, kind: str, score: str = "log_loss", shares: Sequence[float] | None = None) -> float:
        """Return the mean score over tables and shares."""
        return float(self.means([kind], score, shares).mean())

    def gain(self, cell: Cell, other: str) -> Mean:
        """Return the gain of the average over another model, over repetitions."""
        return self.results.lead(other, AVERAGE, score="log_loss", **cell._asdict())

    def gains(self, other: str, score: str = "log_loss", shares: Sequence[float] | None = None) -> FloatArray:
        """Return the gain of the average over another model on each table, as a mean over shares."""
        means = self.means([AVERAGE, other], score, shares)
        # Shares of one table are averaged first, because they are not independent.
        return np.asarray((means[:, :, 1] - means[:, :, 0]).mean(axis=1))

    def best_opponent(self, cell: Cell) -> str:
        """Return the opponent with the lowest log loss."""
        return min(self.opponents, key=lambda kind: self.mean(kind, cell).value)

    def n_wins(self, kind: str) -> int:
        """Return the number of cells in which a model of the field has the lowest log loss."""
        best = self.means(self.field).argmin(axis=2)
        return int((best == self.field.index(kind)).sum())

    def ranking(self, shares: Sequence[float] | None = None) -> Ranking:
        """Return the ranking of the field by log loss, over tables and some shares."""
        return Ranking.of(self.means(self.field, shares=shares))


def _find(opened: Findings, spec: Spec[ComparisonTask], results: dict[str, Result]) -> Findings:
    """Return the findings of the comparison: remarks on the protocol, the opponents and the tests first."""
    comparison = Comparison(spec, results)
    absent = [title_of(kind) for kind in OPPONENTS if kind not in comparison.opponents]
    n = max(task.last for task in spec.tasks)
    in_quick = "a quick run has those of scikit-learn alone"
    notes = notes_of(
        KEY,
        tables=len(comparison.tables),
        shares=", ".join(f"{share:.0%}" for share in comparison.shares),
        most_rows=MAX_ROWS,
        most_test_rows=MAX_TEST_ROWS,
        times="one repetition" if n == 1 else f"{n} repetitions",
        twins=", ".join(f"{name} ({other})" for name, other in TWINS.items()),
        friedman=p_value(comparison.ranking().friedman),
        absent=", ".join(absent) or None,
        why=in_quick if spec.quick else 'pip install "codelength[bench]" brings them',
    )
    return replace(opened, notes=notes, claims=_claims(comparison), tables=_tables(comparison))


def _tables(comparison: Comparison) -> list[ResultTable]:
    """Return all tables, the main one first."""
    overall, scores = _overall(comparison)
    lost = losses(comparison)
    rows = {
        "overall": overall,
        "other-scores": scores,
        "gains": _gains(comparison),
        "losses": lost,
        "by-table": _by_table(comparison),
        "ranks": _ranks(comparison),
        "cells": _cells(comparison),
    }
    return result_tables(
        KEY,
        {name: own for name, own in rows.items() if own},
        much=MUCH,
        lost=len(lost),
        cells=len(comparison.cells),
        tables_lost=len({row["table"] for row in lost}),
        tables=len(comparison.tables),
        short=", ".join(f"{_short(kind)} {title_of(kind)}" for kind in comparison.opponents),
    )


def _overall(comparison: Comparison) -> tuple[list[Row], list[Row]]:
    """Return the log losses and the other scores of each model: the field by rank, then the others."""
    ranks = dict(zip(comparison.field, comparison.ranking().mean_ranks.tolist(), strict=True))
    losses, scores = [], []
    for kind in (
        *sorted(ranks, key=ranks.__getitem__),
        *(kind for kind in comparison.kinds if kind not in ranks),
    ):
        row: Row = {"model": title_of(kind)}
        row |= {f"{share:.0%}": comparison.overall(kind, shares=[share]) for share in comparison.shares}
        wins = comparison.n_wins(kind) if kind in ranks else None
        losses.append(row | {"mean": comparison.overall(kind), "rank": ranks.get(kind), "wins": wins})
        row = {"model": title_of(kind), "accuracy": comparison.overall(kind, "accuracy")}
        row |= {"Brier": comparison.overall(kind, "brier")}
        row |= {"calibration": comparison.overall(kind, "calibration")}
        for name, score in (("fit", "fit_seconds"), ("predict 1000", "predict_seconds")):
            own = comparison.results.at(model=kind, score=score)
            # Medians over repetitions: the first may include compilation.
            row[name] = float(np.mean([np.median(own.units(**cell._asdict())) for cell in comparison.cells]))
        scores.append(row)
    return losses, scores


def _gains(comparison: Comparison) -> list[Row]:
    """Return the gains of the average over each other model, with p-values adjusted for their number."""
    gains = {kind: comparison.gains(kind) for kind in comparison.kinds if kind != AVERAGE}
    # Adjusted over all comparisons of the table, members and baselines included.
    p = holm([tests_over_tables(own.tolist()).wilcoxon for own in gains.values()])
    rows: list[Row] = []
    for (kind, own), adjusted in zip(gains.items(), p, strict=True):
        # Won and lost cells are counted over all shares, means over tables.
        single = [comparison.gain(cell, kind).value for cell in comparison.cells]
        row: Row = {
            "over": title_of(kind),
            "mean ± s.e.": signed(*mean_of(own)),
            "won-lost": f"{sum(gain > 0 for gain in single)}-{sum(gain < 0 for gain in single)}",
        }
        for share in comparison.shares:
            row[f"{share:.0%}"] = float(comparison.gains(kind, shares=[share]).mean())
        rows.append(row | {"p": adjusted})
    return rows


def losses(comparison: Comparison) -> list[Row]:
    """Return the tables and shares at which an opponent is well ahead, the worst first."""
    rows: list[tuple[float, Row]] = []
    for cell in comparison.cells:
        gains = {kind: comparison.gain(cell, kind) for kind in comparison.opponents}
        ahead = sorted((gain.value, kind) for kind, gain in gains.items() if gain.value < -MUCH)
        if ahead:
            row: Row = {
                "table": cell.table,
                "share": f"{cell.share:.0%}",
                "ahead": "; ".join(f"{title_of(kind)} {signed(*gains[kind])}" for _, kind in ahead),
                "ours": comparison.mean(AVERAGE, cell).value,
                "class prior": comparison.mean(PRIOR, cell).value,
            }
            rows.append((ahead[0][0], row))
    return [row for _, row in sorted(rows, key=lambda entry: entry[0])]


def _by_table(comparison: Comparison) -> list[Row]:
    """Return the log loss of the average on each table, and its gain over the opponent that is best there."""
    rows: dict[str, Row] = {table: {"table": table} for table in comparison.tables}
    for cell in comparison.cells:
        best = comparison.best_opponent(cell)
        gain = signed(comparison.gain(cell, best).value)
        loss = comparison.mean(AVERAGE, cell).value
        rows[cell.table][f"{cell.share:.0%}"] = f"{loss:.3f} ({gain} {_short(best)})"
    return list(rows.values())


def _short(kind: str) -> str:
    """Return the capitals of a title, or the initials of its words.

    Examples
    --------
    >>> [_short(kind) for kind in ("categorical-nb", "random-forest", "gradient-boosting", "lightgbm")]
    ['CNB', 'RF', 'HGB', 'LGBM']
    """
    title = title_of(kind)
    capitals = "".join(letter for letter in title if letter.isupper())
    return capitals or "".join(word[0].upper() for word in title.split())


def _ranks(comparison: Comparison) -> list[Row]:
    """Return mean ranks over all shares and for each, with the groups of models that do not differ."""
    parts = {"all": comparison.shares} | {f"{share:.0%}": [share] for share in comparison.shares}
    rankings = {name: comparison.ranking(shares) for name, shares in parts.items()}
    return [
        {
            "share": name,
            "model": title_of(comparison.field[place]),
            "group": ranking.letters[place],
            "mean rank": float(ranking.mean_ranks[place]),
        }
        for name, ranking in rankings.items()
        for place in ranking.mean_ranks.argsort(kind="stable").tolist()
    ]


def _cells(comparison: Comparison) -> list[Row]:
    """Return one row per model, table and share."""
    rows = []
    for cell in comparison.cells:
        for kind in comparison.kinds:
            row: Row = {"table": cell.table, "share": cell.share, "model": title_of(kind)}
            row["log loss"], row["s.e."] = comparison.mean(kind, cell)
            for score in ("accuracy", "brier", "calibration"):
                row[score] = comparison.mean(kind, cell, score).value
            rows.append(row)
    return rows


def _claims(comparison: Comparison) -> list[Claim]:
    """Return all claims with their verdicts."""
    opponents, every = comparison.opponents, "every opponent"
    gains = {kind: (comparison.gains(kind), goal) for kind, goal in GOALS.items() if kind in opponents}
    at_share = {
        share: {kind: comparison.gains(kind, shares=[share]) for kind in opponents}
        for share in comparison.shares
    }
    return [
        _ahead(comparison, "log loss", "log_loss", opponents, every),
        *(
            claim_of(
                *(KEY, "goal", by_sample(own - goal), signed(*mean_of(own))), whom=title_of(kind), goal=goal
            )
            for kind, (own, goal) in gains.items()
        ),
        *(_over_tables("at_share", leads, share=share) for share, leads in at_share.items()),
        _rank(comparison),
        *_by_cell(comparison),
        _ahead(comparison, "log loss", "log_loss", comparison.members, "each of its members alone"),
        _ahead(comparison, "log loss", "log_loss", [NAIVE_BAYES], "NaiveBayes under the rule evidence"),
        _ahead(comparison, "accuracy", "accuracy", opponents, every),
        _ahead(comparison, "Brier score", "brier", opponents, every),
        _ahead(comparison, "calibration error", "calibration", opponents, every),
    ]


def _over_tables(name: str, leads: dict[str, FloatArray], **values: Any) -> Claim:
    """Return the claim that leads over several models, on each table, are positive on average."""
    verdict = all_of(by_sample(lead) for lead in leads.values())
    figures = "; ".join(f"{title_of(kind)} {signed(*mean_of(lead))}" for kind, lead in leads.items())
    return claim_of(KEY, name, verdict, figures, **values)


def _ahead(comparison: Comparison, name: str, score: str, others: Iterable[str], whom: str) -> Claim:
    """Return the claim that the average is ahead of several models in a score, on average over tables."""
    # Accuracy is the only score of which more is better.
    sign, word = (-1, "higher") if score == "accuracy" else (1, "lower")
    leads = {kind: sign * comparison.gains(kind, score) for kind in others}
    return _over_tables("ahead", leads, score=name, word=word, whom=whom)


def _rank(comparison: Comparison) -> Claim:
    """Return the claim on the mean rank of the average."""
    ranks = comparison.ranking().ranks[:, comparison.field.index(AVERAGE)]
    rank, error = mean_of(ranks)
    figures = f"{rank:.2f} ± {error:.2f}" if len(ranks) > 1 else f"{rank:.2f}"
    verdict = by_sample(RANK_GOAL - ranks)
    return claim_of(KEY, "rank", verdict, figures, goal=RANK_GOAL, n=len(comparison.field))


def _by_cell(comparison: Comparison) -> list[Claim]:
    """Return the claims that the average is nowhere far behind the best opponent, nor the class prior."""
    # The best opponent is chosen on the same rows that score it, which favours it: the claim is conservative.
    best = {cell: comparison.best_opponent(cell) for cell in comparison.cells}
    behind = Leads({str(cell): comparison.gain(cell, kind) for cell, kind in best.items()})
    goal = behind.changed(lambda gain: gain + MUCH)
    failed = [name for name, verdict in zip(behind, goal.verdicts(), strict=True) if verdict == "not held"]
    lost = sorted(failed, key=lambda name: behind[name].value)
    names = f": {', '.join(f'{name} ({signed(behind[name].value)})' for name in lost)}" if lost else ""
    figures = f"behind by two standard errors or more in {len(lost)} of {len(behind)} cells{names}"
    gains = Leads({str(cell): comparison.gain(cell, PRIOR) for cell in comparison.cells})
    verdict = gains.changed(lambda gain: gain + PRIOR_GOAL).every()
    # The cell that decides: the gain less two standard errors is smallest there.
    least_sure = min(gains, key=lambda name: gains[name].value - LEAST * gains[name].standard_error)
    worst = min(gains, key=lambda name: gains[name].value)
    told = (
        f"least sure gain {signed(*gains[least_sure])}, {least_sure}; "
        f"least gain {signed(*gains[worst])}, {worst}"
    )
    return [
        claim_of(KEY, "never_far_behind", goal.every(), figures, much=MUCH),
        claim_of(KEY, "class_prior", verdict, told, goal=PRIOR_GOAL),
    ]


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find, is_published=False)
