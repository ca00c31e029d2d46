"""Representation of results: one line, one screen of plain text, or tables in a notebook.

Texts that come from a table are shown, never interpreted: neither control characters by a terminal nor markup
by a browser.
"""

import html
import math
from collections.abc import Callable, Iterable, Sequence

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
        return as_html([Paragraph(self._title(), strong=True), *self._blocks()])


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
    return "\n".join(line for block in blocks for line in _lines(block))


def as_html(blocks: Iterable[Block]) -> str:
    """Return blocks as HTML, with all texts escaped.

    Examples
    --------
    >>> as_html([Paragraph("a < b")])
    '<div><p>a &lt; b</p></div>'
    """
    return f"<div>{''.join(map(_element, blocks))}</div>"


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


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Return a text filled up with spaces to a width on screen, at its end or at its beginning.

    Parameters
    ----------
    text : str
        Text, which may contain wide characters.
    width : int
        Columns of the screen to fill.
    right : bool
        Align to the right, as numbers are.

    Examples
    --------
    >>> padded("ab", 4), padded("日本", 6, right=True)
    ('ab  ', '  日本')
    """
    space = " " * (width - cells(text))
    return space + text if right else text + space


def cells(text: str) -> int:
    """Return the width of a text on screen; some characters take two columns and others none."""
    # Imported on use: rich takes longer to load than the rest of this module.
    from rich.cells import cell_len

    return cell_len(text)


def _lines(block: Block) -> list[str]:
    """Return the lines of a block as plain text; pictures have none."""
    match block:
        case Heading(text=text) | Paragraph(text=text):
            return [visible(text, 200)]
        case Bullets(items=items):
            return [f"- {visible(item, 100)}" for item in items]
        case Facts(items=items):
            widest = max((cells(visible(name)) for name, _ in items), default=0)
            return [f"{padded(visible(name), widest)}  {visible(value, 100)}" for name, value in items]
        case Grid():
            return _grid_lines(block)
    return []


def _grid_lines(grid: Grid) -> list[str]:
    """Return a grid as aligned columns, words to the left and numbers to the right."""
    if not grid.names:
        return []
    rows = [[visible(cell) for cell in row] for row in (grid.names, *grid.rows[:MAX_ROWS])]
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            padded(cell, width, right=i >= grid.n_text)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return [*([visible(grid.title, 100)] if grid.title else []), *lines, *_rest(grid)]


def _element(block: Block) -> str:
    """Return a block as an HTML element; pictures have none."""
    match block:
        case Heading(text=text):
            return f"<h4>{_safe(text, 200)}</h4>"
        case Paragraph(text=text, strong=strong):
            inner = _safe(text, 200)
            return f"<p>{f'<b>{inner}</b>' if strong else inner}</p>"
        case Bullets(items=items):
            return f"<ul>{''.join(f'<li>{_safe(item, 100)}</li>' for item in items)}</ul>"
        case Facts(items=items):
            return f"<table>{''.join(_row([name, value], 1) for name, value in items)}</table>"
        case Grid():
            caption = f"<caption>{_safe(block.title, 100)}</caption>" if block.title else ""
            head = "".join(f"<th>{_safe(name)}</th>" for name in block.names)
            body = "".join(_row(row, block.n_text) for row in block.rows[:MAX_ROWS])
            rest = "".join(f"<p>{line}</p>" for line in _rest(block))
            return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"
    return ""


def _row(cells: Sequence[str], n_text: int) -> str:
    sides = ("left" if i < n_text else "right" for i in range(len(cells)))
    inner = (
        f'<td style="text-align: {side}">{_safe(cell)}</td>' for side, cell in zip(sides, cells, strict=True)
    )
    return f"<tr>{''.join(inner)}</tr>"


def _rest(grid: Grid) -> list[str]:
    more = len(grid.rows) - MAX_ROWS
    return [f"... {more} more"] if more > 0 else []


def _safe(text: str, most: int = MAX_CHARACTERS) -> str:
    return html.escape(visible(text, most))
