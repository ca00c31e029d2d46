"""Code length of a labelled table when all naive Bayes models are averaged."""

import numpy as np
from scipy.special import gammaln

from ..counts import Counts
from ..rules import Pseudocounts
from ..typing import FloatArray


def evidence_code_length(counts: Counts, prior: Pseudocounts) -> float:
    r"""Code length of the classes and the values together, in nats.

    .. math:: -\log P(D) = -\log \int P(D \mid \Theta) P(\Theta)\, d\Theta

    Closed form: equation (8) of [1]_. Adding rows one at a time and predicting each from the rows before
    it costs exactly this much, in any order. Missing cells cost nothing: they are marginalised.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1998). Bayes optimal instance-based learning. ECML.

    Examples
    --------
    >>> from codelength.counts import Counts
    >>> from codelength.rules import pseudocounts
    >>> from codelength.table import Schema
    >>> counts = Counts.empty(Schema.from_sizes([2], n_classes=2)).add([0], 1)
    >>> float(np.exp(-evidence_code_length(counts, pseudocounts("uniform", counts.schema))))
    0.25
    """
    classes = dirichlet_log_evidence(counts.class_counts, prior.class_pseudocounts)
    return conditional_code_length(counts, prior) - float(classes)


def conditional_code_length(counts: Counts, prior: Pseudocounts) -> float:
    r"""Code length of the values given the classes, in nats: :math:`-\log P(X \mid y)`."""
    total = 0.0
    for i in range(counts.schema.n_variables):
        start, stop = counts.schema.offsets[i], counts.schema.offsets[i + 1] - 1
        total -= float(dirichlet_log_evidence(counts.of(i), prior.value_pseudocounts[:, start:stop]).sum())
    return total


def dirichlet_log_evidence(counts: FloatArray, pseudocounts: FloatArray) -> FloatArray:
    """Log marginal likelihood of multinomial counts along the last axis, under a Dirichlet prior."""
    before, after = pseudocounts.sum(axis=-1), (counts + pseudocounts).sum(axis=-1)
    cells = (gammaln(counts + pseudocounts) - gammaln(pseudocounts)).sum(axis=-1)
    return np.asarray(gammaln(before) - gammaln(after) + cells)
