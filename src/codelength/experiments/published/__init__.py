"""The figures as the papers print them, each with its table, row and column."""

import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from ..findings import Comparison
from ..summary import Summary

_HERE = Path(__file__).parent


@cache
def published(paper: str) -> dict[str, Any]:
    """What a paper prints.

    Examples
    --------
    >>> published("predictive-inference")["table"][0]["rows"]["Glass"]["values"][:3]
    [0.701, 0.668, 0.668]
    """
    with open(_HERE / f"{paper}.toml", "rb") as file:
        return tomllib.load(file)


def compare(paper: str, summary: Summary) -> list[Comparison]:
    """Every figure of the tables of a paper beside ours."""
    document = published(paper)
    return [
        _comparison(document, table, row, column, printed, summary)
        for table in document["table"]
        for row, fields in table["rows"].items()
        for column, printed in zip(table["columns"], fields["values"], strict=True)
    ]


def _comparison(
    document: dict[str, Any],
    table: dict[str, Any],
    row: str,
    column: str,
    printed: float,
    summary: Summary,
) -> Comparison:
    meaning = table["columns"][column]
    fraction = meaning.get("fraction", 1.0)
    group = summary.group(table["rows"][row]["dataset"], table["protocol"], fraction)
    value, standard_error = summary.mean(group, meaning["model"], meaning["score"])
    scale, decimals = meaning["scale"], meaning["decimals"]
    standard_error *= abs(scale)
    # A little more than half a unit, because the printed figure itself is not quite a binary number.
    tolerance = meaning["slack"] + 0.5000001 * 10**-decimals
    if table["protocol"] != "leave-one-out" and math.isfinite(standard_error):
        # Both figures are means over random repetitions, ours and theirs.
        tolerance += 2 * math.sqrt(2) * standard_error
    made = Comparison(
        table["name"],
        row,
        column,
        printed,
        scale * value,
        standard_error,
        tolerance,
        decimals,
        meaning["slack"],
    )
    return made if made.matches else _explained(made, document)


def _explained(made: Comparison, document: dict[str, Any]) -> Comparison:
    from dataclasses import replace

    for reason in document.get("reason", ()):
        if made.column in reason["columns"] and made.row in reason.get("rows", [made.row]):
            return replace(made, reason=reason["text"])
    return made
