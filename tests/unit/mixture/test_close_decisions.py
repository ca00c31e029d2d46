"""Choices among mixtures and clusterings that tie: rounding decides none of them."""

import itertools

import numpy as np
import pytest

from codelength.latent.inference.alignment import align, matching, profile_distances
from codelength.latent.inference.coordinates import Coordinates
from codelength.latent.inference.information import inverse
from codelength.latent.relations.assignment import assign
from codelength.mixture import best_clustering
from codelength.mixture.best_clustering import local_optima
from codelength.mixture.candidates import kmeans_clustering, numbered
from codelength.mixture.classification import classification
from codelength.mixture.clusterings import completed
from codelength.mixture.code_length.exact import exact_code_length
from codelength.mixture.em.em import EMInfo
from codelength.mixture.em.restarts import RestartsInfo, _Runs
from codelength.mixture.em.starts import nearest, to_centres
from codelength.mixture.parameters import MixtureParameters, with_components
from codelength.table import Coded, Schema

ULP = 2.0**-52
by_direction = pytest.mark.parametrize("sign", [-1, 1])


def two_components(shares=(0.5, 0.5)):
    """The mirror images of each other: a row of both values belongs to either."""
    schema = with_components(Schema.from_sizes([2, 2]), 2)
    values = np.array([[0.75, 0.25, 1, 0.75, 0.25, 1], [0.25, 0.75, 1, 0.25, 0.75, 1]])
    return MixtureParameters(schema, np.array(shares), values)


@by_direction
def test_a_row_that_belongs_to_two_components_alike_goes_to_the_first(sign):
    mixture = two_components((0.5 - sign * ULP, 0.5 + sign * ULP))
    rows = Coded.of(mixture.schema, [[0, 1], [1, 0], [1, 1]])
    assert mixture.labels(rows).tolist() == [0, 0, 1]
    assert completed(rows, mixture.responsibilities(rows)).class_codes.tolist() == [0, 0, 1]
    assert classification(rows, mixture).n_assigned == pytest.approx([2, 1])
    assert assign(rows, mixture).assigned.argmax(axis=1).tolist() == [0, 0, 1]


@by_direction
def test_the_first_of_equal_logits_is_the_reference(sign):
    mixture = two_components((0.5 - sign * ULP, 0.5 + sign * ULP))
    mixture.value_probs[:, :2] = 0.5 - sign * ULP, 0.5 + sign * ULP
    coordinates = Coordinates.of(mixture, 100.0)
    assert coordinates.free_classes.tolist() == [1]
    assert [cells[0] for cells in coordinates.free_cells] == [1, 1]


def ended_at(*log_posteriors):
    return [
        (two_components(), EMInfo(np.array([own - 1, own]), np.array([own - 1, own]), True))
        for own in log_posteriors
    ]


def test_of_runs_that_end_alike_up_to_rounding_the_first_is_kept():
    runs = _Runs(None, None, None, (), 1, 0.0, 1, ended_at(-120.0, -100 - 3e-12, -100.0, -100 + 3e-12))
    assert runs.info.best == 1
    assert runs._order() == [1, 2, 3, 0]


def test_of_next_best_runs_that_end_alike_the_first_is_told():
    states, runs = zip(*ended_at(-100.0, -110 - 3e-12, -110.0), strict=True)
    assert RestartsInfo(runs, states, 0).summary.next_best == runs[1].log_likelihood


def test_optima_that_tie_are_in_lexicographic_order_whatever_the_seed():
    """Two pairs of columns, either of which may rule: two optima that mirror each other."""
    codes = [[first, first, second, second] for first, second in itertools.product((0, 1), repeat=2)]
    coded = Coded.of(Schema.from_sizes([2] * 4), codes * 3)
    for seed in range(5):
        optima = local_optima(coded, 2, n_starts=60, random_state=seed)
        assert optima[0].code_length == pytest.approx(optima[1].code_length, rel=1e-12)
        assert optima[0].clustering.tolist() < optima[1].clustering.tolist()
        lengths = [optimum.code_length for optimum in optima]
        assert lengths == pytest.approx(sorted(lengths), rel=1e-12)
        assert (
            best_clustering(coded, 2, random_state=seed).clustering.tolist() == optima[0].clustering.tolist()
        )


def test_a_row_equally_far_from_several_centres_goes_to_the_first():
    """Thirds and sevenths do not add up to the same in another order of the columns."""
    coded = Coded.of(Schema.from_sizes([2, 2, 2]), [[0, 0, 0]])
    means = [[1 / 3, 1 / 7, 0.3], [0.3, 1 / 3, 1 / 7], [1 / 7, 0.3, 1 / 3]]
    for order in itertools.permutations(means):
        centres = np.zeros((coded.schema.n_cells, 3))
        for k, own in enumerate(order):
            centres[[0, 3, 6], k], centres[[1, 4, 7], k] = own, 1 - np.array(own)
        assert nearest(coded, to_centres(centres))[0].tolist() == [0]


def test_k_means_refills_empty_clusters_with_the_farthest_rows():
    """As many clusters as asked for, and no row nearer to the mean of another one."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        codes = np.unique(rng.integers(0, 3, (80, 4)), axis=0)
        coded = Coded.of(Schema.from_sizes([3] * 4), codes)
        labels = kmeans_clustering(coded, 32, seed)
        assert len(np.unique(labels)) == 32
        dense = np.eye(3)[codes].reshape(len(codes), -1)
        means = np.stack([dense[labels == k].mean(axis=0) for k in range(32)])
        distances = ((dense[:, None] - means) ** 2).sum(axis=2)
        assert (distances[np.arange(len(codes)), labels] <= distances.min(axis=1) + 1e-9).all()


def test_k_means_of_rows_that_are_all_alike_has_one_cluster():
    coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 1]] * 5)
    assert numbered(kmeans_clustering(coded, 3, 0)).tolist() == [0] * 5


def test_components_that_match_equally_well_keep_their_places():
    noise = np.random.default_rng(0).normal(scale=1e-14, size=(4, 4))
    assert matching(noise).tolist() == [0, 1, 2, 3]
    costs = np.array([[0, 1, 1.0], [1, 0.5, 0.5], [1, 0.5, 0.5]])
    for own in (costs, costs + noise[:3, :3], costs - noise[:3, :3]):
        assert matching(own).tolist() == [0, 1, 2]


def test_a_mixture_is_at_no_distance_from_itself():
    mixture = two_components((0.3, 0.7))
    assert np.diagonal(profile_distances(mixture, mixture)).tolist() == [0.0, 0.0]
    np.testing.assert_array_equal(align(mixture, mixture.permuted([1, 0])).class_probs, mixture.class_probs)


def test_parameters_without_information_do_not_depend_on_the_basis_of_the_null_space():
    """Two directions without information: any rotation of them is as good a basis."""
    information = 40 * np.eye(40)
    first, second = np.zeros(40), np.zeros(40)
    first[:30], second[30:] = 1 / np.sqrt(30), 1 / np.sqrt(10)
    for null in (first, second):
        information -= 40 * np.outer(null, null)
    found, n_null = inverse(information)
    assert n_null == 2
    assert np.isnan(found).all()


def test_exact_sums_do_not_depend_on_ties_between_pairs_to_merge():
    """Columns in another order round the gains of merging differently."""
    codes = np.array(list(itertools.product((0, 1), repeat=3)))
    lengths = [
        exact_code_length(
            Coded.of(Schema.from_sizes([2] * 3), codes[:, order]), 3, method="subsets"
        ).code_length
        for order in itertools.permutations(range(3))
    ]
    assert lengths == pytest.approx([lengths[0]] * 6, rel=1e-13)
