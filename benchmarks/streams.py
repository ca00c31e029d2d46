"""Tables larger than memory, beside DuckDB: ``python -m benchmarks.streams [rows]``.

The table has 10 columns of text, 8 of whole numbers, 2 of fractions, 3 classes and up to 3 % missing cells.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

from codelength import NaiveBayes
from codelength.counts.stream import learn_counts

from .measure import Ratio, compare, report

N_ROWS = 10_000_000
MOST_MEGABYTES = 1024

_FIT = """
from codelength.counts.stream import learn_counts
learn_counts({path!r}, "y")
# A process inherits the highest figure that resource.getrusage tells from the one that started it.
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def write_table(path: Path, n_rows: int) -> None:
    """Write the table as a Parquet file, in the order of its rows."""
    columns = [f"('value ' || (hash(i, {j}) % {2 + 2 * j})::VARCHAR)" for j in range(1, 11)]
    columns += [f"(hash(i, {j}) % {3 + 7 * (j - 10)})::INTEGER" for j in range(11, 19)]
    columns += [
        f"sqrt(-2 * ln((hash(i, {j}) % 9007199254740991 + 1) / 9007199254740992.0))" for j in (19, 20)
    ]
    cells = [
        f"CASE WHEN hash(i, {100 + j}) % 100 < {j % 4} THEN NULL ELSE {cell} END AS v{j}"
        for j, cell in enumerate(columns)
    ]
    select = (
        f"SELECT {', '.join(cells)}, 'class ' || (hash(i) % 3)::VARCHAR AS y FROM range({n_rows}) AS t(i)"
    )
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 131072)")


def group_bys(path: Path) -> None:
    """What DuckDB takes to count each column within the classes."""
    with duckdb.connect() as connection:
        table = f"read_parquet('{path}')"
        for j in range(18):
            connection.execute(f"SELECT y, v{j}, count(*) FROM {table} GROUP BY ALL").fetchall()
        for j in (18, 19):
            cell = f"CASE WHEN v{j} < 0.5 THEN 0 WHEN v{j} < 1 THEN 1 WHEN v{j} < 1.5 THEN 2 ELSE 3 END"
            connection.execute(f"SELECT y, {cell}, count(*) FROM {table} GROUP BY ALL").fetchall()


def read_csv(path: Path) -> None:
    """What DuckDB takes to read a CSV file into a table."""
    with (
        tempfile.TemporaryDirectory() as directory,
        duckdb.connect(f"{directory}/table.duckdb") as connection,
    ):
        connection.execute(f"CREATE TABLE t AS FROM read_csv('{path}')")


def run_sql(path: Path, sql: str) -> None:
    """What DuckDB takes to predict all rows with an exported statement."""
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW t AS FROM '{path}'")
        for _ in connection.sql(sql).to_arrow_reader(1 << 17):
            pass


def peak_megabytes(path: Path) -> float:
    """Resident memory of a process that fits a table, at its highest."""
    done = subprocess.run(
        [sys.executable, "-c", _FIT.format(path=str(path))], check=True, capture_output=True, text=True
    )
    return int(done.stdout.split()[-1]) / 1024


def memory(path: Path, what: str) -> Ratio:
    """The memory of a whole fit beside the bound."""
    peak = peak_megabytes(path)
    met = peak <= MOST_MEGABYTES
    goal = f"at most {MOST_MEGABYTES} MB"
    return Ratio(what, "the bound", MOST_MEGABYTES, peak, "MB", peak / MOST_MEGABYTES, goal, met)


def run(n_rows: int = N_ROWS, rounds: int = 3) -> list[Ratio]:
    """All ratios for a table of so many rows, and the memory for one five times as large."""
    with tempfile.TemporaryDirectory() as directory:
        path, larger, text = (Path(directory) / name for name in ("t.parquet", "larger.parquet", "t.csv"))
        write_table(path, n_rows)
        with duckdb.connect() as connection:
            connection.execute(f"COPY (FROM '{path}') TO '{text}' (HEADER)")
        counts = learn_counts(path, "y")
        schema, model = counts.schema, NaiveBayes().fit_counts(counts)
        size, peer = f"{n_rows:,} x 20", ("DuckDB group-bys", lambda: group_bys(path))

        def relation() -> object:
            with duckdb.connect() as connection:
                return learn_counts(connection.sql(f"FROM '{path}'"), "y", schema=schema)

        ratios = [
            compare(f"count {size}, DuckDB relation", peer, relation, at_most=1.2, rounds=rounds),
            compare(
                f"count {size}, Parquet file",
                peer,
                lambda: learn_counts(path, "y", schema=schema),
                at_most=0.6,
                rounds=rounds,
            ),
            compare(
                f"fit {size}, Parquet file",
                peer,
                lambda: learn_counts(path, "y"),
                at_most=3,
                rounds=rounds,
            ),
            compare(
                f"fit {size}, CSV file",
                ("DuckDB reading it", lambda: read_csv(text)),
                lambda: learn_counts(text, "y"),
                at_most=2,
                rounds=rounds,
            ),
            compare(
                f"predict {size}, Parquet file",
                ("the exported SQL in DuckDB", lambda: run_sql(path, model.to_sql("t"))),
                lambda: [rows.num_rows for rows in model.predict_table(path)],
                at_most=1,
                rounds=rounds,
            ),
            memory(path, f"peak memory of a fit, {n_rows:,} rows, Parquet"),
            memory(text, f"peak memory of a fit, {n_rows:,} rows, CSV"),
        ]
        text.unlink()
        write_table(larger, 5 * n_rows)
        return [*ratios, memory(larger, f"peak memory of a fit, {5 * n_rows:,} rows, Parquet")]


if __name__ == "__main__":
    report(run(int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS), "streams")
