"""Information matrices and standard errors against plain differences of the log-likelihood."""

import numpy as np
import pytest

import naive_latent as naive
from codelength import Schema
from codelength.errors import DataError, Infeasible, InvalidParameter
from codelength.latent.inference import design_standard_errors, standard_errors
from codelength.latent.inference.bootstrap import draw_rows
from codelength.latent.inference.coordinates import Coordinates
from codelength.latent.inference.design import sampling_units
from codelength.latent.inference.information import information_matrix, inverse
from codelength.mixture import fit_mixture
from codelength.mixture.parameters import MixtureParameters, with_components
from codelength.naive_bayes import Prior
from codelength.table import Coded

SIZES = (2, 3, 2)


def mixture_of(n_components, seed):
    rng = np.random.default_rng(seed)
    schema = with_components(Schema.from_sizes(SIZES), n_components)
    values = [
        np.concatenate([[*rng.dirichlet(np.full(size, 3.0)), 1.0] for size in SIZES])
        for _ in range(n_components)
    ]
    return MixtureParameters(schema, rng.dirichlet(np.full(n_components, 5.0)), np.array(values))


def rows_of(seed, n_rows=12, missing=0.2):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, size, n_rows) for size in SIZES], axis=1)
    codes[rng.random(codes.shape) < missing] = 9
    codes = np.where(codes == 9, SIZES, codes)
    return Coded.of(Schema.from_sizes(SIZES), codes, weights=rng.integers(0, 4, n_rows))


def plain(coded, mixture):
    """Rows, weights, shares and profiles as the oracle takes them."""
    rows = [
        [None if code == size else int(code) for code, size in zip(row, SIZES, strict=True)]
        for row in coded.codes
    ]
    profiles = [[mixture.of(i)[k].tolist() for i in range(len(SIZES))] for k in range(mixture.n_components)]
    return rows, coded.weights.tolist(), mixture.class_probs.tolist(), profiles


def names_of(coordinates):
    offsets = coordinates.mixture.schema.offsets
    found = [("share", int(k)) for k in coordinates.free_classes]
    for k, cells in enumerate(coordinates.free_cells):
        for cell in cells:
            i = int(np.searchsorted(offsets, cell, side="right")) - 1
            found.append((k, i, int(cell - offsets[i])))
    return found


@pytest.mark.parametrize("kind", ["observed", "empirical", "expected"])
@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_information_is_that_of_differences_of_the_log_likelihood(kind, n_components):
    """With missing cells and weights, and nowhere near a maximum."""
    coded, mixture = rows_of(n_components), mixture_of(n_components, 5)
    coordinates = Coordinates.of(mixture, 1e6)
    oracle = getattr(naive, f"{kind}_information")
    expected = oracle(*plain(coded, mixture), names_of(coordinates))
    found = information_matrix(mixture.coded(coded).distinct(), coordinates, kind)
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_pseudocounts_add_the_curvature_of_the_prior():
    """Pseudocounts above 1 count like rows whose class and value are known."""
    coded, mixture = rows_of(1), mixture_of(2, 3)
    coordinates = Coordinates.of(mixture, 1e6)
    rows = mixture.coded(coded).distinct()
    gap = information_matrix(rows, coordinates, prior=Prior(3.0, 1.5)) - information_matrix(rows, coordinates)
    shares = mixture.class_probs[coordinates.free_classes]
    assert gap[0, 0] == pytest.approx(4 * shares[0] * (1 - shares[0]))
    cell = coordinates.free_cells[0][0]
    p = mixture.value_probs[0, cell]
    n_values = SIZES[coordinates.variables[cell]]
    assert gap[1, 1] == pytest.approx(0.5 * n_values * p * (1 - p))


def test_standard_errors_of_one_class_are_those_of_proportions():
    coded = rows_of(4, n_rows=60, missing=0.3)
    mixture, _ = fit_mixture(coded, 1)
    for kind in ("observed", "expected"):
        errors = standard_errors(coded, mixture, kind)
        assert np.isnan(errors.class_errors).all()
        for i, size in enumerate(SIZES):
            n_rows = coded.weights[coded.codes[:, i] < size].sum()
            p = mixture.of(i)
            assert errors.of_variable(i) == pytest.approx(np.sqrt(p * (1 - p) / n_rows), rel=1e-6)


def test_any_number_of_threads_and_any_row_order_give_the_same_errors(monkeypatch):
    coded, mixture = rows_of(2, n_rows=50), mixture_of(3, 1)
    monkeypatch.setenv("CODELENGTH_THREADS", "1")
    errors = standard_errors(coded, mixture)
    monkeypatch.setenv("CODELENGTH_THREADS", "3")
    again = standard_errors(coded.take(np.arange(50)[::-1]), mixture)
    assert np.array_equal(errors.covariance, again.covariance, equal_nan=True)


def test_estimates_on_the_boundary_are_flagged_and_have_no_interval_of_zero_width():
    coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 0]] * 10 + [[0, 1]] * 5)
    mixture, _ = fit_mixture(coded, 1)
    errors = standard_errors(coded, mixture)
    assert errors.coordinates.value_boundary[0].tolist() == [True, True, False, False, False, False]
    assert np.isnan(errors.of_variable(0)).all()
    assert np.isnan(errors.intervals().of(0)).all()
    assert "boundary" in str(errors)
    assert np.isfinite(errors.of_variable(1)).all()


def test_a_class_without_rows_is_flagged_and_the_others_keep_their_errors():
    schema = with_components(Schema.from_sizes([2, 2]), 2)
    coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 0], [0, 1], [1, 0], [1, 1]])
    values = np.array([[0.5, 0.5, 1, 0.5, 0.5, 1], [0.9, 0.1, 1, 0.3, 0.7, 1]])
    errors = standard_errors(coded, MixtureParameters(schema, np.array([1.0, 0.0]), values))
    assert errors.coordinates.class_boundary.tolist() == [False, True]
    assert np.isnan(errors.value_errors[1]).all()
    assert errors.of_variable(0)[0] == pytest.approx([0.25, 0.25])


def test_a_model_that_is_not_identified_is_told_and_its_parameters_have_no_errors():
    """Two classes, two variables of two values: five parameters for three degrees of freedom."""
    rows = [[0, 0]] * 30 + [[0, 1]] * 12 + [[1, 0]] * 9 + [[1, 1]] * 25
    coded = Coded.of(Schema.from_sizes([2, 2]), rows)
    mixture, _ = fit_mixture(coded, 2, random_state=0)
    errors = standard_errors(coded, mixture, "empirical")
    assert errors.n_unidentified >= 1
    assert np.isnan(errors.class_errors).all()
    assert "does not identify" in str(errors)


def test_inverse_leaves_parameters_alone_that_a_flat_direction_does_not_touch():
    matrix = np.array([[2.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 4.0]])
    found, n_flat = inverse(matrix)
    assert n_flat == 1
    assert found[2, 2] == pytest.approx(0.25)
    assert np.isnan(found[:2]).all()


def test_expected_information_over_too_many_rows_is_refused():
    coded = Coded.of(Schema.from_sizes([10] * 8), np.zeros((1, 8), dtype=np.uint8))
    mixture, _ = fit_mixture(coded, 1)
    with pytest.raises(Infeasible, match=r'1e\+08 possible rows.*use kind="observed"'):
        standard_errors(coded, mixture, "expected")


def test_bad_arguments_are_refused():
    coded, mixture = rows_of(1), mixture_of(2, 0)
    with pytest.raises(InvalidParameter, match="kind='fisher': expected one of 'observed'"):
        standard_errors(coded, mixture, "fisher")
    with pytest.raises(DataError, match="there are no rows"):
        standard_errors(coded.take([]), mixture)
    with pytest.raises(InvalidParameter, match="level"):
        standard_errors(coded, mixture).intervals(1.0)


def test_the_sandwich_is_that_of_plain_sums_over_clusters_and_strata():
    rng = np.random.default_rng(0)
    coded = Coded.of(
        Schema.from_sizes(SIZES), draw_rows(mixture_of(2, 2), 90, rng).codes, weights=[0, 1, 2] * 30
    )
    mixture, _ = fit_mixture(coded, 2, random_state=0)
    strata, clusters = np.repeat([0, 1], 45), rng.integers(0, 12, 90)
    coordinates = Coordinates.of(mixture, float(coded.weights.sum()))
    used = coded.weights > 0
    oracle = plain(coded.take(used), mixture)
    names = names_of(coordinates)
    bread = inverse(information_matrix(mixture.coded(coded).distinct(), coordinates))[0]
    middle = naive.sandwich_middle(
        *oracle[:2], clusters[used].tolist(), strata[used].tolist(), *oracle[2:], names
    )
    found = design_standard_errors(coded, mixture, clusters=clusters, strata=strata)
    assert np.isfinite(found.covariance).all()
    assert found.covariance == pytest.approx(bread @ middle @ bread, rel=1e-5, abs=1e-6)
    assert found.method == "sandwich with clusters and strata"


def test_scaling_the_weights_does_not_change_the_sandwich():
    coded, mixture = rows_of(6, n_rows=24), mixture_of(2, 2)
    heavy = Coded.of(coded.schema, coded.codes, weights=coded.weights * 50)
    found = design_standard_errors(coded, mixture).value_errors
    assert design_standard_errors(heavy, mixture).value_errors == pytest.approx(found, nan_ok=True)


def test_clusters_of_equal_rows_widen_the_errors():
    """Ten copies of each row, as clusters, are worth one row each."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (40, 1))
    coded = Coded.of(Schema.from_sizes([2]), np.repeat(codes, 10, axis=0))
    mixture, _ = fit_mixture(coded, 1)
    p = codes.mean()
    found = design_standard_errors(coded, mixture, clusters=np.repeat(np.arange(40), 10))
    assert found.of_variable(0)[0, 0] == pytest.approx(np.sqrt(p * (1 - p) / 39))


def test_a_design_that_tells_nothing_is_refused():
    coded, mixture = rows_of(1), mixture_of(2, 0)
    with pytest.raises(DataError, match="a stratum has a single cluster"):
        design_standard_errors(coded, mixture, strata=np.arange(12))
    with pytest.raises(DataError, match="the table has a single cluster"):
        design_standard_errors(coded, mixture, clusters=["a"] * 12)
    with pytest.raises(DataError, match=r"clusters of shape \(3,\): give one for each of the 12 rows"):
        design_standard_errors(coded, mixture, clusters=[1, 2, 3])
    with pytest.raises(DataError, match="strata, row 1: missing"):
        design_standard_errors(coded, mixture, strata=["a", None, *"bbbbbbbbbb"])


def test_clusters_of_the_same_name_in_two_strata_are_two():
    _, groups, of_groups = sampling_units([1, 2, 1, 2], ["a", "a", "b", "b"], np.array([1.0, 1, 0, 1]) + 1)
    assert groups.tolist() == [0, 1, 2, 3]
    assert of_groups.tolist() == [0, 0, 1, 1]


def test_a_stratum_of_rows_of_weight_zero_changes_nothing():
    rng, strata = np.random.default_rng(0), np.repeat([0, 1, 2], 30)
    weights = np.where(strata == 1, 0.0, 1.0)
    coded = Coded.of(Schema.from_sizes([2, 2]), rng.integers(0, 2, (90, 2)), weights=weights)
    mixture, _ = fit_mixture(coded, 1)
    found = design_standard_errors(coded, mixture, strata=strata)
    used = weights > 0
    expected = design_standard_errors(coded.take(used), mixture, strata=strata[used])
    assert np.isfinite(found.of_variable(0)).all()
    assert found.value_errors == pytest.approx(expected.value_errors, nan_ok=True)
