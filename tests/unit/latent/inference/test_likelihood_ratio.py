"""The bootstrap likelihood-ratio test, and the profile likelihood at the boundary."""

import numpy as np
import pytest

from codelength import Schema
from codelength.errors import DataError, InvalidParameter
from codelength.latent.inference import likelihood_ratio_test, standard_errors, with_profile_bounds
from codelength.latent.inference.bootstrap import draw_rows
from codelength.mixture import fit_mixture
from codelength.table import Coded
from latent_truth import truth


def test_classes_that_are_there_are_found_and_others_are_not():
    coded = draw_rows(truth(), 500, np.random.default_rng(0))
    needed = likelihood_ratio_test(coded, 3, n_replications=19, n_init=4, random_state=0)
    assert needed.p_value == 0.05
    assert needed.statistic > needed.replications.max()
    superfluous = likelihood_ratio_test(coded, 4, n_replications=19, n_init=4, random_state=0)
    assert superfluous.p_value > 0.1
    assert "4 against 3 classes" in repr(superfluous)


def test_log_likelihoods_are_those_of_the_best_mixtures():
    coded = draw_rows(truth(), 300, np.random.default_rng(1))
    found = likelihood_ratio_test(coded, 3, n_replications=1, random_state=0)
    for n_components, log_likelihood in zip((2, 3), found.log_likelihoods, strict=True):
        _, info = fit_mixture(coded, n_components, random_state=0)
        assert log_likelihood == pytest.approx(info.runs[info.best].log_likelihood, abs=1e-4)


def test_statistics_are_never_below_zero_and_the_same_for_any_number_of_threads():
    coded = draw_rows(truth(2), 100, np.random.default_rng(1))
    options = {"n_replications": 6, "n_init": 1, "random_state": 1}
    one = likelihood_ratio_test(coded, 3, n_threads=1, **options)
    assert np.array_equal(
        one.replications, likelihood_ratio_test(coded, 3, n_threads=3, **options).replications
    )
    assert (one.replications > -1e-3).all()


def test_gains_of_nothing_are_ties_and_not_ranked_by_rounding():
    """Two classes of one variable fit a table no better than one does."""
    coded = Coded.of(Schema.from_sizes([3]), [[0], [1], [1], [2]] * 20)
    found = likelihood_ratio_test(coded, 2, n_replications=19, n_init=2, random_state=0)
    assert np.abs(found.replications).max() < 1e-3
    assert found.p_value == 1


def test_the_smaller_mixture_of_the_table_itself_gets_three_times_the_starts():
    """Single starts of four classes end 1.3 nats below the best in these tables, the best of three 0.3."""
    short = []
    for seed in range(12):
        coded = draw_rows(truth(), 100, np.random.default_rng([3, seed]))
        found = likelihood_ratio_test(coded, 5, n_replications=1, n_init=1, random_state=seed)
        _, info = fit_mixture(coded, 4, random_state=seed)
        short.append(info.runs[info.best].log_likelihood - found.log_likelihoods[0])
    assert np.mean(short) < 0.6


def test_bad_arguments_are_refused():
    coded = draw_rows(truth(), 20, np.random.default_rng(1))
    with pytest.raises(InvalidParameter, match="no smaller number to test against"):
        likelihood_ratio_test(coded, 1)
    with pytest.raises(DataError, match="there are no rows"):
        likelihood_ratio_test(coded.take([]), 2)


def test_profile_bounds_are_where_the_maximised_log_likelihood_has_fallen(monkeypatch):
    """Two classes that are known all but exactly: the bound of each is that of a proportion."""
    rows = [[0] * 6 + [0]] * 40 + [[1] * 6 + [0]] * 20 + [[1] * 6 + [1]] * 20
    coded = Coded.of(Schema.from_sizes([2] * 7), rows)
    mixture, _ = fit_mixture(coded, 2, random_state=0)
    first = int(np.argmax(mixture.of(6)[:, 0]))
    plain = standard_errors(coded, mixture).intervals()
    intervals = with_profile_bounds(coded, plain)
    bound = 1 - np.exp(-3.841459 / 2 / 40)
    assert intervals.of(6)[:, first, 1] == pytest.approx([0, bound], rel=0.02)
    assert intervals.of(6)[:, first, 0] == pytest.approx([1 - bound, 1], rel=0.02)
    other = 1 - first
    assert np.array_equal(intervals.of(6)[:, other], plain.of(6)[:, other])
    assert np.isfinite(intervals.of(0)).all()
    assert "profile likelihood" in intervals.method
    monkeypatch.setenv("CODELENGTH_THREADS", "1")
    again = with_profile_bounds(coded, plain)
    assert np.array_equal(again.value_bounds, intervals.value_bounds, equal_nan=True)


def test_a_value_that_is_certain_gets_what_the_others_leave():
    coded = Coded.of(Schema.from_sizes([3]), [[1]] * 50)
    mixture, _ = fit_mixture(coded, 1)
    bounds = with_profile_bounds(coded, standard_errors(coded, mixture).intervals()).of(0)[:, 0]
    assert bounds[0] == pytest.approx([0, 1 - bounds[1, 0], 0])
    assert bounds[1, 1] == 1
    records = with_profile_bounds(coded, standard_errors(coded, mixture).intervals()).records()
    assert records[2] == {
        "variable": "x0",
        "value": 1,
        "class": 1,
        "estimate": 1.0,
        "low": pytest.approx(bounds[0, 1]),
        "high": 1.0,
        "at_boundary": True,
    }


def test_a_seed_that_is_not_a_number_is_refused():
    coded = Coded.of(Schema.from_sizes([2]), [[0], [1]])
    with pytest.raises(InvalidParameter, match="random_state='seed': expected a whole number"):
        likelihood_ratio_test(coded, 2, random_state="seed")
