"""Intervals hold the truth as often as they say, and the bootstrap test rejects as often as it says.

Minutes each; the figures are in ``docs/reference/latent-classes.md``. ``-s`` prints them.
"""

import numpy as np
import pytest

from codelength.latent.inference import (
    align,
    bootstrap,
    design_standard_errors,
    likelihood_ratio_test,
    posterior_sample,
    standard_errors,
    with_profile_bounds,
)
from codelength.latent.inference.bootstrap import draw_rows
from codelength.latent.relations import assign, covariate_matrix, relate_covariates, relate_outcome
from codelength.mixture import fit_mixture
from codelength.mixture.parameters import MixtureParameters
from codelength.sources import as_table
from codelength.table import Coded
from latent_truth import truth

N_TABLES, N_ROWS = 500, 500

KINDS = ("observed", "empirical", "expected", "sandwich", "nonparametric", "parametric", "posterior")


def intervals_of(kind, coded, mixture, seed):
    match kind:
        case "nonparametric" | "parametric":
            return bootstrap(coded, mixture, kind, n_replications=200, random_state=seed).intervals()
        case "posterior":
            return posterior_sample(coded, mixture, n_draws=250, n_warmup=100, random_state=seed).intervals()
        case "sandwich":
            plain = design_standard_errors(coded, mixture).intervals()
        case _:
            plain = standard_errors(coded, mixture, kind).intervals()
    return with_profile_bounds(coded, plain)


def hits(intervals, mixture):
    """Whether each interval holds the truth: those of value probabilities, then those of class shares."""
    real = np.ones(mixture.schema.n_cells, dtype=bool)
    real[mixture.schema.offsets[1:] - 1] = False
    low, high = intervals.value_bounds[:, :, real]
    values = (low <= mixture.value_probs[:, real]) & (mixture.value_probs[:, real] <= high)
    low, high = intervals.class_bounds
    return np.append(values.ravel(), (low <= mixture.class_probs) & (mixture.class_probs <= high))


@pytest.mark.long
def test_intervals_of_95_percent_hold_the_truth_in_92_to_97_percent_of_tables():
    mixture = truth()
    found = {kind: [] for kind in KINDS}
    for seed in range(N_TABLES):
        coded = draw_rows(mixture, N_ROWS, np.random.default_rng([7, seed]))
        fitted, _ = fit_mixture(coded, 3, n_init=10, random_state=seed)
        fitted = align(mixture, fitted)
        for kind in KINDS:
            found[kind].append(hits(intervals_of(kind, coded, fitted, seed), mixture))
    for kind, tables in found.items():
        every = np.mean(tables, axis=0)
        print(
            f"{kind}: {100 * every.mean():.1f} % (single parameters {100 * every.min():.1f} to "
            f"{100 * every.max():.1f} %; class shares {100 * every[-3:].mean():.1f} %)"
        )
    coverage = {kind: float(np.mean(tables)) for kind, tables in found.items()}
    assert all(0.92 <= share <= 0.97 for share in coverage.values()), coverage


SLOPES = np.array([[0.0, 0.0], [-0.2, 0.8], [-0.6, -0.5]])
"""Log odds of each class against the first: at zero, and by the covariate."""

MEANS = np.array([0.0, 0.5, 1.5])

VALUES = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.15, 0.25, 0.6]])
"""Probabilities of an outcome of three values in each class."""


def related_rows(seed):
    """Rows whose classes depend on a covariate, and on whose classes two outcomes depend."""
    mixture, rng = truth(), np.random.default_rng([9, seed])
    x = rng.normal(size=N_ROWS)
    odds = np.exp(SLOPES[:, 0] + np.outer(x, SLOPES[:, 1]))
    classes = (rng.random(N_ROWS)[:, None] * odds.sum(axis=1)[:, None] > odds.cumsum(axis=1)).sum(axis=1)
    codes = np.empty((N_ROWS, mixture.schema.n_variables), dtype=np.uint8)
    for k in range(3):
        alone = MixtureParameters(mixture.schema, np.eye(3)[k], mixture.value_probs)
        codes[classes == k] = draw_rows(alone, int((classes == k).sum()), rng).codes
    values = (rng.random(N_ROWS)[:, None] > VALUES[classes].cumsum(axis=1)).sum(axis=1)
    y = MEANS[classes] + rng.normal(size=N_ROWS)
    return Coded.of(mixture.schema.without_target(), codes), x, y, np.array(["a", "b", "c"])[values]


@pytest.mark.long
def test_three_step_intervals_of_95_percent_hold_the_truth_in_92_to_97_percent_of_tables():
    found = {}
    for seed in range(N_TABLES):
        coded, x, y, values = related_rows(seed)
        mixture, _ = fit_mixture(coded, 3, n_init=10, random_state=seed)
        mixture = align(truth(), mixture)
        assignment, own = assign(coded, mixture), standard_errors(coded, mixture)
        columns = as_table({"x": x, "y": y, "values": values}).columns
        design = covariate_matrix(as_table({"x": x}))
        for method in ("ml", "bch"):
            slopes = relate_covariates(assignment, design, method, first_step=own)
            means = relate_outcome(assignment, columns[1], method, first_step=own)
            probs = relate_outcome(assignment, columns[2], method, first_step=own)
            for what, estimates, errors, true in (
                ("covariate", slopes.coefficients[1:], slopes.errors[1:], SLOPES[1:]),
                ("means", means.estimates[:, 0], means.errors[:, 0], MEANS),
                ("probabilities", probs.estimates, probs.errors, VALUES),
            ):
                held = np.abs(estimates - true) <= 1.959964 * errors
                found.setdefault(f"{what}, {method}", []).append(held.mean())
    coverage = {what: float(np.mean(shares)) for what, shares in found.items()}
    for what, share in coverage.items():
        print(f"{what}: {100 * share:.1f} %")
    assert all(0.92 <= share <= 0.97 for share in coverage.values()), coverage


@pytest.mark.long
@pytest.mark.parametrize("n_classes", [1, 2])
def test_the_bootstrap_test_rejects_the_true_number_of_classes_in_5_percent_of_tables(n_classes):
    mixture = truth(n_classes)
    rejected = []
    for seed in range(N_TABLES):
        coded = draw_rows(mixture, 200, np.random.default_rng([8, n_classes, seed]))
        test = likelihood_ratio_test(coded, n_classes + 1, n_replications=19, random_state=seed)
        rejected.append(test.p_value <= 0.05)
    size, error = float(np.mean(rejected)), np.sqrt(0.05 * 0.95 / N_TABLES)
    print(f"rejected: {100 * size:.1f} % (standard error {100 * error:.1f} %)")
    assert abs(size - 0.05) <= 2 * error
