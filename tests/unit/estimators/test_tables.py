"""Tables of any size: what models learn from batches, predict in batches and score on batches."""

import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset

from codelength import FiniteMixture, ModelAverage, NaiveBayes, Prior, Schema, as_batches
from codelength.errors import DataError, IgnoredValues, InvalidParameter, SchemaMismatch, UndefinedPrediction
from codelength.sources import SqlQuery, as_table

N_ROWS, BATCH = 400, 64


@pytest.fixture(scope="module")
def frame():
    """A table with cells of many kinds."""
    rng = np.random.default_rng(7)
    classes = rng.integers(0, 3, N_ROWS)
    colour = np.where(rng.random(N_ROWS) < 0.3, rng.integers(0, 3, N_ROWS), classes)
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=int(n)) for n in rng.integers(0, 90, N_ROWS)]
    size = np.round(rng.normal(classes, 1.5), 1)
    return pl.DataFrame(
        {
            "id": np.arange(N_ROWS),
            "colour": [None if n % 11 == 0 else f"c{k}" for n, k in enumerate(colour)],
            "size": [None if n % 13 == 0 else float(x) for n, x in enumerate(size)],
            "legs": rng.integers(0, 5, N_ROWS),
            "wild": rng.random(N_ROWS) < 0.2 + 0.2 * classes,
            "day": days,
            "weight": rng.integers(0, 4, N_ROWS),
            "kind": [f"k{k}" for k in classes],
        }
    )


COLUMNS = ["colour", "size", "legs", "wild", "day"]


@pytest.fixture(scope="module")
def files(frame, tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    (place / "parts").mkdir()
    for n, part in enumerate(frame.iter_slices(150)):
        part.write_parquet(place / "parts" / f"{n}.parquet")
    return place / "parts"


SOURCES = {
    "polars": lambda frame, files: frame,
    "polars lazy": lambda frame, files: frame.lazy(),
    "arrow": lambda frame, files: frame.to_arrow(),
    "dataset": lambda frame, files: dataset.dataset(str(files), format="parquet"),
    "reader": lambda frame, files: frame.to_arrow().to_reader(max_chunksize=50),
    "pandas": lambda frame, files: frame.to_pandas(),
    "duckdb": lambda frame, files: duckdb.from_arrow(frame.to_arrow()),
    "query": lambda frame, files: SqlQuery(f"SELECT * FROM '{files}/*.parquet' ORDER BY id"),
    "directory": lambda frame, files: files,
    "pattern": lambda frame, files: f"{files}/*.parquet",
    "frames": lambda frame, files: list(frame.iter_slices(90)),
}


def probs_of(batches, model):
    rows = pa.Table.from_batches(batches)
    names = rows.column_names[-len(model._fitted.outcomes) :]
    return rows, np.column_stack([rows.column(name) for name in names])


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_model_of_the_rows_in_memory(frame, files, source):
    expected = NaiveBayes().fit(frame.select([*COLUMNS, "kind"]), "kind")
    model = NaiveBayes().fit_table(SOURCES[source](frame, files), "kind", keep=COLUMNS, batch_rows=BATCH)
    assert model.counts_ == expected.counts_
    assert [variable.origin for variable in model.schema_.variables] == [
        variable.origin for variable in expected.schema_.variables
    ]
    assert model.code_length_ == expected.code_length_
    made = list(model.predict_table(SOURCES[source](frame, files), keep=["id"], batch_rows=BATCH))
    rows, probs = probs_of(made, model)
    assert rows.column("id").to_pylist() == list(range(N_ROWS))
    assert np.array_equal(probs, expected.predict_proba(frame))
    assert rows.column("class").to_pylist() == expected.predict(frame).tolist()
    found = model.evaluate_table(SOURCES[source](frame, files), leave_one_out=True, batch_rows=BATCH)
    left_out = expected.leave_one_out(frame, "kind")
    for name in ("log_score", "accuracy", "brier_score", "calibration_error"):
        assert getattr(found, name) == pytest.approx(getattr(left_out, name), rel=1e-12)
    assert found.n_rows == N_ROWS


@pytest.mark.parametrize(
    "params",
    [
        {"rule": "map", "missing": "value"},
        {"rule": "stochastic_complexity", "numeric": "discretize"},
        {"rule": "indifferent", "numeric": "category"},
        {"numeric": "average"},
        {"prior": Prior(0.5, 2.0)},
    ],
    ids=str,
)
def test_options_mean_the_same_as_in_memory(frame, params):
    rows = frame.select([*COLUMNS, "kind"])
    expected = NaiveBayes(**params).fit(rows, "kind")
    model = NaiveBayes(**params).fit_table(rows, "kind", batch_rows=BATCH)
    assert model.counts_ == expected.counts_
    _, probs = probs_of(list(model.predict_table(rows, batch_rows=BATCH)), model)
    assert np.array_equal(probs, expected.predict_proba(frame))


def test_weights_are_a_column(frame):
    rows = frame.select([*COLUMNS, "weight", "kind"])
    without = rows.drop("weight")
    expected = NaiveBayes().fit(without, "kind", sample_weight=frame["weight"])
    model = NaiveBayes().fit_table(rows, "kind", weights="weight", batch_rows=BATCH)
    assert model.counts_ == expected.counts_
    found = model.evaluate_table(rows, "kind", leave_one_out=True, weights="weight", batch_rows=BATCH)
    left_out = expected.leave_one_out(without, "kind", sample_weight=frame["weight"])
    assert found.log_score == pytest.approx(left_out.log_score, rel=1e-12)
    assert found.calibration_error == pytest.approx(left_out.calibration_error, rel=1e-9)
    with pytest.raises(DataError, match="fitted with sample_weight"):
        model.evaluate_table(rows, "kind", leave_one_out=True)


def test_a_lazy_frame_is_streamed_by_fit_where_the_class_is_a_column(frame):
    rows = frame.select([*COLUMNS, "kind"])
    expected = NaiveBayes().fit(rows, "kind")
    for lazy in (rows.lazy(), duckdb.from_arrow(rows.to_arrow()), dataset.dataset(rows.to_arrow())):
        assert NaiveBayes().fit(lazy, "kind").counts_ == expected.counts_  # and no word about collecting


def test_counts_that_were_made_elsewhere(frame):
    model = NaiveBayes().fit_table(frame, "kind", keep=COLUMNS)
    for rule in ("map", "evidence"):
        other = NaiveBayes(rule).fit_counts(model.counts_)
        expected = NaiveBayes(rule).fit(frame.select([*COLUMNS, "kind"]), "kind")
        assert np.array_equal(other.predict_proba(frame), expected.predict_proba(frame))
    with pytest.raises(InvalidParameter, match="Counts"):
        NaiveBayes().fit_counts({"colour": [1, 2]})


def test_the_target_of_a_table_or_of_the_schema_need_not_be_named(frame):
    rows = frame.select(["colour", "wild", "kind"])
    expected = NaiveBayes().fit_table(rows, "kind")
    assert NaiveBayes().fit_table(as_table(rows, "kind")).counts_ == expected.counts_
    assert NaiveBayes(schema=expected.schema_).fit_table(rows).counts_ == expected.counts_
    with pytest.raises(InvalidParameter, match="target: expected the name of a column, got None"):
        NaiveBayes().fit_table(rows)


def test_a_schema_without_classes_finds_them(frame):
    rows = frame.select(["colour", "wild", "kind"])
    whole = NaiveBayes().fit(rows, "kind")
    schema = Schema(whole.schema_.variables)
    model = NaiveBayes(schema=schema).fit_table(rows, "kind", batch_rows=BATCH)
    assert model.counts_.value_counts.tolist() == whole.counts_.value_counts.tolist()
    assert model.classes_.tolist() == ["k0", "k1", "k2"]


def test_other_models_predict_and_are_scored_in_batches(frame):
    rows = frame.select(["colour", "wild", "legs", "kind"])
    few = rows.head(120)
    average, mixture = ModelAverage(random_state=0, members=["subsets"]), FiniteMixture(2, random_state=0)
    for model in (average, mixture):
        model.fit(few, "kind")
        made, probs = probs_of(list(model.predict_table(rows, batch_rows=BATCH)), model)
        assert np.allclose(probs, model.predict_proba(rows.drop("kind")), rtol=1e-12, atol=1e-15)
        assert made.num_rows == N_ROWS
        if isinstance(model, ModelAverage):
            found = model.evaluate_table(rows.tail(200), leave_one_out=False, batch_rows=BATCH)
            given = model.predict_proba(rows.tail(200).drop("kind"))
            truth = [model.classes_.tolist().index(label) for label in rows["kind"].tail(200)]
            assert found.log_score == pytest.approx(np.log(given[np.arange(200), truth]).mean(), rel=1e-12)
            with pytest.raises(InvalidParameter, match="leave_one_out=False"):
                model.evaluate_table(rows, leave_one_out=True)


def test_values_that_are_not_known_are_told_once():
    model = NaiveBayes().fit({"colour": ["red", "blue"]}, ["ripe", "raw"])
    rows = pl.DataFrame({"colour": ["pink"] * 100})
    with pytest.warns(IgnoredValues, match="pink") as told:
        made = list(model.predict_table(rows, batch_rows=30))
    assert len(told) == 1
    assert sum(part.num_rows for part in made) == 100
    with pytest.raises(DataError, match="row 0: value 'pink'"):
        list(
            NaiveBayes(handle_unknown="error")
            .fit({"colour": ["red", "blue"]}, ["ripe", "raw"])
            .predict_table(rows)
        )


def test_undefined_rows_are_told_once():
    table = {"a": ["x", "y"], "b": ["x", "y"]}
    model = NaiveBayes("map").fit(table, [0, 1])
    rows = pl.DataFrame({"a": ["x"] * 50, "b": ["y"] * 50})
    with pytest.warns(UndefinedPrediction, match="50 of 50 rows") as told:
        made = list(model.predict_table(rows, batch_rows=20))
    assert len(told) == 1
    assert made[0].column("p_0").to_pylist() == [0.5] * 20


def test_columns_that_go_along_keep_their_types(frame, files, tmp_path):
    model = NaiveBayes().fit_table(frame, "kind", keep=["colour"])
    source = frame.with_columns(pl.col("colour").cast(pl.Categorical)).to_arrow()
    [made] = model.predict_table(source, keep=["day", "colour", "wild"], name="kind of")
    assert made.schema.names == ["day", "colour", "wild", "kind of", "p_k0", "p_k1", "p_k2"]
    assert made.column("day").to_pylist() == frame["day"].to_list()
    assert made.column("colour").to_pylist() == frame["colour"].to_list()
    assert pa.types.is_boolean(made.schema.field("wild").type)
    # Text that goes along from a text file stays as it stands there.
    path = tmp_path / "rows.csv"
    path.write_text("id,colour\n007,c1\n010,c2\n")
    [made] = model.predict_table(path, keep=["id"])
    assert made.column("id").to_pylist() == ["007", "010"]


def test_labels_of_several_types_are_text():
    model = NaiveBayes().fit({"a": ["x", "y", "x"]}, np.array([1, "one", True], dtype=object))
    [made] = model.predict_table({"a": ["x"]})
    assert pa.types.is_string(made.schema.field("class").type)


def test_what_cannot_be_done_is_said(frame):
    rows = frame.select([*COLUMNS, "kind"])
    model = NaiveBayes().fit_table(rows, "kind")
    for call, error, words in [
        (lambda: NaiveBayes(select="evidence").fit_table(rows, "kind"), InvalidParameter, "call fit instead"),
        (
            lambda: NaiveBayes(weighting="relative").fit_table(frame, "kind", weights="weight"),
            InvalidParameter,
            "relative",
        ),
        (lambda: NaiveBayes().fit_table(rows, "sort"), SchemaMismatch, "no column 'sort'"),
        (lambda: NaiveBayes().fit_table(rows, ["kind"]), InvalidParameter, "the name of a column"),
        (lambda: NaiveBayes().fit_table(rows.head(0), "kind"), DataError, "no rows"),
        (lambda: list(model.predict_table(rows.drop("colour"))), SchemaMismatch, "no column 'colour'"),
        (lambda: list(model.predict_table(rows, keep=["price"])), SchemaMismatch, "no column 'price'"),
        (
            lambda: model.evaluate_table(rows.drop("kind"), leave_one_out=True),
            SchemaMismatch,
            "no column 'kind'",
        ),
        (
            lambda: model.evaluate_table(rows.with_columns(kind=pl.lit("k9")), leave_one_out=True),
            DataError,
            "class 'k9'",
        ),
        (lambda: model.evaluate_table(rows, leave_one_out="yes"), InvalidParameter, "leave_one_out"),
        (lambda: NaiveBayes().fit_table(rows, "kind", batch_rows=0), InvalidParameter, "batch_rows"),
    ]:
        with pytest.raises(error, match=words):
            call()
    strict = NaiveBayes(strict=True).fit_table(rows, "kind")
    with pytest.raises(SchemaMismatch, match="'id' is not in the schema"):
        list(strict.predict_table(frame, keep=["kind"]))
    chosen = NaiveBayes(select="evidence").fit(rows.head(100), "kind")
    with pytest.raises(InvalidParameter, match="chosen on these rows"):
        chosen.evaluate_table(rows.head(100), leave_one_out=True)


def test_a_fit_that_fails_leaves_the_model_as_it_was(frame):
    model = NaiveBayes().fit_table(frame, "kind", keep=["colour"])
    before = model.counts_
    with pytest.raises(DataError):
        model.fit_table(frame.with_columns(kind=pl.lit(None, pl.String)), "kind", keep=["colour"])
    assert model.counts_ is before


def test_progress_is_told_and_streams_are_closed(frame):
    told = []
    NaiveBayes().fit_table(frame, "kind", keep=COLUMNS, batch_rows=BATCH, progress=told.append)
    assert sum(told) == 2 * N_ROWS
    batches = as_batches(frame.to_arrow(), batch_rows=BATCH)
    closed = []
    batches.close = lambda: closed.append(True)
    model = NaiveBayes().fit_table(frame, "kind", keep=COLUMNS)
    made = model.predict_table(batches)
    next(made)
    made.close()
    assert closed == [True]


def test_pandas_in_chunks(frame):
    chunks = [part.to_pandas() for part in frame.select([*COLUMNS, "kind"]).iter_slices(100)]
    expected = NaiveBayes().fit(pd.concat(chunks, ignore_index=True), "kind")
    assert NaiveBayes().fit_table(chunks, "kind").counts_ == expected.counts_
