"""Durations in Parquet files, where only the schema of Arrow says that numbers are durations."""

import base64
import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from codelength.sources.files._arrow_schema import durations
from codelength.sources.files.readers import read_table
from codelength.table import encode, infer_schema

CELLS = [datetime.timedelta(seconds=90), None, datetime.timedelta(days=-1, seconds=5), datetime.timedelta(0)]
TEXTS = ["90 s", None, "-86395 s", "0 s"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_of_arrow_in_every_unit(tmp_path, unit):
    path = tmp_path / "table.parquet"
    nested = pa.array([{"d": 1}] * 4, pa.struct([("d", pa.int64())]))
    columns = {"n": nested, "count": [1, 2, 3, 4], "größe": pa.array(CELLS, pa.duration(unit))}
    pq.write_table(pa.table(columns), path)
    read = read_table(path, drop=["n"])
    assert read.column("größe").cells.tolist() == TEXTS
    assert read.column("count").cells.tolist() == [1, 2, 3, 4]


def test_durations_of_other_libraries(tmp_path):
    path = tmp_path / "table.parquet"
    pl.DataFrame({"d": CELLS}).write_parquet(path)
    assert read_table(path).columns[0].cells.tolist() == TEXTS
    pd.DataFrame({"d": pd.Series(CELLS, dtype="timedelta64[ns]")}).to_parquet(path)
    assert read_table(path).columns[0].cells.tolist() == TEXTS
    duckdb.sql(f"COPY (SELECT INTERVAL '90 seconds' AS d) TO '{path}' (FORMAT parquet)")
    assert read_table(path).columns[0].cells.tolist() == TEXTS[:1]


@pytest.mark.parametrize("numeric", ["auto", "discretize"])
def test_a_model_knows_durations_of_parquet_files_again(tmp_path, numeric):
    """Also where it has cut them into intervals, and where the file has intervals of SQL."""
    path = tmp_path / "table.parquet"
    cells = [datetime.timedelta(seconds=i) for i in range(30)]
    schema = infer_schema({"d": cells}, numeric=numeric)
    expected = encode(schema, {"d": cells}).codes
    pq.write_table(pa.table({"d": cells}), path)
    np.testing.assert_array_equal(encode(schema, read_table(path, kinds=schema)).codes, expected)
    duckdb.sql(f"COPY (SELECT to_seconds(i) AS d FROM range(30) t(i)) TO '{path}' (FORMAT parquet)")
    np.testing.assert_array_equal(encode(schema, read_table(path, kinds=schema)).codes, expected)


def test_a_damaged_schema_says_nothing(tmp_path):
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"d": pa.array(CELLS, pa.duration("us"))}), path)
    encoded = pq.read_metadata(path).metadata[b"ARROW:schema"]
    assert durations(encoded) == {"d": "DURATION 6"}
    whole = base64.b64decode(encoded)
    for at in range(len(whole)):
        durations(base64.b64encode(whole[:at]))
        for byte in (0, 1, 127, 255):
            durations(base64.b64encode(whole[:at] + bytes([byte]) + whole[at + 1 :]))
    assert durations(b"not base64!") == {}
    assert durations(b"") == {}
