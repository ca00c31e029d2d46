"""Pages about open questions: written by hand, with generated results between two comments."""

import os
from collections.abc import Iterator
from pathlib import Path

from codelength._files import atomic_write
from codelength.errors import DataError
from codelength.render.markdown import markdown

from .. import EXPERIMENTS
from ..files import read
from .findings import blocks_of
from .validation import pictures

START, END = "<!-- results -->", "<!-- end of results -->"
"""Lines around the generated part."""


def write_questions(docs: str | os.PathLike[str]) -> list[Path]:
    """Put the results into the pages of all open questions that have some, and return the pages written."""
    return list(_written(Path(docs)))


def _written(docs: Path) -> Iterator[Path]:
    """Yield the pages of open questions after writing them."""
    for key, experiment in EXPERIMENTS.items():
        path = docs / f"{key}.md"
        if experiment.page == key and path.exists() and (docs / "results" / key / "results.json").exists():
            page = question_page(path.read_text(encoding="utf-8"), docs / "results" / key)
            with atomic_write(path) as temporary:
                temporary.write_text(page, encoding="utf-8", newline="\n")
            yield path


def question_page(page: str, place: Path) -> str:
    """Return a page with the results of a directory between its comments.

    Parameters
    ----------
    page : str
        Text of the page.
    place : Path
        Directory of results.

    Raises
    ------
    DataError
        If the page lacks the comments.
    """
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise DataError(
            f"the page about {place.name} has no lines {START} and {END}, between which the results go; add "
            "them"
        )
    return f"{before}{START}\n{markdown(blocks_of(read(place), pictures(place))).strip()}\n{END}{after}"
