"""One table in many libraries: the same schema, the same counts, the same predictions."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength import NaiveBayes
from codelength.table import infer_schema

pytestmark = pytest.mark.filterwarnings("ignore::codelength.errors.CollectedRows")

quick = settings(max_examples=25)

TEXT = ["red", "blue", "grün", None, "red", "", "blue", "nan"]
WHOLE = [3, 1, 2, 3, 1, 2, 1, 3]
FLOAT = [0.5, 1.25, -2.0, 7.5, 3.25, 0.75, 9.5, 4.0]
TRUTH = [True, False, True, True, False, False, True, False]
GAPS = [3, None, 2, 3, None, 2, 1, 3]
COLUMNS = {"text": TEXT, "whole": WHOLE, "float": FLOAT, "truth": TRUTH, "gaps": GAPS}
TARGET = ["yes", "no", "yes", "no", "no", "yes", "yes", "no"]


def rows_of(columns):
    return [list(row) for row in zip(*columns.values(), strict=True)]


def objects(columns):
    array = np.empty((len(TARGET), len(columns)), dtype=object)
    array[:] = rows_of(columns)
    return array


FORMS = {
    "dict": lambda columns: columns,
    "dict of arrays": lambda columns: {name: np.array(cells, object) for name, cells in columns.items()},
    "list of lists": rows_of,
    "list of tuples": lambda columns: [tuple(row) for row in rows_of(columns)],
    "object array": objects,
    "pandas": pd.DataFrame,
    "pandas object": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "pandas other index": lambda columns: pd.DataFrame(columns, index=list("hgfedcba")),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "polars categorical": lambda columns: pl.DataFrame(columns).with_columns(
        pl.col(pl.String).cast(pl.Categorical)
    ),
    "arrow": pa.table,
    "arrow record batch": pa.RecordBatch.from_pydict,
    "arrow in pieces": lambda columns: pa.concat_tables([pa.table(columns)[:3], pa.table(columns)[3:]]),
}
NAMELESS = {"list of lists", "list of tuples", "object array"}
by_form = pytest.mark.parametrize("form", FORMS)


def essence(schema):
    """What a schema says about the columns, whatever their names and however it was found."""
    return [
        (variable.values, [type(value) for value in variable.values], variable.kind, variable.cuts)
        for variable in schema.variables
    ]


@by_form
@pytest.mark.parametrize("options", [{}, {"missing": "value"}, {"numeric": "category"}], ids=str)
def test_one_table_in_many_forms(form, options):
    table = FORMS[form](COLUMNS)
    plain = NaiveBayes(**options).fit(COLUMNS, TARGET)
    model = NaiveBayes(**options).fit(table, TARGET)
    assert essence(model.schema_) == essence(plain.schema_)
    assert model.schema_.names == (
        plain.schema_.names if form not in NAMELESS else ("x0", "x1", "x2", "x3", "x4")
    )
    np.testing.assert_array_equal(model.counts_.value_counts, plain.counts_.value_counts)
    np.testing.assert_array_equal(model.predict_log_proba(table), plain.predict_log_proba(COLUMNS))
    assert model.code_length_ == plain.code_length_


@by_form
def test_a_model_predicts_every_form(form):
    """Fitted on one library and asked with another."""
    model = NaiveBayes().fit(COLUMNS, TARGET)
    table, expected = FORMS[form](COLUMNS), model.predict_proba(COLUMNS)
    if form in NAMELESS:
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            np.testing.assert_array_equal(model.predict_proba(table), expected)
    else:
        np.testing.assert_array_equal(model.predict_proba(table), expected)


TARGETS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "object array": lambda cells: np.array(cells, dtype=object),
    "pandas": pd.Series,
    "pandas object": lambda cells: pd.Series(cells, dtype=object),
    "pandas nullable": lambda cells: pd.Series(cells).convert_dtypes(),
    "pandas arrow": lambda cells: pd.Series(cells).convert_dtypes(dtype_backend="pyarrow"),
    "pandas category": lambda cells: pd.Series(cells, dtype="category"),
    "pandas Categorical": pd.Categorical,
    "pandas Index": pd.Index,
    "polars": lambda cells: pl.Series("y", cells),
    "arrow": pa.array,
    "arrow chunked": lambda cells: pa.chunked_array([cells[:3], cells[3:]]),
}
CLASSES = {
    "text": TARGET,
    "whole": WHOLE,
    "truth": TRUTH,
    "whole floats": [float(cell) for cell in WHOLE],
}


@pytest.mark.parametrize("form", TARGETS)
@pytest.mark.parametrize("kind", CLASSES)
def test_one_target_in_many_forms(form, kind):
    cells, table = CLASSES[kind], {"text": TEXT}
    model = NaiveBayes().fit(table, TARGETS[form](cells))
    assert model.classes_.tolist() == sorted(set(cells))
    expected = NaiveBayes().fit(table, cells)
    np.testing.assert_array_equal(model.predict_proba(table), expected.predict_proba(table))
    assert model.predict(table).tolist() == expected.predict(table).tolist()
    if kind != "whole floats":  # some of the libraries make whole numbers of them
        assert {type(label) for label in model.predict(table).tolist()} == {type(cells[0])}


@pytest.mark.parametrize(
    "cells",
    [
        np.array([3.0, np.nan, 2.0, 3.0, np.nan, 2.0, 1.0, 3.0]),
        pd.array(GAPS, dtype="Int64"),
        pd.array(GAPS, dtype="Int8"),
        pd.array(GAPS, dtype="Float32"),
        pd.Series(GAPS, dtype=object),
        pl.Series(GAPS),
        pl.Series(GAPS, dtype=pl.UInt8),
        pa.array(GAPS),
        np.ma.masked_array([3, 0, 2, 3, 0, 2, 1, 3], mask=[cell is None for cell in GAPS]),
        GAPS,
    ],
    ids=lambda cells: f"{type(cells).__module__} {getattr(cells, 'dtype', '')}",
)
def test_whole_numbers_with_gaps(cells):
    """However a library says missing, the numbers beside it stay whole."""
    model = NaiveBayes().fit({"gaps": cells}, TARGET)
    assert model.schema_.variables[0].values == (1, 2, 3)
    assert all(type(value) is int for value in model.schema_.variables[0].values)
    plain = {"gaps": [3, 2, 3, 2, 1, 3]}
    expected = NaiveBayes().fit(plain, [label for label, cell in zip(TARGET, GAPS, strict=True) if cell])
    np.testing.assert_array_equal(model.counts_.of(0), expected.counts_.of(0))
    model.predict_proba(plain)


@pytest.mark.parametrize("dtype", ["bool", "boolean", "bool[pyarrow]", "object"])
def test_truth_values_are_a_domain_of_two(dtype):
    """A column of booleans can be false even where every row is true, with and without gaps."""
    frames = [pd.DataFrame({"flag": pd.Series([True] * 8, dtype=dtype)})]
    if dtype != "bool":
        frames.append(pd.DataFrame({"flag": pd.Series([True, None] * 4, dtype=dtype)}))
    for frame in frames:
        assert infer_schema(frame).variables[0].values == (False, True)


def test_truth_values_with_gaps_are_a_domain_of_two_elsewhere():
    for table in (
        {"flag": np.array([True, True])},
        {"flag": [True, True]},
        {"flag": [True, None]},
        pl.DataFrame({"flag": [True, True]}),
        pl.DataFrame({"flag": [True, None]}),
        pa.table({"flag": [True, None]}),
    ):
        assert infer_schema(table).variables[0].values == (False, True)


DECLARED = {
    "pandas": pd.DataFrame({"c": pd.Categorical(["b", None, "a"], categories=["c", "b", "a", "never"])}),
    "polars": pl.DataFrame({"c": pl.Series(["b", None, "a"], dtype=pl.Enum(["c", "b", "a", "never"]))}),
    "arrow": pa.table(
        {"c": pa.DictionaryArray.from_arrays(pa.array([1, None, 2]), ["c", "b", "a", "never"])}
    ),
}


@pytest.mark.parametrize("library", DECLARED)
def test_declared_domains_are_honoured(library):
    """Values that no row has are in the alphabet, in the order given, and take their share of probability."""
    frame = DECLARED[library]
    model = NaiveBayes().fit(frame, ["yes", "no", "no"])
    variable = model.schema_.variables[0]
    assert variable.values == ("c", "b", "a", "never")
    assert "declared" in variable.origin
    assert model.counts_.of("c").tolist() == [[0, 0, 1, 0], [0, 1, 0, 0]]
    joint = np.exp(model.predict_joint_log_proba({"c": ["never"]}))
    np.testing.assert_allclose(joint, [[3 / 5 / 5, 2 / 5 / 5]])


def test_declared_classes_are_honoured():
    for target in (
        pd.Series(pd.Categorical(["a", "b", "a"], categories=["b", "a", "never"])),
        pd.Categorical(["a", "b", "a"], categories=["b", "a", "never"]),
        pl.Series(["a", "b", "a"], dtype=pl.Enum(["b", "a", "never"])),
    ):
        model = NaiveBayes().fit([["x"], ["y"], ["x"]], target)
        assert model.classes_.tolist() == ["b", "a", "never"]
        np.testing.assert_allclose(model.predict_proba([[None]]), [[2 / 6, 3 / 6, 1 / 6]])


def test_categories_that_are_numbers_stay_numbers():
    frame = pd.DataFrame({"c": pd.Categorical([30, 10, 30], categories=[30, 20, 10])})
    model = NaiveBayes().fit(frame, ["a", "b", "a"])
    assert model.schema_.variables[0].values == (30, 20, 10)
    np.testing.assert_array_equal(model.predict_proba(frame), model.predict_proba({"c": [30, 10, 30]}))


def test_intervals_of_pandas_cut_are_categories():
    """What ``pd.cut`` makes is a declared domain like any other."""
    frame = pd.DataFrame({"size": pd.cut([1.0, 2.0, 9.0, np.nan], [0, 5, 10, 20])})
    variable = NaiveBayes().fit(frame, ["a", "b", "a", "b"]).schema_.variables[0]
    assert variable.values == ("(0, 5]", "(5, 10]", "(10, 20]")


def test_dictionaries_of_several_pieces_are_joined():
    pieces = [pa.array(["x", "y"]).dictionary_encode(), pa.array(["z", "y", None]).dictionary_encode()]
    table = pa.table({"c": pa.chunked_array(pieces)})
    model = NaiveBayes().fit(table, [0, 1, 0, 1, 0])
    codes = {value: code for code, value in enumerate(model.schema_.variables[0].values)}
    assert sorted(codes) == ["x", "y", "z"]
    np.testing.assert_array_equal(model.counts_.of("c")[:, [codes[v] for v in "xyz"]], [[1, 0, 1], [0, 2, 0]])


@pytest.mark.parametrize(
    "nothing",
    [
        pl.DataFrame({"a": [None, None], "b": ["p", "q"]}),
        pa.table({"a": pa.nulls(2), "b": ["p", "q"]}),
        pd.DataFrame({"a": [None, None], "b": ["p", "q"]}),
        pd.DataFrame({"a": [np.nan, np.nan], "b": ["p", "q"]}),
        pd.DataFrame({"a": pd.array([None, None], dtype="Int64"), "b": ["p", "q"]}),
        {"a": [None, None], "b": ["p", "q"]},
    ],
    ids=lambda table: type(table).__module__,
)
def test_a_column_of_nothing_at_prediction_is_missing(nothing):
    """What the error about an absent column recommends: a column of missing cells."""
    model = NaiveBayes().fit({"a": ["x", "y", "x"], "b": ["p", "q", "q"]}, ["yes", "no", "no"])
    without = NaiveBayes().fit({"b": ["p", "q", "q"]}, ["yes", "no", "no"])
    np.testing.assert_allclose(
        model.predict_proba(nothing), without.predict_proba({"b": ["p", "q"]}), rtol=1e-12
    )


@pytest.mark.parametrize(
    "empty",
    [
        {"a": []},
        pd.DataFrame({"a": []}),
        pd.DataFrame({"a": pd.Series([], dtype="str")}),
        pl.DataFrame({"a": []}),
        pl.DataFrame({"a": []}, schema={"a": pl.String}),
        pa.table({"a": pa.array([], pa.string())}),
    ],
    ids=lambda table: type(table).__module__,
)
def test_no_rows_have_no_predictions(empty):
    model = NaiveBayes().fit({"a": ["x", "y", "x"]}, ["yes", "no", "no"])
    assert model.predict_proba(empty).shape == (0, 2)
    assert model.predict(empty).shape == (0,)


def test_only_the_cells_decide_what_a_column_is_not_how_far_down_they_are():
    """A column of objects that begins with many missing cells holds numbers all the same."""
    numbers = [j + 0.5 for j in range(60)]
    kinds = {
        infer_schema(pd.DataFrame({"a": pd.Series([None] * n + numbers, dtype=object)})).variables[0].kind
        for n in (0, 50, 99, 100, 150)
    }
    assert kinds == {"interval"}


values = st.one_of(st.none(), st.sampled_from(["a", "b", "ü", " ", "A", "1", "True"]))


def assert_one_model(frames, n_rows):
    """All forms of one table lead to the same model."""
    labels = np.arange(n_rows) % 2
    models = [NaiveBayes().fit(frame, labels) for frame in frames]
    assert len({model.schema_ for model in models}) == 1
    assert all(model.counts_ == models[0].counts_ for model in models)


@quick
@given(st.lists(values, min_size=1, max_size=20))
def test_any_text_column(cells):
    cells = ["a", *cells]
    frames = (
        {"c": cells},
        pd.DataFrame({"c": cells}, dtype=object),
        pd.DataFrame({"c": pd.array(cells, dtype="string")}),
        pd.DataFrame({"c": pd.Series(cells, dtype="str")}),
        pl.DataFrame({"c": pl.Series(cells, dtype=pl.String)}),
        pa.table({"c": pa.array(cells, pa.large_string())}),
    )
    assert_one_model(frames, len(cells))


@quick
@given(st.lists(st.one_of(st.none(), st.integers(-40, 40)), min_size=1, max_size=40))
def test_any_column_of_whole_numbers(cells):
    cells = [7, *cells]
    frames = (
        {"c": cells},
        pd.DataFrame({"c": pd.array(cells, dtype="Int64")}),
        pd.DataFrame({"c": [np.nan if cell is None else float(cell) for cell in cells]}),
        pl.DataFrame({"c": pl.Series(cells, dtype=pl.Int16)}),
        pl.DataFrame({"c": pl.Series(cells, dtype=pl.Float32)}),
        pa.table({"c": pa.array(cells, pa.int8())}),
    )
    assert_one_model(frames, len(cells))


@quick
@given(st.lists(st.integers(-128, 127), min_size=2, max_size=20))
def test_whole_numbers_of_any_width(cells):
    labels = np.arange(len(cells)) % 2
    schemas = {
        NaiveBayes().fit(np.array(cells, dtype=dtype).reshape(-1, 1), labels).schema_
        for dtype in ("int8", "int16", "int32", "int64", "float32", "float64")
    }
    assert len(schemas) == 1


@pytest.mark.parametrize("dtype", ["uint64", "int64", "object"])
def test_huge_whole_numbers_keep_their_last_digit(dtype):
    low = 2**63 if dtype == "uint64" else 2**62
    column = np.array([low, low + 1, low, low + 1], dtype=dtype).reshape(-1, 1)
    model = NaiveBayes().fit(column, ["a", "b", "a", "b"])
    assert model.schema_.variables[0].n_values == 2
    assert model.predict(column).tolist() == ["a", "b", "a", "b"]
