"""Mixtures of tables of any size are those of the same tables in memory."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength import FiniteMixture, load
from codelength.errors import DataError, Infeasible, InvalidParameter, SchemaMismatch
from codelength.estimators._latent_summary import remarks_of
from codelength.latent.inference import StandardErrors
from codelength.mixture.cache import gathering
from codelength.sources import as_table

pa = pytest.importorskip("pyarrow")
N_ROWS = 400
ON_DISK = {"memory": 1}
QUICK = {"n_init": 2, "reached": 1, "max_components": 3, "tol": 1e-6, "random_state": 3}


@pytest.fixture(autouse=True)
def _small_runs(monkeypatch):
    monkeypatch.setattr(gathering, "LEAST_SORTED", 64)
    monkeypatch.setattr(gathering, "LEAST_HELD", 16)


@pytest.fixture(scope="module")
def frame():
    """Text, missing cells, numbers to be cut, and weights of which some are zero."""
    generator = np.random.default_rng(0)
    group = generator.integers(0, 2, N_ROWS)
    drawn = {
        f"q{i}": np.where(generator.random(N_ROWS) < 0.7, (group + i) % 3, generator.integers(0, 3, N_ROWS))
        for i in range(5)
    }
    table = pd.DataFrame(drawn).map(lambda code: ("no", "maybe", "yes, ünd"[:8])[code])
    table["q1"] = table["q1"].where(generator.random(N_ROWS) > 0.1)
    table["length"] = generator.normal(3.0 * group).round(2)
    table["weight"] = generator.integers(0, 4, N_ROWS)
    return table


@pytest.fixture(scope="module")
def in_memory(frame):
    return FiniteMixture(**QUICK).fit(frame.drop(columns="weight"), sample_weight=frame["weight"])


def check_same(model, expected):
    """Everything that was learned, to the last bit."""
    assert model.schema_ == expected.schema_
    assert model.criterion_path_ == expected.criterion_path_
    assert list(model.comparison_) == list(expected.comparison_)
    assert np.array_equal(model.parameters_.class_probs, expected.parameters_.class_probs)
    assert np.array_equal(model.parameters_.value_probs, expected.parameters_.value_probs)
    assert np.array_equal(model.classification_.table, expected.classification_.table)
    assert np.array_equal(model.residuals_.values, expected.residuals_.values, equal_nan=True)
    assert model._fitted.observed == expected._fitted.observed
    assert model.trust_ == expected.trust_
    assert remarks_of(model._fitted) == remarks_of(expected._fitted)


@pytest.mark.parametrize("options", [{}, ON_DISK])
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "reader", "csv", "parquet"])
def test_every_source_gives_the_same_mixture(frame, in_memory, tmp_path, kind, options):
    arrow = pa.Table.from_pandas(frame)
    source = {
        "pandas": lambda: frame,
        "polars": lambda: pl.from_pandas(frame).lazy(),
        "arrow": lambda: arrow,
        "reader": lambda: arrow.to_reader(50),
        "csv": lambda: tmp_path / "table.csv",
        "parquet": lambda: tmp_path / "table.parquet",
    }[kind]()
    if kind == "csv":
        frame.to_csv(source, index=False)
    elif kind == "parquet":
        frame.to_parquet(source, row_group_size=90)
    check_same(FiniteMixture(**QUICK).fit_table(source, weights="weight", **options), in_memory)


@settings(max_examples=6)
@given(batch_rows=st.integers(1, N_ROWS + 1), memory=st.sampled_from([1, 3000, 1 << 29]))
def test_batches_of_any_size_give_the_same_mixture(frame, in_memory, batch_rows, memory):
    model = FiniteMixture(**QUICK)
    check_same(model.fit_table(frame, weights="weight", batch_rows=batch_rows, memory=memory), in_memory)


def test_columns_are_left_out_and_progress_is_told(frame):
    seen = []
    expected = FiniteMixture(2, **QUICK).fit(frame[["q0", "q1", "q2"]])
    model = FiniteMixture(2, **QUICK).fit_table(
        frame, drop=["q3", "q4", "length", "weight"], batch_rows=150, progress=seen.append
    )
    check_same(model, expected)
    # Without numbers to be cut there are two passes.
    assert seen == [150, 150, 100] * 2
    check_same(FiniteMixture(2, **QUICK).fit_table(frame, keep=["q0", "q1", "q2"]), expected)


def test_a_target_is_left_out(frame):
    rows = frame[["q0", "q1", "q2", "q3"]]
    expected = FiniteMixture(2, **QUICK).fit(rows, "q3")
    check_same(FiniteMixture(2, **QUICK).fit_table(rows, "q3"), expected)
    check_same(FiniteMixture(2, **QUICK).fit_table(as_table(rows, "q3")), expected)


@pytest.mark.parametrize("options", [{}, ON_DISK])
def test_a_schema_makes_one_pass_enough(frame, in_memory, options):
    columns = frame.drop(columns="weight")
    expected = FiniteMixture(2, schema=in_memory.schema_, **QUICK).fit(columns)
    seen = []
    model = FiniteMixture(2, schema=in_memory.schema_, **QUICK)
    model.fit_table(pa.Table.from_pandas(columns).to_reader(100), progress=seen.append, **options)
    assert sum(seen) == N_ROWS
    check_same(model, expected)


@pytest.mark.parametrize("options", [{}, ON_DISK])
def test_relative_weights(frame, options):
    """The mean of all weights is known at the end only, so that the last digits may differ."""
    table = frame.assign(weight=frame["weight"] * 0.37)
    settings = QUICK | {"weighting": "relative"}
    expected = FiniteMixture(2, **settings).fit(table.drop(columns="weight"), sample_weight=table["weight"])
    model = FiniteMixture(2, **settings).fit_table(table, weights="weight", **options)
    assert model.criterion_path_ == pytest.approx(expected.criterion_path_, rel=1e-12)
    assert model.parameters_.value_probs == pytest.approx(expected.parameters_.value_probs, abs=1e-9)
    assert model._fitted.observed.total_weight == pytest.approx(
        expected._fitted.observed.total_weight, rel=1e-12
    )


@pytest.mark.parametrize("options", [{}, ON_DISK])
def test_predictions_come_in_batches(frame, in_memory, options):
    model = FiniteMixture(**QUICK).fit_table(frame, weights="weight", **options)
    batches = list(model.predict_table(frame, keep=["weight"], batch_rows=90))
    assert [batch.num_rows for batch in batches] == [90, 90, 90, 90, 40]
    found = pa.Table.from_batches(batches).to_pandas()
    n = model.n_components_
    assert list(found) == ["weight", "component", *(f"p_{k}" for k in range(1, n + 1))]
    expected = in_memory.predict_proba(frame.drop(columns="weight"))
    assert np.array_equal(found.iloc[:, 2:].to_numpy(), expected)
    assert found["component"].tolist() == (expected.argmax(axis=1) + 1).tolist()


def test_distinct_rows_serve_for_standard_errors(frame, in_memory):
    model = FiniteMixture(**QUICK).fit_table(frame, weights="weight")
    found, expected = model.standard_errors(), in_memory.standard_errors()
    assert isinstance(found, StandardErrors)
    assert found.value_errors == pytest.approx(expected.value_errors, rel=1e-9, nan_ok=True)
    assert model.code_length("bic") == in_memory.code_length("bic")
    with pytest.raises(AttributeError, match="use predict_table"):
        _ = model.labels_


def test_without_rows_methods_ask_for_some(frame, in_memory, tmp_path):
    model = FiniteMixture(**QUICK).fit_table(frame, weights="weight", **ON_DISK)
    n_distinct = model._fitted.observed.n_distinct
    with pytest.raises(DataError, match=rf"{n_distinct} distinct training rows .* pass them as X="):
        model.standard_errors()
    with pytest.raises(AttributeError, match=r"memberships_: .* more than memory="):
        _ = model.labels_
    given = model.standard_errors(X=frame.drop(columns="weight"), sample_weight=frame["weight"])
    assert given.value_errors == pytest.approx(in_memory.standard_errors().value_errors, nan_ok=True)
    assert "classes" in str(model.summary())
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert np.array_equal(again.parameters_.value_probs, model.parameters_.value_probs)


def test_what_takes_all_rows_is_refused_before_any_fit(frame):
    with pytest.raises(Infeasible, match=r'rule="evidence" predicts from all rows.*rule="map"'):
        FiniteMixture(rule="evidence", **QUICK).fit_table(frame, weights="weight", **ON_DISK)
    with pytest.raises(Infeasible, match=r'criterion="annealed" needs all rows.*cheeseman_stutz'):
        FiniteMixture(criterion="annealed", **QUICK).fit_table(frame, weights="weight", **ON_DISK)


def test_a_fit_that_fails_leaves_the_model_as_it_was(frame, in_memory):
    model = FiniteMixture(2, **QUICK).fit_table(frame, weights="weight")
    before = model.parameters_
    with pytest.raises(DataError, match="nothing"):
        model.fit_table(frame, weights="nothing")
    with pytest.raises(InvalidParameter, match="memory"):
        model.fit_table(frame, memory=0)
    weightless = frame.assign(weight=0)
    with pytest.raises(DataError, match="no rows that count"):
        model.fit_table(weightless, weights="weight")
    with pytest.raises(DataError, match="all 400 rows have weight zero"):
        FiniteMixture(schema=in_memory.schema_).fit_table(weightless, weights="weight")
    with pytest.raises(SchemaMismatch):
        FiniteMixture(schema=in_memory.schema_).fit_table(frame)
    assert model.parameters_ is before


def test_values_that_a_schema_does_not_list_are_told_once(frame, in_memory):
    strange = frame.drop(columns="weight").assign(q0="other")
    model = FiniteMixture(2, schema=in_memory.schema_, **QUICK)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit_table(strange, batch_rows=50)
    assert len([w for w in told if "q0" in str(w.message)]) == 1
    refusing = FiniteMixture(2, schema=in_memory.schema_, handle_unknown="error", **QUICK)
    with pytest.raises(DataError, match="other"):
        refusing.fit_table(strange)
