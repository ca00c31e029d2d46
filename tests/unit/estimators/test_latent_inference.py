"""What a fitted mixture tells about its uncertainty: every method from Python, in one line each."""

from pathlib import Path

import numpy as np
import pytest

from codelength import FiniteMixture, load, read_table
from codelength.errors import DataError, InvalidParameter
from codelength.latent.inference import standard_errors

CHEATING = Path(__file__).parents[2] / "golden" / "data" / "lca" / "cheating.csv"


@pytest.fixture(scope="module")
def table():
    return read_table(CHEATING)


@pytest.fixture(scope="module")
def gpa(table):
    return np.asarray(table.column("GPA").numbers, dtype=np.float64)


@pytest.fixture(scope="module")
def model(table):
    return FiniteMixture(2, random_state=0).fit(table.drop(["GPA"]))


def test_standard_errors_and_intervals_are_those_of_the_layer_below(model):
    errors = model.standard_errors()
    below = standard_errors(model._fitted.training, model.parameters_)
    assert np.array_equal(errors.value_errors, below.value_errors, equal_nan=True)
    low, high = model.intervals().of("FRAUD")
    assert ((low < model.parameters_.of("FRAUD")) & (model.parameters_.of("FRAUD") < high)).all()
    narrow = model.intervals(level=0.5).of("FRAUD")
    assert (narrow[0] > low).all()
    assert model.standard_errors("empirical").method == "empirical information"
    assert model.standard_errors(strata=np.arange(319) % 2).method == "sandwich with strata"
    with pytest.raises(DataError, match='clusters and strata need kind="sandwich"'):
        model.standard_errors("observed", strata=np.arange(319) % 2)
    with pytest.raises(InvalidParameter, match="kind='wald'"):
        model.intervals("wald")


@pytest.mark.parametrize("kind", ["nonparametric", "parametric", "posterior"])
def test_intervals_of_draws_are_the_same_again_and_need_no_seed(kind, model):
    first, second = (model.intervals(kind, n_replications=30) for _ in range(2))
    assert np.array_equal(first.value_bounds, second.value_bounds, equal_nan=True)
    assert kind.partition(" ")[0] in first.method


def test_relative_weights_give_sandwiches_by_default(table):
    weights = np.random.default_rng(0).uniform(100, 300, 319)
    model = FiniteMixture(2, weighting="relative", random_state=0).fit(
        table.drop(["GPA"]), sample_weight=weights
    )
    assert model.standard_errors().method == "sandwich"
    assert model.bootstrap(5).n_replications == 5


def test_relations_take_columns_of_the_training_rows(model, gpa):
    covariate = model.relate_covariates({"GPA": gpa})
    assert (covariate.n_used, covariate.n_left_out) == (315, 4)
    plain = model.relate_covariates({"GPA": gpa}, first_step=False)
    assert (covariate.errors[1] > plain.errors[1]).all()
    means = model.relate_outcome(gpa)
    assert means.name == "outcome"
    assert means.estimates.shape == (2, 1)
    cells = [None if np.isnan(x) else str(int(x)) for x in gpa]
    assert model.relate_outcome(cells).estimates.shape == (2, 5)
    assert model.relate_outcome(gpa, "ml", rule="proportional").n_used == 315
    one = model.covariate_model({"GPA": gpa}, kind="empirical")
    assert one.log_likelihood == pytest.approx(-429.638384, abs=1e-6)
    profile = model.inactive_profiles({"GPA": gpa})["GPA"]
    assert profile.n_left_out == 4
    with pytest.raises(DataError, match="outcome='GPA': give the column itself"):
        model.relate_outcome("GPA")


def test_the_bootstrap_test_is_that_of_the_number_of_classes(model):
    found = model.likelihood_ratio_test(n_replications=19, n_init=3)
    assert found.n_components == 2
    assert found.p_value == 0.05
    assert model.likelihood_ratio_test(3, n_replications=2, n_init=2).n_components == 3


def test_a_model_from_a_file_takes_its_rows_again(model, table, gpa, tmp_path):
    model.save(tmp_path / "model.json")
    again, rows = load(tmp_path / "model.json"), table.drop(["GPA"])
    with pytest.raises(DataError, match="pass them as X="):
        again.standard_errors()
    expected = model.standard_errors().value_errors
    assert again.standard_errors(X=rows).value_errors == pytest.approx(expected, nan_ok=True)
    assert again.relate_outcome(gpa, X=rows).estimates == pytest.approx(model.relate_outcome(gpa).estimates)
