"""Three-step estimates against StepMix 3.0.0, a program nobody here wrote.

Two classes of three tables. The classes are fitted to some columns, and the variable outside is made of the
others: the GPA of ``cheating`` (315 rows have one), how many of the pathologists E, F and G saw a carcinoma,
and question D of ``values``. The larger class comes first. The numbers were made by :func:`stepmix_figures`:

    PYTHONPATH=tests/published python -c "import test_stepmix as t; print(t.stepmix_figures('values', 'bch'))"
"""

import warnings
from pathlib import Path

import numpy as np
import pytest

from codelength import read_table
from codelength.errors import DataError
from codelength.latent.relations import assign, covariate_matrix, relate_covariates, relate_outcome
from codelength.mixture import fit_mixture
from codelength.sources import as_coded, as_table

TABLES = Path(__file__).parents[1] / "golden" / "data" / "lca"

OUTSIDE = {"cheating": ["GPA"], "carcinoma": ["E", "F", "G"], "values": ["D"]}
"""Columns that the classes are not fitted to; their sum, counted from 1, is the variable outside."""

LOG_LIKELIHOODS = {"cheating": -438.25846644, "carcinoma": -209.95565373, "values": -393.88728411}

FIGURES = {
    ("cheating", "ml"): {
        "covariate": [-0.24165489, -0.70313475],
        "means": [2.51992109, 1.35423930],
        "probs": [
            [0.27404687, 0.32931848, 0.16330434, 0.12670231, 0.10662801],
            [0.54202495, 0.33450511, 0.09587757, 0.01086672, 0.01672566],
        ],
    },
    ("cheating", "bch"): {
        "covariate": [-0.2253275, -0.7143527],
        "means": [2.46254614, 1.62576277],
        "probs": [
            [0.27404686, 0.32931847, 0.16330434, 0.12670232, 0.10662801],
            [0.54202501, 0.33450514, 0.09587758, 0.01086661, 0.01672566],
        ],
    },
    ("carcinoma", "ml"): {
        "covariate": [6.44791135, -2.8157271],
        "means": [3.34660103, 1.29638621],
        "probs": [
            [0.0145606347, 0.0610503234, 0.525538660, 0.398850382],
            [0.778876549, 0.129670566, 0.0914528852, 0.0],
        ],
    },
    ("carcinoma", "bch"): {
        "covariate": [6.57805435, -2.86694222],
        "means": [3.30934939, 1.30997697],
        "probs": [
            [0.0145177365, 0.0609953934, 0.525106616, 0.399380254],
            [0.779629102, 0.129796105, 0.0915435088, 0.0],
        ],
    },
    # By ML a normal distribution collapses on one of the two values of D: StepMix has 1 and 2 for its means.
    ("values", "ml"): {
        "covariate": [-3.73454102, 2.6504643],
        "probs": [[0.90584554, 0.09415446], [0.40455238, 0.59544762]],
    },
    ("values", "bch"): {
        "covariate": [-3.73454166, 2.65046493],
        "means": [1.09415443, 1.59544767],
        "probs": [[0.90584557, 0.09415443], [0.40455233, 0.59544767]],
    },
}
"""Log odds of the second class (intercept, slope); means; probabilities of the values."""


def table_and_outside(name):
    table = read_table(TABLES / f"{name}.csv")
    columns = [table.column(outside) for outside in OUTSIDE[name]]
    kept = ~np.any([column.missing for column in columns], axis=0)
    total = sum(np.asarray(column.cells, dtype=np.float64)[kept] for column in columns)
    return table.take(kept).drop(OUTSIDE[name]), total - total.min() + 1


def own_figures(name, method):
    table, outside = table_and_outside(name)
    coded = as_coded(table)
    mixture, _ = fit_mixture(coded, 2, random_state=0)
    assignment = assign(coded, mixture.permuted(np.argsort(-mixture.class_probs)))
    as_column = as_table({"outside": outside})
    design = covariate_matrix(as_column)

    def probs():
        found = relate_outcome(assignment, as_column.columns[0], method, kind="categorical").estimates
        # BCH may go below 0, where StepMix cuts off.
        return np.maximum(found, 0)

    return {
        "covariate": lambda: relate_covariates(assignment, design, method).coefficients[1],
        "means": lambda: relate_outcome(assignment, as_column.columns[0], method).estimates[:, 0],
        "probs": probs,
    }


def stepmix(**options):
    from stepmix.stepmix import StepMix

    precise = {"n_init": 10, "max_iter": 20_000, "abs_tol": 1e-14, "rel_tol": 0, "random_state": 1}
    return StepMix(2, measurement="categorical", progress_bar=0, verbose=0, **precise, **options)


def stepmix_log_likelihood(name):
    rows = as_coded(table_and_outside(name)[0]).codes.astype(np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(stepmix().fit(rows).score(rows)) * len(rows)


def stepmix_figures(name, method):
    table, outside = table_and_outside(name)
    rows = as_coded(table).codes.astype(np.int64)

    def fit(structural, outcome, **params):
        three = {"n_steps": 3, "correction": method.upper(), "assignment": "modal"}
        model = stepmix(structural=structural, structural_params=params, **three)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(rows, outcome)
        return model.get_parameters()["structural"], np.argsort(-model.weights_)

    steps = {"max_iter": 1 if method == "ml" else 200, "tol": 1e-12}
    logit, order = fit("covariate", outside[:, None], method="newton-raphson", intercept=True, **steps)
    beta = logit["beta"][order]
    normal, by_size = fit("gaussian_diag", outside[:, None])
    values, largest_first = fit("categorical", outside[:, None].astype(np.int64) - 1)
    return {
        "covariate": beta[1] - beta[0],
        "means": normal["means"][by_size].ravel(),
        "probs": values["pis"][largest_first],
    }


@pytest.mark.parametrize("name", LOG_LIKELIHOODS)
def test_log_likelihoods_are_those_of_stepmix(name):
    _, info = fit_mixture(as_coded(table_and_outside(name)[0]), 2, random_state=0)
    assert info.runs[info.best].log_likelihood == pytest.approx(LOG_LIKELIHOODS[name], abs=1e-6)


@pytest.mark.parametrize(("name", "method"), FIGURES)
def test_three_step_estimates_are_those_of_stepmix(name, method):
    own = own_figures(name, method)
    for what, figures in FIGURES[name, method].items():
        assert own[what]() == pytest.approx(np.array(figures), abs=1e-4), what


def test_a_normal_distribution_that_would_collapse_is_refused():
    with pytest.raises(DataError, match=r"outcome 'outside': in class 2 it hardly varies.*bch"):
        own_figures("values", "ml")["means"]()


@pytest.mark.long
@pytest.mark.parametrize("name", LOG_LIKELIHOODS)
def test_stored_log_likelihoods_are_those_of_stepmix_where_it_is_installed(name):
    pytest.importorskip("stepmix")
    assert stepmix_log_likelihood(name) == pytest.approx(LOG_LIKELIHOODS[name], abs=1e-6)


@pytest.mark.long
@pytest.mark.parametrize(("name", "method"), FIGURES)
def test_stored_figures_are_those_of_stepmix_where_it_is_installed(name, method):
    pytest.importorskip("stepmix")
    found = stepmix_figures(name, method)
    for what, figures in FIGURES[name, method].items():
        assert found[what] == pytest.approx(np.array(figures), abs=1e-4), what
