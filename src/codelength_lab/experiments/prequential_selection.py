"""Comparing Prequential Model Selection Criteria in Supervised Learning of Mixture Models (2001).

Figures 1 and 2: of 40 clusterings by k-means each criterion chooses one, and the gain of its test score over
that of the marginal likelihood's choice is averaged over 14 tables. The figures are pictures without numbers,
so rankings and signs are compared. Tasks (computed in ``clustering_choice``), gains and tables come first,
then the claims: leads are means over tables, with standard errors over tables. Claims about the 0/1 loss are
decided by the relative gain in the error and by that in the accuracy, because the paper does not say which it
plots.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from codelength.scores.means import Mean, mean_of

from ..claims import Claim, Leads, Verdict, agreed, by_lead, signed
from ..experiment import Experiment, Result, Spec
from ..findings import Findings, Row
from ..published import claim_of, notes_of, result_tables
from ..results import Results
from ..settings import Settings
from ..tables import source
from .clustering_choice import (
    LEAVE_ONE_OUT,
    MARGINAL,
    N_ORDERINGS,
    REFERENCES,
    SelectionTask,
    best_of,
    rand,
)

KEY = "prequential-selection"
TABLES = (
    "australian",
    "breast-cancer",
    "breast-w",
    "cleve",
    "diabetes",
    "glass",
    "heart-statlog",
    "hepatitis",
    "iris",
    "lymphography",
    "primary-tumor",
    "soybean-large",
    "vote",
    "zoo",
)
"""Tables of our runs; the paper uses 14 and does not name them."""

BINS, CANDIDATES = 5, 40
PRINTED_SPLITS, SPLITS = 15, 25
"""Splits of the paper, and ours. Many more would settle little: standard errors are over 14 tables."""
QUICK_CANDIDATES, QUICK_SPLITS = 10, 1

DEFAULTS = Settings(discretization="kmeans", learned="train", missing="value")

SCORES = ("log", "error", "accuracy")
"""Scores whose gains are compared."""

MEANS = ("mean log score", "mean accuracy", "mean number of clusters")
"""Scores that the gains are made of."""

SUPERVISED = (
    LEAVE_ONE_OUT,
    *(rand(n) for n in N_ORDERINGS),
    *(best_of(n) for n in N_ORDERINGS),
    "BEST-FIRST",
    "WORST-LAST",
)
"""The criteria of Table 1."""

LOSSES = {"log loss": ("log",), "0/1 loss": ("error", "accuracy")}
"""Readings of each loss of the paper."""

SEVERAL = [n for n in N_ORDERINGS if n > 1]

Pair: TypeAlias = tuple[str, str]
Judge: TypeAlias = Callable[..., Claim]


def _tasks(quick: bool, settings: Settings) -> list[SelectionTask]:
    """Return one task per way of clustering, table and split."""
    n_splits = settings.repeats or (QUICK_SPLITS if quick else SPLITS)
    n_candidates = QUICK_CANDIDATES if quick else CANDIDATES
    return [
        SelectionTask(
            source(name, settings, BINS), split, with_class, n_candidates, N_ORDERINGS, settings.seed
        )
        for with_class in (True, False)
        for name in TABLES
        for split in range(n_splits)
    ]


def gains_of(spec: Spec[Any], results: Mapping[str, Result], *, with_class: bool = True) -> Results:
    """Return relative gains in per cent by criterion (``model``) and score; units are the tables.

    A table's gain is that of its mean score over splits over that of the marginal likelihood's choices,
    because the error of a single split may be zero: 100 % would be a perfect score in the log and in the
    error. The means over splits are there, too.

    Parameters
    ----------
    spec : Spec
        The tasks.
    results : mapping of str to result
        Log score, accuracy and number of clusters of each choice, by the key of the task and the criterion.
    with_class : bool
        True if the class takes part in the clustering.
    """
    keys: dict[str, list[str]] = {}
    for task in spec.tasks:
        if task.with_class == with_class:
            keys.setdefault(task.source.name, []).append(task.key)
    means = {
        name: np.array([np.mean([results[key][name] for key in own], axis=0) for own in keys.values()])
        for name in results[next(iter(keys.values()))[0]]
    }

    def records() -> Iterator[tuple[tuple[str, str], Sequence[float]]]:
        logs, hits, _ = means[MARGINAL].T
        # Each gain is relative to the score to beat, and 0 if that is perfect already.
        scales = {"log": -logs, "error": 1 - hits, "accuracy": hits}
        for criterion, columns in means.items():
            yield from (((criterion, name), column) for name, column in zip(MEANS, columns.T, strict=True))
            for score, scale in scales.items():
                more = columns[:, 0] - logs if score == "log" else columns[:, 1] - hits
                relative = np.divide(more, scale, out=np.zeros_like(more), where=scale > 0)
                yield (criterion, score), 100 * relative

    return Results(("model", "score"), records())


def _find(opened: Findings, spec: Spec[Any], results: dict[str, Result]) -> Findings:
    """Return the findings: claims, and gains of both ways of clustering."""
    ways = {word: gains_of(spec, results, with_class=word == "with") for word in ("with", "without")}
    tables = list(dict.fromkeys(task.source.name for task in spec.tasks))
    splits = max(task.split for task in spec.tasks) + 1
    is_printed = splits == PRINTED_SPLITS
    return replace(
        opened,
        claims=claims(*ways.values()),
        notes=notes_of(
            KEY,
            tables=", ".join(TABLES),
            splits=splits,
            as_printed="as in the paper" if is_printed else f"where the paper has {PRINTED_SPLITS}",
            candidates=spec.tasks[0].n_candidates,
        ),
        tables=result_tables(
            KEY,
            {f"gains-{word}-class": _averages(gains) for word, gains in ways.items()}
            | {"by-table": _by_table(ways, tables)},
            tables=len(tables),
        ),
    )


def _averages(gains: Results) -> list[Row]:
    """Return the gains of all criteria as means over tables."""
    rows: list[Row] = []
    for name in gains.levels("model"):
        row: Row = {"criterion": name}
        for score in SCORES:
            row[f"{score} gain, %"], row[f"{score} s.e."] = gains.mean(model=name, score=score)
        row["tables with a log gain"] = int((gains.units(model=name, score="log") > 0).sum())
        # References are not a choice of one clustering, so that they have no number of clusters.
        clusters = None if name in REFERENCES else gains.mean(model=name, score=MEANS[-1]).value
        rows.append(row | {"mean number of clusters": clusters})
    return rows


def _by_table(ways: dict[str, Results], tables: list[str]) -> list[Row]:
    """Return scores and gains of all criteria on each table."""
    names = ("log_score", "accuracy", "clusters", *(f"{score}_gain" for score in SCORES))
    rows: list[Row] = []
    for word, gains in ways.items():
        for criterion in gains.levels("model"):
            columns = (gains.units(model=criterion, score=score).tolist() for score in (*MEANS, *SCORES))
            for table, *cells in zip(tables, *columns, strict=True):
                row: Row = {"clustering": f"{word} class", "dataset": table, "criterion": criterion}
                rows.append(row | dict(zip(names, cells, strict=True)))
    return rows


def claims(with_class: Results, without: Results) -> list[Claim]:
    """Return all claims, decided by clusterings with the class, with figures of those without."""
    judge = partial(_judged, (with_class, without))
    kept, excluded = ("BEST-FIRST", "WORST-LAST"), ("BEST-LAST", "WORST-FIRST")
    optimised = (*(best_of(n) for n in SEVERAL), *kept)

    def least(gains: Results) -> str:
        [name] = _means(gains, optimised).least_sure()
        return f"least sure {name} {_points(gains, name)}"

    return [
        *(claim for loss in LOSSES for claim in _against_marginal(judge, loss)),
        *(claim for loss in LOSSES for claim in _averaging(judge, loss)),
        _of_pair(judge, "at_first", (rand(30), rand(1))),
        _of_pair(judge, "beyond_30", (rand(30), rand(100))),
        _of_pair(judge, "worst_last", ("WORST-LAST", "BEST-FIRST")),
        judge(
            "excluded",
            "log loss",
            lambda gains: _leads(gains, [(one, other) for one in kept for other in excluded]).every(),
            lambda gains: ", ".join(f"{name} {_points(gains, name)}" for name in (*kept, *excluded)),
        ),
        judge("optimising", "log loss", lambda gains: _means(gains, optimised).every(), least),
    ]


def _judged(
    both: tuple[Results, Results],
    name: str,
    loss: str,
    decide: Callable[[Results], Verdict],
    tell: Callable[[Results], str],
    **values: Any,
) -> Claim:
    """Return a claim of the paper's file on a loss, under every reading of the loss.

    It is decided by clusterings with the class, and shows the figures of those without as well. ``decide``
    and ``tell`` are functions from the gains in one score to a verdict, and to the figures behind it.
    """
    readings = LOSSES[loss]
    verdicts = [decide(both[0].at(score=score)) for score in readings]

    def told(gains: Results) -> str:
        texts = {score: tell(gains.at(score=score)) for score in readings}
        return texts.get("log", ", ".join(f"{score}: {text}" for score, text in texts.items()))

    figures = f"{told(both[0])}; clustered without the class: {told(both[1])}"
    # The log loss has one reading, which agrees with itself.
    return claim_of(KEY, name, agreed(verdicts[0], verdicts[-1]), figures, loss=loss, **values)


def _of_pair(judge: Judge, name: str, pair: Pair) -> Claim:
    """Return the claim that one criterion gains more than another in the log loss."""
    return judge(
        name, "log loss", lambda gains: by_lead(*gains.lead(*pair)), lambda gains: _lead_of(gains, pair, 2)
    )


def _against_marginal(judge: Judge, loss: str) -> list[Claim]:
    """Return the claims that all criteria gain over the marginal likelihood, and by how much."""
    much, figure = {"log loss": (30, 1), "0/1 loss": (50, 2)}[loss]

    def smallest(gains: Results) -> str:
        worst = min(SUPERVISED, key=lambda name: gains.mean(model=name).value)
        return f"smallest {worst} {_points(gains, worst)}"

    def share(gains: Results) -> str:
        return _percent(_share_above(gains, 0))

    def many(gains: Results) -> str:
        largest = max(float(gains.units(model=name).max()) for name in SUPERVISED)
        return f"{_percent(_share_above(gains, much))}, largest {largest:+.1f} %"

    def is_often(above: float, least: float) -> Callable[[Results], Verdict]:
        return lambda gains: by_lead(*_share_above(gains, above, least))

    return [
        judge("gains", loss, lambda gains: _means(gains, SUPERVISED).every(), smallest, figure=figure),
        judge("almost_always", loss, is_often(0, 0.9), share),
        judge("many_large", loss, is_often(much, 0.1), many, much=much),
    ]


def _averaging(judge: Judge, loss: str) -> list[Claim]:
    """Return the claims on averages over random orderings."""
    greedy = [(rand(n), name) for n in N_ORDERINGS for name in ("BEST-FIRST", "WORST-LAST")]
    optimised = [(rand(n), best_of(n)) for n in SEVERAL]
    top = [(rand(n), LEAVE_ONE_OUT) for n in N_ORDERINGS]

    def claim(name: str, pairs: list[Pair]) -> Claim:
        every = partial(extreme, min, pairs)
        return judge(name, loss, lambda gains: _leads(gains, pairs).every(), every)

    def extreme(choose: Callable[..., Pair], pairs: list[Pair], gains: Results) -> str:
        leads = _leads(gains, pairs)
        word = "smallest" if choose is min else "largest"
        return f"{word} lead {_lead_of(gains, choose(leads, key=lambda pair: leads[pair].value), 1)}"

    return [
        claim("rand_greedy", greedy),
        claim("rand_max", optimised),
        judge("rand_loo", loss, lambda gains: _leads(gains, top).some(), partial(extreme, max, top)),
    ]


def _means(gains: Results, criteria: Iterable[str]) -> Leads[str]:
    """Return the leads of criteria over the marginal likelihood: their mean gains."""
    return Leads({name: gains.mean(model=name) for name in criteria})


def _leads(gains: Results, pairs: Iterable[Pair]) -> Leads[Pair]:
    return Leads({pair: gains.lead(*pair) for pair in pairs})


def _lead_of(gains: Results, pair: Pair, digits: int) -> str:
    return f"{pair[0]} less {pair[1]} {signed(*gains.lead(*pair), digits)}"


def _share_above(gains: Results, above: float, least: float = 0.0) -> Mean:
    """Return the share of the criteria that gain more than a number, on average over tables, less another."""
    # Averaged over criteria first: those of one table are not independent.
    is_above = [gains.units(model=name) > above for name in SUPERVISED]
    share, error = mean_of(np.mean(is_above, axis=0))
    return Mean(share - least, error)


def _percent(share: Mean) -> str:
    return f"{100 * share.value:.0f} ± {100 * share.standard_error:.0f} % of pairs"


def _points(gains: Results, criterion: str) -> str:
    return f"{signed(*gains.mean(model=criterion), 1)} %"


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find)
