"""How results show themselves: on one line, on one screen of plain text, and as tables in a notebook.

Whatever comes from a table is shown as it is, never obeyed: by a terminal as little as by a browser.
"""

import html
import math
from collections.abc import Callable, Iterable, Sequence

from .blocks import Block, Bullets, Facts, Grid, Heading, Paragraph

MOST_ROWS = 20
"""Rows of a grid that are shown; the others are counted."""

MOST_COLUMNS = 10
"""Columns of a table that are shown."""

MOST_CHARACTERS = 60
"""Characters of a cell that are shown."""


class Shown:
    """A result that has something to show: a line, and blocks.

    ``repr`` gives the line, ``print`` the line and the blocks as text, and a notebook shows them as HTML.
    """

    __slots__ = ()

    def _title(self) -> str:
        """What this is, on one line."""
        raise NotImplementedError

    def _blocks(self) -> list[Block]:
        """What there is to read, on one screen."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{visible(self._title(), 200)}>"

    def __str__(self) -> str:
        return as_text([Paragraph(self._title()), *self._blocks()])

    def _repr_html_(self) -> str:
        return as_html([Paragraph(self._title(), strong=True), *self._blocks()])


def counted(number: float, noun: str) -> str:
    """A number of things.

    Examples
    --------
    >>> counted(1, "row"), counted(2500, "row"), counted(0.5, "row"), counted(2, "class")
    ('1 row', '2,500 rows', '0.5 rows', '2 classes')
    """
    shown = f"{int(number):,}" if number == int(number) else f"{number:g}"
    return f"{shown} {noun}{'' if number == 1 else 'es' if noun.endswith('s') else 's'}"


def nats_and_bits(length: float, n_digits: int = 1) -> str:
    """A code length for people, who think in bits.

    Examples
    --------
    >>> nats_and_bits(10)
    '10.0 nats (14.4 bits)'
    """
    return f"{length:.{n_digits}f} nats ({length / math.log(2):.{n_digits}f} bits)"


def first_rows(columns: Sequence[tuple[str, Callable[[int], str]]], n_rows: int, n_last: int = 0) -> Grid:
    """The first rows of a table, given as names and functions from a row to its cell.

    The first columns are shown and the last ``n_last``, with dots for those between and for further rows.

    Examples
    --------
    >>> first_rows([("size", "s m l".split().__getitem__)], 3).rows
    [['s'], ['m'], ['l']]
    """
    n_first = len(columns) - n_last
    skipped = [("...", lambda row: "...")] if n_first > MOST_COLUMNS else []
    shown = [*columns[: min(n_first, MOST_COLUMNS)], *skipped, *columns[n_first:]]
    rows = [[cell(row) for _, cell in shown] for row in range(min(n_rows, MOST_ROWS - 1))]
    if n_rows >= MOST_ROWS:
        rows.append(["..."] * len(shown))
    return Grid("", [name for name, _ in shown], rows, n_text=0)


def as_text(blocks: Iterable[Block]) -> str:
    """Blocks as plain text.

    Examples
    --------
    >>> print(as_text([Grid("", ["class", "rows"], [["bird", "20"], ["fish", "13"]])]))
    class  rows
    bird     20
    fish     13
    """
    return "\n".join(line for block in blocks for line in _lines(block))


def as_html(blocks: Iterable[Block]) -> str:
    """Blocks as HTML, everything in them escaped.

    Examples
    --------
    >>> as_html([Paragraph("a < b")])
    '<div><p>a &lt; b</p></div>'
    """
    return f"<div>{''.join(map(_element, blocks))}</div>"


def visible(text: str, most: int = MOST_CHARACTERS) -> str:
    """A text on one line, cut where it is long, with a mark for each character that cannot be seen.

    Examples
    --------
    >>> visible("red" + chr(27) + "[31m"), visible("x" * 9, most=8)
    ('red\ufffd[31m', 'xxxx ...')
    """
    flat = " ".join(str(text)[: 4 * most].split())
    seen = "".join(character if character.isprintable() else "\ufffd" for character in flat)
    return seen if len(seen) <= most else f"{seen[: most - 4]} ..."


def padded(text: str, width: int, *, right: bool = False) -> str:
    """A text with spaces after it, or before it, that fill a width on screen.

    Examples
    --------
    >>> padded("ab", 4), padded("日本", 6, right=True)
    ('ab  ', '  日本')
    """
    space = " " * (width - cells(text))
    return space + text if right else text + space


def cells(text: str) -> int:
    """Return the width of a text on screen, where some characters take two places and others none."""
    from rich.cells import cell_len

    return cell_len(text)


def _lines(block: Block) -> list[str]:
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
    if not grid.names:
        return []
    rows = [[visible(cell) for cell in row] for row in (grid.names, *grid.rows[:MOST_ROWS])]
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
            body = "".join(_row(row, block.n_text) for row in block.rows[:MOST_ROWS])
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
    more = len(grid.rows) - MOST_ROWS
    return [f"... {more} more"] if more > 0 else []


def _safe(text: str, most: int = MOST_CHARACTERS) -> str:
    return html.escape(visible(text, most))
