"""A known mixture of three classes, for tests of what intervals and tests promise."""

import numpy as np

from codelength import Schema
from codelength.mixture.parameters import MixtureParameters, with_components

SHARES = (0.45, 0.33, 0.22)

PROFILES = (
    ((0.85, 0.15), (0.25, 0.75), (0.3, 0.7)),
    ((0.8, 0.2), (0.7, 0.3), (0.15, 0.85)),
    ((0.2, 0.8), (0.75, 0.25), (0.3, 0.7)),
    ((0.75, 0.25), (0.2, 0.8), (0.8, 0.2)),
    ((0.6, 0.25, 0.15), (0.15, 0.7, 0.15), (0.2, 0.2, 0.6)),
    ((0.15, 0.25, 0.6), (0.65, 0.2, 0.15), (0.2, 0.6, 0.2)),
    ((0.7, 0.15, 0.15), (0.2, 0.2, 0.6), (0.15, 0.65, 0.2)),
    ((0.2, 0.6, 0.2), (0.2, 0.15, 0.65), (0.65, 0.2, 0.15)),
)
"""For each variable the probabilities of its values in each class."""


def truth(n_classes=3):
    """The mixture of the first classes, their shares in proportion."""
    schema = with_components(Schema.from_sizes([len(classes[0]) for classes in PROFILES]), n_classes)
    rows = [np.concatenate([[*classes[k], 1.0] for classes in PROFILES]) for k in range(n_classes)]
    shares = np.array(SHARES[:n_classes])
    return MixtureParameters(schema, shares / shares.sum(), np.array(rows))
