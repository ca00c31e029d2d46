"""A million rows from each engine: real samples, real brackets, real batches."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from codelength.counts.stream import learn_counts
from codelength.sources import SqlQuery
from stream_tables import assert_same, in_memory, quietly

N_ROWS = 1_000_000

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "text": np.array(["a", "b", "ä", "☃"])[rng.integers(0, 4, N_ROWS)],
            "few": rng.integers(0, 9, N_ROWS),
            "whole": rng.integers(0, 10**6, N_ROWS),
            "real": np.where(rng.random(N_ROWS) < 0.02, np.nan, rng.normal(size=N_ROWS)),
            "tied": np.where(rng.random(N_ROWS) < 0.45, 0.0, rng.normal(size=N_ROWS)),
            "skewed": np.exp(5 * rng.normal(size=N_ROWS)),
            "weight": rng.integers(0, 4, N_ROWS),
            "class": np.array(["yes", "no", "perhaps"])[rng.integers(0, 3, N_ROWS)],
        }
    )


@pytest.fixture(scope="module", params=["plain", "weighted"])
def expected(request, frame):
    options = {"weights": "weight", "numeric": "average"} if request.param == "weighted" else {}
    return options, in_memory(frame, **options)


@pytest.mark.parametrize(
    "engine",
    ["pandas", "polars", "arrow", "dataset", "reader", "relation", "sql", "parquet", "parquet parts", "csv"],
)
def test_a_million_rows(engine, frame, expected, tmp_path):
    options, counts = expected
    arrow, parquet = pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "table.parquet"
    if engine in ("relation", "sql", "parquet"):
        frame.to_parquet(parquet, index=False)
    if engine == "csv":
        frame.to_csv(tmp_path / "table.csv", index=False)
    if engine == "parquet parts":
        for i in range(4):
            frame.iloc[i::4].to_parquet(tmp_path / f"{i}.parquet", index=False)
    source = {
        "pandas": lambda: frame,
        "polars": lambda: pl.from_pandas(frame).lazy(),
        "arrow": lambda: arrow,
        "dataset": lambda: ds.dataset(arrow),
        "reader": lambda: arrow.to_reader(30_000),
        "relation": lambda: duckdb.connect().sql(f"FROM '{parquet}'"),
        "sql": lambda: SqlQuery(f"FROM '{parquet}'"),
        "parquet": lambda: parquet,
        "parquet parts": lambda: tmp_path,
        "csv": lambda: tmp_path / "table.csv",
    }[engine]()
    assert_same(quietly(learn_counts, source, "class", **options), counts)
