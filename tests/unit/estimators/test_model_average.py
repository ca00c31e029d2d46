"""The average over model classes: any table in, honest probabilities out."""

import json
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from codelength import ModelAverage, Schema, Variable, datasets, load
from codelength._packing import packed
from codelength.averages.member import FittedMember, Member, normalised
from codelength.averages.members import DEFAULT_MEMBERS, MEMBERS
from codelength.errors import DataError, IgnoredColumn, InvalidModelFile, InvalidParameter, OneClass
from codelength.table import Coded


def mixed(n_rows=120, seed=0):
    """A table with columns of every kind, and classes that depend on three of them."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "green", "blue"], n_rows)
    size, age = rng.normal(size=n_rows), rng.integers(18, 90, n_rows)
    score = 1.5 * (colour == "red") + size + 0.03 * (age - 50) + rng.normal(scale=0.7, size=n_rows)
    frame = pd.DataFrame(
        {
            "colour": colour,
            "grade": pd.Categorical(rng.choice(["a", "b"], n_rows), ["a", "b", "c"]),
            "size": np.where(rng.random(n_rows) < 0.1, np.nan, size),
            "age": age,
            "member": rng.random(n_rows) < 0.5,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n_rows), "D"),
            "constant": "same",
            "empty": [None] * n_rows,
        }
    )
    return frame, np.where(score > 1, "high", np.where(score > -0.5, "middle", "low"))


@pytest.fixture(scope="module")
def table():
    return mixed()


@pytest.fixture(scope="module")
def model(table):
    return ModelAverage().fit(*table)


def noise(n_rows, n_columns, n_classes, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_columns)), rng.integers(0, n_classes, n_rows)


def test_columns_of_every_kind_give_distributions(model, table):
    probs = model.predict_proba(table[0])
    assert probs.shape == (120, 3)
    assert (probs > 0).all()
    np.testing.assert_allclose(probs.sum(axis=1), 1, atol=1e-12)
    assert model.classes_.tolist() == ["high", "low", "middle"]
    assert model.n_features_in_ == 8


def test_it_learns_what_there_is_to_learn(model):
    fresh, labels = mixed(1000, seed=1)
    log_probs = model.predict_log_proba(fresh)
    score = log_probs[np.arange(1000), np.searchsorted(model.classes_, labels)].mean()
    held_out = model.leave_one_out()
    assert score > held_out.against["class prior"].log_score + 0.2
    assert score == pytest.approx(held_out.log_score, abs=0.1)


def test_what_was_averaged_can_be_looked_up(model):
    assert list(model.member_weights_) == list(DEFAULT_MEMBERS)
    assert all(weight >= 0 for weight in model.member_weights_.values())
    assert 0 < model.prior_share_ < 1
    rows = {row["name"]: row for row in model.members_}
    assert list(rows) == [*DEFAULT_MEMBERS, "class prior", "all together"]
    held_out = model.leave_one_out()
    assert rows["all together"]["log_score"] == held_out.log_score
    for name, made in held_out.against.items():
        assert rows[name]["log_score"] == made.log_score
    assert held_out.n_rows == 120
    text = str(held_out)
    assert all(name in text for name in rows)


def test_held_out_rows_come_in_the_order_of_the_table(table):
    """Each class is predicted best in the rows that are of that class."""
    frame, labels = table
    order = np.random.default_rng(3).permutation(120)
    one = ModelAverage().fit(frame, labels).leave_one_out()
    other = ModelAverage().fit(frame.iloc[order], labels[order]).leave_one_out()
    np.testing.assert_array_equal(one.log_probs[order], other.log_probs)
    np.testing.assert_array_equal(one.class_codes[order], other.class_codes)


def test_the_rows_of_the_fit_may_be_given_again_and_others_not(model, table):
    frame, labels = table
    assert model.leave_one_out(frame, labels) is model.leave_one_out()
    with pytest.raises(DataError, match="not the rows that the model was fitted on"):
        model.leave_one_out(frame.iloc[:50], labels[:50])
    with pytest.raises(DataError, match="not the rows that the model was fitted on"):
        model.leave_one_out(frame, np.roll(labels, 1))


def test_the_order_of_rows_does_not_matter(model, table):
    frame, labels = table
    order = np.random.default_rng(5).permutation(120)
    other = ModelAverage().fit(frame.iloc[order], labels[order])
    np.testing.assert_array_equal(other.predict_proba(frame), model.predict_proba(frame))


def test_the_number_of_threads_does_not_matter(model, table):
    frame, labels = table
    for n_jobs in (1, 2, -1):
        other = ModelAverage(n_jobs=n_jobs).fit(frame, labels)
        np.testing.assert_array_equal(other.predict_proba(frame), model.predict_proba(frame))


def test_weights_are_repeated_rows(table):
    frame, labels = table
    weights = np.random.default_rng(6).integers(0, 4, 120)
    weighted = ModelAverage().fit(frame, labels, sample_weight=weights)
    places = np.repeat(np.arange(120), weights)
    repeated = ModelAverage().fit(frame.iloc[places], labels[places])
    np.testing.assert_allclose(weighted.predict_proba(frame), repeated.predict_proba(frame), atol=1e-12)


def test_relative_weights_have_no_scale(table):
    frame, labels = table
    weights = np.random.default_rng(7).random(120) + 0.5
    one, other = (
        ModelAverage(weighting="relative").fit(frame, labels, sample_weight=weights * scale)
        for scale in (1.0, 0.7)
    )
    np.testing.assert_allclose(one.predict_proba(frame), other.predict_proba(frame), atol=1e-9)


@pytest.mark.parametrize("weight", [0.7, 1 / 3])
@pytest.mark.parametrize("name", ["zoo", "iris"])
def test_constant_relative_weights_change_nothing(name, weight):
    """Two equal rows of weight 0.7 weigh 1.9999999999999993 together, and are two copies all the same."""
    data = datasets.load(name)
    plain = ModelAverage().fit(data.frame, data.target)
    weighted = ModelAverage(weighting="relative").fit(
        data.frame, data.target, sample_weight=np.full(len(data.target), weight)
    )
    probs = plain.predict_proba(data.frame)
    np.testing.assert_allclose(weighted.predict_proba(data.frame), probs, atol=1e-9)
    one, other = plain.leave_one_out(), weighted.leave_one_out()
    np.testing.assert_allclose(np.exp(other.log_probs), np.exp(one.log_probs), atol=1e-9)


@pytest.mark.parametrize("members", [("log_ratios", "kernel", "forests"), ("subsets",)])
def test_names_and_orders_of_columns_values_and_classes_do_not_matter(table, members):
    """Members without random parts of the table; the folds of log ratios depend on the order of columns."""
    frame, labels = table[0].drop(columns=["since", "constant", "empty"]), table[1]
    tolerance = 0.05 if "log_ratios" in members else 1e-9
    probs = ModelAverage(members).fit(frame, labels).predict_proba(frame)
    backwards = frame[frame.columns[::-1]]
    found = ModelAverage(members).fit(backwards, labels).predict_proba(backwards)
    np.testing.assert_allclose(found, probs, atol=tolerance)
    renamed = {"high": 2, "low": 0, "middle": 1}
    found = ModelAverage(members).fit(frame, [renamed[label] for label in labels]).predict_proba(frame)
    np.testing.assert_allclose(found[:, [2, 0, 1]], probs, atol=tolerance)
    recoloured = frame.assign(colour=frame.colour.map({"red": "a", "green": "z", "blue": "m"}))
    found = ModelAverage(members).fit(recoloured, labels).predict_proba(recoloured)
    np.testing.assert_allclose(found, probs, atol=tolerance)


def test_a_column_twice_barely_moves_the_prediction(model, table):
    frame, labels = table
    doubled = frame.assign(again=frame["size"])
    found = ModelAverage().fit(doubled, labels).predict_proba(doubled)
    assert np.abs(found - model.predict_proba(frame)).mean() < 0.03


@pytest.mark.parametrize(("n_rows", "n_columns", "n_classes"), [(60, 5, 2), (200, 20, 2), (200, 10, 4)])
def test_noise_gives_the_class_prior(n_rows, n_columns, n_classes):
    losses = []
    for seed in range(3):
        rows, labels = noise(n_rows + 2000, n_columns, n_classes, seed)
        model = ModelAverage().fit(rows[:n_rows], labels[:n_rows])
        log_probs = model.predict_log_proba(rows[n_rows:])
        counts = np.bincount(labels[:n_rows], minlength=n_classes) + 0.5
        prior = np.log(counts / counts.sum())
        losses.append((prior[labels[n_rows:]] - log_probs[np.arange(2000), labels[n_rows:]]).mean())
    assert max(losses) < 0.02


def test_classes_that_were_never_seen_get_their_share_of_the_prior(table):
    frame, labels = table
    frame = frame[["colour", "size"]]
    classes = ("high", "low", "middle", "never", "neither")
    schema = Schema(ModelAverage().fit(frame, labels).schema_.variables, Variable("y", classes))
    whole, known = ModelAverage(schema=schema).fit(frame, labels), ModelAverage().fit(frame, labels)
    probs = whole.predict_proba(frame)
    np.testing.assert_allclose(probs[:, 3:], 0.5 / (120 + 2.5), atol=1e-12)
    np.testing.assert_allclose(
        probs[:, :3] / probs[:, :3].sum(axis=1, keepdims=True), known.predict_proba(frame)
    )
    assert whole.leave_one_out().log_probs.shape == (120, 5)
    log_probs = whole.predict_log_proba(frame.iloc[:4])
    for reference, label in enumerate(classes):
        explained = whole.explain(frame.iloc[:4], against=label)
        expected = log_probs - log_probs[:, reference, None]
        np.testing.assert_allclose(explained.log_odds, expected, atol=1e-12)
        np.testing.assert_allclose(
            explained.contributions[:, :, 3], explained.contributions[:, :, 4], atol=1e-12
        )


def test_contributions_add_up_to_the_prediction(model, table):
    rows = table[0].iloc[:6]
    explained = model.explain(rows, against="middle")
    log_probs = model.predict_log_proba(rows)
    np.testing.assert_allclose(explained.log_odds, log_probs - log_probs[:, 2:3], atol=1e-12)
    nothing = model._fitted.log_probs(Coded.of(model.schema_, model.schema_.n_values[None])).log_probs[0]
    np.testing.assert_allclose(explained.intercept, nothing - nothing[2], atol=1e-12)
    silent = [explained.feature_names.index(name) for name in ("constant", "empty")]
    assert not explained.contributions[:, silent].any()
    strongest = {explained.ranked(row, of)[0][0] for row in range(6) for of in ("high", "low")}
    assert strongest <= {"colour", "size", "age"}


def test_files_bring_back_the_same_predictions(model, table, tmp_path):
    model.save(tmp_path / "model.json")
    found = load(tmp_path / "model.json")
    np.testing.assert_array_equal(found.predict_proba(table[0]), model.predict_proba(table[0]))
    assert found.members_ == model.members_
    assert found.member_weights_ == model.member_weights_
    np.testing.assert_array_equal(
        found.explain(table[0].iloc[:3]).contributions, model.explain(table[0].iloc[:3]).contributions
    )
    with pytest.raises(DataError, match="not kept in model files"):
        found.leave_one_out()


@pytest.mark.parametrize(
    "damage",
    [
        lambda fitted: fitted.update(class_counts=packed(np.array([40.0, 80.0]))),
        lambda fitted: fitted.update(class_counts=packed(np.array([40.0, 80.0, -1.0]))),
        lambda fitted: fitted.update(class_counts=packed(np.full(3, 1e308))),
        lambda fitted: fitted.update(class_counts=packed(np.array([40.0, 80.0, 0.0]))),
        lambda fitted: fitted.update(class_counts=[40.0, 80.0, 0.0]),
        lambda fitted: fitted["pool"].update(weights=[1.0]),
        lambda fitted: fitted["pool"].update(share=-0.5),
        lambda fitted: fitted["members"][0].update(name="oracle"),
        lambda fitted: fitted.update(views=[]),
    ],
    ids=range(9),
)
def test_damaged_files_are_refused(model, tmp_path, damage):
    from codelength.estimators import documents

    document = json.loads(json.dumps(model._fitted.to_document()))
    damage(document["fitted"])
    documents.write(document, tmp_path / "damaged.json")
    with pytest.raises(InvalidModelFile):
        load(tmp_path / "damaged.json")


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        ([[1.0], [2.0]], ["a", "b"]),
        ([[1.0], [2.0], [3.0]], ["a", "b", "c"]),
        ([[1.0, 5.0]] * 4, ["a", "b", "a", "b"]),
        ([["x"], ["y"], ["x"], ["y"], ["x"]], ["a", "a", "a", "a", "b"]),
        (np.arange(16.0).reshape(8, 2), list("abcdefgh")),
        (np.random.default_rng(0).normal(size=(50, 500)), ["a", "b"] * 25),
    ],
    ids=[
        "two rows",
        "one row per class",
        "equal rows",
        "a lonely class",
        "eight lonely classes",
        "500 columns",
    ],
)
def test_small_and_wide_tables(rows, labels):
    model = ModelAverage().fit(rows, labels)
    probs = model.predict_proba(rows)
    np.testing.assert_allclose(probs.sum(axis=1), 1, atol=1e-12)
    assert (probs > 0).all()
    assert np.isfinite(model.leave_one_out().log_score)


def test_nothing_that_varies_gives_the_class_prior():
    model = ModelAverage().fit({"x": ["a"] * 6, "y": [None] * 6}, [0, 0, 0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba({"x": ["a"], "y": [3]}), [[4.5 / 7, 2.5 / 7]])
    assert model.member_weights_ == {}
    assert not model.explain({"x": ["a"], "y": [None]}).contributions.any()


def test_one_class_gets_probability_one():
    with pytest.warns(OneClass):
        model = ModelAverage().fit({"x": [1, 2, 3]}, ["yes"] * 3)
    assert model.predict_proba({"x": [1, 7]}).tolist() == [[1.0], [1.0]]


def test_identifiers_are_left_out_and_many_values_backed_off():
    rng = np.random.default_rng(8)
    labels = rng.integers(0, 2, 400)
    towns = [f"town {rng.integers(150)}" for _ in range(400)]
    rows = {"id": [f"case {i}" for i in range(400)], "town": towns, "x": labels + rng.normal(size=400)}
    with pytest.warns(IgnoredColumn, match="'id'"):
        model = ModelAverage().fit(rows, labels)
    new = {"id": ["case 999"], "town": ["nowhere"], "x": [3.0]}
    assert model.predict_proba(new)[0, 1] > 0.6


def test_missing_and_unknown_cells_are_taken_anywhere(model, table):
    probs = model.predict_proba({name: [None] * 5 for name in table[0]})
    assert np.isfinite(probs).all()
    odd = pd.DataFrame({name: ["?!"] for name in table[0]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(model.predict_proba(odd)).all()


@pytest.mark.parametrize(
    "params",
    [
        {"members": ["oracle"]},
        {"members": []},
        {"members": ["trees", "trees"]},
        {"members": "trees"},
        {"members": 7},
        {"n_jobs": 0},
        {"n_jobs": 1.5},
        {"n_jobs": "two"},
        {"missing": "drop"},
        {"weighting": "none"},
        {"random_state": "seed"},
    ],
    ids=str,
)
def test_bad_parameters_are_refused(table, params):
    with pytest.raises(InvalidParameter):
        ModelAverage(**params).fit(*table)


def test_another_seed_gives_another_model_that_says_about_the_same(model, table):
    other = ModelAverage(random_state=1).fit(*table)
    change = np.abs(other.predict_proba(table[0]) - model.predict_proba(table[0]))
    assert 0 < change.mean() < 0.03


def test_a_new_member_is_one_class(monkeypatch):
    @dataclass(frozen=True, eq=False)
    class Majority(Member):
        """A member that knows nothing but the class prior, and doubts it."""

        name = "majority"
        title = "a toy"

        @classmethod
        def fit(cls, training):
            return FittedMember(
                cls(training.views, training.log_prior), normalised(0.5 * training.log_prior_left_out)
            )

        def log_probs(self, coded):
            return np.tile(normalised(0.5 * self.log_prior), (coded.n_rows, 1))

    monkeypatch.setitem(MEMBERS, "majority", Majority)
    vote = datasets.load("vote").table
    model = ModelAverage(["majority", "subsets"]).fit(vote)
    assert list(model.member_weights_) == ["majority", "subsets"]
    assert model.leave_one_out().accuracy > 0.8
    assert clone(model).members == ["majority", "subsets"]
