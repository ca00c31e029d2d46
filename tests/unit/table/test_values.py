"""The same value has the same code through every door: containers, frames and files."""

import datetime
import itertools
import json
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codelength import NaiveBayes, SqlQuery
from codelength.errors import DataError, SchemaMismatch
from codelength.sources import as_table, readers
from codelength.sources.readers import read_table
from codelength.table import Schema, Variable, encode, infer_schema
from codelength.table.column import Numbers
from codelength.table.spelling import parse_number, parse_time
from codelength.table.table import as_column
from codelength.table.values import canonical, widened

HELSINKI = datetime.timezone(timedelta(hours=2))
DATES = [datetime.date(2020, 1, 31), None, datetime.date(1969, 12, 31), datetime.date(2020, 1, 31)]
STAMPS = [
    datetime.datetime(2020, 1, 31, 12, 30),
    datetime.datetime(2020, 1, 31),
    None,
    datetime.datetime(2020, 1, 31, 12, 30, 0, 500_000),
    datetime.datetime(1969, 12, 31, 23, 59, 59, 123_456),
]
AWARE = [stamp and stamp.replace(tzinfo=HELSINKI) for stamp in STAMPS]
LARGE = [2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, 7]
UNSIGNED = [2**63, 2**63 + 1, 2**64 - 1, 7]
FRACTIONS = [0.1, 0.25, None, 1e-20, 3.0, -7.75, 1 / 1024]
PRICES = [Decimal("0.1"), Decimal("12.50"), None, Decimal("90071992547.93"), Decimal("-3")]
TRUTHS = [True, None, False, True]
MIXED = [1, "many", 2.5, None, "007", -3, "nan", "True"]
MIXED_TRUTHS = [True, "perhaps", None, False, "no"]

COLUMNS = {
    "dates": DATES,
    "stamps": STAMPS,
    "aware": AWARE,
    "large": LARGE,
    "unsigned": UNSIGNED,
    "fractions": FRACTIONS,
    "prices": PRICES,
    "truths": TRUTHS,
}


def read_batches(*arguments, **options):
    return (table for table, _ in readers.read_batches(*arguments, **options))


class Unavailable(Exception):
    """A library cannot hold this column."""


def objects(cells):
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def numpy_times(cells, unit):
    plain = (
        [cell and cell.astimezone(datetime.UTC).replace(tzinfo=None) for cell in cells]
        if is_aware(cells)
        else cells
    )
    return np.array(plain, dtype=f"datetime64[{unit}]")


def is_aware(cells):
    return getattr(cells[0], "tzinfo", None) is not None


def numpy_array(cells):
    """The array that numpy makes of itself, where it makes one that loses nothing."""
    if isinstance(cells[0], datetime.datetime) and not is_aware(cells):
        return numpy_times(cells, "us")
    if isinstance(cells[0], datetime.date) and not isinstance(cells[0], datetime.datetime):
        return numpy_times(cells, "D")
    if all(isinstance(cell, float) or cell is None for cell in cells):
        return np.array(cells, dtype=np.float64)
    if cells is UNSIGNED:
        return np.array(cells, dtype=np.uint64)
    raise Unavailable


def numpy_scalars(cells):
    """A list of numpy's own scalars."""
    if isinstance(cells[0], datetime.date) and not is_aware(cells):
        return list(numpy_times(cells, "ns"))
    return [
        np.float64(cell) if isinstance(cell, float) else np.bool_(cell) if isinstance(cell, bool) else cell
        for cell in cells
    ]


def masked(cells):
    missing = [cell is None for cell in cells]
    if cells is LARGE:
        return np.ma.masked_array(cells)
    if cells is TRUTHS:
        return np.ma.masked_array([bool(cell) for cell in cells], mask=missing)
    raise Unavailable


def pandas(cells):
    return pd.Series(cells)


def pandas_nullable(cells):
    kinds = {id(LARGE): "Int64", id(UNSIGNED): "UInt64", id(FRACTIONS): "Float64", id(TRUTHS): "boolean"}
    if id(cells) not in kinds:
        raise Unavailable
    return pd.Series(cells, dtype=kinds[id(cells)])


def narrow(cells):
    """Floats of half the width."""
    if cells is not FRACTIONS:
        raise Unavailable
    return np.array(cells, dtype=np.float32)


def decimals(cells):
    if any(not isinstance(cell, (Decimal, type(None))) for cell in cells):
        raise Unavailable
    return list(cells)


def polars(cells):
    return pl.Series(cells, strict=False) if cells is not UNSIGNED else pl.Series(cells, dtype=pl.UInt64)


def arrow(cells):
    return pa.array(cells, pa.uint64() if cells is UNSIGNED else None)


def arrow_units(cells):
    """Arrow times in another unit."""
    if cells is DATES:
        return pa.array(cells, pa.date64())
    if isinstance(cells[0], datetime.datetime):
        array = pa.array(cells)
        return array.cast(pa.timestamp("ns", array.type.tz))
    raise Unavailable


def pandas_arrow(make):
    return lambda cells: pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([make(cells)])))


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "objects": objects,
    "numpy": numpy_array,
    "numpy scalars": numpy_scalars,
    "masked": masked,
    "float32": narrow,
    "decimals": decimals,
    "pandas": pandas,
    "pandas object": lambda cells: pd.Series(cells, dtype=object),
    "pandas nullable": pandas_nullable,
    "pandas category": lambda cells: pd.Series(objects(cells)).astype("category"),
    "pandas arrow": pandas_arrow(arrow),
    "pandas arrow units": pandas_arrow(arrow_units),
    "polars": polars,
    "polars float32": lambda cells: pl.Series(narrow(cells)),
    "arrow": arrow,
    "arrow units": arrow_units,
    "arrow float32": lambda cells: pa.array(narrow(cells), from_pandas=True),
    "arrow dictionary": lambda cells: arrow(cells).dictionary_encode(),
}


def write_pandas_csv(cells, path):
    if cells is UNSIGNED:
        raise Unavailable  # text
    pd.DataFrame({"c": pd.Series(cells, dtype=object), "k": 1}).to_csv(path, index=False)


def write_polars_csv(cells, path):
    if cells is UNSIGNED:
        raise Unavailable  # text
    pl.DataFrame({"c": polars(cells), "k": 1}).write_csv(path)


def write_arrow_parquet(cells, path, make=arrow):
    pq.write_table(pa.table({"c": make(cells)}), path)


def write_polars_parquet(cells, path):
    pl.DataFrame({"c": polars(cells)}).write_parquet(path)


def spelt(cell):
    return cell.isoformat() if hasattr(cell, "isoformat") else cell


def write_json(cells, path):
    if isinstance(cells[0], Decimal) or cells is UNSIGNED:
        raise Unavailable
    path.write_text(json.dumps([{"c": spelt(cell)} for cell in cells]))


def write_arff(cells, path):
    if cells is TRUTHS:
        raise Unavailable
    kind = "numeric" if isinstance(cells[0], (int, float, Decimal)) else "date"
    rows = "".join(f"{'?' if cell is None else spelt(cell)}\n" for cell in cells)
    path.write_text(f"@relation r\n@attribute c {kind}\n@data\n{rows}")


FILES = {
    "pandas csv": (write_pandas_csv, "t.csv"),
    "polars csv": (write_polars_csv, "t.csv"),
    "arrow parquet": (write_arrow_parquet, "t.parquet"),
    "arrow parquet units": (lambda cells, path: write_arrow_parquet(cells, path, arrow_units), "t.parquet"),
    "float32 parquet": (
        lambda cells, path: pq.write_table(pa.table({"c": pa.array(narrow(cells), from_pandas=True)}), path),
        "t.parquet",
    ),
    "polars parquet": (write_polars_parquet, "t.parquet"),
    "json": (write_json, "t.json"),
    "arff": (write_arff, "t.arff"),
}
CANNOT = (
    Unavailable,
    TypeError,
    OverflowError,
    pa.ArrowInvalid,
    pa.ArrowNotImplementedError,
    pa.ArrowTypeError,
    pl.exceptions.PolarsError,
)


def doors(cells, directory):
    """Every way in for a column: how to read it, given the schema that it is to be read for."""
    found = {}
    for name, make in CONTAINERS.items():
        try:
            column = make(cells)
        except CANNOT:
            continue
        found[name] = lambda schema, column=column: as_table({"c": column})
    for name, (write, file) in FILES.items():
        path = directory / name.replace(" ", "-") / file
        path.parent.mkdir()
        try:
            write(cells, path)
        except CANNOT:
            continue
        found[name] = lambda schema, path=path: read_table(path, keep=["c"], kinds=schema)
    return found


def codes_of(schema, table):
    return encode(schema, table, handle_unknown="error").codes[:, 0].tolist()


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_pair_of_doors_agrees(kind, tmp_path):
    """Fitted on what came through one door and asked with what came through another."""
    cells = COLUMNS[kind]
    ways = doors(cells, tmp_path)
    assert len(ways) >= 8, ways.keys()
    undeclared = {
        name: read for name, read in ways.items() if name not in ("pandas category", "arrow dictionary")
    }
    tables = {name: read(None) for name, read in ways.items()}
    schemas = {name: infer_schema(tables[name], numeric="category") for name in ways}
    expected = schemas["list"]
    for name in undeclared:
        assert schemas[name] == expected, name
        assert [type(v) for v in schemas[name].variables[0].values] == [
            type(v) for v in expected.variables[0].values
        ]
    # Doors that lead to one schema need not be asked one by one.
    for schema in set(schemas.values()):
        codes = {tuple(codes_of(schema, read(schema))) for read in ways.values()}
        assert len(codes) == 1, schema


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_door_gives_the_same_intervals(kind, tmp_path):
    ways = doors(COLUMNS[kind], tmp_path)
    del ways["pandas category"]
    ways.pop("arrow dictionary", None)
    if kind in ("large", "unsigned"):
        for read in ways.values():
            with pytest.raises(DataError, match=r"column 'c': whole numbers beyond 2\*\*53.*convert .*text"):
                infer_schema(read(None), numeric="discretize")
        return
    found = {infer_schema(read(None), numeric="discretize") for read in ways.values()}
    assert len(found) == 1


@pytest.mark.parametrize("cells", [MIXED, MIXED_TRUTHS], ids=["numbers", "truth values"])
def test_text_beside_numbers_or_truth_values_is_found_in_files(cells, tmp_path):
    """A file has no types: a cell is the text that it is where that is a value, else what it spells."""
    table = as_table({"c": cells})
    schema = infer_schema(table)
    codes = codes_of(schema, table)
    texts = [
        None if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell) for cell in cells
    ]
    (tmp_path / "t.csv").write_text("c,k\n" + "".join(f"{text or ''},1\n" for text in texts))
    (tmp_path / "t.json").write_text(json.dumps([{"c": cell} for cell in cells]))
    domain = ", ".join(sorted({text for text in texts if text}))
    rows = "".join(f"{text or '?'}\n" for text in texts)
    (tmp_path / "t.arff").write_text(f"@attribute c {{{domain}}}\n@data\n{rows}")
    for path in sorted(tmp_path.iterdir()):
        assert codes_of(schema, read_table(path, keep=["c"], kinds=schema)) == codes, path.name
        batches = [codes_of(schema, batch) for batch in read_batches(path, 2, keep=["c"], kinds=schema)]
        assert list(itertools.chain.from_iterable(batches)) == codes, path.name
    assert infer_schema(read_table(tmp_path / "t.json")) == schema
    for container in (objects(cells), pd.Series(cells, dtype=object)):
        assert codes_of(schema, as_table({"c": container})) == codes


def test_large_files_read_mixed_columns_alike(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("c,k\n" + "many,1\n007,2\n1,3\n2.50,4\n" * 8000)
    schema = Schema([Variable("c", (1, 2.5, "007", "many"))])
    expected = [3, 2, 0, 1] * 8000
    assert codes_of(schema, read_table(path, keep=["c"], kinds=schema)) == expected
    batches = [codes_of(schema, batch) for batch in read_batches(path, 10_001, keep=["c"], kinds=schema)]
    assert list(itertools.chain.from_iterable(batches)) == expected


def test_values_that_no_file_can_tell_apart_are_refused(tmp_path):
    schema = infer_schema({"c": [1, "1", "a"]})
    (tmp_path / "t.csv").write_text("c\n1\n")
    with pytest.raises(DataError, match=r"column 'c': the text '1' and 1 are both values.*tell them apart"):
        read_table(tmp_path / "t.csv", kinds=schema)


def test_large_numbers_are_looked_up_exactly():
    assert codes_of(Schema([Variable("v", (2**53,))]), {"v": [2**53]}) == [0]
    assert encode(Schema([Variable("v", (2**53,))]), {"v": np.array([2**53 + 1])}).codes.tolist() == [[1]]


@pytest.mark.parametrize(
    "columns",
    [
        ([True, 1, 1, True], [1, True, True, 1]),
        ([True, 0, 1, False], [0, True, False, 1]),
        ([1.0, True, "a"], [True, 1, "a"]),
        ([np.bool_(True), np.int64(1), 2], [2, np.int64(1), np.bool_(True)]),
        ([True, float("nan"), False], [float("nan"), False, True]),
        ([Decimal(1), True, 2], [2, True, Decimal(1)]),
    ],
    ids=str,
)
def test_the_order_of_rows_does_not_decide_what_a_column_is(columns):
    one, other = (infer_schema({"v": cells}).variables[0] for cells in columns)
    assert one == other
    assert [type(value) for value in one.values] == [type(value) for value in other.values]


def test_truth_values_beside_numbers_are_numbers():
    column = as_column("v", [True, 2, False])
    assert isinstance(column, Numbers)
    assert column.numbers.tolist() == [1, 2, 0]
    assert as_column("v", [True, "a"]).values == (True, "a")
    assert as_column("v", [True, None]).values == (False, True)


@pytest.mark.parametrize("labels", [[-1, 2**62 + 1], [2**63, 7], [-1, 1], [1.0, 0.0]], ids=str)
@pytest.mark.parametrize("make", [list, objects, lambda cells: pd.Series(cells, dtype=object)])
def test_classes_keep_their_type(labels, make):
    classes = infer_schema({"v": ["a", "b"]}, make(labels)).classes
    assert list(classes) == sorted(labels)
    assert {type(label) for label in classes} == {type(label) for label in labels}


@pytest.mark.parametrize(
    "cells",
    [
        [2**70, 2**70 + 1],
        [Decimal(2**60), Decimal(2**60 + 1)],
        [2**53, 2**53 + 1, 0.5],
        [2**53 + 1, 2**53, None],
        [Decimal("9007199254740993"), Decimal("9007199254740992"), Decimal("0.5")],
        [np.longdouble(2**53), np.longdouble(2**53) + 1],
        [Fraction(2**60), Fraction(2**60 + 1)],
    ],
    ids=str,
)
def test_numbers_that_differ_are_never_one(cells):
    schema = infer_schema({"v": cells}, numeric="category")
    present = [cell for cell in cells if cell is not None]
    assert schema.variables[0].n_values == len(present)
    assert sorted(codes_of(schema, {"v": present})) == list(range(len(present)))


@pytest.mark.parametrize(
    "cells",
    [pl.Series([2**100, 1, None], dtype=pl.Int128), pa.array([Decimal(2**60), Decimal(2**60 + 1)])],
    ids=["polars", "arrow"],
)
def test_whole_numbers_of_128_bits_that_would_lose_digits_are_refused(cells):
    with pytest.raises(DataError, match=r"column 'v': whole numbers beyond 2\*\*53.*convert .*to text"):
        as_column("v", cells)


def test_rows_of_large_numbers_are_exact():
    for rows in ([[2**53, 0.5], [2**53 + 1, 0.5]], [[2**63, -1], [2**63 + 1, -1]]):
        assert infer_schema(rows, numeric="category").variables[0].n_values == 2


@pytest.mark.parametrize("make", [list, objects, pl.Series, pa.array])
def test_decimals_are_the_nearest_floats(make):
    cells = [Decimal("0.1"), Decimal("0.10000000000000000001"), None, Decimal("12.50"), Decimal(3)]
    np.testing.assert_array_equal(as_column("v", make(cells)).numbers, [0.1, 0.1, np.nan, 12.5, 3])


@given(st.lists(st.floats(width=32, allow_nan=True, allow_infinity=False), min_size=1))
def test_a_narrow_float_is_the_shortest_decimal_that_rounds_to_it(cells):
    narrow = np.array(cells, dtype=np.float32)
    wide = widened(narrow)
    np.testing.assert_array_equal(wide.astype(np.float32), narrow)
    for one, other in zip(narrow, wide.tolist(), strict=True):
        if not np.isnan(one) and one != np.floor(one) and np.frexp(one)[0] not in (0.5, -0.5):
            assert other == float(str(one))
        elif not np.isnan(one):
            assert np.float32(other) == one


def test_floats_of_half_width_match_those_of_full_width():
    schema = infer_schema({"v": np.array([0.1, 0.7, 2.5], dtype=np.float32)}, numeric="category")
    assert schema.variables[0].values == (0.1, 0.7, 2.5)
    assert codes_of(schema, {"v": [0.7, 2.5, 0.1]}) == [1, 2, 0]
    of_wide = infer_schema({"v": [0.1, 0.7, 2.5]}, numeric="category")
    assert codes_of(of_wide, {"v": pl.Series([0.7, 2.5, 0.1], dtype=pl.Float32)}) == [1, 2, 0]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", "text"),
        (np.str_("text"), "text"),
        (np.bool_(True), True),
        (3.0, 3),
        (-0.0, 0),
        (np.float64(0.5), 0.5),
        (np.float16(0.5), 0.5),
        (np.longdouble(1) / 4, 0.25),
        (Fraction(1, 4), 0.25),
        (Decimal("1E+2"), 100),
        (Decimal("NaN"), None),
        (float("nan"), None),
        (np.datetime64("NaT"), None),
        (np.timedelta64("NaT"), None),
        (pd.NaT, None),
        (pd.NA, None),
        (np.datetime64("2020-01-31", "ns"), "2020-01-31"),
        (np.datetime64("2020-01"), "2020-01-01"),
        (np.datetime64("2020-01-31T12", "h"), "2020-01-31T12:00:00"),
        (pd.Timestamp("2020-01-31 12:30:00.123456789"), "2020-01-31T12:30:00.123456789"),
        (pd.Timestamp("2020-01-31 12:30", tz="Europe/Helsinki"), "2020-01-31T10:30:00+00:00"),
        (pd.Period("2020-01"), "2020-01"),
        (pd.Interval(0, 1), "(0, 1]"),
    ],
    ids=repr,
)
def test_the_form_of_a_value(value, expected):
    found = canonical(value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2020-01-31", "2020-01-31"),
        ("2020-01-31 00:00:00.000", "2020-01-31"),
        ("2020-01-31T12:30", "2020-01-31T12:30:00"),
        ("2020-01-31T12:30:00.1200", "2020-01-31T12:30:00.12"),
        ("2020-01-31T12:30:00Z", "2020-01-31T12:30:00+00:00"),
        ("2020-01-31T12:30:00-0130", "2020-01-31T14:00:00+00:00"),
        ("2020-01-31T12:30:00+02", "2020-01-31T10:30:00+00:00"),
        ("12:30:00.50", "12:30:00.5"),
        ("3 days 00:00:00", "3 days 00:00:00"),
        ("2020-13-31 12:30:00", "2020-13-31 12:30:00"),
        ("0001-01-01T00:00:00+02", "0001-01-01T00:00:00+02"),
        ("25:00:00", "25:00:00"),
        ("2020-01-31 noon", "2020-01-31 noon"),
        ("", ""),
    ],
)
def test_how_times_are_spelt(text, expected):
    assert parse_time(text) == expected
    assert parse_time(expected) == expected


def test_a_time_is_found_however_it_is_spelt():
    """Text that no library has taken for times, beside times of a library."""
    texts = ["2020-01-31 12:30:00.500", "2020-01-31 00:00:00"]
    stamps = pd.to_datetime(texts, format="ISO8601")
    for fitted, asked in ((texts, stamps), (stamps, texts)):
        schema = infer_schema({"c": pd.Series(fitted)}, numeric="category")
        assert codes_of(schema, {"c": pd.Series(asked)}) == codes_of(schema, {"c": pd.Series(fitted)})
        cut = infer_schema({"c": pd.Series(fitted)}, numeric="discretize")
        assert codes_of(cut, {"c": pd.Series(asked)}) == [1, 0]


def test_text_keeps_its_spelling_as_a_class():
    texts = ["2020-01-31 12:30:00.500", "2020-01-31 00:00:00"]
    assert set(infer_schema({"v": ["a", "b"]}, texts).classes) == set(texts)


def test_names_that_are_one_text_are_refused_also_at_prediction():
    schema = infer_schema({"1": ["a", "b"], "v": ["a", "b"]})
    with pytest.raises(SchemaMismatch, match=r"duplicate column names.*'1'"):
        encode(schema, {1: ["a", "b"], "1": ["b", "a"], "v": ["a", "b"]})


class Unusual:
    """A cell that compares with nothing."""

    def __eq__(self, other):
        raise RuntimeError("no")

    def __hash__(self):
        return 1


DIGITS = 10**5000
FOREIGN = {
    "polars Int128": lambda: pl.DataFrame({"v": pl.Series([2**100, 1, None], dtype=pl.Int128)}),
    "arrow dictionary in pandas": lambda: pd.DataFrame(
        {"v": pd.Series(["a", None], dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))}
    ),
    "arrow dictionary of numbers in pandas": lambda: pd.DataFrame(
        {"v": pd.Series([1, 5], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.int64())))}
    ),
    "arrow dictionary with an unsigned index": lambda: pa.table(
        {"v": pa.DictionaryArray.from_arrays(pa.array([0, None], pa.uint8()), ["a"])}
    ),
    "arrow dictionary with a gap among its values": lambda: pa.table(
        {"v": pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))}
    ),
    "a name twice": lambda: pa.table([[1], [2]], names=["v", "v"]),
    "a name twice in a batch": lambda: pa.RecordBatch.from_arrays(
        [pa.array([1]), pa.array([2])], names=["v", "v"]
    ),
    "many digits": lambda: {"v": [DIGITS, 1]},
    "many digits beside text": lambda: {"v": [DIGITS, "a"]},
    "a decimal beyond floats": lambda: {"v": [Decimal("1e400"), 1]},
    "a decimal of a million digits": lambda: {"v": [Decimal("1e1000000"), 1]},
    "a tiny decimal": lambda: {"v": [Decimal("1e-1000000"), 1]},
    "an infinite decimal": lambda: {"v": [Decimal("Infinity"), 1]},
    "a signalling decimal": lambda: {"v": [Decimal("sNaN"), 1]},
    "a fraction beyond floats": lambda: {"v": [Fraction(10**400, 3), 1]},
    "an infinite long double": lambda: {"v": [np.longdouble("inf"), 1]},
    "a long double beside a decimal": lambda: {"v": [np.longdouble(1), Decimal(1), Decimal("2.5")]},
    "long doubles": lambda: np.array([[1.5], [np.nan]], dtype=np.longdouble),
    "a decimal beside a numpy number": lambda: {"v": [Decimal(1), np.int64(1)]},
    "durations": lambda: {"v": [np.timedelta64(1, "s"), np.timedelta64("NaT"), np.timedelta64(2, "D")]},
    "durations of all units": lambda: {"v": [np.timedelta64(1, "Y"), np.timedelta64(1, "D")]},
    "durations without a unit": lambda: {"v": [np.timedelta64(1), np.timedelta64(2)]},
    "an array of durations without a unit": lambda: {"v": np.array([1, 2], dtype="m8")},
    "stamps of all units": lambda: {"v": [np.datetime64("2020"), np.datetime64("2020-01-01T00:00:00.5")]},
    "stamps without a unit": lambda: {"v": np.array(["NaT"], dtype="M8")},
    "a year of five digits": lambda: {"v": np.array(["20000-01-01"], dtype="datetime64[s]")},
    "aware times at the end of time": lambda: {
        "v": [datetime.datetime.max.replace(tzinfo=datetime.timezone(timedelta(hours=-3)))]
    },
    "a lazy frame that fails": lambda: pl.LazyFrame({"v": ["a"]}).select(pl.col("w")),
    "a lazy frame that fails late": lambda: pl.LazyFrame({"v": ["a"]}).select(pl.col("v").cast(pl.Int64)),
    "a cell that fails to compare": lambda: {"v": objects([Unusual(), Unusual()])},
    "nanoseconds of the day": lambda: pa.table({"v": pa.array([1]).cast(pa.time64("ns"))}),
    "calendar intervals": lambda: pa.table({"v": pa.array([(1, 2, 3)], pa.month_day_nano_interval())}),
    "numpy text of any length": lambda: {"v": np.array(["a", "b"], dtype=np.dtypes.StringDType())},
    "records": lambda: {"v": np.array([(1, 2)], dtype=[("a", int), ("b", int)])},
    "bytes of several kinds": lambda: {"v": [bytearray(b"x"), b"y"]},
    "sparse": lambda: pd.DataFrame({"v": pd.arrays.SparseArray([0, 1, 0])}),
    "half floats": lambda: pa.table({"v": pa.array(np.array([0.5, 1.5], dtype=np.float16))}),
}


@pytest.mark.filterwarnings("ignore::codelength.errors.CollectedRows")
@pytest.mark.parametrize("name", FOREIGN)
def test_nothing_foreign_is_raised(name):
    """Either there is a table, or an error of ours that fits on a line."""
    data = FOREIGN[name]()
    try:
        table = as_table(data)
        schema = infer_schema(table)
        assert encode(schema, table, handle_unknown="error").n_rows == table.n_rows
    except DataError as error:
        assert "\n" not in str(error)  # noqa: PT017
        assert len(str(error)) < 500  # noqa: PT017


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("arrow dictionary in pandas", ["a", None]),
        ("arrow dictionary of numbers in pandas", [1, 5]),
        ("arrow dictionary with a gap among its values", ["a", None]),
        ("a long double beside a decimal", [1, 1, 2.5]),
        ("a decimal beside a numpy number", [1, 1]),
        ("stamps of all units", ["2020-01-01", "2020-01-01T00:00:00.5"]),
        ("numpy text of any length", ["a", "b"]),
    ],
)
def test_what_is_unusual_has_its_value(name, expected):
    column = as_table(FOREIGN[name]()).columns[0]
    cells = [
        None if missing else cell for cell, missing in zip(column.cells.tolist(), column.missing, strict=True)
    ]
    assert cells == expected


@pytest.mark.parametrize("first", [2**53, 2**60])
def test_whole_numbers_that_lose_digits_are_categories_but_not_numbers(first):
    """Identifiers stay apart as categories; whoever means amounts says so with floats."""
    few, many = [first + i for i in range(20)], [first + i for i in range(40)]
    assert infer_schema({"v": few}).variables[0].values == tuple(few)
    assert infer_schema({"v": many}, numeric="category").variables[0].n_values == 40
    frame = pa.table({"v": pa.array(many, pa.int64()), "y": list("pq") * 20})
    refused = r"column 'v': whole numbers beyond 2\*\*53, .*convert the column to text .*to floats .*drop"
    for read in (lambda: infer_schema({"v": many}), lambda: NaiveBayes().fit_table(frame, "y")):
        with pytest.raises(DataError, match=refused):
            read()
    floats = infer_schema({"v": [float(first * i) for i in range(40)]}).variables[0]
    assert floats.kind == "interval"


def test_very_many_whole_numbers_that_lose_digits_are_refused_in_a_stream(monkeypatch):
    """Too many to be kept: what is left of them is their range."""
    monkeypatch.setattr("codelength.sources.profile.column.MAX_NUMBERS", 30)
    monkeypatch.setattr("codelength.sources.profile.column.MAX_DISTINCT", 30)
    classes = list("pq") * 30
    whole = pa.array([2**53 + i for i in range(60)], pa.int64())
    decimals = pa.array([Decimal(2**60 + i) for i in range(60)], pa.decimal128(38, 0))
    for cells in (whole, decimals):
        with pytest.raises(DataError, match=r"column 'v': whole numbers beyond 2\*\*53"):
            NaiveBayes().fit_table(pa.table({"v": cells, "y": classes}), "y", batch_rows=20)
    small = pa.table({"v": pa.array(range(60), pa.int64()), "y": classes})
    assert NaiveBayes().fit_table(small, "y", batch_rows=20).schema_.variables[0].kind == "interval"


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_what_python_writes(number):
    parsed = parse_number(repr(number))
    assert parsed == number
    assert type(parsed) is type(number)


@pytest.mark.parametrize(
    "cells",
    [[Decimal("1E-20000000"), Decimal(0)], [Decimal("0." + "1" * 38), Decimal(1)]],
    ids=["near zero", "fraction"],
)
def test_decimals_are_rounded(cells):
    assert as_column("v", cells).numbers.tolist() == [float(cell) for cell in cells]


@pytest.mark.parametrize(
    "cells",
    [
        [timedelta(seconds=90), None],
        [datetime.time(1, tzinfo=ZoneInfo("Europe/Helsinki"))],
        [datetime.time(12, 30)],
        [np.timedelta64(1, "s")],
        np.array([1, 2], dtype="timedelta64[s]"),
        pd.Series([timedelta(seconds=90)]),
        pl.Series([timedelta(seconds=90)]),
        pl.Series([datetime.time(12, 30)]),
        pa.array([1], pa.duration("ms")),
        pa.array([1], pa.time32("s")),
    ],
    ids=str,
)
def test_times_of_day_and_durations_are_refused(cells):
    with pytest.raises(DataError, match=r"column 'v'.*convert .*to seconds"):
        as_column("v", cells)
    if not isinstance(cells, list):
        table = {"v": cells, "y": ["p"] * len(cells)}
        with pytest.raises(DataError, match=r"column 'v'.*convert .*to seconds"):
            NaiveBayes().fit_table(table, "y")


@pytest.mark.parametrize("sql", ["1::UHUGEINT", "1::BIGNUM"])
def test_types_that_arrow_does_not_have_are_refused(sql):
    relation = duckdb.sql(f"SELECT {sql} AS v, y FROM (VALUES ('p'), ('q')) AS t(y)")
    query = SqlQuery(f"SELECT {sql} AS v, y FROM (VALUES ('p'), ('q')) AS t(y)")
    message = r"column 'v': cells of type .* are not read; cast .*, CAST\(v AS HUGEINT\)"
    with pytest.raises(DataError, match=message):
        as_table(relation)
    for source in (relation, query):
        with pytest.raises(DataError, match=message):
            NaiveBayes().fit_table(source, "y")


@pytest.mark.filterwarnings("ignore::codelength.errors.CollectedRows")
@pytest.mark.parametrize("cell", ["infinity", "-infinity", "0044-03-15 (BC)", "10000-01-01"])
@pytest.mark.parametrize("type_", ["DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S"])
def test_dates_that_are_infinite_or_too_far_away_are_refused(cell, type_, tmp_path):
    relation = duckdb.sql(f"SELECT CAST('{cell}' AS {type_}) AS v, y FROM (VALUES ('p'), ('q')) AS t(y)")
    relation.write_parquet(str(tmp_path / "t.parquet"))
    message = "column 'v': a date is infinite, or not in the years 1 to 9999; replace it"
    for source in (relation, tmp_path / "t.parquet"):
        with pytest.raises(DataError, match=message):
            as_table(source)
        with pytest.raises(DataError, match=message):
            NaiveBayes().fit_table(source, "y")
    with pytest.raises(DataError, match=message):
        as_column("v", np.array(["-0044-03-15", "12000-01-01"], dtype="datetime64[D]"))


def test_the_first_and_the_last_date():
    cells = [datetime.date.min, datetime.date.max]
    schema = infer_schema({"v": cells}, numeric="category")
    assert schema.variables[0].values == ("0001-01-01", "9999-12-31")
    table = pa.table({"v": cells * 2, "y": list("pqpq")})
    assert NaiveBayes(numeric="category").fit_table(table, "y").schema_.variables == schema.variables


def test_both_hours_of_a_change_of_clocks():
    """In Python, times of one zone are equal if their clocks show the same."""
    zone = ZoneInfo("Europe/Helsinki")
    summer = datetime.datetime(2020, 10, 25, 3, 30, tzinfo=zone)
    winter = summer.replace(fold=1)
    expected = ("2020-10-25T00:30:00+00:00", "2020-10-25T01:30:00+00:00")
    cells = [summer, winter, None, summer]
    objects = np.array(cells, dtype=object)
    columns = [
        as_column("v", cells),
        as_column("v", objects),
        as_column("v", pd.Series(objects)),
        as_column("v", pd.Series(pd.to_datetime(cells, utc=True))),
        as_column("v", pl.Series([summer, winter, None, summer]).dt.convert_time_zone("Europe/Helsinki")),
        as_column("v", [*cells[:3], pd.Timestamp(summer)]),
    ]
    for column in columns:
        assert [*column.cells] == [*expected, None, expected[0]]


@pytest.mark.parametrize("form", [list, pa.array], ids=["list", "Arrow"])
def test_decimals_of_more_than_38_digits_are_refused(form):
    """Two that differ in the 45th digit would be one value."""
    cells = form([Decimal(f"1.{'1' * 44}{last}") for last in (1, 2)])
    with pytest.raises(DataError, match=r"column 'x'.*more than 38 digits; convert"):
        as_table({"x": cells} if form is list else pa.table({"x": cells}))
