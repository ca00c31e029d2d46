r"""Prior of the size of growing domains.

A domain has size :math:`M` with prior probability :math:`1 / (M (M + 1))`, so that it has at least :math:`M`
values with probability :math:`1 / M`: the prior is scale-free. All sizes up to 64 are in the support; beyond
that, eight sizes per octave represent their neighbours, up to a million.
"""

import numpy as np

from ..typing import FloatArray

MOST_VALUES = 65_535
"""Largest number of values of a variable; variables with more are identifiers."""

_EACH, _PER_OCTAVE, _OCTAVES = 64, 8, 14


def _support() -> FloatArray:
    """Return all sizes up to 64, then eight per octave."""
    beyond = _EACH * 2.0 ** (np.arange(1, _PER_OCTAVE * _OCTAVES + 1) / _PER_OCTAVE)
    return np.concatenate([np.arange(1.0, _EACH + 1), np.round(beyond)])


SIZES: FloatArray = _support()
"""Support of the prior."""

LOG_PRIOR: FloatArray = np.log(1 / SIZES - np.append(1 / SIZES[1:], 0.0))
"""Log prior probability of each size."""


def log_prior_of_at_least(n_values: int) -> float:
    """Return the log prior probability that a domain has so many values or more."""
    return float(np.log(np.exp(LOG_PRIOR[np.searchsorted(SIZES, n_values) :]).sum()))
