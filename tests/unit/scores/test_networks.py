"""Codes of networks against enumeration, and the quotient code whichever way edges point."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_nml
from codelength import IndifferentTrees, Schema, datasets
from codelength.code_lengths import network_code_length, nml_code_length
from codelength.counts import count
from codelength.errors import DataError, InvalidParameter
from codelength.research import MemberClassifier
from codelength.sources import as_coded
from codelength.table import Coded

N_VALUES = (2, 3, 2)
NAMES = ("x0", "x1", "x2")
NETWORKS = ({}, {1: (0,)}, {0: (2,), 1: (2,)}, {2: (0, 1)}, {1: (0,), 2: (1, 0)})

rows_of_codes = st.lists(st.tuples(*(st.integers(0, n - 1) for n in N_VALUES)), min_size=0, max_size=4)


def length(rows, parents, code, n_values=N_VALUES):
    coded = Coded.of(Schema.from_sizes(n_values), np.array(rows, dtype=np.int64).reshape(len(rows), -1))
    named = {f"x{child}": [f"x{parent}" for parent in above] for child, above in parents.items()}
    return network_code_length(coded, named, code=code)


@settings(max_examples=25)
@given(rows_of_codes.filter(len), st.sampled_from(NETWORKS))
def test_codes_by_enumeration(rows, parents):
    slow = {"fnml": naive_nml.factorised_code_length, "qnml": naive_nml.quotient_code_length}
    for code, expected in slow.items():
        if code == "qnml" and len(rows) > 3:
            rows = rows[:3]  # all sequences over twelve values
        found = length(rows, parents, code)
        for i, name in enumerate(NAMES):
            assert found.by_variable[name] == pytest.approx(
                expected(rows, N_VALUES, parents, i), rel=1e-12, abs=1e-12
            )
        assert float(found) == pytest.approx(math.fsum(found.by_variable.values()), rel=1e-15)


TREES = ({1: (0,), 2: (1,), 3: (1,)}, {0: (1,), 2: (1,), 3: (1,)}, {1: (2,), 0: (1,), 3: (1,)})
"""One tree with its root at a different variable each time."""


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60))
def test_the_quotient_code_does_not_see_which_way_edges_point(seed, n_rows):
    sizes = (2, 3, 4, 2)
    rows = np.random.default_rng(seed).integers(0, sizes, size=(n_rows, 4))
    first, *others = (float(length(rows, tree, "qnml", sizes)) for tree in TREES)
    for other in others:
        assert other == pytest.approx(first, rel=1e-12)
    factorised = {round(float(length(rows, tree, "fnml", sizes)), 9) for tree in TREES}
    assert n_rows < 20 or len(factorised) == len(TREES)


def test_a_network_without_missing_edges_is_one_multinomial():
    """The quotients telescope."""
    rows = np.random.default_rng(0).integers(0, N_VALUES, size=(50, 3))
    whole = length(rows, {1: (0,), 2: (0, 1)}, "qnml")
    cells = np.bincount(rows[:, 0] * 6 + rows[:, 1] * 2 + rows[:, 2], minlength=12)
    assert float(whole) == pytest.approx(nml_code_length(cells), rel=1e-13)


def test_without_edges_both_codes_are_those_of_single_multinomials():
    rows = np.random.default_rng(1).integers(0, N_VALUES, size=(30, 3))
    expected = sum(nml_code_length(np.bincount(rows[:, i], minlength=n)) for i, n in enumerate(N_VALUES))
    for code in ("fnml", "qnml"):
        assert float(length(rows, {}, code)) == pytest.approx(expected, rel=1e-13)


def test_naive_bayes_as_a_network_costs_its_classes_and_its_values():
    """The factorised code is the product of codes that the joint code improves on in the worst case."""
    rng = np.random.default_rng(2)
    coded = Coded.of(
        Schema.from_sizes([2, 3], n_classes=2), rng.integers(0, [2, 3], size=(40, 2)), rng.integers(0, 2, 40)
    )

    counts = count(coded)
    target = coded.schema.target.name
    found = network_code_length(coded, {"x0": target, "x1": [target]}, code="fnml")
    expected = nml_code_length(counts, given_classes=True) + nml_code_length(counts.class_counts)
    assert float(found) == pytest.approx(expected, rel=1e-13)


def test_many_configurations_that_were_not_seen():
    """Forty parents of four values: as many configurations as no table could hold."""
    sizes = (4,) * 41
    rows = np.random.default_rng(3).integers(0, 4, size=(200, 41))
    found = length(rows, {40: tuple(range(40))}, "qnml", sizes)
    assert found.by_variable["x40"] == pytest.approx(200 * math.log(4), rel=1e-9)


def test_weights_are_rows():
    schema, rows = Schema.from_sizes(N_VALUES), [[0, 2, 1], [1, 0, 0]]
    weighted = Coded.of(schema, rows, weights=[3, 2])
    repeated = Coded.of(schema, [rows[j] for j in (0, 0, 0, 1, 1)])
    parents = {"x1": "x0"}
    assert network_code_length(weighted, parents).by_variable == (
        network_code_length(repeated, parents).by_variable
    )


def test_it_tells_nats_and_bits():
    told = str(network_code_length(as_coded({"a": ["x", "y"], "b": ["u", "u"]}), {"b": "a"}, code="fnml"))
    assert "fnml code of 2 variables" in told
    assert "nats" in told
    assert "bits" in told


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ({"x0": "x7"}, "'x7' is not a variable"),
        ({"x7": "x0"}, "'x7' is not a variable"),
        ({"x0": ["x0"]}, "each parent is another variable"),
        ({"x0": ["x1", "x1"]}, "each parent is another variable"),
        ({"x0": "x1", "x1": "x2", "x2": "x0"}, "make a ring"),
        ([("x0", "x1")], "expected a mapping"),
        ({"x0": [3]}, "expected text"),
    ],
)
def test_what_is_no_network_is_refused(parents, message):
    coded = Coded.of(Schema.from_sizes(N_VALUES), [[0, 0, 0]])
    with pytest.raises(InvalidParameter, match=message):
        network_code_length(coded, parents)


def test_missing_cells_and_parts_of_rows_are_refused():
    schema = Schema.from_sizes(N_VALUES)
    with pytest.raises(DataError, match="variable 'x1': cells are missing"):
        network_code_length(Coded.of(schema, [[0, 3, 0]]), {})
    with pytest.raises(DataError, match="not whole numbers"):
        network_code_length(Coded.of(schema, [[0, 0, 0]], weights=[0.5]), {})


def test_fitted_trees_hand_over_their_network():
    table = datasets.load("car").table
    rows = as_coded(table)
    trees = IndifferentTrees("best").fit(table)
    expected = {child: ("class", parent) for parent, child in trees.edges_}
    assert {name: above for name, above in trees.parents_.items() if len(above) > 1} == expected
    of_naive_bayes = {name: ("class",) for name in table.names if name != "class"}
    for code in ("qnml", "fnml"):
        by_tree = network_code_length(rows, MemberClassifier("best_tree").fit(table).parents_, code=code)
        alone = network_code_length(rows, of_naive_bayes, code=code)
        # The safety of a car and what it costs have a lot to do with each other, given what is thought of it.
        assert float(by_tree) < float(alone) - 50
        assert by_tree.by_variable["doors"] == alone.by_variable["doors"]
    with pytest.raises(AttributeError, match="all forests are averaged"):
        _ = IndifferentTrees().fit(table).parents_
