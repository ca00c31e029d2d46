"""Writing plain tables."""

import csv
import gzip
import io
import os
import sys
import tempfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength.errors import DataError, InvalidParameter
from codelength.sources.files.writers import open_writer
from codelength.sources.readers import read_table

TABLE = {
    "text": np.array(["plain", 'with "quotes", commas', None, "line\nend\r", " é "], dtype=object),
    "whole": np.array([1, -2, 3, 2**62, 5]),
    "fraction": np.array([0.1, 1e-300, np.nan, -0.0, 2 / 3]),
    "truth": np.array([True, False, True, True, False]),
    "maybe": np.array([True, None, False, None, True], dtype=object),
}


def read_columns(path, **options):
    """The array of each column, by name."""
    return {column.name: column.cells for column in read_table(path, **({"na": ()} | options)).columns}


def parts(table, *cuts):
    """Split a table at some rows."""
    n_rows = len(next(iter(table.values())))
    for start, stop in zip((0, *cuts), (*cuts, n_rows), strict=True):
        yield {name: array[start:stop] for name, array in table.items()}


def assert_same(columns, expected):
    assert list(columns) == list(expected)
    for name, array in expected.items():
        assert columns[name].dtype == array.dtype, name
        np.testing.assert_array_equal(columns[name], array)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv", ".parquet"])
@pytest.mark.parametrize("cuts", [(), (2,), (1, 1, 4)])
def test_what_is_written_reads_back(tmp_path, suffix, cuts):
    path = tmp_path / f"t{suffix}"
    with open_writer(path, list(TABLE)) as writer:
        for batch in parts(TABLE, *cuts):
            writer.write(batch)
        assert not path.exists()
    assert_same(read_columns(path), TABLE)
    assert os.listdir(tmp_path) == [path.name]


cells = st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(cells, st.floats(allow_infinity=False)), min_size=1, max_size=20))
def test_any_text_and_any_number_reads_back_from_csv(rows):
    """Floats are written so that they come back to the last bit, and text whatever it holds."""
    text = np.empty(len(rows), dtype=object)
    text[:] = [row[0] for row in rows]
    table = {"a, b": text, 'c "d"': np.array([row[1] for row in rows])}
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "t.csv")
        with open_writer(path, list(table)) as writer:
            writer.write(table)
        kinds = {"a, b": "text", 'c "d"': "number"}
        assert_same(read_columns(path, kinds=kinds), table)
        with open(path, newline="", encoding="utf-8") as file:
            assert [row[0] or None for row in csv.reader(file)][1:] == text.tolist()


def test_standard_output(capfdbinary):
    with open_writer("-", list(TABLE)) as writer:
        for batch in parts(TABLE, 3):
            writer.write(batch)
    out = capfdbinary.readouterr().out
    assert out.startswith(b"text,whole,fraction,truth,maybe\nplain,1,0.1,true,true\n")
    assert '" é "'.encode() not in out
    assert out.endswith(" é ,5,0.6666666666666666,false,true\n".encode())
    assert out.count(b",,") == 1
    print("open")
    assert capfdbinary.readouterr().out == b"open\n"


def test_standard_output_that_only_takes_text(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    with open_writer("-", ["a"]) as writer:
        writer.write({"a": np.array(["x"], dtype=object)})
    assert stream.getvalue() == "a\nx\n"


def test_numpy_scalars_are_written_as_numbers(tmp_path):
    path = tmp_path / "t.csv"
    with open_writer(path, ["a"]) as writer:
        writer.write(
            {"a": np.array([np.float64(0.5), np.int64(2), np.nan, np.bool_(True), "x"], dtype=object)}
        )
    assert path.read_text() == 'a\n0.5\n2\n""\ntrue\nx\n'


def test_a_compressed_file_is_one(tmp_path):
    with open_writer(tmp_path / "t.csv.gz", ["a"]) as writer:
        writer.write({"a": np.array([1])})
    assert gzip.decompress((tmp_path / "t.csv.gz").read_bytes()) == b"a\n1\n"


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_failure_leaves_what_was_there(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    path.write_text("old")

    def write_half():
        with open_writer(path, ["a"]) as writer:
            writer.write({"a": np.array([1])})
            raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        write_half()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [path.name]


def test_a_table_without_rows_has_its_header(tmp_path):
    for name in ("t.csv", "t.parquet"):
        with open_writer(tmp_path / name, ["a", "b"]):
            pass
        with pytest.raises(DataError, match="has a header but no rows"):
            read_columns(tmp_path / name)
    assert (tmp_path / "t.csv").read_text() == "a,b\n"


def test_types_of_a_parquet_file_are_those_of_the_first_batch(tmp_path):
    path = tmp_path / "t.parquet"
    with open_writer(path, ["whole", "fraction", "text"]) as writer:
        writer.write({"whole": np.array([1]), "fraction": np.array([0.5]), "text": np.array([None])})
        writer.write({"whole": np.array([np.nan]), "fraction": np.array([2]), "text": np.array([3])})
    columns = read_columns(path)
    np.testing.assert_array_equal(columns["whole"], [1, np.nan])
    np.testing.assert_array_equal(columns["fraction"], [0.5, 2])
    assert columns["text"].tolist() == [None, "3"]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1], [0.5], "column 'a': was int64 in the first batch, now double"),
        ([0.5], ["x"], "column 'a': was double in the first batch, now string"),
        ([True], [1], "column 'a': was bool in the first batch, now int64"),
        ([1], [1e300], "column 'a': was int64 in the first batch, now double"),
    ],
)
def test_a_batch_that_does_not_fit_a_parquet_file(tmp_path, first, second, message):
    def write_both():
        with open_writer(tmp_path / "t.parquet", ["a"]) as writer:
            writer.write({"a": np.array(first)})
            writer.write({"a": np.array(second)})

    with pytest.raises(DataError, match=message) as caught:
        write_both()
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ({"a": [1]}, r"a batch has columns \['a'\], but the table has \['a', 'b'\]"),
        ({"a": [1], "b": [1, 2]}, r"the columns of a batch have different lengths \[1, 2\]"),
    ],
)
def test_a_batch_has_the_columns_of_the_table(tmp_path, name, batch, message):
    def write():
        with open_writer(tmp_path / name, ["a", "b"]) as writer:
            writer.write({column: np.array(array) for column, array in batch.items()})

    with pytest.raises(DataError, match=message):
        write()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "names", "error", "message"),
    [
        ("t.xlsx", ["a"], DataError, r"use one of the extensions \.csv, "),
        ("t.csv", [], InvalidParameter, "names is empty"),
        ("t.csv", ["a", "a"], DataError, "columns 1 and 2 are both named 'a'"),
        ("absent/t.csv", ["a"], DataError, "absent does not exist"),
    ],
)
def test_what_cannot_be_opened(tmp_path, name, names, error, message):
    with pytest.raises(error, match=message), open_writer(tmp_path / name, names):
        pytest.fail("nothing to write to")
    assert os.listdir(tmp_path) == []


def test_a_path_that_is_not_utf8(tmp_path):
    path = tmp_path / os.fsdecode(b"n\xff.parquet")
    with pytest.raises(DataError, match=r"\\udcff.*: the path is not UTF-8"), open_writer(path, ["x"]):
        pytest.fail("found out too late")
    with open_writer(path.with_suffix(".csv"), ["x"]) as writer:
        writer.write({"x": np.array([1])})
    assert os.listdir(tmp_path) == [path.with_suffix(".csv").name]
