"""The criteria by name: one signature, and rows that may be repeated, weighted or merged."""

import math

import numpy as np
import pytest

from codelength.errors import InvalidParameter, SchemaMismatch
from codelength.mixture.best_clustering import best_clustering
from codelength.mixture.code_length import CRITERIA
from codelength.mixture.em import fit_mixture
from codelength.mixture.parameters import MixtureParameters, with_components
from codelength.naive_bayes import Prior
from codelength.table import Coded, Schema
from unit.mixture.mixture_tables import random_coded

ON_SINGLE_ROWS = ("neighbourhood", "neighbourhoods", "annealed", "exact")
NAMES = ("cheeseman_stutz", "cheeseman_stutz_soft", "bic", "aic", *ON_SINGLE_ROWS)
by_name = pytest.mark.parametrize("name", NAMES)


def table(weights=None):
    return random_coded(3, 12, [2, 2], missing=0.1, weights=weights)


@pytest.fixture(scope="module")
def mixture():
    return fit_mixture(table(), 2, n_init=3, random_state=0)[0]


def test_these_are_all():
    assert tuple(CRITERIA) == NAMES


@by_name
@pytest.mark.parametrize("prior", ["uniform", 2.0 * 2 * 2, Prior(1.0, 1.5)])
def test_one_signature_serves_all(name, prior, mixture):
    length = float(CRITERIA[name](table(), mixture, prior, random_state=0))
    assert math.isfinite(length)
    assert length == float(CRITERIA[name](table(), mixture, prior, random_state=0))


@by_name
def test_repeated_weighted_and_merged_rows_cost_the_same(name, mixture):
    weighted = table(np.arange(12) % 3)
    merged, single = weighted.distinct(), weighted.repeated()
    wanted = CRITERIA[name](single, mixture, random_state=0)
    for rows in (weighted, merged):
        tolerance = 5 * wanted.standard_error if name == "annealed" else 1e-10
        assert float(CRITERIA[name](rows, mixture, random_state=0)) == pytest.approx(
            float(wanted), abs=tolerance
        )


@by_name
def test_weights_that_are_not_whole_numbers(name, mixture):
    coded = table(np.full(12, 1.5))
    if name in ON_SINGLE_ROWS:
        with pytest.raises(InvalidParameter, match="not whole numbers"):
            CRITERIA[name](coded, mixture)
    else:
        assert math.isfinite(float(CRITERIA[name](coded, mixture)))


@by_name
def test_raw_rows_are_encoded_by_the_schema_of_the_mixture(name):
    schema = with_components(Schema.from_sizes([2, 3]), 2)
    probs = np.array([[0.5, 0.5, 1, 0.25, 0.25, 0.5, 1], [0.25, 0.75, 1, 0.5, 0.25, 0.25, 1]])
    mixture, rows = MixtureParameters(schema, np.array([0.5, 0.5]), probs), [[0, 2], [1, 0], [1, 1]]
    raw = float(CRITERIA[name](np.array(rows), mixture, random_state=0))
    assert raw == float(CRITERIA[name](Coded.of(schema.without_target(), rows), mixture, random_state=0))


@by_name
def test_rows_of_another_shape_are_refused(name, mixture):
    with pytest.raises(SchemaMismatch, match="encode the rows with the schema of the mixture"):
        CRITERIA[name](Coded.of(Schema.from_sizes([2, 3]), [[0, 1]]), mixture)


def test_code_lengths_show_themselves_in_nats_and_bits(mixture):
    exact, annealed = (CRITERIA[name](table(), mixture, random_state=0) for name in ("exact", "annealed"))
    best = best_clustering(table(), 2)
    for found, n_digits in ((exact, 3), (annealed, 2), (best, 1)):
        nats = found.code_length
        assert repr(found).endswith(f"{nats:.{n_digits}f} nats ({nats / math.log(2):.{n_digits}f} bits)>")
    assert [line.split() for line in str(exact).splitlines()[-2:]] == [
        [str(k), f"{length:.3f}", f"{length / math.log(2):.3f}"]
        for k, length in enumerate(exact.code_lengths, start=1)
    ]
    assert "standard error" in str(annealed)
    assert str(best).splitlines()[-1].split() == ["0", "12"]
