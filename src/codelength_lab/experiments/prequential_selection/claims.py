"""Claims of the paper, tested on our results.

Leads are means over tables, with standard errors over tables. Claims about the 0/1 loss are decided by the
relative gain in the error and by that in the accuracy, because the paper does not say which it plots.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from codelength.scores.means import Mean, mean_of

from ...claims import Claim, Leads, signed
from ...published import claim_of
from ...results import Results
from ...verdicts import Verdict, agreed, by_lead
from .task import LEAVE_ONE_OUT, N_ORDERINGS, best_of, rand

KEY = "prequential-selection"

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
        name: str,
        loss: str,
        decide: Callable[[Results], Verdict],
        tell: Callable[[Results], str],
        **values: Any,
    ) -> Claim:
        """Return a claim of the paper's file on a loss, under every reading of the loss.

        ``decide`` and ``tell`` are functions from the gains in one score to a verdict, and to the figures
        behind it.
        """
        readings = LOSSES[loss]
        verdicts = [decide(self.both[0].at(score=score)) for score in readings]

        def told(gains: Results) -> str:
            texts = {score: tell(gains.at(score=score)) for score in readings}
            joined = ", ".join(f"{score}: {text}" for score, text in texts.items())
            return texts.get("log", joined)

        figures = f"{told(self.both[0])}; clustered without the class: {told(self.both[1])}"
        # The log loss has one reading, which agrees with itself.
        return claim_of(KEY, name, agreed(verdicts[0], verdicts[-1]), figures, loss=loss, **values)

    def of_pair(self, name: str, pair: Pair) -> Claim:
        """Return the claim that one criterion gains more than another in the log loss."""
        return self.claim(
            name,
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
        judge.of_pair("at_first", (rand(30), rand(1))),
        judge.of_pair("beyond_30", (rand(30), rand(100))),
        *_greedy(judge),
    ]


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

    return [
        judge.claim("gains", loss, lambda gains: _means(gains, SUPERVISED).every(), smallest, figure=figure),
        judge.claim("almost_always", loss, lambda gains: _at_least(_share_above(gains, 0), 0.9), share),
        judge.claim(
            "many_large", loss, lambda gains: _at_least(_share_above(gains, much), 0.1), many, much=much
        ),
    ]


def _averaging(judge: Judge, loss: str) -> list[Claim]:
    """Return the claims on averages over random orderings."""
    greedy = [(rand(n), name) for n in N_ORDERINGS for name in ("BEST-FIRST", "WORST-LAST")]
    optimised = [(rand(n), best_of(n)) for n in N_ORDERINGS if n > 1]
    top = [(rand(n), LEAVE_ONE_OUT) for n in N_ORDERINGS]
    return [
        judge.claim(
            "rand_greedy",
            loss,
            lambda gains: _leads(gains, greedy).every(),
            lambda gains: f"smallest lead {_extreme(gains, greedy, min)}",
        ),
        judge.claim(
            "rand_max",
            loss,
            lambda gains: _leads(gains, optimised).every(),
            lambda gains: f"smallest lead {_extreme(gains, optimised, min)}",
        ),
        judge.claim(
            "rand_loo",
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
        judge.of_pair("worst_last", ("WORST-LAST", "BEST-FIRST")),
        judge.claim(
            "excluded",
            "log loss",
            lambda gains: _leads(gains, [(one, other) for one in kept for other in excluded]).every(),
            lambda gains: ", ".join(f"{name} {_points(gains, name)}" for name in (*kept, *excluded)),
        ),
        judge.claim("optimising", "log loss", lambda gains: _means(gains, optimised).every(), least),
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
