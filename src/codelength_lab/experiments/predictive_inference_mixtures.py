"""The experiment of the 1997 paper on predictive inference, repeated for finite mixtures.

The paper compares MAP, evidence (EV) and stochastic complexity (SC) by naive Bayes, and leaves to future work
whether its results hold for finite mixtures, in which the component of every row is latent. Here they are
tested on mixtures over all columns, the class among them, on the four tables of the paper. The module has
tasks (computed in ``hidden_classes``), findings, claims, and tables of results, in this order. Depends on
``predictive_inference`` (tables and settings of the paper) and on :mod:`codelength_lab.claims`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from codelength import datasets
from codelength.scores.means import mean_of

from ..claims import Claim, Leads, Verdict, all_of, any_of, by_lead, signed
from ..experiment import Experiment, Result, Spec, chunks
from ..findings import SCORES, Findings, ResultTable, Row
from ..published import claim_of, notes_of, result_tables
from ..results import Results
from ..settings import Settings
from ..tables import source
from . import predictive_inference
from .hidden_classes import (
    ANNEALED,
    CHAINS,
    IF_OBSERVED,
    LOCAL,
    MAX_EXACT,
    MODELS,
    ONE_OPTIMUM,
    RULES,
    STARTS,
    HiddenTask,
)

KEY = "predictive-inference-mixtures"
TABLES = predictive_inference.TABLES
COMPONENTS, QUICK_COMPONENTS = (4, 10), (4,)
PARTITIONS, QUICK_PARTITIONS = 50, 2
"""Half as many as in the paper, so that a full run takes less than an hour on two processors."""
QUICK_TABLES = ("glass", "hepatitis")
QUICK_ROWS = 10
"""Rows that a quick run leaves out, one at a time."""
CHUNK = 10
"""Rows left out per task."""

DEFAULTS = predictive_inference.DEFAULTS

SMALL = 0.1
"""Largest share of the rows of a table that counts as a small training set."""

OBSERVED = "observed"
"""Way to model the class; the others are :func:`latent`."""


def latent(n_components: int) -> str:
    """Return the name of the way in which the component is latent and the class a variable."""
    return f"hidden, {n_components} components"


def _tasks(quick: bool, settings: Settings) -> Iterator[HiddenTask]:
    """Yield the tasks of leave-one-out and of learning curves, for every number of components."""
    partitions = settings.repeats or (QUICK_PARTITIONS if quick else PARTITIONS)
    for name in QUICK_TABLES if quick else TABLES:
        table = source(name, settings, TABLES[name])
        n_rows = QUICK_ROWS if quick else table.n_rows
        usual = settings.map_pseudocount, settings.cap, settings.seed
        for n in QUICK_COMPONENTS if quick else COMPONENTS:
            for first, last in chunks(n_rows, CHUNK):
                yield HiddenTask("leave-one-out", table, n, first, last, *usual)
            for first, last in chunks(partitions, 1):
                yield HiddenTask("learning-curve", table, n, first, last, *usual)


def results_of(spec: Spec[HiddenTask], results: Mapping[str, Result]) -> Results:
    """Return the scores of every repetition, by the way to model the class; leave-one-out has size None."""
    # Scores with the class observed are stored with every number of components; any of them will do.
    first = spec.tasks[0].n_components

    def records() -> Iterator[tuple[tuple[Any, ...], list[float]]]:
        for task in spec.tasks:
            sizes = (None,) if task.protocol == "leave-one-out" else task.sizes
            for name, scores in results[task.key].items():
                model = name.removesuffix(IF_OBSERVED)
                way = latent(task.n_components) if model == name else OBSERVED
                if way != OBSERVED or task.n_components == first:
                    for score, units in scores.items():
                        for size, column in zip(sizes, zip(*units, strict=True), strict=True):
                            yield (way, task.source.name, size, model, score), list(column)

    return Results(("way", "table", "size", "model", "score"), records())


def ways_of(results: Results) -> list[str]:
    """Return the ways to model the class: by a number of components, and at the end observed."""
    return sorted(results.levels("way"), key=lambda way: way == OBSERVED)


def sizes_of(results: Results, table: str, share: float = 1.0) -> list[int]:
    """Return the numbers of training rows of the learning curves of a table, up to a share of its rows."""
    most = share * datasets.describe(table).rows
    sizes = results.at(table=table, model="EV", score="log_score", way=OBSERVED).levels("size")
    return [size for size in sizes if size is not None and size <= most]


def _find(opened: Findings, spec: Spec[Any], results: dict[str, Result]) -> Findings:
    """Return the findings: conclusions, claims and tables."""
    found = results_of(spec, results)
    components = list(dict.fromkeys(task.n_components for task in spec.tasks))
    first = found.at(way=OBSERVED, table=spec.tasks[0].source.name, model="EV", score="log_score")
    n_left_out = sum(task.last - task.first for task in spec.tasks if task.protocol == "leave-one-out")
    errors = found.at(model="EV", score="error", size=None).means(
        table=found.levels("table"), way=[latent(n) for n in components]
    )
    rankings = _rankings(found)
    return replace(
        opened,
        notes=notes_of(
            KEY,
            components=" and ".join(map(str, components)),
            partitions=len(first.units(size=first.levels("size")[-1])),
            left_out=n_left_out // len(components),
            starts=STARTS,
            pseudocount=spec.settings.map_pseudocount,
            exact=MAX_EXACT,
            annealed=ANNEALED,
            local=LOCAL,
            error=errors.mean(),
            agreement=_agreement(rankings),
        ),
        claims=claims_of(found, components),
        tables=_tables(found, components, rankings),
    )


def _agreement(rankings: list[Row]) -> str:
    """Describe the share of tables and sizes on which the order of the rules carries over."""
    titles = [name for name in rankings[0] if name.startswith("hidden")]
    shares = {title: np.mean([row[title] == row[OBSERVED] for row in rankings]) for title in titles}
    return ", ".join(f"{share:.0%} of tables and sizes ({title})" for title, share in shares.items())


def claims_of(results: Results, components: list[int]) -> list[Claim]:
    """Return all claims, those of the paper first; its own, with the class observed, are beyond this one."""
    conclusions = {way: conclusions_of(results, way) for way in ways_of(results)}
    made = [
        claim_of(KEY, name, *own[name], is_beyond=way == OBSERVED, way=way)
        for name in CONCLUSIONS
        for way, own in conclusions.items()
    ]
    return made + [further(results, n) for further in (_hidden_gains, _one_optimum) for n in components]


def _answers(results: Results) -> list[Row]:
    """Return the verdict on each conclusion, with the class latent and with it observed."""
    conclusions = {way: conclusions_of(results, way) for way in ways_of(results)}
    return [
        {"conclusion of the paper": text} | {way: own[name][0] for way, own in conclusions.items()}
        for name, text in CONCLUSIONS.items()
    ]


def leads_of(
    results: Results, way: str, rule: str, other: str, score: str = "log_score", *, small: bool = False
) -> Leads[str]:
    """Return the leads of a rule on all tables, from all other rows, or from a tenth of the table."""
    own = results.at(way=way, score=score)
    sizes = {
        table: sizes_of(results, table, SMALL)[-1] if small else None for table in results.levels("table")
    }
    return Leads({table: own.lead(rule, other, table=table, size=size) for table, size in sizes.items()})


def conclusions_of(results: Results, way: str) -> dict[str, tuple[Verdict, str]]:
    """Return the verdict on each of ``CONCLUSIONS``, and the figures behind it, for one way."""
    sc = leads_of(results, way, "SC", "EV")
    over_map, over_map_with_few = (
        {other: leads_of(results, way, other, "MAP", small=small) for other in ("EV", "SC")}
        for small in (False, True)
    )
    with_a_tenth = {other: leads_of(results, way, "EV", other, small=True) for other in ("MAP", "SC")}
    hits = {other: leads_of(results, way, "MAP", other, "accuracy") for other in ("EV", "SC")}
    trails = [
        f"{other} less MAP: {signed(*own.mean())} with all, "
        f"{signed(*over_map_with_few[other].mean())} with a tenth"
        for other, own in over_map.items()
    ]
    tenths = "; ".join(f"EV less {other}: {own.over_tables()}" for other, own in with_a_tenth.items())
    best = "; ".join(f"MAP less {other}: {own.text()}" for other, own in hits.items())
    tables = results.levels("table")
    on_average = [own.on_average() for own in (*over_map.values(), *over_map_with_few.values())]
    # MAP is best on a table if it is ahead of both other rules there.
    on_some = any_of(all_of(by_lead(*own[table]) for own in hits.values()) for table in tables)
    return {
        "sc_leads": (sc.every(), f"SC less EV: {sc.text()}"),
        "sc_on_average": (sc.on_average(), f"SC less EV: {sc.over_tables()}"),
        "ev_leads": _when_small(results.at(way=way, score="log_score"), results),
        "ev_with_a_tenth": (all_of(own.on_average() for own in with_a_tenth.values()), tenths),
        "map_trails": (all_of(on_average), "; ".join(trails)),
        "map_hits": (on_some, best),
    }


def _when_small(own: Results, results: Results) -> tuple[Verdict, str]:
    """Return the verdict on EV as the best rule at every small size on every table."""
    leads = {
        table: Leads(
            {
                (other, size): own.lead("EV", other, table=table, size=size)
                for other in ("MAP", "SC")
                for size in sizes_of(results, table, SMALL)
            }
        )
        for table in results.levels("table")
    }
    # The claim is about all leads, so that the least certain one decides it.
    least = Leads({table: lead for table, each in leads.items() for lead in each.least_sure().values()})
    return all_of(each.every() for each in leads.values()), f"least sure lead: {least.text()}"


CONCLUSIONS = {
    "sc_leads": "With all the data, SC predicts best: on every table",
    "sc_on_average": "With all the data, SC predicts best: on average",
    "ev_leads": "With less data, EV predicts best: at every size, on every table",
    "ev_with_a_tenth": "With less data, EV predicts best: with a tenth, on average",
    "map_trails": "MAP is inferior in the log-score",
    "map_hits": "MAP may be the best in the 0/1-score",
}
"""Conclusions in the abstract of the paper, by the names of the claims."""


def _hidden_gains(results: Results, n: int) -> Claim:
    """Return the claim that a mixture predicts better than naive Bayes."""
    own = results.at(model="EV", size=None, score="log_score")
    leads = Leads(
        {
            table: mean_of(own.units(way=latent(n), table=table) - own.units(way=OBSERVED, table=table))
            for table in results.levels("table")
        }
    )
    figures = f"hidden less observed: {leads.over_tables()}"
    return claim_of(KEY, "hidden_gains", leads.on_average(), figures, is_beyond=True, n=n)


def _one_optimum(results: Results, n: int) -> Claim:
    """Return the claim that chains at one optimum differ from annealed ones."""
    leads = leads_of(results, latent(n), "EV", ONE_OPTIMUM)
    figures = f"EV less {ONE_OPTIMUM}: {leads.text()}"
    return claim_of(KEY, "one_optimum", leads.changed(abs).some(), figures, is_beyond=True, n=n)


def _tables(results: Results, components: list[int], rankings: list[Row]) -> list[ResultTable]:
    """Return all tables: leave-one-out, learning curves, rankings, and the quality of approximations."""
    cases = [(table, n) for table in results.levels("table") for n in components]
    leads, distances, curves = (
        [row for case in cases for row in rows(results, *case)]
        for rows in (_small_and_large, _approximations, _curves)
    )
    rows = {
        "answers": _answers(results),
        "leave-one-out": _left_out(results),
        "leads": leads,
        "rankings": rankings,
        "approximations": distances,
        "learning-curves": curves,
    }
    return result_tables(KEY, rows, exact=MAX_EXACT)


def _left_out(results: Results) -> list[Row]:
    """Return both scores of the three rules under leave-one-out."""
    return [
        {"table": table, "class": way}
        | {
            f"{rule} {word}": results.mean(way=way, table=table, size=None, model=rule, score=score).value
            for score, word in zip(SCORES, ("0/1", "log-score"), strict=True)
            for rule in RULES
        }
        for table in results.levels("table")
        for way in ways_of(results)
    ]


def _small_and_large(results: Results, table: str, n: int) -> Iterator[Row]:
    """Yield the leads of EV with a tenth of the table and with all training rows."""
    logs = results.at(table=table, way=latent(n), score="log_score")
    for size in (sizes_of(results, table, SMALL)[-1], sizes_of(results, table)[-1]):
        row: Row = {"table": table, "components": str(n), "rows": size}
        row["EV"] = logs.mean(size=size, model="EV").value
        for other in ("MAP", "SC"):
            row[f"EV less {other}"], row[f"s.e. of EV less {other}"] = logs.lead("EV", other, size=size)
        yield row


def _rankings(results: Results) -> list[Row]:
    """Return the order of the rules by their mean log score, with the class observed and latent."""
    *hidden, observed = ways_of(results)
    logs = results.at(score="log_score")
    rows = []
    for table in results.levels("table"):
        for size in sizes_of(results, table):
            row: Row = {"table": table, "rows": str(size)}
            for way in (observed, *hidden):
                own = logs.at(way=way, table=table, size=size)
                row[way] = ranking({rule: own.mean(model=rule).value for rule in RULES})
            rows.append(row)
    return rows


def ranking(scores: Mapping[str, float]) -> str:
    """Return the names of models from the best to the worst.

    Examples
    --------
    >>> ranking({"MAP": -1.2, "EV": -0.4, "SC": -0.5})
    'EV, SC, MAP'
    """
    return ", ".join(sorted(scores, key=lambda name: -scores[name]))


def _approximations(results: Results, table: str, n: int) -> Iterator[Row]:
    """Yield the errors of chains: from the exact sum if there is one, and by their own standard errors."""
    own = results.at(table=table, way=latent(n))
    # The largest size with an exact sum, and the largest size of all.
    for size in (MAX_EXACT, sizes_of(results, table)[-1]):
        row: Row = {"table": table, "components": str(n), "rows": size}
        for name in (CHAINS, ONE_OPTIMUM):
            row[f"{name}: distance"] = float(abs(own.gains(name, "EV", size=size, score="log_score")).mean())
            row[f"{name}: s.e."] = own.mean(model=name, score="error", size=size).value
        yield row


def _curves(results: Results, table: str, n: int) -> Iterator[Row]:
    for size in sizes_of(results, table):
        for name in MODELS:
            model = name.removesuffix(IF_OBSERVED)
            way = latent(n) if model == name else OBSERVED
            row: Row = {"table": table, "components": n, "rows": size, "model": name}
            yield row | results.row(SCORES, way=way, table=table, size=size, model=model)


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find, is_published=False)
