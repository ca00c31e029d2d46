"""Finite mixtures: what they find, what changes nothing, and what they refuse."""

from decimal import Decimal

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from codelength import FiniteMixture, datasets, load
from codelength.errors import DataError, DoubtfulFit, InvalidParameter, UnknownValue
from codelength.estimators._latent_summary import remarks_of
from codelength.mixture.code_length import CRITERIA
from codelength.mixture.code_length.exact import exact_code_length
from codelength.table import encode

QUICK = {"n_init": 5, "random_state": 0}


def planted(n_rows=600, n_variables=8, seed=0):
    """Rows of three known components that share few values."""
    rng = np.random.default_rng(seed)
    weights = np.array([0.5, 0.3, 0.2])
    probs = np.array([[0.85, 0.1, 0.05], [0.05, 0.85, 0.1], [0.1, 0.05, 0.85]])
    components = rng.choice(3, n_rows, p=weights)
    rows = np.array([[rng.choice(3, p=probs[k]) for _ in range(n_variables)] for k in components])
    return rows, components, weights, probs


@pytest.fixture(scope="module")
def found():
    rows, components, weights, probs = planted()
    return FiniteMixture(**QUICK).fit(rows), rows, components, weights, probs


ANIMALS = {
    "covering": ["fur", "feathers", None, "fur", "scales", "feathers", "scales", "fur"],
    "legs": [4, 2, 2, 4, 0, None, 0, 4],
    "eggs": ["no", "yes", "yes", "no", "yes", "yes", "yes", "no"],
}


def test_the_parameters_of_a_planted_mixture_are_recovered(found):
    model, rows, components, weights, probs = found
    assert model.n_components_ == 3
    assert min(model.criterion_path_, key=model.criterion_path_.get) == 3
    assert model.trust_.converged
    np.testing.assert_allclose(model.parameters_.class_probs, weights, atol=0.05)
    for i in range(rows.shape[1]):
        np.testing.assert_allclose(model.parameters_.of(i), probs, atol=0.1)
    agreement = np.zeros((3, 3))
    np.add.at(agreement, (model.labels_, components), 1)
    matched = agreement[linear_sum_assignment(-agreement)].sum()
    assert matched > 0.97 * len(rows)


@pytest.mark.parametrize("criterion", ["cheeseman_stutz", "bic"])
def test_independent_columns_are_one_component(criterion):
    rows = np.random.default_rng(1).integers(0, 3, (200, 5))
    model = FiniteMixture(criterion=criterion, **QUICK).fit(rows)
    assert model.n_components_ == 1
    assert not model.labels_.any()


def test_the_order_of_rows_changes_nothing(found):
    model, rows, *_ = found
    order = np.random.default_rng(2).permutation(len(rows))
    again = FiniteMixture(**QUICK).fit(rows[order])
    np.testing.assert_array_equal(again.parameters_.class_probs, model.parameters_.class_probs)
    np.testing.assert_array_equal(again.parameters_.value_probs, model.parameters_.value_probs)
    np.testing.assert_array_equal(again.labels_, model.labels_[order])
    assert again.criterion_path_ == model.criterion_path_


def test_weights_equal_repetition():
    rows, *_ = planted(80, 4)
    weights = np.random.default_rng(3).integers(0, 4, len(rows))
    weighted = FiniteMixture(3, **QUICK).fit(rows, sample_weight=weights)
    repeated = FiniteMixture(3, **QUICK).fit(np.repeat(rows, weights, axis=0))
    np.testing.assert_array_equal(weighted.parameters_.value_probs, repeated.parameters_.value_probs)
    assert weighted.criterion_path_ == repeated.criterion_path_
    assert weighted.code_length("neighbourhood") == repeated.code_length("neighbourhood")
    assert len(weighted.labels_) == len(rows)
    assert weighted.score(rows, sample_weight=weights) == pytest.approx(
        repeated.score(np.repeat(rows, weights, axis=0)), rel=1e-12
    )


def test_weights_that_are_no_whole_numbers_cannot_be_clustered_row_by_row():
    rows, *_ = planted(40, 3)
    model = FiniteMixture(2, **QUICK).fit(rows, sample_weight=np.full(len(rows), 0.5))
    assert np.isfinite(model.code_length("bic"))
    with pytest.raises(InvalidParameter, match="not whole numbers"):
        model.code_length("neighbourhood")


def test_rows_drawn_from_a_mixture_look_like_it(found):
    model, *_ = found
    drawn, components = model.sample(4000, random_state=4)
    assert drawn.shape == (4000, 8)
    np.testing.assert_allclose(
        np.bincount(components, minlength=3) / 4000, model.parameters_.class_probs, atol=0.03
    )
    np.testing.assert_allclose(
        [(drawn[components == 0, 0] == value).mean() for value in model.schema_.variables[0].values],
        model.parameters_.of(0)[0],
        atol=0.03,
    )
    entropy = -model.score_samples(drawn)
    assert entropy.mean() == pytest.approx(-model.score(model.sample(4000, random_state=5)[0]), rel=0.03)
    assert (model.sample(5, random_state=4)[0] == model.sample(5, random_state=4)[0]).all()
    with pytest.raises(InvalidParameter, match="n_samples=0: expected a whole number of at least 1"):
        model.sample(0)


def test_scores_are_the_sum_over_components():
    model = FiniteMixture(2, **QUICK).fit(ANIMALS)
    mixture = model.parameters_
    codes = encode(model.schema_, ANIMALS).codes
    for row, log_prob, memberships in zip(
        codes, model.score_samples(ANIMALS), model.predict_proba(ANIMALS), strict=True
    ):
        joint = mixture.class_probs.copy()
        for i, code in enumerate(row):
            if code < model.schema_.n_values[i]:
                joint *= mixture.of(i)[:, code]
        assert np.exp(log_prob) == pytest.approx(joint.sum(), rel=1e-12)
        np.testing.assert_allclose(memberships, joint / joint.sum(), rtol=1e-12)
    assert model.score(ANIMALS) == pytest.approx(model.score_samples(ANIMALS).mean())
    np.testing.assert_array_equal(model.predict(ANIMALS), model.labels_)


def test_missing_cells_are_imputed_from_the_others():
    model = FiniteMixture(2, **QUICK).fit(ANIMALS)
    imputed = model.impute(ANIMALS)
    assert set(imputed) == {"covering", "legs"}
    np.testing.assert_array_equal(imputed["covering"].rows, [2])
    np.testing.assert_array_equal(imputed["legs"].rows, [5])
    assert set(imputed["legs"].values) == {0, 2, 4}
    for cells in imputed.values():
        np.testing.assert_allclose(cells.probs.sum(axis=1), 1, rtol=1e-12)
    # Conditional probability: the row with the value put in, over the row without it.
    legs = dict(zip(imputed["legs"].values, imputed["legs"].probs[0], strict=True))
    hidden = {"covering": ["feathers"], "legs": [None], "eggs": ["yes"]}
    given = hidden | {"legs": [2]}
    ratio = np.exp(model.score_samples(given) - model.score_samples(hidden))[0]
    assert legs[2] == pytest.approx(ratio, rel=1e-9)


def test_profiles_are_the_value_probabilities(found):
    model, *_ = found
    profiles = model.profiles()
    assert tuple(profiles) == model.schema_.names
    for i, values in enumerate(profiles.values()):
        np.testing.assert_array_equal(np.column_stack(list(values.values())), model.parameters_.of(i))


def test_a_model_read_back_is_the_same_to_the_last_bit(tmp_path):
    model = FiniteMixture(2, **QUICK).fit(ANIMALS)
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.predict_proba(ANIMALS), model.predict_proba(ANIMALS))
    assert again.criterion_path_ == model.criterion_path_
    assert (again.trust_.converged, again.n_iter_) == (model.trust_.converged, model.n_iter_)
    with pytest.raises(DataError, match=r"training rows are not kept in a model file; pass them as X="):
        again.code_length()
    assert again.code_length("bic", ANIMALS) == model.code_length("bic")


def test_every_criterion_can_be_asked_for():
    model = FiniteMixture(2, **QUICK).fit(ANIMALS)
    lengths = {name: model.code_length(name) for name in CRITERIA}
    assert all(np.isfinite(length) for length in lengths.values())
    # A neighbourhood is a part of the sum; annealing estimates all of it.
    assert lengths["exact"] <= lengths["neighbourhood"]
    assert lengths["annealed"] == pytest.approx(lengths["exact"], abs=0.2)
    assert lengths["exact"] == pytest.approx(
        exact_code_length(encode(model.schema_, ANIMALS), 2).code_length, rel=1e-12
    )
    assert model.bic(ANIMALS) == pytest.approx(2 * lengths["bic"], rel=1e-12)
    assert model.aic(ANIMALS) == pytest.approx(2 * lengths["aic"], rel=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_chooses(criterion):
    table = {name: ["yes", "no"] * 6 for name in "abcdef"}
    model = FiniteMixture(criterion=criterion, max_components=3, **QUICK).fit(table)
    assert model.n_components_ == 2
    assert model.code_length() == model.criterion_path_[2]


def test_with_one_component_all_evidence_criteria_agree():
    model = FiniteMixture(1, **QUICK).fit(ANIMALS)
    exact = model.code_length("exact")
    for name in ("cheeseman_stutz", "cheeseman_stutz_soft", "neighbourhood", "annealed"):
        assert model.code_length(name) == pytest.approx(exact, rel=1e-12)


def test_fewer_rows_than_components():
    with pytest.warns(DoubtfulFit, match=r"n_components=5: there are only 2 distinct rows.*ask for fewer"):
        model = FiniteMixture(5, **QUICK).fit([["a", "x"], ["b", "y"]])
    assert model.n_components_ == 5
    assert any("only 2 distinct rows" in remark for remark in remarks_of(model._fitted))
    np.testing.assert_allclose(model.predict_proba([["a", "x"]]).sum(), 1)
    assert np.isfinite(model.criterion_path_[5])
    assert FiniteMixture(**QUICK).fit([["a", "x"]]).n_components_ == 1


@pytest.mark.filterwarnings("ignore::codelength.errors.DoubtfulFit")
def test_constant_columns_and_empty_rows_are_at_home():
    table = {"same": ["a"] * 6, "other": ["x", "y"] * 3, "gaps": ["u", None, "v", None, "u", None]}
    model = FiniteMixture(2, **QUICK).fit(table)
    np.testing.assert_array_equal(model.parameters_.of("same"), [[1.0], [1.0]])
    nothing = {name: [None] for name in table}
    np.testing.assert_allclose(model.predict_proba(nothing), [model.parameters_.class_probs], rtol=1e-12)
    assert model.score(nothing) == pytest.approx(0, abs=1e-12)
    with_nothing = {name: [*column, None] for name, column in table.items()}
    again = FiniteMixture(2, **QUICK).fit(with_nothing)
    assert len(again.labels_) == 7
    assert np.isfinite(again.code_length("exact"))


def test_values_never_seen_are_missing_or_refused():
    model = FiniteMixture(2, **QUICK).fit(ANIMALS)
    odd = {"covering": ["shell"], "legs": [4], "eggs": ["no"]}
    missing = odd | {"covering": [None]}
    np.testing.assert_array_equal(model.predict_proba(odd), model.predict_proba(missing))
    strict = FiniteMixture(2, handle_unknown="error", **QUICK).fit(ANIMALS)
    with pytest.raises(UnknownValue, match="column 'covering', row 0: value 'shell'"):
        strict.predict(odd)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_components": 0}, 'n_components=0: expected a whole number of at least 1, or "auto"'),
        ({"n_components": 2.5}, "n_components=2.5"),
        ({"n_components": "three"}, "n_components='three'"),
        ({"n_components": True}, "n_components=True"),
        ({"criterion": "mdl"}, "criterion='mdl': expected one of 'cheeseman_stutz'"),
        ({"n_init": 0}, "n_init=0: expected a whole number of at least 1"),
        ({"reached": 0}, "reached=0: expected a whole number of at least 1"),
        ({"max_init": 0.5}, "max_init=0.5"),
        ({"max_components": 0}, "max_components=0"),
        ({"patience": 0}, "patience=0"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"n_init": "many"}, "n_init='many'"),
        ({"patience": 1.5}, "patience=1.5"),
        ({"init": "best"}, "init='best': expected one of 'random', 'kmeans', 'kmodes'"),
        ({"prior": 0.1, "n_components": 2}, "below 1"),
        ({"tol": -1.0}, "tol=-1.0"),
    ],
)
def test_bad_parameters_are_told(params, message):
    with pytest.raises(InvalidParameter) as told:
        FiniteMixture(**(QUICK | params)).fit(ANIMALS)
    assert message in str(told.value)


def test_bad_tables_are_told():
    with pytest.raises(DataError):
        FiniteMixture().fit(np.empty((0, 2)))
    with pytest.raises(DataError, match="sample_weight"):
        FiniteMixture().fit(ANIMALS, sample_weight=[1.0])
    with pytest.raises(InvalidParameter, match="criterion='mdl'"):
        FiniteMixture(1, **QUICK).fit(ANIMALS).code_length("mdl")


def test_fitting_again_forgets_what_was_before():
    rows, *_ = planted(60, 4)
    model = FiniteMixture(**QUICK).fit(rows)
    model.set_params(n_components=2).fit(ANIMALS)
    assert model.criterion_path_.keys() == {2}
    assert list(model.feature_names_in_) == list(ANIMALS)
    model.fit(rows)
    assert not hasattr(model, "feature_names_in_")


def test_the_components_of_the_zoo_are_kinds_of_animals():
    zoo = datasets.load("zoo", backend="columns")
    model = FiniteMixture(random_state=0).fit(zoo.frame)
    kinds = [set(np.array(zoo.target)[model.labels_ == k]) for k in range(model.n_components_)]
    assert model.n_components_ == 4
    assert kinds[0] == {"mammal"}
    assert {"insect", "invertebrate"} in kinds
    assert sum("fish" in kind for kind in kinds) == sum("bird" in kind for kind in kinds) == 1


def test_the_components_of_the_votes_keep_to_parties():
    votes = datasets.load("vote", backend="columns")
    model = FiniteMixture(random_state=0).fit(votes.frame)
    parties = np.array(votes.target)
    most = [
        max((parties[model.labels_ == k] == party).sum() for party in set(parties))
        for k in range(model.n_components_)
    ]
    assert sum(most) > 0.94 * len(parties)


def test_a_tolerance_may_be_any_kind_of_number():
    rows = [[0, 0, 0], [1, 1, 1]] * 20
    models = [FiniteMixture(2, tol=tol, random_state=0).fit(rows) for tol in (0.5, Decimal("0.5"))]
    np.testing.assert_array_equal(models[0].parameters_.value_probs, models[1].parameters_.value_probs)
