"""Models learn from weights of any size, or refuse them with one error; none gives NaN."""

import warnings
from inspect import signature

import numpy as np
import pytest

from codelength.errors import DataError
from codelength.estimators import capabilities_of, constructor_of, model_names
from codelength.table.copies import HEAVIEST, LIGHTEST

RNG = np.random.default_rng(0)
Y = RNG.choice(["no", "yes"], 40)
X = {"a": np.where(RNG.random(40) < 0.8, Y, "maybe"), "b": RNG.normal(size=40) + (Y == "yes")}
KINDS = [kind for kind in model_names() if "weighting" in signature(constructor_of(kind)).parameters]


def check_fit(kind, weights):
    model = constructor_of(kind)()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "classes" in capabilities_of(model):
            model.fit(X, Y, sample_weight=weights)
        else:
            model.fit(X, sample_weight=weights)
        probs = model.predict_proba(X)
        if "leave_one_out" in capabilities_of(model):
            assert np.isfinite(model.leave_one_out(X, Y, sample_weight=weights).log_score)
    np.testing.assert_allclose(probs.sum(axis=1), 1, atol=1e-9)


@pytest.mark.parametrize("weight", [LIGHTEST, HEAVIEST])
@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_every_model_takes(kind, weight):
    check_fit(kind, np.full(40, weight))
    check_fit(kind, np.where(np.arange(40) % 2, weight, 1.0))


@pytest.mark.parametrize("weight", [1e-300, 1e19])
@pytest.mark.parametrize("kind", KINDS)
def test_weights_beyond_them_are_learned_from_or_refused(kind, weight):
    weights = np.full(40, weight)
    if kind in ("naive-bayes", "finite-mixture"):
        check_fit(kind, weights)
        return
    with pytest.raises(DataError, match=r'sample_weight: equal rows weigh .* pass weighting="relative"'):
        check_fit(kind, weights)
    assert constructor_of(kind)(weighting="relative").fit(X, Y, sample_weight=weights).n_features_in_ == 2
