"""The average over all forests: against enumeration, against refitting, at extremes, and in files."""

import json
from dataclasses import replace
from itertools import product

import mpmath
import numpy as np
import pytest

from codelength._packing import packed
from codelength.averages.members import forests as module
from codelength.averages.members.best_tree import BestTree
from codelength.averages.members.forests import Forests
from codelength.averages.training import Training
from codelength.averages.views import GRAINS, Views
from codelength.errors import DataError
from codelength.networks._forest_kernels import log_sum_of_trees
from codelength.networks.all_forests import balanced
from codelength.sources import as_table
from codelength.table import Schema, Variable, encode, infer_schema
from codelength.table.cutting import Cutting
from unit.averages.forest_tables import (
    STRENGTHS,
    all_forests,
    all_log_evidences,
    coded_of,
    dependent_rows,
    enumerated_log_probs,
    refitted,
    training_of,
)
from unit.averages.mixed_tables import assert_distributions

CASES = [
    ([2, 3, 2], 2, 8, 0),
    ([2, 2, 3, 2], 3, 9, 1),
    ([2, 3, 2, 2, 2], 2, 10, 2),
    ([3, 2], 2, 5, 3),
    ([4], 3, 6, 4),
]


@pytest.mark.parametrize(("sizes", "n_classes", "n_rows", "seed"), CASES)
def test_all_forests_one_by_one(sizes, n_classes, n_rows, seed):
    """Predictions, leave-one-out and evidence are sums over all forests and strengths."""
    rows, labels = dependent_rows(n_rows, sizes, n_classes, seed)
    training = training_of(rows, labels, sizes, n_classes)
    learned = Forests.fit(training)
    new = dependent_rows(4, sizes, n_classes, seed + 100)[0]
    found = learned.member.log_probs(coded_of(new, np.zeros(4, dtype=int), sizes, n_classes))
    ones = np.ones(n_rows)
    for row, log_probs in zip(new, found, strict=True):
        expected = enumerated_log_probs(rows, labels, ones, sizes, n_classes, row)
        assert log_probs == pytest.approx(expected, abs=1e-10)
    for i in range(training.n_rows):
        row, label, weight = training.coarse[i], training.labels[i], training.weights[i]
        kept_weights = training.weights.copy()
        kept_weights[i] = weight - 1
        kept = training.coarse, training.labels, kept_weights
        expected = enumerated_log_probs(*kept, sizes, n_classes, row)
        assert learned.held_out[i] == pytest.approx(expected, abs=1e-10), label
    evidences = all_log_evidences(rows, labels, ones, sizes, n_classes)
    for strength in STRENGTHS:
        expected = np.logaddexp.reduce([e for (s, _), e in evidences.items() if s == strength])
        assert strengths_of(learned.member.grains[0])[strength] == pytest.approx(expected, abs=1e-9)


def strengths_of(grain):
    """Log evidence of all cells given the classes, for each strength that is not negligible."""
    return {part.of.strength: part.log_evidence for part in grain._parts}


def test_the_number_of_forests():
    """Cayley's formula: (n + 1) ** (n - 1) rooted forests on n variables."""
    for n_variables in range(1, 6):
        assert len(all_forests(n_variables)) == (n_variables + 1) ** (n_variables - 1)
        graph = np.ones((n_variables + 1, n_variables + 1))
        assert np.exp(log_sum_of_trees(graph)) == pytest.approx(len(all_forests(n_variables)), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_leaving_out_is_refitting(seed):
    """Exact with missing cells, repeated rows and weights that are not whole."""
    sizes, n_classes = [2, 3, 4, 2, 3, 2, 5], 3
    rows, labels = dependent_rows(40, sizes, n_classes, seed)
    generator = np.random.default_rng(seed)
    if seed % 2:
        rows[5:][generator.random((35, len(sizes))) < 0.15] = -1
    weights = None if seed < 2 else generator.choice([0.3, 1.0, 2.0, 2.7, 40.0], 40)
    training = training_of(rows, labels, sizes, n_classes, weights)
    assert Forests.fit(training).held_out == pytest.approx(refitted(Forests, training), abs=1e-10)


def test_the_evidence_is_what_predicting_row_by_row_costs():
    """Chain rule: a row's probability is what it adds to the evidence, summed over the strengths too."""
    sizes, n_classes = [2, 3, 2, 2], 2
    rows, labels = dependent_rows(12, sizes, n_classes, 5)
    views = Views.of(coded_of(rows, labels, sizes, n_classes))
    before, after = (
        Forests.fit(training_of(rows[:n], labels[:n], sizes, n_classes, views=views)).member.grains[0]
        for n in (11, 12)
    )
    for strength in STRENGTHS:
        part = next(part for part in before._parts if part.of.strength == strength)
        codes = rows[11:12]
        log_prob = part.of.naive_log_probs(codes) - part.log_sum
        log_prob += part.log_sums(codes, part.weights[None, :], np.array([-1]))
        step = strengths_of(after)[strength] - strengths_of(before)[strength]
        assert log_prob[0, labels[11]] == pytest.approx(step, abs=1e-10)


@pytest.mark.parametrize(
    ("copying", "on_average", "at_most"), [(0.3, 0.002, 0.02), (0.6, 0.02, 0.1), (0.9, 0.06, 0.3)]
)
def test_a_missing_cell_is_nearly_marginalised(copying, on_average, at_most):
    """The error that the documentation states, against a sum over the values that the cell could have."""
    sizes, n_classes, errors = [2, 3, 2, 2], 2, []
    for seed in range(3):
        rows, labels = dependent_rows(30, sizes, n_classes, seed, copying)
        member = Forests.fit(training_of(rows, labels, sizes, n_classes)).member
        new = dependent_rows(5, sizes, n_classes, seed + 50, copying)[0]
        for row, gap in product(new, range(len(sizes))):
            blanked = np.where(np.arange(len(sizes)) == gap, -1, row)
            expected = enumerated_log_probs(
                rows, labels, np.ones(30), sizes, n_classes, blanked, tuple(strengths_of(member.grains[0]))
            )
            found = member.log_probs(coded_of([blanked], [0], sizes, n_classes))[0]
            errors.append(np.abs(np.exp(found) - np.exp(expected)).max())
    assert np.mean(errors) < on_average
    assert np.max(errors) < at_most


def test_a_missing_cell_with_one_edge_is_marginalised():
    """Two variables: whichever lacks a value, it has at most one edge, and nothing is neglected."""
    sizes, n_classes = [3, 2], 2
    rows, labels = dependent_rows(20, sizes, n_classes, 3)
    member = Forests.fit(training_of(rows, labels, sizes, n_classes)).member
    for blanked in ([-1, 1], [2, -1], [-1, -1]):
        expected = enumerated_log_probs(rows, labels, np.ones(20), sizes, n_classes, blanked)
        found = member.log_probs(coded_of([blanked], [0], sizes, n_classes))[0]
        assert found == pytest.approx(expected, abs=1e-10)


def test_nothing_known_is_the_class_prior():
    sizes, n_classes = [2, 3, 2], 3
    rows, labels = dependent_rows(20, sizes, n_classes, 3)
    member = Forests.fit(training_of(rows, labels, sizes, n_classes)).member
    found = member.log_probs(coded_of([[-1, -1, -1]], [0], sizes, n_classes))[0]
    assert found == pytest.approx(member.log_prior, abs=1e-12)


def test_rows_are_counted_in_parts(monkeypatch):
    sizes, n_classes = [3, 4, 5, 4], 2
    coded = coded_of(*dependent_rows(100, sizes, n_classes, 4), sizes, n_classes)
    whole = Forests.fit(Training.of(coded))
    monkeypatch.setattr(module, "_ROWS_PER_COUNT", 7)
    assert (Forests.fit(Training.of(coded)).held_out == whole.held_out).all()


def test_a_part_of_many_rows_is_looked_at_and_all_are_counted():
    sizes, n_classes = [3, 4, 5, 4], 2
    coded = coded_of(*dependent_rows(120, sizes, n_classes, 4), sizes, n_classes)
    every, some = Training.of(coded), Training.of(coded, most_rows=30)
    learned = Forests.fit(some)
    assert learned.held_out.shape == (30, 2)
    assert learned.held_out == pytest.approx(Forests.fit(every).held_out[some.sample], abs=1e-12)


def laid_out(weights, root_weight, n_variables, kind=float):
    graph = np.zeros((n_variables + 1, n_variables + 1), dtype=kind)
    graph[1:, 0] = root_weight
    graph[1:, 1:][np.tril_indices(n_variables, -1)] = weights
    return graph


def exact_log_sum(log_weights, n_variables):
    """Log of the determinant of the Laplacian matrix, in arithmetic of many digits."""
    with mpmath.workdps(4000):
        graph = laid_out([mpmath.exp(float(w)) for w in log_weights], mpmath.mpf(1), n_variables, object)
        graph = graph + graph.T
        laplacian = np.diag(graph.sum(axis=1)) - graph
        return mpmath.log(mpmath.det(mpmath.matrix(laplacian[1:, 1:].tolist())))


def log_sum_in_logs(log_weights, n_variables):
    """The same by elimination without subtractions, all in logs."""
    graph = laid_out(log_weights, 0.0, n_variables)
    total = 0.0
    for t in range(n_variables, 0, -1):
        gone = graph[t, :t]
        out = np.logaddexp.reduce(gone)
        graph[:t, :t] = np.logaddexp(graph[:t, :t], gone[:, None] + gone - out)
        total += out
    return total


def balanced_log_sums(log_weights, log_factors, n_variables):
    weights, root_weight, shift = balanced(log_weights)
    graphs = [laid_out(weights * np.exp(factors), root_weight, n_variables) for factors in log_factors]
    return np.array([log_sum_of_trees(graph) for graph in graphs]), shift


@pytest.mark.parametrize("spread", [1.0, 30.0, 300.0])
@pytest.mark.parametrize("n_variables", [1, 2, 7])
def test_balanced_weights_give_the_determinant(n_variables, spread):
    generator = np.random.default_rng(n_variables)
    log_weights = spread * generator.normal(size=n_variables * (n_variables - 1) // 2)
    log_factors = generator.normal(size=(2, len(log_weights)))
    sums, shift = balanced_log_sums(log_weights, log_factors, n_variables)
    expected = [exact_log_sum(log_weights + factors, n_variables) for factors in log_factors]
    assert sums[0] - sums[1] == pytest.approx(float(expected[0] - expected[1]), abs=1e-10)
    assert sums + shift == pytest.approx([float(log_sum) for log_sum in expected], rel=1e-12, abs=1e-10)


@pytest.mark.parametrize("spread", [1.0, 30.0, 100.0, 300.0, 1e4])
@pytest.mark.parametrize("shape", ["normal", "cauchy", "steps"])
def test_balanced_weights_of_many_variables(shape, spread):
    """Where all gaps are large, they are shortened most: still nothing is seen of it in 10 digits."""
    generator = np.random.default_rng(5)
    log_weights = {
        "normal": generator.normal(size=780),
        "cauchy": generator.standard_cauchy(780),
        "steps": generator.integers(-20, 20, 780).astype(float),
    }[shape] * spread
    log_factors = 2 * generator.normal(size=(2, 780))
    sums, shift = balanced_log_sums(log_weights, log_factors, 40)
    expected = [log_sum_in_logs(log_weights + factors, 40) for factors in log_factors]
    rounding = 1e-14 * 40 * np.abs(expected).max()
    assert sums[0] - sums[1] == pytest.approx(expected[0] - expected[1], abs=1e-10 + rounding)
    assert sums + shift == pytest.approx(expected, abs=1e-10 + rounding)


def test_balanced_weights_are_finite_whatever_the_logs():
    for log_weights in (np.full(780, 1e17), np.full(780, -1e17), np.linspace(-1e17, 1e17, 780)):
        sums, shift = balanced_log_sums(log_weights, np.zeros((1, 780)), 40)
        assert np.isfinite([*sums, shift]).all()


EXTREMES = {
    "one class seen of two": ([[0, 1], [1, 0], [1, 1]], [1, 1, 1], 2),
    "one row of each class": ([[0, 1], [1, 0]], [0, 1], 2),
    "two rows of one class": ([[0, 1], [1, 0]], [1, 1], 3),
    "equal cells, different classes": ([[0, 0], [0, 0], [1, 1]], [0, 1, 2], 4),
    "more classes than rows": ([[0, 1], [1, 0]], [7, 30], 40),
}


@pytest.mark.parametrize("kind", [Forests, BestTree])
@pytest.mark.parametrize("case", EXTREMES)
def test_extremes(kind, case):
    rows, labels, n_classes = EXTREMES[case]
    training = training_of(rows, labels, [2, 2], n_classes)
    learned = kind.fit(training)
    assert_distributions(learned.held_out, (training.n_rows, n_classes))
    found = learned.member.log_probs(coded_of([[0, 0], [-1, 1]], [0, 0], [2, 2], n_classes))
    assert_distributions(found, (2, n_classes))
    assert learned.held_out == pytest.approx(refitted(kind, training), abs=1e-10)


def test_classes_without_rows_share_alike():
    rows, labels = dependent_rows(30, [2, 3, 2], 2, 3)
    learned = Forests.fit(training_of(rows, labels, [2, 3, 2], 5))
    assert learned.held_out[:, 2] == pytest.approx(learned.held_out[:, 4], abs=1e-12)
    assert np.exp(learned.held_out[:, 2:]).sum(axis=1).mean() < 0.2


def test_500_columns_of_50_rows():
    """Those that say most about the class take part."""
    generator = np.random.default_rng(0)
    rows, labels = generator.integers(0, 3, (50, 500)), np.arange(50) % 2
    telling = [3, 77, 123, 499]
    rows[:, telling] = np.where(generator.random((50, 4)) < 0.7, labels[:, None], rows[:, telling])
    learned = Forests.fit(training_of(rows, labels, [3] * 500, 2))
    chosen = learned.member.grains[0].counts.variables.tolist()
    assert len(chosen) == 40
    assert set(telling) <= set(chosen)
    assert chosen == sorted(chosen)
    assert_distributions(learned.held_out, (50, 2))


def test_variables_with_many_values_leave_room_for_fewer(monkeypatch):
    rows, labels = dependent_rows(60, [2, 6, 6, 6, 2], 2, 1)
    training = training_of(rows, labels, [2, 6, 6, 6, 2], 2)
    monkeypatch.setattr(module, "MAX_CELLS", 200)
    learned = Forests.fit(training)
    assert 2 <= len(learned.member.grains[0].counts.variables) < 5
    assert learned.member.grains[0].counts.pairs.cells.size <= 200
    assert_distributions(learned.held_out, (training.n_rows, 2))


def test_identical_columns():
    """Log weights are then as large as they can be; the copies say hardly anything new."""
    generator = np.random.default_rng(3)
    labels = generator.integers(0, 2, 400)
    column = np.where(generator.random(400) < 0.7, labels, 1 - labels)
    alone, *copied = (
        Forests.fit(training_of(np.tile(column[:, None], (1, m)), labels, [2] * m, 2)).held_out
        for m in (1, 2, 40)
    )
    for held_out in copied:
        assert_distributions(held_out, alone.shape)
        assert np.abs(np.exp(held_out) - np.exp(alone)).max() < 0.03


SCHEMA = Schema(
    [Variable("a", ("x", "y", None)), Variable("b", ("p", "q", "r")), Variable("c", ("s", "t"))],
    Variable("k", ("no", "yes")),
)


def mixed_training():
    table = {"a": ["x", "y", None] * 8, "b": ["p", "q"] * 12, "c": (["s"] * 5 + ["t"] * 7) * 2}
    return Training.of(encode(SCHEMA, table, ["no", "yes", "yes", "no"] * 6))


def test_missing_and_unseen_values():
    """A missing cell may be a value; otherwise it says nothing, and nor does a value that was never seen."""
    member = Forests.fit(mixed_training()).member
    new = encode(SCHEMA, {"a": [None, "x", "x"], "b": ["p", "r", None], "c": ["s", "s", "s"]})
    found = member.log_probs(new)
    assert found[1] == pytest.approx(found[2], abs=0)
    codes = module.chosen_codes(member.views, member.counts[0].variables, new)
    assert codes.tolist() == [[2, 0, 0], [0, -1, 0], [0, -1, 0]]
    assert_distributions(found, (3, 2))


def damaged(document):
    """Documents that no fit has written."""
    parts = json.dumps(document)
    for name in document:
        less = json.loads(parts)
        del less[name]
        yield less
        for other in (
            None,
            3,
            [],
            {},
            document["variables"] if name != "variables" else document["cells"],
        ):
            yield json.loads(parts) | {name: other}
    for name, array in (
        ("variables", np.array([0, 1, 3])),
        ("variables", np.array([0, 1, 1])),
        ("variables", np.array([2, 1, 0])),
        ("variables", np.array([-1, 1, 2])),
        ("variables", np.array([], dtype=np.int64)),
        ("class_counts", np.full(2, -1.0)),
        ("class_counts", np.full(3, 1.0)),
        ("cells", np.full((32, 2), 1.0)),
        ("cells", np.full((33, 2), np.inf)),
    ):
        yield json.loads(parts) | {name: packed(array)}
    for array in (np.full((2, 2), -1.0), np.full((2, 2), 1e300), np.full((2, 1), 1.0), np.full((3, 2), 1.0)):
        yield json.loads(parts) | {"value_counts": [packed(array), *json.loads(parts)["value_counts"][1:]]}


def test_damaged_files_are_refused():
    training = mixed_training()
    [document] = Forests.fit(training).member.to_json()["counts"]
    for other in [*([part] for part in damaged(document)), [], [document, document], None, 3]:
        with pytest.raises((DataError, LookupError, TypeError, ValueError)):
            Forests.from_json({"counts": other}, training.views, training.log_prior)


def test_counts_of_no_fit_still_give_probabilities():
    """Numbers within bounds are taken, whatever they are, and end in distributions."""
    training = mixed_training()
    member = Forests.fit(training).member
    for low, high in ((0.0, 2.0**53), (2.0**53, 0.0), (2.0**53, 2.0**53)):
        [part] = member.grains
        cells = np.where(np.arange(part.counts.cells.size) % 3, low, high)
        other = replace(member, counts=(replace(part.counts, cells=cells.reshape(-1, 2)),))
        again = Forests.from_json(other.to_json(), training.views, training.log_prior)
        assert_distributions(again.log_probs(training.coded), (training.n_rows, 2))


def test_ordered_variables_are_seen_in_several_grains():
    """Each grain is an average over forests of its own, left out by itself; their logs are averaged."""
    generator = np.random.default_rng(0)
    table = {"x": generator.normal(size=60), "y": generator.normal(size=60), "z": ["a", "b", "c"] * 20}
    labels = np.where(table["x"] + table["y"] > 0, "yes", "no")
    schema = infer_schema(as_table(table, labels), numeric="discretize", cutting=Cutting(n_bins=100))
    training = Training.of(encode(schema, table, labels))
    learned = Forests.fit(training)
    assert [part.counts.pairs.n_values.tolist() for part in learned.member.grains] == [
        [n, n, 3] for n in GRAINS
    ]
    left_out = [part.left_out(replace(training, views=part.views)) for part in learned.member.grains]
    averaged = np.mean(left_out, axis=0)
    averaged -= np.log(np.exp(averaged).sum(axis=1, keepdims=True))
    assert learned.held_out == pytest.approx(averaged, abs=1e-12)
    document = json.loads(json.dumps(learned.member.to_json()))
    again = Forests.from_json(document, training.views, training.log_prior)
    assert (again.log_probs(training.coded) == learned.member.log_probs(training.coded)).all()
