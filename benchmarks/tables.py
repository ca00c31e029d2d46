"""Made-up tables of the sizes that are timed."""

import numpy as np

N_CLASSES = 5


def coded_table(n_rows: int, n_variables: int = 20, n_classes: int = N_CLASSES, seed: int = 0):
    """Codes (column by column in memory), class codes, and numbers of values from 2 to 16."""
    rng = np.random.default_rng(seed)
    n_values = np.resize(np.arange(2, 17), n_variables)
    rng.shuffle(n_values)
    classes = rng.choice(n_classes, n_rows, p=rng.dirichlet(np.full(n_classes, 5.0))).astype(np.uint8)
    codes = np.empty((n_rows, n_variables), dtype=np.uint8, order="F")
    grid = 4096  # inverse distribution functions on a grid: quick to draw from
    for i, size in enumerate(n_values):
        probs = rng.dirichlet(np.ones(size), size=n_classes)
        inverse = np.empty((n_classes, grid), dtype=np.uint8)
        for k in range(n_classes):
            steps = np.searchsorted(np.cumsum(probs[k]), (np.arange(grid) + 0.5) / grid)
            inverse[k] = np.minimum(steps, size - 1)
        codes[:, i] = inverse[classes, rng.integers(0, grid, n_rows, dtype=np.uint16)]
    return codes, classes, n_values.tolist()


def text_columns(codes, classes):
    """The same as columns of text."""
    words = np.array([f"value {number:02d}" for number in range(64)], dtype=object)
    columns = {f"variable {i}": words[codes[:, i]] for i in range(codes.shape[1])}
    return columns, np.array([f"class {k}" for k in range(64)], dtype=object)[classes]
