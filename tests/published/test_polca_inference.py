"""Standard errors and the covariate model against poLCA 1.6.0.2; see ``golden/data/lca/README.md``.

poLCA inverts the empirical information, and prints 0 for estimates on the boundary.
"""

from pathlib import Path

import numpy as np
import pytest

from codelength import read_table
from codelength.latent.inference import standard_errors
from codelength.latent.relations import covariate_matrix, fit_covariates
from codelength.mixture import fit_mixture
from codelength.sources import as_coded, as_table

TABLES = Path(__file__).parents[1] / "golden" / "data" / "lca"

SHARE_ERRORS = {"carcinoma": 0.046336, "cheating": 0.079171, "values": 0.056143}
"""Standard error of the shares of two classes."""

ERRORS = {
    "carcinoma": {
        "A": (0.883498, 0.045092, 0.0, 0.0),
        "B": (0.645633, 0.082835, 0.016908, 0.017064),
        "C": (1.0, 0.0, 0.239133, 0.058870),
        "D": (1.0, 0.0, 0.458939, 0.072024),
        "E": (0.777079, 0.068093, 0.021363, 0.021634),
        "F": (1.0, 0.0, 0.577296, 0.070781),
        "G": (0.883498, 0.051517, 0.0, 0.0),
    },
    "cheating": {
        "LIEEXAM": (0.983385, 0.029411, 0.423063, 0.187276),
        "LIEPAPER": (0.970772, 0.031184, 0.410911, 0.182396),
        "FRAUD": (0.962903, 0.015163, 0.783952, 0.087976),
        "COPYEXAM": (0.818050, 0.026435, 0.623637, 0.100299),
    },
    "values": {
        "A": (0.286412, 0.039300, 0.006807, 0.025393),
        "B": (0.670381, 0.048946, 0.060236, 0.064914),
        "C": (0.645984, 0.048209, 0.073469, 0.064175),
        "D": (0.867628, 0.037907, 0.230868, 0.092879),
    },
}
"""Probability of the first value and its standard error, in the first and in the second class of poLCA."""


def fitted(name):
    coded = as_coded(read_table(TABLES / f"{name}.csv", drop=["GPA"] if name == "cheating" else []))
    mixture, _ = fit_mixture(coded, 2, random_state=0)
    first, figures = next(iter(ERRORS[name].items()))
    start = int(np.argmin(np.abs(mixture.of(first)[:, 0] - figures[0])))
    return coded, mixture.permuted([start, 1 - start])


@pytest.mark.parametrize("name", ERRORS)
def test_empirical_standard_errors_are_those_of_polca(name):
    coded, mixture = fitted(name)
    errors = standard_errors(coded, mixture, "empirical")
    assert errors.class_errors == pytest.approx([SHARE_ERRORS[name]] * 2, rel=1e-3)
    for variable, (p, of_p, q, of_q) in ERRORS[name].items():
        assert mixture.of(variable)[:, 0] == pytest.approx([p, q], abs=2e-5)
        for k, error in enumerate((of_p, of_q)):
            found = errors.of_variable(variable)[k, 0]
            if error == 0:
                cell = mixture.schema.offsets[mixture.schema.position(variable)]
                assert np.isnan(found)
                assert errors.coordinates.value_boundary[k, cell]
            else:
                assert found == pytest.approx(error, rel=1e-3)


@pytest.mark.parametrize("name", ERRORS)
def test_the_three_kinds_of_information_agree_within_chance(name):
    coded, mixture = fitted(name)
    empirical = standard_errors(coded, mixture, "empirical")
    for kind in ("observed", "expected"):
        other = standard_errors(coded, mixture, kind)
        inner = np.isfinite(empirical.value_errors)
        assert np.array_equal(inner, np.isfinite(other.value_errors))
        assert other.value_errors[inner] == pytest.approx(empirical.value_errors[inner], rel=0.35)


def test_the_covariate_model_is_that_of_polca():
    """cheating ~ GPA: log-likelihood, parameters, coefficients and standard errors, rows used."""
    table = read_table(TABLES / "cheating.csv")
    coded, mixture = fitted("cheating")
    design = covariate_matrix(as_table({"GPA": table.column("GPA").cells}))
    model = fit_covariates(coded, mixture, design, kind="empirical", reference=1)
    assert model.converged
    assert model.log_likelihood == pytest.approx(-429.638384, abs=1e-6)
    assert model.n_parameters == 10
    assert (model.relation.n_used, model.relation.n_left_out) == (315, 4)
    assert model.relation.coefficients[0] == pytest.approx([-0.113421, 0.842485], abs=2e-5)
    assert model.relation.errors[0] == pytest.approx([0.509917, 0.281315], rel=1e-4)
