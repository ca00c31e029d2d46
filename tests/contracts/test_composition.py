"""What a scikit-learn user composes with: pipelines, searches, calibration, routing, threads of joblib."""

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib.externals.loky import get_reusable_executor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

from codelength import Discretizer, NaiveBayes, Schema, datasets
from codelength.datasets import load
from codelength.table import infer_schema


@pytest.fixture(scope="module")
def zoo():
    table = load("zoo", backend="pandas")
    return table.frame, table.target


def test_grid_search_over_rules_and_priors(zoo):
    grid = {"rule": ["evidence", "stochastic_complexity", "indifferent"], "prior": ["uniform", 1.0, 5.0]}
    search = GridSearchCV(NaiveBayes(), grid, scoring="neg_log_loss", cv=3).fit(*zoo)
    assert search.best_params_["rule"] in grid["rule"]
    assert search.best_score_ > -0.5


def test_a_pipeline_with_the_discretizer_equals_the_built_in_intervals():
    table = load("iris", backend="pandas")
    pipeline = make_pipeline(Discretizer(output="label"), NaiveBayes(numeric="error"))
    apart = pipeline.fit(table.frame, table.target).predict_proba(table.frame)
    inside = NaiveBayes(numeric="discretize").fit(table.frame, table.target).predict_proba(table.frame)
    np.testing.assert_allclose(apart, inside, rtol=1e-12)


def test_a_column_transformer_on_a_mixed_table():
    table = load("hepatitis", backend="pandas")
    to_intervals = make_column_transformer(
        (Discretizer("mdl"), make_column_selector(dtype_include="number")),
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    scores = cross_val_score(make_pipeline(to_intervals, NaiveBayes()), table.frame, table.target, cv=5)
    assert scores.mean() > 0.75


def test_cuts_that_know_the_classes_are_honest_in_a_pipeline_and_called_optimistic_elsewhere():
    """Columns of noise: cut once from all rows they seem to predict, cut again in every fold they do not."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 1000)), rng.integers(0, 2, 300)
    cuts = Discretizer("mdl").fit(X, y)
    model = NaiveBayes().fit(cuts.transform(X), y)
    fresh = np.log(model.predict_proba(cuts.transform(rng.normal(size=(5000, 1000)))))
    seeming = model.leave_one_out(cuts.transform(X), y).log_score
    pipeline = make_pipeline(Discretizer("mdl"), NaiveBayes())
    honest = cross_val_score(pipeline, X, y, cv=3, scoring="neg_log_loss").mean()
    chance = -np.log(2)
    assert seeming > chance + 0.05
    assert honest < chance
    # Whatever the classes of fresh rows are, both are as probable.
    assert fresh.mean() < chance
    for described in (Discretizer.__doc__, NaiveBayes.leave_one_out.__doc__):
        assert "optimistic" in described


def test_leave_one_out_is_what_cross_validation_does(zoo):
    """The closed form against scikit-learn's refits; the declared domains keep the alphabet the same."""
    X, y = zoo
    model = NaiveBayes().fit(X, y)
    features = Schema(model.schema_.variables)
    refits = cross_val_predict(
        NaiveBayes(schema=features), X, y, cv=LeaveOneOut(), method="predict_log_proba"
    )
    np.testing.assert_allclose(model.leave_one_out(X, y).log_probs, refits, rtol=1e-10)


def test_calibration_and_permutation_importance(zoo):
    X, y = zoo
    milk = (X["milk"] == "1").to_numpy()
    calibrated = CalibratedClassifierCV(NaiveBayes(), cv=3).fit(X.drop(columns="milk"), milk)
    assert calibrated.score(X.drop(columns="milk"), milk) > 0.9
    model = NaiveBayes().fit(X, y)
    importance = permutation_importance(model, X, y, n_repeats=2, random_state=0).importances_mean
    assert importance.shape == (X.shape[1],)


def test_weights_are_routed(zoo):
    X, y = zoo
    weights = np.arange(len(y)) % 3 + 1.0
    with sklearn.config_context(enable_metadata_routing=True):
        model = NaiveBayes().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"prior": [1.0]}, cv=2).fit(X, y, sample_weight=weights)
    expected = NaiveBayes(prior=1.0).fit(X, y, sample_weight=weights)
    assert search.best_estimator_.counts_ == expected.counts_


def test_workers_of_joblib_agree(zoo):
    X, y = zoo
    model = NaiveBayes().fit(X, y)
    parts = joblib.Parallel(n_jobs=2)(joblib.delayed(model.predict_proba)(X) for _ in range(2))
    np.testing.assert_array_equal(parts[0], parts[1])
    np.testing.assert_array_equal(parts[0], model.predict_proba(X))
    get_reusable_executor().shutdown()


def test_a_model_shows_itself_in_a_notebook(zoo):
    assert "NaiveBayes" in NaiveBayes().fit(*zoo)._repr_html_()


def test_a_frame_predicts_as_it_was_fitted_whatever_its_index(zoo):
    X, y = zoo
    model = NaiveBayes().fit(X, y)
    shuffled = X.sample(frac=1, random_state=0)
    expected = pd.DataFrame(model.predict_proba(X), index=X.index).loc[shuffled.index]
    np.testing.assert_array_equal(model.predict_proba(shuffled), expected.to_numpy())


def test_every_bundled_table_can_be_fitted_and_explained():
    for name in datasets.names():
        table = load(name, backend="columns")
        few = {column: cells[:200] for column, cells in table.frame.items()}
        model = NaiveBayes(numeric="auto", identifiers="keep").fit(table.frame, table.target)
        explanation = model.explain(few)
        log_probs = model.predict_log_proba(few)
        np.testing.assert_allclose(explanation.log_odds, log_probs - log_probs[:, :1], atol=1e-9)


def test_no_column_of_a_bundled_table_is_left_out_or_taken_for_times():
    """The experiments rest on them: their domains are declared, and what is declared stays."""
    for name in datasets.names():
        for numeric in ("auto", "discretize"):
            schema = infer_schema(load(name, backend="columns").table, numeric=numeric)
            assert all(variable.kind != "ignored" for variable in schema.variables), name
            assert all(variable.scale == "number" for variable in schema.variables), name
