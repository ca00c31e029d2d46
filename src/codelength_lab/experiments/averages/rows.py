"""Result tables of the comparison."""

from codelength.scores.means import mean_of

from ...claims import signed
from ...findings import ResultTable, Row
from ...predictions import tests_over_tables
from .comparison import Cell, Comparison
from .models import AVERAGE, PRIOR, title_of
from .ranks import holm

MUCH = 0.02
"""Nats of log loss; a model that is further behind has lost."""

OTHER_SCORES = ("accuracy", "brier", "calibration")


def tables_of(comparison: Comparison) -> list[ResultTable]:
    """Return all tables, the main one first."""
    lost = losses(comparison)
    found = [
        ResultTable(
            "overall", "Table 1: log loss in nats, ranks and wins", overall(comparison), 3, first=True
        ),
        ResultTable("other-scores", "Other scores, and time in seconds", scores(comparison), 3, first=True),
        ResultTable("gains", "Gains of ModelAverage in log loss, nats", gains(comparison), 3, first=True),
        ResultTable("losses", _losses_title(comparison, lost), lost, 3, first=True),
        ResultTable("by-table", _by_table_title(comparison), by_table(comparison)),
        ResultTable("ranks", "Mean ranks; models that share a letter do not differ", ranks(comparison), 2),
        ResultTable("cells", "Every model on every table", cells(comparison), 4, shown=False),
    ]
    return [table for table in found if table.rows]


def overall(comparison: Comparison) -> list[Row]:
    """Return the log losses of each model: the field by rank, then the others."""
    ranking = dict(zip(comparison.field, comparison.ranking().mean_ranks.tolist(), strict=True))
    rows: list[Row] = []
    for kind in _in_order(comparison):
        row: Row = {"model": title_of(kind)}
        row |= {f"{share:.0%}": comparison.overall(kind, shares=[share]) for share in comparison.shares}
        row |= {
            "mean": comparison.overall(kind),
            "rank": ranking.get(kind),
            "wins": comparison.n_wins(kind) if kind in ranking else None,
        }
        rows.append(row)
    return rows


def scores(comparison: Comparison) -> list[Row]:
    """Return the other scores of each model, as means over tables and shares."""
    return [
        {
            "model": title_of(kind),
            "accuracy": comparison.overall(kind, "accuracy"),
            "Brier": comparison.overall(kind, "brier"),
            "calibration": comparison.overall(kind, "calibration"),
            "fit": comparison.seconds(kind, "fit_seconds"),
            "predict 1000": comparison.seconds(kind, "predict_seconds"),
        }
        for kind in _in_order(comparison)
    ]


def _in_order(comparison: Comparison) -> list[str]:
    ranks = comparison.ranking().mean_ranks
    field = [comparison.field[place] for place in ranks.argsort(kind="stable").tolist()]
    return [*field, *(kind for kind in comparison.kinds if kind not in field)]


def gains(comparison: Comparison) -> list[Row]:
    """Return the gains of the average over each other model, with p-values adjusted for their number."""
    others = [kind for kind in comparison.kinds if kind != AVERAGE]
    # Adjusted over all comparisons of the table, members and baselines included.
    p = holm([tests_over_tables(comparison.gains(kind).tolist()).wilcoxon for kind in others])
    rows: list[Row] = []
    for kind, adjusted in zip(others, p, strict=True):
        # Won and lost cells are counted over all shares, means over tables.
        single = [comparison.gain(cell, kind).value for cell in comparison.cells]
        row: Row = {
            "over": title_of(kind),
            "mean ± s.e.": signed(*mean_of(comparison.gains(kind))),
            "won-lost": f"{sum(gain > 0 for gain in single)}-{sum(gain < 0 for gain in single)}",
        }
        for share in comparison.shares:
            row[f"{share:.0%}"] = float(comparison.gains(kind, shares=[share]).mean())
        rows.append(row | {"p": adjusted})
    return rows


def losses(comparison: Comparison) -> list[Row]:
    """Return the tables and shares at which an opponent is well ahead, the worst first."""
    rows: list[tuple[float, Row]] = []
    for cell in comparison.cells:
        gains = {kind: comparison.gain(cell, kind) for kind in comparison.opponents}
        ahead = sorted((gain.value, kind) for kind, gain in gains.items() if gain.value < -MUCH)
        if ahead:
            row: Row = {
                "table": cell.table,
                "share": f"{cell.share:.0%}",
                "ahead": "; ".join(f"{title_of(kind)} {signed(*gains[kind])}" for _, kind in ahead),
                "ours": comparison.mean(AVERAGE, cell).value,
                "class prior": comparison.mean(PRIOR, cell).value,
            }
            rows.append((ahead[0][0], row))
    return [row for _, row in sorted(rows, key=lambda entry: entry[0])]


def _losses_title(comparison: Comparison, lost: list[Row]) -> str:
    names = {row["table"] for row in lost}
    return (
        f"Lost by more than {MUCH} nats: {len(lost)} of {len(comparison.cells)} cells, on {len(names)} of "
        f"{len(comparison.tables)} tables"
    )


def by_table(comparison: Comparison) -> list[Row]:
    """Return the log loss of the average on each table, and its gain over the opponent that is best there."""
    rows: list[Row] = []
    for table in comparison.tables:
        row: Row = {"table": table}
        for share in comparison.shares:
            cell = Cell(table, share)
            best = comparison.best_opponent(cell)
            gain = signed(comparison.gain(cell, best).value)
            row[f"{share:.0%}"] = f"{comparison.mean(AVERAGE, cell).value:.3f} ({gain} {_short(best)})"
        rows.append(row)
    return rows


def _by_table_title(comparison: Comparison) -> str:
    names = ", ".join(f"{_short(kind)} {title_of(kind)}" for kind in comparison.opponents)
    return f"Log loss table by table; in brackets the gain over the best opponent ({names})"


def _short(kind: str) -> str:
    """Return the capitals of a title, or the initials of its words.

    Examples
    --------
    >>> [_short(kind) for kind in ("categorical-nb", "random-forest", "gradient-boosting", "lightgbm")]
    ['CNB', 'RF', 'HGB', 'LGBM']
    """
    title = title_of(kind)
    return "".join(letter for letter in title if letter.isupper()) or "".join(
        w[0].upper() for w in title.split()
    )


def ranks(comparison: Comparison) -> list[Row]:
    """Return mean ranks over all shares and for each, with the groups of models that do not differ."""
    rows: list[Row] = []
    parts = {"all": comparison.shares} | {f"{share:.0%}": [share] for share in comparison.shares}
    for name, shares in parts.items():
        ranking = comparison.ranking(shares)
        rows += [
            {
                "share": name,
                "model": title_of(comparison.field[place]),
                "group": ranking.letters[place],
                "mean rank": float(ranking.mean_ranks[place]),
            }
            for place in ranking.mean_ranks.argsort(kind="stable").tolist()
        ]
    return rows


def cells(comparison: Comparison) -> list[Row]:
    """Return one row per model, table and share."""
    rows: list[Row] = []
    for cell in comparison.cells:
        for kind in comparison.kinds:
            loss, error = comparison.mean(kind, cell)
            row: Row = {"table": cell.table, "share": cell.share, "model": title_of(kind)}
            row |= {"log loss": loss, "s.e.": error}
            row |= {score: comparison.mean(kind, cell, score).value for score in OTHER_SCORES}
            rows.append(row)
    return rows
