"""Section on new cases: the elements that ``whatif.js`` fills, and the scorers it uses."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ....render.markup import Markup, join, tag
from ...results import Analysis
from ...section import Section, hint, paragraph
from ...words import counted

MOST_VARIABLES = 100
"""Variables that can be set; the others stay unknown."""

MOST_CHARACTERS = 350_000
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


def whatif(analysis: Analysis) -> Section | None:
    """Return the section; None if there is nothing to choose."""
    if not analysis.scorers or len(analysis.table.classes) < 2:
        return None
    if not any(document["variables"] for document in analysis.scorers.values()):
        return None
    names = [variable.name for variable in analysis.variables]
    document, n_left_out = scorers_text(analysis.scorers, names)
    left_out = None
    if n_left_out:
        left_out = hint(
            f"The most informative variables; {counted(n_left_out)} others stay unknown here, so that the "
            "page stays small."
        )
    body = join(
        paragraph(
            "Choose what is known about a new case. The probabilities follow at once; what is not known is "
            "left open."
        ),
        tag(
            "div",
            tag("p", "Choosing values needs JavaScript.", class_="hint"),
            id="whatif-app",
            class_="whatif",
        ),
        left_out,
        hint(
            "Naive Bayes under four predictive rules. Bars to the right speak for the first class named, "
            "bars to the left against it, in bits: one bit doubles the odds. The address of this page keeps "
            "the case, so that you can send it as a link."
        ),
        Markup(f'<script type="application/json" id="whatif-data">{document}</script>'),
    )
    return Section("what-if", "What if?", body)


def scorers_text(scorers: Mapping[str, Mapping[str, Any]], ranked: Sequence[str]) -> tuple[str, int]:
    """Return the scorers as JSON for a script element, and the number of variables left out.

    Parameters
    ----------
    scorers : mapping of str to scorer document
        The scorers by rule.
    ranked : sequence of str
        Names of variables, the most informative first.
    """
    names = [variable["name"] for variable in next(iter(scorers.values()))["variables"]]
    known = set(names)
    order = dict.fromkeys([*(name for name in ranked if name in known), *names])
    # The most informative variables first; dict.fromkeys removes duplicates and keeps the order.
    kept = list(order)[:MOST_VARIABLES]
    by_rule = [{one["name"]: one for one in document["variables"]} for document in scorers.values()]
    room, fitting = MOST_CHARACTERS, []
    for name in kept:
        own = [variables[name] for variables in by_rule if name in variables]
        # Most characters are digits: a variable that is far too large is recognised without writing it.
        if sum(len(one["table"]) * len(one["table"][0]) * (DIGITS - 4) for one in own) > room:
            continue
        size = sum(len(script_json(_lean(one))) for one in own)
        if size <= room:
            room -= size
            fitting.append(name)
    rules = []
    for rule, document in scorers.items():
        title, short = TITLES.get(rule, (rule.replace("_", " "),) * 2)
        rules.append({"rule": rule, "title": title, "short": short, "scorer": _part(document, fitting)})
    return script_json(rules), len(names) - len(fitting)


def script_json(document: Any) -> str:
    """Return JSON that cannot end its script element, whatever texts it holds.

    Examples
    --------
    >>> print(script_json(["</script><!--", 0.1 + 0.2]))
    ["\\u003c/script\\u003e\\u003c!--",0.3]
    """
    return _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", _compact(document))


# Characters that could end the element or start a comment, line ends of old scripts, and lone surrogates.
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def _compact(document: Any) -> str:
    return json.dumps(_rounded(document), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _rounded(document: Any) -> Any:
    """Return a document with all numbers rounded to ``DIGITS`` decimals."""
    if isinstance(document, float):
        return round(document, DIGITS)
    if isinstance(document, Mapping):
        return {key: _rounded(value) for key, value in document.items()}
    if isinstance(document, (list, tuple)):
        return [_rounded(value) for value in document]
    return document


def _part(document: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return a scorer of some variables, without marginal weights, which predictions do not need."""
    by_name = {variable["name"]: variable for variable in document["variables"]}
    return {**document, "variables": [_lean(by_name[name]) for name in names if name in by_name]}


def _lean(variable: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in variable.items() if key != "weights"}
