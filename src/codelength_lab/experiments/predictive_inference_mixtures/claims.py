"""The three conclusions of the 1997 paper, tested on mixtures and on naive Bayes with the same rows."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ...findings import Claim, ResultTable, Value, signed
from ...summary import Mean, ScoreName, mean_of
from ...verdicts import all_of, any_of, by_lead, by_sample
from .collected import Collected
from .task import OBSERVED, ONE_OPTIMUM, RULES

FIRST = "abstract: with all the data"
SECOND = "abstract: with less data"
THIRD = "abstract: MAP"


@dataclass(frozen=True, slots=True)
class Way:
    """One way to model the class: latent with some components, or observed with none.

    Attributes
    ----------
    found : Collected
        The scores.
    n_components : int
        Components of the mixture; 0 for the class observed.
    """

    found: Collected
    n_components: int

    @property
    def title(self) -> str:
        """Title of the way in tables."""
        return f"hidden, {self.n_components} components" if self.n_components else "observed"

    def lead(
        self, table: str, rule: str, other: str, score: ScoreName = "log_score", size: int | None = None
    ) -> Mean:
        """Return the lead of one rule over another, with some training rows, or with all other rows.

        Parameters
        ----------
        table : str
            Name of the table.
        rule, other : str
            Rules, as in ``RULES``.
        score : {"log_score", "accuracy"}
            Score.
        size : int, optional
            Training rows; None for leave-one-out.
        """
        # Scores of naive Bayes are stored with every number of components; any of them will do.
        names = dict(zip(RULES, RULES if self.n_components else OBSERVED, strict=True))
        n = self.n_components or self.found.components[0]
        return self.found.lead(table, n, (names[rule], names[other]), score, size)

    def leads(
        self, rule: str, other: str, score: ScoreName = "log_score", *, small: bool = False
    ) -> dict[str, Mean]:
        """Return the leads on all tables, with all other rows for training, or with a tenth of the table.

        Parameters
        ----------
        rule, other : str
            Rules, as in ``RULES``.
        score : {"log_score", "accuracy"}
            Score.
        small : bool
            Whether to use a tenth of the table for training.
        """
        sizes = {table: self.found.small_sizes(table)[-1] if small else None for table in self.found.tables}
        return {table: self.lead(table, rule, other, score, size) for table, size in sizes.items()}


def ways_of(found: Collected) -> list[Way]:
    """Return every number of components, and the class observed."""
    return [Way(found, n) for n in (*found.components, 0)]


def claims_of(found: Collected) -> list[Claim]:
    """Return all claims, those of the paper first."""
    ways = ways_of(found)
    made = [decide(way) for decide in CONCLUSIONS.values() for way in ways]
    return made + [further(found, n) for further in (_hidden_gains, _one_optimum) for n in found.components]


def answers_of(found: Collected) -> ResultTable:
    """Return the verdict on each conclusion, with the class latent and with it observed."""
    rows: list[dict[str, Value]] = [
        {"conclusion of the paper": text, **{way.title: decide(way).verdict for way in ways_of(found)}}
        for text, decide in CONCLUSIONS.items()
    ]
    return ResultTable("answers", "Do the conclusions carry over?", rows, first=True)


def _complexity_leads(way: Way) -> Claim:
    """Return the claim that SC is better than EV on every table with all the data."""
    leads = way.leads("SC", "EV")
    return Claim(
        FIRST,
        "Predicting each row from all others, SC has a better log-score than EV on every table "
        f"({way.title}).",
        all_of(by_lead(*lead) for lead in leads.values()),
        f"SC less EV: {_listed(leads)}",
        is_beyond=not way.n_components,
    )


def _complexity_on_average(way: Way) -> Claim:
    """Return the claim that SC is better than EV on average with all the data."""
    leads = way.leads("SC", "EV")
    return Claim(
        FIRST,
        "Predicting each row from all others, SC has a better log-score than EV on average over the tables "
        f"({way.title}).",
        by_sample(lead.value for lead in leads.values()),
        f"SC less EV: {_over_tables(leads)}",
        is_beyond=not way.n_components,
    )


def _evidence_leads(way: Way) -> Claim:
    """Return the claim that EV is best at every small size on every table."""
    leads = {
        table: [
            way.lead(table, "EV", other, size=size)
            for other in ("MAP", "SC")
            for size in way.found.small_sizes(table)
        ]
        for table in way.found.tables
    }
    # The claim is about all leads, so that the least certain one decides it.
    least = {table: min(own, key=_in_errors) for table, own in leads.items()}
    return Claim(
        SECOND,
        "With up to a tenth of the table to learn from, EV has the best mean log-score at every size, on "
        f"every table ({way.title}).",
        all_of(by_lead(*lead) for own in leads.values() for lead in own),
        f"least sure lead: {_listed(least)}",
        is_beyond=not way.n_components,
    )


def _evidence_with_a_tenth(way: Way) -> Claim:
    """Return the claim that EV is best on average with a tenth of the table."""
    leads = {other: way.leads("EV", other, small=True) for other in ("MAP", "SC")}
    return Claim(
        SECOND,
        "With a tenth of the table to learn from, EV has a better mean log-score than MAP and than SC, on "
        f"average over the tables ({way.title}).",
        all_of(by_sample(lead.value for lead in own.values()) for own in leads.values()),
        "; ".join(f"EV less {other}: {_over_tables(own)}" for other, own in leads.items()),
        is_beyond=not way.n_components,
    )


def _map_trails(way: Way) -> Claim:
    """Return the claim that MAP has the worst log score on average."""
    with_all, with_few = (
        {other: way.leads(other, "MAP", small=small) for other in ("EV", "SC")} for small in (False, True)
    )
    every = [*with_all.values(), *with_few.values()]
    return Claim(
        THIRD,
        "MAP has a worse log-score than EV and than SC on average over the tables, with all other rows to "
        f"learn from and with a tenth ({way.title}).",
        all_of(by_sample(lead.value for lead in own.values()) for own in every),
        "; ".join(
            f"{other} less MAP: {signed(*_mean(with_all[other]))} with all, "
            f"{signed(*_mean(with_few[other]))} with a tenth"
            for other in with_all
        ),
        is_beyond=not way.n_components,
    )


def _map_hits(way: Way) -> Claim:
    """Return the claim that MAP has the best 0/1-score on some table."""
    leads = {other: way.leads("MAP", other, "accuracy") for other in ("EV", "SC")}
    return Claim(
        THIRD,
        f"Predicting each row from all others, MAP has the best 0/1-score on some table ({way.title}).",
        any_of(all_of(by_lead(*own[table]) for own in leads.values()) for table in way.found.tables),
        "; ".join(f"MAP less {other}: {_listed(own)}" for other, own in leads.items()),
        is_beyond=not way.n_components,
    )


CONCLUSIONS: dict[str, Callable[[Way], Claim]] = {
    "With all the data, SC predicts best: on every table": _complexity_leads,
    "With all the data, SC predicts best: on average": _complexity_on_average,
    "With less data, EV predicts best: at every size, on every table": _evidence_leads,
    "With less data, EV predicts best: with a tenth, on average": _evidence_with_a_tenth,
    "MAP is inferior in the log-score": _map_trails,
    "MAP may be the best in the 0/1-score": _map_hits,
}
"""Conclusions in the abstract of the paper, with the functions that decide them."""


def _hidden_gains(found: Collected, n: int) -> Claim:
    """Return the claim that a mixture predicts better than naive Bayes."""
    leads = {table: found.lead(table, n, ("EV", "EV, class observed")) for table in found.tables}
    return Claim(
        "beside naive Bayes",
        f"Predicting each row from all others by EV, a mixture of {n} components has a better log-score "
        "than naive Bayes, on average over the tables.",
        by_sample(lead.value for lead in leads.values()),
        f"hidden less observed: {_over_tables(leads)}",
        is_beyond=True,
    )


def _one_optimum(found: Collected, n: int) -> Claim:
    """Return the claim that chains at one optimum differ from annealed ones."""
    leads = {table: found.lead(table, n, ("EV", ONE_OPTIMUM)) for table in found.tables}
    away = [by_lead(abs(lead.value), lead.standard_error) for lead in leads.values()]
    return Claim(
        "approximations of EV",
        "Chains that start at the fitted mixture give another log-score than annealed ones on some table, "
        f"predicting each row from all others ({n} components).",
        any_of(away),
        f"EV less {ONE_OPTIMUM}: {_listed(leads)}",
        is_beyond=True,
    )


def ranking(scores: Mapping[str, float]) -> str:
    """Return the names of models from the best to the worst.

    Examples
    --------
    >>> ranking({"MAP": -1.2, "EV": -0.4, "SC": -0.5})
    'EV, SC, MAP'
    """
    return ", ".join(sorted(scores, key=lambda name: -scores[name]))


def _mean(leads: Mapping[str, Mean]) -> Mean:
    return mean_of(np.array([lead.value for lead in leads.values()]))


def _listed(leads: Mapping[str, Mean]) -> str:
    return ", ".join(f"{table} {signed(*lead)}" for table, lead in leads.items())


def _over_tables(leads: Mapping[str, Mean]) -> str:
    return f"{signed(*_mean(leads))} over tables ({_listed(leads)})"


def _in_errors(lead: Mean) -> float:
    """Return a lead in standard errors."""
    if not lead.standard_error > 0:
        return math.copysign(math.inf, lead.value)
    return lead.value / lead.standard_error
