"""Three-step estimates against StepMix 3.0.0, a program nobody here wrote.

Two classes of the 315 rows of ``cheating`` that have a GPA; the class of the honest comes first. The numbers
were made by :func:`stepmix_figures`, which runs again where StepMix is installed.
"""

import warnings
from pathlib import Path

import numpy as np
import pytest

from codelength import as_coded, as_table, read_table
from codelength.mixture import fit_mixture
from codelength.mixture.relations import assign, covariate_matrix, relate_covariates, relate_outcome

TABLE = Path(__file__).parents[1] / "golden" / "data" / "lca" / "cheating.csv"

FIGURES = {
    "ml": {
        "covariate": [-0.24165489, -0.70313475],
        "means": [2.51992109, 1.35423930],
        "probs": [
            [0.27404687, 0.32931848, 0.16330434, 0.12670231, 0.10662801],
            [0.54202495, 0.33450511, 0.09587757, 0.01086672, 0.01672566],
        ],
    },
    "bch": {
        "covariate": [-0.2253275, -0.7143527],
        "means": [2.46254614, 1.62576277],
        "probs": [
            [0.27404686, 0.32931847, 0.16330434, 0.12670232, 0.10662801],
            [0.54202501, 0.33450514, 0.09587758, 0.01086661, 0.01672566],
        ],
    },
}
"""Log odds of the second class (intercept, GPA); means of GPA; probabilities of its five values."""


def table_and_gpa():
    table = read_table(TABLE)
    table = table.take(~table.column("GPA").missing)
    return table.drop(["GPA"]), np.asarray(table.column("GPA").cells, dtype=np.float64)


def own_figures(method):
    table, gpa = table_and_gpa()
    coded = as_coded(table)
    mixture, _ = fit_mixture(coded, 2, random_state=0)
    assignment = assign(coded, mixture.permuted(np.argsort(-mixture.class_probs)))
    column = as_table({"GPA": gpa}).columns[0]
    return {
        "covariate": relate_covariates(
            assignment, covariate_matrix(as_table({"GPA": gpa})), method
        ).coefficients[1],
        "means": relate_outcome(assignment, column, method).estimates[:, 0],
        "probs": relate_outcome(assignment, column, method, kind="categorical").estimates,
    }


def stepmix_figures(method):
    from stepmix.stepmix import StepMix

    table, gpa = table_and_gpa()
    rows = as_coded(table).codes.astype(np.int64)

    def fit(structural, outcome, **options):
        model = StepMix(
            2,
            n_steps=3,
            correction=method.upper(),
            assignment="modal",
            measurement="categorical",
            structural=structural,
            structural_params=options,
            n_init=10,
            max_iter=20_000,
            abs_tol=1e-14,
            rel_tol=0,
            random_state=1,
            progress_bar=0,
            verbose=0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(rows, outcome)
        return model.get_parameters()["structural"], np.argsort(-model.weights_)

    steps = {"max_iter": 1 if method == "ml" else 200, "tol": 1e-12}
    logit, order = fit("covariate", gpa[:, None], method="newton-raphson", intercept=True, **steps)
    beta = logit["beta"][order]
    normal, by_size = fit("gaussian_diag", gpa[:, None])
    values, largest_first = fit("categorical", gpa[:, None].astype(np.int64) - 1)
    return {
        "covariate": beta[1] - beta[0],
        "means": normal["means"][by_size].ravel(),
        "probs": values["pis"][largest_first],
    }


@pytest.mark.parametrize("method", FIGURES)
def test_three_step_estimates_are_those_of_stepmix(method):
    for name, found in own_figures(method).items():
        assert found == pytest.approx(np.array(FIGURES[method][name]), abs=1e-4), name


@pytest.mark.long
@pytest.mark.parametrize("method", FIGURES)
def test_stored_figures_are_those_of_stepmix_where_it_is_installed(method):
    pytest.importorskip("stepmix")
    for name, found in stepmix_figures(method).items():
        assert found == pytest.approx(np.array(FIGURES[method][name]), abs=1e-4), name
