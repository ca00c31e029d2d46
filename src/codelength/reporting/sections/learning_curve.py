"""Learning curve of the best model.

Order of reading: :func:`learning_curve` chooses sizes and splits, ``_of_repeated_splits`` and
``_of_one_split`` fit the model and estimate its loss at each size, ``_sentence`` describes the last step,
and :func:`section` draws the chart. :mod:`codelength.plot` uses :func:`bits_by_split` and
:func:`loss_over_splits`. Depends on ``models`` for the fits, on ``plan`` for their cost and on
``estimates`` for the bands.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...evaluation import Split
from ...evaluation.fits import predictions_over
from ...render.templates import rendered
from ...table import Coded, Table
from ...typing import FloatArray
from .. import charts
from ..estimates import mean_of, mean_over_splits
from ..page import Section
from ..plan import MAX_COLUMNS, effort
from ..results import Analysis, Estimate, LearningCurve
from ..words import counted, interval, number
from .models import BITS, NAIVE_BAYES, Candidates, Compared, predict_with_refits

LEAST_ROWS = 20
"""Fewest rows of a table with a learning curve."""

MAX_ROWS, MAX_TEST_ROWS = 10_000, 2_000
"""Most training and test rows of each repeated split."""

LEAST_SIZE = 5
"""Fewest training rows on the curve."""

N_SIZES, N_SIZES_OF_SLOW = 7, 5
"""Most points of the curve, and most of slow models."""

REPEATS, LEAST_REPEATS = 10, 3
"""Random splits, and fewest for an interval over splits."""

EFFORT = 6.0
"""Approximate seconds of one processor that repeated splits of a slow model may take."""


FRAME = charts.Frame(360.0, 340.0, left=52.0, right=14.0, top=14.0, bottom=48.0)
MAX_TICKS = 6


def learning_curve(
    table: Table, coded: Coded, compared: Compared, candidates: Candidates
) -> LearningCurve | None:
    """Compute the log loss of the best model by the number of training rows.

    In each of several random splits some rows are held out. The model is fitted to all other rows, to half of
    them, a quarter, and so on. The band is a 95 % interval that allows for rows that splits have in common:
    :func:`codelength.reporting.estimates.mean_over_splits`. If that would take long, the first split of the
    comparison is the only one, and the band is over its rows. If the class prior is best, the curve is that
    of naive Bayes.
    """
    if table.n_rows < LEAST_ROWS or coded.schema.n_classes < 2 or not table.n_columns:
        return None
    best = compared.best
    # Naive Bayes takes milliseconds, so that its splits are limited by their number and not by time.
    is_slow = best in candidates.slow
    name = best if is_slow or best in NAIVE_BAYES.values() else NAIVE_BAYES["evidence"]
    n_test = min(table.n_rows // 4, MAX_TEST_ROWS)
    sizes = _halved(min(table.n_rows - n_test, MAX_ROWS), N_SIZES_OF_SLOW if is_slow else N_SIZES)
    repeats = REPEATS if table.n_columns <= MAX_COLUMNS else LEAST_REPEATS
    if is_slow:
        each = sum(effort(size, table.n_columns, coded.schema.n_classes, n_test) for size in sizes)
        repeats = min(int(EFFORT / each), REPEATS)
    if repeats < LEAST_REPEATS:
        return _of_one_split(name, table, coded, compared, candidates)
    return _of_repeated_splits(name, table, coded, sizes, n_test, repeats, candidates)


def _of_repeated_splits(
    name: str, table: Table, coded: Coded, sizes: list[int], n_test: int, repeats: int, candidates: Candidates
) -> LearningCurve:
    """Return the curve over random splits, with a band that is corrected for shared rows."""
    splits = []
    for repeat in range(repeats):
        order = np.random.default_rng([candidates.seed, 3, repeat]).permutation(table.n_rows)
        test, others = np.sort(order[:n_test]), order[n_test:]
        # Nested training rows and the same test rows: differences between sizes are not blurred by other
        # rows.
        splits += [Split(np.sort(others[:size]), test) for size in sizes]
    bits = _losses(name, table, coded, splits, candidates)
    losses = np.array([row.mean() for row in bits]).reshape(repeats, len(sizes))
    test_share = n_test / table.n_rows
    bands = [loss_over_splits(figures, test_share) for figures in losses.T]
    return _curve(name, sizes, bands, mean_over_splits(losses[:, -2] - losses[:, -1], test_share))


def _of_one_split(
    name: str, table: Table, coded: Coded, compared: Compared, candidates: Candidates
) -> LearningCurve:
    """Return the curve over the first split of the comparison, whose full training set is fitted already."""
    split, rng = compared.plan.splits[0], np.random.default_rng([candidates.seed, 3])
    order = rng.permutation(split.train)
    places = np.sort(rng.permutation(len(split.test))[:MAX_TEST_ROWS])
    sizes = _halved(len(order), N_SIZES_OF_SLOW - 1)
    splits = [Split(np.sort(order[:size]), split.test[places]) for size in sizes[:-1]]
    bits = _losses(name, table, coded, splits, candidates)
    # The largest size is that of the comparison itself, which saves the longest fit.
    bits.append(-compared.bits(name)[places])
    return _curve(name, sizes, [_loss(mean_of(row)) for row in bits], mean_of(bits[-2] - bits[-1]))


def loss_over_splits(losses: FloatArray, test_share: float) -> Estimate:
    """Return :func:`mean_over_splits` of log losses, with an interval that ends at 0."""
    return _loss(mean_over_splits(losses, test_share))


def _loss(mean: Estimate) -> Estimate:
    """Cut the interval of a log loss at 0: no loss is negative."""
    return replace(mean, low=max(mean.low, 0.0))


def _losses(
    name: str, table: Table, coded: Coded, splits: Sequence[Split], candidates: Candidates
) -> list[FloatArray]:
    """Return the costs of the classes of the test rows in bits, one array per split."""
    if name in candidates.naive:
        found = predictions_over(table, {name: candidates.naive[name]}, splits)
    else:
        found = predict_with_refits(table, coded, splits, {name: candidates.slow[name]})
    return bits_by_split(found[name].predictions.true_log_probs, splits)


def bits_by_split(log_probs: FloatArray, splits: Sequence[Split]) -> list[FloatArray]:
    """Return the costs of the classes of the test rows in bits, one array per split."""
    ends = np.cumsum([len(split.test) for split in splits])[:-1]
    return np.split(-log_probs * BITS, ends)


def _halved(largest: int, most: int) -> list[int]:
    """Return a number, half of it, a quarter and so on, increasing."""
    sizes = [largest]
    while len(sizes) < most and sizes[0] // 2 >= LEAST_SIZE:
        sizes.insert(0, sizes[0] // 2)
    return sizes


def _curve(name: str, sizes: list[int], bands: list[Estimate], last: Estimate) -> LearningCurve:
    """Return the curve with its sentence, from estimates at each size and of the last step."""
    loss_bits, low, high = np.array([(band.value, band.low, band.high) for band in bands]).T
    return LearningCurve(np.array(sizes, np.int64), loss_bits, low, high, name, _sentence(last, sizes))


def _sentence(gain: Estimate, sizes: list[int]) -> str:
    """Describe the last step of the curve; its interval decides how certain the sentence is."""
    if not math.isfinite(gain.value):
        return "Some rows got probability zero, so it cannot be told how much more rows would help."
    step = f"From {sizes[-2]:,} to {sizes[-1]:,} rows"
    amount = f"{abs(gain.value):.3f} ± {gain.standard_error:.3f} bits per row"
    if gain.low > 0:
        return f"{step} the model gained {amount}: more rows are likely to help."
    if gain.high < 0:
        return f"{step} the model lost {amount}, so more rows are unlikely to help."
    word = "gained" if gain.value >= 0 else "lost"
    return f"{step} the model {word} {amount}, which may be chance: more rows may not help."


def section(analysis: Analysis) -> Section:
    """Return the section on the learning curve."""
    curve = analysis.learning_curve
    values = {} if curve is None else _drawn(curve, analysis.prior_bits)
    body = rendered(
        "reporting/sections/learning_curve", curve=curve, prior_bits=analysis.prior_bits, **values
    )
    return Section("learning", "Would more rows help?", body, short="Learning curve", is_half=True)


def _drawn(curve: LearningCurve, prior_bits: float) -> dict[str, Any]:
    """Return the marks of the chart, on a logarithmic axis of rows, and its figures."""
    sizes = [max(float(n), 1.0) for n in curve.n_rows]
    figures = [*zip(sizes, curve.loss_bits.tolist(), curve.low.tolist(), curve.high.tolist(), strict=True)]
    on_logs = FRAME.across(math.log(sizes[0]), math.log(sizes[-1]), inset=8)
    bottom, top = _range(curve, prior_bits)
    y = FRAME.upwards(bottom, top)

    def x(size: float) -> float:
        # A single size has no range to scale; its point is drawn in the middle.
        return FRAME.centre if sizes[0] == sizes[-1] else on_logs(math.log(size))

    known = [point for point in figures if math.isfinite(point[1])]
    # Sizes without a standard error have no band, but their points are drawn.
    banded = [point for point in known if math.isfinite(point[2]) and math.isfinite(point[3])]
    band = [(x(size), y(high)) for size, _, _, high in banded]
    band += [(x(size), y(low)) for size, _, low, _ in reversed(banded)]
    return {
        "frame": FRAME,
        "x": x,
        "y": y,
        "marks": charts.ticks(bottom, top, 6),
        # From the largest size down, so that the last label is never the one left out.
        "labelled": sizes[::-1][:: math.ceil(len(sizes) / MAX_TICKS)],
        "band": band if len(banded) > 1 else [],
        "points": [(x(size), y(loss)) for size, loss, _, _ in known],
        "rows": [
            [counted(size), number(loss), interval(Estimate(loss, math.nan, low, high))]
            for size, (_, loss, low, high) in zip(curve.n_rows.tolist(), figures, strict=True)
        ],
    }


def _range(curve: LearningCurve, prior_bits: float) -> tuple[float, float]:
    """Return the limits of the vertical axis."""
    ends = np.concatenate([curve.low, curve.high, curve.loss_bits, [prior_bits]])
    ends = ends[np.isfinite(ends)]
    bottom, top = float(ends.min()), float(ends.max())
    # A flat curve has no range, and the axis needs one.
    margin = 0.06 * (top - bottom) or 0.5
    # Log loss is never negative, so that neither is the axis.
    return max(0.0, bottom - margin), top + margin
