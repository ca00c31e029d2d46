"""Folds of the training rows, for held-out predictions.

A member that selects or scales variables by their information about the class repeats this step without each
fold; otherwise the classes of held-out rows would influence their own predictions.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..table.coded import changed
from ..typing import FloatArray, IntArray
from .content import canonical_order, shuffled
from .factors import information_of, ranked_by
from .member import Member, normalised
from .training import Training, once

N_FOLDS = 5
"""Number of folds, if there are as many copies of rows."""


def copies_per_fold(training: Training, order: IntArray, n_folds: int = N_FOLDS) -> IntArray:
    """Deal copies of the training rows into folds; return their numbers, shape (n_folds, n_rows).

    Copies are dealt one after the other in the given order of rows, so the copies of a row are spread evenly.
    Rows outside the order are in no fold. There are fewer folds if there are fewer copies.
    """
    copies = training.n_copies[order]
    n_folds = int(min(n_folds, copies.sum()))
    starts = np.cumsum(copies) - copies
    # Copy k of all copies is in fold k modulo n_folds. A row whose first copy has number ``start`` puts n //
    # n_folds copies into every fold, and the n % n_folds others into the folds from start % n_folds on.
    places = (np.arange(n_folds)[:, None] - starts) % n_folds
    found = np.zeros((n_folds, training.n_rows), dtype=np.int64)
    found[:, order] = copies // n_folds + (places < copies % n_folds)
    return found


@dataclass(frozen=True, eq=False)
class Fold:
    """A held-out part of the training rows.

    Attributes
    ----------
    shares : array of shape (n_rows,)
        Held-out share of the copies of each training row.
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
        """Training rows with held-out copies."""
        return np.flatnonzero(self.shares)

    @property
    def information(self) -> FloatArray:
        """Information of each variable about the class in the other rows, in nats per row."""
        return _information(self.others)

    @property
    def ranking(self) -> IntArray:
        """All variables, ordered by their information in the other rows, the largest first."""
        return ranked_by(self.information, self.order)


@once
def folds_of(training: Training) -> tuple[Fold, ...]:
    """Return the folds of training rows, the same for all members."""
    found = []
    for n_out in copies_per_fold(training, shuffled(training, "folds")):
        # Rows outside the sample are in no fold; they remain in the counts of the other rows in full.
        weights = np.array(training.coded.weights)
        weights[training.sample] = (training.n_copies - n_out) * training.copy_weights
        kept = np.flatnonzero(weights > 0.0)
        coded = changed(training.coded.take(kept), weights=weights[kept], is_distinct=True)
        sample = np.flatnonzero(np.isin(kept, training.sample))
        others = replace(training, coded=coded, sample=sample, places=np.arange(len(kept)))
        found.append(Fold(n_out / training.n_copies, others, canonical_order(training).variables))
    return tuple(found)


def refitted(training: Training, fit: Callable[[Training, IntArray], Member]) -> FloatArray:
    """Return log probabilities of the training rows by members that were fitted without them.

    Members are fitted to training rows and a ranking of all variables, the most informative first.
    """
    return by_fold(training, (fit(fold.others, fold.ranking) for fold in folds_of(training)))


def by_fold(training: Training, members: Iterable[Member]) -> FloatArray:
    """Return log probabilities of the training rows, given a member for each of :func:`folds_of`."""
    found = np.full((training.n_rows, training.n_classes), -np.inf)
    for fold, member in zip(folds_of(training), members, strict=True):
        rows = fold.rows
        log_probs = member.log_probs(training.rows.take(rows))
        # Copies of a row in several folds: the mean of their probabilities, added up in logs.
        found[rows] = np.logaddexp(found[rows], np.log(fold.shares[rows, None]) + log_probs)
    return normalised(found)


@once
def _information(training: Training) -> FloatArray:
    """Return the information of variables, cached per training rows."""
    # Of a copy: large arrays are cached with the rows, and would otherwise be kept for every fold.
    return information_of(replace(training))
