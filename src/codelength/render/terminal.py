"""Terminal output of blocks.

A line is never wider than the terminal, unless a single number is. Numbers are never broken, nor are the
words above them. Control characters in data are shown as marks, never sent to the terminal. Piped output has
no colour; words are wrapped at 100 columns, and tables are never split, so that every number of a row is on
one line.
"""

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ..blocks import Block, Bullets, Facts, Grid, Heading, Paragraph, Picture, Strong
from . import one_line
from ._columns import GAP, Column, fitted, table_lines, wrapped

PIPED = 100
"""Column at which words are wrapped if the output is not a terminal."""


def show(blocks: Iterable[Block], console: Console | None = None) -> None:
    """Print blocks: within the width of a terminal, and with words wrapped at 100 columns elsewhere.

    Parameters
    ----------
    blocks : iterable of block
        Blocks to print.
    console : Console, optional
        Console to print to; by default standard output.

    Examples
    --------
    >>> from codelength.blocks import Grid
    >>> show([Grid("Scores", ["rule", "log score"], [["evidence", "-0.45"], ["map", "-1.2"]])])
    Scores
    rule      log score
    ───────────────────
    evidence      -0.45
    map            -1.2
    """
    place = Console(highlight=False) if console is None else console
    width = place.width if place.is_terminal else PIPED
    for line in lines(blocks, width, place.encoding, is_split=place.is_terminal):
        # Lines are wrapped already; rich would break them again at its own idea of the width.
        place.print(line, soft_wrap=True)


def lines(
    blocks: Iterable[Block],
    width: int | None = None,
    encoding: str = "utf-8",
    *,
    is_split: bool = True,
    is_compact: bool = False,
) -> Iterator[Text]:
    """Yield the lines of blocks, with an empty line between two blocks but not after a heading.

    Parameters
    ----------
    blocks : iterable of block
        Blocks to lay out; pictures are left out.
    width : int, optional
        Width of a line; None for lines of any length.
    encoding : str
        Encoding of the output, whose missing characters are replaced.
    is_split : bool
        Whether wide tables are split and long words broken.
    is_compact : bool
        Whether empty lines between blocks and rules below headings of tables are left out.
    """
    page = _Page(width, encoding, is_split=is_split, is_compact=is_compact)
    # Pictures are skipped without a trace, so that they do not separate other blocks.
    follows: Block | None = None
    for block in blocks:
        if isinstance(block, Picture):
            continue
        if follows is not None and not (isinstance(follows, Heading) or is_compact):
            yield Text()
        yield from page.of(block)
        follows = block


class _Page:
    """Layout of blocks within a width."""

    def __init__(self, width: int | None, encoding: str, *, is_split: bool, is_compact: bool) -> None:
        # Some terminals report a width of 0 or 1; nothing can be laid out in so few columns.
        self._width = None if width is None else max(width, 8)
        self._is_split = is_split
        self._encoding = encoding
        self._rule = "" if is_compact else "─" if one_line("─", encoding) == "─" else "-"

    def of(self, block: Block) -> Iterator[Text]:
        """Yield the lines of one block."""
        match block:
            case Heading(text=text):
                yield from self._paragraph(text, "bold")
            case Paragraph(text=text, strong=strong):
                yield from self._paragraph(text, "bold" if strong else "")
            case Bullets(items=items, numbered=numbered):
                yield from self._bullets(items, numbered)
            case Facts(items=items, title=title):
                yield from self._facts(items, title)
            case Grid():
                yield from self._grid(block)

    def _plain(self, text: str) -> str:
        return one_line(str(text), self._encoding)

    def _wrapped(self, text: str, taken: int = 0) -> list[str]:
        """Return a text in lines within the width that is left."""
        plain = self._plain(text)
        if self._width is None:
            return [plain]
        # Paths and addresses in piped output stay whole, so that they can be copied.
        return wrapped(plain, max(self._width - taken, 8), breaks_words=self._is_split)

    def _paragraph(self, text: str, style: str) -> Iterator[Text]:
        yield from (Text(line, style) for line in self._wrapped(text))

    def _bullets(self, items: Sequence[str], numbered: bool) -> Iterator[Text]:
        marks = [f"{n}. " if numbered else "- " for n in range(1, len(items) + 1)]
        indent = max((len(mark) for mark in marks), default=0)
        for mark, item in zip(marks, items, strict=True):
            yield from _beside(mark.rjust(indent), indent, self._wrapped(item, indent))

    def _facts(self, items: Sequence[tuple[str, str]], title: str) -> Iterator[Text]:
        """Yield facts next to their names, or below them if the names are too wide."""
        if title:
            yield from self._paragraph(title, "bold")
        names = [self._plain(name) for name, _ in items]
        indent = GAP + max((cell_len(name) for name in names), default=0)
        # Facts next to long names would be squeezed into a few columns.
        if self._width is not None and indent > self._width // 2:
            yield from self._stacked_facts(items)
            return
        for name, (_, fact) in zip(names, items, strict=True):
            mark = name + " " * (indent - cell_len(name))
            yield from _beside(mark, indent, self._wrapped(fact, indent))

    def _stacked_facts(self, items: Sequence[tuple[str, str]]) -> Iterator[Text]:
        """Yield facts below their names, for names that leave no room next to them."""
        for name, fact in items:
            yield from self._paragraph(name, "")
            yield from (Text(f"  {line}") for line in self._wrapped(fact, GAP))

    def _grid(self, grid: Grid) -> Iterator[Text]:
        """Yield a table, in parts if it is too wide."""
        if grid.title:
            yield from self._paragraph(grid.title, "bold")
        columns = [
            Column(
                self._plain(name),
                [self._plain(row[i]) for row in grid.rows],
                ["bold" if isinstance(row[i], Strong) else "" for row in grid.rows],
                i < grid.n_text,
            )
            for i, name in enumerate(grid.names)
        ]
        for number, table in enumerate(fitted(columns, self._width, is_split=self._is_split)):
            if number:
                yield Text()
            yield from table_lines(table, self._rule)


def _beside(mark: str, indent: int, parts: Sequence[str]) -> Iterator[Text]:
    """Yield lines next to a mark, the later ones indented as far."""
    for n, part in enumerate(parts):
        yield Text(((mark if not n else " " * indent) + part).rstrip())
