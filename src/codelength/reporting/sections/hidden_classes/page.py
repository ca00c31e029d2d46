"""Section on latent classes: their number, their profiles, and the quality of the solution.

``answer`` opens the page of a table without a target; ``comparison``, ``profiles`` and ``trust`` are its
sections; ``hidden`` folds all four into one section of the page of a table with a target.

Order of reading: :func:`hidden` is the section on a page about a target. The others are for a page about
hidden classes alone, in its order: :func:`answer`, :func:`comparison` (numbers of classes), :func:`profiles`
(what the classes look like), :func:`trust` (how they were found).

Depends on :class:`~codelength.reporting.results.LatentAnalysis`, whose figures ``facts`` computes, and on the
parts that all sections share.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....blocks import Block, Facts, Heading
from ....decisions import ranked
from ....render.html import html
from ....render.markup import Child, Markup, join, tag
from ....selection.comparison import ON_ANOTHER_SCALE, Comparison
from ....typing import FloatArray
from ... import svg
from ...results import LatentAnalysis
from ...section import Section, details, figure, hint, paragraph
from ...words import counted, many, name, number, percent
from ..settings.page import command

MOST_VARIABLES, MOST_VALUES, N_OPEN = 100, 24, 6
MOST_CLASSES = 8
"""Variables, values and classes that are shown, and variables that are open at first."""

ValueProbs = dict[str | float | bool | None, FloatArray]
"""Probabilities of each value of a variable, by class."""

FRAME = svg.Frame(360.0, 300.0, left=58.0, right=14.0, top=14.0, bottom=48.0)


def answer(analysis: LatentAnalysis) -> Markup:
    """Return the number of classes, their sizes, and the certainty of assignments."""
    chosen, rows = analysis.comparison.chosen, _rows(analysis)
    posterior = analysis.comparison.of(chosen).get("posterior")
    how_sure = ""
    if posterior is not None and len(analysis.comparison) > 1:
        how_sure = f" (posterior probability {number(posterior, 2)} among those compared)"
    criterion = _called(analysis.comparison.criterion)
    how_many = f", by {criterion}{how_sure}"
    if analysis.model.n_components != "auto":
        how_many = ", the number that was asked for"
    # A larger number of classes that was not tried could be better.
    elif chosen == max(analysis.comparison["components"]):
        how_many = f" or more (no larger number was tried){how_many}"
    if chosen == 1:
        lead: list[Child] = [
            f"{rows} show ",
            tag("span", "no hidden classes", class_="strong"),
            f": one class describes them best, by {criterion}{how_sure}.",
        ]
        return tag("p", lead, class_="lead")
    found = analysis.model.classification_
    smallest = float(analysis.model.parameters_.class_probs.min())
    doubt = "" if analysis.model.trust_.is_enough else " Few starts of the search ended here: be careful."
    return join(
        tag(
            "p",
            f"{rows} fall into ",
            tag("span", many(chosen, "hidden class", "hidden classes"), class_="strong"),
            f"{how_many}. A row is put into the right class with probability ",
            tag("span", number(1 - found.error, 3), class_="strong"),
            f" on average, and the smallest class holds {percent(smallest)} of the rows.{doubt}",
            class_="lead",
        ),
        _shares(analysis.model.parameters_.class_probs),
    )


def _rows(analysis: LatentAnalysis) -> str:
    """Describe the rows used, as the beginning of a sentence."""
    n_rows, n_seen = analysis.table.n_rows, analysis.model.observed_.n_rows
    if n_seen < n_rows:
        return f"{counted(n_seen)} of the {counted(n_rows)} rows, drawn at random,"
    return f"The {counted(n_rows)} rows"


def hidden(analysis: LatentAnalysis, target: str) -> Section:
    """Return a first look at latent classes as one section of a page about a target.

    Parameters
    ----------
    analysis : LatentAnalysis
        Latent classes of the other columns.
    target : str
        Column that was left out.
    """
    how_many, *others = [comparison(analysis), profiles(analysis, n_open=0), trust(analysis)]
    # The profile of a single class is the table itself.
    if analysis.comparison.chosen == 1:
        others.pop(0)
    body = join(
        answer(analysis),
        paragraph(
            f"The other columns were looked at without {name(target)}. This is a first look; for all rows "
            "and larger numbers of classes:",
        ),
        command(analysis),
        tag("h3", how_many.title),
        how_many.body,
        [details(part.title, part.body) for part in others],
    )
    return Section("hidden", "Hidden classes", body)


def _shares(shares: FloatArray) -> Markup:
    """Return bars of the sizes of the classes, of which the first 20 are shown."""
    rows = [
        tag(
            "li",
            tag("span", f"Class {k + 1}", class_="who"),
            tag(
                "svg",
                tag("rect", width="100%", height="10", class_="track"),
                tag("rect", width=svg.share(float(share)), height="10", class_=f"k{k}" if k < 7 else "fill"),
                class_="bar",
                aria_hidden="true",
            ),
            tag("span", percent(float(share)), class_="n"),
        )
        for k, share in enumerate(shares[:20])
    ]
    return tag("ul", rows, class_="bars")


def comparison(analysis: LatentAnalysis) -> Section:
    """Return the numbers of classes compared: the path of the criterion, and all figures."""
    compared = analysis.comparison
    path = _path(compared) if len(compared) > 1 else None
    body = join(
        path,
        details("All criteria", html([compared.grid()])),
        [hint(sentence) for sentence in compared.explanations()],
    )
    return Section("classes", "How many classes?", body, short="Number of classes")


def _path(compared: Comparison) -> Markup | None:
    """Draw code length over the number of classes, in bits above the best."""
    # Every comparison has the Cheeseman-Stutz code length, but not every criterion has a column.
    drawn = compared.criterion if compared.criterion in compared.columns else "cheeseman_stutz"
    # Information criteria are on the scale of twice the code length.
    scale = ON_ANOTHER_SCALE.get(drawn, 1.0)
    values = [
        (int(size), float(length) / scale / math.log(2))
        for size, length in zip(compared["components"], compared[drawn], strict=True)
        if length is not None and math.isfinite(length)
    ]
    if len(values) < 2:
        return None
    best = min(length for _, length in values)
    above = [(size, length - best) for size, length in values]
    called = _called(drawn)
    what = f"{called[:1].upper()}{called[1:]}" if scale == 1.0 else f"Half of {called}"
    label = f"{what} against the number of classes; {compared.chosen} was chosen."
    return figure(
        FRAME.drawing(label, *_curve(above, compared.chosen)),
        f"{what}, in bits above the smallest: lower is better. The ring marks the number that was chosen.",
    )


def _curve(above: Sequence[tuple[int, float]], chosen: int) -> list[Child]:
    """Return the marks of the chart: axes, a curve of bits by number of classes, a ring around the choice."""
    top = max(length for _, length in above) or 1.0
    x = FRAME.across(above[0][0], above[-1][0], inset=10)
    y = FRAME.upwards(0, 1.05 * top)
    marks = svg.ticks(0, 1.05 * top, 5)
    digits = svg.places(marks)
    children: list[Child] = []
    for mark in marks:
        children += FRAME.rule(y(mark), f"{mark:,.0f}" if not digits else number(mark, digits))
    # At most ten labels, or they would overlap on a phone.
    step = math.ceil(len(above) / 10)
    children += [FRAME.below(x(size), str(size)) for size, _ in above[::step]]
    children.append(svg.path([(x(size), y(length)) for size, length in above], "curve"))
    children += [svg.dot(x(size), y(length), 3.5, "dot") for size, length in above]
    at = dict(above).get(chosen)
    if at is not None:
        children.append(svg.dot(x(chosen), y(at), 7.5, "ring"))
    return [*children, *FRAME.titles("number of classes", "bits above the smallest")]


def _called(criterion: str) -> str:
    """Return the name of a criterion within a sentence.

    Examples
    --------
    >>> _called("cheeseman_stutz"), _called("bic")
    ('the Cheeseman-Stutz code length', 'BIC')
    """
    if criterion == "cheeseman_stutz":
        return "the Cheeseman-Stutz code length"
    return criterion.upper() if len(criterion) < 5 else f"the {criterion.replace('_', ' ')} code length"


def profiles(analysis: LatentAnalysis, n_open: int = N_OPEN) -> Section:
    """Return the profiles of the classes, the variables with most information first.

    Parameters
    ----------
    analysis : LatentAnalysis
        Latent classes.
    n_open : int
        Variables that are open at first.
    """
    shares = analysis.model.parameters_.class_probs
    by_name = list(analysis.model.profiles().items())
    bits = [_bits(np.array(list(values.values())), shares) for _, values in by_name]
    most = max(bits, default=0.0)
    shown = [by_name[n] for n in ranked(bits, scale=1.0)[:MOST_VARIABLES]]
    rows = [
        _variable(variable, values, shares, most, is_open=n < n_open)
        for n, (variable, values) in enumerate(shown)
    ]
    more = len(by_name) - len(shown)
    body = join(
        paragraph(
            "The variables that tell the classes apart most come first. Bars are the probability of a value "
            "in a class, in %; the line marks its probability in all rows."
        ),
        tag("div", rows, class_="variables"),
        hint(f"And {many(more, 'further variable')}.") if more > 0 else None,
        hint("Bits: how much a variable says about the class of a row."),
    )
    return Section("profiles", "What the classes look like", body, short="Profiles")


def _bits(value_probs: FloatArray, shares: FloatArray) -> float:
    """Return the mutual information of a variable and the class, in bits.

    Parameters
    ----------
    value_probs : array of shape (n_values, n_classes)
        Probability of each value in each class.
    shares : array of shape (n_classes,)
        Class probabilities.
    """
    if not value_probs.size:
        return 0.0
    overall = value_probs @ shares
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(value_probs > 0, np.log2(value_probs / overall[:, None]), 0.0)
    # Rounding can make the information of an independent variable slightly negative.
    return max(float((shares * value_probs * ratios).sum()), 0.0)


def _variable(
    variable: str,
    values: ValueProbs,
    shares: FloatArray,
    most: float,
    *,
    is_open: bool,
) -> Markup:
    """Return the folded profile of one variable: a bar of its bits, and a table of probabilities."""
    bits = _bits(np.array(list(values.values())), shares)
    bar = tag(
        "svg",
        tag("rect", width=svg.share(bits / most if most > 0 else 0.0), height="10", y="3", class_="fill"),
        class_="bar",
        aria_hidden="true",
    )
    summary = tag(
        "summary",
        tag("span", name(variable), class_="who"),
        bar,
        tag("span", f"{number(bits, 2)} bits", class_="n"),
    )
    inside = tag("div", _value_table(variable, values, shares), class_="inside")
    return tag("details", summary, inside, open=is_open)


def _value_table(variable: str, values: ValueProbs, shares: FloatArray) -> Markup:
    """Return a table of value probabilities by class, and what is left out of it."""
    # Classes are in descending order of size, so that the first ones are the largest.
    n_classes = min(len(shares), MOST_CLASSES)
    probs = list(values.items())
    if len(probs) > MOST_VALUES:
        # The most probable values, but in the order of the variable, which may be that of intervals.
        kept = sorted(ranked([own @ shares for _, own in probs])[:MOST_VALUES])
        probs = [probs[int(n)] for n in kept]
    head = [
        tag("th", "value", scope="col"),
        *(tag("th", f"class {k + 1}", scope="col") for k in range(n_classes)),
    ]
    rows = [
        tag(
            "tr",
            tag("th", "(missing)" if value is None else name(str(value), 32), scope="row"),
            [_cell(float(own[k]), float(own @ shares)) for k in range(n_classes)],
        )
        for value, own in probs
    ]
    told = []
    if len(values) > len(probs):
        told.append(f"The most common values; {counted(len(values) - len(probs))} others are left out.")
    if len(shares) > n_classes:
        told.append(f"The {n_classes} largest of {len(shares)} classes.")
    region = tag(
        "div",
        tag("table", tag("thead", tag("tr", head)), tag("tbody", rows)),
        class_="scroll profile",
        role="group",
        tabindex="0",
        aria_label=f"Probabilities of the values of {name(variable)} by class",
    )
    return join(region, hint(" ".join(told)) if told else None)


def _cell(probability: float, overall: float) -> Markup:
    at = svg.share(overall)
    bar = tag("rect", width=svg.share(probability), height="8")
    line = tag("line", x1=at, x2=at, y1="0", y2="12", class_="prior")
    return tag("td", f"{100 * probability:.0f}", tag("svg", bar, line))


def trust(analysis: LatentAnalysis) -> Section:
    """Return the section on convergence, identifiability and classification of the solution."""
    parts = _parts(analysis.model.summary(comparison=analysis.comparison))
    found = analysis.model.trust_
    good = [
        (
            found.is_enough,
            "the best solution was reached often enough",
            "few starts reached the best solution",
        ),
        (found.converged, "all runs converged", "some runs did not converge"),
        (
            analysis.model.identifiability_.is_identified is not False,
            "the model is identified, as far as was checked",
            "the model is not identified: other profiles fit as well",
        ),
    ]
    checks = [
        tag(
            "li",
            tag("span", "yes: " if ok else "no: ", class_="held" if ok else "failed"),
            words if ok else warning,
        )
        for ok, words, warning in good
    ]
    rows, estimation = parts.get("Observed data", []), parts.get("Model and estimation", [])
    chosen = [block for block in estimation if isinstance(block, Facts) and block.title == "settings"]
    body = join(
        tag("ul", checks),
        html(block for block in estimation if block not in chosen),
        details("All settings of the model", html(replace(block, title="") for block in chosen)),
        tag("h3", "Fit and classification"),
        html(parts.get("Fit and classification of the chosen model", [])),
        details("Observed data", html(rows)) if rows else None,
    )
    return Section("trust", "How far to trust it", body, short="Trust")


def _parts(blocks: Sequence[Block]) -> dict[str, list[Block]]:
    """Group the blocks of a summary by the heading above them."""
    parts: dict[str, list[Block]] = {}
    own: list[Block] = []
    for block in blocks:
        if isinstance(block, Heading):
            own = parts.setdefault(block.text, [])
        else:
            own.append(block)
    return parts
