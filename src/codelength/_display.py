"""Representation of results: one line, one screen of plain text, or tables in a notebook.

Texts that come from a table are shown, never interpreted: neither control characters by a terminal nor markup
by a browser.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from .blocks import Block, Bullets, Facts, Grid, Heading, Paragraph

MAX_ROWS = 20
"""Rows of a grid that are shown; the others are counted."""

MAX_COLUMNS = 10
"""Columns of a table that are shown."""

MAX_CHARACTERS = 60
"""Characters of a cell that are shown."""


class Shown:
    """Result with a one-line title and blocks of details.

    ``repr`` gives the title, ``print`` the title and the blocks as text, and a notebook shows both as HTML.
    """

    # A mixin without slots would give a __dict__ to frozen dataclasses with slots.
    __slots__ = ()

    def _title(self) -> str:
        """Return the title, on one line."""
        raise NotImplementedError

    def _blocks(self) -> list[Block]:
        """Return the details as blocks that fit on one screen."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{visible(self._title(), 200)}>"

    def __str__(self) -> str:
        return as_text([Paragraph(self._title()), *self._blocks()])

    def _repr_html_(self) -> str:
        return as_html([Heading(self._title()), *self._blocks()])


def counted(number: float, noun: str) -> str:
    """Return a number with its noun, in the plural if needed.

    Examples
    --------
    >>> counted(1, "row"), counted(2500, "row"), counted(0.5, "row"), counted(2, "class")
    ('1 row', '2,500 rows', '0.5 rows', '2 classes')
    """
    shown = f"{int(number):,}" if number == int(number) else f"{number:g}"
    return f"{shown} {noun}{'' if number == 1 else 'es' if noun.endswith('s') else 's'}"


def nats_and_bits(length: float, n_digits: int = 1) -> str:
    """Return a code length in nats and, for readers, in bits.

    Parameters
    ----------
    length : float
        Code length in nats.
    n_digits : int
        Digits after the decimal point.

    Examples
    --------
    >>> nats_and_bits(10)
    '10.0 nats (14.4 bits)'
    """
    return f"{length:.{n_digits}f} nats ({length / math.log(2):.{n_digits}f} bits)"


def first_rows(columns: Sequence[tuple[str, Callable[[int], str]]], n_rows: int, n_last: int = 0) -> Grid:
    """Return the first rows of a table as a grid.

    The grid has the first columns and the last ``n_last``. Dots stand for columns between them and for
    further rows.

    Parameters
    ----------
    columns : sequence of (str, function)
        Name of each column, and a function from the number of a row to the text of its cell.
    n_rows : int
        Rows of the table.
    n_last : int
        Columns at the end that are always shown, such as the class.

    Examples
    --------
    >>> first_rows([("size", "s m l".split().__getitem__)], 3).rows
    [['s'], ['m'], ['l']]
    """
    n_first = len(columns) - n_last
    skipped = [("...", lambda row: "...")] if n_first > MAX_COLUMNS else []
    shown = [*columns[: min(n_first, MAX_COLUMNS)], *skipped, *columns[n_first:]]
    # Cells are rendered on demand: formatting all rows of a large table to show 20 would take seconds.
    rows = [[cell(row) for _, cell in shown] for row in range(min(n_rows, MAX_ROWS - 1))]
    # One of the rows shown is that of the dots.
    if n_rows >= MAX_ROWS:
        rows.append(["..."] * len(shown))
    return Grid("", [name for name, _ in shown], rows, n_text=0)


def as_text(blocks: Iterable[Block]) -> str:
    """Return blocks as plain text.

    Examples
    --------
    >>> print(as_text([Grid("", ["class", "rows"], [["bird", "20"], ["fish", "13"]])]))
    class  rows
    bird     20
    fish     13
    """
    # Imported on use: rich takes longer to load than the rest of this module.
    from .render.terminal import lines

    return "\n".join(line.plain for line in lines(_cut(blocks), is_compact=True))


def as_html(blocks: Iterable[Block]) -> str:
    """Return blocks as HTML, with all texts escaped.

    Examples
    --------
    >>> as_html([Paragraph("a < b")])
    '<div><p>a &lt; b</p></div>'
    """
    from .render.templates import html

    # Facts as tables, which notebooks set off without a style sheet.
    tables = (Grid("", ["", ""], each.items, 2) if isinstance(each, Facts) else each for each in _cut(blocks))
    return f"<div>{html(tables, below=2)}</div>"


def visible(text: str, most: int = MAX_CHARACTERS) -> str:
    """Return a text on one line, shortened if it is long, with a mark for each unprintable character.

    Parameters
    ----------
    text : str
        Text from anywhere, also from a table.
    most : int
        Most characters of the result.

    Examples
    --------
    >>> visible("red" + chr(27) + "[31m"), visible("x" * 9, most=8)
    ('red\ufffd[31m', 'xxxx ...')
    """
    # Cut before splitting: a cell may hold megabytes, of which 60 characters are shown.
    flat = " ".join(str(text)[: 4 * most].split())
    seen = "".join(character if character.isprintable() else "\ufffd" for character in flat)
    return seen if len(seen) <= most else f"{seen[: most - 4]} ..."


def _cut(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks with texts and grids shortened, so that they fit on one screen."""
    for block in blocks:
        match block:
            case Heading(text=text) | Paragraph(text=text):
                yield replace(block, text=visible(text, 200))
            case Bullets(items=items):
                yield Bullets([visible(item, 100) for item in items])
            case Facts(items=items):
                yield Facts([(visible(name), visible(fact, 100)) for name, fact in items])
            case Grid(names=names, rows=rows) if names:
                shown = [[visible(cell) for cell in row] for row in (names, *rows[:MAX_ROWS])]
                yield Grid(visible(block.title, 100), shown[0], shown[1:], block.n_text)
                if len(rows) > MAX_ROWS:
                    yield Paragraph(f"... {len(rows) - MAX_ROWS} more")
