"""Section on the learning curve: log loss by training rows."""

import math

from ....render.markup import Child, Markup, join
from ... import svg
from ...results import Analysis, Estimate, LearningCurve
from ...section import Section, details, figure, grid, paragraph
from ...words import counted, interval, number

FRAME = svg.Frame(360.0, 340.0, left=52.0, right=14.0, top=14.0, bottom=48.0)
MOST_TICKS = 6


def learning(analysis: Analysis) -> Section:
    """Return the section."""
    curve = analysis.learning_curve
    title = "Would more rows help?"
    if curve is None:
        return Section(
            "learning",
            title,
            paragraph("There are too few rows to tell."),
            short="Learning curve",
            is_half=True,
        )
    body = join(
        paragraph(curve.sentence),
        figure(
            _chart(curve, analysis.prior_bits),
            f"Log loss of {curve.model} on rows it has not seen; the band is a 95 % interval. The dashed "
            "line is what the class costs on its own.",
        ),
        details("The figures", _table(curve)),
    )
    return Section("learning", title, body, short="Learning curve", is_half=True)


def _chart(curve: LearningCurve, prior_bits: float) -> Markup:
    """Draw log loss over training rows on a logarithmic axis, with a band and the class prior."""
    sizes = [max(float(n), 1.0) for n in curve.n_rows]
    x = FRAME.across(math.log(sizes[0]), math.log(sizes[-1]), inset=8)
    # A single size has no range to scale; its point is drawn in the middle.
    if sizes[0] == sizes[-1]:
        x = svg.linear(0, 1, FRAME.centre, FRAME.centre)
    bottom, top = _range(curve, prior_bits)
    y = FRAME.upwards(bottom, top)
    marks = svg.ticks(bottom, top, 6)
    digits = svg.places(marks)
    children: list[Child] = []
    for mark in marks:
        children += FRAME.rule(y(mark), number(mark, digits))
    step = math.ceil(len(sizes) / MOST_TICKS)
    # From the largest size down, so that the last label is never the one left out.
    children += [FRAME.below(x(math.log(size)), counted(size)) for size in sizes[::-1][::step]]
    points = [
        (x(math.log(size)), float(loss), float(low), float(high))
        for size, loss, low, high in zip(sizes, curve.loss_bits, curve.low, curve.high, strict=True)
        if math.isfinite(loss)
    ]
    # Sizes without a standard error have no band, but their points are drawn.
    banded = [point for point in points if math.isfinite(point[2]) and math.isfinite(point[3])]
    if len(banded) > 1:
        edge = [(at, y(high)) for at, _, _, high in banded]
        edge += [(at, y(low)) for at, _, low, _ in reversed(banded)]
        children.append(svg.path(edge, "band", closed=True))
    children.append(svg.line(FRAME.left, y(prior_bits), FRAME.width - FRAME.right, y(prior_bits), "ideal"))
    if len(points) > 1:
        children.append(svg.path([(at, y(loss)) for at, loss, _, _ in points], "curve"))
    children += [svg.dot(at, y(loss), 4.0, "dot") for at, loss, _, _ in points]
    children += FRAME.titles("rows learned from (logarithmic)", "log loss, bits per row")
    label = f"Learning curve: log loss in bits per row against rows learned from. {curve.sentence}"
    return FRAME.drawing(label, *children)


def _range(curve: LearningCurve, prior_bits: float) -> tuple[float, float]:
    """Return the limits of the vertical axis."""
    ends = [float(v) for v in (*curve.low, *curve.high, *curve.loss_bits) if math.isfinite(v)]
    bottom, top = min([*ends, prior_bits]), max([*ends, prior_bits])
    # A flat curve has no range, and the axis needs one.
    margin = 0.06 * (top - bottom) or 0.5
    # Log loss is never negative, so that neither is the axis.
    return max(0.0, bottom - margin), top + margin


def _table(curve: LearningCurve) -> Markup:
    """Return the figures of the curve."""
    rows: list[list[Child]] = [
        [
            counted(float(size)),
            number(float(loss)),
            interval(Estimate(float(loss), math.nan, float(low), float(high))),
        ]
        for size, loss, low, high in zip(curve.n_rows, curve.loss_bits, curve.low, curve.high, strict=True)
    ]
    names: list[Child] = ["rows learned from", "log loss, bits per row", "95 % interval"]
    return grid(names, rows, label="Log loss by rows learned from", n_text=0)
