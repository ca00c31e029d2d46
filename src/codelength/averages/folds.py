"""Parts of the training rows to hold out in turn.

A member that chooses or scales variables by what they say about the class repeats this step without each
fold: otherwise the classes of held-out rows have a part in what predicts them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..table.coded import changed
from ..typing import FloatArray, IntArray
from .content import arrange, shuffled
from .factors import information_of, ranked_by
from .member import Member, normalised
from .once import once
from .training import Training

N_FOLDS = 5
"""Into how many parts rows are dealt, where there are as many."""


def dealt(training: Training, order: IntArray, n_folds: int = N_FOLDS) -> IntArray:
    """How many copies of each training row are in each fold, shape (n_folds, n_rows).

    Copies are dealt out one after the other in the given order, so the copies of a row are spread evenly.
    Rows that are not in the order are in no fold.
    """
    copies = training.n_copies[order]
    n_folds = int(min(n_folds, copies.sum()))
    starts = np.cumsum(copies) - copies
    places = (np.arange(n_folds)[:, None] - starts) % n_folds
    found = np.zeros((n_folds, training.n_rows), dtype=np.int64)
    found[:, order] = copies // n_folds + (places < copies % n_folds)
    return found


@dataclass(frozen=True, eq=False)
class Fold:
    """A part of the training rows that is held out.

    Attributes
    ----------
    shares : array of shape (n_rows,)
        The share of the copies of each training row that is held out.
    others : Training
        All other rows, in the same views; views do not depend on the classes.
    order : array of int
        All variables in canonical order.
    """

    shares: FloatArray
    others: Training
    order: IntArray

    @property
    def rows(self) -> IntArray:
        """The training rows of which copies are held out."""
        return np.flatnonzero(self.shares)

    @property
    def information(self) -> FloatArray:
        """What each variable says about the class in the other rows, in nats per row."""
        return _information(self.others)

    @property
    def ranking(self) -> IntArray:
        """All variables, the most informative in the other rows first."""
        return ranked_by(self.information, self.order)


@once
def folds_of(training: Training) -> tuple[Fold, ...]:
    """The folds of some training rows, the same for all members."""
    found = []
    for n_out in dealt(training, shuffled(training, "folds")):
        weights = np.array(training.coded.weights)
        weights[training.sample] = (training.n_copies - n_out) * training.copy_weights
        kept = np.flatnonzero(weights > 0.0)
        coded = changed(training.coded.take(kept), weights=weights[kept], is_distinct=True)
        sample = np.flatnonzero(np.isin(kept, training.sample))
        others = replace(training, coded=coded, sample=sample, places=np.arange(len(kept)))
        found.append(Fold(n_out / training.n_copies, others, arrange(training).variables))
    return tuple(found)


def refitted(training: Training, fit: Callable[[Training, IntArray], Member]) -> FloatArray:
    """Log probabilities of the training rows by members that were fitted without them.

    Parameters
    ----------
    training : Training
        The rows.
    fit : callable
        Fits a member to other rows, given all variables, the most informative in these rows first.
    """
    return by_fold(training, (fit(fold.others, fold.ranking) for fold in folds_of(training)))


def by_fold(training: Training, members: Iterable[Member]) -> FloatArray:
    """Log probabilities of the training rows, given a member for each fold."""
    found = np.full((training.n_rows, training.n_classes), -np.inf)
    for fold, member in zip(folds_of(training), members, strict=True):
        rows = fold.rows
        log_probs = member.log_probs(training.rows.take(rows))
        found[rows] = np.logaddexp(found[rows], np.log(fold.shares[rows, None]) + log_probs)
    return normalised(found)


@once
def _information(training: Training) -> FloatArray:
    # Of a copy, so that what is large, and cached with the rows, is not kept for every fold.
    return information_of(replace(training))
