"""EM from many starts."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from codelength.decisions import first_best
from codelength.errors import DataError, Infeasible, InvalidParameter
from codelength.mixture.code_length.information_criteria import log_likelihood
from codelength.mixture.em import STARTS, Layout, fit_mixture
from codelength.table import Coded, Schema, encode
from unit.mixture.mixture_tables import case_of, random_coded

by_start = pytest.mark.parametrize("init", STARTS)


def table(seed=0, n_rows=200, sizes=(2, 3, 4, 2), missing=0.05, weights=None):
    return random_coded(seed, n_rows, list(sizes), 3, missing, weights=weights)


def test_the_best_end_is_kept_and_all_are_told():
    coded = table()
    state, info = fit_mixture(coded, 3, n_init=7, random_state=0)
    assert len(info.runs) == len(info.states) == 7
    assert info.best == first_best(info.log_posteriors)
    assert state is info.states[info.best]
    assert info.runs[info.best].log_likelihood == pytest.approx(log_likelihood(coded, state), rel=1e-12)
    for run in info.runs:
        assert run.log_posterior == run.log_posteriors[-1]
        assert (np.diff(run.log_posteriors) > -1e-9).all()


@by_start
def test_results_depend_on_the_random_state_but_not_on_the_threads(init):
    coded = table()
    first, info = fit_mixture(coded, 3, n_init=4, init=init, random_state=5, n_threads=1)
    again, other = fit_mixture(coded, 3, n_init=4, init=init, random_state=5, n_threads=3)
    assert np.array_equal(first.value_probs, again.value_probs)
    for one, two in zip(info.runs, other.runs, strict=True):
        assert np.array_equal(one.log_posteriors, two.log_posteriors)
    _, another = fit_mixture(coded, 3, n_init=4, init="random", random_state=6)
    assert not np.array_equal(another.log_posteriors, info.log_posteriors)


@by_start
def test_well_separated_components_are_recovered(init):
    generator = np.random.default_rng(0)
    class_probs, sizes, n_rows = np.array([0.5, 0.3, 0.2]), [2, 3, 4] * 4, 6000
    profiles = [generator.dirichlet(np.full(size, 0.3), size=3) for size in sizes]
    groups = generator.choice(3, size=n_rows, p=class_probs)
    marks = generator.random((n_rows, len(sizes), 1))
    columns = [(marks[:, i] > of[groups].cumsum(axis=1)[:, :-1]).sum(axis=1) for i, of in enumerate(profiles)]
    coded = encode(Schema.from_sizes(sizes), np.stack(columns, axis=1))
    state, _ = fit_mixture(coded, 3, n_init=5, init=init, random_state=0)
    found = state.permuted(np.argsort(-state.class_probs))
    np.testing.assert_allclose(found.class_probs, class_probs, atol=0.02)
    for i, profile in enumerate(profiles):
        np.testing.assert_allclose(found.of(i), profile, atol=0.05)
    labels = found.labels(coded)
    assert np.mean(labels == groups) > 0.97


@by_start
def test_edges(init):
    tiny = case_of([2, 2], 3, [[0, 1], [1, None]])
    state, _ = fit_mixture(tiny.coded, 3, init=init, n_init=3, random_state=0)
    assert np.isfinite(state.value_probs).all()
    alike = case_of([1, 2], 3, [[0, 1]] * 6)
    state, info = fit_mixture(alike.coded, 3, init=init, n_init=3, random_state=0)
    assert info.log_posteriors == pytest.approx(np.zeros(3), abs=1e-9)
    unseen = case_of([2, 2], 2, [[None, None]] * 5)
    state, _ = fit_mixture(unseen.coded, 2, init=init, n_init=2, random_state=0)
    assert state.of(0) == pytest.approx(np.full((2, 2), 0.5))


@by_start
def test_rows_of_weight_zero_do_not_matter(init):
    coded = table(n_rows=60, missing=0, weights=np.repeat([2.0, 0.0], 30))
    state, info = fit_mixture(coded, 2, init=init, n_init=3, random_state=0)
    other = log_likelihood(coded, state)
    assert info.runs[info.best].log_likelihood == pytest.approx(other, rel=1e-12)
    counted = Coded.of(coded.schema, coded.codes[:30])
    assert other == pytest.approx(2 * log_likelihood(counted, state), rel=1e-12)


def test_one_component_needs_one_start():
    coded = table()
    state, info = fit_mixture(coded, 1)
    assert len(info.runs) == 1
    assert info.converged
    assert state.class_probs.tolist() == [1]


def test_a_search_that_ends_early_is_worth_a_warning():
    coded = table()
    with pytest.warns(ConvergenceWarning, match="in 2 iterations"):
        fit_mixture(coded, 3, n_init=2, max_iter=2, random_state=0)
    _, info = fit_mixture(coded, 3, n_init=2, max_iter=2, tol=0, random_state=0)
    assert not info.converged


def test_runs_on_a_plain_of_noise_end():
    """Where every direction gains next to nothing, a leader that is continued still gains it forever."""
    generator = np.random.default_rng(0)
    noise = np.stack([generator.integers(size, size=300_000) for size in (3, 5, 7)], axis=1)
    coded = encode(Schema.from_sizes([3, 5, 7]), noise)
    _, info = fit_mixture(coded, 2, reached=5, max_iter=100, random_state=0)
    assert info.n_reached >= 1
    # Once from the start; each later round, and the last polish, continues a run at most twice.
    n_rounds = -(-len(info.runs) // 20)
    assert max(len(run.log_posteriors) for run in info.runs) <= 100 * (2 + 2 * n_rounds) + 20


def test_one_layout_serves_every_number_of_components():
    coded = table()
    layout = Layout.of(coded)
    for n_components in (1, 2, 5):
        alone, info = fit_mixture(coded, n_components, n_init=3, random_state=1)
        shared, other = fit_mixture(layout, n_components, n_init=3, random_state=1)
        assert np.array_equal(alone.value_probs, shared.value_probs)
        assert np.array_equal(info.log_posteriors, other.log_posteriors)


def test_the_class_of_a_row_plays_no_part():
    coded = table()
    labelled = Coded.of(Schema.from_sizes([2, 3, 4, 2], n_classes=2), coded.codes, np.arange(200) % 2)
    alone, other = (fit_mixture(rows, 3, n_init=2, random_state=0)[0] for rows in (coded, labelled))
    assert np.array_equal(alone.value_probs, other.value_probs)


def test_too_many_components_are_refused_at_once():
    with pytest.raises(Infeasible, match=r"n_components=1000000000: .* at most 1,000 components"):
        fit_mixture(table(), 10**9)


def test_far_more_components_than_rows_are_refused_at_once():
    few = table(n_rows=5)
    with pytest.raises(Infeasible, match=r"n_components=1000000: .* only 5 distinct rows.* at most 1,000 "):
        fit_mixture(few, 1_000_000)
    state, _ = fit_mixture(few, 1000, n_init=2, random_state=0)
    assert state.n_components == 1000


# 118 slides that seven pathologists judged, as patterns and how often each occurs, and what a program nobody
# here wrote makes of them: log-likelihoods of two, three and four classes by poLCA 1.6.
SLIDES = """0000000 34, 0000100 2, 0100000 6, 0100001 1, 0100100 4, 0100101 5, 1000000 2, 1010101 1,
1100000 2, 1100001 1, 1100100 2, 1100101 7, 1100111 1, 1101001 1, 1101101 2, 1101111 3, 1110101 13,
1110111 5, 1111101 10, 1111111 16"""
FROM_POLCA = {2: -317.256837, 3: -293.704979, 4: -289.285849}


@pytest.mark.parametrize("n_components", FROM_POLCA)
@pytest.mark.parametrize("seed", range(3))
def test_the_maximum_is_reached_to_the_last_digit_printed_elsewhere(n_components, seed):
    patterns = [pattern.split() for pattern in SLIDES.split(",")]
    codes = [[int(judgement) for judgement in pattern] for pattern, _ in patterns]
    weights = [float(often) for _, often in patterns]
    coded = Coded.of(Schema.from_sizes([2] * 7), codes, weights=weights)
    _, info = fit_mixture(coded, n_components, random_state=seed)
    assert info.converged
    assert info.log_posteriors.max() == pytest.approx(FROM_POLCA[n_components], abs=2e-6)
    assert (np.diff(info.runs[info.best].log_posteriors) > -1e-9).all()


def test_tolerances_that_are_not_tight_are_reached_by_plain_em():
    """As published figures were: all runs to their ends."""
    coded = table()
    layout = Layout.of(coded)
    _, info = fit_mixture(layout, 3, n_init=4, init="random", tol=1e-7, random_state=5)
    for run in info.runs:
        gains = np.diff(run.log_posteriors)
        assert run.converged
        assert gains[-1] < 1e-7 * 200 <= gains[:-1].min()


def test_bad_arguments_are_refused():
    coded = table()
    for wrong in (
        {"n_init": 0},
        {"init": "best"},
        {"prior": 0.5},
        {"n_threads": 0},
        {"max_iter": 0},
        {"random_state": -1},
    ):
        with pytest.raises(InvalidParameter):
            fit_mixture(coded, 2, **wrong)
    with pytest.raises(InvalidParameter, match="n_components=0"):
        fit_mixture(coded, 0)
    with pytest.raises(DataError, match=r"shape \(0, 4\)"):
        fit_mixture(coded.take(np.arange(0)), 2)
    with pytest.raises(DataError, match="all weights are zero"):
        fit_mixture(Coded.of(coded.schema, coded.codes, weights=np.zeros(200)), 2)
