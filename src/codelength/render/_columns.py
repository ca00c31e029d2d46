"""How wide the columns of a table are on a terminal, and over how many tables they are split."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len, chop_cells

GAP = 2
"""Spaces between columns."""

LONGEST_WORD = 24
"""Longer words in columns of words are broken before a column gets a table of its own."""

NARROWEST = 6
"""Columns of words are never narrower than this, unless their words are short."""


@dataclass(frozen=True, slots=True)
class Column:
    """The column at a ``position`` of a table, and how wide it is.

    One that ``is_text`` holds words, which may be wrapped, rather than numbers, which may not. It should not
    be narrower than ``least``; ``natural`` is the width of its longest cell, and ``width`` what it is given.
    """

    position: int
    is_text: bool
    least: int
    natural: int
    width: int = 0


def fitted(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    n_text: int,
    width: int | None,
    *,
    is_split: bool = True,
) -> list[list[Column]]:
    """The columns of each of the tables that a table is split into; all of them start with the first column.

    Without a width all columns are in one table and as wide as they like. Otherwise headings are wrapped at
    words, then columns of words are, and if that is not enough the columns are spread over several tables, or
    the table is wider if it must not be split.

    Examples
    --------
    >>> names, rows = ["", "accuracy", "log score"], [["a rule", "0.75", "-0.5"]]
    >>> [[column.width for column in table] for table in fitted(names, rows, 1, None)]
    [[6, 8, 9]]
    >>> [[column.width for column in table] for table in fitted(names, rows, 1, 24)]
    [[6, 8, 5]]
    >>> [[column.position for column in table] for table in fitted(names, rows, 1, 17)]
    [[0, 1], [0, 2]]
    """
    columns = [_measured(i, name, [row[i] for row in rows], i < n_text) for i, name in enumerate(names)]
    if width is None:
        return [[replace(column, width=column.natural) for column in columns]]
    width = width if is_split else max(width, _total(columns))
    tables = [_widened(table, width) for table in _split(columns, width)]
    return [[_trimmed(column, names, rows) for column in table] for table in tables]


def wrapped(text: str, width: int, *, breaks_words: bool = True) -> list[str]:
    """A text in lines of at most some width, broken at words, and usually within a word that is too long.

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
        for part in _parts(word, width) if breaks_words else [word]:
            longer = f"{line} {part}" if line else part
            if cell_len(longer) <= width:
                line = longer
            else:
                lines += [line] if line else []
                line = part
    return [*lines, line]


def _parts(word: str, width: int) -> list[str]:
    if cell_len(word) <= width:
        return [word]
    # A character may be wider than the column, and then there is a part without any before it.
    return [part for part in chop_cells(word, width) if part]


def _measured(position: int, name: str, cells: Sequence[str], is_text: bool) -> Column:
    longest = max((cell_len(cell) for cell in cells), default=0)
    natural = max(cell_len(name), longest)
    least = max(_longest_word(name), longest)
    if is_text:
        longest_word = max((_longest_word(cell) for cell in (name, *cells)), default=0)
        least = min(natural, max(NARROWEST, min(longest_word, LONGEST_WORD)))
    return Column(position, is_text, max(least, 1), max(natural, 1))


def _longest_word(text: str) -> int:
    return max((cell_len(word) for word in text.split()), default=0)


def _total(columns: Sequence[Column]) -> int:
    return sum(column.least for column in columns) + GAP * (len(columns) - 1)


def _split(columns: list[Column], width: int) -> list[list[Column]]:
    if _total(columns) <= width or len(columns) < 3:
        return [columns]
    first, *others = columns
    if first.is_text and first.least > 0.6 * width:
        # What the rows are called should leave room for what is said about them.
        first = replace(first, least=max(width // 3, NARROWEST))
    tables = [[first, others[0]]]
    for column in others[1:]:
        if _total([*tables[-1], column]) <= width:
            tables[-1].append(column)
        else:
            tables.append([first, column])
    return tables


def _widened(columns: list[Column], width: int) -> list[Column]:
    """Room that is left goes to columns of words, the narrowest first, and then to headings of numbers."""
    widths = {column.position: column.least for column in columns}
    room = width - sum(widths.values()) - GAP * (len(columns) - 1)
    texts = sorted((column for column in columns if column.is_text), key=lambda column: column.natural)
    for column in reversed(texts):
        less = min(max(-room, 0), max(column.least - NARROWEST, 0))
        widths[column.position] -= less
        room += less
    numbers = [column for column in columns if not column.is_text]
    for group in (texts, numbers):
        for turn, column in enumerate(group):
            share = max(room, 0) // (len(group) - turn)
            more = min(column.natural - column.least, share)
            widths[column.position] += more
            room -= more
    return [replace(column, width=widths[column.position]) for column in columns]


def _trimmed(column: Column, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Column:
    """The column without room that no line of it uses."""
    lines = wrapped(names[column.position], column.width)
    for row in rows:
        cell = row[column.position]
        lines += wrapped(cell, column.width) if column.is_text else [cell]
    return replace(column, width=max(1, *(cell_len(line) for line in lines)))
