"""Spark data frames give the models, the scores and the predictions of the same rows in memory."""

import datetime
import decimal
import os
import signal
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from codelength import FiniteMixture, NaiveBayes
from codelength.counts.stream import learn_counts
from codelength.errors import DataError, SchemaMismatch
from codelength.sources import as_batches
from codelength.table.infer import MAX_VALUES
from stream_tables import assert_same, in_memory, mixed_frame, quietly

pytestmark = pytest.mark.filterwarnings("ignore")

DECIMALS = [decimal.Decimal("1.50"), decimal.Decimal("-2.25"), None]


def table(n_rows=120):
    """A table with a column of every type of Spark's that can be counted; names that need quotes."""
    frame = mixed_frame(n_rows).drop(columns="domain")
    rows = pa.Table.from_pandas(frame, preserve_index=False)
    days = [datetime.date(2020, 1, 1 + i % 28) for i in range(n_rows)]
    local = [datetime.datetime(2020, 1, 1, i % 24) for i in range(n_rows)]
    more = {
        "decimal": pa.array([DECIMALS[i % 3] for i in range(n_rows)], pa.decimal128(10, 2)),
        "wide decimal": pa.array([DECIMALS[i % 2] for i in range(n_rows)], pa.decimal128(38, 10)),
        "date": pa.array(days, pa.date32()),
        "local.time": pa.array(local, pa.timestamp("us")),
        "nothing": pa.array([None] * n_rows, pa.string()),
        "Few": pa.array([i % 3 for i in range(n_rows)], pa.int8()),
        "short `float`": pa.array([i / 7 for i in range(n_rows)], pa.float32()),
    }
    for name, cells in more.items():
        rows = rows.append_column(name, cells)
    return rows


@pytest.fixture(scope="module")
def frames(spark):
    """A data frame of five partitions, and the same rows in memory."""
    frame = spark.createDataFrame(table()).repartition(5).cache()
    return frame, frame.toArrow()


@pytest.mark.parametrize("options", [{}, {"weights": "weight", "missing": "value", "numeric": "average"}])
def test_a_cluster_counts_what_memory_counts(frames, options):
    frame, rows = frames
    n_rows = []
    found = quietly(learn_counts, frame, "class", batch_rows=7, progress=n_rows.append, **options)
    assert_same(found, in_memory(rows, **options))
    assert n_rows == [120, 120]


def test_cut_points_of_wide_columns_are_exact(spark):
    n_rows = MAX_VALUES + 3000
    rng = np.random.default_rng(0)
    numbers = np.where(rng.random(n_rows) < 0.02, 0.0, rng.normal(size=n_rows))
    rows = pa.table({"real": numbers, "class": np.array(["a", "b"])[rng.integers(0, 2, n_rows)]})
    found = learn_counts(spark.createDataFrame(rows).coalesce(2), "class")
    assert_same(found, in_memory(rows))


def test_models_scores_and_predictions_are_those_of_memory(frames):
    frame, rows = frames
    model, expected = NaiveBayes().fit(frame, "class"), NaiveBayes().fit_table(rows, "class")
    assert model.counts_ == expected.counts_
    scores, wanted = (
        one.evaluate_table(two, leave_one_out=True) for one, two in ((model, frame), (expected, rows))
    )
    for score in ("log_score", "accuracy", "brier_score", "calibration_error"):
        assert getattr(scores, score) == pytest.approx(getattr(wanted, score), rel=1e-12, abs=1e-12)
    kept = ["id", "moment", "decimal", "wide decimal", "date", "truth"]
    predicted = model.predict_table(frame, keep=kept, batch_rows=50)
    assert predicted.columns == [*kept, "class", "p_no", "p_perhaps", "p_yes"]
    types = {field.name: field.dataType for field in frame.schema.fields}
    assert {name: predicted.schema[name].dataType for name in kept} == {name: types[name] for name in kept}
    by_id = {row["id"]: row for row in predicted.toArrow().to_pylist()}
    batches = expected.predict_table(rows, keep=kept)
    assert by_id == {row["id"]: row for batch in batches for row in batch.to_pylist()}
    assert (
        predicted.columns == [*kept, "class_", "p_no", "p_perhaps", "p_yes"] or "class" in predicted.columns
    )


def test_a_mixture_fetches_the_rows(frames):
    frame, rows = frames
    columns = ["text", "few", "truth"]
    settings = {"n_init": 2, "max_components": 2, "random_state": 0}
    plain = frame.toDF(*(name if name != "Few" else "third" for name in frame.columns)).select(columns)
    found = FiniteMixture(**settings).fit_table(plain, batch_rows=10)
    assert found.criterion_path_ == FiniteMixture(**settings).fit(rows.select(columns)).criterion_path_
    batches = list(as_batches(plain, batch_rows=10).read(["few"]))
    assert [cell for batch in batches for cell in batch.rows.column(0).to_pylist()] == rows["few"].to_pylist()
    assert max(batch.n_rows for batch in batches) == 10
    assert batches[-1].where.startswith("partition 4, rows ")


def test_an_error_on_a_worker_names_partition_and_row(spark):
    cells = [1.5] * 30
    cells[25] = np.inf
    rows = spark.createDataFrame(pa.table({"size": cells, "class": ["a", "b"] * 15})).coalesce(1)
    with pytest.raises(DataError, match=r"^partition 0, column 'size', row 25: the value is infinite"):
        learn_counts(rows, "class")
    # Of several partitions that fail, the first is told.
    everywhere = rows.selectExpr("size + double('infinity') AS size", "class").repartition(6)
    with pytest.raises(DataError, match=r"^partition 0, column 'size', row 0: the value is infinite"):
        learn_counts(everywhere, "class")
    with pytest.raises(SchemaMismatch, match="no column 'clas'"):
        NaiveBayes().fit_table(rows, "clas")
    with pytest.raises(DataError, match=r"the Spark data frame: has no rows that count"):
        learn_counts(rows.where("size < 0"), "class")
    twice = rows.select("size", "size", "class")
    with pytest.raises(SchemaMismatch, match="duplicate column names"):
        learn_counts(twice, "class")


def test_what_fails_for_other_reasons_is_told_in_short(spark):
    rows = spark.createDataFrame(pa.table({"size": [1, 2], "class": ["a", "b"]}))
    failing = rows.selectExpr("raise_error('no such disk') AS size", "class")
    with pytest.raises(DataError, match=r"the Spark data frame cannot be computed .*no such disk") as caught:
        learn_counts(failing, "class")
    assert len(str(caught.value)) < 600


@pytest.mark.long
def test_an_interrupt_cancels_the_work(spark):
    rows = spark.createDataFrame(pa.table({"size": [1, 2] * 4, "class": ["a", "b"] * 4})).repartition(8)

    def slowly(batches):
        time.sleep(15)
        yield from batches

    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        learn_counts(rows.mapInArrow(slowly, rows.schema), "class")
    tracker, deadline = spark.sparkContext.statusTracker(), time.monotonic() + 20
    while tracker.getActiveJobsIds() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not tracker.getActiveJobsIds()


@pytest.mark.long
def test_a_million_rows_are_counted_alike(spark, million_rows, tmp_path):
    pq.write_table(million_rows, tmp_path / "rows.parquet", row_group_size=100_000)
    frame = spark.read.parquet(str(tmp_path)).repartition(16)
    assert_same(learn_counts(frame, "class"), in_memory(million_rows))
