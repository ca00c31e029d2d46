"""Result tables: leave-one-out, learning curves, rankings, and the quality of approximations."""

from collections.abc import Mapping

from ...findings import ResultTable, Value
from ...summary import SCORES
from .claims import answers_of, ranking
from .collected import Collected
from .task import CHAINS, MODELS, MOST_EXACT, OBSERVED, ONE_OPTIMUM, RULES


def tables_of(found: Collected) -> list[ResultTable]:
    """Return all tables."""
    return [
        answers_of(found),
        _left_out(found),
        _small_and_large(found),
        _rankings(found),
        _approximations(found),
        _curves(found),
    ]


def _left_out(found: Collected) -> ResultTable:
    rows = [
        row
        for table in found.tables
        for row in (
            *(
                _scores(found, table, f"hidden, {n} components", n, dict(zip(RULES, RULES, strict=True)))
                for n in found.components
            ),
            _scores(found, table, "observed", found.components[0], dict(zip(RULES, OBSERVED, strict=True))),
        )
    ]
    return ResultTable("leave-one-out", "Each row predicted from all others", rows, decimals=3, first=True)


def _scores(
    found: Collected, table: str, way: str, n_components: int, models: Mapping[str, str]
) -> dict[str, Value]:
    """Return both scores of the three rules under leave-one-out."""
    row: dict[str, Value] = {"table": table, "class": way}
    for score, word in zip(SCORES, ("0/1", "log-score"), strict=True):
        for name, model in models.items():
            row[f"{name} {word}"] = found.mean(table, n_components, model, score).value
    return row


def _small_and_large(found: Collected) -> ResultTable:
    """Return the leads of EV with a tenth of the table and with all training rows."""
    rows: list[dict[str, Value]] = []
    for table in found.tables:
        for n in found.components:
            for size in (found.small_sizes(table)[-1], found.sizes(table)[-1]):
                row: dict[str, Value] = {"table": table, "components": str(n), "rows": size}
                row["EV"] = found.mean(table, n, "EV", size=size).value
                for other in ("MAP", "SC"):
                    lead = found.lead(table, n, ("EV", other), size=size)
                    row |= {f"EV less {other}": lead.value, f"s.e. of EV less {other}": lead.standard_error}
                rows.append(row)
    return ResultTable(
        "leads", "Log-score of EV, and its leads, from few rows and from the reservoir", rows, decimals=3
    )


def _rankings(found: Collected) -> ResultTable:
    """Return the order of the rules by their mean log score, with the class observed and latent."""
    rows: list[dict[str, Value]] = []
    for table in found.tables:
        for size in found.sizes(table):
            row: dict[str, Value] = {
                "table": table,
                "rows": str(size),
                "observed": _order(found, table, size),
            }
            row |= {f"hidden, {n} components": _order(found, table, size, n) for n in found.components}
            rows.append(row)
    return ResultTable("rankings", "Rules from the best to the worst mean log-score", rows)


def _order(found: Collected, table: str, size: int, n_components: int | None = None) -> str:
    n = found.components[0] if n_components is None else n_components
    models = OBSERVED if n_components is None else RULES
    return ranking(
        {
            name: found.mean(table, n, model, size=size).value
            for name, model in zip(RULES, models, strict=True)
        }
    )


def _approximations(found: Collected) -> ResultTable:
    """Return the errors of chains: from the exact sum if there is one, and by their own standard errors."""
    rows: list[dict[str, Value]] = []
    for table in found.tables:
        for n in found.components:
            # The largest size with an exact sum, and the largest size of all.
            for size in (MOST_EXACT, found.sizes(table)[-1]):
                row: dict[str, Value] = {"table": table, "components": str(n), "rows": size}
                for name in (CHAINS, ONE_OPTIMUM):
                    ours, best = (found.units(table, n, model, size=size) for model in (name, "EV"))
                    row[f"{name}: distance"] = float(abs(ours - best).mean())
                    row[f"{name}: s.e."] = found.mean(table, n, name, "error", size).value
                rows.append(row)
    return ResultTable(
        "approximations",
        f"Approximations of EV: mean distance of the log-score of a partition from EV (exact with "
        f"{MOST_EXACT} rows, by annealed chains with more), and mean standard error of a log probability",
        rows,
        decimals=4,
    )


def _curves(found: Collected) -> ResultTable:
    rows: list[dict[str, Value]] = []
    for table in found.tables:
        for n in found.components:
            for size in found.sizes(table):
                for model in MODELS:
                    row: dict[str, Value] = {"table": table, "components": n, "rows": size, "model": model}
                    for score in SCORES:
                        mean = found.mean(table, n, model, score, size)
                        row |= {score: mean.value, f"{score}_se": mean.standard_error}
                    rows.append(row)
    return ResultTable("learning-curves", "Learning curves", rows, decimals=4, shown=False)
