"""Cells that engines and models may read differently: large numbers, text that collations make one."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from codelength import NaiveBayes
from codelength.errors import InvalidParameter

DAYS = [datetime(2020, 1, 1) + timedelta(days=i) for i in range(3)]
LARGE = [1_700_000_000_000_000_001 + i for i in range(3)] + [2**53, 2**53 + 1, -(2**63), 2**63 - 1, 5]
NEIGHBOURS = [1_700_000_000_000_000_000, 2**53 + 2, 2**53 - 1, -(2**63) + 1, 6]
FLOATS = [0.5, 2.0**53, 2.0**60, -3.0, 1e300, 1 / 3]
SINGLES = [np.float32(0.1), np.float32(0.7), np.float32(16777216), np.float32(1e20), np.float32(3)]

# Type of the column in each engine, cells to train with, and cells to meet later.
CASES = {
    "bigint": ({"sqlite": "INTEGER", "*": "BIGINT"}, LARGE, NEIGHBOURS),
    "numbers without a type": ({"sqlite": "", "*": "BIGINT"}, LARGE, NEIGHBOURS),
    "numeric": (
        {"duckdb": "HUGEINT", "postgres": "NUMERIC"},
        [2**64, 2**64 + 1, 10**30, -(10**30) - 1, 7],
        [2**64 + 2, 10**30 + 1],
    ),
    "decimal": (
        {"duckdb": "DECIMAL(24, 4)", "postgres": "NUMERIC(24, 4)"},
        [Decimal(2**60), Decimal(2**60 + 1), Decimal("0.1"), Decimal("2.5000"), Decimal(-4)],
        [Decimal(2**60 + 2), Decimal("0.1001")],
    ),
    "small decimal": (
        {"duckdb": "DECIMAL(9, 2)", "postgres": "NUMERIC", "sqlite": "DECIMAL(9, 2)"},
        [Decimal("0.10"), Decimal("2.50"), Decimal(-4)],
        [Decimal("0.11")],
    ),
    "double": ({"sqlite": "REAL", "*": "DOUBLE PRECISION"}, FLOATS, [-0.0, 2.0**53 + 2, 1e299]),
    "single": ({"duckdb": "FLOAT", "postgres": "REAL"}, SINGLES, [np.float32(0.2), np.float32(1e21)]),
    "boolean": ({"*": "BOOLEAN"}, [True, False], []),
    "digits as text": ({"*": "TEXT"}, [str(one) for one in LARGE], [str(one) for one in NEIGHBOURS]),
    "cases": (
        {
            "duckdb": "VARCHAR COLLATE NOCASE",
            "sqlite": "TEXT COLLATE NOCASE",
            "postgres": 'TEXT COLLATE "case blind"',
        },
        ["a", "A", "b"],
        ["B", "c"],
    ),
}
BLIND = (
    "CREATE COLLATION IF NOT EXISTS \"case blind\" (provider = icu, locale = 'und-u-ks-level2', "
    "deterministic = false);"
)


def literal(cell, kind):
    """A cell as SQL, of a type; SQLite takes it as it is."""
    if cell is None:
        return "NULL"
    if kind is not None:
        return f"CAST('{cell}' AS {kind})"
    return str(cell) if isinstance(cell, (int, float, Decimal)) else f"'{cell}'"


def in_duckdb(statements):
    with closing(duckdb.connect()) as connection:
        connection.execute("SET TimeZone = 'Europe/Berlin'")
        return connection.execute(statements).fetchall()


def in_sqlite(statements):
    with closing(sqlite3.connect(":memory:")) as connection:
        *first, last = statements.split(";\n")
        for statement in first:
            connection.execute(statement)
        return connection.execute(last).fetchall()


def predicted(run, dialect, model, cells, kind):
    """Probabilities by the statement of a model, in the order of the cells of a column of some type."""
    plain = None if dialect == "sqlite" else kind.split(" COLLATE")[0]
    rows = ", ".join(f"({i}, {literal(cell, plain)})" for i, cell in enumerate(cells))
    found = run(
        f'CREATE TABLE "my rows" (row_number INTEGER, x {kind});\nINSERT INTO "my rows" VALUES {rows};\n'
        + model.to_sql("my rows", dialect=dialect, keep=["row_number"], name="guess")
    )
    ordered = sorted((int(row[0]), *map(float, row[2:])) for row in found)
    assert [row[0] for row in ordered] == [*range(len(cells))]
    return np.array([row[1:] for row in ordered])


@pytest.fixture(params=["duckdb", "sqlite", "postgres"])
def engine(request):
    """A dialect, and a function that runs statements and gives the rows of the last one."""
    if request.param != "postgres":
        return request.param, in_duckdb if request.param == "duckdb" else in_sqlite
    run = request.getfixturevalue("postgres")
    settings = "SET DateStyle = 'German'; SET TimeZone = 'Europe/Berlin'; DROP TABLE IF EXISTS \"my rows\";"
    return "postgres", lambda text: run(f"{BLIND} {settings} {text};")


def frame_of(cells):
    kind = np.float32 if isinstance(cells[0], np.float32) else None
    return pd.DataFrame({"x": pd.Series(cells, dtype=kind or object)})


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize(("missing", "most_joins"), [("ignore", 60), ("value", 0)])
@pytest.mark.parametrize("case", CASES)
def test_cells_are_what_they_are_to_the_model(case, missing, most_joins, engine, monkeypatch):
    dialect, run = engine
    monkeypatch.setattr("codelength.export.sql.MAX_JOINS", most_joins)
    kinds, known, unknown = CASES[case]
    kind = kinds.get(dialect, kinds.get("*"))
    if kind is None:
        pytest.skip("the engine has no such type")
    # Each value has odds of its own.
    train = [*(cell for i, cell in enumerate(known) for _ in range(i + 2)), *[None] * 3]
    labels = ["a", *("ab"[j > 0] for i in range(len(known)) for j in range(i + 2)), "a", "b"]
    model = NaiveBayes(numeric="category", missing=missing).fit(frame_of(train), labels)
    assert model.schema_.variables[0].kind == "category"
    cells = [*known, *unknown, None]
    expected = model.predict_proba(frame_of(cells))
    assert len(np.unique(expected[: len(known)].round(9), axis=0)) == len(known)
    np.testing.assert_allclose(predicted(run, dialect, model, cells, kind), expected, rtol=0, atol=1e-12)


def test_tables_of_duckdb_keep_their_rows():
    """Each cell is read from the table by the model, and by the statement."""
    with closing(duckdb.connect()) as connection:
        connection.execute(
            "CREATE TABLE orders AS SELECT 'day ' || (i % 5) AS day, "
            "1700000000000000001 + i % 3 AS customer, (i % 7)::FLOAT / 10 AS single, "
            "CASE WHEN (i * 7) % 5 < 2 THEN 'a' ELSE 'b' END AS y FROM range(300) AS r(i)"
        )
        rows = connection.sql("SELECT * FROM orders")
        model = NaiveBayes().fit_table(rows, "y")
        kinds = [variable.kind for variable in model.schema_.variables]
        assert kinds == ["category", "category", "interval"]
        expected = pa.Table.from_batches(model.predict_table(rows)).to_pandas()[["p_a", "p_b"]]
        found = connection.execute(model.to_sql("orders")).fetchall()
        assert len(found) == 300
        np.testing.assert_allclose([row[1:] for row in found], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
def test_text_among_the_numbers_of_sqlite(missing):
    """Columns there hold anything: text that is no number is in no interval, and equals none."""
    numbers = [0.5 * i for i in range(60)]
    frame = pd.DataFrame({"x": [*numbers, *[None] * 4], "n": [*([1, 2, 2] * 20), *[None] * 4]}, dtype=object)
    model = NaiveBayes(missing=missing).fit(frame, ["a"] * 32 + ["b"] * 32)
    assert [variable.kind for variable in model.schema_.variables] == ["interval", "category"]
    new = pd.DataFrame({"x": [3.25, "n/a", None, 29.5, "29"], "n": [2, "2nd", None, 1.0, 5]}, dtype=object)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (x REAL, n INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", new.to_numpy().tolist())
        found = connection.execute(model.to_sql("t", dialect="sqlite")).fetchall()
    expected = model.predict_proba(new)
    np.testing.assert_allclose([row[1:] for row in found], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres"])
@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([1, "1", True, 2], "column 'x': text and numbers; a column in SQL has one type"),
        ([True, "yes", "no", False], "column 'x': text and numbers"),
        (DAYS[:2] * 2, "column 'x': dates or times as categories, such as '2020-01-01', which engines"),
        ([day.date() for day in DAYS[:2]] * 2, "column 'x': dates or times as categories"),
        (["12:30:00", "01:02:03.4"] * 2, "column 'x': dates or times as categories"),
        ([datetime(2020, 1, 1, tzinfo=UTC), "soon"] * 2, "column 'x': dates or times as categories"),
        (["2020-01-02 12:30", "2020-01-04T01:00:00+02:00"] * 2, "column 'x': dates or times as categories"),
        (["1 day", "2 days"] * 2, "column 'x': durations, such as '1 day'"),
    ],
)
def test_what_engines_cannot_tell_apart_is_refused(cells, message, dialect):
    model = NaiveBayes(numeric="category").fit(
        pd.DataFrame({"x": pd.Series(cells, dtype=object)}), list("aabb")
    )
    with pytest.raises(InvalidParameter, match=message):
        model.to_sql("t", dialect=dialect)


def test_whole_numbers_beyond_those_of_sqlite_are_refused():
    model = NaiveBayes().fit({"x": [2**64 + 1, 2**64 + 1, 5, 5]}, list("aabb"))
    with pytest.raises(InvalidParameter, match="column 'x': the whole number 18446744073709551617 is beyond"):
        model.to_sql("t", dialect="sqlite")
    assert model.to_sql("t", dialect="duckdb")
    assert NaiveBayes().fit({"x": [2**64, 2**64, 5, 5]}, list("aabb")).to_sql("t", dialect="sqlite")


@pytest.mark.parametrize(
    "classes", [[2**63, 2**63 + 1], [2**53 + 1, 2**53], [2**130, 5], [2**60 + 1, 0.5], [2**53 + 1, -(2**63)]]
)
def test_classes_are_exact(classes, engine):
    """As numbers where the engine has them, and as text where it has not."""
    dialect, run = engine
    model = NaiveBayes().fit({"x": list("aabb")}, np.array([classes[0]] * 2 + [classes[1]] * 2, dtype=object))
    found = run(
        "CREATE TABLE \"my rows\" (x TEXT);\nINSERT INTO \"my rows\" VALUES ('a'), ('b');\n"
        + model.to_sql("my rows", dialect=dialect)
    )
    assert sorted(str(row[0]) for row in found) == sorted(map(str, classes))


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_names_that_differ_only_by_case_are_refused(dialect):
    model = NaiveBayes().fit({"answer": list("uvuv"), "Answer": list("uuvv")}, list("aabb"))
    message = (
        f"columns 'answer' and 'Answer': names that differ only by case are the same to {dialect}; rename"
    )
    with pytest.raises(InvalidParameter, match=message):
        model.to_sql("t", dialect=dialect)


def test_names_that_differ_only_by_case_in_postgres(postgres):
    frame = pd.DataFrame({"answer": list("uvuvu"), "Answer": list("uuvvv"), "\u00e9": list("uuuvv")})
    model = NaiveBayes().fit(frame, list("aabbb"))
    rows = ", ".join(f"('{a}', '{b}', '{c}')" for a, b, c in frame.itertuples(index=False))
    found = postgres(
        'DROP TABLE IF EXISTS "my rows"; CREATE TABLE "my rows" (answer TEXT, "Answer" TEXT, "\u00e9" TEXT); '
        f'INSERT INTO "my rows" VALUES {rows}; {model.to_sql("my rows", dialect="postgres")};'
    )
    probs = np.array([row[1:] for row in found], dtype=np.float64)
    np.testing.assert_allclose(probs, model.predict_proba(frame), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["cells", "Scored", "w0", "t"])
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_letters_whose_case_engines_do_not_know_in_tables_named_like_a_step(dialect, name):
    frame = pd.DataFrame({"\u00e9": list("uvuvu"), "\u00c9": list("uuvvv")})
    model = NaiveBayes().fit(frame, list("aabbb"))
    rows = ", ".join(f"('{a}', '{b}')" for a, b in frame.itertuples(index=False))
    run = in_duckdb if dialect == "duckdb" else in_sqlite
    found = run(
        f'CREATE TABLE "{name}" ("\u00e9" TEXT, "\u00c9" TEXT);\nINSERT INTO "{name}" VALUES {rows};\n'
        + model.to_sql(name, dialect=dialect)
    )
    np.testing.assert_allclose([row[1:] for row in found], model.predict_proba(frame), rtol=0, atol=1e-12)
