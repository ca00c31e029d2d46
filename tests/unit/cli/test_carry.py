"""Columns that are carried over: their values and types, whichever way the table is read."""

import csv
import datetime as dt
import json
from decimal import Decimal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from codelength import NaiveBayes
from codelength.cli import source

BASE = 1_700_000_000_000_000_001
COLUMNS = {
    "big": pa.array([BASE, None, BASE + 2, BASE + 3]),
    "unsigned": pa.array([2**64 - 1, None, 0, 1], pa.uint64()),
    "narrow": pa.array([1, None, -2, 3], pa.int8()),
    "day": pa.array([dt.date(2020, 1, 1), None, dt.date(1, 1, 1), dt.date(9999, 12, 31)]),
    "stamp": pa.array([dt.datetime(2020, 1, 1), None, dt.datetime(2020, 1, 1, 10, 0, 0, 500_000), None]),
    "nano": pa.array([1577836800123456789, None, 0, -1], pa.timestamp("ns")),
    "zone": pa.array([0, None, 1_590_969_600_000_000, 1], pa.timestamp("us", "Europe/Helsinki")),
    "clock": pa.array([dt.time(10, 30), None, dt.time(0, 0, 0, 1), dt.time(23, 59, 59)]),
    "price": pa.array([Decimal("12345678901234567890.50"), None, Decimal("-0.01"), Decimal(0)]),
    "single": pa.array([0.1, None, 2.0, 1e20], pa.float32()),
    "double": pa.array([0.1, None, 2.0, 1e300]),
    "truth": pa.array([True, None, False, True]),
    "text": pa.array(["007", None, "NA", 'a "b", c']),
    "word": pa.array(["u", None, "v", "u"]).dictionary_encode(),
    "lasting": pa.array([1500, None, -1, 0], pa.duration("ms")),
}
TABLE = pa.table({"size": pa.array([1, 2, None, 2]), **COLUMNS})
CARRIED = ["size", *COLUMNS]
FIRST = {
    "size": 1,
    "big": BASE,
    "unsigned": 2**64 - 1,
    "narrow": 1,
    "day": "2020-01-01",
    "stamp": "2020-01-01T00:00:00",
    "nano": "2020-01-01T00:00:00.123456789",
    "zone": "1970-01-01T00:00:00+00:00",
    "clock": "10:30:00",
    "price": Decimal("12345678901234567890.50"),
    "single": Decimal("0.1"),
    "double": Decimal("0.1"),
    "truth": True,
    "text": "007",
    "word": "u",
    "lasting": "1.5 s",
}
"""How the first row is told in JSON."""


def carrying(*names):
    return [part for name in names for part in ("--carry", name)]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A directory with a table and a model, whose variable is carried over as well."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    pq.write_table(TABLE.slice(0, 3), "parts/1.parquet")
    pq.write_table(TABLE.slice(3), "parts/2.parquet")
    pq.write_table(TABLE, "whole.parquet")
    NaiveBayes().fit({"size": [1, 2, 1, 2]}, ["a", "b", "a", "b"]).save("m.json")
    return tmp_path


def test_parquet_keeps_values_and_types(run):
    for data in ("whole.parquet", "parts"):
        code, _, err = run(
            "predict", "m.json", data, *carrying(*CARRIED), "--batch-rows", 2, "-o", "out.parquet"
        )
        assert code == 0, err
        made = pq.read_table("out.parquet")
        assert made.schema.names == [*CARRIED, "class", "p_a", "p_b"]
        for name in CARRIED:
            expected = TABLE[name].combine_chunks()
            expected = expected.dictionary_decode() if name == "word" else expected
            assert made[name].combine_chunks().equals(expected), name


def test_text_files_are_the_same_whichever_way_the_table_is_read(run):
    found = {}
    for way in ("file", "directory"):
        data = "parts" if way == "directory" else "whole.parquet"
        call = ["predict", "m.json", data, *carrying(*CARRIED), "--batch-rows", 3]
        assert run(*call, "-o", "out.csv")[0] == 0
        code, out, err = run(*call, "--json")
        assert code == 0, err
        with open("out.csv", encoding="utf-8") as file:
            found[way] = (file.read(), out)
    assert len(set(found.values())) == 1
    written, out = found["file"]
    rows = json.loads(out, parse_float=Decimal)
    assert {name: rows[0][name] for name in CARRIED} == FIRST
    assert {rows[1][name] for name in COLUMNS} == {None}
    assert [row["size"] for row in rows] == [1, 2, None, 2]
    spelt = {name: f"{value}" if value is not True else "true" for name, value in FIRST.items()}
    lines = list(csv.DictReader(written.splitlines()))
    assert {name: lines[0][name] for name in CARRIED} == spelt
    assert [line["big"] for line in lines] == [str(BASE), "", str(BASE + 2), str(BASE + 3)]


def test_other_commands_carry_types_too(run):
    names = ["big", "day", "price", "truth"]
    calls = [
        ["query", "m.json", "whole.parquet", "--ask", "size", "--show", "joint", *carrying(*names), "-o"],
        ["cluster", "whole.parquet", "--keep", "size", "--starts", 1, *carrying(*names), "--memberships"],
    ]
    for call, times in zip(calls, (2, 1), strict=True):
        code, _, err = run(*call, "out.parquet")
        assert code == 0, err
        made = pq.read_table("out.parquet")
        for name in names:
            assert made.schema.field(name).type == TABLE.schema.field(name).type
            assert made[name].to_pylist()[::times] == TABLE[name].to_pylist()


def test_types_of_a_query(run):
    sql = (
        "select 1 as size, date '2020-01-01' as d, timestamptz '2020-01-01 12:00:00+02' as z, "
        "1.50::decimal(20, 2) as e, 1::hugeint as h, interval '1 month 2 days' as i, 'x'::blob as b, "
        "[date '2020-01-01', null] as l, {'a': 0.5::double, 'b': true} as s, null::bigint as n "
        "union all select 2, null, null, null, null, null, null, null, null, 3"
    )
    call = ["predict", "m.json", "--sql", sql, *carrying(*"dzehibsln")]
    code, out, err = run(*call, "--json")
    assert code == 0, err
    first, second = json.loads(out, parse_float=str)
    assert {name: first[name] for name in "dzehibsl"} == {
        "d": "2020-01-01",
        "z": "2020-01-01T10:00:00+00:00",
        "e": "1.50",
        "h": 1,
        "i": "P1M2D",
        "b": "78",
        "s": {"a": "0.5", "b": True},
        "l": ["2020-01-01", None],
    }
    assert {second[name] for name in "dzehibsl"} == {None}
    assert (first["n"], second["n"]) == (None, 3)
    assert run(*call, "-o", "out.csv")[0] == 0
    with open("out.csv", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [line["n"] for line in lines] == ["", "3"]
    assert (lines[0]["e"], lines[0]["l"]) == ("1.50", '["2020-01-01", null]')
    assert run(*call, "-o", "out.parquet")[0] == 0
    types = dict(
        zip(*(getattr(pq.read_schema("out.parquet"), part) for part in ("names", "types")), strict=True)
    )
    assert (types["d"], types["e"], types["b"]) == (pa.date32(), pa.decimal128(20, 2), pa.binary())
    assert (types["n"], types["i"]) == (pa.int64(), pa.string())
    assert types["z"].tz is not None


@pytest.mark.parametrize("data", ["new.csv", "texts"])
def test_cells_of_a_text_file_stay_as_they_stand_there(run, place, data):
    """Even those of a variable, whose numbers a model would spell in another way."""
    (place / "texts").mkdir()
    for path in (place / "new.csv", place / "texts" / "new.csv"):
        path.write_text("size,id\n1.0,007\n,1e3\n02,\n?,2020-01-01 00:00:00\n")
    code, out, err = run("predict", "m.json", data, *carrying("size", "id"), "--batch-rows", 3)
    assert code == 0, err
    cells = [line.split(",")[:2] for line in out.splitlines()[1:]]
    assert cells == [["1.0", "007"], ["", "1e3"], ["02", ""], ["", "2020-01-01 00:00:00"]]


def test_cells_of_json(run, place):
    (place / "new.jsonl").write_text(
        f'{{"size": 1, "id": {BASE}, "ratio": 0.5, "wide": {2**64}, "when": "2020-01-01 00:00:00"}}\n'
        '{"size": 2, "id": null, "ratio": 3, "wide": null, "when": null}\n'
    )
    call = ["predict", "m.json", "new.jsonl", *carrying("id", "ratio", "wide", "when")]
    code, _, err = run(*call, "-o", "out.parquet")
    assert code == 0, err
    made = pq.read_table("out.parquet").select(["id", "ratio", "wide", "when"])
    assert made.schema.types[:3] == [pa.int64(), pa.float64(), pa.decimal128(38, 0)]
    assert made.to_pylist() == [
        {"id": BASE, "ratio": 0.5, "wide": Decimal(2**64), "when": "2020-01-01 00:00:00"},
        {"id": None, "ratio": 3.0, "wide": None, "when": None},
    ]
    rows = json.loads(run(*call, "--json")[1])
    assert [row["id"] for row in rows] == [BASE, None]
    assert (rows[0]["wide"], rows[0]["when"]) == (2**64, "2020-01-01 00:00:00")


def test_files_whose_numbers_have_several_widths(run, place):
    """Also where a variable is a decimal number, which is read by way of a database."""
    (place / "widths").mkdir()
    for name, width, number in (("1", pa.int32(), 7), ("2", pa.int64(), BASE)):
        sizes = pa.array([Decimal("1.00")], pa.decimal128(10, 2))
        pq.write_table(
            pa.table({"size": sizes, "id": pa.array([number], width)}), place / "widths" / f"{name}.parquet"
        )
    call = ["predict", "m.json", "widths", *carrying("id", "size"), "-o", "out.parquet"]
    code, _, err = run(*call)
    assert code == 0, err
    made = pq.read_table("out.parquet")
    assert made["id"].to_pylist() == [7, BASE]
    assert made.schema.types[:2] == [pa.int64(), pa.decimal128(10, 2)]


def test_a_column_to_carry_over_that_is_not_there(run):
    for data in ("whole.parquet", "parts"):
        code, _, err = run("predict", "m.json", data, "--carry", "bigg")
        assert (code, err.count("\n")) == (1, 1)
        assert "has no column 'bigg'; did you mean 'big'?" in err


def test_a_view_of_what_is_written_agrees_with_duckdb(run):
    """DuckDB reads the file as well, with types of its own."""
    assert run("predict", "m.json", "parts", *carrying("big", "day", "price"), "-o", "out.parquet")[0] == 0
    types = [row[1] for row in duckdb.sql("DESCRIBE FROM 'out.parquet'").fetchall()]
    assert types[:4] == ["BIGINT", "DATE", "DECIMAL(22,2)", "VARCHAR"]


@pytest.mark.parametrize("labels", [["a", "b"], [1, 2], [True, False]], ids=str)
@pytest.mark.parametrize("gap", ["", "no"])
def test_the_schema_does_not_depend_on_the_size_of_the_file(run, monkeypatch, labels, gap):
    """A large file is read by Arrow, a small one by DuckDB; nothing is declared to be never missing."""
    NaiveBayes().fit({"size": [1, 2, 1, 2]}, labels * 2).save("m.json")
    with open("t.csv", "w") as file:
        file.write(f"size,flag,price\n1,yes,2.50\n2,{gap},\n2,no,3\n")
    schemas = []
    for limit in (source.LARGE, 0):
        monkeypatch.setattr(source, "LARGE", limit)
        code, _, err = run(
            "predict", "m.json", "t.csv", *carrying("flag", "price", "size"), "-o", "out.parquet"
        )
        assert code == 0, err
        schemas.append(pq.read_schema("out.parquet"))
    assert schemas[0] == schemas[1]
    assert all(field.nullable for field in schemas[0])
    assert [str(type_) for type_ in schemas[0].types[:3]] == ["string"] * 3


class TestFormulas:
    """Text that a spreadsheet would run is written as it stands, or marked on request."""

    CELLS = ("=cmd()", "+A1", "-2+3", "@SUM(1)", "-5", "a=b", "'x")
    MARKED = ("'=cmd()", "'+A1", "'-2+3", "'@SUM(1)", "-5", "a=b", "'x")

    @pytest.fixture(autouse=True)
    def table(self):
        with open("f.csv", "w", newline="") as file:
            csv.writer(file).writerows([["size", "=note"], *([1, cell] for cell in self.CELLS)])
        NaiveBayes().fit({"size": [1, 2, 1, 2]}, ["=a", "b", "=a", "b"]).save("f.json")

    @pytest.mark.parametrize("limit", [source.LARGE, 0])
    @pytest.mark.parametrize("output", ["out.csv", "out.tsv", "-"])
    def test_are_marked_on_request(self, run, monkeypatch, limit, output):
        monkeypatch.setattr(source, "LARGE", limit)
        for options, name, cells, label in (
            ([], "=note", self.CELLS, "=a"),
            (["--for-spreadsheets"], "'=note", self.MARKED, "'=a"),
        ):
            code, out, err = run("predict", "f.json", "f.csv", *carrying("=note"), "-o", output, *options)
            assert code == 0, err
            if output != "-":
                with open(output, newline="") as file:
                    out = file.read()
            rows = list(csv.DictReader(out.splitlines(), delimiter="\t" if "tsv" in output else ","))
            assert [row[name] for row in rows] == list(cells)
            assert {row["class"] for row in rows} == {label}

    def test_in_other_commands(self, run):
        for command in (
            ("query", "f.json", "f.csv", "--ask", "y", *carrying("=note"), "-o", "out.csv"),
            ("explain", "f.json", "f.csv", "-o", "out.csv", "--against", "b"),
            ("cluster", "f.csv", *carrying("=note"), "--memberships", "out.csv"),
        ):
            code, _, err = run(*command, "--for-spreadsheets")
            assert code == 0, err
            with open("out.csv", newline="") as file:
                cells = {cell for row in csv.reader(file) for cell in row}
            assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
            assert any(cell.startswith("'=") for cell in cells)

    @pytest.mark.parametrize("output", [("-o", "out.parquet"), ("--json",)])
    def test_there_are_none_in_other_files(self, run, output):
        code, _, err = run("predict", "f.json", "f.csv", *output, "--for-spreadsheets")
        assert code == 2
        assert "--for-spreadsheets: only CSV files are for spreadsheets" in err
