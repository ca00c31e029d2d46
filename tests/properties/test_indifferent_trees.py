"""What forests and averages by evidence do not depend on: names, order, and how rows are written."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength import EvidenceAverage, IndifferentTrees, NaiveBayes
from codelength.research import OnVariables
from codelength.table import Coded, Schema

FORESTS = [{}, {"forest": "best"}, {"forest": [("x0", "x1")], "law": "uniform"}]


@st.composite
def tables(draw):
    """A coded table of two to four variables, some cells without a value."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=2, max_size=4))
    n_classes, n_rows = draw(st.integers(2, 3)), draw(st.integers(0, 12))
    rows = st.tuples(*(st.integers(0, size) for size in sizes))
    codes = draw(st.lists(rows, min_size=n_rows, max_size=n_rows))
    labels = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_rows, max_size=n_rows))
    return Coded.of(
        Schema.from_sizes(sizes, n_classes=n_classes), np.array(codes).reshape(n_rows, len(sizes)), labels
    )


def every_row(schema):
    """All rows there can be, those with missing cells among them."""
    grid = np.meshgrid(*(np.arange(size + 1) for size in schema.n_values), indexing="ij")
    return Coded.of(schema, np.stack([axis.ravel() for axis in grid], axis=1))


def predicted(model, coded, rows):
    model._fit_coded(coded)
    return np.exp(model._fitted.log_probs(rows).log_probs), model.code_length_


@pytest.mark.parametrize("options", FORESTS, ids=str)
@settings(max_examples=15, deadline=None)
@given(table=tables(), seed=st.integers(0, 2**32))
def test_names_of_values_order_of_rows_and_weights_do_not_matter(options, table, seed):
    rng, rows = np.random.default_rng(seed), every_row(table.schema)
    probs, length = predicted(IndifferentTrees(**options), table, rows)
    np.testing.assert_allclose(probs.sum(axis=1), 1.0, atol=1e-12)

    def renamed(coded):
        codes = coded.codes.astype(np.int64)
        columns = [np.append(order, size)[codes[:, i]] for i, (order, size) in enumerate(orders)]
        return Coded.of(coded.schema, np.stack(columns, axis=1), coded.class_codes)

    orders = [(rng.permutation(size), size) for size in table.schema.n_values.tolist()]
    shuffled = renamed(table.take(rng.permutation(table.n_rows)))
    again, same_length = predicted(IndifferentTrees(**options), shuffled, renamed(rows))
    assert same_length == pytest.approx(length, rel=1e-9, abs=1e-9)
    if options.get("forest") != "best":  # of equally good forests the order of the schema chooses
        np.testing.assert_allclose(again, probs, rtol=1e-8)
    weighed, weighed_length = predicted(IndifferentTrees(**options), table.distinct(), rows)
    assert weighed_length == pytest.approx(length, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(weighed, probs, rtol=1e-8)


@settings(max_examples=15, deadline=None)
@given(table=tables(), seed=st.integers(0, 2**32))
def test_all_forests_do_not_ask_in_which_order_variables_stand(table, seed):
    order = np.random.default_rng(seed).permutation(table.schema.n_variables).tolist()
    rows = every_row(table.schema)
    probs, length = predicted(IndifferentTrees(), table, rows)
    again, same_length = predicted(IndifferentTrees(), table.select(order), rows.select(order))
    assert same_length == pytest.approx(length, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(again, probs, rtol=1e-8)


@settings(max_examples=15, deadline=None)
@given(table=tables())
def test_an_average_by_evidence_is_between_its_models_whatever_their_order(table):
    models = [NaiveBayes(), OnVariables(NaiveBayes("indifferent"), ("x1",)), IndifferentTrees("best")]
    rows = every_row(table.schema)
    average = EvidenceAverage(models)
    probs, length = predicted(average, table, rows)
    again, same_length = predicted(EvidenceAverage(models[::-1]), table, rows)
    assert same_length == pytest.approx(length, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(again, probs, rtol=1e-10)
    lengths = [model["code_length"] for model in average.models_]
    assert min(lengths) - 1e-9 <= length <= min(lengths) + np.log(len(models)) + 1e-9
    each = [
        np.exp(EvidenceAverage([model])._fit_coded(table)._fitted.log_probs(rows).log_probs)
        for model in models
    ]
    assert (probs >= np.min(each, axis=0) - 1e-12).all()
    assert (probs <= np.max(each, axis=0) + 1e-12).all()
