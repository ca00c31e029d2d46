"""Section on the variables by bits about the class, each with a folded profile of its values.

Order of reading: :func:`variables` (the section), ``_variable`` (one variable and its bar on a common
``_Scale``), :func:`profile` (class probabilities given each value: one bar for two classes, else one bar for
each class).

Depends on :class:`~codelength.reporting.results.VariableFacts`, which ``facts`` computes, and on
:mod:`codelength.reporting.svg`.
"""

import math
from collections.abc import Sequence

import numpy as np

from ....render.markup import Child, Markup, join, tag
from ...results import Analysis, Estimate, TableFacts, ValueProfile, VariableFacts
from ...section import Section, facts, hint, paragraph
from ...svg import places, share, ticks
from ...words import counted, give_or_take, interval, many, name, number

MOST_VARIABLES = 100
"""Variables that are shown; the others are counted."""

MOST_VALUES, FEWEST_VALUES = 24, 2
"""Values of a variable that are shown at most and at least."""

MOST_CHARACTERS = 200_000
"""Characters of all profiles together, which keeps the file small."""

MOST_CLASSES = 7
"""Classes whose probabilities are shown, the most common ones."""


def variables(analysis: Analysis) -> Section:
    """Return the section."""
    # Ignored columns have no bits and are named below the list.
    ranked = [variable for variable in analysis.variables if variable.bits_alone is not None]
    shown = ranked[:MOST_VARIABLES]
    if not shown:
        body = paragraph("There is no column that could say anything about the class.")
        return Section("variables", "Variables by bits about the class", body, short="Variables")
    scale = _Scale.of(shown)
    classes = shown_classes(analysis.table)
    # Shared equally, so that one variable with many values does not use up the space of all others.
    room = MOST_CHARACTERS // len(shown)
    rows = [_variable(analysis.table, variable, scale, classes, room) for variable in shown]
    more = len(ranked) - len(shown)
    rest = None
    if more:
        last = shown[-1].bits_alone
        assert last is not None
        rest = hint(
            f"And {many(more, 'further variable')} with at most {number(last.value)} bits each, which this "
            "page leaves out to stay small."
        )
    body = join(
        paragraph(_first(shown), " Open a variable to see what its values say."),
        _legend(shown),
        scale.axis(),
        tag("div", rows, class_="variables"),
        rest,
        _unranked(analysis),
        hint(
            "Alone: bits per row that a variable saves when it is the only one, each row predicted from all "
            "others. It can be negative: what the variable says is then worth less than learning it costs. "
            "Given the others: bits per row that are lost when it is left out."
        ),
        _prior_marks(analysis.table, classes),
    )
    return Section("variables", "Variables by bits about the class", body, short="Variables")


class _Scale:
    """Common axis of the bars of all variables."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    @classmethod
    def of(cls, shown: Sequence[VariableFacts]) -> "_Scale":
        """Return an axis that covers zero and all finite ends of intervals."""
        ends = [0.0]
        for variable in shown:
            # Infinite ends, of estimates from few rows, would make the axis infinite.
            for estimate in (variable.bits_alone, variable.bits_given_others):
                if estimate is not None:
                    ends += [v for v in (estimate.value, estimate.low, estimate.high) if math.isfinite(v)]
        low, high = min(ends), max(ends)
        return cls(low, high if high > low else low + 1.0)

    def place(self, value: float) -> float:
        """Return the position of a number of bits, from 0 to 1."""
        # A margin on both sides, so that marks at the ends of the axis are not cut off.
        return 0.01 + 0.98 * min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def axis(self) -> Markup:
        """Return the numbers above the bars."""
        marks = ticks(self.low, self.high, 5)
        digits = places(marks)
        drawn = [
            tag(
                "text",
                number(mark, digits),
                x=share(self.place(mark)),
                y="12",
                text_anchor=self._anchor(mark),
            )
            for mark in marks
        ]
        return tag(
            "div",
            tag("span", class_="who"),
            tag("svg", drawn, class_="axis"),
            tag("span", "bits per row", class_="n"),
            class_="variable-axis",
            aria_hidden="true",
        )

    def _anchor(self, mark: float) -> str:
        at = self.place(mark)
        # Labels at the ends of the axis would otherwise stick out of the drawing.
        return "start" if at < 0.05 else "end" if at > 0.95 else "middle"

    def bar(self, variable: VariableFacts) -> Markup:
        """Return the bits alone as a bar with its interval, and given the others as a dot."""
        alone, given = variable.bits_alone, variable.bits_given_others
        assert alone is not None
        zero, at = self.place(0.0), self.place(alone.value)
        left, width = min(zero, at), abs(at - zero)
        children = [
            tag("rect", x=share(left), width=share(width), height="10", y="3", class_="fill"),
            _whisker(self, alone),
            None
            if given is None
            else tag("circle", cx=share(self.place(given.value)), cy="8", r="4", class_="other"),
            tag("line", x1=share(zero), x2=share(zero), y1="0", y2="16", class_="zero"),
        ]
        return tag("svg", children, class_="bar", aria_hidden="true")


def _whisker(scale: _Scale, estimate: Estimate) -> Markup | None:
    if not (math.isfinite(estimate.low) and math.isfinite(estimate.high)):
        return None
    low, high = share(scale.place(estimate.low)), share(scale.place(estimate.high))
    return tag("line", x1=low, x2=high, y1="8", y2="8", class_="whisker")


def _first(shown: Sequence[VariableFacts]) -> list[Child]:
    """Describe the variable with most bits."""
    best = shown[0]
    assert best.bits_alone is not None
    if best.bits_alone.value <= 0:
        return ["No variable alone says anything about the class."]
    return [
        tag("b", name(best.name)),
        f" says most about the class: {number(best.bits_alone.value)} bits per row on its own "
        f"(95 % interval {interval(best.bits_alone)}).",
    ]


def _legend(shown: Sequence[VariableFacts]) -> Markup:
    bar = tag("svg", tag("rect", width="18", height="10", class_="fill"), width="18", height="10")
    dot = tag("svg", tag("circle", cx="6", cy="6", r="4", class_="other"), width="12", height="12")
    line = tag("svg", tag("line", x1="0", x2="18", y1="5", y2="5", class_="whisker"), width="18", height="10")
    has_given = any(variable.bits_given_others is not None for variable in shown)
    return tag(
        "p",
        tag("span", bar, " alone"),
        tag("span", line, " 95 % interval"),
        tag("span", dot, " given the others") if has_given else None,
        class_="legend",
    )


def _variable(
    table: TableFacts, variable: VariableFacts, scale: _Scale, classes: Sequence[int], room: int
) -> Markup:
    """Return a variable: its bar, its figures and its folded profile."""
    alone = variable.bits_alone
    assert alone is not None
    summary = tag(
        "summary",
        tag("span", name(variable.name), class_="who"),
        scale.bar(variable),
        tag("span", give_or_take(alone), class_="n"),
    )
    items: list[tuple[str, Child]] = [
        ("Kind", variable.kind),
        ("Values", counted(variable.n_values)),
        ("Missing", counted(variable.n_missing)),
        ("Alone", f"{number(alone.value)} bits ({interval(alone)})"),
    ]
    given = variable.bits_given_others
    if given is not None:
        items.append(("Given the others", f"{number(given.value)} bits ({interval(given)})"))
    inside = tag(
        "div",
        facts(items),
        hint(_capital(variable.how), ".") if variable.how else None,
        profile(table, variable, classes, room),
        class_="inside",
    )
    return tag("details", summary, inside)


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}".rstrip(".")


def shown_classes(table: TableFacts) -> list[int]:
    """Return the classes whose probabilities are shown: all, or the most common ones, in their own order."""
    n_classes = len(table.classes)
    if n_classes <= MOST_CLASSES:
        return list(range(n_classes))
    return sorted(map(int, np.argsort(-table.class_counts, kind="stable")[:MOST_CLASSES]))


def profile(table: TableFacts, variable: VariableFacts, classes: Sequence[int], room: int) -> Markup | None:
    """Return the class probabilities given each value alone.

    Parameters
    ----------
    table : TableFacts
        The table.
    variable : VariableFacts
        The variable.
    classes : sequence of int
        The classes that are shown.
    room : int
        Characters that the rows may take; the most common values are shown if there are too many.

    Returns
    -------
    Markup or None
        None if there are no values or classes to show.
    """
    if not variable.profile or not classes:
        return None
    is_pair = len(table.classes) == 2
    head = (_pair_head if is_pair else _head)(table, classes)
    rows: dict[int, Markup] = {}
    # Rows are made by frequency, because space may run out, and shown in the order of the variable.
    for n in map(int, np.argsort([-value.n_rows for value in variable.profile], kind="stable")[:MOST_VALUES]):
        row = (_pair_row if is_pair else _row)(variable.profile[n], classes)
        room -= len(row)
        # Two values at least are always shown, or the profile would say nothing.
        if room < 0 and len(rows) >= FEWEST_VALUES:
            break
        rows[n] = row
    more = len(variable.profile) - len(rows)
    told = ["Class probabilities given one value alone, in %; the line marks the class share in all rows."]
    if more:
        told.append(f"The most common values; {counted(more)} others are left out.")
    if len(classes) < len(table.classes):
        told.append(f"The {len(classes)} most common of {len(table.classes)} classes.")
    body = tag("tbody", [rows[n] for n in sorted(rows)])
    return join(
        tag(
            "div",
            tag("table", tag("thead", tag("tr", head)), body, class_="pair" if is_pair else None),
            class_="scroll profile",
            role="group",
            tabindex="0",
            aria_label=f"Class probabilities by value of {name(variable.name)}",
        ),
        hint(" ".join(told)),
    )


def _pair_head(table: TableFacts, classes: Sequence[int]) -> list[Markup]:
    first, second = (name(table.classes[k], 24) for k in classes)
    return [
        tag("th", "value", scope="col"),
        tag("th", "rows", scope="col", class_="n"),
        tag("th", first, scope="col", class_="n"),
        tag("td"),
        tag("th", second, scope="col"),
    ]


def _pair_row(value: ValueProfile, classes: Sequence[int]) -> Markup:
    """Return the row of a value with two classes: one bar from both sides."""
    first, second = (float(value.class_probs[k]) for k in classes)
    bar = tag(
        "svg",
        tag("rect", width="100%", height="10", class_="k1"),
        tag("rect", width=share(first), height="10", class_="k0"),
        # The mark of the class share is the same in every row; a reference is much shorter than a copy.
        tag("use", href="#q0"),
    )
    return tag(
        "tr",
        tag("th", name(value.label, 32), scope="row"),
        tag("td", counted(value.n_rows), class_="n"),
        tag("td", _hundredths(first), class_="n"),
        tag("td", bar),
        tag("td", _hundredths(second)),
    )


def _head(table: TableFacts, classes: Sequence[int]) -> list[Markup]:
    return [
        tag("th", "value", scope="col"),
        tag("th", "rows", scope="col", class_="n"),
        *(tag("th", name(table.classes[k], 24), scope="col") for k in classes),
    ]


def _row(value: ValueProfile, classes: Sequence[int]) -> Markup:
    """Return the row of a value with several classes: one bar each."""
    cells = []
    for k in classes:
        bar = tag("rect", width=share(value.class_probs[k]), height="8")
        cells.append(tag("td", _hundredths(value.class_probs[k]), tag("svg", bar, tag("use", href=f"#q{k}"))))
    label = tag("th", name(value.label, 32), scope="row")
    return tag("tr", label, tag("td", counted(value.n_rows), class_="n"), cells)


def _hundredths(probability: float) -> str:
    return f"{100 * probability:.0f}"


def _prior_marks(table: TableFacts, classes: Sequence[int]) -> Markup:
    """Return the lines that mark the class shares, drawn once and referenced by every bar."""
    total = max(float(table.class_counts.sum()), 1e-300)
    marks = []
    for k in classes:
        at = share(float(table.class_counts[k]) / total)
        marks.append(tag("line", x1=at, x2=at, y1="0", y2="12", class_="prior", id=f"q{k}"))
    return tag("svg", tag("defs", marks), width="0", height="0", class_="defs", aria_hidden="true")


def _unranked(analysis: Analysis) -> Markup | None:
    """Name the columns that were left out; None if there are none."""
    left_out = analysis.table.ignored
    if not left_out:
        return None
    named = ", ".join(name(column) for column, _ in left_out[:12])
    more = len(left_out) - 12
    others = f" and {many(more, 'other')}" if more > 0 else ""
    return hint(f"Left out: {named}{others}. The table above says why.")
