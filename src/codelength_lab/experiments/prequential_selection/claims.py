"""Claims of the paper, tested on our results.

Leads are means over tables, with standard errors over tables. Claims about the 0/1 loss are decided by the
relative gain in the error and by that in the accuracy, because the paper does not say which it plots.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from codelength.scores.means import Mean, mean_of

from ...claims import Claim, Leads, signed
from ...results import Results
from ...verdicts import Verdict, agreed, by_lead
from .task import LEAVE_ONE_OUT, N_ORDERINGS, best_of, rand

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

Pair: TypeAlias = tuple[str, str]


class Judge:
    """Decides claims by clusterings with the class, and shows the figures of those without as well.

    Parameters
    ----------
    with_class, without : Results
        Gains of clusterings with and without the class.
    """

    def __init__(self, with_class: Results, without: Results) -> None:
        self.both = with_class, without

    def claim(
        self,
        where: str,
        text: str,
        loss: str,
        decide: Callable[[Results], Verdict],
        tell: Callable[[Results], str],
    ) -> Claim:
        """Return a claim under every reading of its loss.

        Parameters
        ----------
        where, text : str
            Place in the paper, and the claim.
        loss : str
            Loss that the claim is about.
        decide, tell : function
            Functions from the gains in one score to a verdict, and to the figures behind it.
        """
        readings = LOSSES[loss]
        verdicts = [decide(self.both[0].at(score=score)) for score in readings]

        def told(gains: Results) -> str:
            texts = {score: tell(gains.at(score=score)) for score in readings}
            return (
                texts["log"]
                if "log" in texts
                else ", ".join(f"{score}: {text}" for score, text in texts.items())
            )

        figures = f"{told(self.both[0])}; clustered without the class: {told(self.both[1])}"
        # The log loss has one reading, which agrees with itself.
        return Claim(where, text, agreed(verdicts[0], verdicts[-1]), figures)

    def of_pair(self, text: str, pair: Pair) -> Claim:
        """Return the claim that one criterion gains more than another in the log loss."""
        return self.claim(
            "section 4.2",
            text,
            "log loss",
            lambda gains: by_lead(*gains.lead(*pair)),
            lambda gains: _of_pair(gains, pair, 2),
        )


def claims(with_class: Results, without: Results) -> list[Claim]:
    """Return all claims, decided by clusterings with the class, with figures of those without."""
    judge = Judge(with_class, without)
    return [
        *(claim for loss in LOSSES for claim in _against_marginal(judge, loss)),
        *(claim for loss in LOSSES for claim in _averaging(judge, loss)),
        judge.of_pair(
            "PREQ-RAND(n) improves with n at first: 30 orderings gain more than 1, in the log loss.",
            (rand(30), rand(1)),
        ),
        judge.of_pair(
            "Beyond 30 orderings PREQ-RAND(n) gets slightly worse: 100 gain less, in the log loss.",
            (rand(30), rand(100)),
        ),
        *_greedy(judge),
    ]


def _against_marginal(judge: Judge, loss: str) -> list[Claim]:
    """Return the claims that all criteria gain over the marginal likelihood, and by how much."""
    much, figure = {"log loss": (30, 1), "0/1 loss": (50, 2)}[loss]

    def smallest(gains: Results) -> str:
        worst = min(SUPERVISED, key=lambda name: gains.mean(model=name).value)
        return f"smallest {worst} {_points(gains, worst)}"

    def many(gains: Results) -> str:
        largest = max(float(gains.units(model=name).max()) for name in SUPERVISED)
        return f"{_percent(_share_above(gains, much))}, largest {largest:+.1f} %"

    return [
        judge.claim(
            f"section 4.2, Figure {figure}",
            f"Every criterion of Table 1 gains over the marginal likelihood on average, in the {loss}.",
            loss,
            lambda gains: _means(gains, SUPERVISED).every(),
            smallest,
        ),
        judge.claim(
            "section 4.2",
            f"The gain is almost always positive: in nine of ten pairs of table and criterion ({loss}).",
            loss,
            lambda gains: _at_least(_share_above(gains, 0), 0.9),
            lambda gains: _percent(_share_above(gains, 0)),
        ),
        judge.claim(
            "section 4.2",
            f"In many cases, say one pair in ten, the gain is over {much} %, in the {loss}.",
            loss,
            lambda gains: _at_least(_share_above(gains, much), 0.1),
            many,
        ),
    ]


def _averaging(judge: Judge, loss: str) -> list[Claim]:
    """Return the claims on averages over random orderings."""
    greedy = [(rand(n), name) for n in N_ORDERINGS for name in ("BEST-FIRST", "WORST-LAST")]
    optimised = [(rand(n), best_of(n)) for n in N_ORDERINGS if n > 1]
    top = [(rand(n), LEAVE_ONE_OUT) for n in N_ORDERINGS]
    return [
        judge.claim(
            "section 4.2",
            f"PREQ-RAND(n) gains more than both greedy orderings for every n, in the {loss}.",
            loss,
            lambda gains: _leads(gains, greedy).every(),
            lambda gains: f"smallest lead {_extreme(gains, greedy, min)}",
        ),
        judge.claim(
            "abstract, section 4.2",
            f"Averaging beats optimising: PREQ-RAND(n) gains more than PREQ-MAX(n) for every n > 1 ({loss}).",
            loss,
            lambda gains: _leads(gains, optimised).every(),
            lambda gains: f"smallest lead {_extreme(gains, optimised, min)}",
        ),
        judge.claim(
            "section 5",
            f"PREQ-RAND(n) can beat leave-one-out: for some n it gains more, in the {loss}.",
            loss,
            lambda gains: _leads(gains, top).some(),
            lambda gains: f"largest lead {_extreme(gains, top, max)}",
        ),
    ]


def _greedy(judge: Judge) -> list[Claim]:
    """Return the claims on greedy and optimised orderings."""
    kept, excluded = ("BEST-FIRST", "WORST-LAST"), ("BEST-LAST", "WORST-FIRST")
    optimised = (*(best_of(n) for n in N_ORDERINGS if n > 1), *kept)

    def least(gains: Results) -> str:
        [name] = _means(gains, optimised).least_sure()
        return f"least sure {name} {_points(gains, name)}"

    return [
        judge.of_pair(
            "Worst-last gains more than best-first, in the log loss.", ("WORST-LAST", "BEST-FIRST")
        ),
        judge.claim(
            "section 4.2",
            "Best-last and worst-first gain less than both best-first and worst-last, in the log loss.",
            "log loss",
            lambda gains: _leads(gains, [(one, other) for one in kept for other in excluded]).every(),
            lambda gains: ", ".join(f"{name} {_points(gains, name)}" for name in (*kept, *excluded)),
        ),
        judge.claim(
            "section 5",
            "Optimising over orderings, greedily or over two and more random ones, is significantly better "
            "than the marginal likelihood, in the log loss.",
            "log loss",
            lambda gains: _means(gains, optimised).every(),
            least,
        ),
    ]


def _means(gains: Results, criteria: Iterable[str]) -> Leads[str]:
    """Return the leads of criteria over the marginal likelihood: their mean gains."""
    return Leads({name: gains.mean(model=name) for name in criteria})


def _leads(gains: Results, pairs: Iterable[Pair]) -> Leads[Pair]:
    return Leads({pair: gains.lead(*pair) for pair in pairs})


def _extreme(gains: Results, pairs: Iterable[Pair], choose: Callable[..., Pair]) -> str:
    """Describe the pair with the smallest or the largest lead."""
    leads = _leads(gains, pairs)
    return _of_pair(gains, choose(leads, key=lambda pair: leads[pair].value), 1)


def _of_pair(gains: Results, pair: Pair, digits: int) -> str:
    return f"{pair[0]} less {pair[1]} {signed(*gains.lead(*pair), digits)}"


def _share_above(gains: Results, least: float) -> Mean:
    """Return the share of the criteria that gain more than a number on a table, on average over tables."""
    # Averaged over criteria first: those of one table are not independent.
    above = [gains.units(model=name) > least for name in SUPERVISED]
    return mean_of(np.mean(above, axis=0))


def _at_least(share: Mean, least: float) -> Verdict:
    return by_lead(share.value - least, share.standard_error)


def _percent(share: Mean) -> str:
    return f"{100 * share.value:.0f} ± {100 * share.standard_error:.0f} % of pairs"


def _points(gains: Results, criterion: str) -> str:
    return f"{signed(*gains.mean(model=criterion), 1)} %"
