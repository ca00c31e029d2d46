"""Questions to a tree-augmented naive Bayes, against the enumeration of all whole rows."""

import itertools

import numpy as np
import pytest

from codelength import IndifferentTrees, datasets, load
from codelength.errors import Infeasible, InvalidParameter
from codelength.research import MemberClassifier

NAMES, SIZES, N_CLASSES = ("a", "b", "c", "d"), (2, 3, 2, 3), 2


def chained(seed, n_rows=80):
    """Rows in which each column leans on the one before it, in a way that depends on the class."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(N_CLASSES, size=n_rows)
    columns = [generator.integers(SIZES[0], size=n_rows)]
    for size in SIZES[1:]:
        copied = (columns[-1] + labels) % size
        columns.append(
            np.where(generator.random(n_rows) < 0.7, copied, generator.integers(size, size=n_rows))
        )
    cells = [[None if generator.random() < 0.05 else int(cell) for cell in column] for column in columns]
    return dict(zip(NAMES, cells, strict=True)), labels


def joint(member):
    """Weight of every whole row together with every class, by the tables of the forest."""
    weights = np.empty((N_CLASSES, *SIZES))
    children = np.flatnonzero(member.parents >= 0).tolist()
    for row in itertools.product(*map(range, SIZES)):
        logs = member.log_prior.copy()
        for v, value in enumerate(row):
            logs = logs + member.log_values[v][value]
        for v, table in zip(children, member.log_factors, strict=True):
            logs = logs + table[row[v], row[member.parents[v]]]
        weights[(slice(None), *row)] = np.exp(logs)
    return weights


def expected(weights, row, label, asked):
    """The distribution of what is asked about, by weights of all whole rows."""
    part = weights
    for axis, name in enumerate(("y", *NAMES)):
        value = label if name == "y" else row[name]
        if name not in asked and value is not None:
            part = np.take(part, [value], axis=axis)
    places = [("y", *NAMES).index(name) for name in asked]
    summed = part.sum(axis=tuple(axis for axis in range(5) if axis not in places))
    # Axes come in the order of the names, and go into the order of the question.
    found = np.moveaxis(summed, range(len(places)), np.argsort(places))
    return found / found.sum()


def check_questions(model, weights, seed):
    generator = np.random.default_rng(seed)
    for _ in range(12):
        asked = generator.permutation([*NAMES, "y"])[: generator.integers(1, 4)].tolist()
        row = {name: int(generator.integers(size)) for name, size in zip(NAMES, SIZES, strict=True)}
        row = {name: None if generator.random() < 0.4 else value for name, value in row.items()}
        label = int(generator.integers(N_CLASSES)) if generator.random() < 0.5 else None
        answer = model.query({name: [value] for name, value in row.items()}, asked, y=[label])
        np.testing.assert_allclose(answer.probs[0], expected(weights, row, label, asked), rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_a_tree_answers_as_the_enumeration_of_all_whole_rows(seed):
    table, labels = chained(seed)
    model = MemberClassifier("best_tree", missing="ignore").fit(table, labels)
    member = model._fitted.members[0]
    assert (member.parents >= 0).sum() >= 2
    check_questions(model, joint(member), seed)


@pytest.mark.parametrize("forest", ["all", "best"])
def test_forests_under_indifference_answer_as_the_enumeration_of_all_whole_rows(forest):
    table, labels = chained(7)
    model = IndifferentTrees(forest).fit(table, labels)
    rows = list(itertools.product(*map(range, SIZES)))
    whole = {name: [row[i] for row in rows] for i, name in enumerate(NAMES)}
    weights = np.exp(model.predict_joint_log_proba(whole)).T.reshape(N_CLASSES, *SIZES)
    # Pairs are counted where both cells are there, so that gaps in training leave the sum a little off.
    assert weights.sum() == pytest.approx(1, abs=0.01)
    check_questions(model, weights, 7)


def test_all_forests_answer_as_the_enumeration_of_all_whole_rows():
    table, labels = chained(8)
    model = MemberClassifier("forests", missing="ignore", numeric="category").fit(table, labels)
    rows = list(itertools.product(*map(range, SIZES)))
    whole = {name: [row[i] for row in rows] for i, name in enumerate(NAMES)}
    logs = model._fitted._rows.log_joint(model._encoded(whole))
    check_questions(model, np.exp(logs - logs.max()).T.reshape(N_CLASSES, *SIZES), 8)
    numbers = MemberClassifier("forests").fit({"x": np.arange(60) / 7, "y": [0, 1] * 30}, labels[:60])
    with pytest.raises(InvalidParameter, match="no joint distribution"):
        numbers.query({"x": [1.0]}, "y")


@pytest.mark.parametrize("member", ["best_tree", "forests"])
def test_the_class_alone_is_what_predict_proba_says(member):
    table = datasets.load("vote", backend="columns").table
    model = MemberClassifier(member).fit(table)
    np.testing.assert_allclose(
        model.query(table, "class").probs, model.predict_proba(table), rtol=0, atol=1e-12
    )


def test_intervals_that_are_seen_as_one_are_one_value_and_a_file_says_the_same(tmp_path):
    table = datasets.load("iris", backend="columns").table
    model = MemberClassifier("best_tree").fit(table)
    asked = (table.names[0], "class")
    answer = model.query(table.take(np.arange(3)), asked)
    assert answer.probs.shape == (3, 5, 3)
    assert answer.values[0][0].startswith("< ")
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json").query(table.take(np.arange(3)), asked)
    np.testing.assert_array_equal(again.probs, answer.probs)


def test_variables_that_take_no_part_are_refused():
    table, labels = chained(0)
    model = MemberClassifier("best_tree").fit({**table, "same": ["x"] * 80}, labels)
    with pytest.raises(InvalidParameter, match="'same' takes no part"):
        model.query({**table, "same": ["x"] * 80}, "same")
    model = IndifferentTrees().fit({**table, "same": ["x"] * 80}, labels)
    with pytest.raises(InvalidParameter, match="'same' takes no part"):
        model.query({**table, "same": ["x"] * 80}, "same")


def test_too_many_ways_to_fill_rows_are_refused():
    generator = np.random.default_rng(0)
    table = {f"x{i}": generator.integers(8, size=60) for i in range(12)}
    model = IndifferentTrees(numeric="category").fit(table, generator.integers(2, size=60))
    blank = {name: [None] for name in table}
    with pytest.raises(Infeasible, match="fewer missing cells"):
        model.query(blank, "x0")
