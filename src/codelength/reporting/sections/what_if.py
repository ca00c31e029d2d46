"""Scorer documents of the what-if: naive Bayes fitted to all rows, under each rule."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...estimators import NaiveBayes
from ...naive_bayes import RULES
from ...render.templates import rendered
from ...table import Coded
from ..page import Section
from ..results import Analysis, VariableFacts

MAX_NUMBERS, MAX_ASKED = 20_000, 100
"""Numbers in the scorer documents of all rules together, and variables in each."""

MAX_CHARACTERS = 350_000
"""Characters of all scorers together, which keeps the file small."""

DIGITS = 12
"""Decimals of log weights: sums of hundreds of them are right to nine."""

TITLES = {
    "evidence": ("evidence", "evidence"),
    "stochastic_complexity": ("stochastic complexity", "complexity"),
    "map": ("maximum a posteriori (MAP)", "MAP"),
    "indifferent": ("indifferent", "indifferent"),
}
"""Full and short names of the rules."""


def selected(coded: Coded, facts: tuple[VariableFacts, ...]) -> Coded:
    """Return the rows with the strongest variables, as many as fit into the tables of a page."""
    room = MAX_NUMBERS
    kept: list[int] = []
    for fact in facts:
        # Variables are ranked: after the first that does not fit, weaker ones are not tried either.
        room -= fact.n_values * coded.schema.n_classes * len(RULES)
        if room < 0 or len(kept) == MAX_ASKED:
            break
        if fact.bits_alone is not None and fact.n_values > 1:
            kept.append(coded.schema.position(fact.name))
    return coded.select(sorted(kept))


def scorers_of(coded: Coded) -> dict[str, dict[str, Any]]:
    """Return the scorer document of each rule."""
    return {rule: NaiveBayes(rule)._fit_coded(coded).to_scorer() for rule in RULES}


def section(analysis: Analysis) -> Section | None:
    """Return the section; None if there is nothing to choose."""
    scorers = analysis.scorers
    if len(analysis.table.classes) < 2 or not any(document["variables"] for document in scorers.values()):
        return None
    document, n_left_out = scorers_text(scorers, [variable.name for variable in analysis.variables])
    body = rendered("reporting/sections/what_if", document=document, n_left_out=n_left_out)
    return Section("what-if", "What if?", body)


def scorers_text(scorers: Mapping[str, Mapping[str, Any]], ranked: Sequence[str]) -> tuple[str, int]:
    """Return the scorers as JSON for a script element, and the number of variables left out.

    Parameters
    ----------
    scorers : mapping of str to mapping
        Scorer documents by rule, all of the same variables.
    ranked : sequence of str
        Names of variables, the most informative first.
    """
    # Predictions do not need the marginal weights of values.
    by_rule = {
        rule: {
            one["name"]: {key: one[key] for key in one if key != "weights"} for one in document["variables"]
        }
        for rule, document in scorers.items()
    }
    names = next(iter(by_rule.values()))
    # The most informative variables first; dict.fromkeys removes duplicates and keeps the order.
    order = list(dict.fromkeys(name for name in (*ranked, *names) if name in names))
    room, kept = MAX_CHARACTERS, []
    for name in order[:MAX_ASKED]:
        own = [variables[name] for variables in by_rule.values()]
        # Most characters are digits: a variable that is far too large is recognised without writing it.
        if sum(len(one["table"]) * len(one["table"][0]) * (DIGITS - 4) for one in own) > room:
            continue
        size = sum(len(script_json(one)) for one in own)
        if size <= room:
            room -= size
            kept.append(name)
    rules = []
    for rule, document in scorers.items():
        title, short = TITLES.get(rule, (rule.replace("_", " "),) * 2)
        scorer = {**document, "variables": [by_rule[rule][name] for name in kept]}
        rules.append({"rule": rule, "title": title, "short": short, "scorer": scorer})
    return script_json(rules), len(names) - len(kept)


def script_json(document: Any) -> str:
    """Return JSON that cannot end its script element, whatever texts it holds.

    Examples
    --------
    >>> print(script_json(["</script><!--", 0.1 + 0.2]))
    ["\\u003c/script\\u003e\\u003c!--",0.3]
    """
    text = json.dumps(_rounded(document), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


# Characters that could end the element or start a comment, line ends of old scripts, and lone surrogates.
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def _rounded(document: Any) -> Any:
    """Return a document with all numbers rounded to ``DIGITS`` decimals."""
    if isinstance(document, float):
        return round(document, DIGITS)
    if isinstance(document, Mapping):
        return {key: _rounded(value) for key, value in document.items()}
    if isinstance(document, (list, tuple)):
        return [_rounded(value) for value in document]
    return document
