"""Streams that break: the message says which file and which row, and nothing is left behind."""

import os
import stat
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from codelength.counts.stream import learn_counts
from codelength.errors import (
    DataError,
    IgnoredColumn,
    IgnoredValues,
    Infeasible,
    InvalidParameter,
    SchemaMismatch,
    UnknownValue,
)
from codelength.sources import BatchEncoder, SqlQuery, as_batches
from codelength.sources.engines import sql
from codelength.sources.profile import column as column_module
from codelength.table import Cutting, Schema, Variable


def frame(n_rows=600, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": rng.normal(size=n_rows),
            "colour": np.array(["red", "blue", "green"])[rng.integers(0, 3, n_rows)],
            "y": np.array(["p", "q"])[rng.integers(0, 2, n_rows)],
        }
    )


pytestmark = pytest.mark.usefixtures("clean")


class TestFiles:
    def test_a_bad_row_late_in_a_csv_file(self, tmp_path):
        path = tmp_path / "table.csv"
        lines = frame().to_csv(index=False).splitlines()
        lines[571] = "1.5,red,p,surplus"
        path.write_text("\n".join(lines) + "\n")
        with pytest.raises(DataError, match=r"table\.csv, line 572: expected 3 fields, found 4"):
            learn_counts(path, "y", batch_rows=10)

    def test_a_truncated_parquet_file(self, tmp_path):
        path = tmp_path / "table.parquet"
        frame().to_parquet(path)
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(DataError, match=r"table\.parquet: is not a Parquet file, or is damaged"):
            learn_counts(path, "y")

    def test_a_parquet_file_damaged_in_the_middle(self, tmp_path):
        paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
        for path in paths:
            pq.write_table(
                pa.Table.from_pandas(frame()),
                path,
                row_group_size=200,
                compression="zstd",
                use_dictionary=False,
            )
        group = pq.read_metadata(paths[1]).row_group(1).column(0)
        damaged = bytearray(paths[1].read_bytes())
        start = group.data_page_offset
        damaged[start : start + group.total_compressed_size] = b"\xff" * group.total_compressed_size
        paths[1].write_bytes(bytes(damaged))
        with pytest.raises(DataError, match=r"b\.parquet: is damaged, and cannot be read after row 200 "):
            learn_counts(tmp_path, "y", batch_rows=100)

    def test_a_column_that_changes_its_type_between_files(self, tmp_path):
        frame().to_parquet(tmp_path / "a.parquet")
        frame().astype({"x": str}).to_parquet(tmp_path / "b.parquet")
        with pytest.raises(
            DataError, match=r"b\.parquet, column 'x': holds large_string here and double in .*a\.pa"
        ):
            learn_counts(tmp_path, "y")

    def test_a_column_that_one_file_lacks(self, tmp_path):
        frame().to_csv(tmp_path / "a.csv", index=False)
        frame().drop(columns="x").to_csv(tmp_path / "b.csv", index=False)
        with pytest.raises(DataError, match=r"b\.csv: has no column 'x', other than .*a\.csv"):
            learn_counts([tmp_path / "a.csv", tmp_path / "b.csv"], "y")

    def test_columns_in_another_order(self, tmp_path):
        frame().to_csv(tmp_path / "a.csv", index=False)
        frame(seed=1)[["y", "colour", "x"]].to_csv(tmp_path / "b.csv", index=False)
        both = pd.concat([frame(), frame(seed=1)])
        both.to_csv(tmp_path / "both.csv", index=False)
        parts = learn_counts([tmp_path / "a.csv", tmp_path / "b.csv"], "y", batch_rows=450)
        assert parts == learn_counts(tmp_path / "both.csv", "y")

    def test_an_infinite_cell_is_named_by_file_and_row(self, tmp_path):
        frame().to_parquet(tmp_path / "a.parquet")
        rows = frame()
        rows.loc[413, "x"] = np.inf
        rows.to_parquet(tmp_path / "b.parquet")
        with pytest.raises(DataError, match=r"b\.parquet, column 'x', row 413: the value is infinite"):
            learn_counts(tmp_path, "y", batch_rows=50)

    def test_a_missing_class_is_named_by_file_and_row(self, tmp_path):
        rows = frame()
        rows.loc[77, "y"] = None
        rows.to_parquet(tmp_path / "a.parquet")
        with pytest.raises(DataError, match=r"a\.parquet, target 'y', row 77: the class is missing"):
            learn_counts(tmp_path / "a.parquet", "y", batch_rows=50)

    def test_an_empty_folder_and_an_empty_pattern(self, tmp_path):
        with pytest.raises(DataError, match="holds no files that can be read"):
            as_batches(tmp_path / "temporary")
        with pytest.raises(DataError, match="no file has such a name"):
            as_batches(str(tmp_path / "*.csv"))

    def test_files_of_two_formats(self, tmp_path):
        frame().to_csv(tmp_path / "a.csv", index=False)
        frame().to_parquet(tmp_path / "b.parquet")
        with pytest.raises(DataError, match="several formats"):
            as_batches(tmp_path)

    def test_hidden_files_of_a_folder_are_passed_over(self, tmp_path):
        folder = tmp_path / "parts"
        folder.mkdir()
        frame().to_csv(folder / "a.csv", index=False)
        (folder / "_SUCCESS").write_text("")
        (folder / ".a.csv").write_text("nothing")
        assert learn_counts(folder, "y").n_rows == 600


class TestInterruption:
    @pytest.mark.parametrize("n_threads", [1, 2])
    def test_a_user_who_has_had_enough(self, tmp_path, n_threads):
        frame().to_csv(tmp_path / "a.csv", index=False)

        def enough(n_rows):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            learn_counts(tmp_path / "a.csv", "y", batch_rows=20, n_threads=n_threads, progress=enough)

    def test_progress_counts_the_rows_of_every_pass(self):
        read = []
        learn_counts(frame(), "y", batch_rows=250, progress=read.append)
        assert read == [250, 250, 100] * 2


class TestOnce:
    def test_a_reader_is_kept_on_disk_for_the_second_pass(self):
        table = pa.Table.from_pandas(frame())
        assert learn_counts(table.to_reader(64), "y") == learn_counts(table, "y")

    def test_a_reader_is_not_read_twice(self):
        batches = as_batches(pa.Table.from_pandas(frame()).to_reader())
        assert sum(batch.n_rows for batch in batches.read(["x"])) == 600
        with pytest.raises(DataError, match=r"only once.*schema="):
            list(batches.read(["x"]))
        frames = as_batches(iter([frame()]))
        list(frames.read(["x"]))
        with pytest.raises(DataError, match=r"only once.*schema="):
            list(frames.read(["x"]))

    def test_dictionaries_that_differ_between_batches_survive_on_disk(self):
        parts = [
            pa.record_batch({"c": pa.array(cells).dictionary_encode(), "y": ["p", "q"]})
            for cells in (["b", "a"], ["c", "b"], ["a", "d"])
        ]
        reader = pa.RecordBatchReader.from_batches(parts[0].schema, iter(parts))
        found = learn_counts(reader, "y")
        assert found.schema.variables[0].values == ("b", "a", "c", "d")
        assert found.of("c").sum(axis=0).tolist() == [2, 2, 1, 1]


class TestFrames:
    def test_frames_of_other_types(self):
        parts = [frame(), frame().astype({"x": str})]
        with pytest.raises(DataError, match=r"frame 1.*column 'x': holds text here and numbers before"):
            learn_counts(parts, "y")

    def test_frames_of_other_columns(self):
        with pytest.raises(SchemaMismatch, match="frame 1: has no column 'x'"):
            learn_counts([frame(), frame().drop(columns="x")], "y")

    def test_no_frames(self):
        with pytest.raises(DataError, match="no frames"):
            learn_counts(iter([]), "y")

    def test_a_lazy_frame_that_cannot_be_computed(self):
        lazy = pl.LazyFrame({"x": ["a", "b"], "y": ["p", "q"]}).with_columns(pl.col("x").cast(pl.Int64))
        with pytest.raises(DataError, match="lazy table cannot be computed"):
            learn_counts(lazy, "y")

    def test_a_relation_that_cannot_be_computed(self):
        relation = duckdb.sql("SELECT CAST('a' || i AS INTEGER) AS x, 'p' AS y FROM range(3) AS t(i)")
        with pytest.raises(DataError, match="the query: cannot be read after row 0"):
            learn_counts(relation, "y")

    def test_names_that_are_not_there(self):
        with pytest.raises(SchemaMismatch, match=r"no column 'z' for the target"):
            learn_counts(frame(), "z")
        with pytest.raises(SchemaMismatch, match=r"no column 'colours' among its 3; did you mean 'colour'"):
            learn_counts(frame(), "y", drop=["colours"])

    def test_drop_and_keep(self):
        assert learn_counts(frame(), "y", drop=["x"]).schema.names == ("colour",)
        assert learn_counts(frame(), "y", keep=["x"]).schema.names == ("x",)


class TestSchemas:
    SCHEMA = Schema(
        [Variable("x", ("any",), "interval"), Variable("colour", ("blue", "red"))], Variable("y", ("p", "q"))
    )

    def test_ignored_values_are_said_once_for_all_batches(self):
        rows = frame()
        green = int((rows["colour"] == "green").sum())
        first = int((rows["colour"] == "green").to_numpy().argmax())
        with pytest.warns(IgnoredValues) as told:
            counts = learn_counts(rows, "y", schema=self.SCHEMA, batch_rows=40)
        assert len(told) == 1
        assert f"column 'colour', row {first}: value 'green'" in str(told[0].message)
        assert f"{green} such cells" in str(told[0].message)
        assert counts.value_counts[:, -1].sum() == green

    def test_unknown_values_may_be_refused(self):
        with pytest.raises(UnknownValue, match=r"column 'colour', row .*'green' is not in the schema"):
            learn_counts(frame(), "y", schema=self.SCHEMA, handle_unknown="error")

    def test_an_unknown_class_is_refused(self):
        schema = Schema(self.SCHEMA.variables[:1], Variable("y", ("p",)))
        with pytest.raises(UnknownValue, match=r"target 'y', row \d+: class 'q' is not in the schema"):
            learn_counts(frame(), "y", schema=schema, drop=["colour"])

    def test_a_missing_class_is_refused(self):
        rows = frame().drop(columns="colour")
        rows.loc[70, "y"] = None
        schema = Schema(self.SCHEMA.variables[:1], Variable("y", ("p", "q")))
        with pytest.raises(DataError, match="target 'y', row 70: the class is missing"):
            learn_counts(rows, "y", schema=schema, batch_rows=40)

    def test_columns_that_the_schema_has_not(self):
        schema = Schema(self.SCHEMA.variables[:1], self.SCHEMA.target)
        with pytest.raises(SchemaMismatch, match="column 'colour' is not in the schema"):
            learn_counts(frame(), "y", schema=schema)
        with pytest.raises(SchemaMismatch, match="column 'colour' is absent"):
            learn_counts(frame().drop(columns="colour"), "y", schema=self.SCHEMA)

    def test_the_class_may_have_another_name_in_the_schema(self):
        schema = Schema(self.SCHEMA.variables[:1], Variable("outcome", ("p", "q")))
        counts = learn_counts(frame(), "y", schema=schema, drop=["colour"])
        assert counts.class_counts.sum() == 600

    def test_a_relation_with_values_that_are_not_listed(self):
        rows = frame().assign(missing=["a", None] * 300)
        relation = duckdb.from_df(rows)
        learned = learn_counts(rows, "y")
        assert learn_counts(relation, "y", schema=learned.schema, batch_rows=50) == learned
        schema = Schema((*self.SCHEMA.variables, Variable("missing", ("a", "it's"))), self.SCHEMA.target)
        with pytest.warns(IgnoredValues, match="value 'green'"):
            expected = learn_counts(rows, "y", schema=schema)
        with pytest.warns(IgnoredValues, match="value 'green'"):
            assert learn_counts(relation, "y", schema=schema, batch_rows=50) == expected

    def test_prediction_warns_once_per_column(self):
        encoder = BatchEncoder(self.SCHEMA)
        rows = pa.record_batch({"x": [1.0] * 30, "colour": ["green"] * 30})
        with pytest.warns(IgnoredValues, match="30 of 30 cells"):
            coded = encoder(rows)
        assert coded.unseen == {"colour": 30}
        assert encoder(rows).codes[:, 1].tolist() == [2] * 30

    def test_a_target_needs_a_class_in_the_schema(self):
        with pytest.raises(InvalidParameter, match="the schema has none to predict"):
            learn_counts(frame(), "y", schema=Schema(self.SCHEMA.variables))


class TestWide:
    def test_identifiers_beyond_the_bound(self, monkeypatch):
        monkeypatch.setattr(column_module, "MAX_DISTINCT", 30)
        rows = frame(40).assign(id=[f"row {i}" for i in range(40)])
        with pytest.warns(IgnoredColumn, match="column 'id': more than 65,535 distinct values look like"):
            counts = learn_counts(rows, "y", batch_rows=16)
        assert counts.schema.variables[2].kind == "ignored"
        with pytest.raises(DataError, match="column 'id': more than 65,535 distinct values"):
            learn_counts(rows, "y", identifiers="error")
        with pytest.raises(DataError, match="column 'id': more than 65,535 distinct values"):
            learn_counts(rows, "y", identifiers="keep")
        with pytest.raises(DataError, match=r"target 'id': more than 65,535 distinct values .* group"):
            learn_counts(rows, "id", keep=["x"])

    def test_strategies_that_cannot_be_exact(self, monkeypatch):
        monkeypatch.setattr(column_module, "MAX_NUMBERS", 30)
        with pytest.raises(
            Infeasible, match="column 'x': cutting strategy 'kmeans' needs all distinct values"
        ):
            learn_counts(frame(), "y", cutting=Cutting("kmeans"))
        with pytest.raises(DataError, match="column 'x': more than 65,535 distinct values"):
            learn_counts(frame(), "y", numeric="category")
        with pytest.raises(DataError, match="column 'x': holds numbers"):
            learn_counts(frame(), "y", numeric="error")

    def test_equal_widths_need_no_more_than_the_bounds(self, monkeypatch):
        cutting = Cutting("width", 7)
        expected = learn_counts(frame(), "y", cutting=cutting)
        monkeypatch.setattr(column_module, "MAX_NUMBERS", 30)
        assert learn_counts(frame(), "y", cutting=cutting, batch_rows=64) == expected


class TestQueries:
    def test_a_query_that_cannot_be_run(self, tmp_path):
        with pytest.raises(DataError, match=r"the query cannot be run .*no_such_table"):
            as_batches(SqlQuery("SELECT * FROM no_such_table"))
        with pytest.raises(InvalidParameter, match="gives no rows; pass one SELECT statement"):
            as_batches(SqlQuery("CREATE TABLE t (i INTEGER)"))
        with pytest.raises(DataError, match="there is no such database"):
            as_batches(SqlQuery("SELECT 1", tmp_path / "absent.duckdb"))
        (tmp_path / "text.duckdb").write_text("no database")
        with pytest.raises(DataError, match=r"text\.duckdb: is neither a DuckDB nor .*name it in the query"):
            as_batches(SqlQuery("SELECT 1", tmp_path / "text.duckdb"))
        (tmp_path / "damaged.duckdb").write_bytes(b"checksumDUCK" + bytes(5000))
        with pytest.raises(DataError, match=r"is not a database that can be opened .*; name a DuckDB"):
            as_batches(SqlQuery("SELECT 1", tmp_path / "damaged.duckdb"))

    def test_a_database_is_only_read(self, tmp_path):
        path = tmp_path / "shop.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE t AS SELECT 1 AS i")
        with pytest.raises(InvalidParameter, match="pass one SELECT statement"):
            as_batches(SqlQuery("INSERT INTO t VALUES (2) RETURNING i", path))

    def test_what_does_not_fit_in_memory_goes_to_temporary_files(self, tmp_path, monkeypatch):
        """Not to the working directory, and not where others can read it."""
        monkeypatch.setattr(sql, "MEMORY", "50MB")
        (tmp_path / "here").mkdir()
        monkeypatch.chdir(tmp_path / "here")
        query = SqlQuery("SELECT hash(i)::VARCHAR AS s FROM range(2_000_000) AS t(i) ORDER BY s")
        with closing(as_batches(query, batch_rows=1000)) as batches, closing(batches.read(["s"])) as rows:
            next(rows)
            (directory,) = (tmp_path / "temporary").iterdir()
            assert any((directory / "spill").iterdir())
            assert stat.S_IMODE(directory.stat().st_mode) == 0o700
            assert list((tmp_path / "here").iterdir()) == []

    def test_one_database_is_read_by_several_queries_at_a_time(self, tmp_path):
        path = tmp_path / "shop.v2.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE sales AS SELECT i, i % 2 AS y FROM range(6) AS t(i)")
        queries = [SqlQuery(f"FROM sales WHERE i % 3 = {k}", path) for k in range(3)]
        assert learn_counts(queries, "y").n_rows == 6

    def test_names_that_are_not_utf8(self, tmp_path):
        path = tmp_path / os.fsdecode(b"s\xff.duckdb")
        with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
            connection.execute("CREATE TABLE sales AS SELECT 1 AS i")
        (tmp_path / "shop.duckdb").rename(path)
        with pytest.raises(DataError, match=r"s\\udcff\.duckdb: the path is not UTF-8; rename"):
            as_batches(SqlQuery("FROM sales", path))
        with pytest.raises(InvalidParameter, match=r"is not UTF-8; name only files that are"):
            SqlQuery(f"FROM '{path}'")

    def test_sqlite_with_and_without_its_extension(self, tmp_path):
        import sqlite3

        path = tmp_path / "shop.db"
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE t (i INTEGER, y TEXT)")
            connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, "p"), (2, "q"), (2, "p")])
        connection.close()
        query = SqlQuery("SELECT * FROM t", path)
        if _has_extension("sqlite"):
            assert learn_counts(query, "y").of("i").tolist() == [[1, 1], [0, 1]]
        else:
            with pytest.raises(DataError, match=r"SQLite databases are read with .*INSTALL sqlite"):
                learn_counts(query, "y")

    def test_postgres_without_its_extension(self):
        if _has_extension("postgres"):
            pytest.skip("the extension is installed; a server is needed to go on")
        with pytest.raises(DataError, match=r"PostgreSQL databases are read with .*INSTALL postgres"):
            as_batches(SqlQuery("SELECT 1", "postgresql://nobody@localhost/nothing"))


def _has_extension(name):
    installed = "SELECT installed FROM duckdb_extensions() WHERE starts_with(extension_name, ?)"
    return bool(duckdb.execute(installed, [name]).fetchall()[0][0])
