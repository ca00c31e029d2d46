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
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from codelength._files import atomic_write
from codelength.errors import CodelengthWarning, DataError
from codelength.typing import FloatArray

from .claims import Claim
from .figures import FIGURES, draw
from .findings import SCORES, Comparison, Curve, Findings, ResultTable, Score, Value, Versus
from .published import judged

T = TypeVar("T")

_CURVE_COLUMNS = ("mean", "standard_error", "lowest", "highest")
_COMPARED = (
    *("table", "row", "column", "printed", "ours", "difference", "standard_error"),
    *("slack", "rounding", "noise", "tolerance", "matches", "reason"),
)


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

    The directory exists. Each file is whole or absent, and its bytes depend on the findings alone.
    """
    text = json.dumps(as_document(findings), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    made = {"results.json": text, "comparison.csv": _csv_of(findings.comparisons, _COMPARED)}
    if findings.scores:
        made["scores.csv"] = _csv_of(findings.scores, [field.name for field in fields(Score)])
    if findings.versus:
        made["versus.csv"] = _csv_of(findings.versus, [field.name for field in fields(Versus)])
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
        experiment = document.pop("paper")
        return Findings(
            experiment,
            **document
            | {
                # Tolerances may have changed since the results were computed.
                "comparisons": [judged(experiment, _comparison(entry)) for entry in document["comparisons"]],
                "claims": [Claim(**entry) for entry in document["claims"]],
                "tables": [_result_table(place, entry) for entry in document.get("tables", ())],
            },
            scores=_records(place / "scores.csv", Score),
            versus=_records(place / "versus.csv", Versus),
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
    rows = _rows(place / f"{table.name}.csv")
    return replace(table, rows=[{name: _value(text) for name, text in row.items()} for row in rows])


def _value(text: str) -> Value:
    """Return a cell of a file with its original type."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text or None


def as_document(findings: Findings) -> dict[str, Any]:
    """Return findings as JSON types, without scores, curves and long tables."""
    names = ("title", "citation", "quick", "settings", "changed", "notes")
    document: dict[str, Any] = {"paper": findings.experiment} | {
        name: getattr(findings, name) for name in names
    }
    document["comparisons"] = [_comparison_document(comparison) for comparison in findings.comparisons]
    document["claims"] = [asdict(claim) for claim in findings.claims]
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
    return {name: _json_number(value) for name, value in (asdict(rounded) | derived).items()}


def _comparison(entry: dict[str, Any]) -> Comparison:
    """Return the comparison of a document, without its derived fields; JSON has no NaN but null."""
    values: dict[str, Any] = {field.name: entry[field.name] for field in fields(Comparison)}
    values |= {name: math.nan for name, value in values.items() if value is None}
    return Comparison(**values)


def _json_number(value: Any) -> Any:
    """Return a number rounded to nine digits; None if JSON cannot express it."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.9g}") if math.isfinite(value) else None


def _csv_of(entries: Sequence[Any], names: Sequence[str]) -> str:
    return _csv(names, ([getattr(entry, name) for name in names] for entry in entries))


def _curves_csv(curves: Sequence[Curve]) -> str:
    """Return one row for every model and training size."""
    names = [f"{score}_{column}" for score in SCORES for column in _CURVE_COLUMNS]
    by_score = {(curve.dataset, curve.model, curve.score): curve for curve in curves}
    rows = []
    for dataset, model in dict.fromkeys((curve.dataset, curve.model) for curve in curves):
        # Curves of differences between two models are not written; they would double the file.
        if " - " not in model:
            pair = [by_score[dataset, model, score] for score in SCORES]
            columns = [getattr(curve, column) for curve in pair for column in _CURVE_COLUMNS]
            rows += [
                [dataset, model, pair[0].n_partitions, size, *figures]
                for size, *figures in zip(pair[0].sizes.tolist(), *columns, strict=True)
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


def _rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _records(path: Path, kind: type[T]) -> list[T]:
    """Read records from a file; none if it does not exist."""
    # The types of the fields read them from text.
    types: dict[str, Any] = {field.name: field.type for field in fields(kind)}  # type: ignore[arg-type]
    rows = _rows(path) if path.exists() else []
    return [kind(**{name: types[name](text) for name, text in row.items()}) for row in rows]


def _read_curves(path: Path) -> list[Curve]:
    """Read learning curves, one per table, model and score; none if the file does not exist."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in _rows(path) if path.exists() else []:
        groups.setdefault((row["dataset"], row["model"]), []).append(row)

    def columns(score: str, rows: list[dict[str, str]]) -> list[FloatArray]:
        return [np.array([float(row[f"{score}_{column}"]) for row in rows]) for column in _CURVE_COLUMNS]

    return [
        Curve(dataset, model, score, int(rows[0]["n_partitions"]), *columns(score, rows))
        for (dataset, model), rows in groups.items()
        for score in SCORES
    ]
