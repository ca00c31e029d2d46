r"""Logistic regression on log ratios of single variables and on the numbers themselves.

.. math:: \log p(c \mid x) = \log P(c) + b_c + \sum_i (t + d_i)\, r_i(x_i, c) + h(x) \cdot D_c + \text{const}

Here :math:`r_i` are the factors of single variables and h(x) is the row as numbers. With t = 1 and all else 0
this is naive Bayes. Redundant variables get smaller weights :math:`t + d_i`. Weights are never negative: the
leave-one-out factor of a row's own value is a little lower for the row's own class than for the others, and a
negative weight would exploit that.

The penalty on D is not selected: regressions along a path of penalties are averaged by their held-out scores,
times a prior of the penalty. The average is of log-odds, so it is additive.

Folds differ in the weights of rows. If there are more variables than there is room for, they differ in the
selected variables as well, because these are selected without the fold.

Order of reading: :meth:`LogRatios.fit`, ``_averaged`` (the path of penalties), then
:mod:`~codelength.averages.members._logistic` (one regression).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np

from ..._codec import Saved
from ...typing import FloatArray, IntArray
from ..content import shuffled
from ..factors import factors_of, ranking_of, with_zeros
from ..folds import copies_per_fold, folds_of
from ..member import AdditiveMember, FittedMember, normalised
from ..training import Training
from ..views import CHOSEN, Views
from ._logistic import TYPICAL_WEIGHT, Design, Penalty, curvature_at, fitted

PRECISIONS = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03)
"""Penalties on the coefficients of numbers, from strong to weak; the path starts at the typical one."""

TYPICAL_PRECISION = 10.0
"""Median of the prior of the precision, whose logarithm is normal with variance 1. Without the prior, the
noisy held-out scores of few rows favour weak penalties too often."""

TOLERANCE, FINAL_TOLERANCE = 1e-2, 1e-9
"""Accuracy of regressions along the path, and of those that are averaged: length of the gradient in standard
deviations of the prior. The latter is so small that results do not depend on the order of columns, values or
classes."""

LEAST_SHARE = 0.03
"""Smallest share of a penalty relative to the best one. Penalties below it are left out of the average, and
those beyond them are not tried."""

MAX_PER_ROW = 5_000
"""Largest number of features per row, ratios and numbers of all classes. If there are more, the variables
with the least information about the class are left out."""

MAX_CELLS = 4_000_000
"""Largest number of features of all rows, but at least those of 1,000 rows. If there are more, the regression
is fitted to a sample of the rows; the others are held out anyway."""

LEAST_ROWS = 1_000

MAX_AXES = 1_000
"""Largest number of rows or columns for which the numbers are rotated; see :func:`_axes`."""

_NO_LENGTH = 1e-13

MAX_PARAMETER = 1e6
"""Largest absolute value of a parameter in a file."""


@dataclass(frozen=True, eq=False)
class LogRatios(AdditiveMember):
    """Logistic regression on log ratios of single variables and on numbers.

    Attributes
    ----------
    variables : array of int of shape (n_used,)
        Variables that take part, as places among those that vary.
    tables : tuple of arrays of shape (n_fine, n_classes)
        The factor of each of these variables.
    weights : array of shape (n_used,)
        Weights of their factors.
    intercepts : array of shape (n_classes,)
    coefficients : array of shape (n_columns, n_classes)
        Coefficients of the numbers of these variables.
    """

    name: ClassVar[str] = "log_ratios"
    title: ClassVar[str] = "logistic regression on log ratios"

    variables: Annotated[IntArray, CHOSEN]
    tables: Annotated[
        tuple[FloatArray, ...],
        Saved(
            lambda known: [
                (n_fine, known.n_classes) for n_fine in known.views.n_fine[known.variables].tolist()
            ],
            -MAX_PARAMETER,
            MAX_PARAMETER,
        ),
    ]
    weights: Annotated[
        FloatArray, Saved(lambda known: (len(known.variables),), -MAX_PARAMETER, MAX_PARAMETER)
    ]
    intercepts: Annotated[FloatArray, Saved(lambda known: (known.n_classes,), -MAX_PARAMETER, MAX_PARAMETER)]
    coefficients: Annotated[
        FloatArray,
        Saved(
            lambda known: (len(_columns(known.views, known.variables)), known.n_classes),
            -MAX_PARAMETER,
            MAX_PARAMETER,
        ),
    ]

    @classmethod
    def fit(cls, training: Training) -> FittedMember[Self]:
        """Fit and average a path of regressions, each with all rows and without each fold."""
        factors = factors_of(training)
        variables = _informative(training, ranking_of(training))
        has_room = len(variables) == training.views.n_variables
        # The first rows of a random order are a random sample; sorted again, they are read in memory order.
        per_row = training.n_classes * (len(variables) + len(_columns(training.views, variables)))
        order = shuffled(training, cls.name)[: max(LEAST_ROWS, MAX_CELLS // per_row)]
        rows = np.sort(order)
        whole = _Part.of(training, variables, rows)
        if has_room:
            parts = [whole]
            out = copies_per_fold(training, order)[:, rows] * training.copy_weights[rows]
        else:
            # With a selection of variables, every fold has variables, and therefore a design, of its own.
            chosen = [_informative(training, fold.ranking) for fold in folds_of(training)]
            parts = [*(_Part.of(training, own, rows) for own in chosen), whole]
            out = np.array([fold.shares[rows] for fold in folds_of(training)]) * training.weights[rows]
        *of_folds, of_all = _averaged([part.design for part in parts], training.weights[rows], out)
        tables = tuple(factors.tables[j] for j in variables.tolist())
        member = cls(training.views, training.log_prior, variables, tables, *whole.split(of_all[-1]))
        if has_room:
            # Rows outside the sample are in no fold and not part of the regression: all parameters apply.
            held_out = whole.log_probs(training, of_all[-1], np.arange(training.n_rows))
            by_fold = whole.design.log_probs(of_all[:-1])
            held_out[rows] = np.einsum("kn,kcn->nc", out / out.sum(axis=0), by_fold)
        else:
            held_out = np.zeros((training.n_rows, training.n_classes))
            for fold, part, (parameters,) in zip(folds_of(training), parts[:-1], of_folds, strict=True):
                made = part.log_probs(training, parameters, fold.rows)
                held_out[fold.rows] += fold.shares[fold.rows, None] * made
        return FittedMember(member, normalised(held_out))

    @property
    def log_classes(self) -> FloatArray:
        """Terms of the classes relative to their prior."""
        return self.intercepts

    @cached_property
    def value_tables(self) -> dict[int, FloatArray]:
        """Terms of the values of variables, by position in the schema."""
        found, first = {}, 0
        for j, table, weight in zip(self.variables.tolist(), self.tables, self.weights, strict=True):
            view = self.views.columns[j]
            own = self.coefficients[first : first + view.width]
            found[view.position] = weight * with_zeros(table)[view.fine] + view.numbers @ own
            first += view.width
        return found


class _Part(NamedTuple):
    """Regressions on some of the variables.

    Attributes
    ----------
    variables : array of int
        Variables that take part.
    axes : array of shape (n_columns, n_axes)
        Orthogonal directions of their numbers.
    design : Design
        Features of the sampled training rows along these directions.
    """

    variables: IntArray
    axes: FloatArray
    design: Design

    @classmethod
    def of(cls, training: Training, variables: IntArray, rows: IntArray) -> "_Part":
        """Build the features of sampled training rows."""
        numbers = training.numbers[np.ix_(rows, _columns(training.views, variables))]
        axes = _axes(numbers)
        design = Design(
            np.ascontiguousarray(factors_of(training).left_out(variables, rows).transpose(2, 1, 0)),
            np.ascontiguousarray(axes.T @ numbers.T),
            np.ascontiguousarray(training.log_prior_left_out[rows].T),
            training.labels[rows],
        )
        return cls(variables, axes, design)

    def split(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return weights, intercepts, and coefficients of the original numbers."""
        weights, intercepts, coefficients = self.design.split(parameters)
        return weights, intercepts, self.axes @ coefficients.T

    def log_probs(self, training: Training, parameters: FloatArray, rows: IntArray) -> FloatArray:
        """Return log probabilities of training rows, with leave-one-out ratios of single variables."""
        weights, intercepts, coefficients = self.split(parameters)
        numbers = training.numbers[np.ix_(rows, _columns(training.views, self.variables))]
        found = training.log_prior_left_out[rows] + intercepts + numbers @ coefficients
        for j, weight in zip(self.variables.tolist(), weights, strict=True):
            found += weight * factors_of(training).left_out_of(j)[rows]
        return normalised(found)


def _averaged(designs: Sequence[Design], row_weights: FloatArray, out: FloatArray) -> list[FloatArray]:
    """Average parameters over the path of penalties, without each fold and, last, with all rows.

    Given are one design for all weightings of the rows, or one without each fold and, last, one with all
    rows; the weight of each row, and its held-out weight in each fold. Return an array of shape
    (n_weightings, n_parameters) for each design.
    """
    within = np.split(np.vstack([np.maximum(row_weights - out, 0.0), row_weights]), len(designs))
    starts, curvatures = zip(*map(_typical, designs, within), strict=True)

    def solved(step: int, starts: Sequence[FloatArray], tolerance: float) -> list[FloatArray]:
        return [
            _with_folds(design, weights, PRECISIONS[step], start, tolerance, curvature)
            for design, weights, start, curvature in zip(designs, within, starts, curvatures, strict=True)
        ]

    # From the typical penalty outwards in both directions, each regression starting from its neighbour. A
    # direction ends at the first penalty whose share is negligible.
    middle = PRECISIONS.index(TYPICAL_PRECISION)
    path: dict[int, list[FloatArray]] = {}
    log_shares: dict[int, float] = {}
    for steps in (range(middle, len(PRECISIONS)), range(middle - 1, -1, -1)):
        parameters = path.get(middle, starts)
        for step in steps:
            parameters = path[step] = solved(step, parameters, TOLERANCE)
            log_shares[step] = _log_share(designs, out, parameters, PRECISIONS[step])
            if log_shares[step] < max(log_shares.values()) + math.log(LEAST_SHARE):
                break
    least = max(log_shares.values()) + math.log(LEAST_SHARE)
    kept = sorted(step for step, log_share in log_shares.items() if log_share >= least)
    # Only penalties that take part in the average are solved to full accuracy.
    final = [solved(step, path[step], FINAL_TOLERANCE) for step in kept]
    logs = np.array(
        [_log_share(designs, out, found, PRECISIONS[step]) for step, found in zip(kept, final, strict=True)]
    )
    shares = np.exp(normalised(logs))
    return [np.einsum("s,skp->kp", shares, np.stack(found)) for found in zip(*final, strict=True)]


def _typical(design: Design, within: FloatArray) -> tuple[FloatArray, FloatArray | None]:
    """Return start parameters, one vector per weighting of the rows, and the curvature there."""
    start = np.zeros((1, design.n_parameters))
    start[:, : len(design.ratios)] = TYPICAL_WEIGHT
    curvature = curvature_at(design, within[-1], start[0])
    penalty = Penalty.of(design, TYPICAL_PRECISION)
    found = fitted(design, within[-1:], penalty, start, TOLERANCE, curvature)
    return np.repeat(found, len(within), axis=0), curvature_at(design, within[-1], found[0])


def _with_folds(
    design: Design,
    within: FloatArray,
    precision: float,
    start: FloatArray,
    tolerance: float,
    curvature: FloatArray | None,
) -> FloatArray:
    """Return parameters for one penalty, first of the last weighting, then of the folds.

    The change of the last weighting along the path is a good guess for the others, which differ little.
    """
    penalty = Penalty.of(design, precision)
    whole = fitted(design, within[-1:], penalty, start[-1:], tolerance, curvature)
    if len(within) == 1:
        return whole
    moved = start[:-1] + (whole - start[-1:])
    moved[:, : penalty.n_weights] = np.maximum(moved[:, : penalty.n_weights], 0.0)
    return np.vstack([fitted(design, within[:-1], penalty, moved, tolerance, curvature), whole])


def _log_share(
    designs: Sequence[Design], out: FloatArray, parameters: Sequence[FloatArray], precision: float
) -> float:
    """Return the log prior of a precision plus the held-out log score of the folds."""
    labels = designs[0].labels
    found = [design.log_probs(of) for design, of in zip(designs, parameters, strict=True)]
    log_probs = np.concatenate(found)[:-1, labels, np.arange(len(labels))]
    return float((out * log_probs).sum()) - 0.5 * math.log(precision / TYPICAL_PRECISION) ** 2


def _informative(training: Training, ranking: IntArray) -> IntArray:
    """Return the variables that take part: the first of a ranking, as many as there is room for."""
    widths = np.array([1 + view.width for view in training.views.columns])[ranking]
    n_used = np.count_nonzero(np.cumsum(widths) * training.n_classes <= MAX_PER_ROW)
    return np.sort(ranking[: max(n_used, 1)])


def _columns(views: Views, variables: IntArray) -> IntArray:
    """Return the columns of numbers of some variables."""
    return np.flatnonzero(np.isin(views.owners, variables))


def _axes(numbers: FloatArray) -> FloatArray:
    """Return orthogonal directions that span all rows, shape (n_columns, n_axes).

    The prior of the coefficients is invariant under rotations, so the regression on coordinates along these
    axes is the same. It has fewer coefficients if columns are linearly dependent, as indicators are.
    """
    n_rows, n_columns = numbers.shape
    if min(n_rows, n_columns) > MAX_AXES:
        return np.eye(n_columns)
    # The smaller of the two Gram matrices; both have the same eigenvalues but for zeros.
    squares, vectors = np.linalg.eigh(numbers.T @ numbers if n_columns <= n_rows else numbers @ numbers.T)
    spanning = squares > _NO_LENGTH * max(squares.max(), 1.0)
    if n_columns <= n_rows:
        return np.ascontiguousarray(vectors[:, spanning])
    return np.asarray(numbers.T @ (vectors[:, spanning] / np.sqrt(squares[spanning])))
