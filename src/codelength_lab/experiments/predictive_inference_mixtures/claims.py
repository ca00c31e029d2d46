"""The three conclusions of the 1997 paper, tested on mixtures and on naive Bayes with the same rows."""

from collections.abc import Callable

from ...claims import Claim, Leads, signed
from ...findings import ResultTable, Value
from ...results import Results
from ...verdicts import all_of, any_of, by_lead
from .task import ONE_OPTIMUM
from .ways import SMALL, Way, sizes_of, ways_of

FIRST = "abstract: with all the data"
SECOND = "abstract: with less data"
THIRD = "abstract: MAP"


def claims_of(results: Results) -> list[Claim]:
    """Return all claims, those of the paper first."""
    ways = ways_of(results)
    made = [decide(way) for decide in CONCLUSIONS.values() for way in ways]
    return made + [
        further(results, n) for further in (_hidden_gains, _one_optimum) for n in results.levels("components")
    ]


def answers_of(results: Results) -> ResultTable:
    """Return the verdict on each conclusion, with the class latent and with it observed."""
    rows: list[dict[str, Value]] = [
        {"conclusion of the paper": text, **{way.title: decide(way).verdict for way in ways_of(results)}}
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
        leads.every(),
        f"SC less EV: {leads.text()}",
        is_beyond=not way.n_components,
    )


def _complexity_on_average(way: Way) -> Claim:
    """Return the claim that SC is better than EV on average with all the data."""
    leads = way.leads("SC", "EV")
    return Claim(
        FIRST,
        "Predicting each row from all others, SC has a better log-score than EV on average over the tables "
        f"({way.title}).",
        leads.on_average(),
        f"SC less EV: {leads.over_tables()}",
        is_beyond=not way.n_components,
    )


def _evidence_leads(way: Way) -> Claim:
    """Return the claim that EV is best at every small size on every table."""
    leads = {
        table: Leads(
            {
                (other, size): way.lead(table, "EV", other, size=size)
                for other in ("MAP", "SC")
                for size in sizes_of(way.results, table, SMALL)
            }
        )
        for table in way.tables
    }
    # The claim is about all leads, so that the least certain one decides it.
    least = Leads({table: lead for table, own in leads.items() for lead in own.least_sure().values()})
    return Claim(
        SECOND,
        "With up to a tenth of the table to learn from, EV has the best mean log-score at every size, on "
        f"every table ({way.title}).",
        all_of(own.every() for own in leads.values()),
        f"least sure lead: {least.text()}",
        is_beyond=not way.n_components,
    )


def _evidence_with_a_tenth(way: Way) -> Claim:
    """Return the claim that EV is best on average with a tenth of the table."""
    leads = {other: way.leads("EV", other, small=True) for other in ("MAP", "SC")}
    return Claim(
        SECOND,
        "With a tenth of the table to learn from, EV has a better mean log-score than MAP and than SC, on "
        f"average over the tables ({way.title}).",
        all_of(own.on_average() for own in leads.values()),
        "; ".join(f"EV less {other}: {own.over_tables()}" for other, own in leads.items()),
        is_beyond=not way.n_components,
    )


def _map_trails(way: Way) -> Claim:
    """Return the claim that MAP has the worst log score on average."""
    with_all, with_few = (
        {other: way.leads(other, "MAP", small=small) for other in ("EV", "SC")} for small in (False, True)
    )
    return Claim(
        THIRD,
        "MAP has a worse log-score than EV and than SC on average over the tables, with all other rows to "
        f"learn from and with a tenth ({way.title}).",
        all_of(own.on_average() for own in (*with_all.values(), *with_few.values())),
        "; ".join(
            f"{other} less MAP: {signed(*with_all[other].mean())} with all, "
            f"{signed(*with_few[other].mean())} with a tenth"
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
        any_of(all_of(by_lead(*own[table]) for own in leads.values()) for table in way.tables),
        "; ".join(f"MAP less {other}: {own.text()}" for other, own in leads.items()),
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


def _left_out_leads(results: Results, n: int, model: str, other: str) -> Leads[str]:
    """Return the leads on all tables under leave-one-out."""
    return results.at(components=n, size=None, score="log_score").leads(model, other, "table")


def _hidden_gains(results: Results, n: int) -> Claim:
    """Return the claim that a mixture predicts better than naive Bayes."""
    leads = _left_out_leads(results, n, "EV", "EV, class observed")
    return Claim(
        "beside naive Bayes",
        f"Predicting each row from all others by EV, a mixture of {n} components has a better log-score "
        "than naive Bayes, on average over the tables.",
        leads.on_average(),
        f"hidden less observed: {leads.over_tables()}",
        is_beyond=True,
    )


def _one_optimum(results: Results, n: int) -> Claim:
    """Return the claim that chains at one optimum differ from annealed ones."""
    leads = _left_out_leads(results, n, "EV", ONE_OPTIMUM)
    return Claim(
        "approximations of EV",
        "Chains that start at the fitted mixture give another log-score than annealed ones on some table, "
        f"predicting each row from all others ({n} components).",
        leads.changed(abs).some(),
        f"EV less {ONE_OPTIMUM}: {leads.text()}",
        is_beyond=True,
    )
