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

from codelength.errors import CollectedRows, DataError, SchemaMismatch, UnknownValue
from codelength.sources import as_batches, as_table
from codelength.table import Schema, Variable, encode
from codelength.table.column import Factor, Numbers
from codelength.table.table import as_column


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


@pytest.mark.parametrize("labels", [[0, 1], [("a", "b"), ("a", "c")], [3, None]], ids=repr)
def test_labels_that_are_not_text_are_no_names(labels):
    frame = pd.DataFrame([[1, 2]], columns=labels)
    assert as_table(frame).names == as_batches(frame).names == ("x0", "x1")


@pytest.mark.parametrize("labels", [["a", 1], [2.5, "b"], ["a", None], [pd.Timestamp("2020"), "b"]], ids=repr)
@pytest.mark.parametrize("read", [as_table, as_batches])
def test_names_of_which_some_are_not_text_are_refused(labels, read):
    """Without names, predictions would go by position, whatever the order of the columns."""
    with pytest.raises(DataError, match=r"its name is not text, .* frame.columns.astype\(str\)"):
        read(pd.DataFrame([[1, 2]], columns=labels))
    renamed = pd.DataFrame([[1, 2]], columns=list(map(str, labels)))
    assert read(renamed).names == tuple(map(str, labels))


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


def test_rows_keep_their_numbers_in_messages():
    schema = Schema([Variable("a", ("p", "q"))])
    table = as_table({"a": list("pqpqz")}, sample_weight=[1, 0, 1, 1, 1])
    parts = [
        table.take([0, 4]),
        table.take(np.array([False, False, True, True, True])),
        table.take(slice(2, None)).take([-1]),
        table.counted(),
        table.counted().take([3]),
    ]
    for part in (table, *parts):
        with pytest.raises(UnknownValue, match="column 'a', row 4: value 'z'"):
            encode(schema, part, handle_unknown="error")


def test_another_column_as_the_target_leaves_the_former_one_in_the_table():
    table = as_table({"a": [1, 2], "b": ["p", "q"], "c": [3, 4]}, "a")
    other = table.with_target("b")
    assert (other.names, other.target.name) == (("c", "a"), "b")
    assert other.with_target("a").names == ("c", "b")
    assert table.with_target("a").names == table.names
    assert as_table(table, "c").names == ("b", "a")
    assert table.with_target(["x", "y"]).names == ("b", "c")


def test_a_former_target_that_has_the_name_of_a_column_is_refused():
    table = as_table({"y": [1, 2], "b": ["p", "q"]}, ["no", "yes"])
    with pytest.raises(SchemaMismatch, match="duplicate column names"):
        table.with_target("b")


def test_the_table_itself_is_not_changed():
    frame = pd.DataFrame({"a": [1.0, np.nan], "b": ["x", None]})
    before = frame.copy()
    as_table(frame)
    pd.testing.assert_frame_equal(frame, before)
