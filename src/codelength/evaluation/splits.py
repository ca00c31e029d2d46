"""Training and test rows of cross-validation and of random partitions."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..errors import InvalidParameter
from ..table.checks import check_number, check_size, check_whole
from ..typing import IntArray


class Split(NamedTuple):
    """Row numbers of one training and one test set."""

    train: IntArray
    test: IntArray


def cross_validation(
    n_rows: int, n_folds: int, *, repeats: int = 1, train_fraction: float = 1.0, random_state: int = 0
) -> Iterator[Split]:
    """Yield the splits of repeated cross-validation, of which a fraction of the training rows is used.

    Every repeat shuffles the rows anew from its own random stream, so that the splits of one repeat
    do not depend on the number of repeats. A fraction f of n training rows is floor(f n) of them, drawn
    at random.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    n_folds : int
        Folds of each repeat, at most one per row.
    repeats : int
        Number of repeats.
    train_fraction : float
        Share of the training rows that is used.
    random_state : int
        Seed.

    Yields
    ------
    Split
        Sorted row numbers; ``n_folds`` splits per repeat.

    Examples
    --------
    >>> [len(split.train) for split in cross_validation(10, 5, train_fraction=0.3)]
    [2, 2, 2, 2, 2]
    """
    _check(n_rows, n_folds, repeats, train_fraction)
    for repeat in range(repeats):
        rng = np.random.default_rng([random_state, repeat])
        folds = np.array_split(rng.permutation(n_rows), n_folds)
        for fold in folds:
            others = np.ones(n_rows, dtype=bool)
            others[fold] = False
            train = np.flatnonzero(others)
            if train_fraction < 1:
                # Drawn after the folds of the repeat, so that the test rows are the same for every fraction.
                train = np.sort(rng.permutation(train)[: int(train_fraction * len(train))])
            yield Split(train, np.sort(fold))


def partition(n_rows: int, train_share: float = 0.7, *, random_state: int = 0) -> Split:
    """Return one random partition into training and test rows, the training rows in random order.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    train_share : float
        Share of the rows to train on.
    random_state : int
        Seed.

    Returns
    -------
    Split
        Training rows, and sorted test rows.

    Examples
    --------
    >>> train, test = partition(10)
    >>> len(train), sorted([*train.tolist(), *test.tolist()]) == list(range(10))
    (7, True)
    """
    n_train = round(train_share * n_rows)
    if not 0 < n_train < n_rows:
        raise InvalidParameter(
            f"train share {train_share}: leaves no row of {n_rows} to learn from or to predict"
        )
    rows = np.random.default_rng(random_state).permutation(n_rows)
    # Training rows stay in random order: learning curves and prequential scores add them one by one.
    return Split(rows[:n_train], np.sort(rows[n_train:]))


def _check(n_rows: int, n_folds: int, repeats: int, train_fraction: float) -> None:
    """Raise for numbers of folds and fractions that leave no row to train on."""
    check_whole("n_folds", n_folds, 2, max(n_rows, 2), also=", at most one per row")
    check_size("repeats", repeats)
    check_number("train_fraction", train_fraction, 0, 1, above=True)
    if n_rows < 2:
        raise InvalidParameter(f"n_folds={n_folds}: there are {n_rows} rows, and each fold needs one")
    smallest = n_rows - -(-n_rows // n_folds)
    if int(train_fraction * smallest) < 1:
        raise InvalidParameter(
            f"train_fraction={train_fraction}: leaves none of {smallest} training rows; use a larger one"
        )
