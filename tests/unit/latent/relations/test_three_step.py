"""Three steps: equal to plain forms, right about simulated relations, and clear about bad input."""

import numpy as np
import pytest

import naive_latent as naive
from codelength import Schema
from codelength.errors import DataError, InvalidParameter
from codelength.latent.inference import align, standard_errors
from codelength.latent.inference.bootstrap import draw_rows
from codelength.latent.inference.coordinates import Coordinates
from codelength.latent.relations import (
    assign,
    covariate_matrix,
    inactive_profile,
    relate_covariates,
    relate_outcome,
)
from codelength.latent.relations.columns import codes_of, is_numeric
from codelength.latent.relations.results import WaldTest
from codelength.latent.relations.three_step import Sampling
from codelength.mixture import fit_mixture
from codelength.mixture.parameters import MixtureParameters
from codelength.sources import as_table
from codelength.table import Coded
from latent_truth import truth

MEANS = np.array([0.0, 1.0, 3.0])


def column(cells, name="y"):
    return as_table({name: cells}).columns[0]


def drawn_with_classes(n_rows, seed, mixture=None):
    """Rows of each class in turn, so that the class of every row is known."""
    mixture, rng = mixture or truth(), np.random.default_rng(seed)
    classes = rng.choice(3, n_rows, p=mixture.class_probs)
    codes = np.empty((n_rows, mixture.schema.n_variables), dtype=np.uint8)
    for k in range(3):
        alone = MixtureParameters(mixture.schema, np.eye(3)[k], mixture.value_probs)
        codes[classes == k] = draw_rows(alone, int((classes == k).sum()), rng).codes
    return Coded.of(mixture.schema.without_target(), codes), classes, rng


@pytest.fixture(scope="module")
def large():
    coded, classes, rng = drawn_with_classes(4000, 1)
    mixture, _ = fit_mixture(coded, 3, random_state=0)
    return coded, classes, rng, align(truth(), mixture)


def test_errors_and_bch_means_are_those_of_plain_sums():
    coded, classes, rng = drawn_with_classes(60, 3)
    mixture = truth()
    y = MEANS[classes] + rng.normal(size=60)
    rows, shares = coded.codes.tolist(), mixture.class_probs.tolist()
    profiles = [[mixture.of(i)[k].tolist() for i in range(8)] for k in range(3)]
    assignment = assign(coded, mixture)
    assert assignment.errors == pytest.approx(naive.assignment_errors(rows, shares, profiles))
    assert relate_outcome(assignment, column(y)).estimates[:, 0] == pytest.approx(
        naive.bch_means(rows, y, shares, profiles)
    )


@pytest.mark.parametrize("rule", ["modal", "proportional"])
@pytest.mark.parametrize("method", ["ml", "bch"])
def test_relations_that_were_put_in_are_found(method, rule, large):
    """Within four standard errors, where assignments alone are far off."""
    coded, classes, _, mixture = large
    rng = np.random.default_rng(9)
    assignment = assign(coded, mixture, rule)
    y = MEANS[classes] + rng.normal(size=len(classes))
    means = relate_outcome(assignment, column(y), method)
    assert (np.abs(means.estimates[:, 0] - MEANS) < 4 * means.errors[:, 0]).all()
    assert means.deviations == pytest.approx(1, abs=0.1)
    probs = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]])
    values = np.array(["no", "some", "yes"])[
        (rng.random(len(classes))[:, None] > probs[classes].cumsum(axis=1)).sum(axis=1)
    ]
    shares = relate_outcome(assignment, column(values), method)
    assert shares.values == ("no", "some", "yes")
    assert shares.estimates.sum(axis=1) == pytest.approx(1)
    assert (np.abs(shares.estimates - probs) < 4 * shares.errors).all()
    assert shares.test.p_value < 1e-10
    naive_means = np.array([y[np.argmax(assignment.shares, axis=1) == k].mean() for k in range(3)])
    assert np.abs(naive_means - MEANS).max() > np.abs(means.estimates[:, 0] - MEANS).max()


@pytest.mark.parametrize("method", ["ml", "bch"])
def test_covariates_that_were_put_in_are_found(method):
    rng = np.random.default_rng(4)
    n_rows = 4000
    z = rng.normal(2000, 10, n_rows)
    group = rng.choice(["a", "b"], n_rows)
    logits = np.stack([np.zeros(n_rows), 0.1 * (z - 2000), -0.5 + 1.0 * (group == "b")], axis=1)
    probs = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    classes = (rng.random(n_rows)[:, None] > probs.cumsum(axis=1)).sum(axis=1)
    mixture, codes = truth(), np.empty((n_rows, 8), dtype=np.uint8)
    for k in range(3):
        alone = MixtureParameters(mixture.schema, np.eye(3)[k], mixture.value_probs)
        codes[classes == k] = draw_rows(alone, int((classes == k).sum()), rng).codes
    coded = Coded.of(mixture.schema.without_target(), codes)
    fitted, _ = fit_mixture(coded, 3, random_state=0)
    fitted = align(mixture, fitted)
    design = covariate_matrix(as_table({"year": z, "group": group}))
    found = relate_covariates(
        assign(coded, fitted), design, method, first_step=standard_errors(coded, fitted)
    )
    assert found.names == ("intercept", "year", "group=b")
    expected = np.array([[0, 0, 0], [-200, 0.1, 0], [-0.5, 0, 1.0]])
    assert (np.abs(found.coefficients - expected)[1:] < 4 * found.errors[1:]).all()
    assert found.errors[1:, 1].max() < 0.02
    assert found.tests["year"].p_value < 1e-10
    other = found.against(2)
    assert other.coefficients[0] == pytest.approx(-found.coefficients[2])
    assert other.errors[0] == pytest.approx(found.errors[2])
    assert other.against(0).covariance == pytest.approx(found.covariance, abs=1e-8)
    assert np.isnan(found.p_values[0]).all()
    assert found.bounds()[0, 1, 1] < 0.1 < found.bounds()[1, 1, 1]


def test_without_errors_of_assignment_steps_are_those_of_known_classes(large):
    """Sharply separate classes: means and standard errors are those of the groups themselves."""
    classes, rng = large[1], np.random.default_rng(2)
    known = Coded.of(Schema.from_sizes([3] * 4), np.repeat(classes[:, None], 4, axis=1))
    mixture, _ = fit_mixture(known, 3, random_state=0)
    labels = mixture.labels(mixture.coded(known))
    y = rng.normal(size=len(classes)) + classes
    for method in ("ml", "bch"):
        found = relate_outcome(assign(known, mixture), column(y), method)
        for k in range(3):
            own = y[labels == k]
            assert found.estimates[k, 0] == pytest.approx(own.mean())
            assert found.errors[k, 0] == pytest.approx(own.std() / np.sqrt(len(own)), rel=1e-4)


def test_slopes_of_the_errors_are_those_of_differences():
    coded, _, _ = drawn_with_classes(200, 5)
    mixture, _ = fit_mixture(coded, 3, random_state=0)
    assignment = assign(coded, mixture)
    coordinates = Coordinates.of(mixture, 200.0)
    slopes = assignment.error_slopes(coordinates)
    labels = np.argmax(assignment.shares, axis=1)

    def errors(place, step):
        shares, values = mixture.class_probs.copy(), mixture.value_probs.copy()
        if place < len(coordinates.free_classes):
            shares[coordinates.free_classes[place]] *= np.exp(step)
            shares /= shares.sum()
        else:
            k = int(np.searchsorted(coordinates.starts, place, side="right")) - 1
            cell = coordinates.free_cells[k][place - coordinates.starts[k]]
            i = coordinates.variables[cell]
            own = np.s_[mixture.schema.offsets[i] : mixture.schema.offsets[i + 1] - 1]
            values[k, cell] *= np.exp(step)
            values[k, own] /= values[k, own].sum()
        moved = MixtureParameters(mixture.schema, shares, values).responsibilities(mixture.coded(coded))
        return (
            np.stack([moved[labels == s].sum(axis=0) for s in range(3)], axis=1) / moved.sum(axis=0)[:, None]
        )

    for place in range(coordinates.n_free):
        expected = (errors(place, 1e-5) - errors(place, -1e-5)) / 2e-5
        assert slopes[:, :, place] == pytest.approx(expected, abs=1e-6)


def test_the_uncertainty_of_the_first_step_widens_errors_and_moves_no_estimate(large):
    coded, classes, _, mixture = large
    y = MEANS[classes] + np.random.default_rng(1).normal(size=len(classes))
    assignment = assign(coded, mixture)
    for method in ("ml", "bch"):
        plain = relate_outcome(assignment, column(y), method)
        wide = relate_outcome(assignment, column(y), method, first_step=standard_errors(coded, mixture))
        assert np.array_equal(plain.estimates, wide.estimates)
        assert (wide.errors > plain.errors).all()


def test_rows_without_the_outcome_are_left_out_and_counted(large):
    coded, classes, _, mixture = large
    y = MEANS[classes] + np.random.default_rng(1).normal(size=len(classes))
    gaps = np.where(np.arange(len(y)) % 5 == 0, np.nan, y)
    found = relate_outcome(assign(coded, mixture), column(gaps))
    assert (found.n_used, found.n_left_out) == (3200, 800)
    assert "rows left out, without the outcome  800" in str(found)
    few = relate_covariates(assign(coded, mixture), covariate_matrix(as_table({"y": gaps})))
    assert (few.n_used, few.n_left_out) == (3200, 800)
    assert "800" in str(few)


def test_weights_as_counts_are_repeated_rows_and_relative_ones_are_not(large):
    coded, classes, _, mixture = large
    rows, y = np.arange(300), MEANS[classes[:300]] + np.random.default_rng(1).normal(size=300)
    twice = np.repeat(rows, 2)
    few = coded.take(rows)
    heavy = Coded.of(few.schema, few.codes, weights=np.full(300, 2.0))
    repeated = relate_outcome(assign(coded.take(twice), mixture), column(y[twice]))
    counted = relate_outcome(assign(heavy, mixture), column(y))
    assert counted.estimates == pytest.approx(repeated.estimates)
    assert counted.errors == pytest.approx(repeated.errors)
    relative = relate_outcome(assign(heavy, mixture), column(y), sampling=Sampling("relative"))
    plain = relate_outcome(assign(few, mixture), column(y))
    assert relative.errors == pytest.approx(plain.errors)
    pairs = Sampling("counts", clusters=np.repeat(rows, 2))
    clustered = relate_outcome(assign(coded.take(twice), mixture), column(y[twice]), sampling=pairs)
    assert clustered.errors == pytest.approx(plain.errors * np.sqrt(300 / 299))


def test_differences_of_classes_are_tested(large):
    coded, classes, _, mixture = large
    y = MEANS[classes] + np.random.default_rng(1).normal(size=len(classes))
    found = relate_outcome(assign(coded, mixture), column(y))
    gap, error, test = found.difference(2, 0)
    assert gap[0] == pytest.approx(3, abs=4 * error[0])
    assert test.statistic == pytest.approx((gap[0] / error[0]) ** 2)
    noise = relate_outcome(assign(coded, mixture), column(np.random.default_rng(3).normal(size=len(y))))
    assert noise.test.p_value > 0.01
    assert noise.test.degrees_of_freedom == 2
    assert np.isnan(WaldTest.of(np.ones(1), np.full((1, 1), np.nan)).p_value)


def test_bad_input_is_told(large):
    coded, classes, _, mixture = large
    assignment = assign(coded, mixture)
    with pytest.raises(DataError, match="outcome 'y': 3 rows, and the mixture was fitted to 4000"):
        relate_outcome(assignment, column([1.0, 2.0, 3.0]))
    with pytest.raises(DataError, match="outcome 'y': missing in every row"):
        relate_outcome(assignment, column(np.full(4000, np.nan)))
    with pytest.raises(DataError, match="outcome 'y': only one value occurs"):
        relate_outcome(assignment, column(["a"] * 4000))
    with pytest.raises(DataError, match=r'in class . it hardly varies.*use method="bch"'):
        relate_outcome(assignment, column(classes.astype(float)), "ml")
    with pytest.raises(InvalidParameter, match="method='dcat'"):
        relate_outcome(assignment, column(classes), "dcat")
    with pytest.raises(DataError, match='holds more than numbers; use kind="categorical"'):
        relate_outcome(assignment, column(["a", "b"] * 2000), kind="numeric")
    design = covariate_matrix(as_table({"a": classes, "b": 2.0 * classes}))
    with pytest.raises(DataError, match="one of them follows from the others"):
        relate_covariates(assignment, design)
    with pytest.raises(InvalidParameter, match="reference=7: expected one of at least two classes"):
        relate_covariates(assignment, covariate_matrix(as_table({"a": classes})), reference=7)
    with pytest.raises(DataError, match="covariate 'a': all rows that have a value have the same one"):
        covariate_matrix(as_table({"a": [1, 1, None]}))
    alone, _ = fit_mixture(coded, 1)
    with pytest.raises(InvalidParameter, match="one class only"):
        relate_outcome(assign(coded, alone), column(classes))
    empty = MixtureParameters(mixture.schema, np.array([0.6, 0.4, 0.0]), mixture.value_probs)
    with pytest.raises(DataError, match=r"class 3: no row is assigned to it.*fit fewer classes"):
        assign(coded, empty)


def test_columns_are_numbers_or_categories():
    assert is_numeric(column([1, 2, None]))
    assert not is_numeric(column([1, 2]), "categorical")
    assert not is_numeric(column(["a", "b"]))
    codes, values = codes_of(column([3, None, 1, 3]))
    assert (codes.tolist(), values) == ([1, -1, 0, 1], (1.0, 3.0))
    codes, values = codes_of(column(["b", None, "a"]))
    assert [values[code] if code >= 0 else None for code in codes] == ["b", None, "a"]
    # The order of the rows does not choose the reference.
    assert values == ("a", "b")


def test_names_of_covariates_may_contain_the_sign_between_variable_and_value():
    table = as_table({"a=b": ["x", "y", "z", "x"], "c": ["u", "v", "u", "v"]})
    assert list(covariate_matrix(table).groups) == ["a=b", "c"]


def test_inactive_variables_are_described_class_by_class(large):
    coded, classes, _, mixture = large
    shares = mixture.responsibilities(mixture.coded(coded))
    weights = np.random.default_rng(0).integers(0, 3, len(classes)).astype(float)
    y = MEANS[classes]
    found = inactive_profile(shares, weights, column(y))
    for k in range(3):
        assert found.profile[k, 0] == pytest.approx(np.average(y, weights=weights * shares[:, k]))
    assert found.profile[3, 0] == pytest.approx(np.average(y, weights=weights))
    labels = inactive_profile(shares, None, column(np.array(["x", "y", "z"])[classes]))
    assert labels.profile.sum(axis=1) == pytest.approx(1)
    assert (np.argmax(labels.profile[:3], axis=1) == [0, 1, 2]).all()
    assert "class 3" in str(labels)
    with pytest.raises(DataError, match="2 rows, and the mixture was fitted to 4000"):
        inactive_profile(shares, None, column([1, 2]))
    with pytest.raises(DataError, match="missing in every row"):
        inactive_profile(shares, None, column(np.full(4000, np.nan)))
