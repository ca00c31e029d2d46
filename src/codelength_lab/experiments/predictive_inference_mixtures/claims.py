"""The three conclusions of the 1997 paper, tested on mixtures and on naive Bayes with the same rows."""

from collections.abc import Callable

from ...claims import Claim, Leads, signed
from ...findings import ResultTable, Value
from ...published import claim_of
from ...results import Results
from ...verdicts import Verdict, all_of, any_of, by_lead
from .task import ONE_OPTIMUM
from .ways import SMALL, Way, sizes_of, ways_of

KEY = "predictive-inference-mixtures"


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


def _of_way(way: Way, name: str, verdict: Verdict, figures: str) -> Claim:
    """Return a claim on one way; the paper's own, with the class observed, is beyond this experiment."""
    return claim_of(KEY, name, verdict, figures, is_beyond=not way.n_components, way=way.title)


def _complexity_leads(way: Way) -> Claim:
    """Return the claim that SC is better than EV on every table with all the data."""
    leads = way.leads("SC", "EV")
    return _of_way(way, "sc_leads", leads.every(), f"SC less EV: {leads.text()}")


def _complexity_on_average(way: Way) -> Claim:
    """Return the claim that SC is better than EV on average with all the data."""
    leads = way.leads("SC", "EV")
    return _of_way(way, "sc_on_average", leads.on_average(), f"SC less EV: {leads.over_tables()}")


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
    verdict = all_of(own.every() for own in leads.values())
    return _of_way(way, "ev_leads", verdict, f"least sure lead: {least.text()}")


def _evidence_with_a_tenth(way: Way) -> Claim:
    """Return the claim that EV is best on average with a tenth of the table."""
    leads = {other: way.leads("EV", other, small=True) for other in ("MAP", "SC")}
    figures = "; ".join(f"EV less {other}: {own.over_tables()}" for other, own in leads.items())
    return _of_way(way, "ev_with_a_tenth", all_of(own.on_average() for own in leads.values()), figures)


def _map_trails(way: Way) -> Claim:
    """Return the claim that MAP has the worst log score on average."""
    with_all, with_few = (
        {other: way.leads(other, "MAP", small=small) for other in ("EV", "SC")} for small in (False, True)
    )
    verdict = all_of(own.on_average() for own in (*with_all.values(), *with_few.values()))
    told = [
        f"{other} less MAP: {signed(*own.mean())} with all, {signed(*with_few[other].mean())} with a tenth"
        for other, own in with_all.items()
    ]
    return _of_way(way, "map_trails", verdict, "; ".join(told))


def _map_hits(way: Way) -> Claim:
    """Return the claim that MAP has the best 0/1-score on some table."""
    leads = {other: way.leads("MAP", other, "accuracy") for other in ("EV", "SC")}
    verdict = any_of(all_of(by_lead(*own[table]) for own in leads.values()) for table in way.tables)
    figures = "; ".join(f"MAP less {other}: {own.text()}" for other, own in leads.items())
    return _of_way(way, "map_hits", verdict, figures)


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
    figures = f"hidden less observed: {leads.over_tables()}"
    return claim_of(KEY, "hidden_gains", leads.on_average(), figures, is_beyond=True, n=n)


def _one_optimum(results: Results, n: int) -> Claim:
    """Return the claim that chains at one optimum differ from annealed ones."""
    leads = _left_out_leads(results, n, "EV", ONE_OPTIMUM)
    figures = f"EV less {ONE_OPTIMUM}: {leads.text()}"
    return claim_of(KEY, "one_optimum", leads.changed(abs).some(), figures, is_beyond=True, n=n)
