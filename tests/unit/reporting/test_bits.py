"""Bits about the class, against plain loops and against the classifier itself."""

import math

import numpy as np
import pytest

from codelength import NaiveBayes
from codelength.counts import count
from codelength.reporting import bits
from codelength.reporting.bits import bits_alone
from codelength.reporting.sections.variables import bits_given_others, most_by_chance, variable_facts
from codelength.sources import as_coded, as_table


def random_table(seed, n_rows=40, n_classes=3):
    """A table with missing cells, in which the second column tells something."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, n_classes, n_rows)
    columns = {
        "noise": rng.integers(0, 3, n_rows).astype(str).tolist(),
        "sign": (classes + rng.integers(0, 2, n_rows)).astype(str).tolist(),
        "constant": ["a"] * n_rows,
        "gone": [None] * n_rows,
        "number": rng.normal(classes, 1).tolist(),
    }
    for name in ("noise", "number"):
        columns[name] = [None if rng.random() < 0.2 else cell for cell in columns[name]]
    return as_table(columns, [f"c{k}" for k in classes])


def left_out_bits(values, labels, n_values, n_classes):
    """Log2 probability of each row's class from the other rows: one variable, or none if values are None."""
    found = []
    for row in range(len(labels)):
        others = [i for i in range(len(labels)) if i != row]
        weights = []
        for k in range(n_classes):
            own = [i for i in others if labels[i] == k]
            weight = len(own) + 1
            if values is not None and values[row] < n_values:
                known = [i for i in own if values[i] < n_values]
                same = sum(values[i] == values[row] for i in known)
                weight *= (same + 1) / (len(known) + n_values)
            weights.append(weight)
        found.append(math.log2(weights[labels[row]] / sum(weights)))
    return np.array(found)


@pytest.mark.parametrize("seed", [0, 1])
def test_bits_alone_are_those_of_a_plain_loop(seed):
    coded = as_coded(random_table(seed))
    labels = coded.class_codes.tolist()
    prior = left_out_bits(None, labels, 0, 3)
    means, errors = bits_alone(count(coded))
    for i, variable in enumerate(coded.schema.variables):
        gains = left_out_bits(coded.codes[:, i].tolist(), labels, variable.n_values, 3) - prior
        assert means[i] == pytest.approx(gains.mean(), abs=1e-12)
        assert errors[i] == pytest.approx(gains.std(ddof=1) / math.sqrt(len(gains)), abs=1e-12)


def test_blocks_of_variables_give_the_same_bits(monkeypatch):
    counts = count(as_coded(random_table(2)))
    whole = bits_alone(counts)
    monkeypatch.setattr(bits, "MAX_CELLS", 10)
    assert len(bits.blocks_of(counts)) > 2
    for one, other in zip(bits_alone(counts), whole, strict=True):
        assert one == pytest.approx(other, abs=1e-14)


def test_bits_given_the_others_are_what_the_classifier_loses_without_a_variable():
    coded = as_coded(random_table(3))
    n_variables = coded.schema.n_variables
    whole = NaiveBayes()._fit_coded(coded)._fitted.left_out(coded).true_log_probs
    found = bits_given_others(coded, count(coded), list(range(n_variables)), 0)
    for i in range(n_variables):
        rest = coded.select([j for j in range(n_variables) if j != i])
        without = NaiveBayes()._fit_coded(rest)._fitted.left_out(rest).true_log_probs
        lost = (whole - without) / math.log(2)
        assert found[i].value == pytest.approx(lost.mean(), abs=1e-12)
        assert found[i].standard_error == pytest.approx(lost.std(ddof=1) / math.sqrt(len(lost)), abs=1e-12)


def test_facts_of_variables_come_strongest_first_and_those_ignored_last():
    table = random_table(4, n_rows=60)
    names = [f"name {i}" for i in range(60)]
    table = as_table(
        {column.name: column.cells for column in table.columns} | {"id": names}, table.target.cells
    )
    with pytest.warns(UserWarning, match="identifiers"):
        coded = as_coded(table)
    facts = variable_facts(table, coded, count(coded), 0)
    assert [fact.name for fact in facts[-2:]] == ["gone", "id"]
    assert all(fact.kind == "ignored" and fact.bits_alone is None and not fact.profile for fact in facts[-2:])
    assert facts[-2].how == "every cell is missing"
    assert "look like identifiers" in facts[-1].how
    alone = [fact.bits_alone.value for fact in facts[:-2]]
    assert alone == sorted(alone, reverse=True)
    by_name = {fact.name: fact for fact in facts}
    assert by_name["number"].kind == "numbers in intervals"
    assert by_name["sign"].kind == "categories"
    assert by_name["constant"].bits_alone.value == pytest.approx(0, abs=1e-15)
    assert by_name["noise"].n_missing == np.count_nonzero(table.column("noise").missing)


def test_a_profile_is_the_prediction_from_one_value():
    table = random_table(5)
    coded = as_coded(table)
    facts = {fact.name: fact for fact in variable_facts(table, coded, count(coded), 0)}
    for name in ("noise", "number"):
        alone = coded.select([coded.schema.position(name)])
        n_values = alone.schema.variables[0].n_values
        model = NaiveBayes()._fit_coded(alone)
        codes = alone.codes[:, 0].tolist()
        for value, profile in enumerate(facts[name].profile):
            assert profile.n_rows == codes.count(value)
            row = codes.index(value)
            expected = np.exp(model._fitted.log_probs(alone.take(np.array([row]))).log_probs[0])
            assert profile.class_probs == pytest.approx(expected, abs=1e-12)
        assert len(facts[name].profile) == n_values


def test_chance_alone_gives_the_strongest_of_many_variables_some_bits():
    rng = np.random.default_rng(6)
    labels = rng.integers(0, 2, 60)
    noise = as_coded(as_table(rng.integers(0, 2, (60, 200)), labels))
    strongest = bits_alone(count(noise))[0].max()
    by_chance = most_by_chance(noise, 0)
    assert by_chance == most_by_chance(noise, 0)
    assert 0.5 * strongest < by_chance < 2 * strongest
    told = as_coded(as_table(np.column_stack([labels, labels]), labels))
    assert most_by_chance(told, 0) < 0.2 < bits_alone(count(told))[0].max()
    assert most_by_chance(told.select([]), 0) == 0


def test_long_profiles_keep_the_most_frequent_values():
    values = [f"v{i:03}" for i in range(100) for _ in range(3 if i >= 90 else 2)]
    table = as_table({"x": values}, ["a", "b"] * (len(values) // 2))
    coded = as_coded(table)
    [fact] = variable_facts(table, coded, count(coded), 0)
    labels = [value.label for value in fact.profile]
    assert len(labels) == 50 < fact.n_values
    assert labels == sorted(labels)
    assert {f"v{i:03}" for i in range(90, 100)} <= set(labels)
