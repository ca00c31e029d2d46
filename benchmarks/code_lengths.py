"""Normalisers of Rissanen's code, and means over all orderings, beside their textbook forms."""

import itertools
import math

import numpy as np
from scipy.special import gammaln, logsumexp, xlogy

from codelength import Schema
from codelength.prequential import naive_bayes_sequence
from codelength.scores.nml import log_normalisers, naive_bayes_log_normaliser
from codelength.table import Coded
from codelength_lab.row_orderings import all_orderings

from .measure import Ratio, compare


def multinomials(n_values: int = 50, n_rows: int = 300_000) -> list[Ratio]:
    """One multinomial: the recurrence from a sum over all rows, in plain Python."""
    return [
        compare(
            f"normaliser of a multinomial, {n_values} values, {n_rows:,} rows",
            ("linear-time recurrence, written out", lambda: _recurrence(n_values, n_rows)),
            lambda: log_normalisers(n_values, np.array([n_rows])),
            at_least=20,
        )
    ]


def naive_bayes(n_rows: int = 2000) -> list[Ratio]:
    """Naive Bayes: convolutions of logarithms, of quadratic cost."""
    n_values, n_classes = [16] * 16, 26
    what = f"normaliser of naive Bayes, {n_rows:,} rows, 26 classes"
    theirs, mine = (
        _by_logs(n_values, n_classes, n_rows),
        naive_bayes_log_normaliser(n_values, n_classes, n_rows),
    )
    assert abs(theirs - mine) < 1e-9 * mine

    def fft() -> float:
        return naive_bayes_log_normaliser(n_values, n_classes, n_rows, "fft")

    logs = ("convolutions of logarithms", lambda: _by_logs(n_values, n_classes, n_rows))
    quadratic = (
        "our own convolutions",
        lambda: naive_bayes_log_normaliser(n_values, n_classes, n_rows, "quadratic"),
    )
    return [compare(what, logs, fft, at_least=20, rounds=2), compare(what, quadratic, fft)]


def orderings(n_rows: int = 8) -> list[Ratio]:
    """The mean over all orderings: one after the other."""
    rng = np.random.default_rng(0)
    codes, labels = rng.integers(0, 3, size=(n_rows, 10)), rng.integers(0, 2, n_rows)
    model = naive_bayes_sequence(Coded.of(Schema.from_sizes([3] * 10, n_classes=2), codes, labels))
    all_orderings(model)  # compiles the kernels

    def enumerated() -> float:
        orders = itertools.permutations(range(n_rows))
        return float(np.mean([model.code_length(order) for order in orders]))

    assert math.isclose(enumerated(), all_orderings(model).mean, rel_tol=1e-12)
    what = f"mean over all orderings of {n_rows} rows"
    peer = ("each ordering, compiled", enumerated)
    return [compare(what, peer, lambda: all_orderings(model), at_least=100, rounds=2)]


def _recurrence(n_values: int, n_rows: int) -> float:
    term, total = 1.0, 1.0
    for k in range(n_rows):
        term *= (n_rows - k) / n_rows
        total += term
    before, this = 0.0, math.log(total)
    for k in range(1, n_values - 1):
        before, this = this, float(np.logaddexp(this, math.log(n_rows / k) + before))
    return this


def _by_logs(n_values: list[int], n_classes: int, n_rows: int) -> float:
    """Coefficient by coefficient in logarithms, so that nothing overflows; powers by repeated squaring."""
    rows = np.arange(n_rows + 1)
    weights = xlogy(rows, rows) - gammaln(rows + 1.0) + sum(log_normalisers(n, rows) for n in n_values)

    def convolved(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.array([logsumexp(one[: n + 1] + other[n::-1]) for n in rows])

    result, square, power = None, weights, n_classes
    while power:
        if power % 2:
            result = square if result is None else convolved(result, square)
        power //= 2
        square = convolved(square, square) if power else square
    assert result is not None
    return float(gammaln(n_rows + 1.0) - xlogy(n_rows, n_rows) + result[-1])


def run() -> list[Ratio]:
    """All of them."""
    return [*multinomials(), *naive_bayes(), *orderings()]
