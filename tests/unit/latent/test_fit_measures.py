"""Figures of fit, classification and residuals, against the slow definitions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

import naive
from codelength.errors import InvalidParameter
from codelength.latent.fit_measures import fit_measures, p_value
from codelength.latent.identifiability import identifiability
from codelength.latent.residuals import bivariate_residuals
from codelength.mixture.classification import classification
from codelength.mixture.em import fit_mixture
from codelength.mixture.parameters import MixtureParameters, with_components
from codelength.mixture.summaries import observed
from codelength.table import Coded, Schema, encode
from unit.mixture.mixture_tables import cases, random_coded, random_table


def random_mixture(n_values, n_components, seed=0):
    generator = np.random.default_rng(seed)
    schema = with_components(Schema.from_sizes(n_values), n_components)
    blocks = []
    for size in n_values:
        blocks += [generator.dirichlet(np.full(size, 1.5), n_components), np.ones((n_components, 1))]
    return MixtureParameters(
        schema, generator.dirichlet(np.full(n_components, 3.0)), np.concatenate(blocks, axis=1)
    )


def naive_parameters(mixture):
    probs = [
        [mixture.of(i)[k].tolist() for i in range(mixture.schema.n_variables)]
        for k in range(mixture.n_components)
    ]
    return naive.Parameters(mixture.class_probs.tolist(), probs)


def drawn(mixture, n_rows, seed):
    """Codes of rows from a mixture, and their components."""
    generator = np.random.default_rng(seed)
    components = generator.choice(mixture.n_components, n_rows, p=mixture.class_probs)
    marks = generator.random((n_rows, mixture.schema.n_variables, 1))
    columns = [
        (marks[:, i] > mixture.of(i)[components].cumsum(axis=1)[:, :-1]).sum(axis=1)
        for i in range(mixture.schema.n_variables)
    ]
    return np.stack(columns, axis=1), components


@settings(max_examples=40)
@given(cases(max_rows=8))
def test_figures_are_their_definitions(case):
    mixture = random_mixture(case.n_values, case.n_components)
    plain = naive_parameters(mixture)
    fit = fit_measures(case.coded, mixture)
    n_rows, d = len(case.rows), naive.n_parameters(case.n_values, case.n_components)
    log_likelihood = naive.log_likelihood(case.rows, plain)
    assert fit.log_likelihood == pytest.approx(log_likelihood, rel=1e-12, abs=1e-12)
    assert fit.n_parameters == d
    assert fit.aic == pytest.approx(2 * naive.aic_code_length(case.rows, plain), rel=1e-12)
    assert fit.bic == pytest.approx(2 * naive.bic_code_length(case.rows, plain), rel=1e-12)
    assert fit.caic == pytest.approx(fit.bic + d)
    assert fit.adjusted_bic == pytest.approx(-2 * log_likelihood + d * math.log((n_rows + 2) / 24))
    assert fit.df == min(n_rows, math.prod(case.n_values) - 1) - d
    if case.n_components > 1:
        entropy = naive.relative_entropy(case.rows, plain)
        assert fit.relative_entropy == pytest.approx(entropy, abs=1e-12)
        certain = n_rows * math.log(case.n_components)
        assert fit.icl == pytest.approx(fit.bic + 2 * (1 - entropy) * certain, rel=1e-12)
    else:
        assert fit.relative_entropy is None
        assert fit.icl == pytest.approx(fit.bic)
    if any(None not in row for row in case.rows):
        g2, chi2 = naive.goodness_of_fit(case.rows, plain)
        # Parameters that were not fitted may have a G2 below zero, which is told as 0.
        assert fit.g2 == pytest.approx(max(g2, 0.0), rel=1e-9, abs=1e-9)
        assert fit.chi2 == pytest.approx(chi2, rel=1e-9, abs=1e-9)
    else:
        assert fit.g2 is fit.chi2 is None


@settings(max_examples=40)
@given(cases(max_rows=8))
def test_residuals_are_their_definition(case):
    mixture = random_mixture(case.n_values, case.n_components)
    found = bivariate_residuals(case.coded, mixture)
    for i, own in enumerate(case.n_values):
        for j, other in enumerate(case.n_values):
            if i == j or own == 1 or other == 1:
                assert np.isnan(found.values[i, j])
            else:
                expected = naive.bivariate_residual(case.rows, naive_parameters(mixture), i, j)
                assert found.values[i, j] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_weights_are_repetitions():
    mixture = random_mixture([2, 3, 2], 2)
    rows = random_table(0, 30, [2, 3, 2], 2, 0.1)
    often = np.random.default_rng(0).integers(0, 4, 30)
    weighted = encode(mixture.schema, rows, sample_weight=often.astype(float))
    repeated = encode(mixture.schema, np.repeat(rows, often, axis=0))
    assert fit_measures(weighted, mixture) == fit_measures(repeated, mixture)
    np.testing.assert_allclose(
        bivariate_residuals(weighted, mixture).values, bivariate_residuals(repeated, mixture).values
    )
    np.testing.assert_allclose(
        classification(weighted, mixture).table, classification(repeated, mixture).table
    )


def test_p_values_are_for_tables_with_enough_rows():
    mixture = random_mixture([2] * 5, 2)
    codes, _ = drawn(mixture, 2000, 0)
    fitted, _ = fit_mixture(encode(mixture.schema, codes), 2, random_state=0)
    fit = fit_measures(encode(mixture.schema, codes), fitted)
    assert fit.df == 31 - 11
    assert 0.001 < p_value(fit.g2, fit.df, 32, 2000) < 1
    few = fit_measures(encode(mixture.schema, codes[:20]), fitted)
    assert p_value(few.g2, few.df, 32, 20) is None


def test_residuals_under_the_model_are_like_chi_squared_and_a_planted_dependence_is_found():
    """Estimated parameters make residuals a little smaller than chi-squared with one degree of freedom."""
    probs = np.array([[0.85, 0.15, 1.0] * 6, [0.2, 0.8, 1.0] * 6])
    mixture = MixtureParameters(with_components(Schema.from_sizes([2] * 6), 2), np.array([0.6, 0.4]), probs)
    found = []
    for seed in range(40):
        coded = encode(mixture.schema, drawn(mixture, 800, seed)[0])
        fitted, _ = fit_mixture(coded, 2, n_init=5, random_state=seed)
        values = bivariate_residuals(coded, fitted).values
        found += values[np.triu_indices(6, 1)].tolist()
    assert 0.3 < np.mean(found) < 1.1
    assert np.mean(np.array(found) > 3.84) < 0.06
    codes, _ = drawn(mixture, 800, 99)
    copied = np.random.default_rng(0).random(800) < 0.4
    codes[copied, 4] = codes[copied, 1]
    coded = encode(mixture.schema, codes)
    fitted, _ = fit_mixture(coded, 2, random_state=0)
    worst = bivariate_residuals(coded, fitted)
    assert {worst.pairs()[0]["first"], worst.pairs()[0]["second"]} == {"x1", "x4"}
    assert worst.large()[0]["residual"] > 10
    assert "x4" in str(worst)


def test_the_classification_table_adds_up():
    mixture = random_mixture([2, 3, 2, 2], 3)
    coded = encode(mixture.schema, drawn(mixture, 400, 0)[0])
    found = classification(coded, mixture)
    shares = mixture.responsibilities(coded)
    labels = shares.argmax(axis=1)
    np.testing.assert_allclose(found.n_assigned, np.bincount(labels, minlength=3))
    np.testing.assert_allclose(found.table.sum(axis=0), shares.sum(axis=0))
    for k in range(3):
        np.testing.assert_allclose(found.average_posterior[k], shares[labels == k, k].mean())
    assert found.error == pytest.approx(1 - shares.max(axis=1).mean())
    assert "assigned to" in str(found)


def test_a_class_without_rows_has_no_average():
    schema = with_components(Schema.from_sizes([2]), 2)
    mixture = MixtureParameters(schema, np.array([1.0, 0.0]), np.array([[0.5, 0.5, 1.0]] * 2))
    found = classification(Coded.of(schema, [[0], [1]]), mixture)
    assert np.isnan(found.average_posterior[1])
    assert found.to_json()["average_posterior"] == [1.0, None]


@pytest.mark.parametrize(
    ("n_values", "n_components", "rank"),
    [
        # Goodman (1974): four binary variables do not identify three classes, five do.
        ([2] * 4, 3, 13),
        ([2] * 5, 3, 17),
        ([2] * 3, 2, 7),
        # Two variables: a matrix of rank two has a whole family of factors.
        ([4, 4], 2, 11),
        ([3, 3, 3], 2, 13),
    ],
)
def test_ranks_are_those_that_are_known(n_values, n_components, rank):
    found = identifiability(random_mixture(n_values, n_components, seed=5))
    assert found.rank == rank
    assert found.is_identified == (rank == found.n_parameters)
    assert ("not identified" in found.sentence()) != found.is_identified


def test_the_jacobian_is_that_of_differences():
    """The rank comes from derivatives: here they are by steps."""
    from codelength.latent.identifiability import _jacobian

    mixture = random_mixture([2, 3], 2, seed=1)
    codes = np.stack(np.unravel_index(np.arange(6), (2, 3)), axis=1)
    chances = np.full(6, 1 / 6)
    coded = encode(mixture.schema, codes)
    probs = np.exp(mixture.log_probs(coded))
    scale = np.sqrt(np.maximum(probs, 1e-2 / 6) / 6)
    columns, step = [], 1e-6
    largest = int(np.argmax(mixture.class_probs))
    moves = [("class", None, 1 - largest, largest)]
    for i, size in enumerate([2, 3]):
        for k in range(2):
            reference = int(np.argmax(mixture.of(i)[k]))
            moves += [(k, i, value, reference) for value in range(size) if value != reference]
    for k, i, value, reference in moves:
        class_probs, value_probs = mixture.class_probs.copy(), mixture.value_probs.copy()
        if k == "class":
            class_probs[value] += step
            class_probs[reference] -= step
        else:
            offset = mixture.schema.offsets[i]
            value_probs[k, offset + value] += step
            value_probs[k, offset + reference] -= step
        moved = MixtureParameters(mixture.schema, class_probs, value_probs)
        columns.append((np.exp(moved.log_probs(coded)) - probs) / step / scale)
    np.testing.assert_allclose(_jacobian(mixture, codes, chances), np.stack(columns, axis=1), atol=1e-4)


def test_large_tables_are_identified_from_drawn_rows():
    assert identifiability(random_mixture([2] * 16, 4)).is_identified
    twice = random_mixture([2] * 16, 2)
    # The same class twice: nothing tells how its share is split.
    doubled = MixtureParameters(
        with_components(twice.schema, 3),
        np.array([twice.class_probs[0], twice.class_probs[1] / 2, twice.class_probs[1] / 2]),
        twice.value_probs[[0, 1, 1]],
    )
    assert identifiability(doubled).is_identified is False


def test_an_empty_class_is_not_identified():
    mixture = random_mixture([2] * 6, 3)
    emptied = MixtureParameters(mixture.schema, np.array([0.6, 0.4, 0.0]), mixture.value_probs)
    assert identifiability(emptied).is_identified is False


def test_too_many_parameters_are_told():
    found = identifiability(random_mixture([2, 2], 3))
    assert found.is_identified is False
    assert "8 parameters, and a table of 4 cells determines at most 3" in found.sentence()
    many = identifiability(random_mixture([2] * 200, 4))
    assert many.is_identified is None
    assert "not checked" in many.sentence()


def test_what_was_observed():
    schema = Schema.from_sizes([2, 3, 2])
    codes = [[0, 3, 1], [0, 1, 1], [2, 3, 2], [0, 1, 1], [1, 0, 0]]
    found = observed(Coded.of(schema, codes, weights=[1, 1, 1, 2, 0]), n_distinct=3)
    assert (found.n_rows, found.n_used, found.n_distinct, found.total_weight) == (5, 4, 3, 5.0)
    assert (found.n_incomplete, found.n_blank) == (2, 1)
    assert found.missing_share == pytest.approx(4 / 12)
    assert found.by_variable == {"x0": 0.25, "x1": 0.5, "x2": 0.25}
    assert found.constant == ("x0", "x1", "x2")
    told = " ".join(found.remarks())
    for words in ("1 row of weight zero", "1 row without a single value", "Only one value in x0, x1, x2"):
        assert words in told


def test_starts_are_added_until_the_best_was_reached_often_enough():
    coded = random_coded(3, 300, [2, 3, 4, 2, 3], 4, 0.05)
    _, few = fit_mixture(coded, 4, n_init=4, random_state=0)
    _, more = fit_mixture(coded, 4, n_init=4, reached=3, random_state=0)
    assert len(few.runs) == 4
    assert len(more.runs) % 4 == 0
    assert more.n_reached >= 3 or len(more.runs) == more.max_init
    assert more.log_posteriors.max() >= few.log_posteriors.max()
    _, capped = fit_mixture(coded, 4, n_init=4, reached=100, max_init=10, random_state=0)
    assert len(capped.runs) == 10
    elsewhere = capped.log_posteriors[~capped.at_best]
    if len(elsewhere):
        assert capped.summary.next_best == elsewhere.max()


def test_comparing_ends_does_not_depend_on_threads():
    coded = random_coded(3, 300, [2, 3, 4, 2, 3], 4, 0.05)
    one, info = fit_mixture(coded, 4, n_init=5, reached=3, random_state=7, n_threads=1)
    two, other = fit_mixture(coded, 4, n_init=5, reached=3, random_state=7, n_threads=3)
    assert np.array_equal(one.value_probs, two.value_probs)
    assert info.log_posteriors.tolist() == other.log_posteriors.tolist()


def test_runs_that_are_on_their_way_are_brought_to_the_best_end():
    """All starts end at one solution, but plain EM stops before it can tell."""
    coded = random_coded(1, 400, [2] * 6, 2)
    _, info = fit_mixture(coded, 2, reached=5, init="random", random_state=0)
    assert info.n_reached == len(info.runs)
    assert info.summary.next_best is None


def test_bad_numbers_of_starts():
    coded = random_coded(0, 20, [2, 2])
    for wrong in ({"reached": -1}, {"reached": 1.5}, {"max_init": 0}):
        with pytest.raises(InvalidParameter):
            fit_mixture(coded, 2, **wrong)


def test_tables_of_many_columns_are_at_home():
    """Rows so improbable that their expected number underflows, and constants."""
    generator = np.random.default_rng(0)
    sizes = [1] * 5 + [3] * 1200
    schema = with_components(Schema.from_sizes(sizes), 1)
    codes = np.column_stack([generator.integers(0, size, 6) for size in sizes])
    coded = encode(schema, codes)
    mixture, _ = fit_mixture(coded, 1)
    fit = fit_measures(coded, mixture)
    assert fit.chi2 is None or np.isfinite(fit.chi2)
    assert np.isfinite(fit.g2)
    assert p_value(fit.g2, fit.df, 3**1200, 6) is None
    assert identifiability(mixture).is_identified is None
