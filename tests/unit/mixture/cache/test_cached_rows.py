"""Rows on disk give what rows in memory give, to the last bit."""

import signal
import threading
from itertools import count

import numpy as np
import pytest

from codelength.errors import Infeasible
from codelength.latent.fit_measures import fit_measures
from codelength.latent.residuals import bivariate_residuals
from codelength.mixture.cache import CachedRows, gathering, rows
from codelength.mixture.classification import classification
from codelength.mixture.code_length import CRITERIA, ON_DISK_CRITERIA
from codelength.mixture.em import STARTS, Layout, _problem, em, fit_mixture
from codelength.selection.components import Restarts, choose_components
from codelength.table import Coded, Schema
from unit.mixture.mixture_tables import gather, random_coded

N_ROWS, SIZES = 600, [2, 3, 4, 2, 5]


@pytest.fixture(autouse=True)
def _few_at_a_time(monkeypatch):
    """Runs, blocks and pieces of a few rows, in memory and on disk alike."""
    monkeypatch.setattr(gathering, "LEAST_SORTED", 100)
    monkeypatch.setattr(gathering, "LEAST_HELD", 20)
    monkeypatch.setattr(_problem, "BLOCK_ROWS", 40)
    monkeypatch.setattr(rows, "BLOCK_ROWS", 70)
    monkeypatch.setattr(rows, "PIECE_ROWS", 16)
    monkeypatch.setattr(rows, "MAX_KEPT", 0)


@pytest.fixture
def coded():
    """A table with missing cells and weights."""
    weights = np.random.default_rng(1).integers(1, 4, N_ROWS)
    return random_coded(0, N_ROWS, SIZES, n_groups=3, missing=0.05, weights=weights).distinct()


@pytest.fixture
def cached(coded):
    """The same rows on disk."""
    with gather([coded], coded.schema, memory=1) as found:
        assert isinstance(found, CachedRows)
        yield found


def same(first, second):
    return np.array_equal(first.class_probs, second.class_probs) and np.array_equal(
        first.value_probs, second.value_probs
    )


@pytest.mark.parametrize("init", STARTS)
@pytest.mark.parametrize("n_threads", [1, 2])
def test_em_from_every_start(coded, cached, init, n_threads):
    options = {"n_init": 3, "init": init, "max_iter": 30, "tol": 0.0, "random_state": 0}
    in_memory, of_memory = fit_mixture(coded, 3, n_threads=1, **options)
    on_disk, of_disk = fit_mixture(cached, 3, n_threads=n_threads, **options)
    assert same(in_memory, on_disk)
    for first, second in zip(of_memory.runs, of_disk.runs, strict=True):
        assert np.array_equal(first.log_posteriors, second.log_posteriors)
        assert np.array_equal(first.log_likelihoods, second.log_likelihoods)


def test_em_from_one_mixture(coded, cached):
    start, _ = fit_mixture(coded, 2, n_init=1, max_iter=2, tol=0.0, random_state=0)
    layout = Layout.of(cached)
    assert layout.joint is cached
    assert Layout.of(layout) is layout
    assert same(em(coded, start)[0], em(layout, start)[0])


def test_rows_too_improbable_for_plain_products():
    """They are done in logs, on disk as in memory."""
    coded = random_coded(3, 90, [90] * 200, n_components=2).distinct()
    with gather([coded], coded.schema, memory=1) as cached:
        options = {"n_init": 2, "max_iter": 5, "tol": 0.0, "random_state": 0}
        in_memory, info = fit_mixture(coded, 2, **options)
        assert info.runs[0].log_likelihoods[0] < 90 * np.log(2.0**-800)
        assert same(in_memory, fit_mixture(cached, 2, **options)[0])


def test_restarts_that_are_compared(coded, cached):
    options = {"n_init": 4, "reached": 3, "max_init": 12, "random_state": 5}
    in_memory, of_memory = fit_mixture(coded, 3, **options)
    on_disk, of_disk = fit_mixture(cached, 3, **options)
    assert same(in_memory, on_disk)
    assert np.array_equal(of_memory.log_posteriors, of_disk.log_posteriors)


@pytest.mark.parametrize("criterion", ON_DISK_CRITERIA)
def test_the_number_of_components(coded, cached, criterion):
    """Path, comparison and everything in it."""
    options = {"restarts": Restarts(n_init=2, reached=1, tol=1e-6), "seed": 7}
    in_memory = choose_components(coded, range(1, 4), criterion, **options)
    on_disk = choose_components(cached, range(1, 4), criterion, **options)
    assert in_memory.path == on_disk.path
    assert list(in_memory.comparison) == list(on_disk.comparison)
    assert same(in_memory.mixture, on_disk.mixture)


def test_figures_of_a_fit(coded, cached):
    mixture, _ = fit_mixture(coded, 3, n_init=1, max_iter=20, tol=0.0, random_state=0)
    assert fit_measures(coded, mixture) == fit_measures(cached, mixture)
    assert np.array_equal(classification(coded, mixture).table, classification(cached, mixture).table)
    residuals = bivariate_residuals(coded, mixture).values, bivariate_residuals(cached, mixture).values
    assert np.array_equal(*residuals, equal_nan=True)


def test_what_takes_all_rows_in_memory_says_so(coded, cached):
    mixture, _ = fit_mixture(coded, 2, n_init=1, max_iter=2, tol=0.0, random_state=0)
    for criterion in set(CRITERIA) - set(ON_DISK_CRITERIA):
        with pytest.raises(Infeasible, match="needs all rows in memory"):
            choose_components(cached, [2], criterion)
    with pytest.raises(Infeasible, match=r"needs all rows in memory.*raise memory="):
        mixture.coded(cached)


def test_an_interruption_ends_all_runs(cached, monkeypatch):
    """Nobody waits until they have made their iterations."""
    read, calls = CachedRows.pieces, count()

    def pieces(self, start, stop):
        # Counted by one call, between which no other thread can come. The main thread may be about to wait.
        if next(calls) == 500:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        return read(self, start, stop)

    monkeypatch.setattr(CachedRows, "pieces", pieces)
    with pytest.raises(KeyboardInterrupt):
        fit_mixture(cached, 3, n_init=8, max_iter=200_000, tol=0.0, random_state=0, n_threads=2)
    # Two runs to their ends would take millions. A busy machine may be slow to interrupt.
    assert next(calls) < 1_000_000


def test_closed_rows_are_no_rows(cached):
    cached.close()
    cached.close()
    assert cached.n_rows == 0


def test_codes_come_back_from_joint_cells():
    """Also where a column has so many values that a joint cell takes four bytes."""
    schema = Schema.from_sizes([70_000, 2, 3])
    generator = np.random.default_rng(0)
    codes = np.stack([generator.integers(0, size + 1, 300) for size in (70_000, 2, 3)], axis=1)
    coded = Coded.of(schema, codes).distinct()
    with gather([coded], schema, memory=1) as cached:
        assert np.array_equal(cached.block(0, cached.n_rows).codes, coded.codes)
