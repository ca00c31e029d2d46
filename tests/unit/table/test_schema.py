"""Schemas: what they refuse, and the layout they fix."""

import dataclasses

import numpy as np
import pytest

from codelength import Schema, Variable
from codelength.errors import InvalidParameter, SchemaMismatch
from codelength.table.schema import smallest_code_type


def test_offsets_leave_a_spare_cell_for_each_variable():
    schema = Schema.from_sizes([2, 1, 3], n_classes=2)
    assert schema.n_values.tolist() == [2, 1, 3]
    assert schema.offsets.tolist() == [0, 3, 5, 9]
    assert schema.n_cells == 9


def test_a_schema_without_variables_or_target():
    schema = Schema([])
    assert (schema.n_variables, schema.n_cells, schema.n_classes, schema.classes) == (0, 0, 1, ())


def test_schemas_are_values():
    one, other = (Schema([Variable("a", ["x", "y"])], Variable("y", [0, 1])) for _ in range(2))
    assert one == other
    assert len({one, other}) == 1
    assert one != Schema([Variable("a", ["y", "x"])], Variable("y", [0, 1]))
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.target = None


@pytest.mark.parametrize(
    ("largest", "kind"),
    [(0, "uint8"), (255, "uint8"), (256, "uint16"), (65_535, "uint16"), (65_536, "uint32")],
)
def test_the_smallest_code_type(largest, kind):
    assert smallest_code_type(largest) == np.dtype(kind).type


def test_the_code_for_missing_fits_the_code_type():
    assert Schema.from_sizes([255]).code_type is np.uint8
    assert Schema.from_sizes([256]).code_type is np.uint16


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("a", ()), "'a': no values"),
        (("a", ("x", "x")), "'a'.*twice"),
        (("a", (1, True)), "'a'.*twice"),
        (("a", (1, 1.0)), "'a'.*twice"),
        (("a", ("x", None, "y")), "'a': value None"),
        (("a", (None, None)), "'a'"),
        (("a", (float("nan"),)), "'a': value nan"),
        (("a", (float("inf"),)), "'a': value inf"),
        (("a", (b"x",)), "'a': value b'x'"),
        (("a", ([1],)), r"'a': value \[1\]"),
        (("a", "red"), "'a'.*red"),
        ((5, ("x",)), "name must be text"),
        (("a", ("x",), "colour"), "kind 'colour'"),
        (("a", ("low", "high"), "interval", ()), "'a': 0 cut points make 1 interval"),
        (("a", ("l", "m", "h"), "interval", (2, 1)), "'a'.*increasing"),
        (("a", ("l", "m", "h"), "interval", (1, 1)), "'a'.*increasing"),
        (("a", ("l", "h"), "interval", (float("inf"),)), "'a'.*finite"),
    ],
    ids=str,
)
def test_variables_that_cannot_be(arguments, match):
    with pytest.raises(InvalidParameter, match=match):
        Variable(*arguments)


def test_values_may_come_from_numpy():
    """What ``np.unique`` gives of a column is a list of its values."""
    assert Variable("a", np.array([1, 2])).values == (1, 2)
    assert Variable("a", np.array([False, True])).values == (False, True)
    assert Variable("a", np.array(["x", "y"])).values == ("x", "y")
    assert Variable("a", np.array([0.5, 1.5])).values == (0.5, 1.5)
    assert Variable("a", np.array([0.1], dtype=np.float32)).values == (0.1,)


def test_schemas_that_cannot_be():
    with pytest.raises(SchemaMismatch, match=r"duplicate.*'a'.*rename"):
        Schema([Variable("a", ("x",)), Variable("b", ("x",)), Variable("a", ("y",))])
    with pytest.raises(InvalidParameter, match=r"target 'y'.*missing class"):
        Schema([], Variable("y", ("no", None)))
    for size in (0, -1, 1.5, "2"):
        with pytest.raises(InvalidParameter, match=r"'x1'.*whole number"):
            Schema.from_sizes([2, size])


def test_positions_by_name():
    schema = Schema([Variable("a", ("x",)), Variable("b", ("x",))])
    assert schema.position("b") == 1
    with pytest.raises(SchemaMismatch, match=r"'c'.*\('a', 'b'\)"):
        schema.position("c")
