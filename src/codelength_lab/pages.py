"""Results of experiments in files, on a terminal, and as generated parts of pages of the documentation.

``write`` and ``read`` are inverse, except for rounding and learning curves of pairs: short results are in
``results.json``; scores, curves and long tables have CSV files of their own. A generated part stands between
``<!-- table: name -->`` and ``<!-- end -->``; the prose around it is written by hand.
``python -m codelength_lab docs`` fills in all parts from the results in ``docs/results``.
"""

import csv
import importlib.util
import io
import json
import math
import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from codelength import datasets
from codelength._files import atomic_write
from codelength.blocks import Grid, Picture, Strong
from codelength.errors import CodelengthWarning, DataError
from codelength.render.markdown import escaped, markdown

from .claims import VERDICTS, Claim
from .figures import FIGURES, draw
from .findings import SCORES, Comparison, Curve, Findings, ResultTable, Row
from .page_blocks import blocks_of as blocks_of
from .published import judged
from .registry import EXPERIMENTS, PUBLISHED

_PART = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_CURVE_COLUMNS = ("mean", "standard_error", "lowest", "highest")
_COMPARED = (
    *("table", "row", "column", "printed", "ours", "difference", "standard_error"),
    *("slack", "rounding", "noise", "tolerance", "matches", "reason"),
)


def save(findings: Findings, directory: str | os.PathLike[str]) -> list[Path]:
    """Write findings as JSON and CSV, and draw the figures of their experiment if matplotlib is installed.

    The directory is created if it does not exist, and a warning says if figures cannot be drawn.
    """
    try:
        Path(directory).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{directory}: cannot be made: {error.strerror}") from error
    paths = write(findings, directory)
    if findings.experiment in FIGURES and importlib.util.find_spec("matplotlib") is None:
        warnings.warn(
            'no figures were drawn: they need matplotlib; install it with pip install "codelength[plot]"',
            CodelengthWarning,
            stacklevel=2,
        )
        return paths
    return [*paths, *draw(findings, directory)]


def write(findings: Findings, directory: str | os.PathLike[str]) -> list[Path]:
    """Write ``results.json``, ``comparison.csv``, and a file for each other kind of results.

    The directory exists. Each file is whole or absent, and its bytes depend on the findings alone.
    """
    compared = [{name: getattr(entry, name) for name in _COMPARED} for entry in findings.comparisons]
    tables = {"scores": findings.scores, "versus": findings.versus, "curves": _curve_rows(findings.curves)}
    tables |= {table.name: table.rows for table in findings.tables}
    document = json.dumps(as_document(findings), ensure_ascii=False, indent=1, allow_nan=False)
    made = {"results.json": f"{document}\n", "comparison.csv": _csv(compared, _COMPARED)}
    for name, rows in tables.items():
        if rows:
            made[f"{name}.csv"] = _csv(rows, digits=5 if name == "curves" else 8)
    paths = [Path(directory) / name for name in made]
    for path, text in zip(paths, made.values(), strict=True):
        _write_text(path, text)
    return paths


def _write_text(path: Path, text: str) -> None:
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def read(directory: str | os.PathLike[str]) -> Findings:
    """Read the findings that :func:`write` wrote, without learning curves of pairs of models.

    Figures are judged again, by the current tolerances of the printed ones.

    Raises
    ------
    DataError
        If there are no results, or they cannot be read.
    """
    place = Path(directory)
    try:
        document = json.loads((place / "results.json").read_text(encoding="utf-8"))
        experiment, tables = document.pop("paper"), document.get("tables", ())
        document |= {
            # Tolerances may have changed since the results were computed.
            "comparisons": [judged(experiment, _comparison(entry)) for entry in document["comparisons"]],
            "claims": [Claim(**entry) for entry in document["claims"]],
            # The rows of long tables are in files of their own.
            "tables": [_result_table(place, entry) for entry in tables],
        }
        names = [name for name in ("scores", "versus", "curves") if (place / f"{name}.csv").exists()]
        found: dict[str, Any] = {name: read_rows(place / f"{name}.csv") for name in names}
        found["curves"] = _curves(found.get("curves", []))
        return Findings(experiment, **document, **found)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{place}: holds no results that can be read ({error}); run codelength reproduce again"
        ) from error


def _result_table(place: Path, entry: dict[str, Any]) -> ResultTable:
    table = ResultTable(**entry)
    return table if table.shown else replace(table, rows=read_rows(place / f"{table.name}.csv"))


def as_document(findings: Findings) -> dict[str, Any]:
    """Return findings as JSON types, without scores, curves and long tables."""
    names = ("title", "citation", "quick", "settings", "changed", "notes")
    document: dict[str, Any] = {"paper": findings.experiment} | {
        name: getattr(findings, name) for name in names
    }
    document["comparisons"] = [_comparison_document(comparison) for comparison in findings.comparisons]
    document["claims"] = [asdict(claim) for claim in findings.claims]
    if findings.tables:
        document["tables"] = [
            asdict(replace(table, rows=[_json_row(row) for row in table.rows] if table.shown else []))
            for table in findings.tables
        ]
    return document


def _comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as JSON types, with its derived figures for other readers."""
    # Rounded before the difference is taken, so that findings that were read are written unchanged.
    printed, ours = (float(f"{value:.9g}") for value in (comparison.printed, comparison.ours))
    rounded = replace(comparison, printed=printed, ours=ours)
    return _json_row(asdict(rounded)) | {
        "difference": _json_number(rounded.difference),
        "tolerance": _json_number(rounded.tolerance),
        "matches": comparison.matches,
    }


def _comparison(entry: dict[str, Any]) -> Comparison:
    """Return the comparison of a document, without its derived fields; JSON has no NaN but null."""
    values: dict[str, Any] = {field.name: entry[field.name] for field in fields(Comparison)}
    values |= {name: math.nan for name, value in values.items() if value is None}
    return Comparison(**values)


def _json_row(row: Row) -> dict[str, Any]:
    return {name: _json_number(value) for name, value in row.items()}


def _json_number(value: Any) -> Any:
    """Return a number rounded to nine digits; None if JSON cannot express it."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.9g}") if math.isfinite(value) else None


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as a CSV file; the file is whole or absent."""
    _write_text(path, _csv(rows))


def _csv(rows: Sequence[Row], names: Sequence[str] = (), digits: int = 8) -> str:
    """Return rows as CSV with a fixed number of significant digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names or rows[0])
    writer.writerows(
        [f"{cell:.{digits}g}" if isinstance(cell, float) else cell for cell in row.values()] for row in rows
    )
    return text.getvalue()


def read_rows(path: Path) -> list[Row]:
    """Read the rows of a CSV file, with numbers as such and None for empty cells."""
    with open(path, encoding="utf-8", newline="") as file:
        return [{key: _value(text) for key, text in row.items()} for row in csv.DictReader(file)]


def _value(text: str) -> str | int | float | None:
    """Return a cell of a file with its original type."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text or None


def _curve_rows(curves: Iterable[Curve]) -> list[Row]:
    """Return one row for every model and training size; curves of pairs would double the file."""
    by_model: dict[tuple[str, str], list[Curve]] = {}
    for curve in curves:
        if " - " not in curve.model:
            by_model.setdefault((curve.dataset, curve.model), []).append(curve)
    return [
        {"dataset": dataset, "model": model, "n_partitions": own[0].n_partitions, "n_rows": size}
        | {
            f"{curve.score}_{column}": float(getattr(curve, column)[size - 1])
            for curve in own
            for column in _CURVE_COLUMNS
        }
        for (dataset, model), own in by_model.items()
        for size in own[0].sizes.tolist()
    ]


def _curves(rows: Iterable[Row]) -> list[Curve]:
    """Return one learning curve per table, model and score."""
    groups: dict[tuple[str, str, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["dataset"], row["model"], row["n_partitions"]), []).append(row)
    return [
        Curve(
            *(dataset, model, score, n_partitions),
            *(np.array([row[f"{score}_{name}"] for row in own], dtype=float) for name in _CURVE_COLUMNS),
        )
        for (dataset, model, n_partitions), own in groups.items()
        for score in SCORES
    ]


def fill(page: str | os.PathLike[str], parts: Mapping[str, str]) -> bool:
    """Write the generated parts of a page, and return whether it has changed."""
    path = Path(page)
    before = path.read_text(encoding="utf-8")
    after = filled(before, parts)
    if after == before:
        return False
    _write_text(path, after)
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
    return parts | {"papers": _papers([found[key] for key in PUBLISHED if key in found]), "sizes": _sizes()}


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
