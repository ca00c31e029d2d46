"""Scorer documents of the what-if: naive Bayes fitted to all rows, under each rule."""

from typing import Any

from ....estimators import NaiveBayes
from ....naive_bayes import RULES
from ....table import Coded
from ...results import VariableFacts

MOST_NUMBERS, MOST_ASKED = 20_000, 100
"""Numbers in the scorer documents of all rules together, and variables in each."""


def selected(coded: Coded, facts: tuple[VariableFacts, ...]) -> Coded:
    """Return the rows with the strongest variables, as many as fit into the tables of a page.

    Parameters
    ----------
    coded : Coded
        All rows.
    facts : tuple of VariableFacts
        Variables, the strongest first.
    """
    room = MOST_NUMBERS
    kept: list[int] = []
    for fact in facts:
        # Variables are ranked: after the first that does not fit, weaker ones are not tried either.
        room -= fact.n_values * coded.schema.n_classes * len(RULES)
        if room < 0 or len(kept) == MOST_ASKED:
            break
        if fact.bits_alone is not None and fact.n_values > 1:
            kept.append(coded.schema.position(fact.name))
    return coded.select(sorted(kept))


def scorers_of(coded: Coded) -> dict[str, dict[str, Any]]:
    """Return the scorer document of each rule."""
    return {rule: _short(NaiveBayes(rule).fit_coded(coded).to_scorer()) for rule in RULES}


def _short(document: dict[str, Any]) -> dict[str, Any]:
    """Round a scorer document to the digits that a page needs: probabilities agree to about eleven digits."""

    def rounded(part: Any, digits: int) -> Any:
        if isinstance(part, list):
            return [rounded(item, digits) for item in part]
        return part if part is None else round(part, digits)

    variables = [
        variable | {"table": rounded(variable["table"], 12), "weights": rounded(variable["weights"], 6)}
        for variable in document["variables"]
    ]
    return document | {"variables": variables}
