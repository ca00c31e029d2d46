"""Tables of the comparison, and the splits of their rows."""

from functools import lru_cache

import numpy as np

from codelength import datasets
from codelength.errors import DataError
from codelength.evaluation.splits import Split
from codelength.table import Table

from ...tables import stream_of

TWINS = {
    "australian": "crx",
    "breast-w-with-id": "breast-w",
    "glass-with-id": "glass",
    "soybean-large": "soybean",
}
"""Bundled tables that share rows with another one, and would count twice, with that other table."""

TABLES = tuple(name for name in datasets.names() if name not in TWINS)

QUICK_TABLES = ("hepatitis", "iris", "lymphography", "zoo")
"""The four smallest tables with at least a hundred rows."""

SHARES, QUICK_SHARES = (0.10, 0.25, 0.66), (0.10, 0.66)
"""Shares of the rows used for training."""

MAX_ROWS, MAX_TEST_ROWS = 1500, 1000
"""Most rows of a table, and of a test set. The comparison is about small tables; larger ones are sampled."""


@lru_cache(maxsize=4)
def small(name: str) -> Table:
    """Return a bundled table, or a random sample of its rows that is the same in every run."""
    dataset = datasets.load(name)
    if dataset.info is None:
        raise DataError(
            f"{name}: a file in CODELENGTH_DATA takes the place of the bundled table, which is meant here; "
            "unset CODELENGTH_DATA"
        )
    table = dataset.table
    if table.n_rows <= MAX_ROWS:
        return table
    rows = np.random.default_rng(stream_of(f"{name}/rows")).permutation(table.n_rows)[:MAX_ROWS]
    return table.take(np.sort(rows))


def n_rows_of(name: str) -> int:
    """Return the number of rows of a table that are used."""
    return min(datasets.describe(name).rows, MAX_ROWS)


def split_of(name: str, share: float, repetition: int, seed: int) -> Split:
    """Return training and test rows; the rows of a smaller share are the first of a larger one.

    Examples
    --------
    >>> train, test = split_of("iris", 0.1, 0, seed=0)
    >>> len(train), len(test), train.tolist() == split_of("iris", 0.66, 0, seed=0).train[:15].tolist()
    (15, 135, True)
    """
    n_rows = n_rows_of(name)
    rows = np.random.default_rng(stream_of(f"{seed}/{name}/{repetition}")).permutation(n_rows)
    # Two rows at least: some opponents cannot be fitted to one.
    n_train = max(2, round(share * n_rows))
    return Split(rows[:n_train], rows[n_train : n_train + MAX_TEST_ROWS])
