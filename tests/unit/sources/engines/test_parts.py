"""Tables in several parts, rows that can be read only once, and what is no table at all."""

import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import codelength
from codelength import FiniteMixture, ModelAverage, NaiveBayes, Schema, SqlQuery, as_batches, research
from codelength.counts.stream import learn_counts
from codelength.errors import CodelengthWarning, CollectedRows, DataError, InvalidParameter
from codelength.estimators import TableClassifier
from codelength.sources import as_table

FRAME = pd.DataFrame(
    {
        "x": [0.5, 1.5, 2.5, 1.5, 0.5, 3.5] * 4,
        "colour": ["red", "blue", None, "red", "green", "red"] * 4,
        "y": ["p", "q", "q", "p", "p", "q"] * 4,
    }
)
ROWS = pa.Table.from_pandas(FRAME, preserve_index=False)
EXPECTED = learn_counts(FRAME, "y")


pytestmark = pytest.mark.usefixtures("clean")


@pytest.fixture
def folder(tmp_path):
    """Three files with the rows of the table."""
    folder = tmp_path / "parts"
    folder.mkdir()
    for i in range(3):
        pq.write_table(ROWS.slice(8 * i, 8), folder / f"{i}.parquet", row_group_size=4)
    return folder


class TestEmptyFrames:
    @pytest.mark.parametrize("cuts", [(0, 24), (0, 0, 24), (5, 5, 24), (24, 24), (0, 7, 7, 7, 20, 24)])
    def test_the_rows_are_numbered_as_without(self, cuts):
        frames = [FRAME[start:end] for start, end in zip((0, *cuts), cuts, strict=False)]
        batches = list(as_batches(frames, batch_rows=4).read(["x"]))
        starts = np.cumsum([0, *(batch.n_rows for batch in batches)])
        assert [batch.position for batch in batches] == starts[:-1].tolist()
        assert starts[-1] == 24
        assert learn_counts(frames, "y") == EXPECTED
        assert learn_counts(iter(frames), "y", batch_rows=3) == EXPECTED
        model = NaiveBayes().fit_counts(EXPECTED)
        assert sum(rows.num_rows for rows in model.predict_table(frames)) == 24

    def test_no_rows_in_any(self):
        with pytest.raises(DataError, match="has no rows"):
            learn_counts([FRAME[:0], FRAME[:0]], "y")
        assert list(NaiveBayes().fit_counts(EXPECTED).predict_table([FRAME[:0]])) == []


class TestLists:
    @pytest.mark.parametrize(
        "part",
        [
            lambda rows: pl.from_arrow(rows).lazy(),
            ds.dataset,
            lambda rows: ds.dataset(rows).scanner(),
            lambda rows: rows.to_reader(3),
            duckdb.from_arrow,
        ],
        ids=["lazy", "dataset", "scanner", "reader", "relation"],
    )
    def test_of_anything_that_is_read_in_batches(self, part):
        halves = [ROWS.slice(0, 10), ROWS.slice(10)]
        assert learn_counts([part(half) for half in halves], "y", batch_rows=7) == EXPECTED
        assert learn_counts((part(half) for half in halves), "y", batch_rows=7) == EXPECTED
        assert learn_counts(lambda: [part(half) for half in halves], "y", batch_rows=7) == EXPECTED

    def test_of_iterators_in_an_iterator(self):
        """The first frame is not lost when names are looked for."""
        inner = [iter([FRAME[:4], FRAME[4:10]]), iter([FRAME[10:]])]
        assert learn_counts(iter(inner), "y", batch_rows=7) == EXPECTED

    def test_of_queries_and_of_paths(self, folder):
        paths = sorted(folder.iterdir())
        queries = [SqlQuery(f"FROM '{path}'") for path in paths]
        assert learn_counts(queries, "y") == EXPECTED
        assert learn_counts(iter(paths), "y") == EXPECTED
        for path in paths:
            pq.read_table(path).to_pandas().to_csv(path.with_suffix(".csv"), index=False)
        assert learn_counts(iter(sorted(folder.glob("*.csv"))), "y") == EXPECTED
        broken = FRAME.assign(x=[*FRAME["x"][:-1], np.inf])
        with pytest.raises(DataError, match=r"frame 1, column 'x', row 23: the value is infinite"):
            learn_counts([FRAME, broken], "y")
        broken.to_parquet(folder / "broken.parquet")
        with pytest.raises(DataError, match=r"frame 1, .*broken\.parquet, column 'x', row 23: the value is"):
            learn_counts(iter([FRAME, folder / "broken.parquet"]), "y")

    def test_a_reader_that_a_function_gives_again_is_refused(self):
        reader = ROWS.to_reader(5)
        with pytest.raises(DataError, match=r"frame 1: its rows can be read only once, and were"):
            learn_counts(lambda: [FRAME, reader], "y")

    def test_an_item_that_is_no_frame(self):
        with pytest.raises(DataError, match=r"frame 1: None is not a frame"):
            learn_counts([FRAME, None, FRAME], "y")


class TestOnce:
    @pytest.mark.parametrize("source", [lambda: ROWS.to_reader(5), lambda: iter([FRAME[:9], FRAME[9:]])])
    def test_classes_that_a_schema_lacks_are_looked_for_beforehand(self, source):
        schema = Schema(EXPECTED.schema.variables)
        found = NaiveBayes(schema=schema).fit_table(source(), "y").counts_
        assert found == EXPECTED

    def test_a_reader_that_somebody_else_has_read(self):
        model = NaiveBayes().fit_counts(EXPECTED)
        reader = ROWS.to_reader(5)
        assert sum(rows.num_rows for rows in model.predict_table(reader)) == 24
        with pytest.warns(CodelengthWarning, match="gave no rows, and a reader gives them only once"):
            assert list(model.predict_table(reader)) == []
        with pytest.warns(CodelengthWarning, match="only once"):
            model.evaluate_table(reader, leave_one_out=False)
        with pytest.warns(CodelengthWarning, match="only once"):
            NaiveBayes(schema=EXPECTED.schema).fit_table(reader, "y")

    def test_a_stream_of_the_caller_leaves_nothing_on_disk(self):
        batches = as_batches(ROWS.to_reader(5))
        assert learn_counts(batches, "y") == EXPECTED
        assert list(Path(tempfile.gettempdir()).iterdir()) == []

    def test_scanners(self):
        scanner = ds.dataset(ROWS).scanner(filter=pc.field("y") == "p", columns=["y", "colour"])
        chosen = FRAME[FRAME["y"] == "p"][["y", "colour"]]
        assert learn_counts(scanner, "colour", drop=["y"]) == learn_counts(chosen, "colour", drop=["y"])
        with pytest.warns(CollectedRows):
            assert as_table(ds.dataset(ROWS).scanner()).n_rows == 24


class TestDatasets:
    def test_a_column_of_another_type_is_named(self, folder):
        dataset = ds.dataset(folder)
        texts = ROWS.slice(8, 8)
        pq.write_table(texts.set_column(0, "x", pa.array(["none"] * 8)), folder / "1.parquet")
        with pytest.raises(
            DataError, match=r"1\.parquet, column 'x': holds string here and double in the dataset .*convert"
        ):
            learn_counts(dataset, "y", batch_rows=3)

    def test_whole_numbers_among_others_are_not_what_is_wrong(self, folder):
        whole = ROWS.slice(8, 8).set_column(0, "x", pa.array(range(8)))
        pq.write_table(whole, folder / "1.parquet", compression="none")
        dataset = ds.dataset(folder)
        assert learn_counts(dataset, "y").n_rows == 24
        colour = pq.read_metadata(folder / "1.parquet").row_group(0).column(1)
        damaged = bytearray((folder / "1.parquet").read_bytes())
        start, size = colour.dictionary_page_offset, colour.total_compressed_size
        damaged[start : start + size] = b"\xff" * size
        (folder / "1.parquet").write_bytes(bytes(damaged))
        with pytest.raises(DataError, match=r"1\.parquet: cannot be read after row 0 "):
            learn_counts(dataset, "y")

    def test_a_file_that_is_damaged_is_named(self, folder):
        dataset = ds.dataset(folder)
        whole = (folder / "1.parquet").read_bytes()
        (folder / "1.parquet").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(DataError, match=r"1\.parquet: cannot be read after row 0 .*mend it"):
            learn_counts(dataset, "y", batch_rows=3)

    def test_a_cell_that_cannot_be_used_is_named_by_file(self, folder):
        rows = ROWS.slice(8, 8).to_pandas()
        rows.loc[3, "x"] = np.inf
        rows.to_parquet(folder / "1.parquet", index=False)
        with pytest.raises(DataError, match=r"1\.parquet, column 'x', row 3: the value is infinite"):
            learn_counts(ds.dataset(folder), "y", batch_rows=3)

    def test_chosen_rows_and_parts_by_folder(self, folder):
        chosen = ds.dataset(folder).filter(pc.field("x") > 1)
        assert learn_counts(chosen, "y") == learn_counts(FRAME[FRAME["x"] > 1], "y")
        ds.write_dataset(
            ROWS,
            folder / "by",
            format="parquet",
            partitioning=ds.partitioning(pa.schema([("y", pa.string())]), flavor="hive"),
        )
        found = learn_counts(ds.dataset(folder / "by", partitioning="hive"), "y")
        assert found == learn_counts(FRAME.sort_values("y", kind="stable"), "y")
        both = ds.dataset(
            [ds.dataset(ROWS.slice(0, 8)), ds.dataset([folder / "1.parquet", folder / "2.parquet"])]
        )
        assert learn_counts(both, "y") == EXPECTED


class TestMessages:
    @pytest.mark.parametrize("scan", [pl.scan_csv, pl.scan_parquet])
    def test_a_lazy_table_whose_file_is_not_there(self, tmp_path, scan):
        lazy = scan(tmp_path / "nope")
        with pytest.raises(DataError, match=r"the lazy table cannot be computed.*nope.*mend the query"):
            NaiveBayes().fit_table(lazy, "y")

    def test_a_lazy_table_that_breaks_late(self, folder):
        lazy = pl.scan_parquet(folder / "*.parquet")
        whole = bytearray((folder / "2.parquet").read_bytes())
        whole[4:84] = b"\xff" * 80
        (folder / "2.parquet").write_bytes(bytes(whole))
        with pytest.raises(
            DataError,
            match=r"cannot be computed after row \d+ .*pass their paths instead of it to be told which",
        ):
            learn_counts(lazy, "y", batch_rows=3)

    @pytest.mark.parametrize(
        ("source", "said"),
        [
            (None, r"None is not a table; pass a data frame"),
            (5, r"5 \(int\) is not a table; pass a data frame"),
            (object(), r"an object of type object is not a table"),
            ([], r"\[\] has no rows, so it is not a table"),
            ("connection", r"a DuckDB connection is not a table; pass a query, connection\.sql"),
        ],
    )
    def test_what_is_no_table(self, source, said):
        if source == "connection":
            source = duckdb.connect()
        model = NaiveBayes().fit_counts(EXPECTED)
        for call in (
            lambda: NaiveBayes().fit_table(source, "y"),
            lambda: NaiveBayes().fit(source, "y"),
            lambda: model.predict(source),
            lambda: model.evaluate_table(source, leave_one_out=True),
        ):
            with pytest.raises(DataError, match=f"^{said}"):
                call()

    def test_what_only_batches_take(self, folder):
        paths = sorted(folder.iterdir())
        sources = {
            "is a directory": folder,
            "is a pattern": str(folder / "*.parquet"),
            "a list of files": [str(path) for path in paths],
            "a list of frames": [FRAME, FRAME],
            "an iterator": iter([FRAME]),
            "a function": lambda: [FRAME],
            "a query": SqlQuery("SELECT 1 AS x"),
        }
        model = NaiveBayes().fit_counts(EXPECTED)
        for said, source in sources.items():
            with pytest.raises(DataError, match=rf"{said}.*fit_table of NaiveBayes.*call one of these"):
                ModelAverage().fit(source, "y")
            with pytest.raises(DataError, match=rf"{said}.*predict_table.*call one of these"):
                model.predict(source)
        with pytest.raises(DataError, match=r"no such file: 'parts\.parquet'; pass a table"):
            NaiveBayes().fit("parts.parquet", "y")

    def test_the_models_that_are_named_are_those_that_read_batches(self):
        """What a warning recommends is there."""
        with pytest.warns(CollectedRows) as told:
            ModelAverage().fit(pl.from_pandas(FRAME).lazy(), "y")
        said = str(told[0].message)
        public = [getattr(home, name) for home in (codelength, research) for name in home.__all__]
        classes = [each for each in public if isinstance(each, type)]
        able = {each.__name__ for each in classes if hasattr(each, "fit_table")}
        assert able == {NaiveBayes.__name__, FiniteMixture.__name__}
        assert "fit_table of NaiveBayes and FiniteMixture" in said
        models = [each for each in classes if issubclass(each, (TableClassifier, FiniteMixture))]
        assert len(models) >= 7
        assert all(hasattr(each, "predict_table") for each in models)

    def test_queries_of_several_statements(self):
        with pytest.raises(InvalidParameter, match="holds 2 statements; pass one SELECT statement"):
            as_batches(SqlQuery("SELECT 1; SELECT 2"))
        with pytest.raises(InvalidParameter, match="holds 0 statements; pass one SELECT statement"):
            as_batches(SqlQuery("-- nothing"))

    def test_a_truncated_parquet_file(self, folder):
        whole = (folder / "0.parquet").read_bytes()
        (folder / "0.parquet").write_bytes(whole[: len(whole) // 2])
        for call in (NaiveBayes().fit, NaiveBayes().fit_table):
            with pytest.raises(DataError, match=r"0\.parquet: is not a Parquet file, .*; write it again"):
                call(folder / "0.parquet", "y")


CHANGES = {
    "a value": (
        lambda frame: frame.replace("green", "purple"),
        r"'colour', row 4: 'purple' was not there",
    ),
    "rows": (lambda frame: frame[:-1], r"it had 24 rows and has 23 now"),
    "all rows": (lambda frame: frame[:0], r"it had 24 rows and has 0 now"),
}


class TestRowsThatChange:
    """The schema of one pass does not fit the rows of the next."""

    @staticmethod
    def changing(change):
        frames = iter([[FRAME], *[[change(FRAME)]] * 9])
        return lambda: next(frames)

    @pytest.mark.parametrize("change", CHANGES)
    @pytest.mark.parametrize("weights", [None, "x"])
    def test_is_refused(self, change, weights):
        change, said = CHANGES[change]
        message = rf"changes from one pass to the next \(.*{said}.*write them to a file"
        with pytest.raises(DataError, match=message):
            learn_counts(self.changing(change), "y", weights=weights)
        with pytest.raises(DataError, match=message):
            FiniteMixture(1).fit_table(self.changing(change), weights=weights)

    def test_cells_that_go_missing(self):
        change = lambda frame: frame.assign(colour=frame["colour"].replace("green", None))  # noqa: E731
        with pytest.raises(DataError, match=r"column 'colour' had 20 present cells and has 16 now"):
            learn_counts(self.changing(change), "y")

    def test_queries(self, tmp_path):
        """A query about files that somebody writes to, here between two passes."""
        FRAME.to_csv(tmp_path / "t.csv", index=False)

        def write(n_rows):
            FRAME.replace("green", "purple").to_csv(tmp_path / "t.csv", index=False)

        query = SqlQuery(f"FROM '{tmp_path / 't.csv'}'")
        with pytest.raises(DataError, match=r"the query: changes from one pass to the next"):
            learn_counts(query, "y", progress=write)
