"""Claims about the average, tested on the results."""

from collections.abc import Iterable

from codelength.scores.means import mean_of
from codelength.typing import FloatArray

from ...claims import Claim, Leads, signed
from ...verdicts import LEAST, all_of, by_sample
from .comparison import Comparison
from .models import AVERAGE, NAIVE_BAYES, PRIOR, title_of
from .rows import MUCH

GOALS = {
    "random-forest": 0.04,
    "logistic-regression": 0.05,
    "catboost": 0.05,
    "gradient-boosting": 0.05,
}
"""Nats by which the average should lead on average over tables; set before it was written."""

RANK_GOAL = 2.0
PRIOR_GOAL = 0.05
"""Nats by which the average may be worse than the class prior on a table."""


def claims_of(comparison: Comparison) -> list[Claim]:
    """Return all claims with their verdicts."""
    return [
        _ahead(comparison, "log loss", "log_loss", comparison.opponents, "every opponent"),
        *(_by(comparison, kind, goal) for kind, goal in GOALS.items() if kind in comparison.opponents),
        *(_at_share(comparison, share) for share in comparison.shares),
        _rank(comparison),
        _never_far_behind(comparison),
        _prior(comparison),
        _ahead(comparison, "log loss", "log_loss", comparison.members, "each of its members alone"),
        _ahead(comparison, "log loss", "log_loss", [NAIVE_BAYES], "NaiveBayes under the rule evidence"),
        _ahead(comparison, "accuracy", "accuracy", comparison.opponents, "every opponent"),
        _ahead(comparison, "Brier score", "brier", comparison.opponents, "every opponent"),
        _ahead(comparison, "calibration error", "calibration", comparison.opponents, "every opponent"),
    ]


def _ahead(comparison: Comparison, name: str, score: str, others: Iterable[str], whom: str) -> Claim:
    """Return the claim that the average is ahead of several models in a score, on average over tables."""
    # Accuracy is the only score of which more is better.
    sign, word = (-1, "higher") if score == "accuracy" else (1, "lower")
    leads = {kind: sign * comparison.gains(kind, score) for kind in others}
    return Claim(
        name,
        f"ModelAverage has a {word} {name} than {whom}, on average over tables.",
        all_of(by_sample(lead) for lead in leads.values()),
        _told(leads),
    )


def _by(comparison: Comparison, kind: str, goal: float) -> Claim:
    """Return the claim that the average leads one opponent by at least the goal."""
    gains = comparison.gains(kind)
    return Claim(
        "log loss",
        f"It is ahead of {title_of(kind)} by at least {goal} nats, on average over tables.",
        by_sample(gains - goal),
        signed(*mean_of(gains)),
    )


def _at_share(comparison: Comparison, share: float) -> Claim:
    """Return the claim that the average leads every opponent with one share of the rows."""
    leads = {kind: comparison.gains(kind, shares=[share]) for kind in comparison.opponents}
    return Claim(
        f"log loss at {share:.0%}",
        f"With {share:.0%} of the rows to learn from it is ahead of every opponent, on average over tables.",
        all_of(by_sample(lead) for lead in leads.values()),
        _told(leads),
    )


def _rank(comparison: Comparison) -> Claim:
    """Return the claim on the mean rank of the average."""
    ranks = comparison.ranking().ranks[:, comparison.field.index(AVERAGE)]
    rank, error = mean_of(ranks)
    return Claim(
        "ranks",
        f"Its mean rank by log loss is at most {RANK_GOAL:g} of {len(comparison.field)}.",
        by_sample(RANK_GOAL - ranks),
        f"{rank:.2f} ± {error:.2f}" if len(ranks) > 1 else f"{rank:.2f}",
    )


def _never_far_behind(comparison: Comparison) -> Claim:
    """Return the claim that the average is nowhere far behind the best opponent."""
    # The best opponent is chosen on the same rows that score it, which favours it: the claim is conservative.
    gains = Leads(
        {str(cell): comparison.gain(cell, comparison.best_opponent(cell)) for cell in comparison.cells}
    )
    goal = gains.changed(lambda gain: gain + MUCH)
    failed = [name for name, verdict in zip(gains, goal.verdicts(), strict=True) if verdict == "not held"]
    lost = sorted(failed, key=lambda name: gains[name].value)
    names = f": {', '.join(f'{name} ({signed(gains[name].value)})' for name in lost)}" if lost else ""
    return Claim(
        "log loss",
        f"On no table and share is it more than {MUCH} nats behind the opponent that turns out best there.",
        goal.every(),
        f"behind by two standard errors or more in {len(lost)} of {len(gains)} cells{names}",
    )


def _prior(comparison: Comparison) -> Claim:
    """Return the claim that the average is nowhere much worse than the class prior."""
    gains = Leads({str(cell): comparison.gain(cell, PRIOR) for cell in comparison.cells})
    worst = min(gains, key=lambda name: gains[name].value)
    # The cell that decides: the gain less two standard errors is smallest there.
    least_sure = min(gains, key=lambda name: gains[name].value - LEAST * gains[name].standard_error)
    told = {"least sure gain": least_sure, "least gain": worst}
    return Claim(
        "log loss",
        f"On none of these tables and shares is it more than {PRIOR_GOAL} nats worse than the class prior.",
        gains.changed(lambda gain: gain + PRIOR_GOAL).every(),
        "; ".join(f"{words} {signed(*gains[name])}, {name}" for words, name in told.items()),
    )


def _told(leads: dict[str, FloatArray]) -> str:
    return "; ".join(f"{title_of(kind)} {signed(*mean_of(lead))}" for kind, lead in leads.items())
