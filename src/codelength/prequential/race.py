"""Comparison of several models along common orderings, with as few orderings as needed.

The code lengths of a model along different orderings differ by more than those of two good models along the
same one. So all models take common orderings, their differences are tested after a growing number of them,
and a model that is clearly worse is not run any further.

Order of reading: :class:`Race` (the result), :func:`compare_models` (the loop over looks), ``_differences``
(paired differences and their errors), ``_looks``. Depends on ``orderings`` for groups of linked orderings,
whose means are the independent observations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from .._display import Shown, nats_and_bits
from ..blocks import Block, Grid
from ..decisions import TOLERANCE, first_best
from ..errors import InvalidParameter
from ..table.checks import (
    check_choice,
    check_instance,
    check_number,
    check_sequence,
    check_size,
    check_whole,
)
from ..typing import BoolArray, FloatArray, IntArray
from .orderings import SCHEMES, along_groups, group_seeds
from .sequence import SequentialModel

FIRST_LOOK = 4
"""Groups of orderings before the first test: fewer give a poor estimate of the spread."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Race(Shown):
    """Result of a comparison of models by their mean prequential code length.

    Attributes
    ----------
    best : int
        The model with the least mean code length among those never ruled out.
    settled : bool
        Whether every other model was ruled out, or found to be within the margin.
    means : array of shape (n_models,)
        Mean code length of each model over the orderings it was run along, in nats.
    excess : array of shape (n_models,)
        Mean code length beyond that of the best model along the same orderings, in nats.
    excess_errors : array of shape (n_models,)
        Standard errors of the excess.
    n_orderings : array of shape (n_models,)
        Number of orderings that each model was run along: fewer if it was ruled out early.
    """

    best: int
    settled: bool
    means: FloatArray
    excess: FloatArray
    excess_errors: FloatArray
    n_orderings: IntArray

    def _title(self) -> str:
        verdict = "is the best" if self.settled else "is ahead; not settled"
        return f"model {self.best} of {len(self.means)} {verdict}: {nats_and_bits(self.means[self.best])}"

    def _blocks(self) -> list[Block]:
        rows = [
            [f"{i}", f"{mean:.1f}", f"{mean / np.log(2):.1f}", f"{more:+.2f} ± {error:.2f}", f"{n}"]
            for i, (mean, more, error, n) in enumerate(
                zip(self.means, self.excess, self.excess_errors, self.n_orderings, strict=True)
            )
        ]
        return [Grid("", ["model", "nats", "bits", "beyond the best, nats", "orderings"], rows)]


def compare_models(
    models: Sequence[SequentialModel],
    *,
    confidence: float = 0.95,
    margin: float = 0.0,
    max_orderings: int = 200,
    scheme: str = "antithetic",
    random_state: Any = 0,
    n_threads: int | None = None,
) -> Race:
    """Find the model with the least mean prequential code length, with as few orderings as it takes.

    All models run along the same random orderings, so that the effect of an ordering cancels in their
    differences. From look to look a model is ruled out when it is worse than the best so far by a one-sided
    t-test on the differences; the error probability is shared out over the models and over all looks
    (1 / (j (j + 1)) of it for look j), so that the best model is ruled out with probability of at most
    ``1 - confidence``, as far as the means of groups of orderings are normal.

    Parameters
    ----------
    models : sequence of SequentialModel
        Models of the same rows.
    confidence : float
        Probability of not ruling the best model out.
    margin : float
        Models that are worse by at most this much, in nats, count as equally good: the search ends when
        all that are left are within it.
    max_orderings : int
        At most this many orderings are drawn.
    scheme : {"antithetic", "plain", "rotated"}
        Dependence between the orderings; see :func:`codelength.prequential.sample_orderings`.
    random_state : int, generator or None
        Seed of the permutations.
    n_threads : int, optional
        Threads to use; the result is the same for any number.

    Raises
    ------
    InvalidParameter
        If the models are not models of the same rows, an option is wrong, or a code length is infinite.

    Examples
    --------
    >>> from codelength.prequential import naive_bayes_sequence
    >>> from codelength.table import Coded, Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1]] * 20, [0, 1] * 20)
    >>> models = [naive_bayes_sequence(coded, prior=prior) for prior in ("uniform", 100.0)]
    >>> race = compare_models(models, random_state=0)
    >>> race.best, race.settled
    (0, True)
    """
    models = check_sequence("models", models, of="sequential models")
    confidence = check_number("confidence", confidence, 0, 1, above=True, below=True)
    margin = check_number("margin", margin, also=" (nats)")
    _check(models, max_orderings, scheme)
    n_linked = SCHEMES[scheme].n_linked
    seeds, done, settled = group_seeds(max_orderings // n_linked, random_state), 0, False
    # NaN marks groups of orderings that a model was not run along, because it was ruled out before.
    scores, is_in = np.full((len(models), len(seeds)), np.nan), np.ones(len(models), dtype=np.bool_)
    for look, stop in enumerate(_looks(len(seeds)), start=1):
        for i in np.flatnonzero(is_in).tolist():
            scores[i, done:stop] = _means(models[i], i, seeds[done:stop], scheme, n_threads)
        done, best = stop, _best(scores[:, :stop], is_in)
        # The sum of 1 / (j (j + 1)) over all looks is 1: a union bound that needs no number of looks in
        # advance.
        level = (1 - confidence) / (look * (look + 1)) / max(1, len(models) - 1)
        excess, errors = _differences(scores[:, :stop], best)
        # Means of groups are the observations of the t-test: orderings within a group are dependent.
        reach = float(stdtrit(stop - 1, 1 - level)) * errors
        is_in &= ~(excess - reach > 0)
        rivals = is_in & (np.arange(len(models)) != best)
        settled = bool((excess[rivals] + reach[rivals] <= margin).all())
        if settled:
            break
    best = _best(scores[:, :done], is_in)
    excess, errors = _differences(scores, best)
    n_groups = np.count_nonzero(~np.isnan(scores), axis=1)
    return Race(best, settled, np.nanmean(scores, axis=1), excess, errors, n_groups * n_linked)


def _means(
    model: SequentialModel, number: int, seeds: IntArray, scheme: str, n_threads: int | None
) -> FloatArray:
    """Compute the mean code length of a model along each group of orderings."""
    found = along_groups(SequentialModel.unchecked_code_length, model, seeds, scheme, n_threads)
    if not np.isfinite(found).all():
        raise InvalidParameter(
            f"model {number}: its code length is infinite along an ordering, so it cannot be compared; "
            'give the model a cap=, or use rule="evidence"'
        )
    return np.asarray(found.mean(axis=1))


def _best(scores: FloatArray, is_in: BoolArray) -> int:
    """Return the best remaining model; the first of several."""
    return first_best(-np.where(is_in, scores.mean(axis=1), np.inf))


def _differences(scores: FloatArray, best: int) -> tuple[FloatArray, FloatArray]:
    """Compute the mean excess over the best model and its standard error, over common groups of orderings.

    Differences within rounding are none: models that are equal by definition would never be found equal.
    """
    differences = scores - scores[best]
    differences[np.abs(differences) <= TOLERANCE * np.abs(scores[best])] = 0.0
    # Every model was run along the groups of the first look, which are two or more.
    n_groups = np.count_nonzero(~np.isnan(differences), axis=1)
    return np.nanmean(differences, axis=1), np.nanstd(differences, axis=1, ddof=1) / np.sqrt(n_groups)


def _looks(n_groups: int) -> list[int]:
    """Return the numbers of groups after which to test: growing by a half, and the last."""
    looks, stop = [], min(FIRST_LOOK, n_groups)
    while stop < n_groups:
        looks.append(stop)
        # Geometric growth: few looks, each of which would cost significance.
        stop = stop + max(2, stop // 2)
    return [*looks, n_groups]


def _check(models: Sequence[SequentialModel], max_orderings: int, scheme: str) -> None:
    if not models:
        raise InvalidParameter("models: expected at least one model")
    for model in models:
        check_instance("models", model, SequentialModel, "models as naive_bayes_sequence makes them")
    if any(not np.array_equal(model.layout.rows[:, 1], models[0].layout.rows[:, 1]) for model in models):
        raise InvalidParameter("models: expected models of the same rows, with the same classes to predict")
    check_choice("scheme", scheme, SCHEMES)
    check_whole("max_orderings", max_orderings, 2 * SCHEMES[scheme].n_linked)
    check_size("max_orderings", max_orderings)
