r"""Kernel regression on class indicators, averaged over kernels and ridges.

Similar rows have similar classes. A Gaussian kernel measures the similarity of two rows as numbers
(:meth:`~codelength.averages.views.Views.numbers`); regression on the indicators of the classes gives f, and
:math:`p(c) \propto P(c)\, e^{\beta f_c}`. Kernels of three widths, on plain columns and on columns that are
stretched by their information about the class, are combined with three ridges. All runs are averaged in logs,
weighted by the probability of the classes of left-out rows.

Order of reading: :meth:`Kernel.fit`, ``_Spaces`` (stretched rows), ``_runs`` (the grid of kernels and
ridges), ``_parts`` and ``_held_out`` (averages over runs). Depends on ``_kernel_machine`` (distances and
regression), on :mod:`codelength.averages.pool` (powers) and on ``folds`` and ``factors`` of that package.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np

from ..._codec import Savable, Saved
from ..._threads import check_interrupted
from ...decisions import first_best, is_better
from ...errors import DataError
from ...table import Coded
from ...typing import FloatArray, IntArray
from ..content import subsample
from ..factors import factors_of
from ..folds import by_fold, folds_of
from ..member import FittedMember, Member, normalised
from ..pool import PowerPrior, best_power, power_scores, powers_left_out
from ..training import Training
from ._kernel_machine import KernelRows, gaussian, regress, squared_distances

SCALES = (0.15, 0.5, 1.5)
"""Widths of kernels, relative to the mean squared distance between rows."""

RIDGES = (0.1, 1.0, 10.0)

POWER = PowerPrior(centre=4.0, strength=4.0, least=0.5, largest=40.0)
"""Prior of :math:`\\beta`."""

LEAST_RELEVANCE, CHANCE = 0.1, 2.0
"""Added to the information of a column about the class: a tenth of the mean over columns, and two nats over
all rows, which columns without any information easily reach by chance."""

MAX_ROWS = 1_500
"""Largest number of rows of the regression; if there are more, as many copies of rows are drawn at random."""

FEW_ROWS = 300
"""Largest number of rows for which all combinations are tried; with more, only those around the best."""

START = (1, 1, 1)
"""Start of the search for the best combination: stretched columns, middle scale, middle ridge."""

LEAST_WEIGHT = 0.03
"""Smallest weight of a run relative to the best; others are left out."""

ALIKE = 1e-9
"""Relevances that differ by less are equal."""

LEAST_WIDTH = np.finfo(np.float64).tiny
"""Smallest width of a kernel in a file."""

BLOCK = 2_000
"""Rows predicted at once."""


@dataclass(frozen=True, eq=False, slots=True)
class KernelPart(Savable):
    """All runs with one kernel.

    Attributes
    ----------
    is_stretched : bool
        True if the columns are stretched by their relevance.
    width : float
        Divisor of squared distances.
    coefficients : array of shape (n_rows, n_classes)
        Coefficient of the kernel of each row in the log weight of each class.
    """

    is_stretched: Annotated[bool, Saved()]
    width: Annotated[float, Saved(low=LEAST_WIDTH)]
    coefficients: Annotated[FloatArray, Saved(lambda known: (len(known.codes), known.n_classes))]


@dataclass(frozen=True, eq=False)
class Kernel(Member):
    """Kernel regression on class indicators, averaged over kernels and ridges.

    Held-out predictions are exact leave-one-out for each run. Relevances of columns are computed without the
    fold of the row, because they depend on the classes. The powers and the weights of the runs are computed
    without the score of the row itself. Held-out scores are optimistic by the effect of one row on the scores
    of other rows: about a nat in total.

    Attributes
    ----------
    codes : array of int of shape (n_rows, n_variables)
        Rows of the regression, as codes of the variables that vary.
    relevance : array of shape (n_variables,)
        Factor by which the columns of each variable are stretched.
    parts : tuple of KernelPart
        Terms of the log weights.
    """

    name: ClassVar[str] = "kernel"
    title: ClassVar[str] = "kernel regression on class indicators"

    codes: Annotated[IntArray, Saved(lambda known: (None, known.views.n_variables), low=0)]
    relevance: Annotated[FloatArray, Saved(lambda known: (known.views.n_variables,), low=0.0, high=1e6)]
    parts: Annotated[tuple[KernelPart, ...], Saved()]

    @classmethod
    def fit(cls, training: Training) -> FittedMember[Self]:
        """Fit the member to training rows; see :class:`~codelength.averages.member.Member`."""
        draw = subsample(training, cls.name, MAX_ROWS)
        rows = KernelRows(
            training.labels[draw.rows],
            draw.weights,
            draw.copies,
            training.log_prior,
            training.log_prior_left_out[draw.rows],
        )
        views, spaces = training.views, _Spaces.of(training, draw.rows, rows)
        runs = _runs(spaces, rows)
        positions = [view.position for view in views.columns]
        codes = np.asarray(training.rows.codes[draw.rows][:, positions], dtype=np.int64)
        member = cls(views, training.log_prior, codes, spaces.relevance, _parts(runs, spaces.of_all))
        left_out = _held_out(runs, rows)
        if len(draw.rows) == training.n_rows:
            return FittedMember(member, left_out)
        # The held-out predictions of rows that were not drawn use the relevance without their fold.
        others = (
            cls(views, training.log_prior, codes, by, _parts(runs, partial(spaces.of_fold, k)))
            for k, by in enumerate(spaces.without)
        )
        return FittedMember(member, draw.held_out(training, left_out, by_fold(training, others)))

    def log_probs(self, coded: Coded) -> FloatArray:
        """Return the log probability of each class for each row, in nats, shape (n_rows, n_classes)."""
        numbers = np.hstack([view.numbers[self.codes[:, j]] for j, view in enumerate(self.views.columns)])
        stretch = self.relevance[self.views.owners]
        found = np.tile(self.log_prior, (coded.n_rows, 1))
        for start in range(0, coded.n_rows, BLOCK):
            places = np.arange(start, min(start + BLOCK, coded.n_rows))
            new = self.views.numbers(coded.take(places))
            # Distances take most of the time: once for all widths of the same columns.
            for is_stretched in (False, True):
                chosen = [part for part in self.parts if part.is_stretched is is_stretched]
                if chosen:
                    by = stretch if is_stretched else np.ones_like(stretch)
                    distances = squared_distances(new * by, numbers * by)
                    for part in chosen:
                        found[places] += gaussian(distances, part.width) @ part.coefficients
        return normalised(found)

    def check_fields(self) -> None:
        """Raise DataError if rows have codes that their variables do not have, or there is no regression."""
        sizes = np.array([len(view.numbers) for view in self.views.columns])
        if not len(self.codes) or (self.codes >= sizes).any() or not self.parts:
            raise DataError("the rows of a kernel do not fit the variables of its table")


_Place = tuple[int, int, int]
"""Place in the grid: stretched or not, index of the scale, index of the ridge."""


class _Space(NamedTuple):
    """Rows with columns stretched in one way.

    Attributes
    ----------
    order : array of int
        Places of the rows; those that are left out are the last.
    shares : array of shape (n_left_out,)
        Left-out share of the copies of each of the last rows.
    distances : array of shape (n_rows, n_rows)
        Squared distances in this order.
    mean : float
        Mean squared distance.
    rows : KernelRows
        The rows in this order.
    """

    order: IntArray
    shares: FloatArray
    distances: FloatArray
    mean: float
    rows: KernelRows

    @classmethod
    def of(cls, numbers: FloatArray, stretch: FloatArray, rows: KernelRows, shares: FloatArray) -> "_Space":
        """Order the rows and compute their distances."""
        # Left-out rows last, because regress computes leave-one-out for the last rows only.
        order = np.argsort(shares > 0.0, kind="stable")
        labels, weights, copies, log_prior, left_out = rows
        ordered = KernelRows(labels[order], weights[order], copies[order], log_prior, left_out[order])
        stretched = (numbers * stretch)[order]
        distances = squared_distances(stretched, stretched)
        # The scale of widths; 1 if all rows are equal.
        mean = float(ordered.weights @ distances @ ordered.weights) / float(weights.sum()) ** 2 or 1.0
        return cls(order, shares[order][shares[order] > 0.0], distances, mean, ordered)

    def width(self, place: _Place) -> float:
        """Return the divisor of squared distances."""
        return 2.0 * SCALES[place[1]] * self.mean

    def regressed(self, place: _Place) -> tuple[FloatArray, FloatArray]:
        """Fit the kernel regression; coefficients are in the original order of the rows."""
        kernel = gaussian(self.distances, self.width(place))
        ordered, left_out = regress(kernel, RIDGES[place[2]], self.rows, len(self.shares))
        coefficients = np.empty_like(ordered)
        coefficients[self.order] = ordered
        return coefficients, left_out

    def part(self, place: _Place, coefficients: FloatArray) -> KernelPart:
        """Return the term of a member with these coefficients of the rows."""
        return KernelPart(place[0] == 1, self.width(place), coefficients)


class _Spaces(NamedTuple):
    """Rows in all spaces of the kernels.

    Attributes
    ----------
    relevance : array of shape (n_variables,)
        Factor of each variable, from its information about the class in all rows.
    without : list of array of shape (n_variables,)
        The same without each fold.
    plain : _Space
        Original columns; each row is left out.
    stretched : _Space
        Columns stretched by relevance in all rows; no row is left out.
    folds : list of _Space
        Columns stretched by relevance without a fold; rows of the fold are left out.
    """

    relevance: FloatArray
    without: list[FloatArray]
    plain: _Space
    stretched: _Space
    folds: list[_Space]

    @classmethod
    def of(cls, training: Training, drawn: IntArray, rows: KernelRows) -> "_Spaces":
        """Build all spaces from the places of the drawn training rows."""
        numbers, owners, folds = training.numbers[drawn], training.views.owners, folds_of(training)
        relevance = _relevance(factors_of(training).information, training.weights)
        without = [_relevance(fold.information, fold.others.weights) for fold in folds]
        return cls(
            relevance,
            without,
            _Space.of(numbers, np.ones(len(owners)), rows, np.ones(len(drawn))),
            _Space.of(numbers, relevance[owners], rows, np.zeros(len(drawn))),
            [
                _Space.of(numbers, by[owners], rows, fold.shares[drawn])
                for by, fold in zip(without, folds, strict=True)
            ],
        )

    def of_all(self, run: "_Run") -> KernelPart:
        """Return the term of a run in the member."""
        if not run.place[0]:
            return self.plain.part(run.place, run.coefficients[0])
        return self.stretched.part(run.place, self.stretched.regressed(run.place)[0])

    def of_fold(self, fold: int, run: "_Run") -> KernelPart:
        """Return the term of a run in the member without a fold."""
        if not run.place[0]:
            return self.of_all(run)
        return self.folds[fold].part(run.place, run.coefficients[fold])


class _Run(NamedTuple):
    """One kernel with one ridge.

    Coefficients are those of each space in which rows are left out.
    """

    place: _Place
    coefficients: list[FloatArray]
    left_out: FloatArray
    power: float
    score: float


def _relevance(information: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the factor of each variable, from its information about the class and the weights of rows."""
    said = information + LEAST_RELEVANCE * information.mean() + CHANCE / float(weights.sum())
    # The root, because squared distances are linear in information then; normalised so that widths keep their
    # meaning.
    relevance = np.sqrt(said)
    return np.asarray(relevance / relevance.mean())


def _runs(spaces: _Spaces, rows: KernelRows) -> list[_Run]:
    """Return all runs, or those around the best, in the order of the grid."""

    def run(place: _Place) -> _Run:
        """Fit one kernel with one ridge in all spaces, and select its power."""
        left_out, coefficients = np.zeros((len(rows.labels), len(rows.log_prior))), []
        for space in spaces.folds if place[0] else [spaces.plain]:
            check_interrupted()
            of_rows, of_left_out = space.regressed(place)
            coefficients.append(of_rows)
            last = space.order[len(space.order) - len(space.shares) :]
            # A row with copies in several folds: the mean of its predictions, weighted by copies.
            left_out[last] += space.shares[:, None] * of_left_out
        power = best_power(rows.log_prior_left_out, left_out, rows.labels, rows.weights, POWER)
        scores, _, _ = power_scores(rows.log_prior_left_out, left_out, rows.labels, power)
        # The prior of the power counts in the weight of a run, as in the choice of the power.
        penalty = POWER.strength / 2 * np.log(power / POWER.centre) ** 2
        return _Run(place, coefficients, left_out, power, float(rows.weights @ scores - penalty))

    # If all columns are equally relevant, stretched and plain kernels are the same.
    sizes = (1 + bool(np.ptp(spaces.relevance) > ALIKE), len(SCALES), len(RIDGES))
    if len(rows.labels) > FEW_ROWS:
        found = _climbed(run, sizes)
        return [found[place] for place in sorted(found)]
    return [run((k, s, r)) for k, s, r in product(*map(range, sizes))]


def _climbed(run: Callable[[_Place], _Run], sizes: Sequence[int]) -> dict[_Place, _Run]:
    """Return the runs of a hill climb from the start, with all neighbours of each step."""
    here: _Place = (min(START[0], sizes[0] - 1), START[1], START[2])
    found = {here: run(here)}
    while True:
        near = _neighbours(here, sizes)
        found |= {place: run(place) for place in near if place not in found}
        # Ties go to the first neighbour of the grid, and a tie with the current place ends the climb.
        best = near[first_best([found[place].score for place in near])]
        if not is_better(found[best].score, found[here].score):
            return found
        here = best


def _neighbours(place: _Place, sizes: Sequence[int]) -> list[_Place]:
    """Return the places one step away along each axis of the grid."""
    steps = [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)]
    moved = [(place[0] + k, place[1] + s, place[2] + r) for k, s, r in steps]
    return [one for one in moved if all(0 <= at < size for at, size in zip(one, sizes, strict=True))]


def _shares(scores: FloatArray) -> FloatArray:
    """Return weights of runs from their scores, along the first axis."""
    shares = np.exp(scores - scores.max(axis=0))
    shares = np.where(shares < LEAST_WEIGHT, 0.0, shares)
    return np.asarray(shares / shares.sum(axis=0))


def _parts(runs: Sequence[_Run], part_of: Callable[[_Run], KernelPart]) -> tuple[KernelPart, ...]:
    """Return the average of all runs, with the runs of one kernel added up.

    Runs that differ in the ridge share a kernel, so a prediction computes each kernel once.
    """
    shares = _shares(np.array([run.score for run in runs]))
    added: dict[tuple[bool, float], FloatArray] = {}
    for share, run in zip(shares.tolist(), runs, strict=True):
        if share > 0.0:
            part = part_of(run)
            kernel = (part.is_stretched, part.width)
            added[kernel] = added.get(kernel, 0.0) + share * run.power * part.coefficients
    return tuple(KernelPart(*kernel, coefficients) for kernel, coefficients in added.items())


def _held_out(runs: Sequence[_Run], rows: KernelRows) -> FloatArray:
    """Return leave-one-out predictions of the average of all runs."""
    powers, scores = [], []
    for run in runs:
        given = rows.log_prior_left_out, run.left_out, rows.labels
        power = powers_left_out(*given, run.power, rows.weights, rows.copies, POWER)
        log_scores, _, _ = power_scores(*given, power[:, None])
        powers.append(power)
        # Without the score of the row itself, whose class must not choose the runs that predict it.
        scores.append(run.score - rows.copies * log_scores)
    log_weights = rows.log_prior_left_out.copy()
    for share, power, run in zip(_shares(np.array(scores)), powers, runs, strict=True):
        log_weights += (share * power)[:, None] * run.left_out
    return normalised(log_weights)
