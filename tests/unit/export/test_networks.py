"""Models as Bayesian networks: independent readers take the files, which say what ``predict_proba`` says."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codelength import IndifferentTrees, ModelAverage, NaiveBayes
from codelength.errors import InvalidParameter
from codelength.estimators import capabilities_of
from codelength.export.bif import RESERVED, to_bif, to_xmlbif, words
from codelength.naive_bayes import RULES
from codelength.networks.network import Network, Node
from codelength.research import MemberClassifier
from codelength.table import Schema, Variable
from unit.export.networks import class_probs, read_bif, read_xmlbif

READERS = {"bif": (NaiveBayes.to_bif, read_bif), "xmlbif": (NaiveBayes.to_xmlbif, read_xmlbif)}
NASTY = ["a'b", 'quo"te;', "x } {", "líne\n // a", "<b>&", "table", "Yes", "yes", "1", ""]


def edges_of(model):
    """Names of the variables at the ends of each edge of a tree, the parent first."""
    member = model._fitted.members[0]
    names = [member.views.schema.names[member.views.columns[j].position] for j in member.variables]
    return [(names[p], name) for name, p in zip(names, member.parents, strict=True) if p >= 0]


def frame_of(n_rows, seed):
    """Columns that depend on one another and on the class, with many rare values and awkward names."""
    rng = np.random.default_rng(seed)
    text = rng.choice(NASTY, n_rows)
    frame = pd.DataFrame(
        {
            "net weight": rng.normal(size=n_rows),
            "Net_Weight": np.where(rng.random(n_rows) < 0.6, text, rng.choice(NASTY, n_rows)),
            "table": text,
            "ßé; } //": np.where(rng.random(n_rows) < 0.8, np.char.str_len(text), -1),
            "rare": [f"v{min(int(rng.pareto(0.4)), 60)}" for _ in range(n_rows)],
        }
    )
    labels = np.where((frame["net weight"] > 0) ^ (rng.random(n_rows) < 0.2), "yes", "no, 'no'")
    return frame, labels


def with_gaps(frame, seed, share=0.15):
    rng = np.random.default_rng(seed)
    return frame.astype(object).mask(rng.random(frame.shape) < share).astype({"net weight": np.float64})


def rows_of(frame):
    return [{name: None if c != c else c for name, c in row.items()} for row in frame.to_dict("records")]


def check_network(variables):
    assert not next(iter(variables.values())).parents
    for variable in variables.values():
        for row in variable.probs.values():
            assert math.fsum(row.values()) == pytest.approx(1.0, rel=0, abs=1e-12)


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize("rule", RULES)
def test_naive_bayes_is_a_network(rule, form):
    write, read = READERS[form]
    frame, labels = frame_of(150, seed=1)
    frame = frame.drop(columns="rare")
    model = NaiveBayes(rule=rule, numeric="discretize").fit(frame, labels)
    variables = read(write(model))
    check_network(variables)
    assert list(variables)[1:] == list(frame.columns)
    rows = frame[:60] if rule == "stochastic_complexity" else with_gaps(frame[:60], seed=2, share=0.3)
    found = [class_probs(variables, row) for row in rows_of(rows)]
    is_defined = ~model.is_undefined(rows)
    assert is_defined.mean() > 0.8
    expected = model.predict_proba(rows)
    np.testing.assert_allclose(np.array(found)[is_defined], expected[is_defined], rtol=0, atol=1e-12)


def test_parameters_are_predictive_probabilities():
    model = NaiveBayes("indifferent").fit({"x": list("aaabb")}, list("kklll"))
    probs = read_bif(model.to_bif())["x"].probs
    assert probs["k",] == pytest.approx({"a": 3 / 4, "b": 1 / 4})
    assert probs["l",] == pytest.approx({"a": 2 / 5, "b": 3 / 5})


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize("missing", ["value", "ignore"])
def test_a_tree_is_a_network(missing, form):
    write, read = READERS[form]
    frame, labels = frame_of(300, seed=3)
    model = MemberClassifier("best_tree", missing=missing).fit(with_gaps(frame, seed=4), labels)
    variables = read(getattr(model, write.__name__)())
    check_network(variables)
    edges = {(name, one.parents[1]) for name, one in variables.items() if len(one.parents) > 1}
    assert edges == {(child, parent) for parent, child in edges_of(model)}
    assert len(edges) >= 2
    assert any(len(values) > 3 for values in variables["rare"].merged.values())
    rows = with_gaps(frame[:60], seed=5) if missing == "value" else frame[:60]
    found = [class_probs(variables, row) for row in rows_of(rows)]
    np.testing.assert_allclose(found, model.predict_proba(rows), rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::codelength.errors.IgnoredValues")
def test_values_that_are_not_known_are_summed_out_of_a_tree():
    """Which the model does exactly where such a variable has at most one edge."""
    frame, labels = frame_of(300, seed=3)
    model = MemberClassifier("best_tree").fit(frame, labels)
    variables = read_bif(model.to_bif())
    ends = [name for edge in edges_of(model) for name in edge]
    leaf = next(name for name in ("Net_Weight", "table", "ßé; } //") if ends.count(name) == 1)
    rows = frame[:30].astype({leaf: object})
    rows[leaf] = "new" if leaf != "ßé; } //" else 77
    found = [class_probs(variables, row) for row in rows_of(rows)]
    np.testing.assert_allclose(found, model.predict_proba(rows), rtol=0, atol=1e-12)


@pytest.mark.parametrize("form", READERS)
def test_a_forest_under_indifference_is_a_network_with_gaps_or_without(form):
    write, read = READERS[form]
    frame, labels = frame_of(150, seed=3)
    frame = frame.drop(columns=["rare", "Net_Weight"])
    model = IndifferentTrees("best", law="uniform", numeric="discretize").fit(
        with_gaps(frame, seed=4), labels
    )
    variables = read(getattr(model, write.__name__)())
    check_network(variables)
    assert {(one.parents[1], name) for name, one in variables.items() if one.parents[1:]} == {*model.edges_}
    assert model.edges_
    rows = with_gaps(frame[:40], seed=5, share=0.4)
    found = [class_probs(variables, row) for row in rows_of(rows)]
    np.testing.assert_allclose(found, model.predict_proba(rows), rtol=0, atol=1e-12)
    for forest in ("all", "best"):
        with pytest.raises(InvalidParameter, match='forest="best" and law="uniform"'):
            IndifferentTrees(forest).fit(frame, labels).to_bif()


def test_a_column_that_is_called_as_the_class_is_keeps_its_name():
    model = NaiveBayes().fit({"y": list("aabb"), "Y": list("abab")}, list("kkll"))
    for variables in (read_bif(model.to_bif()), read_xmlbif(model.to_xmlbif())):
        assert list(variables) == [("class", "y"), "y", "Y"]
        found = class_probs(variables, {"y": "a", "Y": "b"})
        assert found == pytest.approx(model.predict_proba({"y": ["a"], "Y": ["b"]})[0].tolist(), abs=1e-12)
    assert [one.word for one in read_bif(model.to_bif()).values()] == ["y_3", "y", "Y_2"]


def test_times_and_codes():
    when = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(40), unit="D")
    of_times = NaiveBayes().fit({"when": when}, list("ab") * 20)
    assert 'property scale = "date" ;' in of_times.to_bif()
    assert len(read_bif(of_times.to_bif())["when"].cuts) == len(of_times.schema_.variables[0].cuts)
    of_codes = NaiveBayes(schema=Schema.from_sizes([3], n_classes=2)).fit([[0], [1], [2]], [0, 1, 1])
    found = class_probs(read_xmlbif(of_codes.to_xmlbif()), {"x0": 2})
    assert found == pytest.approx(of_codes.predict_proba([[2]])[0].tolist(), abs=1e-12)


def test_what_is_no_network():
    frame, labels = frame_of(80, seed=6)
    schema = MemberClassifier("best_tree").fit(frame, labels).schema_
    wider = Schema(schema.variables, Variable("y", ("no, 'no'", "yes", "never")))
    with pytest.raises(InvalidParameter, match="declared and never seen"):
        MemberClassifier("best_tree", schema=wider).fit(frame, labels).to_bif()
    assert "network" not in capabilities_of(ModelAverage)
    assert not hasattr(ModelAverage(), "to_bif")
    many = NaiveBayes("stochastic_complexity", schema=Schema.from_sizes([30] * 400, n_classes=2))
    counted = many.fit(np.zeros((1001, 400), dtype=int), [0] * 1000 + [1])
    with pytest.raises(InvalidParameter, match="less probable than any number"):
        counted.to_bif()


@given(st.lists(st.text(max_size=6), min_size=1, max_size=8))
def test_any_names_and_states_survive_both_formats(names):
    """Column names, and states, are told by the file itself, whatever they hold."""
    unique = [f"{name}{i}" if name in names[:i] else name for i, name in enumerate(names)]
    unique = list(dict.fromkeys(unique))
    even = np.full(len(unique), 1 / len(unique))
    nodes = [Node("class", ("a", "b"), (), "number", {}, (), np.array([0.25, 0.75]))]
    nodes += [
        Node(f"x{name}", tuple(unique), (), "number", {}, (0,), np.tile(even, (2, 1))) for name in unique
    ]
    network = Network(tuple(nodes))
    for read in (read_bif(to_bif(network)), read_xmlbif(to_xmlbif(network))):
        assert list(read) == [("class", "class"), *(node.name for node in nodes[1:])]
        for node, variable in zip(nodes, read.values(), strict=True):
            assert tuple(variable.called.get(state, state) for state in variable.states) == node.states


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=5) | st.sampled_from([*RESERVED, "Table"])))
def test_words_are_distinct_and_no_words_of_the_format(texts):
    found = words(texts, taken=RESERVED, fold_case=True)
    assert len({word.casefold() for word in found} | RESERVED) == len(texts) + len(RESERVED)
    assert all(word.isascii() and word.isidentifier() for word in found)


@pytest.mark.filterwarnings("ignore")  # of another package
def test_pgmpy_reads_the_files(tmp_path):
    readwrite = pytest.importorskip("pgmpy.readwrite", reason="pgmpy, a large package, is not installed")
    inference = pytest.importorskip("pgmpy.inference")
    frame, labels = frame_of(200, seed=3)
    model = MemberClassifier("best_tree").fit(frame, labels)
    rows = frame[:5]
    ours = read_bif(model.to_bif())
    (tmp_path / "model.xml").write_text(model.to_xmlbif(), encoding="utf-8")
    network = readwrite.BIFReader(string=model.to_bif()).get_model()
    assert network.check_model()
    names = {name: variable.word for name, variable in ours.items()}
    target, *others = ours
    asked = inference.VariableElimination(network)
    for row, expected in zip(rows_of(rows), model.predict_proba(rows), strict=True):
        known = {names[name]: ours[name].state_of(row[name]) for name in others}
        found = asked.query([names[target]], evidence=known, show_progress=False)
        by_state = dict(zip(found.state_names[names[target]], found.values, strict=True))
        np.testing.assert_allclose([by_state[s] for s in ours[target].states], expected, rtol=0, atol=1e-12)
    from_xml = readwrite.XMLBIFReader(str(tmp_path / "model.xml"))
    for variable in read_xmlbif(model.to_xmlbif()).values():
        expected = np.array([list(row.values()) for row in variable.probs.values()]).T
        np.testing.assert_array_equal(from_xml.variable_CPD[variable.word], expected)
    assert json.dumps(from_xml.variable_states[target[1]]) == json.dumps(list(model.classes_))
