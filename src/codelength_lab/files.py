"""Files of findings: JSON and CSV, written and read, and figures.

``write`` and ``read`` are inverse, except for rounding and learning curves of pairs. Short results are in
``results.json``; scores, curves and long tables have CSV files of their own.
"""

import csv
import importlib.util
import io
import json
import math
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from codelength._files import atomic_write
from codelength.errors import CodelengthWarning, DataError

from .claims import Claim
from .figures import FIGURES, draw
from .findings import SCORES, Comparison, Curve, Findings, ResultTable, Score, ScoreName, Value, Versus
from .published import judged

T = TypeVar("T")

_CURVE_COLUMNS = ("mean", "standard_error", "lowest", "highest")


def save(findings: Findings, directory: str | os.PathLike[str]) -> list[Path]:
    """Write findings as JSON and CSV, and draw the figures of their paper if matplotlib is installed.

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
    """Write ``results.json``, ``comparison.csv``, and a file for each further kind of results.

    Each file is whole or absent, and its bytes depend on the findings alone.
    """
    made = {
        "results.json": _json(findings),
        "comparison.csv": _comparison_csv(findings.comparisons),
    }
    if findings.scores:
        made["scores.csv"] = _csv_of(findings.scores, Score)
    if findings.versus:
        made["versus.csv"] = _csv_of(findings.versus, Versus)
    if findings.curves:
        made["curves.csv"] = _curves_csv(findings.curves)
    for table in findings.tables:
        made[f"{table.name}.csv"] = _csv(list(table.rows[0]), (list(row.values()) for row in table.rows))
    paths = []
    for name, text in made.items():
        path = Path(directory) / name
        with atomic_write(path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
        paths.append(path)
    return paths


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
        # Tolerances may have changed since the results were computed.
        comparisons = [judged(document["paper"], _comparison(entry)) for entry in document.pop("comparisons")]
        claims = [Claim(**entry) for entry in document.pop("claims")]
        tables = [_result_table(place, entry) for entry in document.pop("tables", ())]
        return Findings(
            document.pop("paper"),
            **document,
            comparisons=comparisons,
            claims=claims,
            tables=tables,
            scores=_read_csv(place / "scores.csv", Score, _types(Score)),
            versus=_read_csv(place / "versus.csv", Versus, _types(Versus)),
            curves=_read_curves(place / "curves.csv"),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{place}: holds no results that can be read ({error}); run codelength reproduce again"
        ) from error


def _result_table(place: Path, entry: dict[str, Any]) -> ResultTable:
    """Read a table; the rows of long ones are in a file of their own."""
    table = ResultTable(**entry)
    if table.shown:
        return table
    with open(place / f"{table.name}.csv", encoding="utf-8", newline="") as file:
        rows = [{name: _value(text) for name, text in row.items()} for row in csv.DictReader(file)]
    return replace(table, rows=rows)


def _value(text: str) -> Value:
    """Return a cell of a file with its original type."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text or None


def as_document(findings: Findings) -> dict[str, Any]:
    """Return findings as JSON types, without scores, curves and long tables."""
    document: dict[str, Any] = {
        "paper": findings.experiment,
        "title": findings.title,
        "citation": findings.citation,
        "quick": findings.quick,
        "settings": findings.settings,
        "changed": findings.changed,
        "notes": findings.notes,
        "comparisons": [_comparison_document(comparison) for comparison in findings.comparisons],
        "claims": [asdict(claim) for claim in findings.claims],
    }
    if findings.tables:
        document["tables"] = [_table_document(table) for table in findings.tables]
    return document


def _table_document(table: ResultTable) -> dict[str, Any]:
    rows = [{name: _json_number(value) for name, value in row.items()} for row in table.rows]
    return asdict(replace(table, rows=[])) | {"rows": rows if table.shown else []}


def _comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as JSON types, with its derived figures for other readers."""
    # Rounded before the difference is taken, so that findings that were read are written unchanged.
    printed, ours = (float(f"{value:.9g}") for value in (comparison.printed, comparison.ours))
    rounded = replace(comparison, printed=printed, ours=ours)
    derived = {
        "difference": rounded.difference,
        "tolerance": rounded.tolerance,
        "matches": comparison.matches,
    }
    document = asdict(rounded) | derived
    return {name: _json_number(value) for name, value in document.items()}


def _json(findings: Findings) -> str:
    return json.dumps(as_document(findings), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _comparison(entry: dict[str, Any]) -> Comparison:
    """Return the comparison of a document, without its derived fields."""
    known = {field.name for field in fields(Comparison)}
    values: dict[str, Any] = {name: value for name, value in entry.items() if name in known}
    # JSON has no NaN: it was written as null.
    values |= {name: math.nan for name, value in values.items() if value is None}
    return Comparison(**values)


def _json_number(value: Any) -> Any:
    """Return a number rounded to nine digits; None if JSON cannot express it."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.9g}") if math.isfinite(value) else None


def _comparison_csv(comparisons: Sequence[Comparison]) -> str:
    names = ["table", "row", "column", "printed", "ours", "difference", "standard_error"]
    names += ["slack", "rounding", "noise", "tolerance", "matches", "reason"]
    return _csv(names, ([getattr(entry, name) for name in names] for entry in comparisons))


def _csv_of(entries: Sequence[Any], kind: type) -> str:
    names = [field.name for field in fields(kind)]
    return _csv(names, ([getattr(entry, name) for name in names] for entry in entries))


def _curves_csv(curves: Sequence[Curve]) -> str:
    """Return one row for every model and training size."""
    names = [f"{score}_{column}" for score in SCORES for column in _CURVE_COLUMNS]
    by_score = {(curve.dataset, curve.model, curve.score): curve for curve in curves}
    rows = []
    for dataset, model in dict.fromkeys((curve.dataset, curve.model) for curve in curves):
        # Curves of differences between two models are not written; they would double the file.
        if " - " in model:
            continue
        pair = [by_score[dataset, model, score] for score in SCORES]
        columns = [getattr(curve, column) for curve in pair for column in _CURVE_COLUMNS]
        rows += [
            [dataset, model, pair[0].n_partitions, size, *(column[size - 1] for column in columns)]
            for size in range(1, len(columns[0]) + 1)
        ]
    return _csv(["dataset", "model", "n_partitions", "n_rows", *names], rows, digits=5)


def _csv(names: Sequence[str], rows: Iterable[Sequence[Any]], digits: int = 8) -> str:
    """Return rows as CSV with a fixed number of significant digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(
        [f"{cell:.{digits}g}" if isinstance(cell, float) else cell for cell in row] for row in rows
    )
    return text.getvalue()


def _read_csv(path: Path, kind: Callable[..., T], types: dict[str, Any]) -> list[T]:
    """Read records from a file; none if it does not exist."""
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return [
            kind(**{name: types[name](text) for name, text in row.items()}) for row in csv.DictReader(file)
        ]


def _types(kind: type) -> dict[str, Any]:
    """Return the types of the fields of a record, which read them from text."""
    return {field.name: field.type for field in fields(kind)}


def _read_curves(path: Path) -> list[Curve]:
    """Read learning curves, one per table, model and score."""
    if not path.exists():
        return []
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            groups.setdefault((row["dataset"], row["model"]), []).append(row)
    return [
        _curve(dataset, model, score, rows) for (dataset, model), rows in groups.items() for score in SCORES
    ]


def _curve(dataset: str, model: str, score: ScoreName, rows: list[dict[str, str]]) -> Curve:
    columns = [np.array([float(row[f"{score}_{column}"]) for row in rows]) for column in _CURVE_COLUMNS]
    return Curve(dataset, model, score, int(rows[0]["n_partitions"]), *columns)
