"""Covariates in one step: a maximum of the likelihood, with the curvature that is there."""

import math

import numpy as np
import pytest

from codelength import Schema
from codelength.errors import DataError, InvalidParameter
from codelength.latent.inference import standard_errors
from codelength.latent.relations import covariate_matrix, fit_covariates
from codelength.mixture import fit_mixture
from codelength.sources import as_table
from codelength.table import Coded


def simulated(n_rows=150, seed=0):
    """Two classes, four variables of two values; the class depends on z."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n_rows)
    second = rng.random(n_rows) < 1 / (1 + np.exp(-z))
    probs = np.where(second[:, None], [0.8, 0.75, 0.2, 0.7], [0.2, 0.3, 0.7, 0.15])
    codes = (rng.random((n_rows, 4)) < probs).astype(np.uint8)
    codes[::17, 1] = 2
    return Coded.of(Schema.from_sizes([2] * 4), codes), z


def log_likelihood(coded, z, theta):
    """By plain loops: logits of the value 1 in each class and variable, then intercept and slope."""
    probs = [[1 / (1 + math.exp(-x)) for x in theta[4 * k : 4 * k + 4]] for k in range(2)]
    total = 0.0
    for row, own in zip(coded.codes.tolist(), z, strict=True):
        share = 1 / (1 + math.exp(-theta[8] - theta[9] * own))
        joint = [1 - share, share]
        for k in range(2):
            for code, p in zip(row, probs[k], strict=True):
                joint[k] *= (1 - p, p, 1.0)[code]
        total += math.log(sum(joint))
    return total


def test_it_ends_at_a_maximum_with_the_curvature_of_plain_differences():
    coded, z = simulated()
    start, _ = fit_mixture(coded, 2, random_state=0)
    model = fit_covariates(coded, start, covariate_matrix(as_table({"z": z})))
    ones = np.array([model.mixture.of(i)[:, 1] for i in range(4)]).T
    theta = np.append(np.log(ones / (1 - ones)).ravel(), model.relation.coefficients[1])
    assert log_likelihood(coded, z, theta) == pytest.approx(model.log_likelihood, abs=1e-8)
    width, n = 1e-3, len(theta)
    hessian = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            corners = []
            for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                there = theta.copy()
                there[i] += a * width
                there[j] += b * width
                corners.append(log_likelihood(coded, z, there))
            hessian[i, j] = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * width**2)
    covariance = np.linalg.inv(-hessian)
    errors = np.sqrt(np.diagonal(covariance))
    assert model.relation.errors[1] == pytest.approx(errors[8:], rel=1e-3)
    expected = (errors[:8] * (ones * (1 - ones)).ravel()).reshape(2, 4)
    found = np.array([model.value_errors[:, start.schema.offsets[i] + 1] for i in range(4)]).T
    assert found == pytest.approx(expected, rel=1e-3)


def test_a_covariate_without_effect_leaves_the_mixture_where_it_was():
    coded, _ = simulated(400, 1)
    start, info = fit_mixture(coded, 2, random_state=0)
    both = coded.take(np.tile(np.arange(400), 2))
    z = np.repeat([0.0, 1.0], 400)
    model = fit_covariates(both, start, covariate_matrix(as_table({"z": z})))
    assert model.log_likelihood == pytest.approx(2 * info.runs[info.best].log_likelihood, abs=1e-6)
    assert model.relation.coefficients[1, 1] == pytest.approx(0, abs=1e-5)
    assert model.relation.tests["z"].p_value > 0.99
    assert model.mixture.class_probs == pytest.approx(start.class_probs, abs=1e-4)
    plain = standard_errors(both, start)
    inner = np.isfinite(plain.value_errors)
    assert model.value_errors[inner] == pytest.approx(plain.value_errors[inner], rel=0.02)


def test_weights_are_repeated_rows():
    coded, z = simulated(80, 2)
    start, _ = fit_mixture(coded, 2, random_state=0)
    weights = np.arange(80) % 3
    heavy = Coded.of(coded.schema, coded.codes, weights=weights)
    repeated = np.repeat(np.arange(80), weights)
    first = fit_covariates(heavy, start, covariate_matrix(as_table({"z": z})))
    second = fit_covariates(coded.take(repeated), start, covariate_matrix(as_table({"z": z[repeated]})))
    assert first.log_likelihood == pytest.approx(second.log_likelihood, abs=1e-7)
    assert first.relation.errors == pytest.approx(second.relation.errors, rel=1e-6)
    assert "free parameters" in str(first)


def test_bad_input_is_told():
    coded, z = simulated(40, 3)
    start, _ = fit_mixture(coded, 2, random_state=0)
    design = covariate_matrix(as_table({"z": z}))
    with pytest.raises(DataError, match="covariates: 40 rows, and the mixture was fitted to 39"):
        fit_covariates(coded.take(np.arange(39)), start, design)
    with pytest.raises(InvalidParameter, match="reference=2: expected one of at least two classes"):
        fit_covariates(coded, start, design, reference=2)
    with pytest.raises(InvalidParameter, match="kind='expected'"):
        fit_covariates(coded, start, design, kind="expected")
    with pytest.raises(DataError, match="one of them follows from the others"):
        fit_covariates(coded, start, covariate_matrix(as_table({"a": z, "b": -z})))
    light = Coded.of(coded.schema, coded.codes, weights=np.where(np.arange(40) < 39, 0, 1))
    gap = covariate_matrix(as_table({"z": np.where(np.arange(40) < 39, z, np.nan)}))
    with pytest.raises(DataError, match="missing in every row"):
        fit_covariates(light, start, gap)


def test_values_that_are_all_on_the_boundary_have_no_standard_errors():
    """Each class has one value of each variable: nothing is left to estimate but the shares."""
    coded = Coded.of(Schema.from_sizes([2] * 3), [[0, 0, 0], [1, 1, 1]] * 20)
    mixture, _ = fit_mixture(coded, 2, random_state=0)
    z = np.random.default_rng(0).normal(size=40)
    model = fit_covariates(coded, mixture, covariate_matrix(as_table({"z": z})))
    assert np.isnan(model.value_errors).all()
    assert np.isfinite(model.relation.errors).all()
