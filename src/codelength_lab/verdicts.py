"""Verdicts on claims, by one rule for all papers.

A lead of at least two standard errors settles a claim, and a shorter one leaves it unsettled. The standard
error of a lead on one table is over rows, repetitions or samples, and is about that table; that of a mean
over tables is over tables, and is about other tables like these. So a claim can hold on every table and be
unsettled on average over tables.
"""

import math
from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np

from codelength.scores.means import mean_of

Verdict: TypeAlias = Literal["held", "not held", "unsettled"]

VERDICTS: tuple[Verdict, ...] = ("held", "not held", "unsettled")

LEAST = 2.0
"""Standard errors that settle a lead."""


def by_lead(lead: float, standard_error: float = 0.0) -> Verdict:
    """Return the verdict on the claim that a lead is positive.

    An infinite lead and one without noise (a standard error of 0) are settled by their signs; a lead with an
    unknown standard error (NaN) is unsettled.

    Examples
    --------
    >>> by_lead(0.5, 0.2), by_lead(-0.5, 0.2), by_lead(0.3, 0.2)
    ('held', 'not held', 'unsettled')
    >>> by_lead(0.0)
    'not held'
    """
    # An infinite lead is settled even without a standard error, which is then NaN.
    if math.isnan(lead) or (math.isnan(standard_error) and math.isfinite(lead)):
        return "unsettled"
    if math.isinf(lead) or standard_error == 0:
        return "held" if lead > 0 else "not held"
    if abs(lead) < LEAST * standard_error:
        return "unsettled"
    return "held" if lead > 0 else "not held"


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on the claim that several claims hold.

    Examples
    --------
    >>> all_of(["held", "unsettled"]), all_of(["held", "unsettled", "not held"])
    ('unsettled', 'not held')
    """
    given = set(verdicts)
    return "not held" if "not held" in given else "unsettled" if "unsettled" in given else "held"


def any_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on the claim that one of several claims holds.

    Examples
    --------
    >>> any_of(["held", "not held"]), any_of(["unsettled", "not held"])
    ('held', 'unsettled')
    """
    given = set(verdicts)
    return "held" if "held" in given else "unsettled" if "unsettled" in given else "not held"


def most_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on the claim that more than half of several claims hold.

    Examples
    --------
    >>> most_of(["held", "held", "unsettled"]), most_of(["held", "not held"]), most_of(["held", "unsettled"])
    ('held', 'not held', 'unsettled')
    """
    given = list(verdicts)
    if 2 * given.count("held") > len(given):
        return "held"
    # If half fail, no majority can hold any more, whatever the unsettled ones turn out to be.
    return "not held" if 2 * given.count("not held") >= len(given) else "unsettled"


def agreed(one: Verdict, other: Verdict) -> Verdict:
    """Return the verdict on a claim with two readings; unsettled if they disagree.

    Examples
    --------
    >>> agreed("held", "held"), agreed("held", "not held")
    ('held', 'unsettled')
    """
    return one if one == other else "unsettled"


def by_sample(leads: Iterable[float]) -> Verdict:
    """Return the verdict on the claim that a mean lead is positive, from a sample of leads.

    Examples
    --------
    >>> by_sample([1.0, 1.2, 0.9]), by_sample([1.0, -1.2, 0.9]), by_sample([1.0])
    ('held', 'unsettled', 'unsettled')
    """
    values = np.array(list(leads), dtype=np.float64)
    # One lead has no standard error: it could be chance.
    if len(values) < 2:
        return "unsettled"
    with np.errstate(invalid="ignore"):
        return by_lead(*mean_of(values))
