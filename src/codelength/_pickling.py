"""Pickles of fitted state, without cached properties."""

from dataclasses import fields
from typing import Any


class WithoutCaches:
    """Base of dataclasses that are pickled and copied by their fields; cached properties are computed again.

    Examples
    --------
    >>> import pickle
    >>> from codelength.averages.training import Training
    >>> from codelength.table import Coded, Schema
    >>> training = Training.of(Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1]], [0, 1]))
    >>> training.labels, "labels" in vars(training), "labels" in vars(pickle.loads(pickle.dumps(training)))
    (array([0, 1]), True, False)
    """

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
