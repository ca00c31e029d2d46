"""Reading files into tables."""

import csv
import gzip
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import threading

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from codelength import datasets
from codelength.counts import count
from codelength.errors import CodelengthError, DataError, InvalidParameter, SchemaMismatch
from codelength.scores import evidence_code_length
from codelength.sources import SqlQuery, as_table, readers
from codelength.sources.engines import sql
from codelength.sources.files import _csv, _duckdb, _json
from codelength.sources.files.writers import open_writer
from codelength.sources.readers import as_file, column_names, read_table
from codelength.table import encode, infer_schema
from codelength.table.column import Factor, Numbers
from stream_tables import collected


def read_batches(*arguments, **options):
    """The rows of a file without columns that are carried over."""
    return (table for table, _ in readers.read_batches(*arguments, **options))


@pytest.fixture(autouse=True)
def no_temporary_file_stays(tmp_path_factory, monkeypatch):
    """Every test leaves the directory for temporary files empty."""
    directory = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    yield
    assert list(directory.iterdir()) == []


@pytest.fixture
def write(tmp_path):
    """Write a file and give its path."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def write_parquet(path, select):
    duckdb.sql(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    return path


def read_columns(path, **options):
    """The array of each column, by name."""
    return cells_of(read_table(path, **options))


def cells_of(table):
    return {column.name: column.cells for column in table.columns}


def assert_same(columns, expected):
    """Compare names in order, dtypes and cells, NaN being equal to itself."""
    assert list(columns) == list(expected)
    for name, array in expected.items():
        assert columns[name].dtype == np.asarray(array).dtype, name
        np.testing.assert_array_equal(columns[name], array)


def objects(*cells):
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


class TestCsv:
    def test_each_sort_of_column_has_its_array(self, write):
        path = write(
            "text,whole,gaps,fraction,truth,maybe,date\n"
            "a,1,1,0.5,true,TRUE,2020-02-03\n"
            ',2,,1e3,false,,\n"x, ""y""",-3,3,,True,false,2020-02-04\n'
        )
        assert_same(
            read_columns(path),
            {
                "text": objects("a", None, 'x, "y"'),
                "whole": np.array([1, 2, -3]),
                "gaps": np.array([1, np.nan, 3]),
                "fraction": np.array([0.5, 1000, np.nan]),
                "truth": np.array([True, False, True]),
                "maybe": objects(True, None, False),
                "date": objects("2020-02-03", None, "2020-02-04"),
            },
        )

    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    @pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "T.CSV"])
    def test_the_delimiter_is_found_in_the_header(self, write, delimiter, name):
        path = write(f'a{delimiter}"b,;|c"{delimiter}d\n1{delimiter}"x,;|"{delimiter}\n', name)
        assert_same(read_columns(path), {"a": np.array([1]), "b,;|c": objects("x,;|"), "d": objects(None)})

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_line_ends_and_the_byte_order_mark(self, write, end):
        path = write(end.join(["\ufeffa,b", "1,2", "3,4"]))
        assert_same(read_columns(path), {"a": np.array([1, 3]), "b": np.array([2, 4])})

    def test_kinds_of_line_ends_may_be_mixed(self, write):
        path = write("a,b\n1,2\r\n3,4\r5,6\n")
        assert_same(read_columns(path), {"a": np.array([1, 3, 5]), "b": np.array([2, 4, 6])})

    def test_line_ends_inside_quotes_belong_to_names_and_cells(self, write):
        path = write('"a\nb",c\n"x\n\ny",1\nz,2\n')
        assert_same(read_columns(path), {"a\nb": objects("x\n\ny", "z"), "c": np.array([1, 2])})

    def test_compressed(self, write):
        path = write(gzip.compress(b"a,b\n1,x\n"), "t.csv.gz")
        assert_same(read_columns(path), {"a": np.array([1]), "b": objects("x")})

    def test_nothing_is_guessed_from_a_sample(self, write):
        path = write("a,b,c\n" + "1,true,2\n" * 30_000 + "x,maybe,2.5\n")
        columns = read_columns(path)
        assert set(columns["a"]) == {"1", "x"}
        assert set(columns["b"]) == {"true", "maybe"}
        assert columns["c"].dtype == np.float64

    def test_only_one_blank_line_column_has_missing_rows(self, write):
        assert_same(read_columns(write("a\n1\n\n2\n")), {"a": np.array([1, np.nan, 2])})
        assert_same(
            read_columns(write("a,b\n1,2\n\n3,4\n\n")), {"a": np.array([1, 3]), "b": np.array([2, 4])}
        )

    @pytest.mark.parametrize(
        "cells",
        [["1_000"], ["0x1F"], ["1", "inf"], ["1,5"], ["nan"], ["1e400"], ["1 2"], ["yes", "no"], ["t", "f"]],
    )
    def test_what_is_not_a_number_or_boolean_is_text(self, write, cells):
        path = write("a;b\n" + "".join(f"{cell};1\n" for cell in cells))
        assert_same(read_columns(path, keep=["a"]), {"a": objects(*cells)})

    def test_nan_among_numbers_is_missing(self, write):
        assert_same(
            read_columns(write("a,b\n1,\n NaN,\n")), {"a": np.array([1, np.nan]), "b": objects(None, None)}
        )

    def test_whole_numbers_are_never_rounded(self, write):
        path = write(f"a,b,c\n{2**63 - 2**10},{2**64},{2**53 + 1}\n1,1,\n")
        assert_same(
            read_columns(path),
            {
                "a": np.array([2**63 - 2**10, 1]),
                "b": objects(2**64, 1),
                "c": objects(2**53 + 1, None),
            },
        )

    def test_names_may_differ_in_capitals_and_hold_anything(self, write):
        path = write('a,A,"it\'s ""x""",b;c\n1,2,3,4\n')
        assert column_names(path) == ["a", "A", 'it\'s "x"', "b;c"]
        assert [array[0] for array in read_columns(path).values()] == [1, 2, 3, 4]

    def test_markers_of_missing_cells(self, write):
        path = write("a,b,c\n1, ?,?\n-9,x,y\n")
        assert_same(
            read_columns(path, na=["?", "-9"]),
            {"a": np.array([1, np.nan]), "b": objects(None, "x"), "c": objects(None, "y")},
        )

    def test_paths_that_look_like_patterns(self, write, tmp_path):
        (tmp_path / "key=value [1]").mkdir()
        path = write("a\n1\n", "key=value [1]/what's*?.csv")
        write("a\n2\n", "key=value [1]/what's new.csv")
        assert_same(read_columns(path), {"a": np.array([1])})

    def test_a_wide_table(self, write):
        names = [f"column {i}" for i in range(600)]
        path = write(",".join(names) + "\n" + ",".join(["x", "1", "0.5"] * 200) + "\n")
        columns = read_columns(path)
        assert list(columns) == names
        assert [array.tolist()[0] for array in columns.values()] == ["x", 1, 0.5] * 200
        assert list(read_columns(path, keep=names[::-1])) == names[::-1]

    def test_many_rows_read_as_the_csv_module_reads_them(self, write):
        rng = np.random.default_rng(0)
        values = ["red", "green, pale", '"blue"', "", "multi\nline", "é"]
        rows = [[values[i], f"id{n}", str(k)] for n, (i, k) in enumerate(rng.integers(0, 6, (25_000, 2)))]
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows([["colour", "name", "size"], *rows])
        columns = read_columns(write(buffer.getvalue()))
        assert columns["colour"].tolist() == [row[0] or None for row in rows]
        assert columns["name"].tolist() == [row[1] for row in rows]
        assert columns["size"].tolist() == [int(row[2]) for row in rows]
        assert len({id(cell) for cell in columns["colour"]}) == 6


TRICKY = [
    "1",
    "-2",
    "+3",
    " 4\t",
    "007",
    "2.50",
    ".5",
    "5.",
    "1e3",
    "1E-3",
    "1e400",
    "1e-400",
    "1_000",
    "0x1F",
    "1f",
]
TRICKY += [
    "nan",
    "NaN",
    "-nan",
    "inf",
    "-Infinity",
    "true",
    "FALSE",
    " True ",
    "t",
    "yes",
    "1.0",
    "0.0",
    "0",
    "x",
    "e",
]
TRICKY += [
    str(2**53),
    str(2**63),
    str(10**30),
    "1" * 400,
    "\u0661",
    "\u00a01",
    "--1",
    "1 2",
    "nan(1)",
    "nan()",
    "+-1",
    "+-nan",
    "-+1",
    "1,5",
    ".",
    "-",
    "+.",
    "1e",
    "é",
    "2020-01-31",
    "2020-01-31 12:30",
    "2020-01-31T12:30:00.500+02:00",
    "12:30:00",
    "1 days 00:00:01",
]


class TestTwoWays:
    """Common spellings are looked at in bulk, all others cell by cell."""

    @pytest.mark.parametrize("kind", [None, "text", "number", "boolean"])
    def test_many_rows_are_read_as_few(self, write, kind):
        columns = [[cell, other, gap] for cell in TRICKY for other in ("1", "true") for gap in ("1", "")]
        columns += [["", "", ""], ["1", "", "2.5"], [str(2**53 + 1), "", ""]]
        names = [f"c{i}" for i in range(len(columns))]
        body = "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in zip(*columns, strict=True))
        kinds = dict.fromkeys(names, kind) if kind else {}
        few = read_columns(write(",".join(names) + "\n" + body), kinds=kinds)
        many = read_columns(write(",".join(names) + "\n" + body * 400), kinds=kinds)
        assert_same(many, {name: np.tile(array, 400) for name, array in few.items()})


class TestKinds:
    def test_a_column_can_be_read_as_text(self, write):
        path = write("a,b\n01,true\n1.50,false\n")
        kinds = {"a": "text", "b": "text", "absent": "number"}
        assert_same(
            read_columns(path, kinds=kinds), {"a": objects("01", "1.50"), "b": objects("true", "false")}
        )

    def test_what_is_no_number_keeps_its_text(self, write):
        path = write("a,b\n1,1\nmany,2\n,\n2.5,4\n")
        assert_same(
            read_columns(path, kinds={"a": "number", "b": "number"}),
            {"a": objects(1, "many", None, 2.5), "b": np.array([1, 2, np.nan, 4])},
        )

    def test_what_is_no_boolean_keeps_its_text(self, write):
        path = write("a,b,c\ntrue,1,TRUE\nyes,0,false\n,1,\n")
        assert_same(
            read_columns(path, kinds=dict.fromkeys("abc", "boolean")),
            {
                "a": objects(True, "yes", None),
                "b": np.array([True, False, True]),
                "c": objects(True, False, None),
            },
        )

    def test_unreadable_cells_are_kept_in_large_files_too(self, write):
        cells = ["1", "2.5", "many", ""] * 6000
        column = read_columns(write("a,b\n" + "".join(f"{c},x\n" for c in cells)), kinds={"a": "number"})["a"]
        assert column.tolist() == [1, 2.5, "many", None] * 6000

    def test_a_number_beyond_int64_is_exact_also_when_asked_for(self, write):
        column = read_columns(write(f"a\n{2**70 + 1}\n1\n"), kinds={"a": "number"})["a"]
        assert column.tolist() == [2**70 + 1, 1]

    def test_types_of_a_parquet_file_stay(self, tmp_path):
        path = write_parquet(tmp_path / "t.parquet", "SELECT 1 AS a, 1.0::DOUBLE AS b, 'x' AS c, true AS d")
        kinds = {"a": "text", "b": "boolean", "c": "number", "d": "number"}
        assert_same(
            read_columns(path, kinds=kinds),
            {"a": np.array([1], np.int32), "b": np.array([1.0]), "c": objects("x"), "d": np.array([True])},
        )

    def test_an_arff_file_gives_way(self, write):
        path = write(
            "@relation r\n@attribute a numeric\n@attribute b {1,x}\n@data\n1,1\n2.5,x\n?,?\n", "t.arff"
        )
        assert_same(
            read_columns(path, kinds={"a": "text", "b": "number"}),
            {"a": objects("1", "2.5", None), "b": objects(1, "x", None)},
        )

    def test_an_unknown_kind_is_refused(self, write):
        with pytest.raises(InvalidParameter, match="'a': kind 'int' is none of text, number, boolean"):
            read_columns(write("a\n1\n"), kinds={"a": "int"})


class TestColumns:
    def test_they_come_in_the_order_asked_for(self, write):
        path = write("a,b,c\n1,2,3\n")
        assert list(read_columns(path, keep=["c", "a", "c"])) == ["c", "a"]

    @pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.json", "t.arff"])
    def test_near_names_are_suggested(self, write, tmp_path, name):
        contents = {
            "t.csv": "colour,size\nred,1\n",
            "t.json": '[{"colour": "red", "size": 1}]',
            "t.arff": "@attribute colour {red}\n@attribute size numeric\n@data\nred,1\n",
        }
        if name in contents:
            path = write(contents[name], name)
        else:
            path = write_parquet(tmp_path / name, "SELECT 'red' AS colour, 1 AS size")
        assert column_names(path) == ["colour", "size"]
        with pytest.raises(SchemaMismatch, match=r"no column 'Color' among its 2; did you mean 'colour'\?"):
            read_columns(path, keep=["size", "Color"])

    def test_none_at_all_is_refused(self, write):
        with pytest.raises(InvalidParameter, match="keep is empty"):
            read_columns(write("a\n1\n"), keep=[])


class TestRoles:
    """Which column is the class, which the weights, and which are left out."""

    @pytest.fixture
    def path(self, write):
        return write("a,b,n,y\nx,1,2,yes\nz,2,0.5,no\n")

    def test_target_and_weights(self, path):
        table = read_table(path, target="y", weights="n")
        assert table.names == ("a", "b")
        assert (table.target.name, table.target.cells.tolist()) == ("y", ["yes", "no"])
        assert table.weights.tolist() == [2, 0.5]
        assert (table.n_rows, table.named, table.name) == (2, True, str(path))

    def test_columns_left_out(self, path):
        assert read_table(path, target="y", drop=["n"]).names == ("a", "b")
        assert read_table(path, target="y", keep=["b", "y", "a"]).names == ("b", "a")
        assert read_table(path, keep=["b", "a"], drop=["a"]).names == ("b",)
        assert read_table(path, target="y", drop=["a", "b", "n"]).names == ()

    def test_batches_have_them_too(self, path):
        batches = list(read_batches(path, 1, target="y", weights="n", drop=["b"]))
        assert [batch.names for batch in batches] == [("a",)] * 2
        assert [batch.target.cells[0] for batch in batches] == ["yes", "no"]
        assert [batch.weights[0] for batch in batches] == [2, 0.5]

    def test_a_batch_may_weigh_nothing(self, write):
        batches = list(read_batches(write("a,n\nx,0\ny,1\n"), 1, weights="n"))
        assert [batch.weights[0] for batch in batches] == [0, 1]

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            (
                {"target": "Y"},
                SchemaMismatch,
                r"t\.csv: has no column 'Y' for the target; did you mean 'y'\?",
            ),
            ({"weights": "m"}, SchemaMismatch, "has no column 'm' for the weights"),
            ({"drop": ["c"]}, SchemaMismatch, "has no column 'c' among its 4"),
            ({"drop": ["a", "b", "n", "y"]}, InvalidParameter, "every column is dropped"),
            ({"target": "y", "drop": ["y"]}, InvalidParameter, "'y' is named for the target; do not drop it"),
            ({"weights": "n", "drop": ["n"]}, InvalidParameter, "'n' is named for the weights"),
            ({"target": "y", "weights": "y"}, InvalidParameter, "'y' is the target; name another"),
            ({"weights": "a"}, DataError, r"t\.csv, column 'a': weights must be numbers"),
        ],
        ids=str,
    )
    def test_what_does_not_go_together(self, write, options, error, message):
        path = write("a,b,n,y\nx,1,2,yes\nz,2,0.5,no\n", "t.csv")
        for read in (read_table, lambda path, **options: next(read_batches(path, 1, **options))):
            with pytest.raises(error, match=message):
                read(path, **options)

    def test_a_class_that_is_missing(self, write):
        with pytest.raises(DataError, match=r"t\.csv, target 'y', row 1: the class is missing"):
            read_table(write("a,y\n1,x\n2,\n", "t.csv"), target="y")

    def test_a_number_that_is_infinite(self, tmp_path):
        path = write_parquet(tmp_path / "t.parquet", "SELECT unnest([1::DOUBLE, 'inf'::DOUBLE]) AS a")
        with pytest.raises(DataError, match=r"t\.parquet, column 'a', row 1: the value is infinite"):
            read_table(path)


class TestDeclaredDomains:
    """A domain that a file declares is part of the model, whichever way the table takes."""

    ARFF = "@attribute c {low, mid, high, none}\n@attribute y {no, yes, maybe}\n@data\n"
    ARFF += "low,yes\nhigh,no\nlow,yes\n?,no\n"

    @pytest.fixture
    def path(self, write):
        return write(self.ARFF, "t.arff")

    def test_it_stays_with_its_column(self, path):
        table = read_table(path, target="y")
        assert (table.columns[0].values, table.columns[0].declared) == (("low", "mid", "high", "none"), True)
        assert (table.target.values, table.target.declared) == (("no", "yes", "maybe"), True)
        for batch in read_batches(path, 3, target="y"):
            assert batch.columns[0].values == table.columns[0].values
            assert batch.target.declared

    def test_a_table_costs_the_same_from_a_file_a_data_set_and_a_frame(self, path):
        frame = pd.DataFrame(
            {
                "c": pd.Categorical(["low", "high", "low", None], categories=["low", "mid", "high", "none"]),
                "y": pd.Categorical(["yes", "no", "yes", "no"], categories=["no", "yes", "maybe"]),
            }
        )
        polars = datasets.load(path, backend="polars")
        tables = [
            read_table(path, target="y"),
            datasets.load(path).table,
            as_table(frame, "y"),
            as_table(polars.frame, polars.target),
        ]
        schemas = {infer_schema(table) for table in tables[:3]}
        assert len(schemas) == 1
        costs = {evidence_code_length(count(encode(infer_schema(table), table))) for table in tables}
        assert len(costs) == 1
        # Classes 2, 2, 0 of 3 values, and within them 2 of one and 1 of one of 4 values.
        expected = math.log(3 * 4 * 5 * 6) - math.log(2 * 2) + math.log(4 * 5) - math.log(2) + math.log(4)
        assert costs.pop() == pytest.approx(expected, rel=1e-12)


class TestParquet:
    def test_types(self, tmp_path):
        path = write_parquet(
            tmp_path / "t.parquet",
            """SELECT * FROM (VALUES
            (1::TINYINT, 1::UBIGINT, 1.25::DECIMAL(9, 2), 'x'::ENUM('x', 'y'), DATE '2020-02-03',
             TIMESTAMP '2020-02-03 04:05:06', true, 'NaN'::DOUBLE),
            (2, 2, NULL, 'y', NULL, NULL, NULL, 1.0))
            AS t(small, huge, price, colour, day, moment, truth, real)""",
        )
        assert_same(
            read_columns(path),
            {
                "small": np.array([1, 2], np.int8),
                "huge": np.array([1, 2], np.uint64),
                "price": np.array([1.25, np.nan]),
                "colour": objects("x", "y"),
                "day": objects("2020-02-03", None),
                "moment": objects("2020-02-03T04:05:06", None),
                "truth": objects(True, None),
                "real": np.array([np.nan, 1.0]),
            },
        )

    def test_names_keep_their_capitals(self, tmp_path):
        pa = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        path = tmp_path / "t.parquet"
        parquet.write_table(pa.table({"a": [1], "s": [{"p": 1, "q": 2}], "A": [3]}), path)
        assert column_names(path) == ["a", "s", "A"]
        assert_same(read_columns(path, keep=["A", "a"]), {"A": np.array([3]), "a": np.array([1])})
        with pytest.raises(DataError, match=r"column 's': cells of type struct.* are not categorical"):
            read_columns(path)
        parquet.write_table(pa.table([[1], [2]], names=["x", "x"]), path)
        with pytest.raises(DataError, match="columns 1 and 2 are both named 'x'"):
            read_columns(path)

    def test_numbers_that_mean_missing(self, tmp_path):
        path = write_parquet(tmp_path / "t.parquet", "SELECT unnest([1, -9]) AS a, unnest(['?', 'x']) AS b")
        columns = read_columns(path, na=["-9", "?"])
        assert_same(columns, {"a": np.array([1, np.nan]), "b": objects(None, "x")})

    def test_whole_numbers_are_never_rounded(self, tmp_path):
        path = write_parquet(tmp_path / "t.parquet", f"SELECT unnest([{2**53 + 1}, NULL]) AS a")
        assert_same(read_columns(path), {"a": objects(2**53 + 1, None)})


JSON_ROWS = [
    {"a": 1, "b": "1", "c": True, "d": "2020-02-03", "e": 1, "f": None},
    {"a": 2.5, "b": "x", "c": None, "d": "2020-02-04", "e": "x"},
]
JSON_COLUMNS = {
    "a": np.array([1, 2.5]),
    "b": objects("1", "x"),
    "c": objects(True, None),
    "d": objects("2020-02-03", "2020-02-04"),
    "e": objects(1, "x"),
    "f": objects(None, None),
}


class TestJson:
    def test_a_list_of_objects(self, write):
        assert_same(read_columns(write(json.dumps(JSON_ROWS), "t.json")), JSON_COLUMNS)

    def test_a_directory_that_looks_like_a_partition(self, write, tmp_path):
        (tmp_path / "a=1").mkdir()
        assert list(read_columns(write('{"b": 2}', "a=1/t.json"))) == ["b"]

    def test_an_object_a_line(self, write):
        text = "\n".join(json.dumps(row) for row in JSON_ROWS)
        assert_same(read_columns(write(text, "t.jsonl")), JSON_COLUMNS)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "is empty"),
            ("[]", "has no rows"),
            ('{"a": 1', "cannot be read as JSON"),
            ("[1, 2]", "2 of its records are not objects"),
            ('[{"a": {"b": 1}}]', "column 'a': the value {'b': 1} of type dict is not a category"),
            ('[{"a": [1]}]', r"column 'a': the value \[1\] of type list is not a category"),
            ('[{"a": 1, "A": 2}]', "two keys differ only in capital letters"),
        ],
    )
    def test_what_cannot_be_a_table(self, write, text, message):
        with pytest.raises(DataError, match=message) as caught:
            read_columns(write(text, "t.json"))
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("number", ["Infinity", "-Infinity", "1e400", "1" + "0" * 400])
    @pytest.mark.parametrize("others", [["2"], ["2.5"], ["2"] * 3000, ["true"], ['"many"']], ids=len)
    def test_numbers_that_are_infinite_are_refused(self, write, number, others):
        """Whatever stands beside them, and however many."""
        text = "\n".join(f'{{"x": 1, "a": {cell}}}' for cell in [number, *others])
        path = write(text, "t.jsonl")
        for read in (read_table, collected):
            with pytest.raises(DataError, match=r"t\.jsonl, column 'a': the .* (is infinite|is too large)"):
                read(path)

    def test_text_that_spells_infinity_is_text(self, write):
        path = write('{"a": "Infinity"}\n{"a": 2}', "t.jsonl")
        assert_same(read_columns(path), {"a": objects("Infinity", 2)})


class TestBatches:
    @pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl", "arff"])
    def test_they_join_up_to_the_table(self, tmp_path, write, suffix):
        rows = [(i, f"v{i % 7}", i / 4 if i % 3 else None) for i in range(1, 5001)]
        if suffix == "csv":
            path = write("i,v,x\n" + "".join(f"{i},{v},{'' if x is None else x}\n" for i, v, x in rows))
        elif suffix == "jsonl":
            path = write("\n".join(json.dumps({"i": i, "v": v, "x": x}) for i, v, x in rows), "t.jsonl")
        elif suffix == "arff":
            head = "@attribute i integer\n@attribute v string\n@attribute x real\n@data\n"
            path = write(head + "".join(f"{i},{v},{'?' if x is None else x}\n" for i, v, x in rows), "t.arff")
        else:
            select = "i, 'v' || i % 7 AS v, CASE WHEN i % 3 > 0 THEN i / 4 END AS x"
            path = write_parquet(tmp_path / "t.parquet", f"SELECT {select} FROM range(1, 5001) t(i)")
        whole = read_columns(path)
        batches = [cells_of(batch) for batch in read_batches(path, 1999)]
        assert [len(batch["i"]) for batch in batches] == [1999, 1999, 1002]
        assert_same({name: np.concatenate([batch[name] for batch in batches]) for name in whole}, whole)
        assert whole["i"].tolist() == [i for i, _, _ in rows]

    def test_a_column_means_the_same_in_every_batch(self, write):
        path = write("a,b,c,d,e\n1,true,1,1,x\n2,false,2,2,y\n,,x,3,x\n")
        first, second = read_batches(path, 2, kinds={"c": "number"})
        for one, other in zip(first.columns, second.columns, strict=True):
            assert type(one) is type(other)
            if isinstance(one, Numbers):
                assert one.numbers.dtype == other.numbers.dtype
            else:
                assert one.declared == other.declared
        assert [column.numbers.dtype.kind for column in (first.column("a"), first.column("d"))] == ["f", "i"]
        assert first.column("b").values == second.column("b").values == (False, True)
        assert isinstance(first.column("c"), Factor)
        assert second.column("c").cells.tolist() == ["x"]

    def test_large_files_share_their_values(self, write):
        path = write("a,b\n" + "x,1\ny,2\n" * 15_000)
        batches = [cells_of(batch) for batch in read_batches(path, 10_000, keep=["a"])]
        assert len(batches) == 3
        assert np.concatenate([batch["a"] for batch in batches]).tolist() == ["x", "y"] * 15_000

    def test_one_that_is_not_read_to_the_end_cleans_up(self, write):
        batches = read_batches(write("a\n1\n2\n"), 1)
        assert next(batches).column("a").cells.tolist() == [1]
        batches.close()

    def test_a_batch_has_rows(self, write):
        with pytest.raises(InvalidParameter, match="batch_rows=0: expected a whole number of at least 1"):
            next(read_batches(write("a\n1\n"), 0))


class TestStandardInput:
    @pytest.fixture
    def pipe(self, monkeypatch):
        def pipe(content):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

        return pipe

    def test_csv(self, pipe):
        pipe(b"a;b\n1;x\n")
        assert_same(read_columns("-"), {"a": np.array([1]), "b": objects("x")})

    def test_compressed_csv_in_batches(self, pipe):
        pipe(gzip.compress(b"a,b\n1,x\n2,y\n"))
        assert [batch.column("b").cells[0] for batch in read_batches("-", 1)] == ["x", "y"]

    def test_parquet(self, pipe, tmp_path):
        pipe(write_parquet(tmp_path / "t.parquet", "SELECT 1::BIGINT AS a").read_bytes())
        assert_same(read_columns("-"), {"a": np.array([1])})

    def test_it_can_be_looked_at_twice(self, pipe):
        pipe(b"a,b\n1,x\n")
        with as_file("-") as path:
            assert column_names(path) == list(read_columns(path)) == ["a", "b"]
            with pytest.raises(SchemaMismatch, match=r"^standard input: has no column 'c'"):
                read_columns(path, keep=["c"])

    def test_nothing(self, pipe):
        pipe(b"")
        with pytest.raises(DataError, match="standard input: is empty"):
            read_columns("-")


class TestErrors:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("", "t.csv: is empty"),
            ("\na,b\n", "line 1: is blank"),
            ("a,b\n", "t.csv: has a header but no rows"),
            ("a,b\n1,2\n1,2,3\n", "line 3: expected 2 fields, found 3"),
            ("a,b\n1,2\n\n1\n", "line 4: expected 2 fields, found 1"),
            ('a,b\n"x\ny",2\n1,2,3\n', "line 4: expected 2 fields, found 3"),
            ("a,b\n1,2\n\n3,4,\n", "line 4: expected 2 fields, found 3"),
            ('a,b\n"x\n,",2,,\n', "line 2: expected 2 fields, found 4"),
            ('a,b\n1,2\n3,"x\n', "line 3: a quoted field is not closed"),
            ('a,b\n"x"y,2\n', "line 2: a quoted field is not closed"),
            ('a,"b\n1,2\n', "line 1: a quote in the header is not closed"),
            ('a,"b"x\n1,2\n', "line 1: the header cannot be read"),
            ("a,b,a\n1,2,3\n", "line 1: columns 1 and 3 are both named 'a'"),
            ("a,,b\n1,2,3\n", "line 1: column 2 has no name"),
            (b"a,b\n1,x\n2,caf\xe9\n", "line 3: byte 13 is not UTF-8; save it as UTF-8"),
            (b"caf\xe9,b\n1,x\n", "line 1: byte 3 is not UTF-8"),
            (b"a,b\n1,x\n2,caf\xc3", "line 3: byte 13 is not UTF-8"),
            ("a,b\n1,2\n".encode("utf-16"), "line 1: byte 0 is not UTF-8"),
            ("a,b\n1," + "x" * 9_000_000, "line 2: is longer than 4,194,304 bytes"),
        ],
    )
    def test_csv(self, write, content, message):
        path = write(content, "t.csv")
        for read in (read_columns, lambda path: next(read_batches(path, 10))):
            with pytest.raises(DataError, match=message) as caught:
                read(path)
            assert "\n" not in str(caught.value)
            assert str(path) in str(caught.value)

    def test_files(self, write, tmp_path):
        cases = {
            tmp_path / "absent.csv": "no such file",
            tmp_path: "is a directory",
            write("a\n1\n", "t.xlsx"): r"\.xlsx is not known; use one of \.csv, ",
            write("a\n1\n", "t"): "a file without extension is not known",
            write("not gzip", "t.csv.gz"): "not a gzip file",
            write(gzip.compress(b"a,b\n" * 9999)[:40], "cut.csv.gz"): "damaged",
            write(gzip.compress(b"a,b\n" * 9999)[:-8] + b"\0" * 8, "wrong.csv.gz"): "damaged",
            write(b"", "empty.parquet"): "is empty",
            write("PAR1 no parquet at all PAR1", "t.parquet"): "is not a Parquet file, or is damaged",
            write_parquet(tmp_path / "none.parquet", "SELECT 1 AS a LIMIT 0"): "has a header but no rows",
        }
        for path, message in cases.items():
            with pytest.raises(CodelengthError, match=message) as caught:
                read_columns(path)
            assert "\n" not in str(caught.value)
            assert str(path) in str(caught.value)

    def test_bytes_that_are_not_text_behind_a_header_of_two_lines(self, write):
        """DuckDB may see no rows at all in such a file, and then does not look at their bytes."""
        path = write(b'"n\nn",A\r\n\x85,\x00\r\n"a",\xe9\r\n', "t.csv")
        with pytest.raises(DataError, match="not UTF-8"):
            read_table(path)

    @pytest.mark.parametrize("end", [",", ", ", ",\n" + " " * 200_000])
    def test_a_json_list_that_was_cut_off(self, write, end):
        """Behind a comma it looks whole to DuckDB."""
        path = write('[{"a": 1}, {"a": 2}' + end, "t.json")
        with pytest.raises(DataError, match=r"t\.json: ends behind a comma, so it was cut off"):
            read_table(path)
        write('[{"a": 1}, {"a": 2}]' + " " * 200_000, "t.json")
        assert read_table(path).n_rows == 2

    def test_a_gzip_file_with_a_gap(self, write):
        """The damage may be met only while a fault before it is being explained."""
        letters = np.random.default_rng(0).choice([b"x", b"y", b"z"], 5000)
        whole = gzip.compress(b"a,b\n" + b"".join(b"%d,%s\n" % row for row in enumerate(letters)), mtime=0)
        for at in range(4000, 9000, 700):
            path = write(whole[:at] + whole[at + 700 :], "t.csv.gz")
            with pytest.raises(DataError, match=r"t\.csv\.gz"):
                read_table(path)

    def test_a_parquet_file_damaged_in_the_middle(self, write, tmp_path):
        path = write_parquet(
            tmp_path / "t.parquet", "SELECT range AS a, 'v' || range AS b FROM range(50_000)"
        )
        content = bytearray(path.read_bytes())
        content[100 : len(content) // 2] = b"z" * (len(content) // 2 - 100)
        with pytest.raises(DataError, match="damaged") as caught:
            read_columns(write(bytes(content), "t.parquet"))
        assert "\n" not in str(caught.value)


class TestLargeCsv:
    """The parallel reader is not trusted: what it read is counted."""

    def test_a_faulty_row_at_the_start_of_a_buffer_is_not_lost(self, write):
        line = "1," + "x" * 97 + "\n"
        assert len(line) == 100
        header = "a," + "b" * 97 + "\n"
        path = write(header + line * 320_000 + "1,2,3\n" + line * 1000)
        with pytest.raises(DataError, match="line 320002: expected 2 fields, found 3"):
            read_columns(path)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("x,y\n1,p\n2,q\n" + "a" * (40 << 20), "line 4: expected 2 fields, found 1"),
            ("x,y\n" + "k" * 200_000 + ",p\n1,q,,\n", "line 3: expected 2 fields, found 4"),
            ("x,y\n" + "k" * 200_000 + ',p\n1,"q', "line 3: a quoted field is not closed"),
            ('x,y\nb ".,. "a,\n1,2\n', "line 2: expected 2 fields, found 3"),
            ('x\n"" "1\n"\n', "line 2: a quoted field is not closed"),
        ],
        ids=["last line", "long cell", "long cell and open quote", "stray quotes", "text behind a quote"],
    )
    def test_rows_behind_long_cells_and_stray_quotes_are_checked_too(self, write, text, message):
        """The csv module refuses fields of more than 131,072 characters unless it is told otherwise."""
        before = csv.field_size_limit()
        with pytest.raises(DataError, match=message):
            read_table(write(text))
        assert csv.field_size_limit() == before

    def test_a_long_cell_is_a_cell(self, write):
        table = read_table(write("x,y\n" + "k" * 200_000 + ",p\n1,q\n"))
        assert [len(cell) for cell in table.column("x").cells] == [200_000, 1]

    @pytest.mark.parametrize("body", ["1,x\n", '1,"x\n\ny"\n', "1,x\n\n", '1,x"y\n', "1,x\r\n"])
    def test_all_rows_arrive(self, write, body):
        path = write("a,b" + ("\r\n" if "\r" in body else "\n") + body * 3000)
        columns = read_columns(path)
        assert columns["a"].tolist() == [1] * 3000
        assert len(set(columns["b"])) == 1

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("a,b\n1,2\n3,4", True),
            ('a,b\n"1,\n\n2",2\n3,"4"', True),
            ('a,b\r\n"x ""y""",\r\n', True),
            ('a,b\n1,"2\n', False),
            ('a,b\n1,x"y\n', False),
            ('a,b\n1, "2"\n', False),
            ('a,b\n1,"2" \n', False),
        ],
    )
    def test_quotes_are_plain_if_they_open_and_close_fields(self, write, monkeypatch, text, expected):
        path = write(text)
        header = _csv.read_header(path, "t")
        for chunk in (1, 2, 3, 1000):
            monkeypatch.setattr(_csv, "_CHUNK", chunk)
            assert _csv._has_plain_quotes(path, header, "t") == expected

    def test_other_quotes_are_read_by_python(self, write):
        text = 'a,b\n1,x"y\n2, "z, z" \n3, "u\nv"\n4, w\n'
        columns = read_columns(write(text))
        assert columns["a"].tolist() == [1, 2, 3, 4]
        assert columns["b"].tolist() == ['x"y', "z, z", "u\nv", " w"]
        with pytest.raises(DataError, match="line 4: a quoted field is not closed"):
            read_columns(write('a,b\n1,x"y\n2,z"\n3,"x\n'))


def test_the_position_of_a_faulty_byte_does_not_depend_on_how_the_file_is_read(write, monkeypatch):
    path = write("a\né\nö\n".encode() + b"x\xc3y\n")
    for chunk in (1, 2, 3, 5, 1000):
        monkeypatch.setattr(_csv, "_CHUNK", chunk)
        assert "line 4: byte 9 is not UTF-8" in str(_csv.invalid_utf8(path, "t"))


def test_duckdb_is_kept_offline_and_quiet(capfd):
    settings = ("autoinstall_known_extensions", "autoload_known_extensions", "enable_progress_bar")
    with _duckdb.session() as connection:
        for name in settings:
            (value,) = connection.execute(f"SELECT current_setting('{name}')").fetchall()[0]
            assert value in (False, "false")
        connection.execute("SELECT sum(range) FROM range(10_000_000)").fetchall()
    assert capfd.readouterr() == ("", "")


def test_duckdb_is_imported_only_when_something_is_read():
    modules = "codelength.sources.readers, codelength.sources.files.writers"
    code = f"import sys, {modules}; sys.exit('duckdb' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_usual_markers_mean_missing_where_cells_have_no_types(tmp_path):
    """NA and ? in text files by default, else only what is named; never in files whose cells have types."""
    path = tmp_path / "table.csv"
    path.write_text("a,b\nNA,1\nx,?\n?,3\n")
    usual = read_table(path)
    assert usual.columns[0].cells.tolist() == [None, "x", None]
    assert usual.columns[1].missing.tolist() == [False, True, False]
    assert read_table(path, na=()).columns[0].cells.tolist() == ["NA", "x", "?"]
    assert read_table(path, na=["x"]).columns[0].cells.tolist() == ["NA", None, "?"]
    with open_writer(tmp_path / "table.parquet", ["a"]) as writer:
        writer.write({"a": np.array(["NA", "?"], dtype=object)})
    assert read_table(tmp_path / "table.parquet").columns[0].cells.tolist() == ["NA", "?"]


ROWS = "1,p,1\n2,q,1\n3,p,1\n"
HEADERS = {
    "t.csv": "v,y,w\n",
    "t.arff": "@relation r\n@attribute v numeric\n@attribute y {p,q}\n@attribute w numeric\n@data\n",
}


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.parametrize(
    ("row", "message"), [("4,?,1", "target 'y', row 3"), ("4,p,-1", "sample_weight, row 3: -1")]
)
def test_batches_count_rows_from_the_start_of_the_file(tmp_path, name, row, message):
    (tmp_path / name).write_text(f"{HEADERS[name]}{ROWS}{row}\n")
    with pytest.raises(DataError, match=message):
        list(read_batches(tmp_path / name, 2, target="y", weights="w"))


def test_an_infinite_number_in_a_later_batch(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"v": [1.0, None, 3.0, np.inf]}), path)
    with pytest.raises(DataError, match="column 'v', row 3: the value is infinite"):
        list(read_batches(path, 2))


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arff", ".json", ".csv.gz", ""])
@pytest.mark.parametrize("kind", ["fifo", "device"])
def test_pipes_and_devices_are_refused_before_they_are_opened(tmp_path, suffix, kind):
    """Opening a pipe waits for a writer; /dev/zero has no end."""
    path = tmp_path / f"t{suffix}"
    os.mkfifo(path) if kind == "fifo" else path.symlink_to("/dev/zero")
    for read in (read_table, column_names, lambda path: next(read_batches(path, 2))):
        with pytest.raises(DataError, match="is a pipe or a device"):
            read(path)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_line_breaks_in_names_and_cells(tmp_path, line_end):
    """As the csv module of Python writes them, whatever the ends of lines are."""
    path = tmp_path / "t.csv"
    cells = ['a"b', "line\nbreak", "x,y", '"', "plain", ' "q" ']
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator=line_end)
        writer.writerow(["first\nname", 'se"cond', "y"])
        writer.writerows([cell, cells[-1 - i], "ab"[i % 2]] for i, cell in enumerate(cells))
    table = read_table(path, target="y")
    assert table.names == ("first\nname", 'se"cond')
    assert table.column("first\nname").cells.tolist() == cells
    assert table.column('se"cond').cells.tolist() == cells[::-1]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl", "arff"])
@pytest.mark.parametrize("where", ["name", "folder", "working directory"])
def test_paths_that_are_not_utf8(tmp_path, monkeypatch, suffix, where):
    """Neither DuckDB nor pyarrow takes them: one clear error, except in formats that Python opens."""
    strange = os.fsdecode(b"n\xffn")
    folder = tmp_path if where == "name" else tmp_path / strange
    folder.mkdir(exist_ok=True)
    path = folder / (f"{strange}.{suffix}" if where == "name" else f"t.{suffix}")
    rows = pd.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    if suffix == "csv":
        rows.to_csv(path, index=False)
    elif suffix == "parquet":
        path.write_bytes(rows.to_parquet())
    elif suffix == "jsonl":
        path.write_text('{"x": 1, "y": "a"}\n{"x": 2, "y": "b"}\n')
    else:
        path.write_text("@relation r\n@attribute x numeric\n@attribute y string\n@data\n1,a\n2,b\n")
    if where == "working directory":
        monkeypatch.chdir(folder)
        path = path.name
    for read in (read_table, collected):
        if suffix in ("arff", "csv"):
            read(path)
            continue
        with pytest.raises(
            DataError, match=r"\\udcff.*: the path is not UTF-8; rename the file, or the folder"
        ):
            read(path)


@pytest.mark.parametrize("path", ["x" * 5000, "x" * 5000 + ".csv", "a/" * 3000 + "x.csv"], ids=len)
def test_names_that_are_too_long_for_files(path):
    for read in (read_table, collected, column_names, datasets.load):
        with pytest.raises(CodelengthError) as caught:
            read(path)
        assert "\n" not in str(caught.value)


class TestDelimiters:
    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("size (m; cm; mm; km),colour\n1,red\n2,blue\n", ("size (m; cm; mm; km)", "colour")),
            ('a;b;c,"d\ne"\n\n1,"2;\n3"\n', ("a;b;c", "d\ne")),
            ("a;b;c\n1,5;2,5;3\n", ("a", "b", "c")),
            ("a|b|c;d\n1|2|3;4\n", ("a", "b", "c;d")),
            ("a;b,c\n", ("a;b", "c")),
            ("a,b\n1;2;3\n", ("a", "b")),
        ],
    )
    def test_of_names_that_hold_other_ones(self, write, text, names):
        """The commonest in the header, unless only another one divides the next line alike."""
        assert tuple(column_names(write(text))) == names

    def test_rows_are_read_by_it(self, write):
        path = write("size (m; cm; mm; km),colour\n1,red\n2,blue\n")
        for read in (read_table, collected):
            assert cells_of(read(path))["colour"].tolist() == ["red", "blue"]

    def test_a_damaged_file(self, write):
        content = gzip.compress(b"a;b,c\n" + os.urandom(9000).hex().encode())
        with pytest.raises(DataError, match=r"t\.csv\.gz: is damaged, or not a gzip file"):
            read_table(write(content[:-2000], "t.csv.gz"))

    def test_no_other_one_is_taken_for_a_faulty_row(self, write):
        with pytest.raises(DataError, match="line 2: expected 3 fields, found 2"):
            read_table(write("a,b,c;d\n1,2\n3,4,5\n"))


@pytest.mark.parametrize("size", [9 << 20, 64 << 20])
def test_a_line_that_is_too_long(write, size):
    path = write("x,y,z\n1," + "k" * size + ",3\n2,b,4\n")
    for read in (read_table, collected):
        with pytest.raises(
            DataError, match=r"line 2: is longer than 4,194,304 bytes; .*save the table as Parquet"
        ):
            read(path)


def test_long_fields_are_read_by_one_reader_at_a_time(write):
    """The limit of the csv module belongs to all, and is as before once they are done."""
    before, path = csv.field_size_limit(), write("x,y\n1,2\n")
    reader = threading.Thread(target=_csv.read_header, args=(path, "t"))
    with _csv._fields_of_any_length():
        reader.start()
        reader.join(0.05)
        assert reader.is_alive()
        assert csv.field_size_limit() > before
    reader.join()
    assert csv.field_size_limit() == before


class TestLackOfMemory:
    """It is not the file that is at fault."""

    MESSAGE = r"t\.\w+: not enough memory \(.*\); read fewer columns, or shorten long cells"

    def test_of_duckdb(self, write, monkeypatch):
        monkeypatch.setattr(_json, "MEMORY", "32MB")
        with pytest.raises(DataError, match=self.MESSAGE):
            collected(write(json.dumps([{"x": "k" * (14 << 20)}, {"x": "b"}]), "t.json"))

    def test_of_a_query(self, tmp_path, monkeypatch):
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table({"x": ["k" * (40 << 20), "b"]}), path)
        monkeypatch.setattr(sql, "MEMORY", "32MB")
        with pytest.raises(DataError, match=r"the query: not enough memory"):
            collected(SqlQuery(f"FROM '{path}'"))

    @pytest.mark.parametrize("lost", [False, True])
    def test_of_numpy(self, write, monkeypatch, lost):
        def fail(*_):
            try:
                raise MemoryError("Unable to allocate 1 TiB")
            except MemoryError as error:
                if lost:
                    raise SystemError("resize returned a result with an exception set") from error
                raise

        monkeypatch.setattr(readers, "column_of", fail)
        with pytest.raises(DataError, match=self.MESSAGE):
            read_table(write("x\n1\n", "t.csv"))

    def test_of_arrow(self, tmp_path, monkeypatch):
        def fail(*_, **__):
            raise pa.ArrowMemoryError("malloc of size 1 failed")

        pq.write_table(pa.table({"x": ["a", "b"]}), tmp_path / "t.parquet")
        monkeypatch.setattr(pq.ParquetFile, "iter_batches", fail)
        with pytest.raises(DataError, match=self.MESSAGE):
            collected(tmp_path / "t.parquet")
