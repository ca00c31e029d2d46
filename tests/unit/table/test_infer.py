"""How a schema is settled from a training table."""

import numpy as np
import pandas as pd
import pytest

from codelength.errors import DataError, InvalidParameter
from codelength.table import cut_points, infer_schema
from codelength.table.infer import MAX_NUMBER_CATEGORIES, MAX_VALUES, sorted_values


def variable_of(cells, **options):
    return infer_schema({"c": cells}, **options).variables[0]


class TestNumbers:
    """``numeric="auto"``: few whole numbers are categories, all others are cut into intervals."""

    def test_few_whole_numbers_are_categories(self):
        variable = variable_of([3, -1, 3, 10])
        assert (variable.kind, variable.values) == ("category", (-1, 3, 10))
        assert "categories" in variable.origin

    def test_twenty_distinct_ones_are_the_most(self):
        assert MAX_NUMBER_CATEGORIES == 20
        assert variable_of(list(range(20))).kind == "category"
        assert variable_of(list(range(21))).kind == "interval"

    def test_twenty_distinct_ones_are_counted_in_all_rows(self):
        """Not only in the first ones."""
        assert variable_of([0] * 5000 + list(range(21))).kind == "interval"
        assert variable_of([0] * 5000 + list(range(20))).kind == "category"
        assert variable_of(np.array([0.0] * 5000 + [0.5])).kind == "interval"

    def test_whole_floats_are_whole_numbers(self):
        variable = variable_of([1.0, 2.0, np.nan])
        assert variable.values == (1, 2)
        assert all(type(value) is int for value in variable.values)
        assert variable_of([-0.0, 0.0, 1.0]).values == (0, 1)

    def test_one_fraction_makes_intervals(self):
        variable = variable_of([1.0, 2.0, 2.5, 3.0])
        assert variable.kind == "interval"
        assert "frequency" in variable.origin

    def test_intervals_are_five_of_equal_frequency(self):
        numbers = np.random.default_rng(1).normal(size=200)
        variable = variable_of(numbers)
        assert variable.n_values == 5
        np.testing.assert_array_equal(variable.cuts, cut_points(numbers, "frequency", 5))

    def test_a_constant_column_has_one_interval(self):
        assert variable_of([2.5, 2.5, 2.5]).values == ("any",)

    def test_weights_move_the_cuts(self):
        numbers, weights = np.arange(30) + 0.5, np.arange(30.0)
        expected = cut_points(numbers, "frequency", 5, sample_weight=weights)
        np.testing.assert_array_equal(variable_of(numbers, sample_weight=weights).cuts, expected)

    def test_forced_intervals(self):
        assert variable_of([1, 2, 3, 1], numeric="discretize").kind == "interval"

    def test_forced_categories(self):
        assert variable_of([0.5, 1.0, np.nan], numeric="category").values == (0.5, 1)
        assert variable_of(np.arange(500), numeric="category").n_values == 500

    def test_refused_numbers(self):
        with pytest.raises(DataError, match="'c': holds numbers"):
            variable_of([1, 2], numeric="error")
        assert variable_of(["1", "2"], numeric="error").values == ("1", "2")
        assert variable_of([True, False], numeric="error").values == (False, True)
        assert variable_of(pd.Series([3, 1], dtype="category"), numeric="error").values == (1, 3)

    @pytest.mark.parametrize(
        "dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint64", "float16"]
    )
    def test_any_type_of_number(self, dtype):
        low = 0 if dtype.startswith("u") else -100
        assert variable_of(np.array([low, 5, 100, 100], dtype=dtype)).values == (low, 5, 100)


class TestMissing:
    def test_missing_cells_are_left_out(self):
        assert variable_of(["b", None, "a"]).values == ("a", "b")

    def test_missing_cells_are_a_value_where_there_are_any(self):
        schema = infer_schema({"a": ["x", None], "b": ["p", "q"], "c": [1.5, np.nan]}, missing="value")
        assert [variable.values for variable in schema.variables] == [("x", None), ("p", "q"), ("any", None)]

    def test_a_declared_domain_may_be_all_missing(self):
        column = pd.Series([None, None], dtype=pd.CategoricalDtype(["a", "b"]))
        assert variable_of(column).values == ("a", "b")


class TestText:
    def test_values_are_sorted_and_their_number_is_told(self):
        variable = variable_of(["b", "a", "c", "a"])
        assert variable.values == ("a", "b", "c")
        assert "seen" in variable.origin

    def test_values_of_several_types_have_a_fixed_order(self):
        assert variable_of(["b", 10, 9.5, "a"]).values == (9.5, 10, "a", "b")
        assert sorted_values(("2", 10, True, "1", 0.5)) == (0.5, True, 10, "1", "2")

    def test_declared_domains_keep_their_order(self):
        column = pd.Series(["a"], dtype=pd.CategoricalDtype(["z", "a"]))
        variable = variable_of(column)
        assert variable.values == ("z", "a")
        assert "declared" in variable.origin

    def test_the_largest_number_of_values(self):
        texts = [f"{number:06}" for number in range(MAX_VALUES + 1)]
        assert variable_of(np.array(texts[:-1]), identifiers="keep").n_values == MAX_VALUES
        with pytest.raises(DataError, match=r"more than 65,535 distinct values.*identifier"):
            variable_of(np.array(texts), identifiers="keep")


class TestTargets:
    @pytest.mark.parametrize(
        ("target", "classes"),
        [
            (["no", "yes", "no"], ("no", "yes")),
            ([3, 1, 3], (1, 3)),
            ([1.0, 0.0, 1.0], (0.0, 1.0)),
            ([True, True, False], (False, True)),
            (np.arange(100)[:3], (0, 1, 2)),
        ],
    )
    def test_classes_are_sorted_and_keep_their_type(self, target, classes):
        found = infer_schema({"c": ["x", "y", "x"]}, target).classes
        assert found == classes
        assert [type(label) for label in found] == [type(label) for label in classes]

    def test_whole_numbers_are_classes_however_many(self):
        assert infer_schema({"c": np.arange(50) % 2}, np.arange(50)).n_classes == 50

    def test_the_target_keeps_its_name(self):
        series = pd.Series(["no", "yes"], name="ripe")
        assert infer_schema({"c": ["x", "y"]}, series).target.name == "ripe"
        assert infer_schema({"y": ["x", "y"]}, pd.Series(["no", "yes"], name="y")).names == ("y",)

    def test_without_a_target(self):
        assert infer_schema({"c": ["x", "y"]}).target is None


@pytest.mark.parametrize("option", ["missing", "numeric"])
def test_options_that_do_not_exist(option):
    with pytest.raises(InvalidParameter, match=f"{option}='guess': expected one of"):
        infer_schema({"c": [1]}, **{option: "guess"})
