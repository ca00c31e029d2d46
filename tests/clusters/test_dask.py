"""Dask data frames give the models, the scores and the predictions of the same rows in memory."""

import os
import signal
import time

import numpy as np
import pandas as pd
import pytest

from codelength import FiniteMixture, NaiveBayes
from codelength.counts.stream import learn_counts
from codelength.errors import CollectedRows, DataError, SchemaMismatch
from codelength.sources.profile import column as column_module
from codelength.sources.profile import profile as profile_module
from stream_tables import assert_same, in_memory, mixed_frame, quietly

dask = pytest.importorskip("dask", reason="Dask is not installed")
dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")

OPTIONS = {
    "plain": {},
    "weighted": {"weights": "weight", "missing": "value"},
    "averaged": {"numeric": "average", "identifiers": "keep"},
}


def make_narrow():
    """Columns are wide from 25 distinct numbers on, and samples are small: all passes are needed."""
    column_module.MAX_NUMBERS = 25
    profile_module.sample_size = lambda n_columns: 64


@pytest.fixture
def narrow(monkeypatch, dask_client):
    """Few distinct numbers are many, here and on the workers."""
    usual = column_module.MAX_NUMBERS, profile_module.sample_size

    def restore():
        column_module.MAX_NUMBERS, profile_module.sample_size = usual

    monkeypatch.setattr(column_module, "MAX_NUMBERS", 25)
    monkeypatch.setattr(profile_module, "sample_size", lambda n_columns: 64)
    dask_client.run(make_narrow)
    yield dask_client
    dask_client.run(restore)


@pytest.mark.parametrize("case", OPTIONS)
def test_a_cluster_counts_what_memory_counts(narrow, case):
    options = OPTIONS[case]
    frame = mixed_frame(300)
    # More partitions than are joined at once, so that the tree has two levels.
    spread = dd.from_pandas(frame, npartitions=11)
    n_rows = []
    found = quietly(learn_counts, spread, "class", batch_rows=20, progress=n_rows.append, **options)
    assert_same(found, in_memory(frame, **options))
    assert_same(found, in_memory(spread.compute(), **options))
    assert sum(n_rows) % 300 == 0
    assert sum(n_rows) >= 600


def test_without_a_cluster_threads_do_it():
    frame = mixed_frame(200)
    with dask.config.set(scheduler="threads"):
        found = quietly(learn_counts, dd.from_pandas(frame, npartitions=3), "class")
    assert_same(found, in_memory(frame))


def odd_frame():
    """Objects of many types, which differ from partition to partition."""
    return pd.DataFrame(
        {
            "mixed": np.array([1, 2] * 10 + ["a", "b"] * 10, dtype=object),
            "numbers": np.array([1, 2] * 10 + [None] * 10 + [2.5] * 10, dtype=object),
            "truth": np.array([True] * 40, dtype=object),
            "text": np.array(["u", "v", None, "w"] * 10, dtype=object),
            "day": np.array(
                [pd.Timestamp("2020-01-01").date(), pd.Timestamp("2021-05-01").date()] * 20, object
            ),
            "nothing": np.array([None] * 40, dtype=object),
            "gaps": pd.array([1, None, 3, 4] * 10, dtype="Int32"),
            "arrow": pd.array(["x", None, "y", "x"] * 10, dtype="string[pyarrow]"),
            "known": pd.Categorical(["k", "l"] * 20, ["l", "never", "k"]),
            "class": ["p", "q"] * 20,
        }
    )


def with_local_categories(frame):
    """A column of categories, of which every partition knows only its own."""
    cells = [f"first {frame.index[0]}" if i % 2 else "any" for i in range(len(frame))]
    return frame.assign(own=pd.Categorical(cells))


def test_objects_and_unknown_categories_mean_what_they_mean_in_memory():
    with dask.config.set({"dataframe.convert-string": False, "scheduler": "sync"}):
        spread = dd.from_pandas(odd_frame(), npartitions=4)
        spread = spread.map_partitions(with_local_categories)
        spread["own"] = spread["own"].cat.as_unknown()
        assert not spread["own"].cat.known
        whole = spread.compute()
        found = quietly(learn_counts, spread, "class")
        assert_same(found, in_memory(whole))
        own = found.schema.variables[found.schema.names.index("own")]
        assert own.values == ("any", "first 0", "first 10", "first 20", "first 30")


def test_columns_without_names_are_numbered():
    frame = pd.DataFrame({0: [1, 2, 3] * 5, 1: ["a", "b", "c"] * 5})
    with dask.config.set(scheduler="sync"):
        found = quietly(learn_counts, dd.from_pandas(frame, npartitions=3), "x1")
    assert_same(found, in_memory(frame, "x1"))


def test_models_scores_and_predictions_are_those_of_memory(dask_client):
    frame = mixed_frame(300).drop(columns="id")
    frame.index = np.arange(300) * 2
    spread = dd.from_pandas(frame, npartitions=3)
    model = NaiveBayes().fit(spread, "class")
    expected = NaiveBayes().fit_table(frame, "class")
    assert model.counts_ == expected.counts_
    scores, wanted = (
        one.evaluate_table(two, leave_one_out=True) for one, two in ((model, spread), (expected, frame))
    )
    for score in ("log_score", "accuracy", "brier_score", "calibration_error"):
        assert getattr(scores, score) == pytest.approx(getattr(wanted, score), rel=1e-12, abs=1e-12)
    kept = ["domain", "whole", "moment", "text"]
    predicted = model.predict_table(spread, keep=kept, batch_rows=64)
    assert isinstance(predicted, dd.DataFrame)
    rows = predicted.compute()
    assert rows.dtypes.to_dict() == predicted.dtypes.to_dict() | {"domain": frame["domain"].dtype}
    pd.testing.assert_frame_equal(rows[kept], spread[kept].compute())
    pd.testing.assert_index_equal(rows.index, frame.index)
    in_order = pd.concat([batch.to_pandas() for batch in expected.predict_table(frame)])
    outcomes = list(in_order.columns)
    assert np.array_equal(rows[outcomes].to_numpy(), in_order.to_numpy())


def test_a_mixture_fetches_the_rows():
    frame = mixed_frame(200)[["text", "few", "truth"]]
    with dask.config.set(scheduler="sync"):
        settings = {"n_init": 2, "max_components": 2, "random_state": 0}
        found = FiniteMixture(**settings).fit_table(dd.from_pandas(frame, npartitions=3))
    assert found.criterion_path_ == FiniteMixture(**settings).fit(frame).criterion_path_


def test_an_empty_frame_has_no_rows_that_count():
    frame = mixed_frame(40)
    with dask.config.set(scheduler="sync"):
        spread = dd.from_pandas(frame, npartitions=2)
        empty = spread[spread["few"] > 100]
        with pytest.raises(DataError, match=r"the Dask data frame: has no rows that count"):
            learn_counts(empty, "class")
        # The first partition is left without rows.
        half = spread.map_partitions(lambda part: part[part.index >= 30])
        assert_same(quietly(learn_counts, half, "class"), in_memory(frame.iloc[30:]))


def broken(frame):
    """The second partition has an infinite cell in its sixth row."""
    frame = frame.copy()
    if frame.index[0] == 50:
        frame.loc[55, "real"] = np.inf
    return frame


def test_an_error_on_a_worker_names_partition_and_row(dask_client):
    spread = dd.from_pandas(mixed_frame(100), npartitions=2)
    with pytest.raises(DataError, match=r"^partition 1, column 'real', row 5: the value is infinite"):
        learn_counts(spread.map_partitions(broken), "class")
    changing = spread[["few", "class"]].map_partitions(_text_in_the_second, enforce_metadata=False)
    with pytest.raises(DataError, match=r"^partition 1: column 'few': holds text here and numbers before"):
        learn_counts(changing, "class")
    with pytest.raises(SchemaMismatch, match="no column 'clas'"):
        NaiveBayes().fit_table(spread, "clas")


def _text_in_the_second(frame):
    return frame.assign(few=frame["few"].astype("str")) if len(frame) and frame.index[0] == 50 else frame


def test_what_fails_for_other_reasons_is_told_in_short(dask_client):
    def fail(frame):
        raise RuntimeError("no such disk " + "x" * 5000)

    spread = dd.from_pandas(mixed_frame(40), npartitions=2)
    failing = spread.map_partitions(fail, meta=spread._meta)
    with pytest.raises(DataError, match=r"the Dask data frame cannot be computed .*no such disk") as caught:
        learn_counts(failing, "class")
    assert len(str(caught.value)) < 600


def slowly(frame):
    """A partition that takes its time."""
    time.sleep(0.1)
    return frame


def test_a_worker_that_is_killed_changes_nothing(dask_client):
    frame = mixed_frame(400)
    spread = dd.from_pandas(frame, npartitions=12).map_partitions(slowly)
    expected = in_memory(frame)
    killed = []

    def kill(n_rows):
        if not killed:
            address, pid = next(iter(dask_client.run(os.getpid).items()))
            killed.append((address, pid))
            os.kill(pid, signal.SIGKILL)

    found = quietly(learn_counts, spread, "class", progress=kill)
    assert killed
    assert killed[0][1] not in dask_client.run(os.getpid).values()
    assert_same(found, expected)


def test_an_interrupt_cancels_the_work(dask_client):
    dask_client.wait_for_workers(2)
    frame = mixed_frame(400)
    spread = dd.from_pandas(frame, npartitions=100).map_partitions(slowly)

    def interrupt(n_rows):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_counts(spread, "class", progress=interrupt)
    deadline = time.monotonic() + 20
    while any(dask_client.processing().values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(dask_client.processing().values())


def test_prediction_in_memory_says_that_it_collects():
    frame = mixed_frame(60)[["text", "few", "class"]]
    with dask.config.set(scheduler="sync"):
        spread = dd.from_pandas(frame, npartitions=2)
        model = NaiveBayes().fit(spread, "class")
        with pytest.warns(CollectedRows):
            found = model.predict(spread[["text", "few"]])
    assert list(found) == list(model.predict(frame[["text", "few"]]))


@pytest.mark.long
def test_a_million_rows_are_counted_alike(dask_client, million_rows):
    spread = dd.from_pandas(million_rows.to_pandas(), npartitions=16)
    assert_same(learn_counts(spread, "class"), in_memory(million_rows))
