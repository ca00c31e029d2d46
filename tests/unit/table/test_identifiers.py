"""Columns that cannot predict: identifiers and free text are left out, and it is said that they are."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from codelength import FiniteMixture, NaiveBayes, Schema, Variable, load
from codelength.errors import DataError, DoubtfulFit, IgnoredColumn, InvalidParameter
from codelength.sources import as_coded
from codelength.table import infer_schema

N = 300
CLASSES = ["yes", "no", "no"] * (N // 3)
TABLE = {"id": [f"u{n}" for n in range(N)], "size": ["s", "m", "l"] * (N // 3)}
SIZE = {"size": TABLE["size"]}


def quietly(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredColumn)
        warnings.simplefilter("ignore", DoubtfulFit)
        return function()


class TestTheRule:
    def test_nearly_every_value_is_distinct(self):
        match = r"column 'id': 300 distinct values in 300 cells.*left out.*drop"
        with pytest.warns(IgnoredColumn, match=match):
            schema = infer_schema(TABLE)
        assert schema.variables[0].kind == "ignored"
        assert schema.variables[0].values == ("any",)
        assert "300 distinct values in 300 cells" in schema.variables[0].origin
        assert "left out" in str(schema)

    @pytest.mark.parametrize(
        ("n_distinct", "n_cells", "ignored"),
        [(20, 20, False), (21, 21, True), (40, 80, False), (41, 81, True)],
    )
    def test_more_than_twenty_and_more_than_half(self, n_distinct, n_cells, ignored):
        cells = [f"v{n % n_distinct}" for n in range(n_cells)]
        variable = quietly(lambda: infer_schema({"c": [*cells, *[None] * 100]})).variables[0]
        assert (variable.kind == "ignored") == ignored

    def test_declared_domains_are_never_left_out(self):
        for column in (
            pd.Series(TABLE["id"], dtype="category"),
            pl.Series(TABLE["id"], dtype=pl.Enum(TABLE["id"])),
        ):
            assert infer_schema({"id": column}).n_values.tolist() == [N]
        schema = infer_schema(TABLE, identifiers="keep")
        assert NaiveBayes(schema=schema).fit(TABLE, CLASSES).schema_.n_values.tolist() == [N, 3]

    def test_numbers_are_no_identifiers(self):
        assert infer_schema({"id": np.arange(N)}).variables[0].kind == "interval"
        assert infer_schema({"id": np.arange(N)}, numeric="category").variables[0].n_values == N

    def test_it_is_said_once_for_all_columns(self):
        table = {f"c{i}": [f"{i} {n}" for n in range(30)] for i in range(20)}
        with pytest.warns(IgnoredColumn) as told:
            infer_schema(table)
        assert len(told) == 1
        assert "column 'c0': 30 distinct values" in str(told[0].message)
        assert "'c1', 'c2'" in str(told[0].message)
        assert len(str(told[0].message)) < 600

    def test_refused_or_kept(self):
        with pytest.raises(DataError, match=r"column 'id': 300 distinct.*drop it.*identifiers=\"keep\""):
            infer_schema(TABLE, identifiers="error")
        assert infer_schema(TABLE, identifiers="keep").variables[0].n_values == N
        with pytest.raises(InvalidParameter, match="identifiers='drop': expected one of 'ignore'"):
            infer_schema(TABLE, identifiers="drop")

    def test_a_batch_of_a_file_is_judged_by_its_own_rows(self, tmp_path):
        from codelength.sources.readers import read_batches

        texts = [f"v{n % 400}" for n in range(2000)]
        pl.DataFrame({"c": texts}).write_csv(tmp_path / "t.csv")
        first, _ = next(read_batches(tmp_path / "t.csv", 1000))
        assert infer_schema(first).variables[0].kind == "category"


class TestModels:
    @pytest.mark.parametrize(
        ("rule", "prior"),
        [
            *(("evidence", prior) for prior in ("uniform", "jeffreys", "indifferent", 20.0)),
            *(("map", prior) for prior in ("uniform", 20.0)),
            ("stochastic_complexity", "uniform"),
            ("indifferent", "uniform"),
        ],
    )
    def test_what_is_left_out_says_nothing(self, rule, prior):
        model = quietly(lambda: NaiveBayes(rule, prior).fit(TABLE, CLASSES))
        alone = NaiveBayes(rule, prior).fit(SIZE, CLASSES)
        np.testing.assert_allclose(model.predict_proba(TABLE), alone.predict_proba(SIZE), rtol=1e-12)
        assert model.evidence_code_length_ == pytest.approx(alone.evidence_code_length_, rel=1e-12)
        np.testing.assert_allclose(
            model.leave_one_out(TABLE, CLASSES).log_probs,
            alone.leave_one_out(SIZE, CLASSES).log_probs,
            rtol=1e-12,
        )

    def test_the_same_columns_predict_and_so_do_those_without_it(self):
        model = quietly(lambda: NaiveBayes().fit(TABLE, CLASSES))
        expected = model.predict_proba(TABLE)
        for new in (SIZE, TABLE | {"id": [None] * N}, TABLE | {"id": np.arange(N) / 7}, pl.DataFrame(TABLE)):
            np.testing.assert_array_equal(model.predict_proba(new), expected)
        assert model.unseen(TABLE | {"id": ["other"] * N}) == {}

    def test_arrays_keep_their_width(self):
        rows = np.column_stack([TABLE["id"], TABLE["size"]])
        model = quietly(lambda: NaiveBayes().fit(rows, CLASSES))
        assert model.n_features_in_ == 2
        assert model.predict(rows[:5]).shape == (5,)

    def test_mixtures_and_variables_that_are_chosen(self):
        mixture = quietly(lambda: FiniteMixture(2, n_init=2, random_state=0).fit(TABLE))
        assert "id" not in mixture.impute(TABLE | {"id": [None] * N})
        chosen = quietly(lambda: NaiveBayes(select="evidence").fit(TABLE, CLASSES))
        assert chosen.selection_.names == ("size",)

    def test_a_file_remembers(self, tmp_path):
        model = quietly(lambda: NaiveBayes().fit(TABLE, CLASSES))
        model.save(tmp_path / "model.json")
        again = load(tmp_path / "model.json")
        assert again.schema_ == model.schema_
        np.testing.assert_array_equal(again.predict_proba(TABLE), model.predict_proba(TABLE))

    @pytest.mark.parametrize("estimator", [NaiveBayes, FiniteMixture])
    def test_they_can_be_refused(self, estimator):
        with pytest.raises(DataError, match="column 'id'"):
            estimator(identifiers="error").fit(TABLE, CLASSES)

    def test_the_warning_points_at_the_caller(self):
        with pytest.warns(IgnoredColumn) as told:
            NaiveBayes().fit(TABLE, CLASSES)
        assert told[0].filename == __file__

    def test_codes_of_any_table(self):
        assert quietly(lambda: as_coded(TABLE)).codes[:, 0].tolist() == [0] * N


def test_an_ignored_variable_has_one_value():
    with pytest.raises(InvalidParameter, match="an ignored variable has one"):
        Variable("a", ("x", "y"), "ignored")
    schema = Schema([Variable("a", ("any",), "ignored")])
    assert Schema.from_json(schema.to_json()) == schema
