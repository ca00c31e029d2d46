"""``NaiveBayes(numeric="average")`` against a sum over all partitions, and against refitting."""

from datetime import date, timedelta
from itertools import pairwise, product
from math import exp, lgamma, log

import numpy as np
import pytest
from sklearn.base import clone

from codelength import (
    FiniteMixture,
    MixtureClassifier,
    ModelAverage,
    NaiveBayes,
    Prior,
    Schema,
    datasets,
    load,
)
from codelength.errors import DataError, InvalidParameter
from codelength.estimators._fitted_naive_bayes import FittedNaiveBayes
from codelength.evaluation import evaluate
from codelength.sources import as_table
from codelength.table import Variable, infer_schema
from codelength.table.variable import interval_variable
from unit.cli.conftest import run  # noqa: F401

SCHEMA = Schema(
    (
        interval_variable("size", [1, 2, 3, 4, 5]),
        Variable("colour", ("blue", "red")),
        interval_variable("age", [1, 2, 3], missing_is_value=True),
    ),
    Variable("kind", ("a", "b", "never")),
)
"""Six intervals, a category, four intervals with missing cells as a value, and a class that is never seen."""


def drawn(n_rows, seed=0):
    generator = np.random.default_rng(seed)
    kinds = generator.integers(0, 2, n_rows)
    sizes = generator.uniform(0, 6, n_rows) * 0.5 + kinds * 2
    sizes[generator.random(n_rows) < 0.1] = np.nan
    ages = generator.uniform(0, 4, n_rows)
    ages[generator.random(n_rows) < 0.2] = np.nan
    colours = np.where(generator.random(n_rows) < 0.8, kinds, 1 - kinds)
    table = {"size": sizes, "colour": np.array(["blue", "red"], dtype=object)[colours], "age": ages}
    return table, np.array(["a", "b"], dtype=object)[kinds]


def partitions(n_intervals):
    cut = min(0.5, 2 / max(n_intervals - 1, 1))
    for cuts in product((False, True), repeat=n_intervals - 1):
        edges = [0, *(i + 1 for i, is_cut in enumerate(cuts) if is_cut), n_intervals]
        segments = [list(range(a, b)) for a, b in pairwise(edges)]
        yield segments, np.prod([cut if is_cut else 1 - cut for is_cut in cuts])


def by_partitions(counts, n_intervals, pseudocount):
    """Evidence of the values of one variable given the classes, and predictions (n_classes, n_values)."""
    n_classes, n_values = counts.shape
    total, mean = 0.0, np.zeros((n_classes, n_values))
    for segments, prior in partitions(n_intervals):
        segments = segments + [[v] for v in range(n_intervals, n_values)]
        log_evidence, predictions = log(prior), np.zeros((n_classes, n_values))
        for k in range(n_classes):
            whole = n_values * pseudocount
            log_evidence += lgamma(whole) - lgamma(counts[k].sum() + whole)
            for segment in segments:
                width, seen = len(segment), counts[k, segment].sum()
                log_evidence += lgamma(seen + width * pseudocount) - lgamma(width * pseudocount)
                log_evidence -= seen * log(width)
                predictions[k, segment] = (seen / width + pseudocount) / (counts[k].sum() + whole)
        total += exp(log_evidence)
        mean += exp(log_evidence) * predictions
    return total, mean / total


def joint_by_partitions(model, coded, value_pseudocount=1.0, class_pseudocount=1.0):
    """Joint probability of each row and class, and the evidence of the table, by enumeration."""
    counts = model.counts_
    classes = counts.class_counts + class_pseudocount
    joint = np.tile(classes / classes.sum(), (coded.n_rows, 1))
    evidence = exp(
        lgamma(len(classes) * class_pseudocount)
        - lgamma(classes.sum())
        + sum(lgamma(n) - lgamma(class_pseudocount) for n in classes)
    )
    for i, variable in enumerate(coded.schema.variables):
        if variable.kind == "interval":
            n_intervals = len(variable.cuts) + 1
            own, mean = by_partitions(counts.of(i), n_intervals, value_pseudocount)
        else:
            raised = counts.of(i) + value_pseudocount
            mean = raised / raised.sum(axis=1, keepdims=True)
            own = exp(
                sum(
                    lgamma(value_pseudocount * len(row))
                    - lgamma(row.sum())
                    + sum(map(lgamma, row))
                    - len(row) * lgamma(value_pseudocount)
                    for row in raised
                )
            )
        codes = coded.codes[:, i].astype(int)
        known = codes < variable.n_values
        joint[known] *= mean.T[codes[known]]
        evidence *= own
    return joint, evidence


@pytest.mark.parametrize(
    ("prior", "of_values", "of_classes"), [("uniform", 1.0, 1.0), ("jeffreys", 0.5, 5.5)]
)
def test_predictions_are_averages_over_all_partitions(prior, of_values, of_classes):
    table, kinds = drawn(25)
    model = NaiveBayes(prior=prior, numeric="average", schema=SCHEMA).fit(table, kinds)
    new, _ = drawn(30, seed=1)
    coded = model._encoded(new)
    joint, evidence = joint_by_partitions(model, coded, of_values, of_classes)
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(new)), joint, rtol=1e-10)
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(new), expected, rtol=0, atol=1e-10)
    assert model.code_length_ == pytest.approx(-log(evidence), abs=1e-9)


def test_rows_one_after_the_other_cost_the_code_length():
    table, kinds = drawn(20)
    model = NaiveBayes(numeric="average", schema=SCHEMA)
    cost = 0.0
    for row in range(20):
        one = {name: column[row : row + 1] for name, column in table.items()}
        if row:
            cost -= model.predict_joint_log_proba(one)[0, ["a", "b", "never"].index(kinds[row])]
        model.partial_fit(one, kinds[row : row + 1])
        if not row:
            cost = model.code_length_
    assert cost == pytest.approx(model.code_length_, abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_leaving_out_is_refitting(weighted):
    table, kinds = drawn(40)
    weights = np.random.default_rng(1).choice([0.5, 1.0, 2.0, 3.7], 40) if weighted else None
    model = NaiveBayes(numeric="average", missing="value").fit(table, kinds, weights)
    left_out = model.leave_one_out(table, kinds, weights)
    assert [variable.kind for variable in model.schema_.variables] == ["interval", "category", "interval"]
    for row in range(40):
        fewer = np.ones(40) if weights is None else weights.copy()
        fewer[row] -= fewer[row] / max(1, int(fewer[row]))
        again = NaiveBayes(numeric="average", schema=model.schema_).fit(table, kinds, fewer)
        one = {name: column[row : row + 1] for name, column in table.items()}
        expected = again.predict_log_proba(one)[0]
        np.testing.assert_allclose(left_out.log_probs[row], expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("weight", [100, 500, 1e12])
def test_leaving_one_of_many_copies_out(weight):
    """The weight of every partition changes a little, however far apart the weights are."""
    table, kinds = drawn(30)
    model = NaiveBayes(numeric="average").fit(table, kinds, np.full(30, float(weight)))
    left_out = model.leave_one_out(table, kinds, np.full(30, float(weight)))
    for row in range(0, 30, 7):
        fewer = np.full(30, float(weight))
        fewer[row] -= max(1.0, weight / 1e9)
        again = NaiveBayes(numeric="average", schema=model.schema_).fit(table, kinds, fewer)
        expected = again.predict_log_proba({name: column[row : row + 1] for name, column in table.items()})
        np.testing.assert_allclose(left_out.log_probs[row], expected[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("pseudocount", [1e-9, 1e-3, 1e9])
def test_what_was_negligible_may_count_once_a_row_is_left_out(pseudocount):
    """Under tiny pseudocounts the only row of an interval decides which intervals are merged."""
    sizes = np.repeat([1.0, 2.0, 3.0, 4.0], [30, 1, 1, 30])
    kinds = np.repeat(["a", "a", "b", "b"], [30, 1, 1, 30])
    schema = Schema([interval_variable("size", [1.5, 2.5, 3.5])], Variable("kind", ("a", "b")))
    prior = Prior(1.0, pseudocount)
    model = NaiveBayes(numeric="average", prior=prior, schema=schema).fit({"size": sizes}, kinds)
    left_out = model.leave_one_out({"size": sizes}, kinds)
    for row in (0, 30, 31, 61):
        others = np.arange(62) != row
        again = NaiveBayes(numeric="average", prior=prior, schema=schema)
        again.fit({"size": sizes[others]}, kinds[others])
        expected = again.predict_log_proba({"size": sizes[row : row + 1]})
        np.testing.assert_allclose(left_out.log_probs[row], expected[0], rtol=1e-9, atol=1e-9)


def test_leaving_out_without_categories_and_without_numbers():
    table, kinds = drawn(15)
    for names in (["size", "age"], ["colour"]):
        some = {name: table[name] for name in names}
        model = NaiveBayes(numeric="average").fit(some, kinds)
        left_out = model.leave_one_out(some, kinds)
        fewer = {name: column[1:] for name, column in some.items()}
        again = NaiveBayes(numeric="average", schema=model.schema_).fit(fewer, kinds[1:])
        expected = again.predict_log_proba({name: column[:1] for name, column in some.items()})
        np.testing.assert_allclose(left_out.log_probs[:1], expected, rtol=0, atol=1e-10)


def test_rows_that_were_not_counted_cannot_be_left_out():
    table, kinds = drawn(30)
    model = NaiveBayes(numeric="average").fit(table, kinds)
    other = {name: column.copy() for name, column in table.items()}
    sizes = other["size"]
    low = np.nanmin(sizes[kinds == "a"])
    sizes[np.flatnonzero(kinds == "b")[0]] = low - 1
    with pytest.raises(DataError, match="not among the rows that were counted"):
        model.leave_one_out(other, kinds)


def test_contributions_add_up():
    table, kinds = drawn(40)
    model = NaiveBayes(numeric="average").fit(table, kinds)
    explanation = model.explain(table)
    total = explanation.intercept + explanation.contributions.sum(axis=1)
    log_probs = model.predict_log_proba(table)
    np.testing.assert_allclose(total, log_probs - log_probs[:, :1], rtol=0, atol=1e-10)


def test_weights_are_repeated_rows():
    table, kinds = drawn(40)
    repeats = np.random.default_rng(0).integers(0, 4, 40)
    repeated = {name: column.repeat(repeats) for name, column in table.items()}
    weighted = NaiveBayes(numeric="average").fit(table, kinds, repeats)
    other = NaiveBayes(numeric="average").fit(repeated, kinds.repeat(repeats))
    assert weighted.schema_ == other.schema_
    np.testing.assert_array_equal(weighted.predict_log_proba(table), other.predict_log_proba(table))


def test_batches_and_parts_are_counted_together(tmp_path):
    table, kinds = drawn(60)
    whole = NaiveBayes(numeric="average", schema=SCHEMA).fit(table, kinds)
    parts = [
        ({name: column[part] for name, column in table.items()}, kinds[part])
        for part in (slice(0, 25), slice(25, 60))
    ]
    batches = NaiveBayes(numeric="average", schema=SCHEMA)
    for rows, labels in parts:
        batches.partial_fit(rows, labels)
    merged = clone(whole).fit(*parts[0]).merge(clone(whole).fit(*parts[1]))
    whole.save(tmp_path / "model.json")
    expected = whole.predict_log_proba(table)
    for other in (batches, merged, load(tmp_path / "model.json")):
        np.testing.assert_array_equal(other.predict_log_proba(table), expected)
        np.testing.assert_array_equal(
            other.leave_one_out(table, kinds).log_probs, whole.leave_one_out(table, kinds).log_probs
        )


def test_columns_of_numbers_are_cut_finely():
    numbers = np.random.default_rng(0).normal(size=300)
    days = [date(2024, 1, 1) + timedelta(days=int(n)) for n in range(300)]
    table = {"number": numbers, "whole": np.arange(300) % 7, "day": days, "text": ["x", "y"] * 150}
    model = NaiveBayes(numeric="average").fit(table, (numbers > 0).astype(int))
    kinds = {variable.name: (variable.kind, variable.n_values) for variable in model.schema_.variables}
    assert kinds == {
        "number": ("interval", 20),
        "whole": ("interval", 7),
        "day": ("interval", 20),
        "text": ("category", 2),
    }
    assert infer_schema(table, numeric="average").variables[0].n_values == 20
    averaged, usual = (
        FittedNaiveBayes.reading(NaiveBayes(numeric=numeric).get_params()) for numeric in ("average", "auto")
    )
    assert averaged.cutting == FittedNaiveBayes.reading(model.get_params()).cutting != usual.cutting
    probs = model.predict_proba({"number": [-2.0, 2.0], "whole": [3, 3], "day": days[:2], "text": ["x", "x"]})
    assert probs[0, 0] > 0.9 < probs[1, 1]


def test_columns_that_say_nothing():
    table = {"constant": [1.5] * 6, "missing": [None] * 6, "number": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]}
    kinds = ["a", "a", "a", "b", "b", "b"]
    model = NaiveBayes(numeric="average").fit(table, kinds)
    alone = NaiveBayes(numeric="average").fit({"number": table["number"]}, kinds)
    expected = alone.predict_proba({"number": [1.0, 9.0]})
    found = model.predict_proba({"constant": [1.5, 7.0], "missing": [1, None], "number": [1.0, 9.0]})
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    nothing = model.predict_proba({"constant": [None], "missing": [None], "number": [None]})
    np.testing.assert_allclose(nothing, 0.5)


def test_averages_beat_five_intervals():
    """What the average is for: less is lost by where a column is cut. Mean over tables of numbers."""
    gains = []
    for name in ("glass", "diabetes", "wine", "iris"):
        table = as_table(datasets.load(name).table)
        models = {"five": NaiveBayes(numeric="discretize"), "average": NaiveBayes(numeric="average")}
        five, average = evaluate(table, models, n_folds=5)
        gains.append(average.log_score - five.log_score)
    assert np.mean(gains) > 0.02


def test_other_rules_models_and_selections_are_refused():
    table, kinds = drawn(20)
    for rule in ("map", "stochastic_complexity"):
        with pytest.raises(InvalidParameter, match="does not average over models"):
            NaiveBayes(rule, numeric="average").fit(table, kinds)
    NaiveBayes("indifferent", numeric="average").fit(table, kinds)
    with pytest.raises(InvalidParameter, match="select"):
        NaiveBayes(select="evidence", numeric="average").fit(table, kinds)
    for model in (MixtureClassifier(numeric="average"), ModelAverage(numeric="average")):
        with pytest.raises(InvalidParameter, match="does not average over intervals"):
            model.fit(table, kinds)
    with pytest.raises(InvalidParameter, match="does not average over intervals"):
        FiniteMixture(numeric="average").fit(table)


def test_priors_that_tell_intervals_apart_are_refused():
    table, kinds = drawn(20)
    model = NaiveBayes(prior=Prior(1, [[1, 1, 1, 1, 1, 2], 1, 1]), numeric="average", schema=SCHEMA)
    with pytest.raises(InvalidParameter, match=r"'size'.*same pseudocount"):
        model.fit(table, kinds)
    by_class = [[1] * 6, [1] * 6, [2] * 6]
    with pytest.raises(InvalidParameter, match=r"'size'.*same pseudocount"):
        model.set_params(prior=Prior(1, [by_class, 1, 1])).fit(table, kinds)
    for extreme in (1e-12, 1e12):
        with pytest.raises(InvalidParameter, match="between 1e-09 and 1e"):
            model.set_params(prior=Prior(1, extreme)).fit(table, kinds)
    model.set_params(prior=Prior(1, [1, [1, 2], 0.5])).fit(table, kinds)


@pytest.mark.parametrize("pseudocount", [1e-9, 1e9])
def test_extreme_priors_leave_distributions(pseudocount):
    table, kinds = drawn(30)
    model = NaiveBayes(prior=Prior(1, pseudocount), numeric="average").fit(table, kinds)
    left_out = model.leave_one_out(table, kinds).log_probs
    for log_probs in (model.predict_log_proba(table), left_out):
        assert np.isfinite(log_probs).all()
        np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1, atol=1e-12)


def test_too_many_intervals_are_refused():
    schema = Schema((interval_variable("x", range(2000)),), Variable("y", ("a", "b")))
    with pytest.raises(InvalidParameter, match="2,001 intervals"):
        NaiveBayes(numeric="average", schema=schema).fit({"x": [1, 2]}, ["a", "b"])


def test_command_line(run, tmp_path):  # noqa: F811
    path = tmp_path / "t.csv"
    generator = np.random.default_rng(0)
    rows = [f"{x:.3f},{'yes' if x + generator.normal() > 0 else 'no'}" for x in generator.normal(size=60)]
    path.write_text("\n".join(["x,y", *rows]))
    call = [
        "fit",
        path,
        "-t",
        "y",
        "--model",
        "naive-bayes",
        "--numeric",
        "average",
        "-o",
        tmp_path / "m.json",
    ]
    code, _, err = run(*call)
    assert code == 0, err
    model = load(tmp_path / "m.json")
    assert model.schema_.variables[0].n_values == 20
    assert run("predict", tmp_path / "m.json", path)[0] == 0
    code, _, err = run(*call, "--rule", "map")
    assert code != 0
    assert "does not average over models" in err


def test_weights_that_leave_no_partition_are_refused():
    rows, labels = np.arange(40.0)[:, None], np.array(list("pq") * 20)
    model = NaiveBayes(numeric="average")
    assert model.fit(rows, labels, sample_weight=np.full(40, 1e12)).n_features_in_ == 1
    with pytest.raises(DataError, match=r"weights of the rows are too large.*divide them"):
        model.fit(rows, labels, sample_weight=np.full(40, 1e20))
