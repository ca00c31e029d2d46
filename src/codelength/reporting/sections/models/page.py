"""Section on the models compared: their distance from the best, and all scores in a table."""

import math

from ....render.markup import Child, Markup, join, tag
from ...estimates import around
from ...results import Analysis, ModelScores
from ...section import Section, grid, hint, paragraph
from ...svg import places, share, ticks
from ...words import give_or_take, many, number, percent
from .facts import PRIOR


def models(analysis: Analysis) -> Section:
    """Return the section."""
    best = analysis.models[0]
    body = join(
        paragraph(_close(analysis)),
        _dots(analysis),
        _scores(analysis),
        hint(
            f"All models predicted the same rows ({best.protocol}). Log loss is what the class that "
            "occurred cost, in bits per row: 0 at best. The differences are paired over rows; ± is one "
            "standard error over rows. A model is tied with the best if it is less than two standard errors "
            "or 0.0005 behind it. The Brier score is 0 at best and 2 at worst. Calibration is the mean "
            "distance between the probabilities predicted and the shares observed."
        ),
        [hint(text) for text in _zeros(analysis)],
    )
    return Section("models", "Models compared", body, short="Models")


def _close(analysis: Analysis) -> str:
    """Name the models that are tied with the best."""
    best, *others = analysis.models
    near = [model.name for model in others if model.is_tied]
    if not others:
        return f"Only {best.name} was tried."
    is_prior = best.name == PRIOR
    first = (
        "No model predicts better than the class prior"
        if is_prior
        else f"{_capital(best.name)} predicts best"
    )
    if not near:
        return f"{first}; all others are more than two standard errors behind it."
    if len(near) == len(others):
        return f"{first}; all others are tied with it, less than two standard errors behind."
    words = f"{near[0]} is" if len(near) == 1 else f"{', '.join(near[:-1])} and {near[-1]} are"
    return f"{first}; {words} tied with it, less than two standard errors behind."


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _dots(analysis: Analysis) -> Markup:
    """Draw the distance of each model from the best, with intervals."""
    limit = _limit(analysis)
    rows = [
        tag(
            "li",
            tag("span", model.name, class_="who"),
            tag("svg", _dot(model, limit), class_="dots", aria_hidden="true"),
            tag("span", _behind(model, analysis.models[0]), class_="n"),
            class_="base" if model.is_baseline else None,
        )
        for model in analysis.models
    ]
    marks = [mark for mark in ticks(0.0, limit, 5) if mark < limit]
    digits = places(marks)
    axis = tag(
        "svg",
        [
            tag(
                "text",
                number(mark, digits),
                x=share(_place(mark, limit)),
                y="12",
                text_anchor="middle",
            )
            for mark in marks
        ],
        class_="axis",
    )
    last = tag("li", tag("span", class_="who"), axis, tag("span", "bits per row", class_="n"), class_="scale")
    title = tag("figcaption", "Bits per row behind the best model, with 95 % intervals; lower is better")
    return tag("figure", title, tag("ul", rows, last, class_="bars dotted"), class_="wide")


def _limit(analysis: Analysis) -> float:
    """Return the end of the axis, without the class prior, which is often far behind all others."""
    ends = [
        model.behind_best.high if math.isfinite(model.behind_best.high) else model.behind_best.value
        for model in analysis.models
        if model.name != PRIOR
    ]
    found = max((end for end in ends if math.isfinite(end)), default=0.0)
    # Only the class prior and ties are left: its distance then sets the scale.
    if found <= 0:
        found = max(
            (m.behind_best.value for m in analysis.models if math.isfinite(m.behind_best.value)), default=0
        )
    # Some room to the right of the last interval; any scale will do if all models tie.
    return 1.08 * found if found > 0 else 1.0


def _place(value: float, limit: float) -> float:
    """Return the position of a value on the axis, from 0 to 1."""
    # Room for half a dot on the left, and for an arrow on the right.
    return 0.02 + 0.94 * min(max(value / limit, 0.0), 1.0)


def _dot(model: ModelScores, limit: float) -> Markup:
    """Draw one model; an arrow if it is beyond the end of the axis."""
    behind = model.behind_best
    base = tag("line", x1="2%", x2="98%", y1="50%", y2="50%", class_="track")
    # Written as a negation because NaN and infinity belong here too.
    if not behind.value <= limit:
        arrow = tag(
            "svg", tag("path", d="M0 0L7 6L0 12Z", class_="arrow"), x="97%", y="2", overflow="visible"
        )
        return join(base, arrow)
    low, high = (value if math.isfinite(value) else behind.value for value in (behind.low, behind.high))
    spread = tag(
        "line",
        x1=share(_place(low, limit)),
        x2=share(_place(high, limit)),
        y1="50%",
        y2="50%",
        class_="whisker",
    )
    return join(
        base, spread, tag("circle", cx=share(_place(behind.value, limit)), cy="50%", r="4.5", class_="dot")
    )


def _behind(model: ModelScores, best: ModelScores) -> str:
    if model is best:
        return "best"
    return f"{give_or_take(model.behind_best)}{', tied' if model.is_tied else ''}"


def _with_error(value: float, standard_error: float) -> str:
    return give_or_take(around(value, standard_error))


def _scores(analysis: Analysis) -> Markup:
    """Return all scores as a table, the best model highlighted."""
    names: list[Child] = ["model", "log loss", "behind the best", "accuracy", "Brier", "calibration", "fit"]
    rows: list[list[Child]] = [
        [
            model.name,
            _with_error(-model.log_score_bits, model.log_score_bits_se),
            _behind(model, analysis.models[0]),
            _accuracy(model),
            _with_error(model.brier_score, model.brier_score_se),
            number(model.calibration_error),
            f"{number(model.fit_seconds, 2)} s",
        ]
        for model in analysis.models
    ]
    return grid(names, rows, label="Scores of the models", marked=0)


def _accuracy(model: ModelScores) -> str:
    error = model.accuracy_se
    return (
        f"{number(100 * model.accuracy, 1)} ± {percent(error)}"
        if math.isfinite(error)
        else percent(model.accuracy)
    )


def _zeros(analysis: Analysis) -> list[str]:
    return [
        f"{_capital(model.name)} gave probability zero to the class that occurred in "
        f"{many(model.n_zero, 'row')}, which costs infinitely many bits."
        for model in analysis.models
        if model.n_zero
    ]
