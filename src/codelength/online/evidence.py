"""Log evidence of a stream with growing domains."""

import numpy as np
from scipy.special import gammaln

from ..typing import FloatArray
from .domain import Domain
from .domain_sizes import LOG_PRIOR, SIZES, log_prior_of_at_least
from .growing import GrowingCounts


def growing_log_evidence(counts: GrowingCounts, weight: float) -> float:
    """Return the log probability of all rows together, which does not depend on their order.

    Parameters
    ----------
    counts : GrowingCounts
        Counts of the rows.
    weight : float
        Unit of the counts.
    """
    # Classes are one more variable, with a single total instead of one per class.
    columns = counts.target.places
    of_classes = counts.class_counts[columns][:, None] / weight
    found = _of_variable(
        of_classes,
        of_classes.sum(axis=0),
        counts.target,
        counts.n_met_classes / weight,
        counts.class_pseudocount,
    )
    for i, domain in enumerate(counts.domains):
        if not domain.is_retired:
            of_values = counts.value_counts[np.ix_(domain.places, columns)] / weight
            totals, n_met = counts.totals[i, columns] / weight, counts.n_met[i] / weight
            found += _of_variable(of_values, totals, domain, n_met, counts.value_pseudocount)
    return found


def _of_variable(
    counts: FloatArray, totals: FloatArray, domain: Domain, n_met: float, pseudocount: float
) -> float:
    """Return the log evidence of one variable, from counts of its values in the classes."""
    from ._kernels import log_averages

    # Numerators of the Dirichlet evidence; the denominators depend on the size of the domain.
    found = float(gammaln(counts + pseudocount).sum()) - counts.size * float(gammaln(pseudocount))
    if not domain.is_open:
        size = pseudocount * domain.n_known
        return found + float((gammaln(size) - gammaln(size + totals)).sum())
    terms, averages = np.empty(len(SIZES)), np.empty(len(totals))
    known = (domain.n_known, domain.n_declared, n_met, pseudocount)
    found += float(log_averages(totals, *known, SIZES, LOG_PRIOR, False, terms, averages))
    # log_averages is relative to the smallest possible size, so the evidence of that size is added.
    smallest = pseudocount * SIZES[np.searchsorted(SIZES, domain.n_known)]
    found += float((gammaln(smallest) - gammaln(smallest + totals)).sum())
    # The prior is conditional on a domain that has at least the declared values.
    return found - log_prior_of_at_least(max(domain.n_declared, 1))
