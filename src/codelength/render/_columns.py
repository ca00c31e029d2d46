"""Tables on a terminal: widths of columns, the split of a wide table, and the lines of its parts."""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import chain

from rich.cells import cell_len, chop_cells
from rich.text import Text

GAP = 2
"""Spaces between columns."""

MAX_WORD = 24
"""Longer words in columns of words are broken before the table is split."""

MIN_WIDTH = 6
"""Columns of words are never narrower than this, unless their words are short."""


@dataclass(slots=True)
class Column:
    """A column of a table, at first as wide as its longest cell.

    Attributes
    ----------
    name : str
        Heading.
    cells : sequence of str
        Cells.
    styles : sequence of str
        Style of each cell.
    is_text : bool
        Whether it holds words, which may be wrapped, rather than numbers, which may not.
    least, natural : int
        Width below which it should not fall, and width of its longest cell.
    width : int
        Width that it is given.
    """

    name: str
    cells: Sequence[str]
    styles: Sequence[str]
    is_text: bool
    least: int = field(init=False)
    natural: int = field(init=False)
    width: int = field(init=False)

    def __post_init__(self) -> None:
        longest = max(map(cell_len, self.cells), default=0)
        self.natural = self.width = max(cell_len(self.name), longest, 1)
        self.least = max(_longest_word(self.name), longest, 1)
        if self.is_text:
            longest_word = max(map(_longest_word, (self.name, *self.cells)))
            # Words of moderate length stay whole. Only longer ones, such as paths, are broken in a narrow
            # terminal.
            self.least = min(self.natural, max(MIN_WIDTH, min(longest_word, MAX_WORD)))

    def lines(self, row: int) -> list[str]:
        """Return the lines of a cell."""
        return wrapped(self.cells[row], self.width) if self.is_text else [self.cells[row]]


def fitted(columns: Sequence[Column], width: int | None, *, is_split: bool = True) -> list[list[Column]]:
    """Return the columns of each table that a table is split into; each starts with the first column.

    Without a width all columns are in one table and have their natural width. Otherwise headings are wrapped
    at words, then columns of words are. If that is not enough, the columns are spread over several tables, or
    the table is wider if it must not be split.

    Parameters
    ----------
    columns : sequence of Column
        Columns of the table.
    width : int, optional
        Width of the terminal.
    is_split : bool
        Whether the table may be split.

    Examples
    --------
    >>> cells = {"": "a rule", "accuracy": "0.75", "log score": "-0.5"}
    >>> columns = [Column(name, [cell], [""], name == "") for name, cell in cells.items()]
    >>> [[column.width for column in table] for table in fitted(columns, None)]
    [[6, 8, 9]]
    >>> [[column.width for column in table] for table in fitted(columns, 24)]
    [[6, 8, 5]]
    >>> [[column.name for column in table] for table in fitted(columns, 17)]
    [['', 'accuracy'], ['', 'log score']]
    """
    if width is None:
        return [list(columns)]
    # A table that must not be split gets its least width, even beyond that of the terminal.
    width = width if is_split else max(width, _total(columns))
    tables = _split(columns, width)
    for table in tables:
        _widen(table, width)
    return tables


def table_lines(columns: Sequence[Column], rule: str) -> Iterator[Text]:
    """Yield the heading, a rule of one character (none if it is empty), and the rows of a table."""
    # Headings are aligned at the bottom, so that numbers are directly below them.
    heads = [wrapped(column.name, column.width) for column in columns]
    height = max(map(len, heads), default=0)
    heads = [[""] * (height - len(head)) + head for head in heads]
    yield from _row(columns, heads, ["bold"] * len(columns))
    if rule:
        yield Text(rule * (sum(column.width for column in columns) + GAP * (len(columns) - 1)))
    n_rows = len(columns[0].cells) if columns else 0
    rows = [[column.lines(row) for column in columns] for row in range(n_rows)]
    # Rows of several lines cannot be told apart without an empty line between them.
    is_apart = 2 * sum(max(map(len, row)) > 1 for row in rows) > len(rows)
    for number, row in enumerate(rows):
        if number and is_apart:
            yield Text()
        yield from _row(columns, row, [column.styles[number] for column in columns])


def wrapped(text: str, width: int, *, breaks_words: bool = True) -> list[str]:
    """Return a text in lines of a limited width, broken at words, and within words that are too long.

    Parameters
    ----------
    text : str
        Text to wrap.
    width : int
        Width of a line on screen.
    breaks_words : bool
        Whether a word that is too long is broken; otherwise its line is too long.

    Examples
    --------
    >>> wrapped("one two three", 7)
    ['one two', 'three']
    >>> wrapped("incomprehensible", 7)
    ['incompr', 'ehensib', 'le']
    >>> wrapped("so incomprehensible", 7, breaks_words=False)
    ['so', 'incomprehensible']
    """
    lines: list[str] = []
    line = ""
    for word in text.split():
        is_long = breaks_words and cell_len(word) > width
        # A character may be wider than the column; chop_cells then puts an empty part before it.
        for part in filter(None, chop_cells(word, width)) if is_long else [word]:
            longer = f"{line} {part}" if line else part
            if cell_len(longer) <= width:
                line = longer
            else:
                lines += [line] if line else []
                line = part
    return [*lines, line]


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def _total(columns: Sequence[Column]) -> int:
    """Return the least width of a table."""
    return sum(column.least for column in columns) + GAP * (len(columns) - 1)


def _split(columns: Sequence[Column], width: int) -> list[list[Column]]:
    """Divide columns greedily into tables that fit into the width, each with the first column."""
    if _total(columns) <= width or len(columns) < 3:
        return [list(columns)]
    first, *others = columns
    if first.is_text and first.least > 0.6 * width:
        # The names of the rows are repeated in every part of the table, and must leave room for its columns.
        first.least = max(width // 3, MIN_WIDTH)
    tables = [[first, others[0]]]
    for column in others[1:]:
        if _total([*tables[-1], column]) <= width:
            tables[-1].append(column)
        else:
            tables.append([copy(first), column])
    return tables


def _widen(columns: Sequence[Column], width: int) -> None:
    """Give the remaining width to columns of words, the narrowest first, then to headings of numbers."""
    room = width - _total(columns)
    for column in columns:
        column.width = column.least
    texts = sorted((column for column in columns if column.is_text), key=lambda column: column.natural)
    # The table is too wide even at its least: the widest columns of words shrink first, down to MIN_WIDTH.
    for column in reversed(texts):
        less = min(max(-room, 0), max(column.least - MIN_WIDTH, 0))
        column.width -= less
        room += less
    for group in (texts, [column for column in columns if not column.is_text]):
        for turn, column in enumerate(group):
            # Narrow columns come first and leave what they do not need to wider ones.
            share = max(room, 0) // (len(group) - turn)
            more = min(column.natural - column.least, share)
            column.width += more
            room -= more
    for column in columns:
        # Width that none of its lines uses is given up.
        cells = chain.from_iterable(map(column.lines, range(len(column.cells))))
        column.width = max(1, *map(cell_len, [*wrapped(column.name, column.width), *cells]))


def _row(columns: Sequence[Column], parts: Sequence[list[str]], styles: Sequence[str]) -> Iterator[Text]:
    """Yield the lines of one row, given the lines of each cell."""
    for n in range(max(map(len, parts), default=0)):
        line = Text()
        for number, (column, part, style) in enumerate(zip(columns, parts, styles, strict=True)):
            shown = part[n] if n < len(part) else ""
            space = " " * (column.width - cell_len(shown))
            line.append(" " * GAP if number else "").append("" if column.is_text else space)
            line.append(shown, style).append(space if column.is_text else "")
        # Trailing spaces are invisible, but end up in copied text.
        line.rstrip()
        yield line
