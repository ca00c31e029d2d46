"""Every kind of source gives the schema and the counts of the whole table in memory, to the last bit."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from codelength import NaiveBayes
from codelength.counts.stream import learn_counts
from codelength.sources import SqlQuery
from codelength.sources.profile import column as column_module
from codelength.sources.profile import profile as profile_module
from stream_tables import assert_same, in_memory, mixed_frame, quietly

OPTIONS = {
    "plain": (41, {}),
    "weighted": (1000, {"weights": "weight", "missing": "value"}),
    "averaged": (64, {"numeric": "average", "identifiers": "keep"}),
}
FRAME = mixed_frame(150)
PARTS = [FRAME.iloc[:80], FRAME.iloc[80:81], FRAME.iloc[81:]]


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    """Columns are wide from 25 distinct numbers on, and samples are small: all passes are needed."""
    monkeypatch.setattr(column_module, "MAX_NUMBERS", 25)
    monkeypatch.setattr(profile_module, "sample_size", lambda n_columns: 64)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The frame as files of every format, whole and in parts."""
    folder = tmp_path_factory.mktemp("files")
    for name, frames in (("whole", [FRAME]), ("parts", PARTS)):
        for kind in ("parquet", "csv", "jsonl"):
            (folder / name / kind).mkdir(parents=True)
            for i, frame in enumerate(frames):
                path = folder / name / kind / f"{i}.{kind}"
                if kind == "parquet":
                    frame.to_parquet(path, index=False)
                elif kind == "csv":
                    frame.to_csv(path, index=False)
                else:
                    # Without times, which JSON has not.
                    rows = frame.drop(columns=["day", "moment"])
                    rows.to_json(path, orient="records", lines=True, force_ascii=False)
    FRAME.to_csv(folder / "table.tsv.gz", index=False, sep="\t")
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute(f"CREATE TABLE sales AS FROM '{folder}/whole/parquet/0.parquet'")
    return folder


def sources(folder):
    """Sources by name, each with the same rows in memory."""
    polars, arrow = pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME, preserve_index=False)
    parquet, csv, jsonl = (str(folder / "whole" / kind / f"0.{kind}") for kind in ("parquet", "csv", "jsonl"))
    relation = duckdb.connect().sql(f"FROM '{parquet}'")
    sliced = [pl.from_pandas(part) for part in PARTS]
    return {
        "pandas": (FRAME, FRAME),
        "polars": (polars, polars),
        "polars lazy": (polars.lazy(), polars),
        "polars categories": (polars.with_columns(pl.col("text").cast(pl.Categorical)), polars),
        "arrow": (arrow, arrow),
        "arrow batch": (arrow.combine_chunks().to_batches()[0], arrow),
        "arrow dataset": (ds.dataset(arrow), arrow),
        "arrow reader": (arrow.to_reader(50), arrow),
        "duckdb": (relation, relation),
        "sql": (SqlQuery("SELECT * FROM sales", folder / "shop.duckdb"), relation),
        "mapping": ({name: FRAME[name].tolist() for name in ("text", "few", "class", "weight")},) * 2,
        "parquet": (parquet, parquet),
        "parquet folder": (folder / "parts" / "parquet", parquet),
        "parquet pattern": (str(folder / "parts" / "parquet" / "*.parquet"), parquet),
        "csv": (csv, csv),
        "csv list": ([str(folder / "parts" / "csv" / f"{i}.csv") for i in range(3)], csv),
        "tsv, compressed": (folder / "table.tsv.gz", csv),
        "jsonl": (jsonl, jsonl),
        "jsonl folder": (folder / "parts" / "jsonl", jsonl),
        "list of frames": (sliced, polars),
        "iterator over frames": (iter(sliced), polars),
        "function": (lambda: iter(sliced), polars),
        "pandas in parts": (PARTS, FRAME),
    }


@pytest.mark.parametrize("case", OPTIONS)
def test_counts_are_those_of_the_table_in_memory(folder, case):
    batch_rows, options = OPTIONS[case]
    expected = {}
    for name, (source, memory) in sources(folder).items():
        key = memory if isinstance(memory, str) else id(memory)
        if key not in expected:
            expected[key] = in_memory(memory, **options)
        found = quietly(learn_counts, source, "class", batch_rows=batch_rows, **options)
        try:
            assert_same(found, expected[key])
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


@pytest.fixture(scope="module")
def twins():
    """Columns whose names differ only by case, in memory and as DuckDB has them."""
    frame = pd.DataFrame(
        {
            "y": ["p", "q", "q", "p", "q", "q"] * 5,
            "answer": ["u", "v", "v", None, "u", "v"] * 5,
            "Answer": ["v", "v", "u", "v", "v", None] * 5,
            "n": list(range(5)) * 6,
            "N": [0.5 * i for i in range(30)],
            "W": [2, 1, 1] * 10,
            "w": [1, 2, 3] * 10,
        }
    )
    names = ", ".join(f'c{i} AS "{name}"' for i, name in enumerate(frame))
    rows = frame.set_axis([f"c{i}" for i in range(frame.shape[1])], axis=1)
    with duckdb.connect() as connection:
        connection.register("twins", rows)
        yield frame, connection.sql(f"SELECT {names} FROM twins")


class TestNamesThatDifferByCase:
    """DuckDB takes them for the same; columns are what they are in memory all the same."""

    @pytest.mark.parametrize("drop", [[], ["answer", "n"], ["Answer", "N"]])
    @pytest.mark.parametrize("weights", [None, "w", "W"])
    def test_counts(self, twins, drop, weights):
        frame, relation = twins
        options = {"weights": weights, "drop": drop}
        expected = quietly(learn_counts, frame, "y", **options)
        assert learn_counts(relation, "y", batch_rows=7, **options) == expected
        # With the schema beforehand DuckDB is told the values of columns of text.
        known = learn_counts(relation, "y", schema=expected.schema, batch_rows=7, **options)
        assert known == expected
        if "Answer" not in drop:
            totals = {None: [5, 20], "w": [15, 30], "W": [5, 30]}
            assert sorted(known.of("Answer").sum(axis=0).tolist()) == totals[weights]

    def test_queries(self, twins, tmp_path):
        frame, _ = twins
        frame[["y", "answer", "Answer"]].set_axis(["y", "a", "b"], axis=1).to_parquet(tmp_path / "t.parquet")
        query = SqlQuery(f"SELECT y, a AS answer, b AS \"Answer\" FROM '{tmp_path}/t.parquet'")
        expected = learn_counts(frame, "y", keep=["Answer"])
        assert learn_counts(query, "y", keep=["Answer"]) == expected
        assert learn_counts(query, "y", schema=expected.schema, drop=["answer"]) == expected

    def test_predictions(self, twins):
        frame, relation = twins
        model = NaiveBayes().fit_table(frame, "y", drop=["W", "w"])
        [found] = model.predict_table(relation, keep=["Answer", "w", "answer", "W"])
        [expected] = model.predict_table(frame, keep=["Answer", "w", "answer", "W"])
        assert found.to_pydict() == expected.to_pydict()
        assert found.to_pydict()["Answer"][:6] == ["v", "v", "u", "v", "v", None]
        assert found.to_pydict()["W"] == frame["W"].tolist()
        scores = [model.evaluate_table(source, leave_one_out=True).log_score for source in (relation, frame)]
        assert scores[0] == scores[1]
