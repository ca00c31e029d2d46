"""Headings and cells of comparisons of mixtures in printed tables."""

from collections.abc import Mapping
from typing import Any

HEADINGS = {
    "components": "classes",
    "log_likelihood": "log-lik.",
    "parameters": "par.",
    "aic": "AIC",
    "bic": "BIC",
    "adjusted_bic": "aBIC",
    "caic": "CAIC",
    "icl": "ICL",
    "cheeseman_stutz": "Ch.-Stutz",
    "neighbourhoods": "neighb.",
    "posterior": "P(classes)",
    "g2": "G2",
    "chi2": "chi2",
    "df": "df",
    "relative_entropy": "rel. entropy",
    "smallest_share": "smallest",
    "reached": "reached",
}
"""Headings of the columns in printed tables."""


def cell_text(name: str, row: Mapping[str, Any]) -> str:
    """Return a figure of a row for printing; a dash if it is unknown."""
    value = row[name]
    if value is None:
        return "-"
    if name == "reached":
        return f"{value}/{row['starts']}"
    if isinstance(value, int):
        return str(value)
    if name in ("posterior", "relative_entropy", "smallest_share"):
        return f"{value:.3f}"
    return f"{value:.2f}"
