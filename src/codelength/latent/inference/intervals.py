r"""Intervals of the probabilities of a mixture, by any method, also of estimates on the boundary.

A value that a component never takes is estimated as impossible, and has no standard error. Its interval
begins at zero, and ends at the probability at which the log-likelihood, maximised over all other parameters,
has fallen by half a quantile of the chi-squared distribution with one degree of freedom. EM finds that
maximum: with :math:`\lambda` more pseudocounts for the value, EM climbs to a maximum of :math:`L(\theta) +
\lambda \log p`, which also maximises :math:`L` among all mixtures with that :math:`p`.

Order of reading: :class:`Intervals`, :class:`Estimates` (the base class of results that have intervals), the
bounds, :func:`with_profile_bounds`. Depends on ``coordinates`` and on EM.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import chdtri, expit, logit, ndtri

from ..._display import Shown, counted
from ..._threads import in_threads
from ...blocks import Block, Facts, Grid
from ...mixture._replications import Progress, climb
from ...mixture.em._problem import EMProblem, JointRows, joint_rows
from ...mixture.parameters import MixtureParameters
from ...naive_bayes import PriorLike, Pseudocounts, pseudocounts
from ...table import Coded, Schema
from ...table.checks import check_number
from ...typing import BoolArray, FloatArray
from .coordinates import Coordinates

PRECISION = 0.01
"""Relative precision of the fall of the log-likelihood at a bound."""

MAX_RUNS = 25
"""Maximum number of runs of EM per bound."""

MAX_ITER, TOL = 1000, 1e-9
"""Iterations and tolerance of each run."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Intervals(Shown):
    """Lower and upper bounds of class shares and value probabilities.

    Attributes
    ----------
    mixture : MixtureParameters
        The estimates.
    level : float
        Coverage of the intervals.
    method : str
        Method of the intervals.
    class_bounds : array of shape (2, n_components)
        Lower and upper bounds of the class shares; NaN if unknown.
    value_bounds : array of shape (2, n_components, n_cells)
        Bounds of the value probabilities, laid out like those; NaN in the cells for missing.
    class_boundary, value_boundary : arrays of shape (n_components,) and (n_components, n_cells)
        Whether each estimate lies on the boundary, at 0 or 1.
    """

    mixture: MixtureParameters
    level: float
    method: str
    class_bounds: FloatArray
    value_bounds: FloatArray
    class_boundary: BoolArray
    value_boundary: BoolArray

    def of(self, variable: int | str) -> FloatArray:
        """Return the bounds of one variable's values, shape (2, n_components, n_values)."""
        schema = self.mixture.schema
        return self.value_bounds[:, :, schema.cells(schema.position(variable))]

    def records(self) -> list[dict[str, Any]]:
        """Return one record per class and value, the class shares first, for a data frame."""
        mixture = self.mixture
        probs = with_shares(mixture.value_probs, mixture.class_probs)
        low, high = with_shares(self.value_bounds, self.class_bounds)
        flags = with_shares(self.value_boundary, self.class_boundary)
        return [
            {
                "variable": name,
                "value": value,
                "class": k + 1,
                "estimate": float(probs[k, cell]),
                "low": float(low[k, cell]),
                "high": float(high[k, cell]),
                "at_boundary": bool(flags[k, cell]),
            }
            for name, value, cell in _named_cells(mixture.schema)
            for k in range(mixture.n_components)
        ]

    def _title(self) -> str:
        n_classes = counted(self.mixture.n_components, "class")
        return f"Intervals: {100 * self.level:g} %, {n_classes}, by {self.method}"

    def _blocks(self) -> list[Block]:
        low, high = with_shares(self.value_bounds, self.class_bounds)
        flags = with_shares(self.value_boundary, self.class_boundary)

        def text(k: int, cell: int) -> str:
            unknown = np.isnan(low[k, cell])
            bounds = "unknown" if unknown else f"{low[k, cell]:.2f} to {high[k, cell]:.2f}"
            return bounds + " *" * bool(flags[k, cell])

        n_flagged = int(flags.sum())
        facts = [Facts([("estimates at the boundary (*)", str(n_flagged))])] if n_flagged else []
        return [probability_grid(self.mixture, text), *facts]


class Estimates(Shown):
    """Base class of results about the probabilities of a mixture that have intervals."""

    __slots__ = ()
    coordinates: Coordinates

    @property
    def mixture(self) -> MixtureParameters:
        """The estimates."""
        return self.coordinates.mixture

    def _intervals(
        self, level: float, method: str, of_classes: FloatArray, of_values: FloatArray
    ) -> Intervals:
        boundary = self.coordinates.class_boundary, self.coordinates.value_boundary
        return Intervals(self.mixture, level, method, of_classes, of_values, *boundary)


def with_shares(of_values: Any, of_classes: Any) -> Any:
    """Return arrays of cells with the figures of the class shares in a last cell."""
    return np.concatenate((of_values, of_classes[..., None]), axis=-1)


def probability_grid(mixture: MixtureParameters, text: Callable[[int, int], str]) -> Grid:
    """Return a grid of all probabilities, from the text of a component and cell; cell -1 is the share."""
    rows, last = [], None
    for name, value, cell in _named_cells(mixture.schema):
        shown = "missing" if value is None else str(value)
        heads = ["all", "share"] if cell < 0 else ["" if name == last else name, shown]
        rows.append([*heads, *(text(k, cell) for k in range(mixture.n_components))])
        last = name
    names = ["variable", "value", *(str(k + 1) for k in range(mixture.n_components))]
    return Grid("", names, rows, n_text=2)


def _named_cells(schema: Schema) -> list[tuple[Any, Any, int]]:
    """Return variable, value and cell of every probability, first those of the class shares."""
    cells: list[tuple[Any, Any, int]] = [(None, None, -1)]
    for variable, offset in zip(schema.variables, schema.offsets.tolist(), strict=False):
        cells += [(variable.name, value, offset + code) for code, value in enumerate(variable.values)]
    return cells


def check_level(level: Any) -> float:
    """Return a level of confidence; raise if it is not between 0 and 1."""
    return check_number("level", level, 0.0, 1.0, above=True, below=True)


def logit_bounds(probs: FloatArray, errors: FloatArray, level: float) -> FloatArray:
    """Compute bounds that are normal on the logit scale, so that they stay between 0 and 1.

    Lower bounds come first. Bounds of estimates on the boundary are NaN.

    Examples
    --------
    >>> logit_bounds(np.array([0.5]), np.array([0.1]), 0.95).round(3).tolist()
    [[0.313], [0.687]]
    """
    inner = np.isfinite(errors) & (probs > 0) & (probs < 1)
    # Any value between 0 and 1 avoids infinite logits; those bounds are NaN in the end.
    safe = np.where(inner, probs, 0.5)
    # The delta method: the derivative of the logit is 1 / (p (1 - p)).
    width = ndtri((1 + level) / 2) * errors / (safe * (1 - safe))
    bounds = expit(np.stack((logit(safe) - width, logit(safe) + width)))
    return np.asarray(np.where(inner, bounds, np.nan))


def quantile_bounds(draws: FloatArray, level: float) -> FloatArray:
    """Compute bounds that leave out equal shares of the draws, along the first axis, on both sides."""
    return np.asarray(np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0))


def with_profile_bounds(
    coded: Coded,
    intervals: Intervals,
    prior: PriorLike = "uniform",
    *,
    progress: Progress | None = None,
) -> Intervals:
    """Add intervals of estimates on the boundary.

    The interval of a certain value is the complement of the others. Components without rows have no
    intervals.

    The rows and the prior are those of the fit, and ``progress`` is called after each bound with the number
    done and the total.

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
    # Components without rows have no likelihood to profile.
    flagged = intervals.value_boundary & ~intervals.class_boundary[:, None]
    if not flagged.any():
        return intervals
    joint, spread = joint_rows(mixture.coded(coded)), pseudocounts(prior, schema)
    # Twice the fall of the profile log-likelihood is compared with chi-squared with one degree of freedom.
    fall = float(chdtri(1, 1 - intervals.level)) / 2
    impossible = np.argwhere(flagged & (mixture.value_probs < 0.5)).tolist()

    def bound(place: list[int]) -> float:
        return _upper(joint, spread, mixture, (place[0], place[1]), fall)

    bounds = intervals.value_bounds.copy()
    for number, high in enumerate(in_threads(bound, impossible)):
        k, cell = impossible[number]
        bounds[:, k, cell] = 0.0, high
        if progress is not None:
            progress(number + 1, len(impossible))
    # A certain value is one minus the others, of which the one with the widest interval decides.
    for k, cell in np.argwhere(flagged & (mixture.value_probs >= 0.5)).tolist():
        own = _variable_of(schema, cell)
        others = np.delete(bounds[1, k, own], cell - own.start)
        bounds[:, k, cell] = 1 - others.max(initial=0.0), 1.0
    method = f"{intervals.method}; at the boundary by profile likelihood"
    return replace(intervals, value_bounds=bounds, method=method)


def _upper(
    joint: JointRows,
    spread: Pseudocounts,
    mixture: MixtureParameters,
    place: tuple[int, int],
    fall: float,
) -> float:
    """Find the probability at which the profile log-likelihood of one value has fallen by ``fall``."""
    schema = mixture.schema
    highest = climb(EMProblem.of(schema, joint, spread), [mixture], MAX_ITER, TOL)[1]
    size, state = float(joint.weights.sum()) * mixture.class_probs[place[0]], mixture
    low, high, push = 0.0, math.inf, fall
    for _ in range(MAX_RUNS):
        raised = spread.value_pseudocounts.copy()
        raised[place] += push
        # A probability of zero would stay zero; this is its maximum if rows of the component were known.
        start = _with_prob(state, place, push / (size + push))
        pushed = Pseudocounts(spread.class_pseudocounts, raised)
        state, reached, _ = climb(EMProblem.of(schema, joint, pushed), [start], MAX_ITER, TOL)
        fallen = highest - reached
        if abs(fallen - fall) <= PRECISION * fall:
            break
        low, high = (push, high) if fallen < fall else (low, push)
        # The fall increases with the push, at first in proportion: extrapolate, and bisect if that fails.
        guess = push * fall / fallen if fallen > 0 else 4 * push
        inside = low < guess < high and (high < math.inf or guess <= 8 * push)
        push = guess if inside else (8 * push if high == math.inf else (low + high) / 2)
    return float(state.value_probs[place])


def _with_prob(mixture: MixtureParameters, place: tuple[int, int], prob: float) -> MixtureParameters:
    """Set one probability, and scale the others of its distribution."""
    values, own = mixture.value_probs.copy(), _variable_of(mixture.schema, place[1])
    rest = 1 - values[place]
    values[place[0], own] *= (1 - prob) / rest if rest > 0 else 0.0
    values[place] = prob
    return replace(mixture, value_probs=values)


def _variable_of(schema: Schema, cell: int) -> slice:
    """Return the cells of the variable that a cell belongs to."""
    return schema.cells(int(np.searchsorted(schema.offsets, cell, side="right")) - 1)
