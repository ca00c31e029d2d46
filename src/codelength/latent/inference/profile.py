r"""Profile-likelihood intervals of estimates on the boundary.

A value that a component never takes is estimated as impossible, and has no standard error. Its interval
begins at zero, and ends at the probability at which the log-likelihood, maximised over all other parameters,
has fallen by half a quantile of the chi-squared distribution with one degree of freedom. EM finds that
maximum: with :math:`\lambda` more pseudocounts for the value, EM climbs to a maximum of :math:`L(\theta) +
\lambda \log p`, which also maximises :math:`L` among all mixtures with that :math:`p`.
"""

import math
from dataclasses import replace

import numpy as np
from scipy.special import chdtri

from ..._threads import in_threads
from ...mixture._replications import Progress, climb
from ...mixture.em._layout import JointRows, joint_rows
from ...mixture.em._problem import EMProblem
from ...mixture.parameters import MixtureParameters
from ...naive_bayes import PriorLike, Pseudocounts, pseudocounts
from ...table import Coded
from .intervals import Intervals

PRECISION = 0.01
"""Relative precision of the fall of the log-likelihood at a bound."""

MAX_RUNS = 25
"""Maximum number of runs of EM per bound."""


def with_profile_bounds(
    coded: Coded,
    intervals: Intervals,
    prior: PriorLike = "uniform",
    *,
    max_iter: int = 1000,
    tol: float = 1e-9,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Intervals:
    """Add intervals of estimates on the boundary.

    The interval of a certain value is the complement of the others. Components without rows have no
    intervals.

    Parameters
    ----------
    coded : Coded
        The rows that the mixture was fitted to.
    intervals : Intervals
        Intervals of the other estimates.
    prior, max_iter, tol, n_threads, progress
        As in :func:`codelength.latent.inference.bootstrap`.

    Returns
    -------
    Intervals
        The intervals with bounds on the boundary.

    Examples
    --------
    >>> from codelength.mixture import fit_mixture
    >>> from codelength.latent.inference import standard_errors
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2]), [[0]] * 100)
    >>> mixture, _ = fit_mixture(coded, 1)
    >>> intervals = with_profile_bounds(coded, standard_errors(coded, mixture).intervals())
    >>> intervals.of(0)[:, 0, 1].round(3)  # (1 - p)^100 = exp(-1.92)
    array([0.   , 0.019])
    """
    mixture, schema = intervals.mixture, intervals.mixture.schema
    joint, spread = joint_rows(mixture.coded(coded)), pseudocounts(prior, schema)
    # Twice the fall of the profile log-likelihood is compared with chi-squared with one degree of freedom.
    fall = float(chdtri(1, 1 - intervals.level)) / 2
    # Components without rows have no likelihood to profile.
    flagged = intervals.value_boundary & ~intervals.class_boundary[:, None]
    impossible = np.argwhere(flagged & (mixture.value_probs < 0.5))

    def bound(place: int) -> float:
        k, cell = impossible[place]
        return _upper(joint, spread, mixture, int(k), int(cell), fall, max_iter, tol)

    bounds = intervals.value_bounds.copy()
    for place, high in enumerate(in_threads(bound, range(len(impossible)), n_threads)):
        k, cell = impossible[place]
        bounds[:, k, cell] = 0.0, high
        if progress is not None:
            progress(place + 1, len(impossible))
    # A certain value is one minus the others, of which the one with the widest interval decides.
    for k, cell in np.argwhere(flagged & (mixture.value_probs >= 0.5)):
        i = int(np.searchsorted(schema.offsets, cell, side="right")) - 1
        others = np.delete(np.arange(schema.offsets[i], schema.offsets[i + 1] - 1), cell - schema.offsets[i])
        bounds[:, k, cell] = 1 - (bounds[1, k, others].max() if len(others) else 0.0), 1.0
    method = (
        f"{intervals.method}; at the boundary by profile likelihood" if flagged.any() else intervals.method
    )
    return replace(intervals, value_bounds=bounds, method=method)


def _upper(
    joint: JointRows,
    spread: Pseudocounts,
    mixture: MixtureParameters,
    k: int,
    cell: int,
    fall: float,
    max_iter: int,
    tol: float,
) -> float:
    """Find the probability at which the profile log-likelihood of one value has fallen by ``fall``."""
    schema = mixture.schema
    highest = climb(EMProblem.of(schema, joint, spread), [mixture], max_iter, tol)[1]
    size, state = float(joint.weights.sum()) * mixture.class_probs[k], mixture
    low, high, push = 0.0, math.inf, fall
    for _ in range(MAX_RUNS):
        raised = spread.value_pseudocounts.copy()
        raised[k, cell] += push
        # A probability of zero would stay zero; this is its maximum if rows of the component were known.
        start = _with_prob(state, k, cell, push / (size + push))
        pushed = Pseudocounts(spread.class_pseudocounts, raised)
        state, reached, _ = climb(EMProblem.of(schema, joint, pushed), [start], max_iter, tol)
        fallen = highest - reached
        if abs(fallen - fall) <= PRECISION * fall:
            break
        low, high = (push, high) if fallen < fall else (low, push)
        # The fall increases with the push, at first in proportion: extrapolate, and bisect if that fails.
        guess = push * fall / fallen if fallen > 0 else 4 * push
        inside = low < guess < high and (high < math.inf or guess <= 8 * push)
        push = guess if inside else (8 * push if high == math.inf else (low + high) / 2)
    return float(state.value_probs[k, cell])


def _with_prob(mixture: MixtureParameters, k: int, cell: int, prob: float) -> MixtureParameters:
    """Set one probability, and scale the others of its distribution."""
    offsets = mixture.schema.offsets
    i = int(np.searchsorted(offsets, cell, side="right")) - 1
    own = np.s_[offsets[i] : offsets[i + 1] - 1]
    values = mixture.value_probs.copy()
    rest = 1 - values[k, cell]
    values[k, own] *= (1 - prob) / rest if rest > 0 else 0.0
    values[k, cell] = prob
    return replace(mixture, value_probs=values)
