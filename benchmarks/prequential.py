"""Prequential scores and greedy orderings beside river, scikit-learn and plain recomputing."""

import numpy as np
from river import compose, evaluate, metrics, naive_bayes, preprocessing
from sklearn.naive_bayes import CategoricalNB

from codelength import Schema
from codelength.counts import Counts
from codelength.naive_bayes import Predictor
from codelength.prequential import best_first, naive_bayes_sequence
from codelength.table import Coded, encode

from .measure import Ratio, cpu_seconds
from .tables import N_CLASSES, coded_table


def _a_row(what: str, peer: str, theirs: float, mine: float, goal: float | None) -> Ratio:
    ratio = theirs / mine
    wanted, met = ("said", True) if goal is None else (f"at least {goal:g}", ratio >= goal)
    return Ratio(what, peer, 1e6 * theirs, 1e6 * mine, "us per row", ratio, wanted, met)


def sequences(n_rows: int = 20_000) -> list[Ratio]:
    """Predict each row's class from the rows before it, then learn it."""
    codes, classes, n_values = coded_table(n_rows)
    coded = encode(Schema.from_sizes(n_values, N_CLASSES), codes, classes)
    model = naive_bayes_sequence(coded)
    model.terms()  # compiles the kernels
    # The rows are laid out once for all orderings; along an ordering each is predicted and learned.
    layout = min(cpu_seconds(lambda: naive_bayes_sequence(coded)) for _ in range(7)) / n_rows
    mine = min(cpu_seconds(model.terms) for _ in range(7)) / n_rows
    river, loop = _river(codes[:1000], classes[:1000]), _loop(codes[:400], classes[:400], n_values)
    what = f"prequential scores of {n_rows:,} x {codes.shape[1]}, evidence, along an ordering"
    once = f"{what}, layout of the rows included"
    return [
        _a_row(what, "river, progressive validation", river, mine, 500),
        _a_row(what, "CategoricalNB, partial_fit loop", loop, mine, 5000),
        _a_row(once, "CategoricalNB, partial_fit loop", loop, mine + layout, None),
    ]


def _river(codes, classes) -> float:
    rows = [{f"x{i}": str(code) for i, code in enumerate(row)} for row in codes.tolist()]
    model = compose.Pipeline(preprocessing.OneHotEncoder(), naive_bayes.MultinomialNB())
    data = list(zip(rows, classes.tolist(), strict=True))
    seconds = cpu_seconds(lambda: evaluate.progressive_val_score(data, model, metrics.CrossEntropy()))
    return seconds / len(rows)


def _loop(codes, classes, n_values) -> float:
    rows, labels = codes.astype(np.int64), classes.astype(np.int64)
    model = CategoricalNB(min_categories=n_values)
    model.partial_fit(rows[:1], labels[:1], classes=np.arange(N_CLASSES))

    def loop() -> None:
        for n in range(1, len(rows)):
            model.predict_log_proba(rows[n : n + 1])
            model.partial_fit(rows[n : n + 1], labels[n : n + 1])

    return cpu_seconds(loop) / (len(rows) - 1)


def greedy_orderings() -> list[Ratio]:
    """Best-first: the fast form beside one that scores all remaining rows anew at every step."""
    codes, classes, n_values = coded_table(2000)
    coded = encode(Schema.from_sizes(n_values, N_CLASSES), codes, classes)
    fast = best_first(naive_bayes_sequence(coded))
    mine = min(cpu_seconds(lambda: best_first(naive_bayes_sequence(coded))) for _ in range(3))
    slow: list[int] = []
    theirs = cpu_seconds(lambda: slow.extend(_recomputed(coded)))
    same = float(np.mean(np.array(slow) == fast))
    ratio = theirs / mine
    lines = [
        Ratio(
            "best-first of 2,000 x 20", "recomputing", theirs, mine, "s", ratio, "at least 15", ratio >= 15
        ),
        Ratio(
            "best-first of 2,000 x 20: same order", "recomputing", 1.0, same, "share", same, "1", same == 1
        ),
    ]
    codes, classes, n_values = coded_table(10_000)
    coded = encode(Schema.from_sizes(n_values, N_CLASSES), codes, classes)
    seconds = cpu_seconds(lambda: best_first(naive_bayes_sequence(coded)))
    lines.append(
        Ratio("best-first of 10,000 x 20", "about 1 s", 1.0, seconds, "s", 1 / seconds, "said", True)
    )
    return lines


def _recomputed(coded: Coded) -> list[int]:
    counts, left, order = Counts.empty(coded.schema), np.arange(coded.n_rows), []
    while len(left):
        log_probs, _ = Predictor.of(counts).log_probs(coded.take(left), n_threads=1)
        own = log_probs[np.arange(len(left)), coded.class_codes[left]]
        # Rows that tie exactly may differ by rounding; the first of them is meant.
        at = int(np.argmax(own >= own.max() - 1e-12))
        order.append(int(left[at]))
        counts = counts.add(coded.codes[left[at]], int(coded.class_codes[left[at]]))
        left = np.delete(left, at)
    return order


def run() -> list[Ratio]:
    """All timings of prequential scores."""
    return [*sequences(), *greedy_orderings()]
