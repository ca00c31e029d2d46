"""Models constructed with anything: a fit that keeps its promises, or an error of ours."""

import math
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from codelength import FiniteMixture, MixtureClassifier, NaiveBayes, Prior, Schema

from .harness import attempts
from .test_tables import GOOD, GOOD_TARGET, check_distributions


def test_random_parameters():
    attempts("parameters", parameters, range(300)).check()


@pytest.mark.long
def test_many_random_parameters():
    attempts("parameters", parameters, range(1500)).check()


VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        1,
        2,
        3,
        -1,
        10**9,
        10**12,
        2**70,
        10**400,
        0.5,
        1.0,
        2.5,
        -1.5,
        math.nan,
        math.inf,
    ),
    *(
        1e-300,
        1e300,
        "x" * 10_000,
        (),
        [],
        (1, 2),
        [2, 1],
        (1, 10**9),
        {},
        {"a": 1},
        set(),
        b"x",
        object(),
        int,
        len,
    ),
    *(
        "",
        *["x", "auto", "evidence", "map", "bic", "exact", "uniform", "jeffreys", "value", "ignore", "kmeans"],
    ),
    *(
        np.int64(2),
        np.float32(0.5),
        np.array([1.0, 2.0]),
        np.bool_(True),
        Fraction(1, 3),
        Decimal("0.5"),
        1 + 2j,
    ),
    *(np.random.default_rng(0), np.random.RandomState(0), np.random.SeedSequence(1), Prior(1, 0.5)),
    *(Prior(1e-300, 1e300), Schema.from_sizes([2, 2])),
)
SENSIBLE: dict[str, tuple[Any, ...]] = {
    "rule": ("evidence", "map", "stochastic_complexity", "indifferent"),
    "prior": (
        "uniform",
        "jeffreys",
        1,
        np.float32(2),
        Fraction(1, 3),
        Decimal("1.5"),
        1e-300,
        1e300,
        Prior(1, 2),
    ),
    "missing": ("ignore", "value"),
    "numeric": ("auto", "category", "discretize"),
    "handle_unknown": ("ignore", "error"),
    "select": ("prequential", "leave_one_out", "evidence"),
    "criterion": (
        "bic",
        "aic",
        "cheeseman_stutz",
        "neighbourhood",
        "annealed",
        "exact",
        "evidence",
        "prequential",
    ),
    "random_state": (
        0,
        -1,
        2**70,
        np.int64(3),
        np.random.default_rng(0),
        np.random.RandomState(0),
        None,
        (1, 2),
    ),
    "n_components": (1, 2, 3, "auto", (1, 2), [1, 3], 6, 7, 10**9),
    "init": ("random", "kmeans", "kmodes"),
    "tol": (0, 1e-3, 1e300, -1),
    "clustering": ("both", "em", "kmeans"),
}


def parameters(rng: Random) -> None:
    """Construct a model with any values, fit it to a small table and predict."""
    kind = rng.choice((NaiveBayes, FiniteMixture, MixtureClassifier))
    small: dict[type, dict[str, Any]] = {
        NaiveBayes: {},
        FiniteMixture: {"n_components": 2, "n_init": 2, "max_iter": 20, "random_state": 0},
        MixtureClassifier: {"candidates": 2, "n_components": 2, "n_orderings": 1, "random_state": 0},
    }
    names = list(kind().get_params())
    given = {}
    for name in rng.sample(names, rng.choice((1, 1, 2, 3))):
        given[name] = rng.choice(SENSIBLE.get(name, VALUES) if rng.random() < 0.8 else VALUES)
    model = kind(**(small[kind] | given))
    model.fit(GOOD, GOOD_TARGET)
    probs = model.predict_proba(GOOD)
    check_distributions(probs, (6, len(model._fitted.outcomes)))
    model.summary()
    repr(model)
