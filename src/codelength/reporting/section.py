"""What all sections share."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..render.markup import Child, Markup, tag


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page.

    Attributes
    ----------
    anchor : str
        Its name in addresses.
    title : str
        Its heading.
    body : Markup
        What follows the heading.
    short : str
        What the table of contents calls it; by default as the heading does.
    is_half : bool
        Whether it may stand beside another half.
    """

    anchor: str
    title: str
    body: Markup
    short: str = ""
    is_half: bool = False

    def element(self) -> Markup:
        """The section with its heading."""
        heading = tag("h2", self.title, id=f"{self.anchor}-title")
        return tag("section", heading, self.body, id=self.anchor, aria_labelledby=f"{self.anchor}-title")


def paragraph(*children: Child, kind: str | None = None) -> Markup:
    """Some sentences."""
    return tag("p", *children, class_=kind)


def hint(*children: Child) -> Markup:
    """Sentences that explain what is shown."""
    return tag("p", *children, class_="hint")


def facts(items: Sequence[tuple[str, Child]]) -> Markup:
    """Short facts, each with its name."""
    pairs = [tag("div", tag("dt", term), tag("dd", fact)) for term, fact in items]
    return tag("dl", pairs, class_="facts")


def figure(drawing: Markup, *caption: Child) -> Markup:
    """A chart and what it shows."""
    return tag("figure", drawing, tag("figcaption", *caption) if caption else None)


def details(summary: Child, *children: Child, kind: str | None = None) -> Markup:
    """Something that is folded away until it is asked for."""
    return tag("details", tag("summary", summary), tag("div", *children, class_="inside"), class_=kind)


def grid(
    names: Sequence[Child],
    rows: Sequence[Sequence[Child]],
    *,
    label: str,
    n_text: int = 1,
    marked: int | None = None,
) -> Markup:
    """A table that scrolls on its own where it is too wide.

    Parameters
    ----------
    names : sequence
        Headings of the columns.
    rows : sequence of sequences
        The cells; the first of each row is its heading.
    label : str
        What the table shows, for those who hear it.
    n_text : int
        How many of the first columns are words; the others are numbers.
    marked : int, optional
        A row that stands out.
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
    return tag("div", table, class_="scroll", role="group", aria_label=label, tabindex="0")
