"""The three conclusions of the 1997 paper, held to mixtures."""

import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from ...findings import Claim, signed
from ...summary import Mean, ScoreName, mean_of
from ...verdicts import Verdict, all_of, any_of, by_lead, by_sample
from .collected import Collected
from .task import ONE_OPTIMUM

Pair = tuple[str, str]

FIRST = "abstract: with all the data"
SECOND = "abstract: with less data"
THIRD = "abstract: MAP"
BESIDE = "beside naive Bayes"
APPROXIMATION = "approximations of EV"


def claims_of(found: Collected) -> list[Claim]:
    """All claims, for each number of components; those of the paper first."""
    made: list[Claim] = []
    for decide in (_complexity_leads, _complexity_on_average, _evidence_leads, _map_trails, _map_hits):
        made += [decide(found, n) for n in found.components]
    for further in (_hidden_gains, _one_optimum):
        made += [further(found, n) for n in found.components]
    return made


def _complexity_leads(found: Collected, n: int) -> Claim:
    leads = _left_out(found, n, ("SC", "EV"))
    return Claim(
        FIRST,
        f"Predicting each row from all others, SC has a better log-score than EV on every table "
        f"({n} components).",
        all_of(by_lead(*lead) for lead in leads.values()),
        f"SC less EV: {_listed(leads)}; with the class observed: "
        + _listed(_left_out(found, n, ("SC, class observed", "EV, class observed"))),
    )


def _complexity_on_average(found: Collected, n: int) -> Claim:
    leads = _left_out(found, n, ("SC", "EV"))
    return Claim(
        FIRST,
        f"Predicting each row from all others, SC has a better log-score than EV on average over the "
        f"tables ({n} components).",
        by_sample(lead.value for lead in leads.values()),
        f"SC less EV: {_over_tables(leads)}",
    )


def _evidence_leads(found: Collected, n: int) -> Claim:
    leads = {
        table: [
            found.lead(table, n, ("EV", other), size=size)
            for other in ("MAP", "SC")
            for size in found.small_sizes(table)
        ]
        for table in found.tables
    }
    least = {table: min(own, key=_in_errors) for table, own in leads.items()}
    return Claim(
        SECOND,
        f"With up to a tenth of the table to learn from, EV has the best mean log-score at every size, on "
        f"every table ({n} components).",
        all_of(by_lead(*lead) for own in leads.values() for lead in own),
        f"least sure lead: {_listed(least)}",
    )


def _map_trails(found: Collected, n: int) -> Claim:
    """MAP behind both others, with all the data and with less."""

    def behind(size_of: Callable[[str], int | None]) -> tuple[list[Verdict], dict[str, Mean]]:
        leads = {
            other: {
                table: found.lead(table, n, (other, "MAP"), size=size_of(table)) for table in found.tables
            }
            for other in ("EV", "SC")
        }
        verdicts = [by_sample(lead.value for lead in own.values()) for own in leads.values()]
        return verdicts, {other: _mean(own) for other, own in leads.items()}

    with_all, leads_all = behind(lambda table: None)
    with_few, leads_few = behind(lambda table: found.small_sizes(table)[-1])
    return Claim(
        THIRD,
        f"MAP has a worse log-score than EV and than SC on average over the tables, with all other rows to "
        f"learn from and with a tenth ({n} components).",
        all_of([*with_all, *with_few]),
        "; ".join(
            f"{other} less MAP: {signed(*lead)} with all, {signed(*leads_few[other])} with a tenth"
            for other, lead in leads_all.items()
        ),
    )


def _map_hits(found: Collected, n: int) -> Claim:
    leads = {
        other: {table: found.lead(table, n, ("MAP", other), "accuracy") for table in found.tables}
        for other in ("EV", "SC")
    }
    verdicts = [all_of(by_lead(*leads[other][table]) for other in leads) for table in found.tables]
    return Claim(
        THIRD,
        f"Predicting each row from all others, MAP has the best 0/1-score on some table ({n} components).",
        any_of(verdicts),
        "; ".join(f"MAP less {other}: {_listed(own)}" for other, own in leads.items()),
    )


def _hidden_gains(found: Collected, n: int) -> Claim:
    leads = _left_out(found, n, ("EV", "EV, class observed"))
    return Claim(
        BESIDE,
        f"Predicting each row from all others by EV, a mixture of {n} components has a better log-score "
        "than naive Bayes, on average over the tables.",
        by_sample(lead.value for lead in leads.values()),
        f"hidden less observed: {_over_tables(leads)}",
        is_beyond=True,
    )


def _one_optimum(found: Collected, n: int) -> Claim:
    leads = _left_out(found, n, ("EV", ONE_OPTIMUM))
    away = {table: Mean(abs(lead.value), lead.standard_error) for table, lead in leads.items()}
    return Claim(
        APPROXIMATION,
        f"Chains that start at the fitted mixture give another log-score than annealed ones on some table, "
        f"predicting each row from all others ({n} components).",
        any_of("held" if by_lead(*lead) == "held" else "unsettled" for lead in away.values()),
        f"EV less {ONE_OPTIMUM}: {_listed(leads)}",
        is_beyond=True,
    )


def ranking(scores: Mapping[str, float]) -> str:
    """Models from the best to the worst.

    Examples
    --------
    >>> ranking({"MAP": -1.2, "EV": -0.4, "SC": -0.5})
    'EV > SC > MAP'
    """
    return " > ".join(sorted(scores, key=lambda name: -scores[name]))


def _left_out(found: Collected, n: int, pair: Pair, score: ScoreName = "log_score") -> dict[str, Mean]:
    return {table: found.lead(table, n, pair, score) for table in found.tables}


def _mean(leads: Mapping[str, Mean]) -> Mean:
    return mean_of(np.array([lead.value for lead in leads.values()]))


def _listed(leads: Mapping[str, Mean]) -> str:
    return ", ".join(f"{table} {signed(*lead)}" for table, lead in leads.items())


def _over_tables(leads: Mapping[str, Mean]) -> str:
    return f"{signed(*_mean(leads))} over tables ({_listed(leads)})"


def _in_errors(lead: Mean) -> float:
    """A lead in standard errors."""
    if not lead.standard_error > 0:
        return math.copysign(math.inf, lead.value)
    return lead.value / lead.standard_error


def share_of_agreement(pairs: Iterable[tuple[str, str]]) -> float:
    """Share of pairs that are equal.

    Examples
    --------
    >>> share_of_agreement([("a", "a"), ("a", "b")])
    0.5
    """
    given = list(pairs)
    return sum(one == other for one, other in given) / len(given)
