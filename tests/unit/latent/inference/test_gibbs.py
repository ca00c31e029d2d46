"""The Gibbs sampler against exact posterior probabilities, and the figures that tell whether it has mixed."""

import itertools

import numpy as np
import pytest

import naive
from codelength import Schema
from codelength.errors import DataError, InvalidParameter
from codelength.latent.inference import align, effective_sample_size, posterior_sample, r_hat
from codelength.latent.inference.bootstrap import draw_rows
from codelength.mixture import fit_mixture
from codelength.table import Coded
from latent_truth import truth

ARVIZ = {
    0.0: (1182.5290766631397, 0.9995366255509818),
    0.5: (338.58502433002315, 1.0053016094193001),
    0.9: (77.32695127644563, 1.026584593541185),
    -0.5: (3695.0174952571497, 1.0026475856289052),
}
"""Effective sample size and R-hat by ArviZ 0.23.4, ``az.ess(x)`` and ``az.rhat(x)``, of the chains below."""


def autoregressive_chains():
    """Three chains of 400 draws for each correlation of neighbours, all from one stream."""
    rng = np.random.default_rng(3)
    for correlation in ARVIZ:
        chains, noise = np.zeros((3, 400)), rng.normal(size=(3, 400))
        for t in range(1, 400):
            chains[:, t] = correlation * chains[:, t - 1] + noise[:, t]
        yield correlation, chains


def test_convergence_figures_are_those_of_arviz():
    for correlation, chains in autoregressive_chains():
        size, reduction = ARVIZ[correlation]
        assert effective_sample_size(chains) == pytest.approx(size, rel=1e-9)
        assert r_hat(chains) == pytest.approx(reduction, rel=1e-9)


@pytest.mark.parametrize(("n_chains", "n_draws"), [(1, 4), (1, 50), (2, 5), (4, 101), (3, 1000)])
def test_convergence_figures_are_those_of_arviz_where_it_is_installed(n_chains, n_draws):
    arviz = pytest.importorskip("arviz")
    rng = np.random.default_rng(n_draws)
    for draws in (
        rng.normal(size=(n_chains, n_draws)),
        np.cumsum(rng.normal(size=(n_chains, n_draws)), axis=1),
    ):
        assert effective_sample_size(draws) == pytest.approx(float(arviz.ess(draws)), rel=1e-9)
        if n_chains > 1:
            assert r_hat(draws) == pytest.approx(float(arviz.rhat(draws)), rel=1e-9)


def test_draws_that_are_all_equal_have_no_figures():
    assert np.isnan(r_hat(np.ones((2, 10))))
    assert np.isnan(effective_sample_size(np.ones((2, 10))))


def test_co_clustering_is_that_of_the_sum_over_all_clusterings():
    """How often two rows share a class does not depend on names of classes, and can be summed exactly."""
    rows = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [0, None, 1]]
    codes = [[2 if code is None else code for code in row] for row in rows]
    coded = Coded.of(Schema.from_sizes([2, 2, 2]), codes)
    prior = naive.uniform_prior([2, 2, 2], 2)
    together, total = np.zeros((5, 5)), 0.0
    for labels in itertools.product(range(2), repeat=5):
        weight = float(naive.evidence(naive.clustering_counts(rows, labels, prior), prior))
        together += weight * np.equal.outer(labels, labels)
        total += weight
    mixture, _ = fit_mixture(coded, 2, random_state=0)
    found = _co_clustering(coded, mixture)
    assert found == pytest.approx(together / total, abs=0.015)


def _co_clustering(coded, mixture):
    """From draws of single sweeps: the share of draws in which two rows are in one class."""
    from codelength.mixture._kernels import fill, sweep
    from codelength.mixture.clusterings import ClusteringState, ObservedCells
    from codelength.naive_bayes import pseudocounts

    rows = mixture.coded(coded)
    observed, rng = ObservedCells.of(rows), np.random.default_rng(0)
    state = ClusteringState.empty(rows.schema, pseudocounts("uniform", rows.schema))
    labels = np.zeros(rows.n_rows, dtype=np.int64)
    fill(observed, labels, state)
    times = np.zeros((rows.n_rows, rows.n_rows))
    for _ in range(20_000):
        sweep(observed, labels, rng.random(rows.n_rows), state)
        times += np.equal.outer(labels, labels)
    return times / 20_000


def test_the_posterior_of_one_class_is_the_dirichlet_distribution():
    coded = Coded.of(Schema.from_sizes([3, 2]), [[0, 0], [1, 2], [1, 1], [2, 0]], weights=[3, 2, 2, 1])
    mixture, _ = fit_mixture(coded, 1)
    sample = posterior_sample(coded, mixture, n_draws=4000, n_warmup=0, random_state=0)
    assert sample.mean.of(0)[0] == pytest.approx(np.array([4, 5, 2]) / 11, abs=0.01)
    assert sample.mean.of(1)[0] == pytest.approx(np.array([5, 3]) / 8, abs=0.01)
    deviation = sample.value_draws[:, :, 0, 0].std()
    assert deviation == pytest.approx(np.sqrt(4 * 7 / (11**2 * 12)), rel=0.03)


def test_classes_keep_their_names_from_any_start():
    coded = draw_rows(truth(), 600, np.random.default_rng(2))
    mixture, _ = fit_mixture(coded, 3, random_state=0)
    mixture = align(truth(), mixture)
    samples = [
        posterior_sample(coded, mixture, n_draws=150, n_warmup=150, start=start, random_state=1)
        for start in ("mixture", "random")
    ]
    for sample in samples:
        assert sample.mean.class_probs == pytest.approx(truth().class_probs, abs=0.08)
        assert np.nanmax(sample.r_hat[1]) < 1.1
        assert np.nanmin(sample.effective_sample_size[1]) > 50
        assert sample.memberships.sum(axis=1) == pytest.approx(1)
        assert np.abs(sample.memberships - mixture.responsibilities(mixture.coded(coded))).mean() < 0.05
    assert "R-hat" in str(samples[0])


def test_any_number_of_threads_gives_the_same_draws():
    coded = draw_rows(truth(), 60, np.random.default_rng(2))
    one, two = (
        posterior_sample(coded, truth(), n_draws=5, n_warmup=5, random_state=4, n_threads=n) for n in (1, 3)
    )
    assert np.array_equal(one.value_draws, two.value_draws)


def test_bad_arguments_are_refused():
    coded = draw_rows(truth(), 20, np.random.default_rng(2))
    with pytest.raises(InvalidParameter, match="start='kmeans'"):
        posterior_sample(coded, truth(), start="kmeans")
    with pytest.raises(InvalidParameter, match="n_draws=3: expected a whole number of at least 4"):
        posterior_sample(coded, truth(), n_draws=3)
    with pytest.raises(DataError, match="there are no rows"):
        posterior_sample(coded.take([]), truth())
    halves = Coded.of(coded.schema, coded.codes, weights=np.full(20, 0.5))
    with pytest.raises(InvalidParameter, match="works on single rows, and the weights are not whole"):
        posterior_sample(halves, truth())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("sizes", [[2, 3], [1]])
def test_a_sample_of_one_class_says_nothing_that_is_not_a_number(sizes):
    """Its share is always 1, and has neither R-hat nor an effective sample size."""
    coded = Coded.of(Schema.from_sizes(sizes), np.zeros((20, len(sizes)), dtype=np.int64))
    mixture, _ = fit_mixture(coded, 1, random_state=0)
    text = str(posterior_sample(coded, mixture, n_draws=40, n_warmup=5, random_state=0))
    assert "nan" not in text
    assert ("largest R-hat" in text) == (sizes != [1])
