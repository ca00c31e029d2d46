"""What the paper says in words, held to our figures."""

from collections.abc import Callable

import numpy as np

from ...findings import Claim, signed
from .gains import Gains, ScoreName
from .task import LEAVE_ONE_OUT, N_ORDERINGS, best_of, rand

SUPERVISED = (
    LEAVE_ONE_OUT,
    *(rand(n) for n in N_ORDERINGS),
    *(best_of(n) for n in N_ORDERINGS),
    "BEST-FIRST",
    "WORST-LAST",
)
"""The criteria of Table 1."""

WORDS = {"log": "log loss", "error": "0/1 loss"}
LOSSES: tuple[ScoreName, ...] = ("log", "error")


def claims(with_class: Gains, without: Gains) -> list[Claim]:
    """All claims, decided by clusterings with the class; figures of those without stand beside."""
    made = [claim for loss in LOSSES for claim in _against_marginal(with_class, without, loss)]
    made += [claim for loss in LOSSES for claim in _averaging(with_class, without, loss)]
    return [*made, *_more_orderings(with_class, without), *_greedy(with_class, without)]


def _against_marginal(one: Gains, other: Gains, loss: ScoreName) -> list[Claim]:
    word, much, figure = WORDS[loss], {"log": 30, "error": 50}[loss], {"log": "1", "error": "2"}[loss]

    def smallest(gains: Gains) -> str:
        worst = min(SUPERVISED, key=lambda name: gains.gain(name, loss).value)
        return f"smallest {worst} {_points(gains, worst, loss)}"

    return [
        Claim(
            f"section 4.2, Figure {figure}",
            f"Every criterion of Table 1 gains over the marginal likelihood on average, in the {word}.",
            all(one.gain(name, loss).value > 0 for name in SUPERVISED),
            _both(one, other, smallest),
        ),
        Claim(
            "section 4.2",
            f"The gain is almost always positive: in nine of ten pairs of table and criterion ({word}).",
            _share_above(one, loss, 0) >= 0.9,
            _both(one, other, lambda gains: f"{_share_above(gains, loss, 0):.0%} of pairs"),
        ),
        Claim(
            "section 4.2",
            f"In many cases, say one pair in ten, the gain is over {much} %, in the {word}.",
            _share_above(one, loss, much) >= 0.1,
            _both(
                one,
                other,
                lambda gains: (
                    f"{_share_above(gains, loss, much):.0%} of pairs, largest {_largest(gains, loss):+.1f} %"
                ),
            ),
        ),
    ]


def _averaging(one: Gains, other: Gains, loss: ScoreName) -> list[Claim]:
    word = WORDS[loss]
    several = [n for n in N_ORDERINGS if n > 1]

    def least_lead(gains: Gains, pairs: list[tuple[str, str]]) -> str:
        best, second = min(pairs, key=lambda pair: gains.lead(pair[0], pair[1], loss).value)
        return f"smallest lead {best} less {second} {signed(*gains.lead(best, second, loss), 1)}"

    greedy = [(rand(n), name) for n in N_ORDERINGS for name in ("BEST-FIRST", "WORST-LAST")]
    optimised = [(rand(n), best_of(n)) for n in several]
    top = [(rand(n), LEAVE_ONE_OUT) for n in N_ORDERINGS]

    def best_lead(gains: Gains) -> str:
        best, second = max(top, key=lambda pair: gains.lead(pair[0], pair[1], loss).value)
        return f"{best} less {second} {signed(*gains.lead(best, second, loss), 1)}"

    return [
        Claim(
            "section 4.2",
            f"PREQ-RAND(n) gains more than both greedy orderings for every n, in the {word}.",
            all(one.lead(*pair, loss).value > 0 for pair in greedy),
            _both(one, other, lambda gains: least_lead(gains, greedy)),
        ),
        Claim(
            "abstract, section 4.2",
            f"Averaging beats optimising: PREQ-RAND(n) gains more than PREQ-MAX(n) for every n > 1 ({word}).",
            all(one.lead(*pair, loss).value > 0 for pair in optimised),
            _both(one, other, lambda gains: least_lead(gains, optimised)),
        ),
        Claim(
            "section 5",
            f"PREQ-RAND(n) can beat leave-one-out: for some n it gains more, in the {word}.",
            any(one.lead(*pair, loss).value > 0 for pair in top),
            _both(one, other, best_lead),
        ),
    ]


def _more_orderings(one: Gains, other: Gains) -> list[Claim]:
    def lead(first: int, second: int) -> Callable[[Gains], str]:
        return lambda gains: (
            f"{rand(first)} less {rand(second)} {signed(*gains.lead(rand(first), rand(second), 'log'), 2)}"
        )

    return [
        Claim(
            "section 4.2",
            "PREQ-RAND(n) improves with n at first: 30 orderings gain more than 1, in the log loss.",
            one.lead(rand(30), rand(1), "log").value > 0,
            _both(one, other, lead(30, 1)),
        ),
        Claim(
            "section 4.2",
            "Beyond 30 orderings PREQ-RAND(n) gets slightly worse, in the log loss.",
            one.lead(rand(100), rand(30), "log").value < 0,
            _both(one, other, lead(100, 30)),
        ),
    ]


def _greedy(one: Gains, other: Gains) -> list[Claim]:
    def four(gains: Gains) -> str:
        names = ("BEST-FIRST", "WORST-LAST", "BEST-LAST", "WORST-FIRST")
        return ", ".join(f"{name} {_points(gains, name, 'log')}" for name in names)

    def excluded_are_worse(loss: ScoreName) -> bool:
        kept = min(one.gain(name, loss).value for name in ("BEST-FIRST", "WORST-LAST"))
        return all(one.gain(name, loss).value < kept for name in ("BEST-LAST", "WORST-FIRST"))

    optimised = (*(best_of(n) for n in N_ORDERINGS if n > 1), "BEST-FIRST", "WORST-LAST")

    def beyond_noise(name: str) -> float:
        gain = one.gain(name, "log")
        return gain.value - 2 * gain.standard_error

    least = min(optimised, key=beyond_noise)
    return [
        Claim(
            "section 4.2",
            "Worst-last gains more than best-first, in the log loss.",
            one.lead("WORST-LAST", "BEST-FIRST", "log").value > 0,
            _both(one, other, lambda gains: signed(*gains.lead("WORST-LAST", "BEST-FIRST", "log"), 1)),
        ),
        Claim(
            "section 4.2",
            "Best-last and worst-first gain less than both best-first and worst-last, in the log loss.",
            excluded_are_worse("log"),
            _both(one, other, four),
        ),
        Claim(
            "section 5",
            "Optimising over orderings, greedily or over two and more random ones, is significantly better "
            "than the marginal likelihood: by more than two standard errors over tables, in the log loss.",
            beyond_noise(least) > 0,
            _both(one, other, lambda gains: f"{least} {_points(gains, least, 'log')}"),
        ),
    ]


def _share_above(gains: Gains, loss: ScoreName, least: float) -> float:
    return float(np.mean([gains.of_tables(name, loss) > least for name in SUPERVISED]))


def _largest(gains: Gains, loss: ScoreName) -> float:
    return float(np.max([gains.of_tables(name, loss) for name in SUPERVISED]))


def _points(gains: Gains, criterion: str, loss: ScoreName) -> str:
    return f"{signed(*gains.gain(criterion, loss), 1)} %"


def _both(one: Gains, other: Gains, told: Callable[[Gains], str]) -> str:
    return f"{told(one)}; clustered without the class: {told(other)}"
