"""Any table as columns of numbers or of values."""

import datetime
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

from codelength.errors import CollectedRows
from codelength.table.column import Factor, Numbers
from codelength.table.table import as_column, as_table


def cells_of(column):
    """The cells of a column, None where missing."""
    if isinstance(column, Numbers):
        return [
            None if missing else number
            for number, missing in zip(column.numbers.tolist(), column.missing, strict=True)
        ]
    return [None if position < 0 else column.values[position] for position in column.positions]


def test_names_and_their_absence():
    assert as_table({"b": [1], "a": [2]}).names == ("b", "a")
    assert as_table({"b": [1], "a": [2]}).named
    nameless = as_table([[1, 2]])
    assert nameless.names == ("x0", "x1")
    assert not nameless.named


@pytest.mark.parametrize("labels", [[0, 1], [("a", "b"), ("a", "c")], ["a", 1]], ids=repr)
def test_labels_that_are_not_all_text_are_no_names(labels):
    assert as_table(pd.DataFrame([[1, 2]], columns=labels)).names == ("x0", "x1")


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        ([1, 2, 1], Numbers, [1, 2, 1]),
        ([1, None, 2], Numbers, [1, None, 2]),
        ([1.5, float("nan")], Numbers, [1.5, None]),
        (["b", "a", None], Factor, ["b", "a", None]),
        (["b", float("nan")], Factor, ["b", None]),
        ([True, False], Factor, [True, False]),
        ([True, None], Factor, [True, None]),
        (["a", 1, 2.5], Factor, ["a", 1, 2.5]),
        (["a", "nan", "", " "], Factor, ["a", "nan", "", " "]),
        ([None, pd.NA, pd.NaT, "a"], Factor, [None, None, None, "a"]),
        ([datetime.date(2020, 1, 2), None], Factor, ["2020-01-02", None]),
        ([np.int64(1), np.float64(2.5)], Numbers, [1, 2.5]),
        ([np.str_("a"), np.bool_(True)], Factor, ["a", True]),
    ],
    ids=str,
)
def test_what_a_list_of_cells_is(cells, kind, expected):
    column = as_column("c", cells)
    assert isinstance(column, kind)
    assert cells_of(column) == expected


@pytest.mark.parametrize(
    "make", [list, pd.Series, pl.Series, pa.array], ids=["list", "pandas", "polars", "arrow"]
)
def test_decimals_are_numbers(make):
    column = as_column("c", make([Decimal("1.5"), None, Decimal("2.25")]))
    assert isinstance(column, Numbers)
    assert cells_of(column) == [1.5, None, 2.25]


def test_a_decimal_that_is_not_a_number_is_missing():
    assert cells_of(as_column("c", [Decimal("1.5"), Decimal("NaN")])) == [1.5, None]


DAYS = [datetime.datetime(2020, 1, 2), None, datetime.datetime(2020, 1, 3, 4, 5, 6)]


@pytest.mark.parametrize(
    "cells",
    [
        DAYS,
        np.array(DAYS, dtype="datetime64[s]"),
        np.array(DAYS, dtype="datetime64[us]"),
        pd.Series(DAYS),
        pd.Series(DAYS, dtype=object),
        pl.Series(DAYS),
        pa.array(DAYS),
    ],
    ids=["list", "numpy", "numpy us", "pandas", "pandas object", "polars", "arrow"],
)
def test_times_are_the_same_text_in_every_library(cells):
    """Otherwise a model fitted on one library finds nothing but unknown values in another."""
    assert cells_of(as_column("c", cells)) == cells_of(as_column("c", DAYS))


@pytest.mark.parametrize(
    "lazy",
    [
        lambda rows: rows.lazy(),
        lambda rows: pa.dataset.dataset(rows.to_arrow()),
        lambda rows: rows.to_arrow().to_reader(),
        lambda rows: duckdb.from_arrow(rows.to_arrow()),
    ],
    ids=["polars", "dataset", "reader", "duckdb"],
)
def test_rows_that_are_elsewhere_are_collected_and_it_is_said(lazy):
    with pytest.warns(CollectedRows, match="batch after batch"):
        table = as_table(lazy(pl.DataFrame({"a": ["x", None]})))
    assert cells_of(table.columns[0]) == ["x", None]


def test_masked_cells_are_missing():
    table = np.ma.masked_array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    assert [cells_of(column) for column in as_table(table).columns] == [[1, 3], [None, 4]]


def test_taking_rows_drops_values_that_are_gone_unless_they_were_declared():
    rows = np.array([True, False, True])
    seen = as_column("c", ["a", "b", None]).take(rows)
    assert (seen.values, cells_of(seen)) == (("a",), ["a", None])
    declared = as_column("c", pd.Series(["a", "b", None], dtype="category")).take(rows)
    assert (declared.values, cells_of(declared)) == (("a", "b"), ["a", None])


def test_the_table_itself_is_not_changed():
    frame = pd.DataFrame({"a": [1.0, np.nan], "b": ["x", None]})
    before = frame.copy()
    as_table(frame)
    pd.testing.assert_frame_equal(frame, before)
