"""Predicted and observed frequencies of a model."""

from dataclasses import replace

import numpy as np

from ...render.templates import rendered
from ...scores import Predictions
from ...scores.calibration import PARTS, calibration
from ...typing import Scalar
from ..charts import Frame
from ..estimates import around, wilson
from ..page import Section
from ..results import Analysis, Estimate, Reliability
from ..words import counted, number, percent

ROWS_PER_BIN = 10
"""Rows that each bin of a reliability diagram should have."""

FRAME = Frame(360.0, 340.0, left=46.0, right=12.0, top=12.0, bottom=48.0)

N_DRAWS = 200
"""Bootstrap samples for the standard error of the calibration error."""


def reliability(
    predictions: Predictions, classes: tuple[Scalar, ...], of: Scalar | None = None, n_bins: int | None = None
) -> Reliability:
    """Return predicted and observed frequencies, in bins of about equal weight.

    Parameters
    ----------
    predictions : Predictions
        Predictions of some rows, with the classes that occurred.
    classes : tuple
        The classes.
    of : class, optional
        The class predicted; by default the second of two, and the most probable one of each row of more.
    n_bins : int, optional
        Most bins; by default ten, but few enough for ten rows in each.
    """
    # With two classes the diagram of one is the mirror image of the other.
    if of is None and len(classes) == 2:
        of = classes[1]
    if of is None:
        promised, came_true = np.exp(predictions.log_probs.max(axis=1)), predictions.hits
    else:
        k = classes.index(of)
        promised = np.exp(predictions.log_probs[:, k])
        came_true = (np.asarray(predictions.class_codes) == k).astype(np.float64)
    weights = np.ones(len(promised)) if predictions.weights is None else predictions.weights
    # With fewer rows per bin the intervals would cover nearly everything.
    most = max(1, min(PARTS, len(promised) // ROWS_PER_BIN)) if n_bins is None else n_bins
    found = calibration(promised, came_true, weights, most)
    low, high = wilson(found.observed * found.weights, found.weights)
    told = "the most probable class" if of is None else str(of)
    return Reliability(found.promised, found.observed, low, high, found.weights, told)


def calibration_error(predictions: Predictions, seed: int) -> tuple[Estimate, float]:
    """Return the mean distance between predicted and observed frequencies.

    Returns
    -------
    estimate : Estimate
        The calibration error, with its standard error over bootstrap samples.
    by_chance : float
        Its mean if all predicted probabilities were true.
    """
    promised, came_true = np.exp(predictions.log_probs.max(axis=1)), predictions.hits
    n_rows, value = len(promised), predictions.calibration_error
    ones, rng = np.ones(n_rows), np.random.default_rng([seed, 2])
    drawn, by_chance = np.empty(N_DRAWS), np.empty(N_DRAWS)
    for draw in range(N_DRAWS):
        rows = rng.integers(0, n_rows, n_rows)
        drawn[draw] = calibration(promised[rows], came_true[rows], ones).error
        # The error of a finite table is positive even under perfect calibration; this measures by how much.
        simulated = (rng.random(n_rows) < promised).astype(np.float64)
        by_chance[draw] = calibration(promised, simulated, ones).error
    found = around(value, float(drawn.std(ddof=1)))
    return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0)), float(by_chance.mean())


def section(analysis: Analysis) -> Section:
    """Return the section on predicted against observed frequencies."""
    found = analysis.reliability
    x, y = FRAME.across(0, 1), FRAME.upwards(0, 1)
    # By the square root, so that the area of a dot is proportional to its rows.
    radii = 3.0 + 4.0 * (found.n_rows / (found.n_rows.max(initial=0.0) or 1.0)) ** 0.5
    figures = [column.tolist() for column in (found.promised, found.observed, found.low, found.high, radii)]
    groups = list(zip(*figures, strict=True))
    body = rendered(
        "reporting/sections/reliability",
        groups=groups,
        n_kept=int(((found.low <= found.promised) & (found.promised <= found.high)).sum()),
        line=[(x(promised), y(observed)) for promised, observed, *_ in groups],
        rows=[
            [percent(promised), percent(observed), f"{number(100 * low, 1)} to {percent(high)}", counted(n)]
            for (promised, observed, low, high, _), n in zip(groups, found.n_rows, strict=True)
        ],
        of=found.of,
        best=analysis.best,
        frame=FRAME,
        x=x,
        y=y,
    )
    title = "Can the probabilities be trusted?"
    return Section("reliability", title, body, short="Reliability", is_half=True)
