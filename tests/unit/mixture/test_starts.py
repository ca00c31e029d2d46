"""Where EM starts."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from codelength.mixture.em import STARTS, starts
from codelength.mixture.em.starts import kmeans_shares, kmodes_shares, random_shares
from codelength.mixture.parameters import with_components
from codelength.table import Coded, Schema
from unit.mixture.mixture_tables import random_coded


def shares_of(start, coded, generator):
    """The shares of all rows."""
    return np.concatenate([shares for _, shares in start(coded, coded.schema.n_classes, generator)])


GROUPS = np.repeat([0, 1, 2], 20)
SEPARATED = (GROUPS[:, None] == np.arange(3)).repeat(4, axis=1).astype(np.uint8)


@pytest.mark.parametrize("init", STARTS)
def test_shares_are_positive_and_add_up_to_one(init):
    coded = random_coded(0, 50, [2, 3, 4], missing=0.2, n_components=4)
    for start in STARTS[init]:
        shares = shares_of(start, coded, np.random.default_rng(0))
        assert shares.shape == (50, 4)
        assert (shares > 0).all()
        assert shares.sum(axis=1) == pytest.approx(np.ones(50))
        assert not np.array_equal(shares, shares_of(random_shares, coded, np.random.default_rng(1)))


@pytest.mark.parametrize("start", [kmeans_shares, kmodes_shares])
def test_separated_groups_are_told_apart(start):
    coded = Coded.of(with_components(Schema.from_sizes([2] * 12), 3), SEPARATED)
    found = [shares_of(start, coded, np.random.default_rng(seed)) for seed in range(5)]
    best = max(len({tuple(row) for row in shares.round(6).tolist()}) for shares in found)
    assert best == 3
    for shares in found:
        for group in range(3):
            assert len(np.unique(shares[group == GROUPS].round(6), axis=0)) == 1


def test_missing_cells_differ_from_no_mode():
    schema = with_components(Schema.from_sizes([2, 2]), 2)
    coded = Coded.of(schema, [[0, 0], [0, 2], [1, 1], [2, 1]])
    shares = shares_of(kmodes_shares, coded, np.random.default_rng(0))
    assert np.array_equal(shares[0], shares[1])
    assert np.array_equal(shares[2], shares[3])
    assert not np.array_equal(shares[0], shares[2])


def test_rows_of_weight_zero_do_not_make_a_mode():
    schema = with_components(Schema.from_sizes([2, 2, 2]), 2)
    coded = Coded.of(schema, [[0, 0, 0]] * 5 + [[1, 1, 1]], weights=[1.0] * 5 + [0.0])
    shares = shares_of(kmodes_shares, coded, np.random.default_rng(0))
    assert (shares == shares[0]).all()


def test_rows_that_lack_everything_start_somewhere_too():
    coded = Coded.of(with_components(Schema.from_sizes([2, 3]), 3), [[2, 3], [2, 3], [0, 1]])
    for start in STARTS["mixed"]:
        assert shares_of(start, coded, np.random.default_rng(0)).sum(axis=1) == pytest.approx(np.ones(3))


@pytest.mark.parametrize("seed", range(5))
def test_means_are_as_good_as_those_of_scikit_learn(seed):
    """By the sum of squared distances to the centres."""
    coded = random_coded(seed, 200, [3] * 6, n_components=4)
    indicators = np.eye(3)[coded.codes].reshape(coded.n_rows, -1)

    def scatter(labels):
        clusters = [indicators[labels == k] for k in set(labels.tolist())]
        return sum(((own - own.mean(axis=0)) ** 2).sum() for own in clusters)

    own = min(
        scatter(shares_of(kmeans_shares, coded, np.random.default_rng([seed, i])).argmax(axis=1))
        for i in range(10)
    )
    theirs = scatter(KMeans(4, n_init=10, random_state=seed).fit(indicators).labels_)
    assert own < 1.05 * theirs


@pytest.mark.parametrize("start", [kmeans_shares, kmodes_shares])
def test_distances_that_are_not_kept_give_the_same_start(start, monkeypatch):
    coded = random_coded(1, 300, [3] * 6, missing=0.1, n_components=5)
    kept = shares_of(start, coded, np.random.default_rng(0))
    monkeypatch.setattr(starts, "SUMS_AT_ONCE", 1)
    assert np.array_equal(shares_of(start, coded, np.random.default_rng(0)), kept)
