"""Section on reliability: predicted against observed frequencies, with intervals."""

from ....render.markup import Child, Markup, join
from ... import svg
from ...results import Analysis, Reliability
from ...section import Section, details, figure, grid, hint, paragraph
from ...words import counted, name, number, percent

FRAME = svg.Frame(360.0, 340.0, left=46.0, right=12.0, top=12.0, bottom=48.0)


def reliability(analysis: Analysis) -> Section:
    """Return the section."""
    found = analysis.reliability
    if not len(found.promised):
        body = join(paragraph("There are too few rows to tell."))
        return Section(
            "reliability", "Can the probabilities be trusted?", body, short="Reliability", is_half=True
        )
    body = join(
        paragraph(_sentence(found)),
        figure(
            _chart(found),
            f"Rows in groups by what {analysis.best} promised. On the dashed line promises are kept; bars "
            "are 95 % intervals, and larger dots stand for more rows.",
        ),
        details("The figures", _table(found)),
    )
    return Section(
        "reliability", "Can the probabilities be trusted?", body, short="Reliability", is_half=True
    )


def _sentence(found: Reliability) -> str:
    """Describe the share of bins whose interval contains the predicted probability."""
    kept = (found.low <= found.promised) & (found.promised <= found.high)
    n, total = int(kept.sum()), len(kept)
    if n == total:
        return (
            "Yes, as far as these rows tell: in every group, what was promised lies within the interval of "
            "what happened."
        )
    if n == 0:
        return "No: in none of the groups does what was promised lie within the interval of what happened."
    return f"In {n} of {total} groups of rows, what was promised lies within the interval of what happened."


def _chart(found: Reliability) -> Markup:
    """Draw observed against predicted frequencies, with intervals and dots sized by rows."""
    x, y = FRAME.across(0, 1), FRAME.upwards(0, 1)
    most = float(found.n_rows.max()) or 1.0
    children: list[Child] = []
    for mark in (0.0, 0.25, 0.5, 0.75, 1.0):
        words = f"{100 * mark:.0f}"
        children += [*FRAME.rule(y(mark), words), FRAME.below(x(mark), words)]
    children.append(svg.line(x(0), y(0), x(1), y(1), "ideal"))
    for n in range(len(found.promised)):
        at = x(float(found.promised[n]))
        children.append(svg.line(at, y(float(found.low[n])), at, y(float(found.high[n])), "whisker"))
    children.append(
        svg.path(
            [(x(float(p)), y(float(o))) for p, o in zip(found.promised, found.observed, strict=True)], "thin"
        )
    )
    for n in range(len(found.promised)):
        # By the square root, so that the area of a dot is proportional to its rows.
        radius = 3.0 + 4.0 * (float(found.n_rows[n]) / most) ** 0.5
        children.append(svg.dot(x(float(found.promised[n])), y(float(found.observed[n])), radius, "dot"))
    what = "the most probable class" if found.of == "the most probable class" else name(found.of, 20)
    children += FRAME.titles(f"promised probability of {what}, %", "how often it happened, %")
    label = f"Reliability diagram: promised probability of {what} against how often it happened."
    return FRAME.drawing(label, *children)


def _table(found: Reliability) -> Markup:
    """Return the figures of the diagram."""
    rows: list[list[Child]] = [
        [
            percent(float(found.promised[n])),
            percent(float(found.observed[n])),
            f"{number(100 * float(found.low[n]), 1)} to {percent(float(found.high[n]))}",
            counted(float(found.n_rows[n])),
        ]
        for n in range(len(found.promised))
    ]
    names: list[Child] = ["promised", "happened", "95 % interval", "rows"]
    about = found.of if found.of == "the most probable class" else f"the class {name(found.of)}"
    return join(
        grid(names, rows, label="Reliability by group of rows", n_text=0), hint(f"Probabilities of {about}.")
    )
