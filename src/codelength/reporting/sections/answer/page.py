"""Opening of the page: how well the class can be predicted, in two sentences and three figures."""

import math

from ....render.markup import Child, Markup, join, tag
from ...results import Analysis, Estimate
from ...section import hint
from ...svg import share
from ...words import interval, many, name, number, percent, percent_interval


def answer(analysis: Analysis) -> Markup:
    """Return two sentences with intervals, and the figures in them."""
    if len(analysis.table.classes) < 2:
        return tag("p", _gain(analysis), class_="lead")
    # Without a gain, figures of the best model would only mislead: the class prior is as good.
    gains = analysis.gain.value > 0
    return join(
        tag("p", _gain(analysis), [" ", *_trust(analysis)] if gains else None, class_="lead"),
        _cards(analysis) if gains else None,
        hint(
            "A bit is the uncertainty of a fair coin. Rows were predicted by models that had not seen them (",
            analysis.models[0].protocol if analysis.models else "no models",
            "); intervals are 95 % intervals. The figures above are measured on rows that took no part in "
            "choosing the model, so they can differ a little from those of the comparison."
            if gains
            else ").",
        ),
    )


def in_words(analysis: Analysis) -> str:
    """Return the answer on one line of plain text."""
    gain, accuracy = analysis.gain, analysis.accuracy
    if len(analysis.table.classes) < 2:
        return "There is only one class, so there is nothing to predict."
    if not gain.value > 0:
        return f"Nothing is better than {_guessing(analysis)}.".replace("\u00a0", " ")
    best = f"{analysis.best[:1].upper()}{analysis.best[1:]}"
    return (
        f"{best} saves {number(gain.value, 2)} of {number(analysis.prior_bits, 2)} bits per row "
        f"({interval(gain, 2)}) and names the right class in {percent(accuracy.value)} of the rows "
        f"({percent_interval(accuracy)})."
    ).replace("\u00a0", " ")


def _gain(analysis: Analysis) -> list[Child]:
    """Return the sentence about the gain, weaker if its interval contains 0."""
    target = tag("b", name(analysis.table.target or "the class"))
    gain, cost = analysis.gain, number(analysis.prior_bits, 2)
    if len(analysis.table.classes) < 2:
        return [target, " has only one class in this table, so there is nothing to predict."]
    figures = [
        tag("span", f"{number(gain.value, 2)} of the {cost} bits", class_="strong"),
        f" per row that the class costs on its own (95 % interval {interval(gain, 2)}).",
    ]
    if gain.low > 0:
        best = f": {_the(analysis.best)}, the best of {many(len(analysis.models), 'model')}, saves "
        return [target, " can be predicted from the other columns", best, *figures]
    if gain.value > 0:
        return [
            "Whether ",
            target,
            f" can be predicted from the other columns is not certain: {_the(analysis.best)}, the best of "
            f"{many(len(analysis.models), 'model')}, saves ",
            *figures,
        ]
    return [
        "The other columns say nothing about ",
        target,
        f" that the models could use: nothing is better than {_guessing(analysis)}.",
    ]


def _guessing(analysis: Analysis) -> str:
    """Describe the alternative if no model predicts better than the class shares."""
    return (
        f"guessing the largest class, which is right in {percent(_most_common(analysis))} of the rows, or "
        f"than the class shares as probabilities, which cost {number(analysis.prior_bits, 2)} bits per row"
    )


def _the(model: str) -> str:
    # Names of models are shown as they are; only common nouns take an article.
    return f"the {model}" if model in ("model average", "class prior") else model


def _trust(analysis: Analysis) -> list[Child]:
    """Return the sentence about accuracy and calibration."""
    accuracy, calibration = analysis.accuracy, analysis.calibration
    return [
        "It names the right class in ",
        tag("span", percent(accuracy.value), " of the rows", class_="strong"),
        f" ({percent_interval(accuracy)}; the most common class alone: {percent(_most_common(analysis))}), "
        "and its probabilities are off by ",
        tag("span", f"{number(100 * calibration.value, 1)} points", class_="strong"),
        f" on average ({number(100 * calibration.low, 1)} to {number(100 * calibration.high, 1)}).",
    ]


def _most_common(analysis: Analysis) -> float:
    counts = analysis.table.class_counts
    total = float(counts.sum())
    return float(counts.max()) / total if total else 0.0


def _cards(analysis: Analysis) -> Markup:
    """Return the three figures with bars."""
    saved = _relative(analysis.gain, analysis.prior_bits)
    most_common = _most_common(analysis)
    off = analysis.calibration
    return tag(
        "div",
        _card("Uncertainty removed", percent(saved.value, 0), f"{_whole(saved)}", saved, None),
        _card(
            "Right class named",
            percent(analysis.accuracy.value),
            f"{percent_interval(analysis.accuracy)}; line: most common class",
            analysis.accuracy,
            most_common,
        ),
        _card(
            "Probabilities off by",
            f"{number(100 * off.value, 1)} points",
            f"{number(100 * off.low, 1)} to {number(100 * off.high, 1)} points; 0 is best",
            off,
            None,
        ),
        class_="cards",
    )


def _whole(estimate: Estimate) -> str:
    low, high = (number(100 * value, 0) for value in (estimate.low, estimate.high))
    return f"{low} to {high}\u00a0% of what the class costs on its own"


def _relative(gain: Estimate, cost: float) -> Estimate:
    """Return the gain as a share of the cost of the class; 0 if the class costs nothing."""
    if not cost > 0:
        return Estimate(0.0, math.nan, 0.0, 0.0)
    return Estimate(gain.value / cost, gain.standard_error / cost, gain.low / cost, gain.high / cost)


def _card(title: str, value: str, told: str, estimate: Estimate, mark: float | None) -> Markup:
    """Return a figure with a bar from 0 to 1, its interval and, optionally, a line to compare with."""
    # Intervals can leave the range of the bar, and are infinite with few rows.
    low, middle, high = (
        min(max(x, 0.0), 1.0) if math.isfinite(x) else 0.0
        for x in (estimate.low, estimate.value, estimate.high)
    )
    bar = tag(
        "svg",
        tag("rect", width="100%", height="6", y="3", class_="track"),
        tag("rect", width=share(middle), height="6", y="3", class_="fill"),
        tag("rect", x=share(low), width=share(max(high - low, 0.0)), height="2", y="11", class_="spread"),
        None if mark is None else tag("rect", x=share(mark), width="2", height="12", class_="mark"),
        class_="meter",
        aria_hidden="true",
    )
    return tag(
        "div",
        tag("div", title, class_="card-title"),
        tag("div", value, class_="card-figure"),
        bar,
        tag("div", told, class_="card-note"),
        class_="card",
    )
