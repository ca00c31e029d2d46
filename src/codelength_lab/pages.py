"""Results of experiments as blocks for terminals, and as generated parts of pages of the documentation.

A generated part stands between ``<!-- table: name -->`` and ``<!-- end -->``; the prose around it is written
by hand. ``python -m codelength_lab docs`` fills in all parts from the results in ``docs/results``.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from codelength import datasets
from codelength._files import atomic_write
from codelength.blocks import Grid, Picture, Strong
from codelength.errors import DataError
from codelength.render.markdown import escaped, markdown

from .files import as_document, read, save, write
from .findings import Findings
from .page_blocks import blocks_of
from .registry import EXPERIMENTS, PAPERS
from .verdicts import VERDICTS

__all__ = ["as_document", "blocks_of", "fill", "filled", "parts_of", "read", "save", "write"]

_PART = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: str | os.PathLike[str], parts: Mapping[str, str]) -> bool:
    """Write the generated parts of a page, and return whether it has changed."""
    path = Path(page)
    before = path.read_text(encoding="utf-8")
    after = filled(before, parts)
    if after == before:
        return False
    with atomic_write(path) as temporary:
        temporary.write_text(after, encoding="utf-8", newline="\n")
    return True


def filled(text: str, parts: Mapping[str, str]) -> str:
    r"""Return a page with its generated parts replaced; parts without a new text stay as they are.

    Examples
    --------
    >>> filled("<!-- table: rules -->\nold\n<!-- end -->", {"rules": "new"})
    '<!-- table: rules -->\nnew\n<!-- end -->'
    """
    n_parts = len(_PART.findall(text))
    if not n_parts == text.count("<!-- table: ") == text.count("<!-- end -->"):
        raise DataError("a generated part lacks its line <!-- end -->; add it")
    return _PART.sub(
        lambda found: f"{found[1]}{parts[found[2]]}\n{found[3]}" if found[2] in parts else found[0], text
    )


def parts_of(results: str | os.PathLike[str]) -> dict[str, str]:
    """Return the parts made from a directory of results: one per experiment, and two on all papers.

    Pages that show them lie in the directory.
    """
    places = {key: Path(results) / key for key in EXPERIMENTS}
    found = {key: read(place) for key, place in places.items() if (place / "results.json").exists()}
    parts = {
        key: markdown(blocks_of(findings, _pictures(places[key]))).strip() for key, findings in found.items()
    }
    return parts | {"papers": _papers([found[key] for key in PAPERS if key in found]), "sizes": _sizes()}


def _pictures(place: Path) -> list[Picture]:
    names = sorted(path.name for path in place.glob("*.svg"))
    return [Picture(f"{place.name}/{name}", Path(name).stem) for name in names]


def _papers(found: list[Findings]) -> str:
    """Return the numbers of matching figures and of claims by verdict, paper by paper."""
    names = ["paper", "figures that match", "of these, by rounding and noise alone", "claims", *VERDICTS]
    rows = []
    for findings in found:
        n_figures, verdicts = len(findings.comparisons), findings.verdicts()
        figures = [f"{findings.n_matching} of {n_figures}", str(findings.n_exact)]
        numbers = [sum(verdicts.values()), *verdicts.values()]
        rows.append([findings.title, *(figures if n_figures else ["none printed", ""]), *map(str, numbers)])
    text = markdown([Grid("", names, rows)]).strip()
    for findings in found:
        title = escaped(findings.title)
        text = text.replace(f"| {title} |", f"| [{title}]({findings.experiment}.md) |")
    return text


def _sizes() -> str:
    """Return the sizes of tables that the papers print, with those of the bundled ones."""
    rows = []
    for entry in map(datasets.describe, datasets.names()):
        printed: dict[tuple[int, ...], list[str]] = {}
        for paper, size in entry.quoted.items():
            printed.setdefault(tuple(size), []).append(paper)
        ours = (entry.rows, entry.attributes, entry.classes)
        said = "; ".join(f"{_size(size)} ({', '.join(papers)})" for size, papers in printed.items())
        verdict = "the same" if list(printed) == [ours] else Strong("differs")
        if printed:
            rows.append([entry.name, _size(ours), said, verdict, entry.differs, f"{entry.missing_cells:,}"])
    names = ["table", "ours", "printed", "verdict", "why", "missing cells"]
    return markdown([Grid("", names, rows, n_text=5)]).strip()


def _size(size: tuple[int, ...]) -> str:
    n_rows, n_attributes, n_classes = size
    return f"{n_rows:,} × {n_attributes}, {n_classes} classes"
