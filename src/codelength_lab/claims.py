"""Claims, the leads that they rest on, and verdicts by one rule for all experiments.

A lead of at least two standard errors settles a claim, and a shorter one leaves it unsettled. The standard
error of a lead on one table is over rows, repetitions or samples, and is about that table; that of a mean
over tables is over tables, and is about other tables like these. So a claim can hold on every table and be
unsettled on average over tables. Verdicts come first, then ``Leads``, on which they rest.
"""

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

import numpy as np

from codelength.scores.means import Mean, mean_of

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


K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper, tested on our results.

    Attributes
    ----------
    where, text : str
        Place in the paper, and the claim, made precise in our words.
    verdict, figures : str
        The verdict (see :func:`by_lead`), and the figures behind it.
    is_beyond : bool
        True if the claim goes beyond the paper; such claims are counted separately.
    """

    where: str
    text: str
    verdict: Verdict
    figures: str
    is_beyond: bool = False


class Leads(dict[K, Mean]):
    """Leads by table, or by anything else that a claim speaks about, with standard errors.

    Examples
    --------
    >>> leads = Leads({"iris": Mean(0.5, 0.1), "zoo": Mean(0.1, 0.2)})
    >>> leads.every(), leads.some(), leads.on_average()
    ('unsettled', 'held', 'unsettled')
    >>> leads.text()
    'iris +0.500 ± 0.100, zoo +0.100 ± 0.200'
    >>> leads.least_sure().text(1)
    'zoo +0.1 ± 0.2'
    """

    def every(self) -> Verdict:
        """Return the verdict on the claim that every lead is positive."""
        return all_of(self.verdicts())

    def some(self) -> Verdict:
        """Return the verdict on the claim that one of the leads is positive."""
        return any_of(self.verdicts())

    def most(self) -> Verdict:
        """Return the verdict on the claim that more than half of the leads are positive."""
        return most_of(self.verdicts())

    def on_average(self) -> Verdict:
        """Return the verdict on the claim that the mean lead is positive, from the spread of leads."""
        return by_sample(lead.value for lead in self.values())

    def verdicts(self) -> list[Verdict]:
        """Return the verdict on each lead."""
        return [by_lead(*lead) for lead in self.values()]

    def mean(self) -> Mean:
        """Return the mean lead, with its standard error over leads."""
        return mean_of(np.array([lead.value for lead in self.values()]))

    def changed(self, change: Callable[[float], float]) -> "Leads[K]":
        """Return leads with other values and the same standard errors."""
        return Leads({name: Mean(change(lead.value), lead.standard_error) for name, lead in self.items()})

    def least_sure(self) -> "Leads[K]":
        """Return the lead that is smallest in standard errors."""
        name = min(self, key=lambda name: _in_errors(self[name]))
        return Leads({name: self[name]})

    def text(self, digits: int = 3, scale: float = 1.0) -> str:
        """Return all leads, in units of which ``scale`` make up one."""
        return ", ".join(
            f"{name} {signed(scale * value, scale * error, digits)}" for name, (value, error) in self.items()
        )

    def over_tables(self) -> str:
        """Return the mean lead and all leads."""
        return f"{signed(*self.mean())} over tables ({self.text()})"


def apart(one: Mean, other: Mean) -> Mean:
    """Return the lead of one mean over another that is independent of it."""
    return Mean(one.value - other.value, math.hypot(one.standard_error, other.standard_error))


def signed(value: float, standard_error: float = math.nan, digits: int = 3) -> str:
    """Return a signed difference with its standard error, if there is one.

    Examples
    --------
    >>> signed(0.0123, 0.004), signed(-1.5)
    ('+0.012 ± 0.004', '-1.500')
    """
    text = f"{value:+.{digits}f}"
    return text if math.isnan(standard_error) else f"{text} ± {standard_error:.{digits}f}"


def _in_errors(lead: Mean) -> float:
    """Return a lead in standard errors."""
    if not lead.standard_error > 0:
        # Without noise a lead is as sure as can be, in the direction of its sign.
        return math.copysign(math.inf, lead.value)
    return lead.value / lead.standard_error
