"""How many components a mixture should have."""

import numpy as np
import pytest

from codelength.blocks import Strong
from codelength.errors import Infeasible, InvalidParameter
from codelength.mixture import CRITERIA
from codelength.mixture.parameters import MixtureParameters, with_components
from codelength.selection.comparison import Comparison
from codelength.selection.components import Restarts, _largest_first, choose_components
from codelength.sources import as_coded


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("row", [["a"], ["a", "x", "u"], [None, "x"]])
def test_one_row_is_one_component(criterion, row):
    """Its probability is 1 with any number of components: differences are rounding, and ties go to fewer."""
    coded = as_coded([row])
    found = choose_components(coded, range(1, 7), criterion, restarts=Restarts(n_init=3))
    assert found.mixture.n_components == 1
    assert sorted(found.path) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_equal_rows_are_one_component(criterion):
    coded = as_coded([["a", "x"]] * 4)
    assert (
        choose_components(coded, range(1, 4), criterion, restarts=Restarts(n_init=3)).mixture.n_components
        == 1
    )


@pytest.mark.parametrize("seed", range(6))
def test_differences_within_the_error_of_an_estimate_are_ties(seed):
    """Rows that hold nothing cost nothing, with any number of components; annealing says so up to noise."""
    found = choose_components(
        as_coded([["a"]] * 8), range(1, 4), "annealed", restarts=Restarts(n_init=2), seed=seed
    )
    assert found.mixture.n_components == 1
    assert found.path[2] != found.path[3] != 0.0


def test_an_estimate_still_finds_components_that_are_there():
    coded = as_coded({name: ["yes", "no"] * 10 for name in ("feathers", "eggs", "wings")})
    found = choose_components(coded, range(1, 4), "annealed", restarts=Restarts(n_init=2))
    assert found.mixture.n_components == 2
    assert min(found.path, key=found.path.__getitem__) == 2


@pytest.mark.parametrize("size", [100_000, 50_000_000, 10**9, 10**40])
def test_many_more_components_than_rows_are_refused_at_once(size):
    """Before a prior is spread over them, which would take the memory and the time."""
    with pytest.raises(Infeasible, match=f"n_components={size}: .* only 2 distinct rows.* at most 1,000 "):
        choose_components(as_coded([["a"], ["b"]]), [size])


def test_patience_ends_the_search():
    coded = as_coded([["a", "x"], ["b", "y"]] * 10)
    found = choose_components(coded, range(1, 20), patience=2, restarts=Restarts(n_init=3))
    assert found.mixture.n_components == 2
    assert sorted(found.path) == [1, 2, 3, 4]


def test_patience_counts_the_numbers_tried_not_components():
    coded = as_coded([["a", "x"], ["b", "y"]] * 10)
    found = choose_components(coded, [2, 6, 9, 14], patience=2, restarts=Restarts(n_init=3))
    assert sorted(found.path) == [2, 6, 9]


@pytest.mark.parametrize("columns", [("eggs", "milk", "wings"), ("wings", "eggs", "milk")])
@pytest.mark.parametrize("seed", range(4))
def test_components_of_one_size_are_in_an_order_of_their_own(columns, seed):
    """A table and its mirror image: which class is first depends on neither the seed nor the columns."""
    coded = as_coded({name: ["no", "yes"] * 10 for name in columns})
    mixture = choose_components(coded, [2], restarts=Restarts(n_init=3), seed=seed).mixture
    assert mixture.class_probs == pytest.approx([0.5, 0.5])
    for i in range(3):
        assert mixture.of(i)[:, 0] == pytest.approx([1.0, 0.0], abs=1e-6)


def test_components_are_the_largest_first_and_then_by_profile():
    schema = with_components(as_coded({"b": ["x", "y"], "a": ["u", "v"]}).schema, 4)
    of_b, of_a = np.array([0.5, 0.9, 0.9, 0.5]), np.array([0.4, 0.1, 0.2, 0.3])
    values = np.column_stack((of_b, 1 - of_b, np.ones(4), of_a, 1 - of_a, np.ones(4)))
    for noise in (0.0, 1e-9, -1e-9):
        shares = np.array([0.3 + noise, 0.1, 0.3 - noise, 0.3])
        order = _largest_first(MixtureParameters(schema, shares, values))
        # The variable a comes before b: its first value is likelier in the first component.
        assert order.tolist() == [0, 3, 2, 1]


def test_criteria_that_are_not_there():
    with pytest.raises(InvalidParameter, match="criterion='mdl'"):
        choose_components(as_coded([["a"]]), [1], "mdl")


def test_of_criteria_that_tie_up_to_rounding_the_fewest_components_stand_out():
    lengths = (100 + 3e-12, 100.0, 101.0)
    rows = [{"components": k, "bic": length, "aic": -length} for k, length in enumerate(lengths, start=1)]
    grid = Comparison(tuple(rows), 1, "bic", "bic").grid()
    assert [[isinstance(cell, Strong) for cell in row] for row in grid.rows] == [
        [False, True, False],
        [False, False, False],
        [False, False, True],
    ]
