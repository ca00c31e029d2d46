"""Dates are ordered numbers, cut into intervals like numbers."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from codelength import NaiveBayes, Schema, load
from codelength.errors import DataError, IgnoredValues
from codelength.sources import as_table
from codelength.table import cut_points, encode, infer_schema
from codelength.table.cutting import Cutting, with_intervals_of
from codelength.table.spelling import time_numbers, time_scale

DAYS = [datetime.date(2020, 1, 1) + datetime.timedelta(days=3 * n) for n in range(100)]
STAMPS = [datetime.datetime(2020, 1, 1) + datetime.timedelta(minutes=95 * n) for n in range(100)]
LATE = [False] * 50 + [True] * 50


def variable_of(cells, **options):
    return infer_schema({"when": cells}, **options).variables[0]


def test_dates_are_cut_at_equal_frequency_like_numbers():
    variable = variable_of(DAYS)
    assert (variable.kind, variable.scale) == ("interval", "date")
    assert variable.values == (
        "< 2020-02-29",
        "2020-02-29 to 2020-04-29",
        "2020-04-29 to 2020-06-28",
        "2020-06-28 to 2020-08-27",
        ">= 2020-08-27",
    )
    assert variable.origin == "dates, cut at about equal frequency"
    codes = encode(Schema([variable]), {"when": DAYS}).codes[:, 0]
    days = np.array(DAYS, dtype="datetime64[D]").astype(float)
    np.testing.assert_array_equal(codes, np.searchsorted(cut_points(days), days, side="right"))
    assert np.bincount(codes).tolist() == [20] * 5


@pytest.mark.parametrize(
    "form",
    [
        list,
        lambda cells: [str(cell) for cell in cells],
        lambda cells: [f"{cell} 00:00:00" for cell in cells],
        lambda cells: np.array(cells, dtype="datetime64[D]"),
        lambda cells: pd.to_datetime(pd.Series(cells)),
        pl.Series,
        pa.array,
        lambda cells: [datetime.datetime.combine(cell, datetime.time()) for cell in cells],
    ],
)
def test_every_container_gives_the_same_intervals(form):
    expected = variable_of(DAYS)
    assert variable_of(form(DAYS)) == expected
    codes = encode(Schema([expected]), {"when": form(DAYS)}).codes
    np.testing.assert_array_equal(codes, encode(Schema([expected]), {"when": DAYS}).codes)


def test_files_too(tmp_path):
    frame = pl.DataFrame({"when": DAYS, "late": LATE})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    expected = NaiveBayes().fit({"when": DAYS}, LATE)
    for name in ("t.csv", "t.parquet"):
        model = NaiveBayes().fit(tmp_path / name, "late")
        assert model.schema_.variables == expected.schema_.variables
        np.testing.assert_array_equal(
            model.predict_proba(tmp_path / name), expected.predict_proba({"when": DAYS})
        )


def test_a_model_learns_from_the_order_of_dates(tmp_path):
    model = NaiveBayes().fit({"when": STAMPS}, LATE)
    new = {"when": ["1999-12-31", "2030-01-01T08:00:00", None]}
    assert model.predict(new).tolist() == [False, True, False]
    assert model.unseen({"when": ["soon", "2020-01-02", 5]}) == {"when": 2}
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.schema_ == model.schema_
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))


def test_few_dates_are_categories():
    variable = variable_of(DAYS[:20])
    assert (variable.kind, variable.n_values) == ("category", 20)
    assert variable.origin == "dates, kept as categories"
    assert variable_of(DAYS[:20], numeric="discretize").kind == "interval"
    assert variable_of(DAYS, numeric="category").n_values == 100
    with pytest.raises(DataError, match=r"column 'when': holds dates.*numeric="):
        variable_of(DAYS, numeric="error")


@pytest.mark.parametrize(
    ("cells", "scale", "label"),
    [
        (STAMPS, "date", "< 2020-01-02T06:52:30"),
        ([stamp.replace(tzinfo=datetime.UTC) for stamp in STAMPS], "utc", "< 2020-01-02T06:52:30+00:00"),
    ],
    ids=["date", "utc"],
)
def test_kinds_of_time(cells, scale, label):
    variable = variable_of(cells)
    assert (variable.kind, variable.scale, variable.n_values) == ("interval", scale, 5)
    assert variable.values[0] == label
    assert np.bincount(encode(Schema([variable]), {"when": cells}).codes[:, 0]).tolist() == [20] * 5


def test_cut_points_that_fall_between_two_days_move_to_the_later():
    for strategy in ("frequency", "width", "kmeans"):
        variable = variable_of(DAYS, cutting=Cutting(strategy, 7))
        assert all(cut % 86_400_000_000 == 0 for cut in variable.cuts)
        assert len(set(variable.values)) == variable.n_values


def test_several_kinds_in_a_column_are_categories():
    assert time_scale(["2020-01-31", "12:30:00"]) is None
    assert time_scale(["2020-01-31", "2020-01-31T10:00:00+00:00"]) is None
    assert time_scale(["2020-13-31"]) is None
    assert time_scale([]) is None
    assert time_scale([3]) is None


def test_numbers_are_no_dates():
    variable = variable_of(DAYS)
    assert np.isnan(time_numbers([3, "3", None], "date")).all()
    with pytest.warns(IgnoredValues, match="give it the type it had in training"):
        assert encode(Schema([variable]), {"when": [1.5, 2.5]}).codes[:, 0].tolist() == [5, 5]


def test_missing_dates_are_missing_or_a_value():
    cells = [*DAYS, None]
    assert encode(infer_schema({"c": cells}), {"c": cells}).codes[-1, 0] == 5
    schema = infer_schema({"c": cells}, missing="value")
    assert schema.variables[0].values[-1] is None
    assert encode(schema, {"c": cells}).codes[-1, 0] == 5


def test_intervals_are_learned_again_from_some_rows():
    table = as_table({"when": DAYS})
    coded = encode(infer_schema(table), table)
    rows = np.arange(50)
    learned = with_intervals_of(coded, table, rows)
    assert learned.schema.variables == infer_schema({"when": DAYS[:50]}).variables
    np.testing.assert_array_equal(learned.codes, encode(learned.schema, table).codes)
