"""Tables in which no column says anything about the class, and what a model gains and loses on them."""

import numpy as np


def noise(seed, n_rows, n_columns, n_classes, kind):
    """Columns of numbers, categories or both, and classes that do not depend on them."""
    rng = np.random.default_rng([seed, n_rows, n_columns])
    labels = np.array([f"y{label}" for label in rng.integers(n_classes, size=n_rows)])
    is_number = {"categorical": False, "numeric": True}.get(kind)
    columns = {}
    for j in range(n_columns):
        if j % 2 == 0 if is_number is None else is_number:
            columns[f"x{j}"] = rng.normal(size=n_rows)
        else:
            columns[f"x{j}"] = np.array([f"v{value}" for value in rng.integers(2 + j % 4, size=n_rows)])
    return columns, labels


def gains(model_of, seed, n_rows, n_columns, n_classes, kind, n_new=1_000):
    """How far a model is above the class prior in nats per row: leaving rows out, and on new rows."""
    columns, labels = noise(seed, n_rows + n_new, n_columns, n_classes, kind)
    train = {name: column[:n_rows] for name, column in columns.items()}
    new = {name: column[n_rows:] for name, column in columns.items()}
    model = model_of().fit(train, labels[:n_rows])
    left_out = model.leave_one_out()
    prior = left_out.against["class prior"]
    counts = np.array([np.count_nonzero(labels[:n_rows] == name) for name in model.classes_]) + 0.5
    codes = np.searchsorted(model.classes_, labels[n_rows:])
    made = model.predict_log_proba(new)[np.arange(n_new), codes]
    fresh = float(made.mean() - np.log(counts / counts.sum())[codes].mean())
    return left_out.log_score - prior.log_score, fresh
