"""Bootstraps: labels stay matched, threads do not matter, and standard errors are those of theory."""

import numpy as np
import pytest

from codelength import Schema
from codelength.errors import DataError, InvalidParameter
from codelength.latent.inference import align, bootstrap, standard_errors
from codelength.latent.inference.alignment import profile_distances
from codelength.latent.inference.bootstrap import draw_rows, missing_cells
from codelength.mixture import fit_mixture
from codelength.mixture._replications import reweighted, softened
from codelength.mixture.em._problem import joint_rows
from codelength.table import Coded
from latent_truth import truth


@pytest.fixture(scope="module")
def fitted():
    coded = draw_rows(truth(), 800, np.random.default_rng(1))
    mixture, _ = fit_mixture(coded, 3, random_state=0)
    return coded, align(truth(), mixture)


@pytest.mark.parametrize("order", [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
def test_a_mixture_whose_classes_have_other_names_is_aligned(order):
    mixture = truth()
    assert np.array_equal(align(mixture, mixture.permuted(order)).value_probs, mixture.value_probs)
    distances = profile_distances(mixture, mixture)
    assert np.diagonal(distances) == pytest.approx(0, abs=1e-12)
    assert (distances[~np.eye(3, dtype=bool)] > 0.5).all()


@pytest.mark.parametrize("kind", ["nonparametric", "parametric"])
def test_standard_errors_are_near_those_of_the_information(kind, fitted):
    coded, mixture = fitted
    found, theory = bootstrap(coded, mixture, kind, random_state=0), standard_errors(coded, mixture)
    assert found.n_unconverged == 0
    ratios = found.value_errors / theory.value_errors
    assert np.nanmedian(ratios) == pytest.approx(1, abs=0.1)
    assert found.class_errors == pytest.approx(theory.class_errors, rel=0.25)


@pytest.mark.parametrize("kind", ["nonparametric", "parametric"])
def test_any_number_of_threads_gives_the_same_bootstrap(kind, fitted):
    coded, mixture = fitted
    told = []
    options = {"n_replications": 7, "random_state": 3}
    one = bootstrap(coded, mixture, kind, n_threads=1, progress=lambda *done: told.append(done), **options)
    three = bootstrap(coded, mixture, kind, n_threads=3, **options)
    assert np.array_equal(one.value_draws, three.value_draws)
    assert np.array_equal(one.log_likelihoods, three.log_likelihoods)
    assert told == [(done, 7) for done in range(1, 8)]


def test_replications_end_at_maxima_of_their_own_tables(fitted):
    """EM from many starts finds nothing better than EM from the estimates."""
    coded, mixture = fitted
    stream = np.random.default_rng(np.random.default_rng(5).spawn(1)[0].bit_generator)
    found = bootstrap(coded, mixture, n_replications=1, random_state=5)
    distinct = mixture.coded(coded).distinct()
    times = stream.multinomial(800, distinct.weights / 800)
    _, info = fit_mixture(Coded.of(distinct.schema, distinct.codes, weights=times), 3, random_state=0)
    assert found.log_likelihoods[0] == pytest.approx(info.runs[info.best].log_likelihood, abs=1e-3)


def test_relative_weights_are_resampled_with_their_rows():
    """Rows of weight 100 and 0.01 drawn as single rows vary more than as counts of rows."""
    coded = Coded.of(Schema.from_sizes([2]), [[0], [1]] * 20, weights=[2.0, 0.5] * 20)
    mixture, _ = fit_mixture(coded, 1)
    options = {"n_replications": 400, "random_state": 0}
    errors = {
        weighting: bootstrap(coded, mixture, weighting=weighting, **options).value_errors[0, 0]
        for weighting in ("counts", "relative")
    }
    assert errors["counts"] == pytest.approx(np.sqrt(0.8 * 0.2 / 50), rel=0.1)
    share = np.array([2.0, 0.5] * 20) * (np.array([1, 0] * 20) - 0.8)
    assert errors["relative"] == pytest.approx(np.sqrt((share**2).sum()) / 50, rel=0.1)


def test_a_bootstrap_that_never_leaves_the_boundary_has_no_interval_there():
    coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 0], [0, 1]] * 10)
    mixture, _ = fit_mixture(coded, 1)
    for kind in ("nonparametric", "parametric"):
        intervals = bootstrap(coded, mixture, kind, n_replications=40, random_state=0).intervals()
        assert np.isnan(intervals.of(0)).all()
        assert intervals.value_boundary[0, 0]
        assert "unknown *" in str(intervals)


def test_missing_cells_stay_missing_in_drawn_tables():
    coded = Coded.of(Schema.from_sizes([2, 3]), [[0, 3], [2, 1], [1, 0]], weights=[2, 1, 1])
    missing = missing_cells(coded)
    assert missing.tolist() == [[False, True], [False, True], [True, False], [False, False]]
    mixture, _ = fit_mixture(coded, 1)
    drawn = draw_rows(mixture, 4, np.random.default_rng(0), missing)
    assert np.array_equal(drawn.codes == drawn.schema.n_values, missing)
    assert missing_cells(coded.take([2])) is None


def test_drawn_rows_follow_the_mixture():
    mixture, n_rows = truth(), 200_000
    drawn = draw_rows(mixture, n_rows, np.random.default_rng(0))
    for i in range(mixture.schema.n_variables):
        shares = np.bincount(drawn.codes[:, i]) / n_rows
        assert shares == pytest.approx(mixture.class_probs @ mixture.of(i), abs=0.005)
    both = np.mean((drawn.codes[:, 0] == 0) & (drawn.codes[:, 4] == 1))
    assert both == pytest.approx(mixture.class_probs @ (mixture.of(0)[:, 0] * mixture.of(4)[:, 1]), abs=0.005)


def test_reweighted_rows_are_those_of_a_table_with_such_weights(fitted):
    joint = joint_rows(fitted[0])
    weights = np.zeros(len(joint.weights))
    weights[[3, 5]] = [2, 1]
    few = reweighted(joint, weights)
    assert few.weights.tolist() == [2, 1]
    assert np.array_equal(few.keys, joint.keys[:, [3, 5]])


def test_a_softened_mixture_has_no_zeros_and_hardly_moves():
    mixture = truth()
    soft = softened(mixture, 1000)
    assert soft.value_probs == pytest.approx(mixture.value_probs, abs=0.01)
    for i in range(mixture.schema.n_variables):
        assert soft.of(i).sum(axis=1) == pytest.approx(1)


def test_bad_arguments_are_refused(fitted):
    coded, mixture = fitted
    with pytest.raises(InvalidParameter, match="kind='block'"):
        bootstrap(coded, mixture, "block")
    with pytest.raises(InvalidParameter, match="n_replications=0"):
        bootstrap(coded, mixture, n_replications=0)
    with pytest.raises(DataError, match="there are no rows, so nothing is known"):
        bootstrap(coded.take([]), mixture)
