"""Result tables: leave-one-out, learning curves, rankings, and the quality of approximations."""

from collections.abc import Iterator, Mapping, Sequence

from codelength import datasets

from ...findings import SCORES, ResultTable, Value
from ...results import Results
from .claims import answers_of
from .task import CHAINS, MAX_EXACT, MODELS, ONE_OPTIMUM, RULES
from .ways import SMALL, Way, sizes_of, ways_of

Row = dict[str, Value]


def tables_of(results: Results) -> list[ResultTable]:
    """Return all tables."""
    cases = [
        (table, n, results.at(table=table, components=n), sizes_of(results, table))
        for table in results.levels("table")
        for n in results.levels("components")
    ]
    few_and_all = "Log-score of EV, and its leads, from few rows and from the reservoir"
    approximations = (
        "Approximations of EV: mean distance of the log-score of a partition from EV (exact with "
        f"{MAX_EXACT} rows, by annealed chains with more), and mean standard error of a log probability"
    )
    return [
        answers_of(results),
        ResultTable("leave-one-out", "Each row predicted from all others", _left_out(results), 3, first=True),
        ResultTable("leads", few_and_all, [row for case in cases for row in _small_and_large(*case)], 3),
        ResultTable("rankings", "Rules from the best to the worst mean log-score", _rankings(results)),
        ResultTable(
            "approximations", approximations, [row for case in cases for row in _approximations(*case)], 4
        ),
        ResultTable(
            "learning-curves",
            "Learning curves",
            [row for case in cases for row in _curves(*case)],
            4,
            shown=False,
        ),
    ]


def _left_out(results: Results) -> list[Row]:
    """Return both scores of the three rules under leave-one-out."""
    return [
        {"table": table, "class": way.title}
        | {
            f"{rule} {word}": way.mean(table, rule, score).value
            for score, word in zip(SCORES, ("0/1", "log-score"), strict=True)
            for rule in RULES
        }
        for table in results.levels("table")
        for way in ways_of(results)
    ]


def _small_and_large(table: str, n: int, own: Results, sizes: Sequence[int]) -> Iterator[Row]:
    """Yield the leads of EV with a tenth of the table and with all training rows."""
    logs, most = own.at(score="log_score"), SMALL * datasets.describe(table).rows
    for size in (max(size for size in sizes if size <= most), sizes[-1]):
        row: Row = {"table": table, "components": str(n), "rows": size}
        row["EV"] = logs.mean(size=size, model="EV").value
        for other in ("MAP", "SC"):
            lead = logs.lead("EV", other, size=size)
            row |= {f"EV less {other}": lead.value, f"s.e. of EV less {other}": lead.standard_error}
        yield row


def _rankings(results: Results) -> list[Row]:
    """Return the order of the rules by their mean log score, with the class observed and latent."""
    *hidden, observed = ways_of(results)
    return [
        {"table": table, "rows": str(size)}
        | {way.title: _order(way, table, size) for way in (observed, *hidden)}
        for table in results.levels("table")
        for size in sizes_of(results, table)
    ]


def _order(way: Way, table: str, size: int) -> str:
    return ranking({rule: way.mean(table, rule, size=size).value for rule in RULES})


def ranking(scores: Mapping[str, float]) -> str:
    """Return the names of models from the best to the worst.

    Examples
    --------
    >>> ranking({"MAP": -1.2, "EV": -0.4, "SC": -0.5})
    'EV, SC, MAP'
    """
    return ", ".join(sorted(scores, key=lambda name: -scores[name]))


def _approximations(table: str, n: int, own: Results, sizes: Sequence[int]) -> Iterator[Row]:
    """Yield the errors of chains: from the exact sum if there is one, and by their own standard errors."""
    # The largest size with an exact sum, and the largest size of all.
    for size in (MAX_EXACT, sizes[-1]):
        row: Row = {"table": table, "components": str(n), "rows": size}
        for name in (CHAINS, ONE_OPTIMUM):
            row[f"{name}: distance"] = float(abs(own.gains(name, "EV", size=size, score="log_score")).mean())
            row[f"{name}: s.e."] = own.mean(model=name, score="error", size=size).value
        yield row


def _curves(table: str, n: int, own: Results, sizes: Sequence[int]) -> Iterator[Row]:
    for size in sizes:
        for model in MODELS:
            row: Row = {"table": table, "components": n, "rows": size, "model": model}
            for score in SCORES:
                mean = own.mean(model=model, score=score, size=size)
                row |= {score: mean.value, f"{score}_se": mean.standard_error}
            yield row
