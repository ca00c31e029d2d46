"""The tables of the comparison, and how their rows are split."""

from functools import lru_cache

import numpy as np

from codelength import datasets
from codelength.errors import DataError
from codelength.evaluation.splits import Split
from codelength.table import Table

from ...spec import stream_of

TWINS = {
    "australian": "crx",
    "breast-w-with-id": "breast-w",
    "glass-with-id": "glass",
    "soybean-large": "soybean",
}
"""Bundled tables that hold rows of another one, which would count twice, and that other one."""

TABLES = tuple(name for name in datasets.names() if name not in TWINS)

QUICK_TABLES = ("hepatitis", "iris", "lymphography", "zoo")
"""The four smallest with at least a hundred rows."""

SHARES, QUICK_SHARES = (0.10, 0.25, 0.66), (0.10, 0.66)
"""Shares of the rows that are learned from."""

MOST_ROWS, MOST_TEST_ROWS = 1500, 1000
"""Small tables are what this is about: of longer ones a random part is used."""


@lru_cache(maxsize=4)
def small(name: str) -> Table:
    """A bundled table, or a random part of it that is the same in every run."""
    dataset = datasets.load(name)
    if dataset.info is None:
        raise DataError(
            f"{name}: a file in CODELENGTH_DATA takes the place of the bundled table, which is meant here; "
            "unset CODELENGTH_DATA"
        )
    table = dataset.table
    if table.n_rows <= MOST_ROWS:
        return table
    rows = np.random.default_rng(stream_of(f"{name}/rows")).permutation(table.n_rows)[:MOST_ROWS]
    return table.take(np.sort(rows))


def n_rows_of(name: str) -> int:
    """How many rows of a table are used."""
    return min(datasets.describe(name).rows, MOST_ROWS)


def split_of(name: str, share: float, repetition: int, seed: int) -> Split:
    """Rows to learn from and rows to predict; a smaller share is the beginning of a larger one.

    Examples
    --------
    >>> train, test = split_of("iris", 0.1, 0, seed=0)
    >>> len(train), len(test), train.tolist() == split_of("iris", 0.66, 0, seed=0).train[:15].tolist()
    (15, 135, True)
    """
    n_rows = n_rows_of(name)
    rows = np.random.default_rng(stream_of(f"{seed}/{name}/{repetition}")).permutation(n_rows)
    n_train = max(2, round(share * n_rows))
    return Split(rows[:n_train], rows[n_train : n_train + MOST_TEST_ROWS])
