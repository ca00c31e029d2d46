"""Naive Bayes that chooses the variables it predicts from."""

import numpy as np
import pytest

from codelength import NaiveBayes, load
from codelength.datasets import load as load_table
from codelength.errors import InvalidParameter, SchemaMismatch

CRITERIA = ["evidence", "leave_one_out", "prequential"]


@pytest.fixture(scope="module")
def table():
    """The first column tells the class nearly always, the others are noise; one of them has gaps."""
    rng = np.random.default_rng(3)
    classes = rng.integers(0, 2, 120)
    noisy = np.where(rng.random(120) < 0.1, 1 - classes, classes)
    columns = {
        "tells": np.array(["no", "yes"])[noisy],
        "noise": rng.integers(0, 4, 120),
        "gaps": np.array(
            [None if cell == 0 else str(cell) for cell in rng.integers(0, 3, 120)], dtype=object
        ),
    }
    return columns, classes


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_variable_that_tells_is_chosen_and_the_others_are_passed_over(table, criterion):
    model = NaiveBayes(select=criterion).fit(*table)
    assert model.selection_.selected == (0,)
    alone = NaiveBayes().fit({"tells": table[0]["tells"]}, table[1])
    np.testing.assert_array_equal(
        model.predict_proba(table[0]), alone.predict_proba({"tells": table[0]["tells"]})
    )
    assert model.code_length_ == alone.code_length_
    changed = table[0] | {"noise": np.roll(table[0]["noise"], 1)}
    np.testing.assert_array_equal(model.predict_proba(table[0]), model.predict_proba(changed))


@pytest.mark.parametrize("rule", ["map", "evidence", "stochastic_complexity", "indifferent"])
def test_every_rule_can_choose(table, rule):
    model = NaiveBayes(rule, select="leave_one_out").fit(*table)
    assert 0 in model.selection_.selected
    left_out = model.leave_one_out(*table, optimistic=True)
    assert left_out.optimistic
    if rule != "map":
        assert -left_out.log_score * 120 == pytest.approx(model.selection_.score, rel=1e-9)


def test_what_is_not_chosen_explains_nothing(table):
    model = NaiveBayes(select="leave_one_out").fit(*table)
    explanation = model.explain(table[0])
    assert (explanation.contributions[:, 1:] == 0).all()
    log_probs = model.predict_log_proba(table[0])
    np.testing.assert_allclose(explanation.log_odds[:, 1], log_probs[:, 1] - log_probs[:, 0], rtol=1e-10)


def test_a_file_keeps_the_choice(table, tmp_path):
    model = NaiveBayes(select="evidence").fit(*table)
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(
        load(tmp_path / "model.json").predict_proba(table[0]), model.predict_proba(table[0])
    )


def test_weights_are_repetitions(table):
    weights = np.arange(120) % 3
    columns, classes = table
    repeated = {name: np.repeat(cells, weights) for name, cells in columns.items()}
    weighted = NaiveBayes(select="leave_one_out").fit(columns, classes, weights)
    again = NaiveBayes(select="leave_one_out").fit(repeated, np.repeat(classes, weights))
    assert weighted.selection_ == again.selection_


def test_choosing_on_real_data_lowers_the_loss_by_honest_leave_one_out():
    vote = load_table("vote", backend="columns")
    chosen = NaiveBayes(select="leave_one_out").fit(vote.frame, vote.target)
    everything = NaiveBayes().fit(vote.frame, vote.target)
    assert len(chosen.selection_.selected) < everything.n_features_in_
    better = chosen.leave_one_out(vote.frame, vote.target)
    assert not better.optimistic
    assert better.log_score > everything.leave_one_out(vote.frame, vote.target).log_score + 0.3
    flattering = chosen.leave_one_out(vote.frame, vote.target, optimistic=True)
    assert flattering.log_score > better.log_score


def noise(n_rows, n_columns, seed):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n_rows, n_columns)), rng.integers(0, 2, n_rows)


@pytest.mark.parametrize("criterion", ["leave_one_out", "evidence"])
def test_leave_one_out_after_choosing_among_noise_says_what_fresh_rows_say(criterion):
    """Columns that tell nothing: chosen or not, they predict no better than the shares of the classes."""
    rows, classes = noise(300, 300, 0)
    model = NaiveBayes(select=criterion).fit(rows, classes)
    honest = model.leave_one_out(rows, classes)
    fresh_rows, fresh_classes = noise(2000, 300, 1)
    log_probs = model.predict_log_proba(fresh_rows)
    fresh = log_probs[np.arange(2000), fresh_classes].mean()
    assert honest.log_score == pytest.approx(fresh, abs=0.08)
    assert honest.accuracy == pytest.approx(0.5, abs=0.08)
    # The search itself resists noise: naming a column among 300 costs more than a lucky one saves.
    assert len(model.selection_.selected) <= 3


def test_what_is_chosen_without_a_fold_does_not_look_at_it(table):
    """By hand: the variables chosen without the rows of a fold, and each of its rows left out."""
    columns, classes = table
    model = NaiveBayes(select="leave_one_out").fit(columns, classes)
    honest = model.leave_one_out(columns, classes)
    order = np.random.default_rng(0).permutation(120)
    fold = np.sort(np.array_split(order, 10)[3])
    rest = np.setdiff1d(np.arange(120), fold)
    taken = {name: cells[rest] for name, cells in columns.items()}
    schema = model.schema_
    chosen = NaiveBayes(select="leave_one_out", schema=schema).fit(taken, classes[rest]).selection_.names
    alone = {name: columns[name] for name in chosen}
    expected = NaiveBayes().fit(alone, classes).leave_one_out(alone, classes)
    np.testing.assert_allclose(honest.log_probs[fold], expected.log_probs[fold], rtol=1e-12)


def test_what_cannot_be_chosen(table):
    with pytest.raises(InvalidParameter, match=r"select='luck'.*evidence"):
        NaiveBayes(select="luck").fit(*table)
    with pytest.raises(InvalidParameter, match="whole numbers"):
        NaiveBayes(select="evidence").fit(*table, np.full(120, 0.5))
    with pytest.raises(InvalidParameter, match="call fit"):
        NaiveBayes(select="evidence").partial_fit(*table)
    with pytest.raises(SchemaMismatch, match="different variables"):
        NaiveBayes(select="evidence").fit(*table).merge(NaiveBayes().fit(*table))
