"""Opening of the page: how well the class can be predicted, in two sentences and three figures."""

import math

from ...render.templates import Markup, rendered
from ..results import Analysis, Estimate
from ..words import capital, interval, number, percent, percent_interval


def opening(analysis: Analysis) -> Markup:
    """Return two sentences with intervals, and the figures in them."""
    return rendered(
        "reporting/sections/answer",
        analysis=analysis,
        saved=_relative(analysis.gain, analysis.prior_bits),
        most_common=_most_common(analysis),
        guessing=_guessing(analysis),
    )


def in_words(analysis: Analysis) -> str:
    """Return the answer on one line of plain text."""
    gain, accuracy = analysis.gain, analysis.accuracy
    if len(analysis.table.classes) < 2:
        return "There is only one class, so there is nothing to predict."
    if not gain.value > 0:
        return f"Nothing is better than {_guessing(analysis)}.".replace("\u00a0", " ")
    saved = f"{number(gain.value, 2)} of {number(analysis.prior_bits, 2)} bits per row ({interval(gain, 2)})"
    right = f"in {percent(accuracy.value)} of the rows ({percent_interval(accuracy)})"
    return f"{capital(analysis.best)} saves {saved} and names the right class {right}.".replace("\u00a0", " ")


def _guessing(analysis: Analysis) -> str:
    """Describe the alternative if no model predicts better than the class shares."""
    return (
        f"guessing the largest class, which is right in {percent(_most_common(analysis))} of the rows, or "
        f"than the class shares as probabilities, which cost {number(analysis.prior_bits, 2)} bits per row"
    )


def _most_common(analysis: Analysis) -> float:
    counts = analysis.table.class_counts
    total = float(counts.sum())
    return float(counts.max()) / total if total else 0.0


def _relative(gain: Estimate, cost: float) -> Estimate:
    """Return the gain as a share of the cost of the class; 0 if the class costs nothing."""
    if not cost > 0:
        return Estimate(0.0, math.nan, 0.0, 0.0)
    return Estimate(*(part / cost for part in (gain.value, gain.standard_error, gain.low, gain.high)))
