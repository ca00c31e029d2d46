"""MixtureClassifier: its predictions by the definition, its choice by the criterion, its files."""

import json

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone

import naive
from codelength import datasets
from codelength.errors import InvalidModelFile, InvalidParameter
from codelength.estimators import load
from codelength.estimators.mixture_classifier import MixtureClassifier, ranked_candidates
from codelength.evaluation import evaluate
from codelength.mixture.candidates import (
    Candidate,
    candidate_clusterings,
    kmeans_clustering,
    spread_sizes,
)
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.selection.clusterings import SELECTION_CRITERIA
from codelength.sources import as_coded, as_table
from codelength.table import Coded, Schema

QUICK = {"candidates": 6, "n_components": (2, 5), "n_orderings": 3, "random_state": 0}
SIZES, N_CLASSES = [2, 3, 2], 3


@pytest.fixture
def coded():
    """Rows of codes, with missing cells, and a class that depends on the first two columns together."""
    rng = np.random.default_rng(7)
    rows = np.column_stack([rng.integers(0, size, 60) for size in SIZES])
    classes = np.where(rng.random(60) < 0.8, (rows[:, 0] + rows[:, 1]) % 3, rng.integers(0, 3, 60))
    rows[rng.random(rows.shape) < 0.15] = -1
    rows = np.where(rows < 0, SIZES, rows)
    return rows, classes


def fitted(coded, **options):
    schema = Schema.from_sizes(SIZES, n_classes=N_CLASSES)
    return MixtureClassifier(schema=schema, **(QUICK | options)).fit(*coded)


def plain(rows):
    """Rows for the oracle: None where missing, and no class yet."""
    return [
        [None if code == size else int(code) for code, size in zip(row, SIZES, strict=True)] for row in rows
    ]


def test_scores_of_candidates_are_optimistic_and_say_so_and_evaluate_is_honest():
    """Noise: the candidate that seems to predict best does not predict."""
    rng = np.random.default_rng(0)
    table = as_table({f"x{i}": rng.integers(0, 2, 200) for i in range(12)}, rng.integers(0, 2, 200))
    model = MixtureClassifier("leave_one_out", candidates=40, n_components=(2, 20), random_state=0)
    candidates = clone(model).fit(table).candidates_
    assert all(row["optimistic"] is True for row in candidates)
    [honest] = evaluate(table, {"mixture": model}, n_folds=5)
    chance = -np.log(2)
    assert -candidates[0]["leave_one_out"] / 200 > chance + 0.02
    assert honest.log_score < chance


@pytest.mark.parametrize("average", [False, True])
def test_predictions_are_the_definition_with_the_cluster_summed_out(coded, average):
    rows, _ = coded
    model = fitted(coded, average=average)
    new = plain(rows[:12])
    expected = np.zeros((12, N_CLASSES))
    n_used = 0
    for row, predictor in zip(model.candidates_, model._fitted.predictors, strict=False):
        weight = row["weight"]
        counts = predictor.counts
        prior = naive.uniform_prior([*SIZES, N_CLASSES], counts.schema.n_classes)
        own = naive.Counts(
            [int(h) for h in counts.class_counts],
            [[[int(f) for f in counts.of(i)[k]] for i in range(4)] for k in range(counts.schema.n_classes)],
        )
        expected += weight * np.array(
            [[float(p) for p in naive.class_distribution([*row, None], 3, own, prior)] for row in new]
        )
        n_used += 1
    assert (n_used > 1) == average
    np.testing.assert_allclose(model.predict_proba(rows[:12]), expected, rtol=1e-12)


def test_the_counts_are_those_of_the_training_rows(coded):
    _, classes = coded
    counts = fitted(coded)._fitted.predictors[0].counts
    assert counts.n_rows == 60
    np.testing.assert_array_equal(counts.of(3).sum(axis=0), np.bincount(classes))


@pytest.mark.parametrize("criterion", SELECTION_CRITERIA)
def test_the_best_candidate_by_the_criterion_is_kept(coded, criterion):
    table = fitted(coded, criterion=criterion).candidates_
    values = [row[criterion] for row in table]
    assert values == sorted(values)
    assert [row["weight"] for row in table] == [1.0] + [0.0] * (len(table) - 1)
    assert {row["method"] for row in table} == {"kmeans", "em"}


def test_the_first_row_of_the_table_is_what_the_definitions_say(coded):
    """The winner's counts, scored by the oracle."""
    model = fitted(coded, candidates=2, clustering="kmeans", n_components=3, n_orderings=1)
    prior = naive.uniform_prior([*SIZES, N_CLASSES], 3)
    counts = model._fitted.predictors[0].counts
    own = naive.Counts(
        [int(h) for h in counts.class_counts],
        [[[int(f) for f in counts.of(i)[k]] for i in range(4)] for k in range(3)],
    )
    best = model.candidates_[0]
    assert best["evidence"] == pytest.approx(-naive.log_evidence_given_labels(own, prior), rel=1e-12)
    assert best["evidence_with_clustering"] == pytest.approx(-naive.log_evidence(own, prior), rel=1e-12)
    assert best["prequential"] == best["prequential_best"]
    assert best["prequential_se"] is None


def test_weights_of_an_average_are_a_softmax(coded):
    table = fitted(coded, average=True).candidates_
    lengths = np.array([row["prequential"] for row in table])
    weights = np.array([row["weight"] for row in table])
    np.testing.assert_allclose(weights, softmax(-lengths), atol=1e-9)
    assert weights.sum() == pytest.approx(1)


def test_the_order_of_the_rows_does_not_matter(coded):
    rows, classes = coded
    order = np.random.default_rng(0).permutation(60)
    one, other = fitted(coded), fitted((rows[order], classes[order]))
    assert one.candidates_ == other.candidates_
    np.testing.assert_array_equal(one.predict_proba(rows), other.predict_proba(rows))


def test_a_class_made_of_two_columns_is_learned_where_naive_bayes_cannot():
    table = {"left": ["on", "on", "off", "off"] * 20, "right": ["on", "off", "on", "off"] * 20}
    target = ["same", "differ", "differ", "same"] * 20
    model = MixtureClassifier(candidates=8, n_components=(2, 6), random_state=0).fit(table, target)
    assert model.score(table, target) == 1.0


def test_raw_strings_missing_cells_and_values_never_seen():
    dataset = datasets.load("hepatitis", backend="columns")
    model = MixtureClassifier(**QUICK).fit(dataset.frame, dataset.target)
    probs = model.predict_proba(dataset.frame)
    assert list(model.classes_) == sorted(set(dataset.target))
    np.testing.assert_allclose(probs.sum(axis=1), 1)
    np.testing.assert_array_equal(np.exp(model.predict_log_proba(dataset.frame)).argmax(1), probs.argmax(1))
    assert model.score(dataset.frame, dataset.target) > 0.75
    emptied = {name: [None] for name in dataset.frame}
    alone = model.predict_proba(emptied)
    counts = model._fitted.predictors[0].counts
    shares = (counts.class_counts + 1) / (counts.n_rows + len(counts.class_counts))
    np.testing.assert_allclose(alone[0], shares @ model._fitted.predictors[0].class_probs, rtol=1e-12)


def test_a_column_may_have_the_name_of_the_target():
    table, target = {"y": ["a", "b"] * 10, "x": ["c", "d", "d", "c"] * 5}, ["no", "yes"] * 10
    model = MixtureClassifier(**QUICK).fit(table, target)
    assert model.predict(table).tolist() == target


@pytest.mark.parametrize("average", [False, True])
def test_files_give_the_model_back_to_the_last_bit(coded, tmp_path, average):
    model = fitted(coded, average=average, prior="jeffreys")
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(coded[0]), model.predict_proba(coded[0]))
    assert again.candidates_ == model.candidates_
    assert again.n_components_ == model.n_components_
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
    assert clone(again).fit(*coded).candidates_ == model.candidates_


@pytest.mark.parametrize("weights", [[0.5], [-1.0], ["?"], []])
def test_a_file_with_impossible_weights_is_refused(coded, tmp_path, weights):
    from codelength.estimators.documents import _digest

    path = tmp_path / "model.json"
    fitted(coded, candidates=1).save(path)
    document = json.loads(path.read_text())
    rows = document["model"]["fitted"]["candidates"]
    document["model"]["fitted"]["candidates"] = [
        row | {"weight": weight} for row, weight in zip(rows, weights, strict=False)
    ]
    document["sha256"] = _digest(document["model"])
    path.write_text(json.dumps(document))
    with pytest.raises(InvalidModelFile, match="consistent"):
        load(path)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"criterion": "bic"}, "criterion='bic'.*'prequential'"),
        ({"candidates": 0}, "candidates=0.*at least 1"),
        ({"n_orderings": 2.5}, "n_orderings=2.5"),
        ({"n_components": (5, 3)}, r"n_components=\(5, 3\)"),
        ({"n_components": (0, 3)}, "n_components"),
        ({"n_components": "auto"}, "n_components='auto'"),
        ({"clustering": "ward"}, "clustering='ward'"),
        ({"random_state": -1}, "random_state=-1.*at least 0"),
        ({"random_state": "seed"}, "random_state='seed'"),
    ],
)
def test_parameters_that_make_no_sense(coded, options, match):
    with pytest.raises(InvalidParameter, match=match):
        fitted(coded, **options)


def test_a_generator_is_drawn_from_and_none_will_do(coded):
    state = np.random.RandomState(5)
    one, other = fitted(coded, random_state=state), fitted(coded, random_state=state)
    assert one.candidates_ != other.candidates_
    again = fitted(coded, random_state=np.random.RandomState(5))
    assert one.candidates_ == again.candidates_
    fitted(coded, random_state=None)


@pytest.mark.parametrize("options", [{}, {"average": True}, {"rule": "evidence"}], ids=str)
def test_a_whole_weight_is_the_row_that_often(options):
    rng = np.random.default_rng(0)
    X, weights = rng.integers(0, 3, (40, 4)), rng.integers(0, 4, 40)
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 2, 40)) % 2
    model = MixtureClassifier(candidates=4, n_components=(2, 6), n_orderings=3, random_state=0, **options)
    weighted = model.fit(X, y, sample_weight=weights).predict_proba(X)
    repeated = model.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).predict_proba(X)
    np.testing.assert_array_equal(weighted, repeated)
    with pytest.raises(InvalidParameter, match="weights are not whole numbers; round them"):
        model.fit(X, y, sample_weight=weights + 0.5)


def test_the_class_may_stay_out_of_the_clustering(coded):
    with_class, without = fitted(coded), fitted(coded, with_class=False)
    assert with_class.candidates_ != without.candidates_
    # Rows that are alike but for the class are in one cluster then.
    rows, _ = coded
    assert without.candidates_[0]["n_components"] <= len(np.unique(rows, axis=0))


@pytest.mark.parametrize("clustering", ["kmeans", "em"])
def test_one_way_of_clustering_alone(coded, clustering):
    table = fitted(coded, clustering=clustering).candidates_
    assert {row["method"] for row in table} == {clustering}
    assert len({row["candidate"] for row in table}) == len(table)


def test_candidates_are_distinct_and_have_no_empty_clusters(coded):
    rows, _ = coded
    distinct, weights = np.unique(rows, axis=0, return_counts=True)
    plan = [("kmeans", 4), ("em", 4)] * 5 + [("kmeans", 1), ("em", 1)]
    coded = Coded.of(Schema.from_sizes(SIZES), distinct, weights=weights)
    found = candidate_clusterings(coded, plan, 3)
    assert len({candidate.labels.tobytes() for candidate in found}) == len(found)
    for candidate in found:
        assert set(candidate.labels.tolist()) == set(range(candidate.n_components))
    assert sum(candidate.n_components == 1 for candidate in found) == 1
    assert isinstance(found[0], Candidate)


def test_k_means_assigns_every_row_to_the_nearest_mean():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (40, 5))
    coded = Coded.of(Schema.from_sizes([2] * 5), codes)
    dense = np.eye(3)[codes][..., :2].reshape(40, -1)
    labels = kmeans_clustering(coded, 4, 0)
    means = np.array([dense[labels == k].mean(axis=0) for k in range(4)])
    distances = ((dense[:, None] - means) ** 2).sum(axis=2)
    np.testing.assert_array_less(distances[np.arange(40), labels] - 1e-9, distances.min(axis=1))


def test_sizes_are_spread_over_the_range():
    assert spread_sizes(18, 3, 20).tolist() == list(range(3, 21))
    assert spread_sizes(1, 3, 5).tolist() == [4]
    assert spread_sizes(0, 3, 5).tolist() == []


def test_the_prequential_criterion_is_that_of_the_fixed_clustering(coded):
    """With one candidate and all on one ordering the table repeats what the scores layer gives."""
    rows, classes = coded
    model = fitted(coded, candidates=1, n_components=1, n_orderings=4)
    wide = Coded.of(Schema.from_sizes([*SIZES, N_CLASSES]), np.column_stack([rows, classes]))
    fixed = FixedClustering.of(wide, np.zeros(60, dtype=np.int64))
    # One cluster forgets the features, so the order of the rows is of no account.
    assert model.candidates_[0]["prequential"] == pytest.approx(fixed.sequence().code_length(), rel=1e-12)
    assert model.candidates_[0]["leave_one_out"] == pytest.approx(
        fixed.sequence().leave_one_out().sum(), rel=1e-12
    )


def rewritten(columns, classes, seed):
    """The same table in another order of rows and columns, with other names of columns, values and classes.

    Returns it and the permutations of its rows and classes.
    """
    rng = np.random.default_rng(seed)
    rows, names = rng.permutation(len(classes)), rng.permutation(list(columns))
    changed = {}
    for name in names.tolist():
        values = sorted({value for value in columns[name] if value is not None})
        renamed = dict(zip(values, rng.permutation(len(values)).tolist(), strict=True)) | {None: None}
        changed[f"v{name}"] = [
            None if renamed[columns[name][row]] is None else f"n{renamed[columns[name][row]]}" for row in rows
        ]
    labels, numbers = np.unique(classes, return_inverse=True)
    order = rng.permutation(len(labels))
    return changed, [f"c{order[numbers[row]]}" for row in rows], rows, order


@pytest.mark.parametrize("name", ["zoo", "lymphography", "iris"])
@pytest.mark.parametrize(
    "options", [{}, {"with_class": False}, {"average": True}, {"clustering": "kmeans"}, {"rule": "map"}]
)
def test_the_order_of_columns_and_the_names_of_classes_change_nothing(name, options):
    dataset = datasets.load(name, backend="columns")
    coded = as_coded(dataset.table)
    columns = {
        variable.name: [f"{code:02}" if code < variable.n_values else None for code in coded.codes[:, i]]
        for i, variable in enumerate(coded.schema.variables)
    }
    classes = [str(code) for code in coded.class_codes]
    settings = {"candidates": 6, "n_components": (2, 9), "random_state": 3} | options
    probs = MixtureClassifier(**settings).fit(columns, classes).predict_proba(columns)
    for seed in range(2):
        changed, renamed, rows, order = rewritten(columns, classes, seed)
        found = MixtureClassifier(**settings).fit(changed, renamed).predict_proba(changed)
        np.testing.assert_allclose(found[:, order], probs[rows], rtol=0, atol=1e-9)


def test_candidates_that_tie_up_to_rounding_stay_in_the_order_of_their_runs():
    found = [Candidate(number, "em", np.zeros(3, dtype=np.int64)) for number in (1, 2, 3)]
    scored = [{"prequential": length} for length in (100 + 3e-12, 99.0, 100.0)]
    order, table = ranked_candidates(MixtureClassifier().get_params(), found, scored)
    assert order == [1, 0, 2]
    assert [row["candidate"] for row in table] == [2, 1, 3]
