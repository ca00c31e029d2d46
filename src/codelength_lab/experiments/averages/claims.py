"""Claims about the average, tested on the results."""

from collections.abc import Iterable

from codelength.scores.means import mean_of
from codelength.typing import FloatArray

from ...claims import LEAST, Claim, Leads, all_of, by_sample, signed
from ...published import claim_of
from .comparison import Comparison
from .models import AVERAGE, NAIVE_BAYES, PRIOR, title_of
from .rows import MUCH

KEY = "averages"

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
    verdict = all_of(by_sample(lead) for lead in leads.values())
    return claim_of(KEY, "ahead", verdict, _told(leads), score=name, word=word, whom=whom)


def _by(comparison: Comparison, kind: str, goal: float) -> Claim:
    """Return the claim that the average leads one opponent by at least the goal."""
    gains = comparison.gains(kind)
    figures = signed(*mean_of(gains))
    return claim_of(KEY, "goal", by_sample(gains - goal), figures, whom=title_of(kind), goal=goal)


def _at_share(comparison: Comparison, share: float) -> Claim:
    """Return the claim that the average leads every opponent with one share of the rows."""
    leads = {kind: comparison.gains(kind, shares=[share]) for kind in comparison.opponents}
    verdict = all_of(by_sample(lead) for lead in leads.values())
    return claim_of(KEY, "at_share", verdict, _told(leads), share=share)


def _rank(comparison: Comparison) -> Claim:
    """Return the claim on the mean rank of the average."""
    ranks = comparison.ranking().ranks[:, comparison.field.index(AVERAGE)]
    rank, error = mean_of(ranks)
    figures = f"{rank:.2f} ± {error:.2f}" if len(ranks) > 1 else f"{rank:.2f}"
    verdict = by_sample(RANK_GOAL - ranks)
    return claim_of(KEY, "rank", verdict, figures, goal=RANK_GOAL, n=len(comparison.field))


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
    figures = f"behind by two standard errors or more in {len(lost)} of {len(gains)} cells{names}"
    return claim_of(KEY, "never_far_behind", goal.every(), figures, much=MUCH)


def _prior(comparison: Comparison) -> Claim:
    """Return the claim that the average is nowhere much worse than the class prior."""
    gains = Leads({str(cell): comparison.gain(cell, PRIOR) for cell in comparison.cells})
    worst = min(gains, key=lambda name: gains[name].value)
    # The cell that decides: the gain less two standard errors is smallest there.
    least_sure = min(gains, key=lambda name: gains[name].value - LEAST * gains[name].standard_error)
    told = {"least sure gain": least_sure, "least gain": worst}
    figures = "; ".join(f"{words} {signed(*gains[name])}, {name}" for words, name in told.items())
    verdict = gains.changed(lambda gain: gain + PRIOR_GOAL).every()
    return claim_of(KEY, "class_prior", verdict, figures, goal=PRIOR_GOAL)


def _told(leads: dict[str, FloatArray]) -> str:
    return "; ".join(f"{title_of(kind)} {signed(*mean_of(lead))}" for kind, lead in leads.items())
