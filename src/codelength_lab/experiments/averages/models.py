"""Models of the comparison: the average, its members alone, naive Bayes, the class prior and opponents."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from codelength.evaluation.opponents import OPPONENTS
from codelength.evaluation.opponents.fairness import class_prior
from codelength.table import Table
from codelength.table.column import Factor
from codelength.typing import FloatArray

AVERAGE, NAIVE_BAYES, PRIOR = "model-average", "naive-bayes", "class-prior"

_TITLES = {AVERAGE: "ModelAverage", NAIVE_BAYES: "NaiveBayes (evidence)", PRIOR: "class prior"}


def member_kinds() -> list[str]:
    """Return the kinds of the members of the average, which are also models of their own."""
    from codelength.averages.members import DEFAULT_MEMBERS

    return [name.replace("_", "-") for name in DEFAULT_MEMBERS]


def opponent_kinds(*, quick: bool = False) -> list[str]:
    """Return the kinds of opponents whose library is installed; those of scikit-learn in a quick run."""
    return [
        kind
        for kind, opponent in OPPONENTS.items()
        if opponent.is_installed() and (opponent.library == "sklearn" or not quick)
    ]


def title_of(kind: str) -> str:
    """Return the name of a model in tables and figures.

    Examples
    --------
    >>> title_of("model-average"), title_of("catboost"), title_of("kernel")
    ('ModelAverage', 'CatBoost', 'kernel alone')
    """
    if kind in OPPONENTS:
        return OPPONENTS[kind].title
    return _TITLES.get(kind, f"{kind} alone")


def learned(kind: str, train: Table, seed: int) -> Callable[[Table], FloatArray]:
    """Fit a model, and return a function from rows to their log probabilities."""
    if kind == PRIOR:
        target = train.target
        assert isinstance(target, Factor)
        counts = np.bincount(target.positions, minlength=len(target.values)).astype(np.float64)
        return lambda test: np.tile(np.log(class_prior(counts)), (test.n_rows, 1))
    if kind in OPPONENTS:
        opponent = OPPONENTS[kind](random_state=seed).fit(train)
        return lambda test: np.log(opponent.probabilities(test))
    from codelength.estimators import constructor_of

    model: Any = constructor_of(kind)
    # Not all models have random numbers.
    seeded = {"random_state": seed} if "random_state" in signature(model).parameters else {}
    fitted = model(**seeded).fit(train)
    return lambda test: np.asarray(fitted.predict_log_proba(test), dtype=np.float64)
