"""From cells to codes under a given schema."""

import warnings

import numpy as np
import pandas as pd
import pytest

from codelength import Schema, Variable
from codelength.errors import IgnoredValues, InvalidParameter, SchemaMismatch, UnknownValue
from codelength.sources import as_table
from codelength.table import encode, interval_variable

SCHEMA = Schema(
    [
        Variable("colour", ("red", "blue", "green")),
        Variable("rooms", (3, 1, 0.5)),
        interval_variable("age", [18, 65]),
        Variable("new", (False, True)),
        Variable("note", ("x", None)),
    ],
    Variable("ripe", ("no", "yes")),
)
TABLE = {
    "colour": ["green", "red", None],
    "rooms": [1, 0.5, np.nan],
    "age": [18, 17.99, None],
    "new": [True, False, None],
    "note": ["x", None, None],
}


def codes_of(variable, cells, **options):
    return encode(Schema([variable]), {variable.name: cells}, **options).codes[:, 0].tolist()


def test_codes_are_positions_in_the_schema():
    coded = encode(SCHEMA, TABLE, ["yes", "no", "yes"])
    assert coded.codes.tolist() == [[2, 1, 1, 1, 0], [0, 2, 0, 0, 1], [3, 3, 3, 2, 1]]
    assert coded.class_codes.tolist() == [1, 0, 1]
    assert coded.n_rows == 3
    assert coded.codes.flags.f_contiguous
    assert coded.codes.dtype == coded.class_codes.dtype == np.uint8


def test_tables_without_a_target():
    assert encode(SCHEMA, TABLE).class_codes.tolist() == [0, 0, 0]


def test_numbers_fall_into_intervals():
    variable = interval_variable("age", [18, 65])
    assert codes_of(variable, [-1e300, 17.999, 18, 64, 65, 1e300, np.nan]) == [0, 0, 1, 1, 2, 2, 3]
    assert codes_of(variable, np.array([17, 18, 65], dtype=np.uint8)) == [0, 1, 2]


def test_text_that_spells_a_number_falls_into_intervals_too():
    variable = interval_variable("age", [18, 65])
    assert codes_of(variable, ["17", "18.0", "6.5e1", None]) == [0, 1, 2, 3]
    with pytest.warns(IgnoredValues, match="'old'"):
        assert codes_of(variable, ["17", "old"], training=True) == [0, 3]


@pytest.mark.parametrize(
    "cells", [[1, 2], [1.0, 2.0], np.array([1, 2], np.uint8), pd.Series([1, 2], dtype="Int64")]
)
def test_equal_numbers_are_the_same_value_whatever_their_type(cells):
    assert codes_of(Variable("c", (2, 1)), cells) == [1, 0]
    assert codes_of(Variable("c", (2.0, 1.0)), cells) == [1, 0]


def test_text_is_not_a_number():
    with pytest.warns(IgnoredValues, match=r"column 'c', row 0: value 1 is not in the schema \('1', '2'\)"):
        assert codes_of(Variable("c", ("1", "2")), [1, 2]) == [2, 2]
    with pytest.warns(IgnoredValues, match=r"column 'c', row 0: value '1' is not in the schema \(1, 2\)"):
        assert codes_of(Variable("c", (1, 2)), ["1", "2"]) == [2, 2]


@pytest.mark.parametrize(
    ("values", "cells"),
    [
        (("1", "a"), [1, "a"]),
        ((1, "a"), ["1.0", "a"]),
        (("true", "a"), [True, "a"]),
        ((True, "a"), ["True", "a"]),
        (("2.5", "a"), ["a", 2.5]),
    ],
    ids=str,
)
def test_a_value_of_another_type_is_told_where_it_is_spelt_alike(values, cells):
    """Among text the number 1 is not "1", and that is not to go unnoticed."""
    with pytest.warns(IgnoredValues, match=r"column 'c', row .* 1 such cells .* the type it had in training"):
        codes_of(Variable("c", values), cells)


class TestUnknownValues:
    def test_they_are_missing_and_silent_at_prediction(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert codes_of(Variable("c", ("x", "y")), ["z", "y", None]) == [2, 1, 2]
            assert codes_of(Variable("c", ("x", "y")), ["z"]) == [2]

    def test_they_are_not_the_value_of_missing_cells(self):
        assert codes_of(Variable("c", ("x", None)), ["z", None, "x"]) == [2, 1, 0]

    def test_they_are_told_in_training(self):
        with pytest.warns(IgnoredValues, match=r"column 'c', row 1: value 'z'.*2 such cells.*schema="):
            assert codes_of(Variable("c", ("x", "y")), ["x", "z", "w"], training=True) == [0, 2, 2]

    def test_they_are_refused_on_request(self):
        with pytest.raises(UnknownValue, match=r"column 'c', row 1: value 'z'.*'x', 'y'.*handle_unknown"):
            codes_of(Variable("c", ("x", "y")), ["x", "z"], handle_unknown="error")

    def test_a_message_lists_a_few_values_only(self):
        with pytest.raises(UnknownValue, match=r"\('v0', 'v1', .*\.\.\. 92 more\)"):
            codes_of(Variable("c", [f"v{n}" for n in range(100)]), ["z"], handle_unknown="error")

    def test_options_that_do_not_exist(self):
        with pytest.raises(InvalidParameter, match="handle_unknown='guess'"):
            encode(SCHEMA, TABLE, handle_unknown="guess")


class TestMatching:
    def test_by_name(self):
        turned = dict(reversed(TABLE.items()))
        np.testing.assert_array_equal(encode(SCHEMA, turned).codes, encode(SCHEMA, TABLE).codes)

    def test_by_position_without_names(self):
        rows = [list(row) for row in zip(*TABLE.values(), strict=True)]
        np.testing.assert_array_equal(encode(SCHEMA, rows).codes, encode(SCHEMA, TABLE).codes)

    def test_codes_are_matched_by_position_whatever_the_names(self):
        schema = Schema.from_sizes([2, 3])
        frame = pd.DataFrame({"a": [1, 0], "b": [2, 1]})
        assert encode(schema, frame).codes.tolist() == [[1, 2], [0, 1]]

    def test_another_width(self):
        with pytest.raises(SchemaMismatch, match=r"2 features.*expecting 5"):
            encode(SCHEMA, [["red", 1]])


def test_ready_codes_are_checked_and_not_copied():
    schema = Schema.from_sizes([2, 3], 2)
    ready = np.asfortranarray(np.array([[0, 2], [1, 3]], dtype=np.uint8))
    coded = encode(schema, ready, np.array([0, 1], dtype=np.uint8))
    assert np.shares_memory(coded.codes, ready)
    with pytest.raises(UnknownValue, match="column 'x0', row 1"):
        encode(schema, np.array([[0, 2], [9, 3]], dtype=np.uint8), handle_unknown="error")


def test_the_caller_s_array_is_not_changed():
    schema = Schema.from_sizes([2, 3])
    table = np.array([[0, -1], [-1, 2]])
    before = table.copy()
    encode(schema, table)
    np.testing.assert_array_equal(table, before)


class Counted(str):
    """Text that counts how often it is compared."""

    n_comparisons = 0

    def __eq__(self, other):
        Counted.n_comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_looking_up_many_values_takes_time_in_proportion():
    """Tens of thousands of distinct values are allowed, so no value may be sought along the whole list."""
    n_values = 1000
    values = [Counted(f"value {number}") for number in range(n_values)]
    schema = Schema([Variable("c", values)], Variable("y", values))
    cells = np.array(values[::-1], dtype=object)
    Counted.n_comparisons = 0
    coded = encode(schema, {"c": cells}, cells)
    assert coded.codes[:, 0].tolist() == coded.class_codes.tolist() == list(range(n_values))[::-1]
    assert Counted.n_comparisons < 20 * n_values


def test_rows_of_weight_zero_are_counted_in_messages():
    schema = Schema([Variable("v", ("a", "b"))])
    table = as_table({"v": ["z", "a", "y"]}, sample_weight=[0, 1, 1]).counted()
    with pytest.raises(UnknownValue, match="column 'v', row 2: value 'y'"):
        encode(schema, table, handle_unknown="error")
