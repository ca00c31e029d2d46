"""A declared domain is honoured on every way in: frames, Arrow, files and streams."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from codelength import NaiveBayes, read_table
from codelength.sources import as_table
from codelength.sources.readers import read_batches
from codelength.table import infer_schema

pytestmark = pytest.mark.filterwarnings("ignore::codelength.errors.CollectedRows")

CELLS, CLASSES = ["b", "a", None, "a", "b", "a"], list("pqpqpq")
DOMAIN = ("b", "z", "a")
DECLARED, SEEN = (DOMAIN, "declared domain"), (("a", "b"), "values seen")


def polars_frame(dtype):
    return pl.DataFrame({"x": pl.Series(CELLS, dtype=dtype), "y": CLASSES})


def tables():
    """Tables in memory by name, and whether they declare the values of ``x``."""
    pandas = pd.DataFrame({"x": pd.Categorical(CELLS, categories=DOMAIN), "y": CLASSES})
    coded = pa.array([None if cell is None else DOMAIN.index(cell) for cell in CELLS], pa.int8())
    arrow = pa.table({"x": pa.DictionaryArray.from_arrays(coded, DOMAIN), "y": CLASSES})
    enum, categorical = polars_frame(pl.Enum(DOMAIN)), polars_frame(pl.Categorical)
    typed = pd.Series(arrow["x"].combine_chunks(), dtype=pd.ArrowDtype(arrow["x"].type))
    return {
        "pandas": (pandas, True),
        "pandas as arrow": (pa.Table.from_pandas(pandas), True),
        "pandas of arrow": (pd.DataFrame({"x": typed, "y": CLASSES}), True),
        "arrow": (arrow, True),
        "enum": (enum, True),
        "enum lazy": (enum.lazy(), True),
        "enum as arrow": (enum.to_arrow(), True),
        "categorical": (categorical, False),
        "categorical lazy": (categorical.lazy(), False),
        "categorical as arrow": (categorical.to_arrow(), False),
        "text": (pd.DataFrame({"x": CELLS, "y": CLASSES}), False),
    }


WRITERS = {
    "pandas": (True, lambda path, tables: tables["pandas"][0].to_parquet(path)),
    "pandas in groups": (True, lambda path, tables: tables["pandas"][0].to_parquet(path, row_group_size=2)),
    "arrow": (True, lambda path, tables: pq.write_table(tables["arrow"][0], path)),
    "enum": (True, lambda path, tables: tables["enum"][0].write_parquet(path)),
    "categorical": (False, lambda path, tables: tables["categorical"][0].write_parquet(path)),
    "text": (False, lambda path, tables: tables["text"][0].to_parquet(path)),
    "no schema": (False, lambda path, tables: pq.write_table(tables["arrow"][0], path, store_schema=False)),
}
READERS = {
    "as_table": lambda path: in_memory(as_table(path)),
    "read_table": lambda path: in_memory(read_table(path, target="y")),
    "read_batches": lambda path: in_memory(next(read_batches(path, 6))[0]),
    "fit_table": lambda path: streamed(path),
    "fit_table, markers": lambda path: streamed(path, na=["nothing"]),
    "fit_table, files": lambda path: streamed([path, path]),
    "fit_table, files and markers": lambda path: streamed([path, path], na=["nothing"]),
    "dataset": lambda path: streamed(ds.dataset(path)),
    "dataset in memory": lambda path: in_memory(as_table(ds.dataset(path))),
    "arrow": lambda path: in_memory(as_table(pq.read_table(path))),
}


def settled(variable):
    return variable.values, variable.origin


def in_memory(table):
    return settled(infer_schema(table).variables[0])


def streamed(source, **options):
    model = NaiveBayes().fit_table(source, "y", batch_rows=4, **options)
    return settled(model.schema_.variables[0])


@pytest.mark.parametrize("name", tables())
def test_in_memory(name):
    table, declared = tables()[name]
    expected = DECLARED if declared else SEEN
    assert in_memory(as_table(table)) == streamed(table) == expected


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("written", WRITERS)
def test_parquet(written, read, tmp_path):
    declared, write = WRITERS[written]
    path = tmp_path / "t.parquet"
    write(path, tables())
    assert READERS[read](path) == (DECLARED if declared else SEEN)


def test_pandas_reads_its_own_files_alike(tmp_path):
    tables()["pandas"][0].to_parquet(tmp_path / "t.parquet")
    assert in_memory(as_table(pd.read_parquet(tmp_path / "t.parquet"))) == DECLARED


def test_a_query_gives_what_the_engine_makes_of_a_column(tmp_path):
    duckdb.execute("CREATE OR REPLACE TYPE letters AS ENUM ('b', 'z', 'a')")
    frame = tables()["text"][0]  # noqa: F841
    assert streamed(duckdb.sql("SELECT CAST(x AS letters) AS x, y FROM frame")) == DECLARED
    assert streamed(duckdb.sql("SELECT x, y FROM frame")) == SEEN


def test_the_model_is_the_same(tmp_path):
    frame = tables()["pandas"][0]
    frame.to_parquet(tmp_path / "t.parquet")
    model = NaiveBayes().fit(frame[["x"]], frame["y"])
    again = NaiveBayes().fit_table(tmp_path / "t.parquet", "y")
    assert model.predict_proba({"x": ["z"]}).tolist() == again.predict_proba({"x": ["z"]}).tolist()
    assert model.counts_.value_counts.tolist() == again.counts_.value_counts.tolist()


def test_declared_classes(tmp_path):
    frame = pd.DataFrame({"x": CELLS, "y": pd.Categorical(CLASSES, categories=["q", "p", "r"])})
    frame.to_parquet(tmp_path / "t.parquet")
    expected = ("q", "p", "r")
    assert NaiveBayes().fit(frame[["x"]], frame["y"]).schema_.classes == expected
    assert NaiveBayes().fit_table(tmp_path / "t.parquet", "y").schema_.classes == expected
    assert infer_schema(read_table(tmp_path / "t.parquet", target="y")).classes == expected


def test_markers_of_missing_cells_are_not_declared(tmp_path):
    path = tmp_path / "t.parquet"
    tables()["pandas"][0].to_parquet(path)
    assert in_memory(read_table(path, target="y", na=["z"])) == (("b", "a"), "declared domain")


def test_a_domain_stays_whatever_a_caller_says_about_text_files(tmp_path):
    path = tmp_path / "t.parquet"
    tables()["pandas"][0].to_parquet(path)
    assert in_memory(read_table(path, target="y", kinds={"x": "text"})) == DECLARED


def test_files_that_declare_different_values(tmp_path):
    for number, domain in enumerate((["b", "a"], ["a", "b", "z"])):
        cells = pd.Categorical(["a", "b"] * 3, categories=domain)
        pd.DataFrame({"x": cells, "y": CLASSES}).to_parquet(tmp_path / f"{number}.parquet")
    paths = sorted(tmp_path.iterdir())
    expected = (("b", "a", "z"), "declared domain")
    assert streamed(paths) == streamed(paths, na=["nothing"]) == expected
