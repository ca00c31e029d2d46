"""Claims of the paper, tested on our results.

Leads are means over tables, with standard errors over tables. Claims about the 0/1 loss are decided by the
relative gain in the error and by that in the accuracy, because the paper does not say which it plots.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from ...findings import Claim, signed
from ...summary import Mean, mean_of
from ...verdicts import Verdict, agreed, all_of, any_of, by_lead
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

LOSSES: dict[str, tuple[ScoreName, ...]] = {"log loss": ("log",), "0/1 loss": ("error", "accuracy")}
"""Readings of each loss of the paper."""

Pair: TypeAlias = tuple[str, str]
Decide: TypeAlias = Callable[[Gains, ScoreName], Verdict]
Tell: TypeAlias = Callable[[Gains, ScoreName], str]


def claims(with_class: Gains, without: Gains) -> list[Claim]:
    """Return all claims, decided by clusterings with the class, with figures of those without.

    Parameters
    ----------
    with_class, without : Gains
        Gains of clusterings with and without the class.
    """
    both = (with_class, without)
    made = [claim for loss in LOSSES for claim in _against_marginal(both, loss)]
    made += [claim for loss in LOSSES for claim in _averaging(both, loss)]
    return [*made, *_more_orderings(both), *_greedy(both)]


def _claim(both: tuple[Gains, Gains], where: str, text: str, loss: str, decide: Decide, tell: Tell) -> Claim:
    """Return a claim under every reading of its loss, with the figures of both ways of clustering.

    Parameters
    ----------
    both : pair of Gains
        Gains of clusterings with and without the class; the first decides.
    where, text : str
        Place in the paper, and the claim.
    loss : str
        Loss that the claim is about.
    decide, tell : function
        Functions from gains and a score to a verdict, and to the figures behind it.
    """
    readings = LOSSES[loss]
    verdicts = [decide(both[0], score) for score in readings]

    def told(gains: Gains) -> str:
        texts = [tell(gains, score) for score in readings]
        if len(readings) == 1:
            return texts[0]
        return ", ".join(f"{score}: {text}" for score, text in zip(readings, texts, strict=True))

    figures = f"{told(both[0])}; clustered without the class: {told(both[1])}"
    # The log loss has one reading, which agrees with itself.
    return Claim(where, text, agreed(verdicts[0], verdicts[-1]), figures)


def _against_marginal(both: tuple[Gains, Gains], loss: str) -> list[Claim]:
    """Return the claims that all criteria gain over the marginal likelihood, and by how much."""
    much, figure = {"log loss": (30, 1), "0/1 loss": (50, 2)}[loss]

    def smallest(gains: Gains, score: ScoreName) -> str:
        worst = min(SUPERVISED, key=lambda name: gains.gain(name, score).value)
        return f"smallest {worst} {_points(gains, worst, score)}"

    def many(gains: Gains, score: ScoreName) -> str:
        return f"{_percent(_share_above(gains, score, much))}, largest {_largest(gains, score):+.1f} %"

    return [
        _claim(
            both,
            f"section 4.2, Figure {figure}",
            f"Every criterion of Table 1 gains over the marginal likelihood on average, in the {loss}.",
            loss,
            lambda gains, score: all_of(by_lead(*gains.gain(name, score)) for name in SUPERVISED),
            smallest,
        ),
        _claim(
            both,
            "section 4.2",
            f"The gain is almost always positive: in nine of ten pairs of table and criterion ({loss}).",
            loss,
            lambda gains, score: _at_least(_share_above(gains, score, 0), 0.9),
            lambda gains, score: _percent(_share_above(gains, score, 0)),
        ),
        _claim(
            both,
            "section 4.2",
            f"In many cases, say one pair in ten, the gain is over {much} %, in the {loss}.",
            loss,
            lambda gains, score: _at_least(_share_above(gains, score, much), 0.1),
            many,
        ),
    ]


def _averaging(both: tuple[Gains, Gains], loss: str) -> list[Claim]:
    """Return the claims on averages over random orderings."""
    greedy = [(rand(n), name) for n in N_ORDERINGS for name in ("BEST-FIRST", "WORST-LAST")]
    optimised = [(rand(n), best_of(n)) for n in N_ORDERINGS if n > 1]
    top = [(rand(n), LEAVE_ONE_OUT) for n in N_ORDERINGS]
    return [
        _claim(
            both,
            "section 4.2",
            f"PREQ-RAND(n) gains more than both greedy orderings for every n, in the {loss}.",
            loss,
            lambda gains, score: all_of(_verdicts(gains, greedy, score)),
            lambda gains, score: _extreme(gains, greedy, score, "smallest"),
        ),
        _claim(
            both,
            "abstract, section 4.2",
            f"Averaging beats optimising: PREQ-RAND(n) gains more than PREQ-MAX(n) for every n > 1 ({loss}).",
            loss,
            lambda gains, score: all_of(_verdicts(gains, optimised, score)),
            lambda gains, score: _extreme(gains, optimised, score, "smallest"),
        ),
        _claim(
            both,
            "section 5",
            f"PREQ-RAND(n) can beat leave-one-out: for some n it gains more, in the {loss}.",
            loss,
            lambda gains, score: any_of(_verdicts(gains, top, score)),
            lambda gains, score: _extreme(gains, top, score, "largest"),
        ),
    ]


def _more_orderings(both: tuple[Gains, Gains]) -> list[Claim]:
    """Return the claims on the number of orderings."""
    return [
        _of_pair(
            both,
            "PREQ-RAND(n) improves with n at first: 30 orderings gain more than 1, in the log loss.",
            (rand(30), rand(1)),
        ),
        _of_pair(
            both,
            "Beyond 30 orderings PREQ-RAND(n) gets slightly worse: 100 gain less, in the log loss.",
            (rand(30), rand(100)),
        ),
    ]


def _greedy(both: tuple[Gains, Gains]) -> list[Claim]:
    """Return the claims on greedy and optimised orderings."""
    kept, excluded = ("BEST-FIRST", "WORST-LAST"), ("BEST-LAST", "WORST-FIRST")
    optimised = (*(best_of(n) for n in N_ORDERINGS if n > 1), *kept)

    def four(gains: Gains, score: ScoreName) -> str:
        return ", ".join(f"{name} {_points(gains, name, score)}" for name in (*kept, *excluded))

    def least(gains: Gains, score: ScoreName) -> str:
        name = min(optimised, key=lambda name: _in_errors(gains.gain(name, score)))
        return f"least sure {name} {_points(gains, name, score)}"

    return [
        _of_pair(
            both, "Worst-last gains more than best-first, in the log loss.", ("WORST-LAST", "BEST-FIRST")
        ),
        _claim(
            both,
            "section 4.2",
            "Best-last and worst-first gain less than both best-first and worst-last, in the log loss.",
            "log loss",
            lambda gains, score: all_of(
                _verdicts(gains, [(one, other) for one in kept for other in excluded], score)
            ),
            four,
        ),
        _claim(
            both,
            "section 5",
            "Optimising over orderings, greedily or over two and more random ones, is significantly better "
            "than the marginal likelihood, in the log loss.",
            "log loss",
            lambda gains, score: all_of(by_lead(*gains.gain(name, score)) for name in optimised),
            least,
        ),
    ]


def _of_pair(both: tuple[Gains, Gains], text: str, pair: Pair) -> Claim:
    """Return the claim that one criterion gains more than another in the log loss."""
    return _claim(
        both,
        "section 4.2",
        text,
        "log loss",
        lambda gains, score: by_lead(*gains.lead(*pair, score)),
        lambda gains, score: _told(gains, pair, score, 2),
    )


def _verdicts(gains: Gains, pairs: Iterable[Pair], score: ScoreName) -> list[Verdict]:
    return [by_lead(*gains.lead(*pair, score)) for pair in pairs]


def _extreme(gains: Gains, pairs: Iterable[Pair], score: ScoreName, which: str) -> str:
    """Describe the pair with the smallest or the largest lead."""
    choose = min if which == "smallest" else max
    pair = choose(pairs, key=lambda pair: gains.lead(pair[0], pair[1], score).value)
    return f"{which} lead {_told(gains, pair, score, 1)}"


def _told(gains: Gains, pair: Pair, score: ScoreName, digits: int) -> str:
    return f"{pair[0]} less {pair[1]} {signed(*gains.lead(*pair, score), digits)}"


def _in_errors(gain: tuple[float, float]) -> float:
    value, error = gain
    return value / error if error > 0 else value


def _share_above(gains: Gains, score: ScoreName, least: float) -> Mean:
    """Return the share of the criteria that gain more than a number on a table, on average over tables."""
    # Averaged over criteria first: those of one table are not independent.
    above = [gains.of_tables(name, score) > least for name in SUPERVISED]
    return mean_of(np.mean(above, axis=0))


def _at_least(share: Mean, least: float) -> Verdict:
    return by_lead(share.value - least, share.standard_error)


def _percent(share: Mean) -> str:
    return f"{100 * share.value:.0f} ± {100 * share.standard_error:.0f} % of pairs"


def _largest(gains: Gains, score: ScoreName) -> float:
    return float(np.max([gains.of_tables(name, score) for name in SUPERVISED]))


def _points(gains: Gains, criterion: str, score: ScoreName) -> str:
    return f"{signed(*gains.gain(criterion, score), 1)} %"
