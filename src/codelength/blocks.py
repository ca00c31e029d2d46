"""What people are shown, as data: headings, sentences, lists, tables and pictures.

A page is a list of blocks. Whoever has something to say makes blocks; ``codelength.render`` turns
them into terminal output or Markdown. Texts are plain: renderers escape what they must.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


class Strong(str):
    """A text that stands out among those beside it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the title of a page. An anchor is a name to link to."""

    text: str
    level: int = 2
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences; ``strong`` ones are emphasised."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list, numbered or not."""

    items: Sequence[str]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts under a title; ``names`` name the columns, ``rows`` hold the cells.

    The first ``n_text`` columns are words, the others numbers.
    """

    title: str
    names: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_text: int = 1

    def __post_init__(self) -> None:
        """Fill short lines with empty cells, so that every grid can be shown."""
        width = max(len(line) for line in (self.names, *self.rows))
        names, *rows = ([*line, *[""] * (width - len(line))] for line in (self.names, *self.rows))
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "rows", rows)


@dataclass(frozen=True, slots=True)
class Facts:
    """Short facts, each with its name."""

    items: Sequence[tuple[str, str]]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a file, which a terminal passes over."""

    path: str
    caption: str = ""


Block: TypeAlias = Heading | Paragraph | Bullets | Grid | Facts | Picture
