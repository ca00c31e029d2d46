"""Code length of a labelled table when all naive Bayes models are averaged."""

from ..counts import Counts
from ..rules import Predictor, PriorLike


def evidence_code_length(
    counts: Counts, prior: PriorLike = "uniform", *, given_classes: bool = False
) -> float:
    """Code length of the classes and the values together, in nats; see :meth:`Predictor.code_length`.

    With ``given_classes`` that of the values given the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from codelength.table import Schema
    >>> counts = Counts.empty(Schema.from_sizes([2], n_classes=2)).add([0], 1)
    >>> round(float(np.exp(-evidence_code_length(counts))), 12)
    0.25
    """
    return Predictor.of(counts, "evidence", prior).code_length(given_classes=given_classes)
