"""The ways into a table: one logical table through any library, container or file.

A *kind* of column says how its values are drawn, and in which forms each library holds them without loss. A
*door* makes a table of whole columns. Where a form or a door cannot hold some cells, another is tried.
"""

import csv
import gzip
import io
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from codelength.errors import CodelengthError
from codelength.sources import as_table
from codelength.sources.readers import read_table
from codelength.table import Schema, Table

from .kinds import KINDS, Cells, Unsuitable
from .tables import objects


@dataclass
class Column:
    """Cells of a kind."""

    name: str
    kind: str
    cells: Cells

    def form(self, rng: Random, library: str) -> Any:
        """The cells as a library holds them, in one of the forms that can."""
        forms = KINDS[self.kind].forms.get(library, ())
        for form in rng.sample(forms, len(forms)):
            try:
                return form(self.cells)
            except Exception:  # not this form
                continue
        raise Unsuitable(f"{library} has no form for {self.kind}")


@dataclass
class Logical:
    """A table as it is meant."""

    columns: list[Column]
    target: Column

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.target.cells)

    def labels(self, rng: Random) -> Any:
        """The classes as some library holds them."""
        return self.target.form(rng, rng.choice(("python", "numpy", "pandas", "polars", "arrow")))


def drawn(rng: Random) -> Logical:
    """A logical table at random."""
    n_rows = rng.randrange(2, 25)
    columns = []
    for i in range(rng.choice((1, 1, 2, 3))):
        kind = rng.choice(tuple(KINDS))
        values = [KINDS[kind].draw(rng) for _ in range(rng.choice((1, 2, 3, 5, 30)))]
        gaps = rng.choice((0.0, 0.0, 0.2))
        drawn = [None if rng.random() < gaps else rng.choice(values) for _ in range(n_rows)]
        if all(cell is None for cell in drawn):
            drawn[0] = values[0]
        columns.append(Column(f"c{i}" if rng.random() < 0.9 else f"größe {i}", kind, drawn))
    return Logical(columns, _classes(rng, n_rows))


def _classes(rng: Random, n_rows: int) -> Column:
    """At least two classes of some kind."""
    kind = rng.choice(("words", "words", "small wholes", "wholes", "truths", "dates", "text"))
    values: list[Any] = [KINDS[kind].draw(rng)]
    while len(values) < 2:
        values += [value for value in [KINDS[kind].draw(rng)] if value != values[0]]
    return Column("y", kind, [*(rng.choice(values) for _ in range(n_rows - 2)), *values])


SPELT_MIXED = {"wholes and text": str, "truths and text": str}
"""Kinds that a file cannot hold by itself, but can under the schema of a model."""


# Doors.


def through(rng: Random, door: str, table: Logical, directory: Path, schema: Schema | None = None) -> Table:
    """The table as it comes in through a door; under a schema where it is read to be predicted.

    Raises
    ------
    Unsuitable
        When the door has no place for some cells.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = DOORS[door](rng, table, directory, schema)
            labels = None if schema is not None else table.labels(rng)
        except (CodelengthError, Unsuitable):
            raise
        except Exception as error:  # what libraries raise
            raise Unsuitable(str(error)) from error
    if isinstance(made, Path):
        return as_table(_read(made, table, schema), labels)
    return as_table(made, labels)


def _read(path: Path, table: Logical, schema: Schema | None) -> Table:
    kinds: Any
    if schema is not None:
        named = zip(schema.variables, table.columns, strict=True)
        kinds = Schema([replace(variable, name=column.name) for variable, column in named])
    else:
        kinds = {c.name: KINDS[c.kind].reading for c in table.columns if KINDS[c.kind].reading is not None}
    return read_table(path, kinds=kinds, na=())


def _python(rng: Random, table: Logical, *_: Any) -> Any:
    return {column.name: column.form(rng, "python") for column in table.columns}


def _rows(rng: Random, table: Logical, *_: Any) -> Any:
    columns = [list(column.form(rng, "python")) for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _object_array(rng: Random, table: Logical, *_: Any) -> Any:
    array = np.empty((table.n_rows, len(table.columns)), dtype=object)
    for i, column in enumerate(table.columns):
        array[:, i] = objects(list(column.form(rng, "python")))
    return array


def _arrays(rng: Random, table: Logical, *_: Any) -> Any:
    return {column.name: column.form(rng, "numpy") for column in table.columns}


def _frame(rng: Random, table: Logical, *_: Any) -> Any:
    return pd.DataFrame({column.name: column.form(rng, "pandas") for column in table.columns})


def _polars_frame(rng: Random, table: Logical, *_: Any) -> Any:
    frame = pl.DataFrame({column.name: column.form(rng, "polars") for column in table.columns})
    return frame.lazy() if rng.random() < 0.3 else frame


def _arrow_table(rng: Random, table: Logical, *_: Any) -> Any:
    made = pa.table({column.name: column.form(rng, "arrow") for column in table.columns})
    form = rng.random()
    if form < 0.3 and len(made):
        return made.to_batches()[0]
    return pa.concat_tables([made[:1], made[1:]]) if form < 0.6 else made


def _parquet(rng: Random, table: Logical, directory: Path, schema: Schema | None) -> Path:
    _check_declared(table, schema)
    path = directory / "table.parquet"
    writer = rng.choice(("arrow", "polars", "pandas"))
    if writer == "arrow":
        pq.write_table(pa.table({c.name: c.form(rng, "arrow") for c in table.columns}), path)
    elif writer == "polars":
        pl.DataFrame({c.name: c.form(rng, "polars") for c in table.columns}).write_parquet(path)
    else:
        _frame(rng, table).to_parquet(path)
    return path


def _check_declared(table: Logical, schema: Schema | None) -> None:
    """Most files list the values that their cells have, and declare no others."""
    if schema is None and any(column.kind == "levels" for column in table.columns):
        raise Unsuitable("this file declares no values")


def _spelt(table: Logical, schema: Schema | None) -> list[list[str]]:
    """The cells as a file of text has them; an empty field is missing."""
    columns = []
    for column in table.columns:
        spelt = KINDS[column.kind].spelt or (SPELT_MIXED.get(column.kind) if schema is not None else None)
        if spelt is None:
            raise Unsuitable("not in a file of text")
        written = ["" if cell is None else spelt(cell) for cell in column.cells]
        if any(cell is not None and not text for cell, text in zip(column.cells, written, strict=True)):
            raise Unsuitable("an empty field is missing")
        columns.append(written)
    return [list(row) for row in zip(*columns, strict=True)]


def _csv(rng: Random, table: Logical, directory: Path, schema: Schema | None) -> Path:
    _check_declared(table, schema)
    compressed = rng.random() < 0.3
    path = directory / ("table.csv.gz" if compressed else "table.csv")
    text = io.StringIO()
    writer = csv.writer(
        text,
        delimiter=rng.choice(",;\t|"),
        lineterminator=rng.choice(("\n", "\r\n")),
        quoting=rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
    )
    writer.writerow([column.name for column in table.columns])
    writer.writerows(_spelt(table, schema))
    content = text.getvalue().encode("utf-8-sig" if rng.random() < 0.2 else "utf-8")
    path.write_bytes(gzip.compress(content) if compressed else content)
    return path


def _json(rng: Random, table: Logical, directory: Path, schema: Schema | None) -> Path:
    _check_declared(table, schema)
    lines = rng.random() < 0.5
    path = directory / ("table.jsonl" if lines else "table.json")
    columns = []
    for column in table.columns:
        write = KINDS[column.kind].document
        if write is None:
            raise Unsuitable("not in JSON")
        columns.append([None if cell is None else write(cell) for cell in column.cells])
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    escape = rng.random() < 0.5
    if lines:
        text = "".join(json.dumps(row, ensure_ascii=escape, allow_nan=False) + "\n" for row in rows)
    else:
        text = json.dumps(rows, ensure_ascii=escape, allow_nan=False)
    path.write_text(text, encoding="utf-8")
    return path


def _arff(rng: Random, table: Logical, directory: Path, schema: Schema | None) -> Path:
    path = directory / "table.arff"
    lines = ["@relation fuzz"]
    for column in table.columns:
        attribute = KINDS[column.kind].attribute
        if attribute is None:
            raise Unsuitable("not in ARFF")
        lines.append(f"@attribute {_arff_quoted(column.name)} {attribute}")
    lines.append("@data")
    quoted = [KINDS[column.kind].attribute == "string" for column in table.columns]
    for row, spelt in zip(
        zip(*(column.cells for column in table.columns), strict=True), _spelt(table, schema), strict=True
    ):
        fields = zip(row, spelt, quoted, strict=True)
        lines.append(",".join("?" if c is None else _arff_quoted(s) if q else s for c, s, q in fields))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    return path


def _arff_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped.replace(chr(9), chr(92) + 't')}'"


DOORS: dict[str, Callable[..., Any]] = {
    "python": _python,
    "rows": _rows,
    "object array": _object_array,
    "arrays": _arrays,
    "pandas": _frame,
    "polars": _polars_frame,
    "arrow": _arrow_table,
    "parquet": _parquet,
    "csv": _csv,
    "json": _json,
    "arff": _arff,
}
