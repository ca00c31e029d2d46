"""The average over model classes beside gradient boosting, and how its cost grows with a table."""

from collections.abc import Callable

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from codelength import ModelAverage
from codelength.averages.members.forests import Forests
from codelength.averages.training import Training
from codelength.research import MemberClassifier
from codelength.sources import as_table

from .measure import Ratio, compare, cpu_seconds

PEER = "HistGradientBoosting, 100 rounds"
ROWS = (100, 1_000, 10_000, 100_000, 1_000_000)
COLUMNS = (5, 50, 500)
CLASSES = (2, 10, 50)


def numbers(n_rows: int, n_columns: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of numbers whose classes depend on two columns together and on a third alone."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n_rows, n_columns))
    score = rows[:, 0] * rows[:, 1] + rows[:, 2] + 0.5 * rng.normal(size=n_rows)
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return rows, np.searchsorted(cuts, score)


def growth(
    name: str, sizes: tuple[int, ...], table: Callable[[int], tuple[np.ndarray, np.ndarray]]
) -> list[Ratio]:
    """Time to fit and to predict 1,000 rows, at each size beside the size before."""
    found, before = [], None
    for size in sizes:
        rows, labels = table(size)
        model = ModelAverage()
        fit = cpu_seconds(lambda rows=rows, labels=labels, model=model: model.fit(rows, labels))
        new = rows[np.arange(1_000) % len(rows)]
        predict = cpu_seconds(lambda model=model, new=new: model.predict_proba(new))
        if before is not None:
            factor = size / before[0]
            for what, now, then in (("fit", fit, before[1]), ("predict 1,000 rows", predict, before[2])):
                found.append(
                    Ratio(
                        f"{what}, {name} {before[0]:,} to {size:,}",
                        f"at {before[0]:,}",
                        then,
                        now,
                        "s",
                        now / then,
                        f"said; {factor:g} times as many",
                        True,
                    )
                )
        before = (size, fit, predict)
    return found


def beside_boosting(n_rows: int = 1_000, n_columns: int = 20) -> list[Ratio]:
    """Fit and predict beside what a user would pick instead."""
    rows, labels = numbers(n_rows, n_columns, 2)
    peer, own = HistGradientBoostingClassifier().fit(rows, labels), ModelAverage().fit(rows, labels)
    size = f"{n_rows:,} x {n_columns}"
    return [
        compare(
            f"fit, {size}",
            (PEER, lambda: HistGradientBoostingClassifier().fit(rows, labels)),
            lambda: ModelAverage().fit(rows, labels),
            rounds=5,
        ),
        compare(
            f"predict, {size}",
            (PEER, lambda: peer.predict_proba(rows)),
            lambda: own.predict_proba(rows),
            rounds=5,
        ),
    ]


def forests(n_rows: int = 1_000, n_columns: int = 40) -> list[Ratio]:
    """All forests on 40 variables, with every training row left out."""
    rows, labels = numbers(n_rows, n_columns, 2)
    training = Training.of(MemberClassifier("forests")._coded_for(as_table(rows, labels)))
    Forests.fit(training)
    took = cpu_seconds(lambda: Forests.fit(training))
    return [
        Ratio(
            f"all forests on {n_columns} variables, {n_rows:,} rows, each left out",
            "limit 1 s",
            1.0,
            took,
            "s",
            1.0 / took,
            "at least 1",
            took <= 1.0,
        )
    ]


def run() -> list[Ratio]:
    """All ratios; the first calls, which compile, are not timed."""
    ModelAverage().fit(*numbers(200, 5, 3))
    return [
        *forests(),
        *beside_boosting(),
        *growth("rows", ROWS, lambda size: numbers(size, 20, 2)),
        *growth("columns", COLUMNS, lambda size: numbers(1_000, size, 2)),
        *growth("classes", CLASSES, lambda size: numbers(2_000, 20, size)),
    ]
