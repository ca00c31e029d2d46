"""Intervals hold the truth as often as they say, and the bootstrap test rejects as often as it says.

Minutes each; the figures are in ``docs/latent-classes.md``. ``-s`` prints them.
"""

import numpy as np
import pytest

from codelength.mixture import fit_mixture
from codelength.mixture.inference import (
    align,
    bootstrap,
    design_standard_errors,
    likelihood_ratio_test,
    posterior_sample,
    standard_errors,
    with_profile_bounds,
)
from codelength.mixture.inference.drawing import draw_rows
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


@pytest.mark.long
def test_the_bootstrap_test_of_three_classes_rejects_two_in_5_percent_of_tables():
    mixture = truth(2)
    rejected = []
    for seed in range(N_TABLES):
        coded = draw_rows(mixture, N_ROWS, np.random.default_rng([8, seed]))
        test = likelihood_ratio_test(coded, 3, n_replications=19, random_state=seed)
        rejected.append(test.p_value <= 0.05)
    size, error = float(np.mean(rejected)), np.sqrt(0.05 * 0.95 / N_TABLES)
    print(f"rejected: {100 * size:.1f} % (standard error {100 * error:.1f} %)")
    assert abs(size - 0.05) <= 2 * error
