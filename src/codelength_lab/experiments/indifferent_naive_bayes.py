"""The Indifferent Naive Bayes Classifier (2003).

Accuracy and LogScore of MAPNB, BIBL and IndifferentNB, from all and from a tenth of the learning folds:
Figures 4 and 5, and the number of tables on which IndifferentNB is better. Tasks come first, then
the pictures of the paper, comparisons with them, and claims.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from codelength import datasets
from codelength.scores.means import mean_of

from ..claims import Claim, Leads, all_of, by_sample, signed
from ..experiment import Experiment, Model, Result, Spec
from ..findings import Comparison, Findings
from ..predictions import results_of, scores_of, versus
from ..published import claim_of, compared, notes_of, printed_rows, published
from ..results import Results
from ..settings import Settings
from ..significance import p_value, tests_over_tables
from ..tables import source
from ..task import Task, cross_validations

KEY = "indifferent-naive-bayes"
OURS = "IndifferentNB"
TABLE = "Figures 4 and 5"
BETTER, IMPROVEMENT = "better on, of 16 tables (ours: of 15)", "largest improvement, %"
"""Columns of the printed figures."""
FOLDS = 10
"""Folds of cross-validation; the paper does not state them."""
BINS = 5
REPEATS, QUICK_REPEATS = 100, 5
QUICK_REPEATS_LARGE = 1
LARGE = ("adult", "letter", "nursery", "optdigits", "mushroom")
SHARES = (1.0, 0.1)

DEFAULTS = Settings(discretization="frequency", learned="train", missing="value", cap=100.0)


def _tasks(quick: bool, settings: Settings) -> list[Task]:
    """Return the tasks of all tables, among them two with the identifiers that the paper counts."""
    models = (
        Model("MAPNB", "map", pseudocount=settings.map_pseudocount),
        Model("BIBL", "evidence"),
        Model(OURS, "indifferent"),
    )
    tasks = []
    for name in _all_names():
        table = source(name, settings, BINS, categories=False)
        repeats = (QUICK_REPEATS_LARGE if name in LARGE else QUICK_REPEATS) if quick else REPEATS
        for share in SHARES:
            tasks += cross_validations(table, models, settings, FOLDS, share, repeats)
    return tasks


def names_of_tables() -> list[str]:
    """Return the tables of the paper, without identifiers."""
    return list(published(KEY)["datasets"].values())


def _all_names() -> list[str]:
    return [*names_of_tables(), *published(KEY)["with_id"].values()]


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture of the paper: IndifferentNB against another model under one score.

    Attributes
    ----------
    row, figure : str
        Names of the row among our comparisons, and of the picture in the paper.
    fraction : float
        Share of the learning folds that is used.
    printed : dict of str to float
        Number of tables on which IndifferentNB is better, and the largest improvement in per cent of the
        other model's score.
    results : Results
        Our scores under this score.
    """

    row: str
    figure: str
    other: str
    score: str
    fraction: float
    printed: dict[str, float]
    results: Results

    @property
    def word(self) -> str:
        """The score, as the paper writes it."""
        return "accuracy" if self.score == "accuracy" else "LogScore"

    def leads(self, names: Iterable[str] | None = None, share: float | None = None) -> Leads[str]:
        """Return the leads by table: of all tables of the paper, with the picture's share, or of others."""
        chosen = names_of_tables() if names is None else names
        return self.results.leads(OURS, self.other, "table", chosen, fraction=share or self.fraction)


def _find(opened: Findings, spec: Spec[Task], results: dict[str, Result]) -> Findings:
    """Return the findings: counts, improvements and claims for each picture."""
    everything = results_of(spec, results)
    scores = everything.at(protocol="cross-validation")
    pictures = [
        Picture(
            *(row, fields["figure"], fields["other"], fields["score"], fields["fraction"], figures),
            scores.at(score=fields["score"]),
        )
        for row, fields, figures in printed_rows(KEY, TABLE)
    ]
    return replace(
        opened,
        comparisons=[
            *(_count(picture) for picture in pictures),
            *(_improvement(picture, scores) for picture in pictures),
        ],
        claims=[
            *(_claim(picture) for picture in pictures),
            *(_direction(picture) for picture in pictures if picture.other == "BIBL"),
        ],
        notes=_notes(spec, scores, pictures),
        scores=scores_of(spec, everything),
        versus=versus(scores, _all_names(), OURS, ("BIBL", "MAPNB")),
    )


def _notes(spec: Spec[Task], results: Results, pictures: list[Picture]) -> list[str]:
    """Return remarks on the protocol, missing tables and identifiers."""
    repeats: dict[str, int] = {}
    for task in spec.tasks:
        repeats[task.source.name] = max(repeats.get(task.source.name, 0), task.last)
    numbers = sorted(set(repeats.values()), reverse=True)
    texts = [f"{number} ({', '.join(n for n in repeats if repeats[n] == number)})" for number in numbers]
    [missing] = published(KEY)["not_available"].items()
    names = names_of_tables()
    few = results.at(fraction=0.1, model="MAPNB", score="n_zero")
    tables = (published(KEY)["datasets"] | published(KEY)["with_id"]).values()
    better = [sum(lead.value > 0 for lead in picture.leads(tables).values()) for picture in pictures]
    return notes_of(
        KEY,
        folds=spec.tasks[0].folds,
        repeats=str(numbers[0]) if len(numbers) == 1 else "; ".join(texts),
        missing="{} is not available: {}".format(*missing),
        with_id="; ".join(
            f"{picture.figure} {n} of {len(tables)}" for picture, n in zip(pictures, better, strict=True)
        ),
        n_zero=sum(few.units(table=name).sum() > 0 for name in names),
        n_tables=len(names),
    )


def _count(picture: Picture) -> Comparison:
    """Compare the number of tables on which IndifferentNB is better.

    The standard error is that of the count from a single cross-validation of each table, which is what the
    paper seems to have run.
    """
    better = sum(lead.value > 0 for lead in picture.leads().values())
    gains = [
        picture.results.gains(OURS, picture.other, table=name, fraction=picture.fraction)
        for name in names_of_tables()
    ]
    # Each table is a Bernoulli variable: the share of cross-validations in which IndifferentNB is better.
    wins = np.array([(own > 0).mean() for own in gains])
    error = float(np.sqrt((wins * (1 - wins)).sum()))
    return compared(KEY, TABLE, picture.row, BETTER, picture.printed[BETTER], better, error)


def _improvement(picture: Picture, results: Results) -> Comparison:
    """Compare the largest improvement, in per cent of the other model's score."""
    best, error, where = -math.inf, math.nan, ""
    at_share = picture.results.at(fraction=picture.fraction)
    for name in names_of_tables():
        gains = 100 * at_share.gains(OURS, picture.other, table=name)
        other = abs(at_share.mean(model=picture.other, table=name).value)
        # Compared with an infinite loss, any finite one is an improvement of 100 %.
        gains = gains / other if math.isfinite(other) else np.full_like(gains, 100.0)
        if gains.mean() > best:
            (best, error), where = mean_of(gains), name
    made = compared(KEY, TABLE, picture.row, IMPROVEMENT, picture.printed[IMPROVEMENT], best, error)
    own = results.at(table=where, fraction=picture.fraction, model=picture.other)
    n_predictions = len(own.units(score="accuracy")) * datasets.describe(where).rows
    guessed = float(own.units(score="n_undefined").sum()) / n_predictions
    # A reason is given only if guessed predictions can explain the difference.
    if made.matches or guessed <= 0.05:
        return made
    reason = (
        f"ours is on {where}; the paper does not say where its own is, nor what {picture.other} predicts "
        f"where it gives every class probability zero ({guessed:.0%} of the rows here, where we let it guess)"
    )
    return replace(made, reason=reason)


def _claim(picture: Picture) -> Claim:
    """Return the claim of a picture: IndifferentNB is better on more than half of the tables."""
    leads = picture.leads()
    verdicts, values = leads.verdicts(), [lead.value for lead in leads.values()]
    tests = tests_over_tables(values)
    return claim_of(
        KEY,
        "better",
        leads.most(),
        f"better on {sum(value > 0 for value in values)} of {len(values)}; by two standard errors or more "
        f"better on {verdicts.count('held')}, worse on {verdicts.count('not held')}; over tables "
        f"p {p_value(tests.wilcoxon)} (Wilcoxon), p {p_value(tests.sign)} (sign test)",
        figure=picture.figure,
        other=picture.other,
        score=picture.word,
    )


def _direction(picture: Picture) -> Claim:
    """Return the claim about BIBL: the same holds with all of the learning folds, but by less."""
    few, full = (
        np.array([lead.value for lead in picture.leads(share=share).values()])
        for share in (picture.fraction, 1.0)
    )
    unit, scale = ("points", 100) if picture.score == "accuracy" else ("nats", 1)
    told = [signed(*mean_of(scale * gains)) for gains in (few, full)]
    return claim_of(
        KEY,
        "with_all",
        all_of([by_sample(full), by_sample(few - full)]),
        f"mean gain over tables in {unit}: {told[0]} with a tenth, {told[1]} with all",
        other=picture.other,
        score=picture.word,
    )


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find)
