"""Leads, and the claims that rest on them."""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from codelength.scores.means import Mean, mean_of

from .verdicts import Verdict, all_of, any_of, by_lead, by_sample, most_of

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper, tested on our results.

    Attributes
    ----------
    where, text : str
        Place in the paper, and the claim, made precise in our words.
    verdict, figures : str
        The verdict (see :mod:`codelength_lab.verdicts`), and the figures behind it.
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
