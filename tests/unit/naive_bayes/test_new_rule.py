"""A fifth rule is a class and an entry in the registry: everything else takes it as it is."""

import ast
import math
from pathlib import Path

import numpy as np
import pytest

import codelength
from codelength import NaiveBayes
from codelength.counts import Counts, count
from codelength.errors import InvalidParameter
from codelength.evaluation import evaluate
from codelength.evaluation.splits import partition
from codelength.naive_bayes import RULES, Offsets, Predictor, Rule, rule_of
from codelength.prequential import naive_bayes_sequence
from codelength.scores import evidence_code_length, leave_one_out
from codelength.selection import select_variables
from codelength.sources import as_table
from codelength.table import Schema, encode
from codelength_lab.experiment import Model
from codelength_lab.tables import Prepared, Source
from codelength_lab.task import CurveRows, learning_curves, predict_folds
from codelength_lab.task import leave_one_out as left_out_protocol

SIZES, N_CLASSES = (3, 2, 4), 3


class Doubtful(Rule):
    """Counts grow slowly, and each variable adds one row, however many values it has."""

    name = "doubtful"
    needs_prior = False
    normalises = False

    def offsets(self, prior, schema):
        of_values = np.zeros((schema.n_classes, schema.n_cells))
        for i, n_values in enumerate(schema.n_values):
            of_values[:, schema.offsets[i] : schema.offsets[i + 1] - 1] = 1 / n_values
        return Offsets(np.arange(1.0, schema.n_classes + 1), of_values)

    def growth(self, numbers):
        return np.log1p(np.sqrt(numbers))

    def constant(self, counts, offsets):
        return -0.5


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(RULES, "doubtful", Doubtful())


def slow_log_weights(row, rows, labels, weights=None):
    """The definition, one number after the other; nothing but counting and square roots."""

    def g(number):
        return math.log1p(math.sqrt(number))

    weights = [1.0] * len(rows) if weights is None else weights
    result = []
    for k in range(N_CLASSES):
        total = g(sum(w for label, w in zip(labels, weights, strict=True) if label == k) + k + 1) - 0.5
        for i, value in enumerate(row):
            if value < 0:
                continue
            known = [
                (other[i], w)
                for other, label, w in zip(rows, labels, weights, strict=True)
                if label == k and other[i] >= 0
            ]
            total += g(sum(w for other, w in known if other == value) + 1 / SIZES[i])
            total -= g(sum(w for _, w in known) + 1)
        result.append(total)
    return result


def slow_log_probs(*arguments):
    log_weights = slow_log_weights(*arguments)
    normaliser = math.log(math.fsum(math.exp(weight) for weight in log_weights))
    return [weight - normaliser for weight in log_weights]


def drawn(n_rows=40, seed=1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, N_CLASSES, n_rows)
    rows = np.column_stack(
        [np.where(rng.random(n_rows) < 0.6, labels % n, rng.integers(0, n, n_rows)) for n in SIZES]
    )
    rows[rng.random(rows.shape) < 0.1] = -1
    return rows, labels


ROWS, LABELS = drawn()
SCHEMA = Schema.from_sizes(SIZES, N_CLASSES)
CODED = encode(SCHEMA, ROWS, LABELS)
WEIGHTS = np.random.default_rng(2).choice([0.5, 1.0, 2.0], len(ROWS))


def slow_left_out(weights=None):
    """Each row predicted from all the others, and from the other copies of itself."""
    found = []
    for j in range(len(ROWS)):
        fewer = np.ones(len(ROWS)) if weights is None else weights.copy()
        fewer[j] -= min(fewer[j], 1.0)
        found.append(slow_log_probs(ROWS[j], ROWS, LABELS, fewer))
    return np.array(found)


class TestPredictor:
    def test_predictions(self):
        predictor = Predictor.of(count(CODED), "doubtful")
        expected = [slow_log_weights(row, ROWS, LABELS) for row in ROWS]
        np.testing.assert_allclose(predictor.log_weights(CODED), expected, rtol=1e-12)
        expected = [slow_log_probs(row, ROWS, LABELS) for row in ROWS]
        np.testing.assert_allclose(predictor.log_probs(CODED).log_probs, expected, rtol=1e-12)

    @pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["rows", "weights"])
    def test_leave_one_out_is_refitting(self, weights):
        coded = encode(SCHEMA, ROWS, LABELS, sample_weight=weights)
        made = leave_one_out(Predictor.of(count(coded), "doubtful"), coded)
        np.testing.assert_allclose(made.log_probs, slow_left_out(weights), rtol=1e-11)
        assert not made.undefined.any()

    def test_explanations_add_up(self):
        predictor = Predictor.of(count(CODED), "doubtful")
        explanation = predictor.explain(CODED, 1)
        log_weights = predictor.log_weights(CODED)
        np.testing.assert_allclose(explanation.log_odds, log_weights - log_weights[:, [1]], atol=1e-12)

    def test_the_code_length_is_that_of_the_prior(self):
        counts = count(CODED)
        assert Predictor.of(counts, "doubtful", "jeffreys").evidence_code_length() == evidence_code_length(
            counts, "jeffreys"
        )

    def test_by_name_and_as_an_object(self):
        rule = Doubtful()
        assert rule_of(rule) is rule
        assert rule_of("doubtful") is RULES["doubtful"]
        np.testing.assert_array_equal(
            Predictor.of(count(CODED), rule).log_weights(CODED),
            Predictor.of(count(CODED), "doubtful").log_weights(CODED),
        )

    def test_a_wrong_name_is_answered_with_the_new_one_too(self):
        with pytest.raises(InvalidParameter, match=r"rule='none': expected one of .*'doubtful'"):
            rule_of("none")


class TestSequences:
    def test_terms(self):
        model = naive_bayes_sequence(CODED, "doubtful")
        order = np.random.default_rng(3).permutation(len(ROWS))
        expected = [
            -slow_log_probs(ROWS[j], ROWS[order[:t]], LABELS[order[:t]])[LABELS[j]]
            for t, j in enumerate(order)
        ]
        np.testing.assert_allclose(model.terms(order), expected, rtol=1e-11)

    def test_leave_one_out(self):
        expected = -slow_left_out()[np.arange(len(ROWS)), LABELS]
        np.testing.assert_allclose(
            naive_bayes_sequence(CODED, "doubtful").leave_one_out(), expected, rtol=1e-11
        )


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_variable_selection(direction):
    found = select_variables(CODED, "leave_one_out", rule="doubtful", direction=direction)
    rows = CODED.select(found.selected)
    made = leave_one_out(Predictor.of(count(rows), "doubtful"), rows)
    assert found.score == pytest.approx(-made.true_log_probs.sum(), rel=1e-11)
    by_name = select_variables(CODED, "prequential", rule="doubtful", direction=direction)
    assert by_name == select_variables(CODED, "prequential", rule=Doubtful(), direction=direction)


def test_the_evidence_is_for_rules_that_average():
    with pytest.raises(InvalidParameter, match="rule='doubtful'"):
        select_variables(CODED, "evidence", rule="doubtful")


class TestEstimator:
    def test_fit_predict_and_leave_one_out(self):
        model = NaiveBayes("doubtful", schema=SCHEMA).fit(ROWS, LABELS)
        expected = np.exp([slow_log_probs(row, ROWS, LABELS) for row in ROWS])
        np.testing.assert_allclose(model.predict_proba(ROWS), expected, rtol=1e-12)
        made = model.leave_one_out(ROWS, LABELS)
        np.testing.assert_allclose(made.log_probs, slow_left_out(), rtol=1e-11)
        np.testing.assert_allclose(
            model.explain(ROWS).log_odds[:, 1], np.log(expected[:, 1] / expected[:, 0]), rtol=1e-9, atol=1e-12
        )

    def test_partial_fit_and_merge(self):
        whole = NaiveBayes("doubtful", schema=SCHEMA).fit(ROWS, LABELS)
        parts = [NaiveBayes("doubtful", schema=SCHEMA).fit(ROWS[::2], LABELS[::2])]
        parts.append(NaiveBayes("doubtful", schema=SCHEMA).partial_fit(ROWS[1::2], LABELS[1::2]))
        merged = parts[0].merge(parts[1])
        np.testing.assert_array_equal(merged.predict_proba(ROWS), whole.predict_proba(ROWS))

    @pytest.mark.parametrize("select", ["leave_one_out", "prequential"])
    def test_with_chosen_variables(self, select):
        model = NaiveBayes("doubtful", schema=SCHEMA, select=select).fit(ROWS, LABELS)
        assert model.selection_ == select_variables(CODED, select, rule="doubtful")

    def test_save_and_load(self, tmp_path):
        model = NaiveBayes("doubtful", schema=SCHEMA).fit(ROWS, LABELS)
        model.save(tmp_path / "model.json")
        loaded = codelength.load(tmp_path / "model.json")
        assert loaded.rule == "doubtful"
        np.testing.assert_array_equal(loaded.predict_proba(ROWS), model.predict_proba(ROWS))

    def test_a_file_of_a_rule_that_is_gone(self, tmp_path, monkeypatch):
        NaiveBayes("doubtful", schema=SCHEMA).fit(ROWS, LABELS).save(tmp_path / "model.json")
        monkeypatch.delitem(RULES, "doubtful")
        with pytest.raises(codelength.errors.CodelengthError, match="'doubtful'"):
            codelength.load(tmp_path / "model.json")


class TestExperiments:
    SOURCE = Source("made up", "frequency", 5, "ignore", "whole")
    MODELS = (Model("new", "doubtful"), Model("old", "evidence"))

    @property
    def prepared(self):
        return Prepared(self.SOURCE, as_table(ROWS, LABELS), CODED)

    def test_evaluate(self):
        names = [f"column {i}" for i in range(len(SIZES))]
        columns = {
            name: [None if value < 0 else f"v{value}" for value in column]
            for name, column in zip(names, ROWS.T, strict=True)
        }
        table = as_table(columns, LABELS)
        models = {"new": NaiveBayes("doubtful"), "old": NaiveBayes()}
        new, old = evaluate(table, models)
        assert (new.model, new.protocol) == ("new", "leave-one-out")
        own = slow_left_out()[np.arange(len(ROWS)), LABELS]
        assert new.log_score == pytest.approx(own.mean(), rel=1e-11)
        assert old.log_score != new.log_score
        folded = evaluate(table, models, n_folds=4, random_state=5)
        assert [result.model for result in folded] == ["new", "old"]
        assert folded[0].n_predictions == len(ROWS)
        assert -2 < folded[0].log_score < 0

    def test_leave_one_out_and_cross_validation(self):
        result = left_out_protocol(self.prepared, self.MODELS)
        own = slow_left_out()[np.arange(len(ROWS)), LABELS]
        np.testing.assert_allclose(result["new"]["log_score"], own, rtol=1e-11)
        folded = predict_folds(self.prepared, self.MODELS, range(2), 4)
        assert len(folded["new"]["log_score"]) == 2

    def test_one_learning_curve(self):
        split = partition(len(ROWS), random_state=6)
        curve = CurveRows(CODED).curve(split, self.MODELS[0])
        assert len(curve) == len(split.train)
        for n in (1, 2, 7, len(split.train)):
            learned = split.train[:n]
            log_probs = [slow_log_probs(ROWS[j], ROWS[learned], LABELS[learned]) for j in split.test]
            own = [probs[LABELS[j]] for probs, j in zip(log_probs, split.test, strict=True)]
            hits = [np.argmax(probs) == LABELS[j] for probs, j in zip(log_probs, split.test, strict=True)]
            np.testing.assert_allclose(curve[n - 1], [np.mean(hits), np.mean(own)], rtol=1e-11)

    def test_the_learning_curve_experiment(self):
        result = learning_curves(self.prepared, self.MODELS, range(3))
        assert set(result) == {"new", "old", "new - old"}
        rows = CurveRows(CODED)
        curves = [rows.curve(partition(len(ROWS), random_state=s), self.MODELS[0]) for s in range(3)]
        np.testing.assert_allclose(result["new"]["log_score"]["sum"], np.sum(curves, axis=0)[:, 1])


@pytest.mark.parametrize("rule", [name for name in RULES if name != "doubtful"])
def test_learning_curves_use_the_arithmetic_of_the_rules(rule):
    """Row by row the kernel says what log tables made anew say."""
    split = partition(len(ROWS), random_state=7)
    curve = CurveRows(CODED).curve(split, Model("m", rule), cap=50.0)
    counts = Counts.empty(SCHEMA)
    for n, j in enumerate(split.train):
        counts = counts.add(CODED.codes[j], int(CODED.class_codes[j]))
        test = CODED.take(split.test)
        log_probs, _ = Predictor.of(counts, rule).log_probs(test)
        own = np.maximum(log_probs[np.arange(test.n_rows), test.class_codes], -50.0)
        np.testing.assert_allclose(curve[n, 1], own.mean(), rtol=1e-11)


SOURCE_FILES = sorted(Path(codelength.__file__).parent.rglob("*.py"))
OUTSIDE = [path for path in SOURCE_FILES if "rules" not in path.relative_to(SOURCE_FILES[0].parent).parts]


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(SOURCE_FILES[0].parent)))
def test_no_code_outside_the_rules_asks_for_a_rule_by_name(path):
    """A name in a comparison would be a rule that the registry does not know about."""
    names = set(RULES) - {"doubtful"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Compare, ast.MatchValue)):
            named = {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)} & names
            assert not named, f"line {node.lineno}: {ast.unparse(node)}"
        for field in ("id", "attr", "arg", "name"):
            assert getattr(node, field, None) != "is_complexity", f"line {node.lineno}"


def test_the_search_for_names_finds_them():
    found = [
        part.value
        for node in ast.walk(ast.parse('if rule in ("map", other) or x == "evidence": pass'))
        if isinstance(node, ast.Compare)
        for part in ast.walk(node)
        if isinstance(part, ast.Constant)
    ]
    assert found == ["map", "evidence"]
    assert len(OUTSIDE) > 50
