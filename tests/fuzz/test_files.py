"""Hostile and damaged files: the right rows or an error of ours, never fewer rows in silence."""

import gzip
import io
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from codelength import read_table
from codelength.errors import CodelengthError
from codelength.sources import as_table
from codelength.sources.readers import read_batches
from codelength.table import infer_schema

from .harness import LONGEST_MESSAGE, Fault, attempts
from .slow_files import NotATable, arff_n_rows, csv_rows, json_rows

LONGER_THAN_CSV = 131_073
"""Characters that a field of Python's csv module cannot have by default."""


def test_hostile_csv_files(tmp_path):
    attempts("csv files", CsvFiles(tmp_path), range(130)).check()


def test_damaged_files(tmp_path):
    attempts("damaged files", DamagedFiles(tmp_path), range(200)).check()


@pytest.mark.long
def test_many_hostile_csv_files(tmp_path):
    attempts("csv files", CsvFiles(tmp_path), range(3000)).check()


@pytest.mark.long
def test_many_damaged_files(tmp_path):
    attempts("damaged files", DamagedFiles(tmp_path), range(2000)).check()


class CsvFiles:
    """Write a CSV file and hold what is read against a slow reader."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __call__(self, rng: Random) -> None:
        content = csv_content(rng)
        path = self.directory / rng.choice(("table.csv", "table.csv.gz", "table.tsv", "TABLE.CSV"))
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
        try:
            names, rows = csv_rows(content)
        except NotATable as reason:
            names, rows = [], []
            why = str(reason)
        else:
            why = "" if rows else "no rows"
        table = read_table(path, kinds=dict.fromkeys(names, "text"), na=())
        if why:
            raise Fault("silent difference", f"read in spite of {why}: {content[:300]!r} as {table.names}")
        found = [list(row) for row in zip(*(column.cells.tolist() for column in table.columns), strict=True)]
        if list(table.names) != names or found != rows:
            different = [(i, a, b) for i, (a, b) in enumerate(zip(found, rows, strict=False)) if a != b][:1]
            told = f"{len(found)} rows for {len(rows)}, {different!r:.300}, {content[:300]!r}"
            raise Fault("silent difference", told)
        check_types(path, names, rows)


def check_types(path: Path, names: list[str], rows: list[list[Any]]) -> None:
    """Cells that the reader takes for numbers and truth values are those that spell them."""
    read = read_table(path, na=())
    batches = [table for table, _ in read_batches(path, 7, na=())] if len(rows) < 100 else [read]
    for name in names:
        whole, parts = read.column(name).cells, [batch.column(name).cells for batch in batches]
        check_cells(name, np.concatenate(parts), whole)
    for i, name in enumerate(names):
        texts = [row[i] for row in rows]
        for text, cell in zip(texts, read.column(name).cells.tolist(), strict=True):
            if not spells(text, cell):
                raise Fault("silent difference", f"column {name!r}: {text!r:.100} is read as {cell!r:.100}")


def spells(text: str | None, cell: Any) -> bool:
    """Whether a cell is what a text says, as text, a number, a truth value or a time."""
    if text is None or text.strip().lower().lstrip("+-") == "nan":
        return cell is None or cell != cell or cell == text
    if isinstance(cell, bool):
        return text.strip().lower() == str(cell).lower()
    if isinstance(cell, int):
        return cell == (int(text) if text.strip().lstrip("+-").isdigit() else float(text))
    if isinstance(cell, float):
        return cell == float(text)
    return cell == text or text[:1].isdigit() or text[:1] == "-"


FIELDS = (
    *(
        "a",
        "b",
        "red",
        "",
        "",
        " ",
        " a",
        "a ",
        "1",
        "2",
        "-1",
        "1.5",
        "1e5",
        "nan",
        "NaN",
        "true",
        "FALSE",
        "NA",
        "?",
    ),
    *(
        "9007199254740993",
        "18446744073709551616",
        "1" * 400,
        "+-1",
        "nan(1)",
        "1_000",
        "0x10",
        "inf",
        "é",
        "🙂",
    ),
    *(
        "a\x00b",
        "\x00",
        "\x1b[2J",
        "\u2028",
        "\x85",
        "\ufeff",
        "2020-01-31",
        "12:30:00",
        "'",
        "\\",
        '\\"',
        "#",
        "//",
    ),
)
QUOTED = (*FIELDS, 'a""b', '""', "a,b", "a;b", "a\tb", "a|b", "a\nb", "a\r\nb", "a\rb", "\n")
BROKEN = ('"', 'a"b', '"a"b', '"a', ' "a"', '"a" ', '""a', "a,b", '"a"\x00')


def csv_content(rng: Random) -> bytes:
    """The bytes of a CSV file, most of which can be read."""
    delimiter = rng.choice((",", ",", ";", "\t", "|"))
    end = rng.choice(("\n", "\n", "\r\n", "\r"))
    n_columns = rng.choice((1, 2, 2, 3, 5))
    quotes = rng.choice((0.0, 0.2, 1.0))
    broken = rng.choice((0.0, 0.0, 0.0, 0.03))
    names = rng.sample(("a", "b", "c", "größe", "x y", "1", "A", '"q"', '"a,b"', '"n\nn"'), n_columns)
    if rng.random() < 0.02:
        names[0] = ""
    lines = [delimiter.join(names if rng.random() < 0.9 else [f"c{i}" for i in range(n_columns)])]
    few = [field(rng, quotes, broken, delimiter) for _ in range(4)]
    for _ in range(rng.choice((0, 1, 2, 5, 20, 20, 1200 if rng.random() < 0.05 else 10))):
        fields = [
            rng.choice(few) if rng.random() < 0.5 else field(rng, quotes, broken, delimiter) for _ in names
        ]
        if rng.random() < broken:
            fields = rng.choice((fields[1:], [*fields, ""], [*fields, "x"], []))
        lines.append(delimiter.join(fields))
    if rng.random() < 0.1:
        at = rng.randrange(len(lines) + 1)
        lines.insert(
            at, rng.choice(("", " ", delimiter, "x" * LONGER_THAN_CSV, '"' + "y" * LONGER_THAN_CSV + '"'))
        )
    ends = [end if rng.random() > broken else rng.choice(("\n", "\r\n", "\r")) for _ in lines]
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    if rng.random() < 0.3:
        text = text.rstrip("\r\n")
    content = (b"\xef\xbb\xbf" if rng.random() < 0.1 else b"") + text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.05:
        content = rng.choice(
            (content.decode().encode("utf-16"), content.decode("utf-8").encode("latin-1", "replace"))
        )
    return damaged(rng, content) if rng.random() < 0.05 else content


def field(rng: Random, quotes: float, broken: float, delimiter: str) -> str:
    """One field of a CSV file as it stands there."""
    if rng.random() < broken:
        return rng.choice(BROKEN)
    if rng.random() < 0.002:
        return "z" * LONGER_THAN_CSV
    return f'"{rng.choice(QUOTED)}"'.replace('\\"', '\\""') if rng.random() < quotes else plain(rng)


def plain(rng: Random) -> str:
    return rng.choice(FIELDS).replace('"', "")


def damaged(rng: Random, content: bytes) -> bytes:
    """Bytes changed, cut off, doubled or lost."""
    if len(content) < 2:
        return content
    at, to = sorted(rng.sample(range(len(content)), 2))
    changes = (
        content[:at],
        content[:at] + content[to:],
        content[:to] + content[at:],
        content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :],
        content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :],
        content[:at] + b"\x00" * (to - at) + content[to:],
        content[:at] + rng.randbytes(3) + content[at:],
    )
    return rng.choice(changes)


class DamagedFiles:
    """Damage a file of a format with types, and see what is read of it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __call__(self, rng: Random) -> None:
        rng.choice((self.parquet, self.json, self.json, self.arff, self.gzip))(rng)

    def parquet(self, rng: Random) -> None:
        """Never another number of rows than the file says it has."""
        table = pl.DataFrame(columns_of(rng), strict=False)
        buffer = io.BytesIO()
        kind = rng.choice(("none", "snappy", "zstd"))
        pq.write_table(table.to_arrow(), buffer, compression=kind, row_group_size=rng.choice((1, 7, 100)))
        path = self.directory / "table.parquet"
        path.write_bytes(damaged(rng, buffer.getvalue()))
        read = read_table(path, na=())
        infer_schema(read)
        try:
            said = pq.read_metadata(path).num_rows
        except (pa.ArrowException, OSError):
            said = table.height
        if read.n_rows not in (said, table.height):
            raise Fault("silent difference", f"{read.n_rows} rows of {table.height}, the file says {said}")

    def json(self, rng: Random) -> None:
        """The cells that Python's own reader finds."""
        lines = rng.random() < 0.5
        columns = columns_of(rng)
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        rows = [{k: v for k, v in row.items() if v is not None or rng.random() < 0.5} for row in rows]
        text = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows, indent=rng.choice((None, 1)))
        content = text.encode()
        content = damaged(rng, content) if rng.random() < 0.7 else content
        path = self.directory / ("table.jsonl" if lines else "table.json")
        path.write_bytes(content)
        read = read_table(path, na=())
        try:
            expected = json_rows(content, lines=lines)
        except NotATable as reason:
            raise Fault("silent difference", f"read in spite of {reason}: {content[:300]!r}") from None
        names = list(dict.fromkeys(name for row in expected for name in row))
        try:
            known = as_table({name: [row.get(name) for row in expected] for name in names})
        except CodelengthError:
            known = None
        if known is None or read.n_rows != len(expected) or set(read.names) != set(names):
            raise Fault("silent difference", f"{read.names}, {read.n_rows} rows: {content[:300]!r}")
        for name in names:
            check_cells(name, read.column(name).cells, known.column(name).cells)

    def arff(self, rng: Random) -> None:
        """As many rows as there are lines that are no comments."""
        lines = [
            "@relation r",
            "@attribute a {red, 'light blue', b%c}",
            "@attribute b numeric",
            "@attribute c string",
            "@data",
        ]
        for _ in range(rng.randrange(1, 20)):
            fields = (
                ("red", "'light blue'", "b%c", "?"),
                ("1", "2.5", "?"),
                ("x", r"'it\'s'", '"q"', "?", "% x"),
            )
            lines.append(",".join(map(rng.choice, fields)))
        content = ("\r\n" if rng.random() < 0.3 else "\n").join(lines).encode()
        content = damaged(rng, content) if rng.random() < 0.8 else content
        path = self.directory / "table.arff"
        path.write_bytes(content)
        read = read_table(path, na=())
        infer_schema(read)
        if read.n_rows != arff_n_rows(content):
            raise Fault(
                "silent difference", f"{read.n_rows} rows for {arff_n_rows(content)}: {content[-300:]!r}"
            )

    def gzip(self, rng: Random) -> None:
        """A compressed file has a checksum, so nothing but the whole of it may be read."""
        text = "a,b\n" + "".join(f"{i},{rng.choice('xyz')}\n" for i in range(rng.choice((1, 50, 5000))))
        path = self.directory / "table.csv.gz"
        whole = gzip.compress(text.encode(), mtime=0)
        path.write_bytes(damaged(rng, whole))
        read = read_table(path, na=())
        if read.n_rows != text.count("\n") - 1 and path.read_bytes() != whole:
            raise Fault(
                "silent difference", f"{read.n_rows} rows of {text.count(chr(10)) - 1} in a damaged file"
            )


def columns_of(rng: Random) -> dict[str, list[Any]]:
    """Columns that every format can hold."""
    n_rows = rng.randrange(1, 30)
    pools: tuple[tuple[Any, ...], ...] = (
        ("red", "blue", "grün", None),
        (1, 2, 3, None),
        (0.5, 1.5, None),
        (True, False),
        (2**53 + 1, 2**53),
        ("2020-01-31", "2020-02-01"),
        ("", "a"),
    )
    names = rng.sample(("a", "b", "größe", "x y"), rng.randrange(1, 4))
    return {name: [rng.choice(pool) for _ in range(n_rows)] for name in names for pool in [rng.choice(pools)]}


def check_cells(name: str, found: Any, expected: Any) -> None:
    """Two columns hold the same."""
    one, two = (
        ["missing" if cell is None or cell != cell else cell for cell in c.tolist()]
        for c in (found, expected)
    )
    kinds = [
        [type(cell) for cell in cells if not isinstance(cell, (int, float)) or isinstance(cell, bool)]
        for cells in (one, two)
    ]
    if one != two or kinds[0] != kinds[1]:
        differing = [(a, b) for a, b in zip(one, two, strict=False) if a != b or type(a) is not type(b)][:3]
        raise Fault("silent difference", f"column {name!r}: {differing!r:.300}")


def test_huge_last_lines_are_not_dropped(tmp_path):
    """What a buffer of the reader cannot hold is refused, or read."""
    path = tmp_path / "table.csv"
    for tail in (
        "a" * (40 << 20),
        '"' + "a" * (40 << 20),
        "a," + "b" * (40 << 20),
        "k" * 200_000 + ",p\n1,q,,",
    ):
        path.write_text("x,y\n1,p\n2,q\n" + tail)
        try:
            table = read_table(path, na=())
        except CodelengthError as error:
            assert len(str(error)) <= LONGEST_MESSAGE  # noqa: PT017
        else:
            assert table.n_rows == 3
            assert np.all([not column.missing.any() for column in table.columns])
