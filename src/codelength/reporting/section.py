"""Elements that all sections share."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..render.markup import Child, Markup, tag


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page.

    Attributes
    ----------
    anchor : str
        Name of the section in addresses.
    title : str
        Heading.
    body : Markup
        Content below the heading.
    short : str
        Title in the table of contents; by default the heading.
    is_half : bool
        Whether the section may share a row of the page with another half.
    """

    anchor: str
    title: str
    body: Markup
    short: str = ""
    is_half: bool = False

    def element(self) -> Markup:
        """Return the section with its heading."""
        # The heading names the section for screen readers, hence its own identifier.
        heading = tag("h2", self.title, id=f"{self.anchor}-title")
        return tag("section", heading, self.body, id=self.anchor, aria_labelledby=f"{self.anchor}-title")


def paragraph(*children: Child, kind: str | None = None) -> Markup:
    """Return a paragraph."""
    return tag("p", *children, class_=kind)


def hint(*children: Child) -> Markup:
    """Return a paragraph in small print that explains a figure."""
    return tag("p", *children, class_="hint")


def facts(items: Sequence[tuple[str, Child]]) -> Markup:
    """Return a list of named facts."""
    pairs = [tag("div", tag("dt", term), tag("dd", fact)) for term, fact in items]
    return tag("dl", pairs, class_="facts")


def figure(drawing: Markup, *caption: Child) -> Markup:
    """Return a chart with its caption."""
    return tag("figure", drawing, tag("figcaption", *caption) if caption else None)


def details(summary: Child, *children: Child, kind: str | None = None) -> Markup:
    """Return content that is folded until the reader opens it.

    Parameters
    ----------
    summary : child
        Line that is always shown.
    *children
        Content that is folded.
    kind : str, optional
        Class of the style sheet.
    """
    return tag("details", tag("summary", summary), tag("div", *children, class_="inside"), class_=kind)


def grid(
    names: Sequence[Child],
    rows: Sequence[Sequence[Child]],
    *,
    label: str,
    n_text: int = 1,
    marked: int | None = None,
) -> Markup:
    """Return a table that scrolls on its own if it is too wide.

    Parameters
    ----------
    names : sequence
        Headings of the columns.
    rows : sequence of sequences
        The cells; the first of each row is its heading.
    label : str
        Title of the table for screen readers.
    n_text : int
        Number of leading columns that hold words; the others hold numbers.
    marked : int, optional
        Number of a row that is highlighted.
    """

    def side(n: int) -> str | None:
        return None if n < n_text else "n"

    head = [tag("th", name, scope="col", class_=side(n)) for n, name in enumerate(names)]
    body = [
        tag(
            "tr",
            tag("th", row[0], scope="row") if row else None,
            [tag("td", cell, class_=side(n)) for n, cell in enumerate(row[1:], 1)],
            class_="marked" if number == marked else None,
        )
        for number, row in enumerate(rows)
    ]
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", body))
    # A region that scrolls must be focusable, or it cannot be scrolled with a keyboard.
    return tag("div", table, class_="scroll", role="group", aria_label=label, tabindex="0")
