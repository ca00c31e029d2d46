"""The code lengths that a mixture can be chosen by, each as a function of a fitted mixture."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ..errors import InvalidParameter
from ..mixture.code_length.annealed import annealed_code_length
from ..mixture.code_length.cheeseman_stutz import cheeseman_stutz_code_length
from ..mixture.code_length.exact import ExactCodeLength, exact_code_length
from ..mixture.code_length.information_criteria import aic_code_length, bic_code_length
from ..mixture.code_length.neighbourhood import neighbourhood_code_length
from ..mixture.parameters import MixtureParameters
from ..rules import PriorLike
from ..table import Schema
from ..typing import CodeArray, FloatArray

LEAST_SHARE = 1e-200
"""A smaller share of a row is worth nothing in any sum, but its ratios to others are not exact."""

CriterionName: TypeAlias = Literal[
    "cheeseman_stutz", "cheeseman_stutz_soft", "bic", "aic", "neighbourhood", "annealed", "exact"
]


@dataclass(frozen=True, slots=True)
class Training:
    """The distinct rows of a table in a fixed order, and how much each weighs.

    What is fitted to them depends neither on the order of the rows nor on whether a row is repeated or
    has a weight.
    """

    codes: CodeArray
    weights: FloatArray

    @classmethod
    def of(cls, codes: CodeArray, weights: FloatArray | None) -> "Training":
        """The distinct rows of some coded rows."""
        rows = np.ascontiguousarray(codes)
        # As strings of bytes the rows sort many times faster than column by column.
        as_bytes = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
        _, first, which = np.unique(as_bytes, return_index=True, return_inverse=True)
        totals = np.bincount(which.ravel(), weights, len(first)).astype(np.float64)
        return cls(np.asfortranarray(rows[first]), totals)

    def repeated(self) -> CodeArray:
        """The rows one by one, for scores that clusterings of single rows go into."""
        if not np.array_equal(self.weights, np.round(self.weights)):
            raise InvalidParameter(
                "this criterion clusters whole rows, and the weights are not whole numbers; use bic, "
                "aic or cheeseman_stutz"
            )
        return np.asfortranarray(np.repeat(self.codes, self.weights.astype(np.int64), axis=0))


Criterion: TypeAlias = Callable[[MixtureParameters, Training, PriorLike, Any], float]


def _cheeseman_stutz(mixture: MixtureParameters, training: Training, prior: PriorLike, seed: Any) -> float:
    labels = np.argmax(mixture.responsibilities(training.codes), axis=1)
    return float(
        cheeseman_stutz_code_length(
            mixture.schema, training.codes, labels, prior, sample_weight=training.weights
        )
    )


def _cheeseman_stutz_soft(
    mixture: MixtureParameters, training: Training, prior: PriorLike, seed: Any
) -> float:
    shares = soft_shares(mixture, training.codes)
    return float(
        cheeseman_stutz_code_length(
            mixture.schema, training.codes, shares, prior, completion="soft", sample_weight=training.weights
        )
    )


def soft_shares(mixture: MixtureParameters, codes: CodeArray, n_threads: int | None = None) -> FloatArray:
    """Probability of each component for each row, without those so small that counts of them underflow.

    Examples
    --------
    >>> from codelength.scores.mixtures import with_components
    >>> schema = with_components(Schema.from_sizes([2]), 2)
    >>> mixture = MixtureParameters(schema, np.array([1 - 1e-320, 1e-320]), np.array([[0.5, 0.5, 1]] * 2))
    >>> soft_shares(mixture, np.array([[0]], dtype=np.uint8))
    array([[1., 0.]])
    """
    shares = mixture.responsibilities(codes, n_threads)
    return np.where(shares < LEAST_SHARE, 0.0, shares)


def _bic(mixture: MixtureParameters, training: Training, prior: PriorLike, seed: Any) -> float:
    return bic_code_length(mixture, training.codes, sample_weight=training.weights)


def _aic(mixture: MixtureParameters, training: Training, prior: PriorLike, seed: Any) -> float:
    return aic_code_length(mixture, training.codes, sample_weight=training.weights)


def _neighbourhood(mixture: MixtureParameters, training: Training, prior: PriorLike, seed: Any) -> float:
    codes = training.repeated()
    labels = np.argmax(mixture.responsibilities(codes), axis=1)
    return float(neighbourhood_code_length(mixture.schema, codes, labels, prior))


def _annealed(mixture: MixtureParameters, training: Training, prior: PriorLike, seed: Any) -> float:
    codes = training.repeated()
    found = annealed_code_length(mixture.schema, codes, mixture.n_components, prior, random_state=seed)
    return float(found.code_length)


def _exact(mixture: MixtureParameters, training: Training, prior: PriorLike, seed: Any) -> float:
    found = exact_of_codes(mixture.schema, training.repeated(), mixture.n_components, prior)
    return float(found.code_length)


def exact_of_codes(
    schema: Schema, codes: CodeArray, n_components: int, prior: PriorLike = "uniform"
) -> ExactCodeLength:
    """The exact code length of rows that are coded already.

    Examples
    --------
    >>> schema = Schema.from_sizes([2])
    >>> round(exact_of_codes(schema, np.array([[0], [1], [2]], dtype=np.uint8), 1).code_length, 4)
    1.7918
    """
    by_code = Schema.from_sizes(schema.n_values.tolist())
    table = np.where(codes < schema.n_values, codes.astype(np.float64), np.nan)
    return exact_code_length(table, n_components, prior=prior, schema=by_code)


CRITERIA: dict[str, Criterion] = {
    "cheeseman_stutz": _cheeseman_stutz,
    "cheeseman_stutz_soft": _cheeseman_stutz_soft,
    "bic": _bic,
    "aic": _aic,
    "neighbourhood": _neighbourhood,
    "annealed": _annealed,
    "exact": _exact,
}
"""Code length of a table given a fitted mixture, in nats, by name."""
