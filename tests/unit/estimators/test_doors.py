"""What can be passed as a table and as its classes, and what becomes of columns that were not asked for."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from codelength import FiniteMixture, MixtureClassifier, NaiveBayes, load
from codelength.errors import DataError, SchemaMismatch
from codelength.estimators import _batches
from codelength.sources import as_table

# The tables are too small to identify classes, which fits are warned about, and some are lazy.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::codelength.errors.{name}")
    for name in ("DoubtfulFit", "CollectedRows")
]

COLUMNS = {"colour": ["red", "blue", "red", "blue", "red"], "size": [1, 2, 2, 3, 1]}
CLASSES = ["yes", "no", "no", "no", "yes"]
WHOLE = COLUMNS | {"ripe": CLASSES}
QUICK = {"n_init": 2, "random_state": 0}


@pytest.fixture(scope="module")
def expected():
    return NaiveBayes().fit(COLUMNS, CLASSES)


@pytest.fixture
def files(tmp_path):
    pl.DataFrame(WHOLE).write_parquet(tmp_path / "t.parquet")
    pl.DataFrame(WHOLE).write_csv(tmp_path / "t.csv")
    return tmp_path


def rows_of(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


class TestTablesThatNameTheirClass:
    @pytest.mark.parametrize("suffix", ["csv", "parquet"])
    @pytest.mark.parametrize("form", [str, lambda path: path])
    def test_a_file_and_the_name_of_a_column(self, files, expected, suffix, form):
        path = form(files / f"t.{suffix}")
        model = NaiveBayes().fit(path, "ripe")
        assert model.counts_.to_json() == expected.counts_.to_json()
        np.testing.assert_array_equal(model.predict_proba(path), expected.predict_proba(COLUMNS))
        assert (
            model.leave_one_out(path, "ripe").log_score == expected.leave_one_out(COLUMNS, CLASSES).log_score
        )

    @pytest.mark.parametrize(
        "form",
        [dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame, rows_of, lambda columns: tuple(rows_of(columns))],
    )
    def test_a_table_and_the_name_of_a_column(self, expected, form):
        model = NaiveBayes().fit(form(WHOLE), "ripe")
        assert model.counts_.to_json() == expected.counts_.to_json()
        assert model.schema_.target.name == "ripe"
        np.testing.assert_array_equal(model.predict_proba(form(WHOLE)), expected.predict_proba(COLUMNS))

    def test_a_duckdb_relation(self, files, expected):
        relation = duckdb.read_parquet(str(files / "t.parquet"))
        model = NaiveBayes().fit(relation, "ripe")
        assert model.counts_.to_json() == expected.counts_.to_json()
        apart = NaiveBayes().fit(relation.select("colour, size"), relation.select("ripe"))
        assert apart.counts_.to_json() == expected.counts_.to_json()

    @pytest.mark.parametrize("frame", [pl.DataFrame(WHOLE), pl.LazyFrame(WHOLE)], ids=["eager", "lazy"])
    def test_lazy_classes(self, expected, frame):
        for classes in (pl.col("ripe"), pl.LazyFrame({"ripe": CLASSES})):
            table = frame if isinstance(classes, pl.Expr) else frame.drop("ripe")
            assert NaiveBayes().fit(table, classes).counts_.to_json() == expected.counts_.to_json()

    def test_an_expression_says_what_to_pass(self):
        with pytest.raises(DataError, match=r"expression.*frame\.select\(y\)\.to_series\(\)"):
            NaiveBayes().fit(pl.DataFrame(WHOLE), pl.col("ripe") == "yes")

    def test_a_lazy_table_that_cannot_be_computed(self):
        with pytest.raises(DataError, match=r"lazy table cannot be computed.*pass its rows"):
            NaiveBayes().fit(pl.LazyFrame(WHOLE).select("absent"), CLASSES)

    def test_rows_that_lack_a_name_have_a_missing_cell(self):
        table = as_table([{"a": 1, "b": "x"}, {"b": "y", "c": 2.5}])
        assert table.names == ("a", "b", "c")
        assert table.columns[0].missing.tolist() == [False, True]

    @pytest.mark.parametrize("path", ["no such file.csv", "text", "", "a\0b"])
    def test_text_that_is_no_file(self, path):
        with pytest.raises(DataError, match=r"no such file: .*pass a table, or the path of a file \(\.csv"):
            NaiveBayes().fit(path, "ripe")

    def test_a_mixture_leaves_the_named_column_out(self, files):
        alone = FiniteMixture(2, **QUICK).fit(COLUMNS)
        for table in (WHOLE, pl.DataFrame(WHOLE), files / "t.csv", as_table(WHOLE, "ripe")):
            model = FiniteMixture(2, **QUICK).fit(table, None if hasattr(table, "target") else "ripe")
            assert model.schema_.names == alone.schema_.names
            np.testing.assert_array_equal(model.labels_, alone.labels_)

    def test_a_classifier_through_clusters(self, files):
        options = {"candidates": 2, "n_components": 2, "n_orderings": 2, "random_state": 0}
        one = MixtureClassifier(**options).fit(COLUMNS, CLASSES)
        other = MixtureClassifier(**options).fit(files / "t.csv", "ripe")
        np.testing.assert_array_equal(one.predict_proba(COLUMNS), other.predict_proba(files / "t.csv"))

    def test_cells_of_a_file_are_read_as_the_model_knows_them(self, tmp_path):
        """Alone, the file of new rows would be one of numbers."""
        model = NaiveBayes().fit({"zip": ["01", "02", "x"]}, ["p", "q", "p"])
        (tmp_path / "new.csv").write_text("zip\n01\n02\n")
        np.testing.assert_array_equal(
            model.predict_proba(tmp_path / "new.csv"), model.predict_proba({"zip": ["01", "02"]})
        )


class TestFurtherColumns:
    @pytest.mark.parametrize("make", [NaiveBayes, lambda **options: FiniteMixture(2, **QUICK, **options)])
    def test_they_are_passed_over_at_prediction(self, make):
        model = make().fit(COLUMNS, None if isinstance(make(), FiniteMixture) else CLASSES)
        for form in (dict, pd.DataFrame, pl.DataFrame, rows_of):
            np.testing.assert_array_equal(model.predict_proba(form(WHOLE)), model.predict_proba(COLUMNS))
        strict = make(strict=True).fit(COLUMNS, None if isinstance(make(), FiniteMixture) else CLASSES)
        with pytest.raises(SchemaMismatch, match="column 'ripe' is not in the schema"):
            strict.predict(WHOLE)

    def test_arrays_have_as_many_columns_as_in_training(self):
        model = NaiveBayes().fit([["a", 1], ["b", 2]], [0, 1])
        with pytest.raises(SchemaMismatch, match="X has 3 features"):
            model.predict([["a", 1, 2]])

    def test_a_file_remembers(self, tmp_path):
        NaiveBayes(strict=True).fit(COLUMNS, CLASSES).save(tmp_path / "model.json")
        with pytest.raises(SchemaMismatch, match="'ripe'"):
            load(tmp_path / "model.json").predict(WHOLE)

    def test_the_class_of_new_rows_is_not_asked(self, expected):
        """A table may bring classes that the model never saw."""
        table = as_table(COLUMNS, ["never", "seen"] * 2 + ["before"])
        np.testing.assert_array_equal(expected.predict_proba(table), expected.predict_proba(COLUMNS))


def test_a_source_without_a_column_is_closed(monkeypatch):
    """Before it is refused: an engine or a file would stay open."""
    open_batches, closed = _batches.as_batches, []

    def as_batches(*args, **options):
        batches = open_batches(*args, **options)
        monkeypatch.setattr(batches, "close", lambda: closed.append(True))
        return batches

    monkeypatch.setattr(_batches, "as_batches", as_batches)
    model = NaiveBayes().fit({"a": ["x", "y"]}, ["k", "l"])
    with pytest.raises(SchemaMismatch, match="column 'a'"):
        model.predict_table(pa.table({"b": ["x"]}))
    assert closed == [True]
