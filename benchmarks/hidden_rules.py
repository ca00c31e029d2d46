"""Predictions of mixtures with hidden components, beside plain forms of the same averages."""

import itertools
from functools import partial

import numpy as np

from codelength import Schema
from codelength.mixture import exact_code_length, fit_mixture
from codelength.mixture.prediction import Effort, Learned, predict
from codelength.naive_bayes.query import Question
from codelength.table import Coded

from .measure import Ratio, cpu_seconds
from .tables import coded_table

SEVERAL_TIMES = 50
"""A plain form does this part of the work, and its time is multiplied."""


def _limited(what: str, peer: str, plain: float, seconds: float, limit: float) -> list[Ratio]:
    """How many times faster than a plain form, and whether within a limit."""
    return [
        Ratio(what, peer, plain, seconds, "s", plain / seconds, "at least 10", plain / seconds >= 10),
        Ratio(
            what, f"limit {limit:g} s", limit, seconds, "s", limit / seconds, "at least 1", seconds <= limit
        ),
    ]


def exact_average(n_rows: int = 20, n_components: int = 3, n_new: int = 100) -> list[Ratio]:
    """All clusterings summed, beside one ratio of two code lengths per row and value."""
    rng = np.random.default_rng(0)
    whole = Coded.of(Schema.from_sizes([4] * 10), rng.integers(0, 4, size=(n_rows + n_new, 10)))
    rows, new = whole.take(np.arange(n_rows)), whole.take(np.arange(n_rows, n_rows + n_new))
    mixture, _ = fit_mixture(rows, n_components, n_init=3, random_state=0)
    question = Question.of(rows.schema, "x0")
    predict(Learned(rows.take(np.arange(12)), mixture), question, new, method="exact")  # compiles
    seconds = cpu_seconds(lambda: predict(Learned(rows, mixture), question, new, method="exact"))

    def plain() -> None:
        for row, value in itertools.product(range(n_new // SEVERAL_TIMES), range(4)):
            codes = np.vstack((rows.codes, new.codes[row]))
            codes[-1, 0] = value
            exact_code_length(Coded.of(rows.schema, codes), n_components)

    what = f"exact average, N = {n_rows}, K = {n_components}, {n_new} new rows"
    peer = "a code length per row and value"
    return _limited(what, peer, SEVERAL_TIMES * cpu_seconds(plain), seconds, 60.0)


def _plain_sweeps(codes: np.ndarray, n_values: list[int], n_components: int, n_sweeps: int) -> None:
    """Gibbs sweeps over the components of all rows, as one would write them in numpy."""
    rng = np.random.default_rng(0)
    offsets = np.concatenate(([0], np.cumsum(n_values)))
    cells = offsets[:-1] + codes.astype(np.int64)
    labels = rng.integers(n_components, size=len(codes))
    counts, sizes = np.ones((n_components, offsets[-1])), np.ones(n_components)
    for row, label in zip(cells, labels, strict=True):
        counts[label, row] += 1
        sizes[label] += 1
    for _ in range(n_sweeps):
        for n, row in enumerate(cells):
            counts[labels[n], row] -= 1
            sizes[labels[n]] -= 1
            totals = (sizes - 1)[:, None] + n_values
            logs = np.log(sizes) + np.log(counts[:, row] / totals).sum(axis=1)
            probs = np.exp(logs - logs.max())
            labels[n] = rng.choice(n_components, p=probs / probs.sum())
            counts[labels[n], row] += 1
            sizes[labels[n]] += 1


def drawn_average(n_rows: int = 2000, n_components: int = 5, n_new: int = 1000) -> list[Ratio]:
    """Clusterings drawn by Gibbs chains, beside the sweeps alone in plain numpy."""
    codes, _, n_values = coded_table(n_rows + n_new, n_classes=n_components)
    whole = Coded.of(Schema.from_sizes(n_values), codes)
    rows, new = whole.take(np.arange(n_rows)), whole.take(np.arange(n_rows, n_rows + n_new))
    mixture, _ = fit_mixture(rows, n_components, n_init=3, random_state=0)
    question = Question.of(rows.schema, "x0")
    effort = Effort().checked("gibbs")
    few = Effort(2, 1, 0)
    predict(Learned(rows, mixture), question, new.take([0]), method="gibbs", effort=few)  # compiles
    work = partial(predict, method="gibbs", effort=effort)
    found = []
    seconds = cpu_seconds(lambda: found.append(work(Learned(rows, mixture), question, new)))
    n_sweeps = effort.n_chains * (effort.n_draws + effort.n_warmup)
    plain = cpu_seconds(lambda: _plain_sweeps(rows.codes, n_values, n_components, n_sweeps // 1000))
    what = f"average over drawn clusterings, N = {n_rows:,}, K = {n_components}, {n_new:,} new rows"
    lines = _limited(what, "the same sweeps in numpy", 1000 * plain, seconds, 10.0)
    error = float(found[0].errors.max())
    largest = Ratio(f"{what}: largest standard error", "said", error, error, "", 1.0, "said", True)
    return [*lines, largest]


def run() -> list[Ratio]:
    """All timings of predictions with hidden components."""
    return [*exact_average(), *drawn_average()]
