"""Blocks of a page as data: headings, sentences, lists, tables and pictures.

A page is a list of blocks. Models, commands and reports make blocks; ``codelength.render`` turns
them into terminal output, Markdown, HTML or LaTeX. Texts are plain: renderers escape what they must.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


class Strong(str):
    """Text that is emphasised among its neighbours, such as the best figure of a column."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """Heading of a page or of a part of it.

    Attributes
    ----------
    text : str
        Plain text of the heading.
    level : int
        1 for the title of a page, larger numbers for parts of parts.
    anchor : str
        Name to link to; empty if there is none.
    """

    text: str
    level: int = 2
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences, set as one paragraph; ``strong`` ones are emphasised."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """List of items, numbered or not."""

    items: Sequence[str]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Table of texts under a title.

    Attributes
    ----------
    title : str
        Caption; empty if there is none.
    names : sequence of str
        Names of the columns.
    rows : sequence of sequences of str
        Cells, row by row. Short rows are filled up with empty cells.
    n_text : int
        Number of leading columns that hold words and are aligned left; the others hold numbers.
    """

    title: str
    names: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_text: int = 1

    def __post_init__(self) -> None:
        """Fill short rows with empty cells, so that every grid is rectangular."""
        width = max(len(line) for line in (self.names, *self.rows))
        names, *rows = ([*line, *[""] * (width - len(line))] for line in (self.names, *self.rows))
        # Assignments to fields of a frozen dataclass raise, also in its own initialiser.
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "rows", rows)


@dataclass(frozen=True, slots=True)
class Facts:
    """Named facts, one per line.

    Attributes
    ----------
    items : sequence of (str, str)
        Names and facts.
    title : str
        Heading; empty if there is none.
    """

    items: Sequence[tuple[str, str]]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """Picture in a file; terminals leave it out.

    Attributes
    ----------
    path : str
        Path or address of the file.
    caption : str
        Text below the picture.
    """

    path: str
    caption: str = ""


Block: TypeAlias = Heading | Paragraph | Bullets | Grid | Facts | Picture
