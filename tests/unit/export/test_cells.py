"""What engines make of cells, against what a model reads: times in any spelling, and numbers of any size."""

import random
import sqlite3
from contextlib import closing

import duckdb
import pytest

from codelength.export.cells import reading
from codelength.export.engines import ENGINES, text_literal
from codelength.table import Variable
from codelength.table.spelling import parse_time

DATES = ["2020-01-31", "2020-02-29", "2021-02-29", "1900-02-29", "2000-02-29", "0000-01-01", "0001-01-20"]
DATES += ["2020-13-01", "2020-04-31", "9999-12-20", "2020-00-10", "2020-1-1", "20200101", ""]
CLOCKS = ["00:00", "12:30", "23:59:59", "00:00:00", "24:00:00", "12:60:00", "12:30:61", "7:00:00", "00:00:01"]
FRACTIONS = ["", "", ".5", ".500", ".000", ".050000", ".123456789", ".0", ".", ".5x", ".100200300400"]
ZONES = ["", "", "Z", "+00:00", "+02", "-0530", "+05:30", "-23:59", "+2", "z", "+99:59"]


def spellings(n, seed=0):
    """Text that is a time, or almost one."""
    pick = random.Random(seed).choice
    made = [
        pick(DATES) + pick(["T", " ", "", "  "]) + pick(CLOCKS) + pick(FRACTIONS) + pick(ZONES)
        for _ in range(n)
    ]
    made += [pick(CLOCKS) + pick(FRACTIONS) + pick(["", "Z", "+00:00"]) for _ in range(n // 5)]
    return sorted({*made, *DATES, "soon", "it's 12:30:00.50", "2020-01-31T12:30:00\n", "12:99:99.50"})


def rows_of(text):
    return ", ".join(f"({text_literal(one)})" for one in text)


def in_duckdb(script):
    with closing(duckdb.connect()) as connection:
        connection.execute("SET TimeZone = 'Asia/Kolkata'")
        return connection.execute(script).fetchall()


def in_sqlite(script):
    with closing(sqlite3.connect(":memory:")) as connection:
        return connection.execute(script).fetchall()


@pytest.fixture(params=["duckdb", "sqlite", "postgres"])
def engine(request):
    """An engine, and a function that gives the rows of a query."""
    if request.param == "postgres":
        run = request.getfixturevalue("postgres")
        return ENGINES["postgres"], lambda query: run(f"SET TimeZone = 'Asia/Kolkata'; {query};")
    return ENGINES[request.param], in_duckdb if request.param == "duckdb" else in_sqlite


def test_times_in_any_spelling(engine):
    own, run = engine
    cells = reading(own, Variable("x", ("2020-01-01", "2020-01-01T12:00:00+00:00")), "x").cells
    texts = spellings(3000)
    source = "SELECT column1 AS x FROM" if own.name == "sqlite" else "SELECT * FROM"
    alias = "" if own.name == "sqlite" else " AS v(x)"
    found = run(f"SELECT x, {cells} FROM ({source} (VALUES {rows_of(texts)}){alias}) AS t")
    assert len(found) == len(texts)
    wrong = [(text, key, parse_time(text)) for text, key in found if key != parse_time(text)]
    assert wrong == []
