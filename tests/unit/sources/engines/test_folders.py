"""Folders of files: hidden ones are passed over, names of folders are columns, and lakes are refused."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from codelength import FiniteMixture, NaiveBayes, as_batches
from codelength.counts.stream import learn_counts
from codelength.errors import DataError, SchemaMismatch
from stream_tables import collected

pytestmark = pytest.mark.usefixtures("clean")

FRAME = pd.DataFrame(
    {
        "x": [0, 1, 2, 1, 0, 3] * 4,
        "y": ["p", "q", "q", "p", "p", "q"] * 4,
        "year": [2020, 2020, 2021, 2021, 2021, 2022] * 4,
        "kind": ["a b", "c/d", "c/d", "a b", "a b", "e"] * 4,
    }
)


def write_csv(rows, path):
    rows.to_csv(path, index=False)


def write_json(rows, path):
    rows.to_json(path, orient="records", lines=True)


def write_parquet(rows, path):
    rows.to_parquet(path, index=False)


WRITERS = {".csv": write_csv, ".csv.gz": write_csv, ".jsonl": write_json, ".parquet": write_parquet}


def hive(folder, suffix):
    """The frame in folders by year and kind, in the order in which these are read."""
    for (year, kind), rows in FRAME.groupby(["year", "kind"]):
        part = folder / f"year={year}" / f"kind={kind.replace('/', '%2F')}"
        part.mkdir(parents=True)
        WRITERS[suffix](rows[["x", "y"]], part / f"part{suffix}")
    return FRAME.sort_values(["year", "kind"], kind="stable")


class TestHidden:
    @pytest.mark.parametrize("hidden", [".ipynb_checkpoints", "_old", "deep/.hidden/deeper"])
    @pytest.mark.parametrize("source", ["folder", "pattern"])
    def test_rows_count_once(self, tmp_path, hidden, source):
        folder = tmp_path / "parts"
        (folder / hidden).mkdir(parents=True)
        write_csv(FRAME, folder / "a.csv")
        write_csv(FRAME, folder / hidden / "a-checkpoint.csv")
        write_csv(FRAME, folder / "_a.csv")
        source = folder if source == "folder" else str(folder / "**" / "*.csv")
        assert learn_counts(source, "y") == learn_counts(FRAME, "y")

    def test_that_are_named_are_read(self, tmp_path):
        folder = tmp_path / "_parts"
        folder.mkdir()
        write_csv(FRAME, folder / "_a.csv")
        for source in (folder / "_a.csv", str(folder / "_*.csv"), [folder / "_a.csv"]):
            assert learn_counts(source, "y") == learn_counts(FRAME, "y")
        with pytest.raises(DataError, match="holds no files that can be read"):
            as_batches(folder)
        with pytest.raises(DataError, match="no file has such a name"):
            as_batches(str(folder / "*.csv"))
        (folder / "_a.csv").rename(folder / "a.csv")
        assert learn_counts(folder, "y") == learn_counts(FRAME, "y")


class TestPartitions:
    @pytest.mark.parametrize("suffix", WRITERS)
    def test_are_columns_as_in_memory(self, tmp_path, suffix):
        folder = tmp_path / "hive"
        expected = hive(folder, suffix)
        assert as_batches(folder).names == ("x", "y", "year", "kind")
        for source in (
            folder,
            str(folder / "**" / f"part{suffix}"),
            [folder / f"year={year}" for year in (2020, 2021, 2022)],
            sorted(folder.rglob("*" + suffix)),
        ):
            assert learn_counts(source, "y") == learn_counts(expected, "y")
        assert learn_counts(folder, "year", keep=["kind"]) == learn_counts(expected, "year", keep=["kind"])
        table = collected(folder, "y")
        assert table.column("year").cells.tolist() == expected["year"].tolist()
        assert table.column("kind").cells.tolist() == expected["kind"].tolist()

    def test_are_those_of_pyarrow(self, tmp_path):
        hive(tmp_path / "hive", ".parquet")
        dataset = ds.dataset(tmp_path / "hive", partitioning="hive")
        assert as_batches(dataset).names == as_batches(tmp_path / "hive").names
        assert learn_counts(dataset, "y") == learn_counts(tmp_path / "hive", "y")
        lazy = pl.scan_parquet(tmp_path / "hive")
        assert learn_counts(lazy, "y") == learn_counts(tmp_path / "hive", "y")

    def test_are_not_above_what_is_named(self, tmp_path):
        hive(tmp_path / "hive", ".parquet")
        for part, names in {
            "year=2020": ("x", "y", "kind"),
            "year=2020/kind=a b": ("x", "y"),
            "year=2020/kind=a b/part.parquet": ("x", "y"),
            "year=2020/*/part.parquet": ("x", "y", "kind"),
        }.items():
            assert as_batches(str(tmp_path / "hive" / part)).names == names

    @pytest.mark.parametrize("suffix", [".csv", ".parquet"])
    def test_reach_models(self, tmp_path, suffix, monkeypatch):
        expected = hive(tmp_path / "hive", suffix)
        monkeypatch.chdir(tmp_path)
        model = NaiveBayes().fit_table("hive", "y")
        assert model.counts_ == NaiveBayes().fit_table(expected, "y").counts_
        parts = pa.Table.from_batches(model.predict_table("hive", keep=["kind", "x", "year"]))
        assert parts["kind"].to_pylist() == expected["kind"].tolist()
        assert parts["year"].to_pylist() == expected["year"].tolist()
        assert [int(x) for x in parts["x"].to_pylist()] == expected["x"].tolist()
        probs = model.predict_proba(expected[["x", "year", "kind"]])
        assert parts.column(parts.column_names[-1]).to_pylist() == probs[:, -1].tolist()
        kept = pa.Table.from_batches(model.predict_table("hive", keep=["year"]))
        assert kept.schema.field("year").type == pa.int64()
        assert FiniteMixture(1).fit_table("hive").schema_.names == ("x", "y", "year", "kind")

    def test_mean_the_same_under_a_schema(self, tmp_path):
        """A year that was text among others is text alone as well."""
        folder = tmp_path / "hive"
        for year, label in {"2020": "p", "unknown": "q"}.items():
            (folder / f"year={year}").mkdir(parents=True)
            (folder / f"year={year}" / "a.csv").write_text(f"x,y\n1,{label}\n2,{label}\n")
        model = NaiveBayes().fit_table(folder, "y")
        assert model.schema_.variables[1].values == ("2020", "unknown")
        (alone,) = model.predict_table(str(folder / "*2020" / "a.csv"))
        assert alone.column(0).to_pylist() == ["p", "p"]

    def test_without_a_value(self, tmp_path):
        for year in ("2020", "__HIVE_DEFAULT_PARTITION__", "?"):
            (tmp_path / "hive" / f"year={year}").mkdir(parents=True)
            (tmp_path / "hive" / f"year={year}" / "a.csv").write_text("x,y\n1,p\n2,q\n")
        column = collected(tmp_path / "hive").column("year")
        assert column.missing.tolist() == [False, False, True, True, True, True]

    def test_that_differ_are_refused(self, tmp_path):
        hive(tmp_path / "hive", ".csv")
        write_csv(FRAME[["x", "y"]], tmp_path / "hive" / "z.csv")
        with pytest.raises(DataError, match=r"z\.csv: its folders spell other columns.*year=2020"):
            as_batches(tmp_path / "hive")

    def test_that_are_columns_of_the_file_are_refused(self, tmp_path):
        (tmp_path / "hive" / "year=2020").mkdir(parents=True)
        write_csv(FRAME, tmp_path / "hive" / "year=2020" / "a.csv")
        with pytest.raises(DataError, match=r"a\.csv: column 'year' is in the file and in the name of its"):
            as_batches(tmp_path / "hive")

    def test_of_arff_files_are_refused(self, tmp_path):
        (tmp_path / "hive" / "year=2020").mkdir(parents=True)
        path = tmp_path / "hive" / "year=2020" / "a.arff"
        path.write_text("@relation a\n@attribute x numeric\n@data\n1\n2\n")
        with pytest.raises(DataError, match="ARFF files are read one at a time; name one"):
            as_batches(tmp_path / "hive")
        assert as_batches(path).names == ("x",)

    def test_that_are_not_there(self, tmp_path):
        hive(tmp_path / "hive", ".csv")
        with pytest.raises(SchemaMismatch, match=r"has no column 'years'.*'year'"):
            learn_counts(tmp_path / "hive", "y", drop=["years"])


class TestLakes:
    @pytest.mark.parametrize("source", ["table", "table/*.parquet", "table/year=2020", "."])
    def test_a_delta_table_is_refused(self, tmp_path, source, monkeypatch):
        """Rows that were deleted are still in its files."""
        log = tmp_path / "lake" / "table" / "_delta_log"
        log.mkdir(parents=True)
        (log / "00000000000000000000.json").write_text('{"commitInfo": {}}\n')
        (log.parent / "year=2020").mkdir()
        write_parquet(FRAME[["x", "y"]], log.parent / "part-0.parquet")
        write_parquet(FRAME[["x", "y"]], log.parent / "year=2020" / "part-0.parquet")
        monkeypatch.chdir(tmp_path / "lake")
        with pytest.raises(DataError, match=r"table: is a Delta Lake table, .*deltalake.*to_pyarrow_dataset"):
            as_batches(source)
        assert learn_counts("table/part-0.parquet", "y").n_rows == len(FRAME)

    def test_an_empty_delta_table(self, tmp_path):
        (tmp_path / "table" / "_delta_log").mkdir(parents=True)
        with pytest.raises(DataError, match="is a Delta Lake table"):
            as_batches(tmp_path / "table")
