"""Widths of the columns of a table on a terminal, and the split of a wide table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len, chop_cells

GAP = 2
"""Spaces between columns."""

LONGEST_WORD = 24
"""Longer words in columns of words are broken before the table is split."""

NARROWEST = 6
"""Columns of words are never narrower than this, unless their words are short."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table with its width.

    Attributes
    ----------
    position : int
        Position in the table.
    is_text : bool
        Whether it holds words, which may be wrapped, rather than numbers, which may not.
    least : int
        Width below which it should not fall.
    natural : int
        Width of its longest cell.
    width : int
        Width that it is given.
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
    """Return the columns of each table that a table is split into; each starts with the first column.

    Without a width all columns are in one table and have their natural width. Otherwise headings are wrapped
    at words, then columns of words are. If that is not enough, the columns are spread over several tables, or
    the table is wider if it must not be split.

    Parameters
    ----------
    names : sequence of str
        Headings.
    rows : sequence of sequences of str
        Cells.
    n_text : int
        Number of leading columns that hold words.
    width : int, optional
        Width of the terminal.
    is_split : bool
        Whether the table may be split.

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
    # A table that must not be split gets its least width, even beyond that of the terminal.
    width = width if is_split else max(width, _total(columns))
    tables = [_widened(table, width) for table in _split(columns, width)]
    return [[_trimmed(column, names, rows) for column in table] for table in tables]


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
        for part in _parts(word, width) if breaks_words else [word]:
            longer = f"{line} {part}" if line else part
            if cell_len(longer) <= width:
                line = longer
            else:
                lines += [line] if line else []
                line = part
    return [*lines, line]


def _parts(word: str, width: int) -> list[str]:
    """Return a word in pieces that fit into a width."""
    if cell_len(word) <= width:
        return [word]
    # A character may be wider than the column; chop_cells then puts an empty part before it.
    return [part for part in chop_cells(word, width) if part]


def _measured(position: int, name: str, cells: Sequence[str], is_text: bool) -> Column:
    """Return a column with its least and its natural width."""
    longest = max((cell_len(cell) for cell in cells), default=0)
    natural = max(cell_len(name), longest)
    least = max(_longest_word(name), longest)
    if is_text:
        longest_word = max((_longest_word(cell) for cell in (name, *cells)), default=0)
        # Words of moderate length stay whole. Only longer ones, such as paths, are broken in a narrow
        # terminal.
        least = min(natural, max(NARROWEST, min(longest_word, LONGEST_WORD)))
    return Column(position, is_text, max(least, 1), max(natural, 1))


def _longest_word(text: str) -> int:
    return max((cell_len(word) for word in text.split()), default=0)


def _total(columns: Sequence[Column]) -> int:
    """Return the least width of a table."""
    return sum(column.least for column in columns) + GAP * (len(columns) - 1)


def _split(columns: list[Column], width: int) -> list[list[Column]]:
    """Divide columns greedily into tables that fit into the width, each with the first column."""
    if _total(columns) <= width or len(columns) < 3:
        return [columns]
    first, *others = columns
    if first.is_text and first.least > 0.6 * width:
        # The names of the rows are repeated in every part of the table, and must leave room for its columns.
        first = replace(first, least=max(width // 3, NARROWEST))
    tables = [[first, others[0]]]
    for column in others[1:]:
        if _total([*tables[-1], column]) <= width:
            tables[-1].append(column)
        else:
            tables.append([first, column])
    return tables


def _widened(columns: list[Column], width: int) -> list[Column]:
    """Give the remaining width to columns of words, the narrowest first, then to headings of numbers."""
    widths = {column.position: column.least for column in columns}
    room = width - sum(widths.values()) - GAP * (len(columns) - 1)
    texts = sorted((column for column in columns if column.is_text), key=lambda column: column.natural)
    # The table is too wide even at its least: the widest columns of words shrink first, down to NARROWEST.
    for column in reversed(texts):
        less = min(max(-room, 0), max(column.least - NARROWEST, 0))
        widths[column.position] -= less
        room += less
    numbers = [column for column in columns if not column.is_text]
    for group in (texts, numbers):
        for turn, column in enumerate(group):
            # Narrow columns come first and leave what they do not need to wider ones.
            share = max(room, 0) // (len(group) - turn)
            more = min(column.natural - column.least, share)
            widths[column.position] += more
            room -= more
    return [replace(column, width=widths[column.position]) for column in columns]


def _trimmed(column: Column, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Column:
    """Return the column without width that none of its lines uses."""
    lines = wrapped(names[column.position], column.width)
    for row in rows:
        cell = row[column.position]
        lines += wrapped(cell, column.width) if column.is_text else [cell]
    return replace(column, width=max(1, *(cell_len(line) for line in lines)))
