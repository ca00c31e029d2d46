"""What cannot be used is refused, and the message says where, what, and what to do about it."""

import datetime
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError

from codelength import MixtureClassifier, ModelAverage, NaiveBayes, Prior, Schema, Variable
from codelength.errors import (
    CodelengthError,
    DataError,
    IgnoredColumn,
    InvalidParameter,
    SchemaMismatch,
    UnknownValue,
)
from codelength.table import encode

TABLE = {"colour": ["red", "blue", "red"], "size": ["s", "m", "m"]}
TARGET = ["yes", "no", "no"]


@pytest.fixture
def model():
    return NaiveBayes().fit(TABLE, TARGET)


def refused(error, match, table, target=TARGET, sample_weight=None, **options):
    with pytest.raises(error, match=match) as caught:
        NaiveBayes(**options).fit(table, target, sample_weight=sample_weight)
    assert "\n" not in str(caught.value)


def type_name(cell):
    return type(cell).__name__


class TestTables:
    @pytest.mark.parametrize(
        "empty",
        [np.empty((0, 2)), {"a": [], "b": []}, pd.DataFrame({"a": []}), pl.DataFrame({"a": ["x"]})[:0]],
    )
    def test_no_rows(self, empty):
        refused(DataError, "no rows", empty, [])

    @pytest.mark.parametrize(
        "empty", [np.empty((3, 0)), {}, pd.DataFrame(index=range(3)), pl.DataFrame(), [[], [], []]]
    )
    def test_no_columns(self, empty):
        refused(DataError, "add a column", empty)

    @pytest.mark.parametrize(
        "table",
        [
            {"a": ["x", "y", "x"], "blank": [None, None, None]},
            {"a": ["x", "y", "x"], "blank": [np.nan, np.nan, np.nan]},
            pd.DataFrame({"a": ["x", "y", "x"], "blank": [None, None, None]}),
            pd.DataFrame({"a": ["x", "y", "x"], "blank": pd.array([pd.NA] * 3, dtype="Int64")}),
            pl.DataFrame({"a": ["x", "y", "x"], "blank": pl.Series([None] * 3, dtype=pl.String)}),
            pl.DataFrame({"a": ["x", "y", "x"], "blank": [None, None, None]}),
            pa.table({"a": ["x", "y", "x"], "blank": pa.nulls(3)}),
        ],
        ids=lambda table: type(table).__module__,
    )
    def test_a_column_without_a_single_value_says_nothing(self, table):
        model, without = NaiveBayes().fit(table, TARGET), NaiveBayes().fit({"a": ["x", "y", "x"]}, TARGET)
        np.testing.assert_array_equal(
            model.predict_proba(table), without.predict_proba({"a": ["x", "y", "x"]})
        )
        assert model.schema_.variables[1].origin == "every cell is missing"

    @pytest.mark.parametrize(
        "table", [np.zeros(3), ["a", "b", "c"], pd.Series([1, 2, 3]), pl.Series([1, 2, 3])]
    )
    def test_one_dimension(self, table):
        refused(DataError, r"2D.*1D", table)

    def test_three_dimensions(self):
        refused(DataError, r"2D.*3D", np.zeros((3, 2, 2)))

    @pytest.mark.parametrize("table", [None, 3, "text", object()])
    def test_no_table_at_all(self, table):
        refused(DataError, r"2D|table", table)

    def test_rows_of_different_lengths(self):
        refused(DataError, "different lengths.*one cell per column", [[1, 2], [1], [2, 3]])

    def test_columns_of_different_lengths(self):
        refused(DataError, "different lengths.*one cell per row", {"a": [1, 2, 3], "b": [1, 2]})

    @pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
    def test_sparse_matrices(self, kind):
        refused(DataError, r"sparse.*toarray", kind(np.eye(3)))

    def test_a_column_may_have_the_name_of_a_method_of_sparse_matrices(self):
        frame = pd.DataFrame({"tocsr": ["x", "y", "x"]})
        assert NaiveBayes().fit(frame, TARGET).schema_.names == ("tocsr",)

    def test_duplicate_names(self, model):
        frame = pd.DataFrame([["x", "p"], ["y", "q"], ["x", "q"]], columns=["colour", "colour"])
        refused(SchemaMismatch, r"duplicate.*'colour'.*rename", frame)
        with pytest.raises(SchemaMismatch, match=r"duplicate.*'colour'"):
            model.predict(frame)

    def test_the_same_name_as_text_and_number(self):
        refused(SchemaMismatch, "duplicate.*'1'", {1: ["x", "y", "x"], "1": ["x", "y", "x"]})

    def test_an_old_matrix_is_a_table(self):
        with pytest.warns(PendingDeprecationWarning):
            table = np.matrix([[1, 2], [2, 2], [1, 3]])
        np.testing.assert_array_equal(
            NaiveBayes().fit(table, TARGET).predict_proba(table),
            NaiveBayes().fit(np.asarray(table), TARGET).predict_proba(np.asarray(table)),
        )


class TestCells:
    @pytest.mark.parametrize("infinite", [np.inf, -np.inf])
    @pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
    def test_infinite_numbers(self, infinite, make):
        refused(
            DataError, r"column 'b', row 2.*infinite.*NaN", make({"a": [1, 2, 3], "b": [1.0, 2.0, infinite]})
        )

    def test_infinite_numbers_among_text(self):
        refused(DataError, r"column 'a'.*inf", {"a": ["x", np.inf, "y"]})

    def test_infinite_numbers_at_prediction(self):
        model = NaiveBayes().fit([[1.5], [2.5], [3.5]], TARGET)
        with pytest.raises(DataError, match=r"column 'x0', row 1.*infinite"):
            model.predict([[1.5], [np.inf]])

    @pytest.mark.parametrize(
        "cell", [[1, 2], {"a": 1}, {1, 2}, np.array([1, 2])], ids=lambda cell: type(cell).__name__
    )
    def test_cells_that_hold_several_values(self, cell):
        column = np.empty(3, dtype=object)
        column[:] = ["x", "y", "x"]
        column[1] = cell
        for table in ({"a": column}, pd.DataFrame({"a": column})):
            refused(DataError, rf"column 'a', row 1.*{type(cell).__name__}", table)

    def test_cells_that_hold_several_values_far_down_a_frame(self):
        """pandas guesses what a column of objects holds from its first cells."""
        frame = pd.DataFrame({"a": pd.Series(["x"] * 150 + [["y"]] * 50, dtype=object)})
        refused(DataError, r"column 'a', row 150.*list", frame, ["yes", "no"] * 100)

    def test_a_list_of_cells_that_are_lists_is_not_called_ragged(self):
        refused(DataError, r"column 'a', row 0.*list", {"a": [["x"], "y", "x"]})

    @pytest.mark.parametrize(
        "cell", [("x", 1), 1j, uuid.UUID(int=7), object()], ids=lambda cell: type(cell).__name__
    )
    def test_cells_of_other_types(self, cell):
        column = np.empty(3, dtype=object)
        column[:] = ["x", "y", "x"]
        column[1] = cell
        refused(DataError, rf"column 'a'.*{type(cell).__name__}.*convert", {"a": column})

    def test_polars_lists_and_structs(self):
        for cells in ([["x"], ["y"], ["x"]], [{"q": 1}, {"q": 2}, {"q": 1}]):
            refused(DataError, r"column 'a'.*(list|struct).*convert", pl.DataFrame({"a": cells}))

    def test_bytes(self):
        refused(DataError, r"column 'a'.*bytes.*decode", {"a": [b"x", b"y", b"x"]})
        refused(DataError, r"column 'a'", pl.DataFrame({"a": [b"x", b"y", b"x"]}))

    def test_bytes_that_are_no_ascii(self):
        refused(DataError, r"column 'x0'.*(bytes|decode)", np.array([[b"caf\xc3\xa9"], [b"b"], [b"c"]]))

    def test_complex_numbers(self):
        refused(DataError, r"column 'a'.*Complex", {"a": np.array([1j, 2, 3])})

    def test_durations_of_any_library(self):
        """pandas' timedeltas are categories by their text; those of polars are no worse."""
        cells = [datetime.timedelta(1), None, datetime.timedelta(2)]
        for frame in (pd.DataFrame({"a": cells}), pl.DataFrame({"a": cells}), pa.table({"a": cells})):
            try:
                assert NaiveBayes().fit(frame, TARGET).schema_.variables[0].n_values == 2
            except DataError as error:
                assert "column 'a'" in str(error)  # noqa: PT017

    def test_a_number_too_large_for_a_float(self):
        refused(DataError, r"column 'x0'", [[10**400], [1], [2]])

    @pytest.mark.parametrize(
        ("library", "n_rows"), [(pd.Series, 1_000_000), (np.array, 100_000), (list, 70_000)]
    )
    def test_a_million_distinct_values(self, library, n_rows):
        table = {"id": library(np.arange(n_rows).astype(str)), "a": np.arange(n_rows) % 3}
        match = "column 'id'.*more than 65,535 distinct.*identifier.*drop"
        for identifiers in ("error", "keep"):
            refused(DataError, match, table, np.arange(n_rows) % 2, identifiers=identifiers)
        with pytest.warns(IgnoredColumn, match=match):
            NaiveBayes().fit(table, np.arange(n_rows) % 2)

    def test_an_error_message_does_not_repeat_a_long_text(self, model):
        strict = NaiveBayes(handle_unknown="error").fit({"a": ["x" * 100_000, "y", "z"]}, TARGET)
        with pytest.raises(UnknownValue, match="column 'a', row 0") as caught:
            strict.predict({"a": ["w" * 100_000]})
        assert len(str(caught.value)) < 2000


class TestColumnsAtPrediction:
    def test_a_column_too_many(self, model):
        more = TABLE | {"weight": ["1", "2", "3"]}
        np.testing.assert_array_equal(model.predict_proba(more), model.predict_proba(TABLE))
        strict = NaiveBayes(strict=True).fit(TABLE, TARGET)
        with pytest.raises(SchemaMismatch, match=r"column 'weight' is not in the schema.*drop"):
            strict.predict(more)

    def test_a_column_too_few_with_one_of_a_near_name(self, model):
        with pytest.raises(
            SchemaMismatch, match=r"column 'colour' is absent.*missing.*did you mean 'color'\?"
        ):
            model.predict({"color": ["red"], "size": ["s"]})

    def test_a_column_too_few_without_one_of_a_near_name(self, model):
        with pytest.raises(SchemaMismatch, match=r"column 'colour' is absent") as caught:
            model.predict({"size": ["s"]})
        assert "did you mean" not in str(caught.value)

    def test_columns_in_another_order(self, model):
        turned = {"size": TABLE["size"], "colour": TABLE["colour"]}
        for form in (dict, pd.DataFrame, pl.DataFrame, pa.table):
            np.testing.assert_array_equal(model.predict_proba(form(turned)), model.predict_proba(TABLE))

    def test_another_number_of_nameless_columns(self):
        model = NaiveBayes().fit([["x", "p"], ["y", "q"]], ["yes", "no"])
        with pytest.raises(SchemaMismatch, match=r"1 features.*expecting 2"):
            model.predict([["x"]])

    @pytest.mark.parametrize("names", [["x0", "other"], ["x1", "x2"], ["a", "b"]])
    def test_names_are_names_even_when_they_look_like_positions(self, names):
        """A frame whose columns happen to be called x0 and x1 is matched by name like any other."""
        model = NaiveBayes().fit(pd.DataFrame({"x0": ["x", "y", "x"], "x1": ["p", "q", "q"]}), TARGET)
        with pytest.raises(SchemaMismatch, match="absent"):
            model.predict(pd.DataFrame([["x", "p"]], columns=names))

    def test_names_on_one_side_only(self, model):
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            model.predict([["red", "s"]])
        nameless = NaiveBayes().fit([["x"], ["y"]], ["yes", "no"])
        with pytest.warns(UserWarning, match="fitted without feature names"):
            nameless.predict({"a": ["x"]})

    def test_an_unfitted_model(self):
        for method in ("predict", "predict_proba", "predict_log_proba", "explain", "is_undefined"):
            with pytest.raises(NotFittedError, match="fit"):
                getattr(NaiveBayes(), method)(TABLE)


class TestTargets:
    def test_no_target(self):
        refused(DataError, "requires y", TABLE, None)

    @pytest.mark.parametrize(
        "target",
        [
            ["yes", None, "no"],
            ("yes", None, "no"),
            ["yes", np.nan, "no"],
            ("yes", np.nan, "no"),
            [1.0, np.nan, 2.0],
            pd.Series(["yes", None, "no"]),
            pd.Series(["yes", None, "no"], dtype="category"),
            pd.Series([1, None, 2], dtype="Int64"),
            pl.Series(["yes", None, "no"]),
            pl.Series([True, None, False]),
            pa.array(["yes", None, "no"]),
        ],
        ids=lambda target: f"{type(target).__module__} {next(iter(target))!r}",
    )
    def test_missing_classes(self, target):
        refused(DataError, r"target.*row 1.*missing.*drop", TABLE, target)

    def test_continuous_numbers(self):
        refused(DataError, r"target.*row 1: 2\.5.*continuous.*convert", TABLE, [1.0, 2.5, 1.0])

    def test_infinite_numbers(self):
        refused(DataError, r"'y', row 1.*infinite", TABLE, [1.0, np.inf, 1.0])

    @pytest.mark.parametrize("sample_weight", [None, [1, 2, 1], [1, 0, 1]])
    @pytest.mark.parametrize("target", [["yes", "no"], ["yes", "no", "no", "yes"]])
    def test_another_length(self, target, sample_weight):
        refused(DataError, rf"3 rows.*{len(target)}", TABLE, target, sample_weight)

    def test_several_columns(self):
        refused(DataError, r"1d.*\(3, 2\)", TABLE, [[1, 2], [2, 1], [1, 1]])

    def test_one_column_is_read_with_a_warning(self):
        with pytest.warns(DataConversionWarning, match="column-vector"):
            assert NaiveBayes().fit(TABLE, np.array([["yes"], ["no"], ["no"]])).n_features_in_ == 2

    @pytest.mark.parametrize("target", [3, {"a": [1, 2, 3]}, b"abc", {1, 2, 3}, object(), iter("abc")])
    def test_no_sequence(self, target):
        refused(DataError, "1d", TABLE, target)

    def test_no_such_column(self):
        refused(
            SchemaMismatch,
            r"no column 'colours'; did you mean 'colour'\?.*one class per row",
            TABLE,
            "colours",
        )

    def test_classes_that_hold_several_values(self):
        refused(DataError, r"y|target", TABLE, [[1], [2, 3], [1]])
        refused(DataError, r"'y', row 1", TABLE, np.array(["yes", {"a": 1}, "no"], dtype=object))

    def test_classes_of_text_and_numbers_keep_their_types_or_are_refused(self):
        """A number that comes back as text is a class that never was."""
        target = [1, "a", 1]
        try:
            predicted = NaiveBayes().fit([["x"], ["y"], ["x"]], target).predict([["x"], ["y"], ["x"]])
        except DataError as error:
            assert "type" in str(error)  # noqa: PT017
        else:
            assert predicted.tolist() == target

    def test_an_unknown_class_in_a_later_batch(self, model):
        with pytest.raises(
            UnknownValue, match=r"target 'y', row 1: class 'maybe'.*'no', 'yes'.*name all classes"
        ):
            model.partial_fit(TABLE, ["yes", "maybe", "no"])

    def test_an_unknown_class_beside_named_ones(self):
        with pytest.raises(UnknownValue, match="class 'maybe'"):
            NaiveBayes().partial_fit(TABLE, ["yes", "maybe", "no"], classes=["yes", "no"])

    @pytest.mark.parametrize("classes", [["yes", None, "no"], ["yes", np.nan, "no"], "yes", 3], ids=repr)
    def test_classes_that_are_no_list_of_classes(self, classes):
        with pytest.raises(CodelengthError, match="class"):
            NaiveBayes().partial_fit(TABLE, TARGET, classes=classes)

    @pytest.mark.parametrize("label", [2, -1, 7, -2])
    @pytest.mark.parametrize("form", [list, np.array, lambda y: np.array(y, dtype=np.int8)])
    def test_class_codes_out_of_range(self, label, form):
        """Where variables have a code for missing, classes have none: it would be counted out of bounds."""
        with pytest.raises(UnknownValue, match=rf"target 'class', row 2: class {label}"):
            encode(Schema.from_sizes([2], 2), np.zeros((3, 1), dtype=int), form([0, 1, label]))

    @pytest.mark.parametrize("label", [2, 7])
    def test_unsigned_class_codes_out_of_range(self, label):
        with pytest.raises(UnknownValue, match=rf"target 'class', row 2: class {label}"):
            encode(Schema.from_sizes([2], 2), np.zeros((3, 1), dtype=int), np.array([0, 1, label], np.uint8))

    def test_leaving_out_needs_the_classes(self, model):
        with pytest.raises(DataError, match="requires y"):
            model.leave_one_out(TABLE, None)

    @pytest.mark.parametrize("target", [np.arange(501), [f"class {i}" for i in range(501)]], ids=type_name)
    def test_more_classes_than_a_target_has(self, target):
        """Memory and time grow with the number of classes; 500 of them are still learned."""
        rows = pd.DataFrame({"x": ["a", "b", "a"] * 167, "y": target})
        refusal = r"target 'y': 501 classes, more than 500; group them, or cut numbers into intervals"
        refused(DataError, refusal, rows[["x"]], rows["y"])
        for model in (ModelAverage(["forests"]), MixtureClassifier()):
            with pytest.raises(DataError, match=refusal):
                model.fit(rows[["x"]], rows["y"])
        with pytest.raises(DataError, match=refusal):
            NaiveBayes().fit_table(rows, "y")
        declared = pd.Categorical(["0"] * 501, categories=[str(i) for i in range(501)])
        refused(DataError, refusal, rows[["x"]], pd.Series(declared, name="y"))
        assert len(NaiveBayes().fit(rows[["x"]][:500], rows["y"][:500]).classes_) == 500

    def test_leaving_out_rows_that_were_not_counted(self, model):
        with pytest.raises(DataError, match=r"row 0.*not among the rows.*fitted on"):
            model.leave_one_out({"colour": ["blue"], "size": ["s"]}, ["yes"])


class TestCodes:
    @pytest.mark.parametrize("form", [list, np.array, lambda rows: np.array(rows, dtype=float)])
    def test_codes_out_of_range_are_unknown_in_every_form(self, form):
        schema = Schema.from_sizes([2, 3], 2)
        with pytest.raises(UnknownValue, match=r"column 'x1', row 1.*(code|value) 7"):
            encode(schema, form([[0, 1], [1, 7]]), handle_unknown="error")
        assert encode(schema, form([[0, 1], [1, 7]])).codes.tolist() == [[0, 1], [1, 3]]

    def test_codes_of_missing_cells(self):
        schema = Schema.from_sizes([2, 3], 2)
        for rows in ([[2, -1]], np.array([[2, -1]]), np.array([[2.0, -1.0]]), [[None, None]]):
            assert encode(schema, rows, handle_unknown="error").codes.tolist() == [[2, 3]]


class TestWeights:
    @pytest.mark.parametrize(
        ("weights", "match"),
        [
            ([1, -0.5, 1], r"sample_weight, row 1: -0\.5.*not negative"),
            ([1, np.nan, 1], r"sample_weight, row 1: nan.*finite"),
            ([1, np.inf, 1], r"sample_weight, row 1: inf.*finite"),
            ([1, None, 1], r"sample_weight, row 1"),
            ([1, 2], r"sample_weight.*\(2,\).*\(3,\)"),
            ([[1], [2], [3]], r"sample_weight.*\(3, 1\).*\(3,\)"),
            ([0, 0, 0], "sample_weight: all weights are zero"),
            (["a", "b", "c"], "sample_weight"),
            ([1j, 1, 1], "sample_weight"),
            ([[1, 2], [3]], "sample_weight"),
            ([1e308, 1e308, 1e308], "sample_weight"),
        ],
        ids=str,
    )
    def test_unusable_weights(self, weights, match):
        refused(DataError, match, TABLE, TARGET, weights)


class TestOptions:
    @pytest.mark.parametrize("option", ["rule", "prior", "missing", "numeric", "handle_unknown"])
    @pytest.mark.parametrize("value", ["no such", None, ["map"]], ids=repr)
    def test_unknown_options(self, option, value):
        refused(InvalidParameter, rf"{option}=.*expected", TABLE, **{option: value})

    @pytest.mark.parametrize("option", ["rule", "prior", "missing", "numeric", "handle_unknown"])
    def test_unknown_options_beside_a_schema(self, option):
        schema = Schema([Variable("colour", ("blue", "red")), Variable("size", ("m", "s"))])
        refused(InvalidParameter, rf"{option}=.*expected", TABLE, schema=schema, **{option: "no such"})

    @pytest.mark.parametrize(
        "prior", [0, -1.0, np.nan, np.inf, True, np.array([1, 2]), np.array("x")], ids=repr
    )
    def test_priors_that_are_no_sample_size(self, prior):
        refused(InvalidParameter, "prior=", TABLE, prior=prior)

    @pytest.mark.parametrize("prior", ["jeffreys", 1.0, Prior(1, 0.5), Prior(0.5, 1)], ids=repr)
    def test_map_without_a_mode(self, prior):
        schema = Schema([Variable("colour", ("blue", "red", "green"))], Variable("y", ("no", "yes", "maybe")))
        table = {"colour": TABLE["colour"]}
        refused(
            InvalidParameter,
            r'rule="map".*below 1.*at least 1.*"evidence"',
            table,
            rule="map",
            prior=prior,
            schema=schema,
        )

    def test_map_without_a_mode_once_a_row_is_left_out(self):
        model = NaiveBayes("map", Prior(0.5, 1)).fit(TABLE, TARGET)
        with pytest.raises(InvalidParameter, match=r'rule="map": without one of the rows'):
            model.leave_one_out(TABLE, TARGET)

    def test_numbers_that_are_not_wanted(self):
        refused(DataError, r"column 'a': holds numbers.*numeric=", {"a": [1, 2, 3]}, numeric="error")

    def test_a_schema_of_something_else(self):
        refused(CodelengthError, "schema", TABLE, schema={"colour": ["blue", "red"]})

    @pytest.mark.parametrize(
        "prior",
        [
            Prior([1, 2, 3], 1),
            Prior([1.0], 1),
            Prior([], 1),
            Prior([[1, 1]], 1),
            Prior(1, []),
            Prior(1, [1, 1, 1]),
            Prior(1, [[1, 2, 3], 1]),
            Prior(1, [[1.0], 1]),
            Prior(1, [[[1, 2]], 1]),
            Prior(1, [[[1, 2], [1, 2], [1, 2]], 1]),
            Prior(1, [[[1, 2], [1]], 1]),
        ],
        ids=repr,
    )
    def test_priors_of_the_wrong_shape(self, prior):
        refused(InvalidParameter, "pseudocounts", TABLE, prior=prior)

    @pytest.mark.parametrize("number", [0, -1, np.nan, np.inf, None, "many", {"a": 1}], ids=repr)
    def test_pseudocounts_that_are_no_positive_numbers(self, number):
        for arguments in ((number, 1), (1, number), (1, [[1, number]]), ([1, number], 1)):
            with pytest.raises(InvalidParameter, match="pseudocount"):
                Prior(*arguments)
