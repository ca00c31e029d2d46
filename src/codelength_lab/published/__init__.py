"""Texts of all experiments in files; printed figures of the papers, and the tolerances of ours.

There is one rule for figures. A figure matches if

    |ours - printed| <= slack + rounding + noise * standard error.

The file of the experiment states the three numbers, column by column. ``slack`` allows for choices that
the paper does not state. ``rounding`` is half a unit of the last printed digit by default, and 0 for counts.
``noise`` is 2 sqrt(2) by default, two standard errors of the difference between two means over equally many
random repetitions, ours and theirs; it is 0 under leave-one-out, in which nothing is random.
"""

import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from ..claims import Claim, Verdict
from ..findings import Comparison, ResultTable, Row
from ..results import Results

NOISE = 2 * math.sqrt(2)
"""Standard errors of ours that are allowed by default."""


@cache
def published(experiment: str) -> dict[str, Any]:
    """Return the file of an experiment: title, citation and notes, and printed figures with their tolerances.

    An experiment without a file has its key as the title.

    Examples
    --------
    >>> published("predictive-inference")["table"][0]["rows"]["Glass"]["values"][:3]
    [0.701, 0.668, 0.668]
    """
    path = Path(__file__).parent / f"{experiment}.toml"
    if not path.exists():
        return {"title": experiment, "citation": "", "notes": []}
    return tomllib.loads(path.read_text(encoding="utf-8"))


def notes_of(experiment: str, **values: Any) -> list[str]:
    """Return the notes of an experiment with values in place of their names.

    A note that names a value of None is left out.

    Examples
    --------
    >>> notes_of("interval-averages", bins=20, average="A", whole="W", without=None)[-1][:20]
    'Fixed cut points are'
    """
    given = [
        (note, [name.partition(".")[0] for _, name, _, _ in Formatter().parse(note) if name])
        for note in published(experiment)["notes"]
    ]
    return [note.format(**values) for note, names in given if all(values[name] is not None for name in names)]


def claim_of(
    experiment: str, name: str, verdict: Verdict, figures: str, *, is_beyond: bool = False, **values: Any
) -> Claim:
    """Return a claim with the place and text in the file of an experiment, and values in them."""
    said = published(experiment)["claims"][name]
    where, text = (str(said[part]).format(**values) for part in ("where", "text"))
    return Claim(where, text, verdict, figures, is_beyond)


def result_tables(experiment: str, rows: Mapping[str, Iterable[Row]], **values: Any) -> list[ResultTable]:
    """Return tables of results by name, with the titles in the file of an experiment, and values in them."""
    said = published(experiment)["tables"]
    titles = {name: said[name]["title"].format(**values) for name in rows}
    return [
        ResultTable(name, **said[name] | {"title": titles[name], "rows": list(own)})
        for name, own in rows.items()
    ]


def printed_table(experiment: str, name: str) -> dict[str, Any]:
    """Return the entry of a printed table; raise KeyError if there is none."""
    tables: dict[str, dict[str, Any]] = {
        table["name"]: table for table in published(experiment).get("table", ())
    }
    return tables[name]


def printed_rows(experiment: str, table: str) -> Iterator[tuple[str, dict[str, Any], dict[str, float]]]:
    """Yield each row of a printed table: its name, its entry in the file, and its figures by column.

    Examples
    --------
    >>> [list(figures.values()) for _, _, figures in printed_rows("predictive-inference", "Section 4.1")]
    [[1.0, 0.6666666666666666, 0.8]]
    """
    entry = printed_table(experiment, table)
    for row, fields in entry["rows"].items():
        # Some papers print fractions, such as 2/3, which the file holds as text.
        figures = [float(Fraction(value)) for value in fields["values"]]
        yield row, fields, dict(zip(entry["columns"], figures, strict=True))


def compared(
    experiment: str, table: str, row: str, column: str, printed: float, ours: float, standard_error: float
) -> Comparison:
    """Compare a printed figure with ours, by the tolerances in the file of the experiment."""
    made = Comparison(table, row, column, printed, ours, standard_error, 0, 0.0, 0.0, 0.0)
    return judged(experiment, made)


def judged(experiment: str, comparison: Comparison) -> Comparison:
    """Return a comparison under the current tolerances, with a reason if it differs.

    A reason that was computed with the figure takes precedence over the one in the file. Figures of tables
    that are not in the file keep their tolerances.
    """
    try:
        entry = printed_table(experiment, comparison.table)
        meaning = entry["columns"][comparison.column]
    # Results of our own experiments have no printed figures.
    except KeyError:
        return comparison
    decimals = meaning["decimals"]
    made = replace(
        comparison,
        decimals=decimals,
        slack=float(meaning["slack"]),
        rounding=float(meaning.get("rounding", 0.5 * 10**-decimals)),
        noise=float(meaning.get("noise", 0.0 if entry["protocol"] == "leave-one-out" else NOISE)),
    )
    return replace(made, reason="" if made.matches else made.reason or _reason(experiment, made))


def compare(experiment: str, results: Results, table: str = "Table 1") -> list[Comparison]:
    """Compare every figure of a printed table with our mean scores."""
    found = []
    entry = printed_table(experiment, table)
    for row, fields, figures in printed_rows(experiment, table):
        for column, printed in figures.items():
            meaning = entry["columns"][column]
            value, error = results.mean(
                table=fields["dataset"],
                protocol=entry["protocol"],
                fraction=meaning.get("fraction", 1.0),
                model=meaning["model"],
                score=meaning["score"],
            )
            scale = meaning["scale"]
            ours = scale * value, abs(scale) * error
            found.append(compared(experiment, table, row, column, printed, *ours))
    return found


def _reason(experiment: str, made: Comparison) -> str:
    for reason in published(experiment).get("reason", ()):
        if made.column in reason["columns"] and made.row in reason.get("rows", [made.row]):
            return str(reason["text"])
    return ""
