"""Intervals of the probabilities of a mixture, by any method."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtri

from ..._display import Shown, counted
from ...blocks import Block, Facts, Grid
from ...mixture.parameters import MixtureParameters
from ...table.checks import check_number
from ...typing import BoolArray, FloatArray


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
        i = self.mixture.schema.position(variable)
        offsets = self.mixture.schema.offsets
        return self.value_bounds[:, :, offsets[i] : offsets[i + 1] - 1]

    def records(self) -> list[dict[str, Any]]:
        """Return one record per class and value, the class shares first, for a data frame."""
        mixture, schema = self.mixture, self.mixture.schema
        found = [
            self._record(
                None, None, k, mixture.class_probs[k], self.class_bounds[:, k], self.class_boundary[k]
            )
            for k in range(mixture.n_components)
        ]
        for i, variable in enumerate(schema.variables):
            for code, value in enumerate(variable.values):
                cell = schema.offsets[i] + code
                found += [
                    self._record(
                        variable.name,
                        value,
                        k,
                        mixture.value_probs[k, cell],
                        self.value_bounds[:, k, cell],
                        self.value_boundary[k, cell],
                    )
                    for k in range(mixture.n_components)
                ]
        return found

    @staticmethod
    def _record(
        variable: Any, value: Any, k: int, estimate: Any, bounds: Any, boundary: Any
    ) -> dict[str, Any]:
        return {
            "variable": variable,
            "value": value,
            "class": k + 1,
            "estimate": float(estimate),
            "low": float(bounds[0]),
            "high": float(bounds[1]),
            "at_boundary": bool(boundary),
        }

    def _title(self) -> str:
        n_classes = counted(self.mixture.n_components, "class")
        return f"Intervals: {100 * self.level:g} %, {n_classes}, by {self.method}"

    def _blocks(self) -> list[Block]:
        mixture, schema = self.mixture, self.mixture.schema
        components = range(mixture.n_components)
        rows = [["all", "share", *(interval_text(*self.class_bounds[:, k]) for k in components)]]
        for i, variable in enumerate(schema.variables):
            for code, value in enumerate(variable.values):
                bounds = self.value_bounds[:, :, schema.offsets[i] + code]
                marks = self.value_boundary[:, schema.offsets[i] + code]
                cells = [interval_text(*bounds[:, k]) + " *" * bool(marks[k]) for k in components]
                rows.append(
                    ["" if code else variable.name, "missing" if value is None else str(value), *cells]
                )
        n_flagged = int(self.value_boundary.sum() + self.class_boundary.sum())
        facts = [("estimates at the boundary (*)", str(n_flagged))] if n_flagged else []
        names = ["variable", "value", *(str(k + 1) for k in components)]
        return [Grid("", names, rows, n_text=2), *([Facts(facts)] if facts else [])]


def interval_text(low: float, high: float, digits: int = 2) -> str:
    """Format two bounds for printing.

    Examples
    --------
    >>> interval_text(0.123, 0.5), interval_text(np.nan, np.nan)
    ('0.12 to 0.50', 'unknown')
    """
    return "unknown" if np.isnan(low) else f"{low:.{digits}f} to {high:.{digits}f}"


def check_level(level: Any) -> float:
    """Return a level of confidence; raise if it is not between 0 and 1."""
    return check_number("level", level, 0.0, 1.0, above=True, below=True)


def logit_bounds(probs: FloatArray, errors: FloatArray, level: float) -> FloatArray:
    """Compute bounds that are normal on the logit scale, so that they stay between 0 and 1.

    Parameters
    ----------
    probs : array
        Estimates.
    errors : array of the same shape
        Standard errors of the probabilities.
    level : float
        Coverage.

    Returns
    -------
    array of shape (2, ...)
        Lower and upper bounds; NaN on the boundary.

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
    bounds = np.stack((expit(logit(safe) - width), expit(logit(safe) + width)))
    return np.asarray(np.where(inner, bounds, np.nan))


def quantile_bounds(draws: FloatArray, level: float) -> FloatArray:
    """Compute bounds that leave out equal shares of the draws, along the first axis, on both sides."""
    return np.asarray(np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0))
