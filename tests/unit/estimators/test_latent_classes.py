"""What a latent class model says about itself: comparison, trust, local fit, remarks."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import softmax

from codelength import FiniteMixture, datasets, load, read_table
from codelength._display import as_text
from codelength.errors import DataError, DoubtfulFit, InvalidParameter
from codelength.estimators._latent_summary import remarks_of
from codelength.selection.comparison import ON_REQUEST

QUICK = {"n_init": 5, "random_state": 0}


@pytest.fixture(scope="module")
def zoo():
    return FiniteMixture(random_state=0, max_components=5, patience=9).fit(
        datasets.load("zoo", backend="columns").frame
    )


def words(model, **options):
    return " ".join(as_text(model.summary(**options)).split())


class TestComparison:
    def test_rows_are_dicts_and_columns_are_lists(self, zoo):
        table = zoo.comparison_
        assert [row["components"] for row in table] == table["components"] == [1, 2, 3, 4, 5]
        assert table[3] == table.of(4)
        assert table[-1]["components"] == 5
        assert table.columns == tuple(table[0])
        assert [row["chosen"] for row in table].index(True) == zoo.n_components_ - 1
        with pytest.raises(InvalidParameter, match="column='gini'"):
            table["gini"]
        with pytest.raises(InvalidParameter, match="n_components=9: compared were 1, 2, 3, 4, 5"):
            table.of(9)

    def test_frames_are_made_of_it(self, zoo):
        frame = pd.DataFrame(zoo.comparison_)
        assert frame.shape == (5, len(zoo.comparison_.columns))
        assert frame["bic"].tolist() == zoo.comparison_["bic"]
        assert pl.DataFrame(list(zoo.comparison_))["aic"].to_list() == zoo.comparison_["aic"]

    def test_figures_belong_together(self, zoo):
        for row in zoo.comparison_:
            assert row["aic"] == pytest.approx(-2 * row["log_likelihood"] + 2 * row["parameters"])
            assert row["icl"] >= row["bic"] - 1e-9
            assert row["cheeseman_stutz"] == zoo.criterion_path_[row["components"]]
            assert 1 <= row["reached"] <= row["starts"]
        lengths = -np.array(zoo.comparison_["cheeseman_stutz"])
        np.testing.assert_allclose(zoo.comparison_["posterior"], softmax(lengths), rtol=1e-9)
        assert zoo.comparison_.posterior_by == "cheeseman_stutz"

    def test_log_likelihoods_rise(self, zoo):
        assert (np.diff(zoo.comparison_["log_likelihood"]) > 0).all()

    @pytest.mark.parametrize("n_components", [1, 3])
    def test_one_class_is_always_compared(self, n_components):
        model = FiniteMixture(n_components, **QUICK).fit(datasets.load("zoo", backend="columns").frame)
        assert model.comparison_["components"] == sorted({1, n_components})
        assert model.n_components_ == n_components
        assert set(model.criterion_path_) == {n_components}

    @pytest.mark.parametrize("criterion", ["bic", "aic", "cheeseman_stutz_soft"])
    def test_any_criterion_may_choose(self, criterion):
        model = FiniteMixture(criterion=criterion, max_components=3, **QUICK).fit({"a": ["x", "y"] * 9})
        table = model.comparison_
        scale = 1 if criterion == "cheeseman_stutz_soft" else 2
        assert [length / scale for length in table[criterion]] == pytest.approx(
            list(model.criterion_path_.values())
        )
        assert table.posterior_by == ("cheeseman_stutz" if criterion == "aic" else criterion)
        assert sum(table["posterior"]) == pytest.approx(1)

    def test_criteria_on_request(self):
        table = {"a": ["x", "y"] * 4, "b": ["u", "v"] * 4, "c": ["p", "p", "q", "q"] * 2}
        model = FiniteMixture(max_components=3, patience=3, **QUICK).fit(table)
        found = model.compare()
        assert set(ON_REQUEST) <= set(found.columns)
        assert found.posterior_by == "exact"
        for row in found:
            size = row["components"]
            assert row["exact"] <= row["neighbourhoods"] + 1e-9
            assert row["annealed"] == pytest.approx(row["exact"], abs=0.3)
            assert row["annealed_se"] >= 0
            if size == model.n_components_:
                assert row["exact"] == pytest.approx(model.code_length("exact"), rel=1e-12)
        assert found.seconds.keys() == set(ON_REQUEST)
        assert "took" in str(found)
        assert model.compare("annealed")["annealed"] == found["annealed"]
        told = []
        model.compare(["exact"], report=lambda done, total: told.append((done, total)))
        assert told == [(1, 3), (2, 3), (3, 3)]
        assert "exact" in words(model, comparison=found)
        with pytest.raises(InvalidParameter, match="criteria='mdl'"):
            model.compare("mdl")

    def test_what_cannot_be_computed_is_told_with_its_cost(self, zoo):
        found = zoo.compare("exact")
        assert found["exact"][1:] == [None] * 4
        assert "would take about" in found.notes["exact"]
        assert found.notes["exact"].count(" classes: ") == 4
        assert found.posterior_by == "cheeseman_stutz"
        weighted = FiniteMixture(1, **QUICK).fit({"a": ["x", "y", "x"]}, sample_weight=[0.5, 1, 1])
        assert "not whole numbers" in weighted.compare("annealed").notes["annealed"]


class TestTrust:
    def test_starts_are_told(self, zoo):
        trust = zoo.trust_
        row = zoo.comparison_.of(zoo.n_components_)
        assert (trust.n_reached, trust.n_starts) == (row["reached"], row["starts"])
        assert trust.log_likelihood == pytest.approx(row["log_likelihood"], abs=1e-9)
        assert trust.next_best is None or trust.next_best < trust.log_likelihood
        assert trust.is_enough
        assert len(zoo._fitted.restarts.runs) == trust.n_starts
        assert f"{trust.n_reached} of {trust.n_starts} (log posterior within 0.01)" in words(zoo)

    def test_a_cap_that_is_met_is_told(self):
        rng = np.random.default_rng(0)
        model = FiniteMixture(8, n_init=3, max_init=4, random_state=0).fit(rng.integers(0, 3, (200, 8)))
        assert model.trust_.n_starts == 4
        assert not model.trust_.is_enough
        assert "few starts reached the best solution" in words(model)
        assert "raise max_init" in words(model)

    def test_results_do_not_change_from_run_to_run(self):
        slides = read_table(Path(__file__).parents[2] / "golden" / "data" / "lca" / "carcinoma.csv")
        ends = [FiniteMixture(4, random_state=seed).fit(slides).trust_.log_likelihood for seed in range(6)]
        assert max(ends) - min(ends) < 1e-6

    def test_what_is_not_identified_is_told(self):
        rng = np.random.default_rng(0)
        with pytest.warns(DoubtfulFit, match=r"3 classes: the profiles are not identified.* rank 13 for 14"):
            model = FiniteMixture(3, **QUICK).fit(rng.integers(0, 2, (300, 4)))
        assert model.identifiability_.is_identified is False
        assert "Warning: this model is not identified." in words(model)
        assert model._summary_document()["identifiability"]["rank"] == 13


class TestSummary:
    def test_sections_come_in_the_order_of_the_checklist(self, zoo):
        shown = as_text(zoo.summary())
        headings = [
            "Observed data",
            "Model and estimation",
            "Fit of all models",
            "Fit and classification of the chosen model",
            "Classes",
            "Variables",
        ]
        places = [shown.index(f"{heading}\n") for heading in headings]
        assert places == sorted(places)

    def test_pairs_that_break_independence_are_named(self):
        rng = np.random.default_rng(0)
        classes = rng.random(600) < 0.5
        rows = {f"q{i}": np.where(rng.random(600) < 0.2, ~classes, classes) for i in range(6)}
        rows["copy"] = np.where(rng.random(600) < 0.5, rows["q2"], rows["q3"])
        model = FiniteMixture(2, **QUICK).fit(rows)
        worst = model.residuals_.pairs()[0]
        assert "copy" in (worst["first"], worst["second"])
        assert f"{worst['first']} and {worst['second']}" in words(model)

    def test_classification_is_shown(self, zoo):
        assert zoo.classification_.table.sum() == pytest.approx(101)
        assert "assigned to" in words(zoo)
        np.testing.assert_array_equal(
            zoo.classification_.n_assigned, np.bincount(zoo.labels_, minlength=zoo.n_components_)
        )

    def test_a_file_keeps_what_the_summary_says(self, zoo, tmp_path):
        zoo.save(tmp_path / "zoo.json")
        again = load(tmp_path / "zoo.json")
        assert as_text(again.summary()) == as_text(zoo.summary())
        assert again.comparison_.to_json() == zoo.comparison_.to_json()
        assert again.trust_ == zoo.trust_
        assert again.residuals_.pairs() == zoo.residuals_.pairs()
        with pytest.raises(DataError, match="training rows are not kept"):
            again.compare()

    def test_documents_are_json(self, zoo):
        document = zoo._summary_document()
        again = json.loads(json.dumps(document, allow_nan=False))
        assert (again["kind"], again.keys()) == ("finite-mixture", document.keys())


class TestOrder:
    def test_classes_can_be_put_into_another_order(self, zoo, tmp_path):
        order = [2, 0, 3, 1, *range(4, zoo.n_components_)]
        other = zoo.reordered(order)
        frame = datasets.load("zoo", backend="columns").frame
        np.testing.assert_array_equal(other.predict_proba(frame), zoo.predict_proba(frame)[:, order])
        np.testing.assert_array_equal(other.memberships_, zoo.memberships_[:, order])
        np.testing.assert_array_equal(
            other.classification_.average_posterior, zoo.classification_.average_posterior[order]
        )
        assert other.comparison_["bic"] == zoo.comparison_["bic"]
        assert other.code_length("bic") == pytest.approx(zoo.code_length("bic"), rel=1e-12)
        assert other.profile_table()[1]["class_1"] == zoo.profile_table()[1]["class_3"]
        other.save(tmp_path / "other.json")
        again = load(tmp_path / "other.json")
        np.testing.assert_array_equal(again.predict_proba(frame), other.predict_proba(frame))
        assert as_text(again.summary()) == as_text(other.summary())

    @pytest.mark.parametrize("order", [[0], [0, 0, 1, 2], [1, 2, 3, 4], "0123", None, [0.0, 1.0, 2.0, 3.0]])
    def test_orders_that_are_none(self, zoo, order):
        with pytest.raises(InvalidParameter, match="order"):
            zoo.reordered(order)


class TestRemarks:
    def test_missing_cells_are_kept_and_told(self):
        table = {"a": ["x", None, "y", "x"] * 5, "b": ["u", None, None, "v"] * 5}
        model = FiniteMixture(1, **QUICK).fit(table)
        seen = model._fitted.observed
        assert (seen.n_used, seen.n_incomplete, seen.n_blank) == (20, 10, 5)
        assert len(model.labels_) == 20
        told = words(model)
        assert "37.5 % of the cells, in 10 rows (50.0 %); most in b 50.0 %, a 25.0 %" in told
        assert "rows dropped none" in told
        assert "5 rows without a single value: kept" in told

    def test_constant_columns(self):
        model = FiniteMixture(2, **QUICK).fit(
            {"same": ["a"] * 8, "other": ["x", "y"] * 4, "more": list("uv") * 4, "third": list("pq") * 4}
        )
        assert any("Only one value in same" in remark for remark in remarks_of(model._fitted))

    @pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
    def test_identifiers_do_not_have_one_value_only(self):
        table = {"id": [f"row {n}" for n in range(40)]} | {name: ["x", "y"] * 20 for name in "abc"}
        model = FiniteMixture(2, **QUICK).fit(table)
        assert model._fitted.observed.constant == ()

    def test_weights_of_zero(self):
        table = {"a": ["x", "y", "x", "y"], "b": ["u", "v", "v", "u"]}
        model = FiniteMixture(1, **QUICK).fit(table, sample_weight=[1, 1, 0, 2])
        assert any(
            "1 row of weight zero: predicted, but not learned from" in told
            for told in remarks_of(model._fitted)
        )
        assert len(model.labels_) == 4
        assert "3 of 4, which stand for 4" in words(model)
        with pytest.raises(DataError, match="all weights are zero; at least one row must count"):
            FiniteMixture(1, **QUICK).fit(table, sample_weight=[0, 0, 0, 0])

    def test_more_classes_than_distinct_rows(self):
        with pytest.warns(DoubtfulFit, match="n_components=4: there are only 2 distinct rows"):
            FiniteMixture(4, **QUICK).fit({"a": ["x", "y"] * 5, "b": ["u", "v"] * 5})

    def test_a_choice_at_the_end_of_the_search(self):
        table = {name: ["x", "y", "z"] * 8 for name in "abcd"}
        short, long = (FiniteMixture(max_components=most, **QUICK).fit(table) for most in (2, 5))
        assert any(
            "The largest number of classes that was tried, 2," in told for told in remarks_of(short._fitted)
        )
        assert long.n_components_ == 3
        assert not any("largest number" in told for told in remarks_of(long._fitted))

    def test_empty_classes(self):
        """Equal rows: EM leaves shares as they fell, but where a class has none it is told."""
        model = FiniteMixture(2, **QUICK).fit({name: ["x", "y"] * 20 for name in "abc"})
        mixture = model.parameters_
        state = model._fitted
        emptied = type(mixture)(mixture.schema, np.array([1.0, 0.0]), mixture.value_probs)
        object.__setattr__(state, "mixture", emptied)
        del vars(state)["identifiability"]  # what was computed before
        assert any(
            "Class 2: less than half a row" in told and "take 1 class." in told
            for told in remarks_of(model._fitted)
        )
        assert model.identifiability_.is_identified is False

    def test_a_class_of_a_third_of_a_row(self):
        table = {name: ["x", "y", "z"] for name in "abc"}
        model = FiniteMixture(3, **QUICK).fit(table, sample_weight=[10, 9, 0.3])
        told = "Class 3: less than half a row, so its profile means nothing; take 2 classes."
        assert told in remarks_of(model._fitted)
        assert told in words(model)

    def test_rows_without_a_single_value_alone(self):
        model = FiniteMixture(2, **QUICK).fit({name: ["x", "y", None] for name in "abc"})
        np.testing.assert_allclose(model.memberships_[2], model.parameters_.class_probs)
